"""Patroni knows its own renewals of the lease when they arrive late.

A request that Patroni gave up may still be carried out: one that waits in an API server that hangs is, as soon as that server
continues. It renews the lease, so the request that Patroni has sent meanwhile conflicts with it. Patroni takes every such conflict
for another member that leads, and stops its server at once.

So after a conflict the lease is read. Where it still names this member, it is renewed on the basis of exactly what was read: a
lease that another member takes in between, or has taken, is never overwritten, and Patroni decides as before.
"""

import datetime
import functools
import logging

from patroni.dcs import kubernetes

logger = logging.getLogger("patroni.lease")

# For each of two requests. Patroni has used up most of its time by then, and another member may lead soon.
ANSWER_SECONDS = 1


def once(request, *arguments):
    return request(*arguments, _request_timeout=ANSWER_SECONDS)


def renew(dcs, annotations, addresses):
    """Whether the lease named this member, and has been renewed. Where that cannot be told in time, it has not."""
    try:
        lease = dcs._api.read_namespaced_kind(dcs.leader_path, dcs._namespace, _request_timeout=ANSWER_SECONDS)
        if (lease.metadata.annotations or {}).get(dcs._LEADER) != dcs._name:
            return False
        version = lease.metadata.resource_version
        renewed = dcs._patch_or_create(dcs.leader_path, annotations, version, ips=addresses, retry=once)
    except (kubernetes.k8s_client.rest.ApiException, kubernetes.K8sException) as error:
        logger.warning("the lease could not be read or renewed after a conflict: %r", error)
        return False
    logger.info("the lease was renewed by a request of this member that came late, and has been renewed again")
    return bool(renewed)


def with_own_renewals(method, annotations_of):
    """`method` takes or renews the lease and says whether it did."""

    @functools.wraps(method)
    def take(dcs, *arguments, **options):
        addresses = dcs._Kubernetes__ips
        return method(dcs, *arguments, **options) or renew(dcs, annotations_of(dcs, *arguments), addresses)

    return take


def renewal(dcs):
    now = datetime.datetime.now(kubernetes.tzutc).isoformat()
    return {dcs._LEADER: dcs._name, "ttl": str(dcs.ttl), "renewTime": now}


def as_sent(_dcs, annotations, *_others):
    return annotations


def install():
    lease = kubernetes.Kubernetes
    lease.attempt_to_acquire_leader = with_own_renewals(lease.attempt_to_acquire_leader, renewal)
    lease._update_leader_with_retry = with_own_renewals(lease._update_leader_with_retry, as_sent)
