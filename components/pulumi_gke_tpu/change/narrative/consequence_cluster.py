"""The effect of a change on a cluster and its resources: network, node service account, nodes without TPUs."""

from collections.abc import Iterable

from pulumi_gke_tpu.change.consent.subject import ClusterChange
from pulumi_gke_tpu.change.effects.pools import total
from pulumi_gke_tpu.change.model import ResourceChange
from pulumi_gke_tpu.change.narrative.consequence import say_metadata, say_nothing_happens, say_rename, say_what_stays
from pulumi_gke_tpu.change.narrative.consequence_access import say_access
from pulumi_gke_tpu.change.narrative.consequence_cpu import say_cpu_pools
from pulumi_gke_tpu.change.phrases import (
    RESOURCE_WORDS,
    amount,
    be,
    counted,
    resource_word,
    urn_words,
)
from pulumi_gke_tpu.change.saying import Saying
from pulumi_gke_tpu.findings import listed
from pulumi_gke_tpu.fleet import Range
from pulumi_gke_tpu.graph.types import CLUSTER, NODE_POOL

_VERSION = "minMasterVersion"
_DONE = {"delete": "deleted", "replace": "replaced", "create": "created"}


def say_cluster(item: ClusterChange, said: Saying) -> None:
    """Every effect of the change on one cluster, without its slice groups."""
    cluster = next((change for change in item.changes if change.type == CLUSTER), None)
    rest = [change for change in item.changes if change.type not in (CLUSTER, NODE_POOL)]
    if cluster is not None and cluster.operation in _DONE:
        _say_cluster(item, item.changes, said)
    else:
        say_cpu_pools(item, item.changes, said)
        for operation, done in _DONE.items():
            _say_counts([change for change in rest if change.operation == operation], done, said)
        if cluster is not None:
            _say_update(cluster, said)
    _say_class(item, said)
    if cluster is not None:
        say_access(item, cluster, said)
    said.say_follows(item.changes)
    if item.effect != "no-op" and any(not change.will for change in item.written):
        say_what_stays(item.changes, said)
    _say_protection(item, said)
    _say_cause(item, said)
    say_rename(item, said)


def _say_cluster(item: ClusterChange, changes: Iterable[ResourceChange], said: Saying) -> None:
    """A cluster that is created, deleted or replaced, with the number of its other resources."""
    kinds = {change.operation for change in changes if change.type == CLUSTER}
    base = item.pair.base
    hosts = total(group.hosts for group in base.groups) if base is not None and base.mode == "standard" else Range(0, 0)
    lost = f" with its node pools ({amount(hosts, 'TPU host')})" if hosts.maximum else ""
    gone = "workloads in it stop, and data stored in it is lost"
    if "replace" in kinds:
        said.say(f"the cluster is deleted{lost}, then created; {gone}")
    elif "delete" in kinds:
        said.say(f"the cluster is deleted{lost}; {gone}")
    else:
        _say_counts(changes, "created", said)


def _say_counts(changes: Iterable[ResourceChange], done: str, said: Saying) -> None:
    counts: dict[str, int] = {}
    for change in changes:
        counts[change.type] = counts.get(change.type, 0) + 1
    order = list(RESOURCE_WORDS)
    kinds = sorted(counts, key=lambda kind: (order.index(kind) if kind in order else len(order), kind))
    parts = [counted(counts[kind], *RESOURCE_WORDS.get(kind, (resource_word(kind), ""))) for kind in kinds]
    if parts:
        said.say(f"{listed(parts, most=5)} {be(sum(counts.values()))} {done}")


def _say_update(cluster: ResourceChange, said: Saying) -> None:
    if any(item.path == _VERSION and item.effect == "in-place" for item in cluster.differences):
        said.say(
            "the control plane is upgraded during the update, regardless of maintenance window and exclusions",
            "exclusions-automatic-only",
            said.catalog.maintenance.notes,
        )
    if cluster.effect == "restart":
        said.say("GKE re-creates nodes of the cluster; workloads on them stop")


def _say_class(item: ClusterChange, said: Saying) -> None:
    if item.effect == "no-op":
        say_nothing_happens(item.written, said, "a new cluster")
    elif item.effect == "refused":
        said.say("the provider or GKE is expected to reject the update")
    elif item.effect == "in-place":
        said.say("no source reports a node restart")
    elif item.effect == "metadata":
        say_metadata(item.changes, said)


def _say_protection(item: ClusterChange, said: Saying) -> None:
    base, head = item.pair.base, item.pair.head
    if base is None or head is None or base.deletion_protection == head.deletion_protection:
        return
    if any(change.refused for change in item.changes):
        return
    if head.deletion_protection:
        said.say("deletion protection is enabled from now on")
        return
    lifting = item.context.acknowledgements.lifting(item.key)
    said.say(
        f"deletion protection is disabled{f' until {lifting.until}, as acknowledged' if lifting else ' from now on'}"
    )


def _say_cause(item: ClusterChange, said: Saying) -> None:
    own = {urn for change in item.changes for urn in (change.urn, change.former_urn)}
    causes = dict.fromkeys(urn for change in item.changes for urn in change.because_of if urn not in own)
    if causes:
        said.say(f"the cause is the replacement of {listed([urn_words(urn) for urn in causes], most=1)}")
    base, head = item.pair.base, item.pair.head
    if base is None or head is None:
        return
    roots = _roots(item)
    if roots:
        said.say(
            f"the cluster depends on {listed([urn_words(urn) for urn in roots], most=1)}, "
            f"which {be(len(roots))} replaced"
        )
    elif not (item.written or causes) and base.deletion_protection == head.deletion_protection:
        said.say("the plan is unchanged: the catalog or gke-tpu has changed")


def _roots(item: ClusterChange) -> list[str]:
    """The replaced resources that cause the replacement of the cluster."""
    replaced = {change.urn: change for change in item.changes if change.operation == "replace"}
    cluster = next((change for change in replaced.values() if change.type == CLUSTER), None)
    if cluster is None or not cluster.because_of:
        return []
    return [urn for urn in cluster.because_of if urn in replaced and not replaced[urn].because_of]
