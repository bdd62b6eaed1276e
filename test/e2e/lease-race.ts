// A race between two threads of a member's own Patroni: one decides, on a lease that no member has, to take it; then another one, which answers
// a request for /cluster, reads that orders-2 has taken it; then it is taken. Prints of which version the lease has to be for that.
export const leaseRace = `
import sys, threading
from types import SimpleNamespace as Some
sys.path.insert(0, "/usr/local/lib/database")
import patroni.postgresql
from patroni.dcs.kubernetes import Kubernetes
import decided_view

def lease(version, leader):
    fields = ("ttl", "20"), ("renewTime", version), ("acquireTime", version), ("transitions", "1"), ("leader", leader)
    annotations = dict(fields) if leader else {"optime": "1"}
    return Some(metadata=Some(name="orders-leader", resource_version=version, annotations=annotations))

class Member(Kubernetes):
    leader_path = "orders-leader"

    def __init__(self):
        self._leader_resource_version, self._leader_observed_record, self._leader_observed_time = None, {}, None
        self._base_path, self._name, self._ttl = "/orders", "orders-1", 20
        self._api, self._kinds = Some(use_endpoints=False), Some(get=lambda _path: self.now)
        self._retry = Some(copy=lambda: Some(ensure_deadline=lambda _seconds: False))
        self._Kubernetes__ips = []

    def look(self):
        return self._cluster_from_nodes("", {"orders-leader": self.now}, [])

    def _patch_or_create(self, _name, _annotations, version, **_options):
        print(version)

decided_view.install()
member = Member()
member.now = lease("7", None)
assert not member.look().leader_name
member.now = lease("8", "orders-2")
other = threading.Thread(target=member.look)
other.start()
other.join()
member.attempt_to_acquire_leader()
`;
