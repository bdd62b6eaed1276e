"""A member takes the lease only as it was when the member decided to.

Patroni keeps what it last read of the lease in one place for all its threads, and takes the lease on the condition that it is still of the
version that stands there. A request for /cluster that comes between the decision and the taking reads the lease, too: where another member
has taken it meanwhile, the condition then holds for that member's lease, which is overwritten, and two lead for a moment.

So what other threads than that of the decisions read stays with them. Reported to Patroni as issue 3718, and mended there by pull request 3719,
after 4.0.7.
"""

import threading

from patroni.dcs import kubernetes

# What Patroni keeps of the lease: its version, its annotations, and since when they are these.
KEPT = ("_leader_resource_version", "_leader_observed_record", "_leader_observed_time")


def decides():
    """Patroni's loop runs in the main thread."""
    return threading.current_thread() is threading.main_thread()


class OfThread:
    """An attribute with one value for the loop, which other threads see until they have set their own."""

    def __init__(self):
        self._decided = None
        self._seen = threading.local()

    def __get__(self, dcs, _kind=None):
        if dcs is None:
            return self
        return self._decided if decides() else getattr(self._seen, "value", self._decided)

    def __set__(self, _dcs, value):
        if decides():
            self._decided = value
        else:
            self._seen.value = value


def install():
    lease = kubernetes.Kubernetes
    missing = [name for name in KEPT if name not in lease.__init__.__code__.co_names]
    if missing:
        raise AttributeError(f"this Patroni does not keep {missing}")
    for name in KEPT:
        setattr(lease, name, OfThread())
