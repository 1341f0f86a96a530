"""The effect of a change on a cluster and its resources: network, node service account, nodes without TPUs."""

from collections.abc import Iterable

from pulumi_gke_tpu.core.fleet import Range
from pulumi_gke_tpu.core.graph.phrases import (
    amount,
    be,
    urn_words,
)
from pulumi_gke_tpu.core.graph.types import CLUSTER, NODE_POOL
from pulumi_gke_tpu.core.text.findings import listed, quoted
from pulumi_gke_tpu.features.diff.consent.subject import ClusterChange
from pulumi_gke_tpu.features.diff.effects.pools import total
from pulumi_gke_tpu.features.diff.model import ResourceChange
from pulumi_gke_tpu.features.diff.narrative.consequence import (
    describe_metadata,
    describe_nothing_happens,
    describe_rename,
    describe_what_stays,
)
from pulumi_gke_tpu.features.diff.narrative.consequence_access import describe_access
from pulumi_gke_tpu.features.diff.narrative.consequence_cpu import describe_cpu_pools
from pulumi_gke_tpu.features.diff.narrative.counts import DONE, describe_counts
from pulumi_gke_tpu.features.diff.sentences import Sentences

_VERSION = "minMasterVersion"
_AUTOPROVISIONING = "clusterAutoscaling.enabled"


def describe_cluster(item: ClusterChange, sentences: Sentences) -> None:
    """Every effect of the change on one cluster, without its slice groups."""
    cluster = next((change for change in item.changes if change.type == CLUSTER), None)
    rest = [change for change in item.changes if change.type not in (CLUSTER, NODE_POOL)]
    if cluster is not None and cluster.operation in DONE:
        _describe_cluster(item, item.changes, sentences)
    else:
        describe_cpu_pools(item, item.changes, sentences)
        for operation, done in DONE.items():
            describe_counts([change for change in rest if change.operation == operation], done, sentences)
        if cluster is not None:
            _describe_update(cluster, sentences)
    if item.pair.is_renamed and (cluster is None or cluster.operation == "update"):
        _describe_kept_name(item, sentences)
    _describe_class(item, sentences)
    if cluster is not None:
        describe_access(item, cluster, sentences)
    sentences.add_later_effects(item.changes)
    if item.effect != "no-op" and any(not change.will for change in item.written):
        describe_what_stays(item.changes, sentences)
    _describe_protection(item, sentences)
    _describe_cause(item, sentences)
    describe_rename(item, sentences)


def _describe_cluster(item: ClusterChange, changes: Iterable[ResourceChange], sentences: Sentences) -> None:
    """A cluster that is created, deleted or replaced, with the number of its other resources."""
    kinds = {change.operation for change in changes if change.type == CLUSTER}
    base = item.pair.base
    hosts = total(group.hosts for group in base.groups) if base is not None and base.mode == "standard" else Range.ZERO
    lost = f" with its node pools ({amount(hosts, 'TPU host')})" if hosts.maximum else ""
    gone = "workloads in it stop, and data stored in it is lost"
    if "replace" in kinds:
        sentences.add(f"the cluster is deleted{lost}, then created; {gone}")
    elif "delete" in kinds:
        sentences.add(f"the cluster is deleted{lost}; {gone}")
        if item.pair.handed_over:
            sentences.add(
                "`existing` refers to the same cluster. To keep the cluster, first give `TpuFleet` the option "
                "`retain_on_delete=True` and run `pulumi up` without other changes; then make this change"
            )
    else:
        describe_counts(changes, "created", sentences)


def _describe_kept_name(item: ClusterChange, sentences: Sentences) -> None:
    """What a declared rename of a cluster keeps, and its name in GKE."""
    base, head = item.pair.base, item.pair.head
    assert base is not None
    assert head is not None
    kept = total(pair.base.hosts for pair in item.pair.groups if pair.base is not None and pair.head is not None)
    hosts = f" with {amount(kept, 'TPU host')}" if kept.maximum else ""
    while_moved = "" if head.plan.written("name") else " as long as the plan has the `moved` entry"
    sentences.add(
        f"{quoted(base.key)} is now {quoted(head.key)} in the plan; the cluster is kept{hosts}, and its name in GKE "
        f"stays {quoted(head.name)}{while_moved}"
    )


def _describe_update(cluster: ResourceChange, sentences: Sentences) -> None:
    if any(item.path == _VERSION and item.effect == "in-place" for item in cluster.differences):
        sentences.add(
            "the control plane is upgraded during the update, regardless of maintenance window and exclusions",
            "exclusions-automatic-only",
            sentences.catalog.maintenance.notes,
        )
    if any(
        item.path == _AUTOPROVISIONING and item.was is True and item.effect == "in-place"
        for item in cluster.differences
    ):
        sentences.add(
            "node auto-provisioning is disabled: GKE creates no more node pools within the limits of `autoprovisioning`"
        )
    if cluster.effect == "restart":
        sentences.add("GKE re-creates nodes of the cluster; workloads on them stop")


def _describe_class(item: ClusterChange, sentences: Sentences) -> None:
    if item.effect == "no-op":
        describe_nothing_happens(item.written, sentences, "a new cluster")
    elif item.effect == "refused":
        sentences.add("the provider or GKE is expected to reject the update")
    elif item.effect == "in-place":
        sentences.add("no source in the catalog mentions a node restart")
    elif item.effect == "metadata":
        describe_metadata(item.changes, sentences)


def _describe_protection(item: ClusterChange, sentences: Sentences) -> None:
    base, head = item.pair.base, item.pair.head
    if base is None or head is None or base.deletion_protection == head.deletion_protection:
        return
    if any(change.refused for change in item.changes):
        return
    if head.deletion_protection:
        sentences.add("deletion protection is enabled from now on")
        return
    lifting = item.context.acknowledgements.lifting(item.key)
    sentences.add(
        f"deletion protection is disabled{f' until {lifting.until}, as acknowledged' if lifting else ' from now on'}"
    )


def _describe_cause(item: ClusterChange, sentences: Sentences) -> None:
    own = {urn for change in item.changes for urn in (change.urn, change.former_urn)}
    causes = dict.fromkeys(urn for change in item.changes for urn in change.because_of if urn not in own)
    if causes:
        sentences.add(f"the cause is the replacement of {listed([urn_words(urn) for urn in causes], most=1)}")
    base, head = item.pair.base, item.pair.head
    if base is None or head is None:
        return
    roots = _roots(item)
    if roots:
        sentences.add(
            f"the cluster depends on {listed([urn_words(urn) for urn in roots], most=1)}, "
            f"which {be(len(roots))} replaced"
        )
    elif not (item.written or causes or item.pair.is_renamed) and base.deletion_protection == head.deletion_protection:
        if base.plan.slices != head.plan.slices:  # additional networks of groups set a property of the cluster
            sentences.add("the slice groups of the cluster require it")
        else:
            sentences.add("the plan is unchanged: the catalog or gke-tpu has changed")


def _roots(item: ClusterChange) -> list[str]:
    """The replaced resources that cause the replacement of the cluster."""
    replaced = {change.urn: change for change in item.changes if change.operation == "replace"}
    cluster = next((change for change in replaced.values() if change.type == CLUSTER), None)
    if cluster is None or not cluster.because_of:
        return []
    return [urn for urn in cluster.because_of if urn in replaced and not replaced[urn].because_of]
