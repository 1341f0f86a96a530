"""The effect of a change on a cluster: network, access, node service account, nodes without TPUs."""

from collections.abc import Iterable, Mapping
from typing import Any

from pulumi_gke_tpu.core.fleet import Cluster, CpuPool, Range
from pulumi_gke_tpu.core.fleet.settings import system_pool
from pulumi_gke_tpu.core.graph.phrases import MOST_NAMES, amount, bare_amount, be, urn_name, urn_words
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NODE_POOL
from pulumi_gke_tpu.core.text.findings import listed, quoted
from pulumi_gke_tpu.features.diff.consent import ClusterChange
from pulumi_gke_tpu.features.diff.effects.pools import resizes_or_repels, total
from pulumi_gke_tpu.features.diff.model import ResourceChange, Sentences
from pulumi_gke_tpu.features.diff.narrative.consequence import (
    describe_metadata,
    describe_nothing_happens,
    describe_rename,
    describe_what_stays,
)
from pulumi_gke_tpu.features.diff.narrative.notes import DONE, describe_counts

_DNS = "controlPlaneEndpointsConfig.dnsEndpointConfig.allowExternalTraffic"
_IP = "controlPlaneEndpointsConfig.ipEndpointsConfig.enabled"
_PRIVATE_ENDPOINT = "privateClusterConfig.enablePrivateEndpoint"
_PRIVATE_NODES = "privateClusterConfig.enablePrivateNodes"

_OFF, _ON = False, True
_SWITCHED: Mapping[tuple[str, bool], str] = {
    (
        _DNS,
        _OFF,
    ): "the DNS endpoint is disabled: clients that use the name of the control plane, such as `kubectl`, stop working",
    (
        _DNS,
        _ON,
    ): "the DNS endpoint is enabled: every client with the IAM permission can reach the control plane by its name",
    (_IP, _OFF): "the IP endpoint is disabled: clients that use the address of the control plane stop working",
    (_IP, _ON): "the IP endpoint is enabled",
    (_PRIVATE_ENDPOINT, _OFF): "the IP endpoint gets a public address in addition to its private one",
    (_PRIVATE_ENDPOINT, _ON): "the IP endpoint has only a private address: clients on the internet stop working",
    (_PRIVATE_NODES, _OFF): "nodes get public addresses",
    (_PRIVATE_NODES, _ON): "nodes get no public addresses: without Cloud NAT they cannot reach the internet",
}


def describe_access(item: ClusterChange, cluster: ResourceChange, sentences: Sentences) -> None:
    """Endpoints that an update enables or disables, and networks that it adds or removes. Not for a new cluster."""
    if cluster.operation != "update":
        return
    values = {difference.path: difference.will for difference in cluster.differences}
    for (path, switched), sentence in _SWITCHED.items():
        if path in values and bool(values[path]) is switched and _is_switch(values[path]):
            sentences.add(sentence)
    if not (_IP in values and _is_switch(values[_IP]) and not values[_IP]):
        _describe_networks(item, sentences)


def _is_switch(value: object) -> bool:
    """Whether a value is true or false, and not unknown."""
    return isinstance(value, bool)


def _describe_networks(item: ClusterChange, sentences: Sentences) -> None:
    base, head = item.pair.base, item.pair.head
    if base is None or head is None:
        return
    was, will = base.plan.control_plane.authorized_networks, head.plan.control_plane.authorized_networks
    before, after = _blocks(was), _blocks(will)
    gone = [block for block in before if block not in after]
    new = [block for block in after if block not in before]
    if gone:
        sentences.add(f"the plan no longer lets {listed(gone, most=MOST_NAMES)} reach the IP endpoint")
    if new:
        sentences.add(f"the plan lets {listed(new, most=MOST_NAMES)} reach the IP endpoint from now on")


def _blocks(networks: Mapping[str, Any]) -> list[str]:
    """The ranges, in the order of the plan; for an unknown range, its name."""
    return [quoted(block if isinstance(block, str) else name) for name, block in networks.items()]


def describe_cpu_pools(
    item: ClusterChange, changes: Iterable[ResourceChange], sentences: Sentences, noun: str = "CPU pool"
) -> None:
    """The effect on each node pool without TPUs, the system pool first. ``noun`` is what a CPU pool is called."""
    before, after = _cpu_pools(item.pair.base), _cpu_pools(item.pair.head)
    found = [system_pool(cluster) for cluster in (item.pair.base, item.pair.head) if cluster]
    system = [pool.nodes for pool in found if pool is not None]
    pools = [change for change in changes if change.type == NODE_POOL]
    for change in sorted(pools, key=lambda change: _old_name(change) in before or change.name in after):
        was, will = before.get(_old_name(change)), after.get(change.name)
        pool = was or will
        if pool is not None:
            _say(change, f"{noun} {quoted(pool.name)}", (was or pool).nodes, (will or pool).nodes, sentences)
        elif system:
            _say(change, "the system pool", system[0], system[-1], sentences)


def _say(change: ResourceChange, pool: str, size: Range, new_size: Range, sentences: Sentences) -> None:
    """What happens to one node pool."""
    nodes = f" ({amount(size, 'node')})" if size.maximum else ""
    if change.operation == "create":
        sentences.add(f"{pool} is created{nodes}")
    elif change.operation in ("replace", "delete"):
        resized = f" with {amount(new_size, 'node')}" if new_size != size else ""
        order = ", then created" if change.delete_first else " after a new one is created"
        again = f"{order}{resized}" if change.operation == "replace" else ""
        sentences.add(f"{pool} is deleted{nodes}{again}; workloads on it stop")
    elif any(found.effect == "restart" and not resizes_or_repels(found.path) for found in change.differences):
        sentences.add(f"GKE drains and re-creates the nodes of {pool}{nodes}; workloads on them move or stop")
    if change.operation == "update" and size != new_size:
        sentences.add(f"{pool} has {amount(new_size, 'node')} instead of {bare_amount(size)}")
        sentences.add_minimum(size, new_size, "node")


def _cpu_pools(cluster: Cluster | None) -> Mapping[str, CpuPool]:
    return {pool.key: pool for pool in cluster.cpu_pools} if cluster else {}


def _old_name(change: ResourceChange) -> str:
    return urn_name(change.former_urn) if change.former_urn else change.name


_VERSION = "minMasterVersion"
_AUTOPROVISIONING = "clusterAutoscaling.enabled"


def describe_cluster(item: ClusterChange, sentences: Sentences) -> None:
    """Every effect of the change on one cluster, without its slice groups."""
    cluster = next((change for change in item.changes if change.type == CLUSTER), None)
    rest = [change for change in item.changes if change.type not in (CLUSTER, NODE_POOL)]
    if cluster is not None and cluster.operation in DONE:
        describe_whole(item, item.changes, sentences)
    else:
        describe_cpu_pools(item, item.changes, sentences)
        for operation, done in DONE.items():
            describe_counts([change for change in rest if change.operation == operation], done, sentences)
        if cluster is not None:
            describe_update(cluster, sentences)
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


def describe_whole(item: ClusterChange, changes: Iterable[ResourceChange], sentences: Sentences) -> None:
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


def describe_update(cluster: ResourceChange, sentences: Sentences) -> None:
    """What an update of a cluster in place does to its control plane and nodes."""
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
