"""Who takes the lease takes the primary's label off the other members before it is promoted.

A former primary that does not reach the Kubernetes API keeps its label, and Services would lead new connections to it while its
successor takes writes. What fails here is done by the watch a moment later (agent/postgresql/watch/former-primaries.ts).
"""

import functools
import logging

from patroni.dcs import kubernetes

logger = logging.getLogger("patroni.sole_primary")

# For each request: clients wait for the promotion.
ANSWER_SECONDS = 0.5


def depose_others(dcs):
    role, former, replica = dcs._role_label, dcs._leader_label_value, dcs._follower_label_value
    selector = f"{dcs._label_selector},{role}={former}"
    try:
        pods = dcs._api.list_namespaced_pod(dcs._namespace, label_selector=selector, _request_timeout=ANSWER_SECONDS)
        for name, version in ((pod.metadata.name, pod.metadata.resource_version) for pod in pods.items):
            if name == dcs._name:
                continue
            change = {"metadata": {"resourceVersion": version, "labels": {role: replica}}}
            dcs._api.patch_namespaced_pod(name, dcs._namespace, change, _request_timeout=ANSWER_SECONDS)
            logger.info("%s was still labelled as the primary, and is not any more", name)
    # whatever is wrong must not keep the database without a primary
    except Exception as error:
        logger.warning("cannot tell whether others are labelled as the primary: %r", error)


def with_sole_label(method):
    """`method` takes the lease, and says whether it did."""

    @functools.wraps(method)
    def take(dcs):
        taken = method(dcs)
        if taken:
            depose_others(dcs)
        return taken

    return take


def install():
    lease = kubernetes.Kubernetes
    lease.attempt_to_acquire_leader = with_sole_label(lease.attempt_to_acquire_leader)
