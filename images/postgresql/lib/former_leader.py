"""A member with less WAL than the former leader gives that one time to come back.

A leader that ends in order notes how far its WAL goes and gives up the lease at once. When all members end together, its commits may
not have reached the others, and whichever is back first would lead, with up to maximum_lag_on_failover less. So a member that lacks
some of what was noted lets others lead for as long as it would have waited for the lease of a leader that vanished. Where commits are
synchronous, every acknowledged one is on a member that Patroni lets lead, and none waits.
"""

import functools
import logging
import threading
import time

# the two import each other: Patroni, too, begins with this one
import patroni.postgresql  # noqa: F401
from patroni.ha import Ha

logger = logging.getLogger("patroni.former_leader")

# Patroni would look again after its loop_wait; a former leader that still replays what it had is to lead as soon as it has.
LOOK_SECONDS = 1


class Patience:
    """For whom a member waits, and since when."""

    def __init__(self, clock=time.monotonic):
        self._clock = clock
        self._noted = None
        self._since = None

    def lasts(self, noted, own, seconds):
        """Whether a member with WAL up to `own` still waits for one that noted `noted`; positions in bytes."""
        if own >= noted:
            return False
        # a leader notes another position all the time, so with the same one nobody has led meanwhile
        if self._noted != noted:
            self._noted, self._since = noted, self._clock()
        return self._clock() - self._since < seconds


def look_again(ha):
    timer = threading.Timer(LOOK_SECONDS, ha.wakeup)
    timer.daemon = True
    timer.start()


def with_patience(method, patience):
    """`method` says whether this member may lead."""

    @functools.wraps(method)
    def decide(ha, members, check_replication_lag=True, *arguments, **options):
        # a person who names the member that is to lead has no lag checked
        if check_replication_lag and not ha.sync_mode_is_active():
            noted, own = ha.cluster.status.last_lsn, ha.state_handler.last_operation()
            if patience.lasts(noted, own, ha.dcs.ttl):
                look_again(ha)
                logger.info("the former leader had %d bytes of WAL more: it has up to %d s to come back", noted - own, ha.dcs.ttl)
                return False
        return method(ha, members, check_replication_lag, *arguments, **options)

    return decide


def install():
    Ha._is_healthiest_node = with_patience(Ha._is_healthiest_node, Patience())
