"""TPU node pools of Terraform as slice groups of one node pool, also those in the configuration of a cluster."""

import functools
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from pulumi_gke_tpu.core.catalog import Catalog, Topology
from pulumi_gke_tpu.core.catalog.topologies import selectable_rows
from pulumi_gke_tpu.core.described.node_pools import capacity_keys
from pulumi_gke_tpu.core.estimate import cost_of
from pulumi_gke_tpu.core.estimate.reservations import OwnedReservations
from pulumi_gke_tpu.core.fleet import Cluster, Fleet, NodePool, Range, SliceGroup
from pulumi_gke_tpu.core.fleet.model import Shape
from pulumi_gke_tpu.core.graph.model import Graph
from pulumi_gke_tpu.core.graph.registered import PlanPreview
from pulumi_gke_tpu.core.graph.resource_types import NODE_POOL
from pulumi_gke_tpu.core.plan import ClusterSpec, Plan, SliceGroupSpec
from pulumi_gke_tpu.core.plan.capacity import Capacity
from pulumi_gke_tpu.core.plan.upgrades import Upgrade
from pulumi_gke_tpu.core.resources.model import Action, Origin, RawResource
from pulumi_gke_tpu.core.resources.pools import TpuPool, cluster_id
from pulumi_gke_tpu.core.resources.terraform_names import names_of
from pulumi_gke_tpu.core.resources.values import NotKnownError, Values
from pulumi_gke_tpu.core.text.findings import Path, Position
from pulumi_gke_tpu.core.text.formats.names import is_zone, region_of

_T = TypeVar("_T")

_MOST_NODES = 1_000_000
"""A larger number is a mistake, and no sum should show it."""
_NOWHERE = "an unknown location"


def known(read: Callable[[], _T], otherwise: _T) -> _T:
    """A value, or another one where it is known only after the apply."""
    try:
        return read()
    except NotKnownError:
        return otherwise


def group_of(pool: TpuPool, address: str, policy_topology: str = "") -> SliceGroup | None:
    """The node pool as a slice group; None if its size is not known, or is none that its machines have.

    ``policy_topology`` is the topology in its workload policy.
    """
    shape = _shape(pool, policy_topology)
    nodes = None if shape is None else _nodes(pool, shape)
    if shape is None or nodes is None:
        return None
    zones = _zones(pool)
    autoscaled = known(lambda: pool.values.has("autoscaling"), False)
    slices = Range(nodes.minimum // shape.hosts, nodes.maximum // shape.hosts)
    spec = SliceGroupSpec(
        tpu=shape.generation,
        topology=str(shape.topology),
        machine_type=shape.machine_type,
        capacity=_capacity(pool),
        upgrade=_upgrade(pool),
    )
    return SliceGroup(
        key=address,
        path=("clusters", "", "slices", address),
        name=address,
        shape=shape,
        slices=slices,
        autoscaled=autoscaled,
        zone=zones[0] if len(zones) == 1 else None,
        zones=zones,
        pools=(NodePool(address, pool_name(pool.values, address), None, nodes, autoscaled),),
        policy_name=None,
        protect=None,
        plan=spec,
        node_selector={},
        account_id="",
    )


def pool_name(values: Values, address: str) -> str:
    """The name in GKE; the address if the name is known only after the apply."""
    return known(lambda: values.text("name"), "") or address


def cluster_of(key: str, values: Values, groups: tuple[SliceGroup, ...] = ()) -> Cluster:
    """A cluster with its groups, from the properties of the cluster or of a node pool in it."""
    location = known(lambda: values.text("location"), "") or _NOWHERE
    autopilot = known(lambda: values.flag("enableAutopilot"), False)
    return Cluster(
        key=key,
        path=("clusters", key),
        name=known(lambda: values.text("name"), "") or key,
        project=known(lambda: values.text("project"), ""),
        location=location,
        region=region_of(location),
        mode="autopilot" if autopilot else "standard",
        account_id="",
        groups=groups,
        plan=ClusterSpec(mode="autopilot" if autopilot else "standard", location=location),
        resource_labels={},
        deletion_protection=known(lambda: values.flag("deletionProtection"), False),
    )


def preview_of(
    name: str, project: str, clusters: tuple[Cluster, ...], catalog: Catalog, owned: OwnedReservations
) -> PlanPreview:
    """The node pools of one project in a file as the preview of a plan."""
    fleet = Fleet(project, clusters)
    return PlanPreview(
        name=name,
        catalog_version=catalog.about.version,
        plan=Plan.model_construct(version=1, project=project, clusters={}),
        fleet=fleet,
        cost=cost_of(fleet, catalog, owned),
        quota=(),
        autoprovisioned=(),
        graph=Graph(()),
        findings=(),
        notes=(),
        reservations=owned,
    )


def _shape(pool: TpuPool, policy_topology: str) -> Shape | None:
    machine = pool.machine
    if machine is None:
        return None
    # Node pools of the console have the block without a topology.
    placed = (f"placementPolicy.{name}" for name in ("tpuTopology", "policyName"))
    multi_host = known(lambda: any(pool.values.text(path) for path in placed), True)
    try:
        written = pool.values.text("placementPolicy.tpuTopology") if multi_host else ""
    except NotKnownError:
        return None
    text = written or (policy_topology if multi_host else _single_host(pool, machine.chips))
    try:
        topology = Topology.parse(text)
    except ValueError:
        return None
    if topology.chips % machine.chips or not 0 < topology.chips <= _MOST_NODES:
        return None
    return Shape(
        generation=pool.generation_name,
        family=machine.family,
        topology=topology,
        machine_type=pool.machine_type,
        chips_per_host=machine.chips,
        accelerator_label=pool.generation.families[machine.family].accelerator_label,
        placement=pool.generation.multi_host_placement,
    )


def _single_host(pool: TpuPool, chips: int) -> str:
    rows = selectable_rows(pool.generation, "standard", pool.machine_type)
    return next((row.topology for row in rows if Topology.parse(row.topology).chips == chips), "")


def _nodes(pool: TpuPool, shape: Shape) -> Range | None:
    """The nodes in all zones together; a slice of several hosts has all of them or none."""
    values = pool.values
    try:
        if values.has("autoscaling"):
            least, most = _limits(values, len(_zones(pool)))
            if shape.multi_host:
                return Range(shape.hosts if least else 0, shape.hosts)
            return Range(min(least, most), most)
        count = known(lambda: values.number("nodeCount"), None)
        if shape.multi_host:
            return Range.ZERO if count == 0 else Range(shape.hosts, shape.hosts)
        count = count if count is not None else values.number("initialNodeCount")
    except NotKnownError:
        return None
    return _fixed(count, len(_zones(pool)))


def nodes_of(values: Values, cluster: Values | None) -> Range | None:
    """The nodes of a node pool without TPUs in all zones together; None if that is not known."""
    zones = max(len(_zones_in(values, cluster)), 1)
    try:
        if values.has("autoscaling"):
            least, most = _limits(values, zones)
            return Range(min(least, most), most)
        count = known(lambda: values.number("nodeCount"), None)
        return _fixed(count if count is not None else values.number("initialNodeCount"), zones)
    except NotKnownError:
        return None


def _fixed(count: int | None, zones: int) -> Range | None:
    if count is None or not 0 <= count <= _MOST_NODES:
        return None
    nodes = count * max(zones, 1)
    return Range(nodes, nodes)


def _limits(pool: Values, zones: int) -> tuple[int, int]:
    """The fewest and the most nodes of an autoscaled pool: limits are of each zone, or of all zones together."""
    limits = Values(pool.get("autoscaling"))
    total = limits.number("totalMaxNodeCount")
    zones = 1 if total else max(zones, 1)
    least = limits.number("totalMinNodeCount" if total else "minNodeCount") or 0
    most = total or limits.number("maxNodeCount") or 0
    return min(max(least, 0), _MOST_NODES) * zones, min(max(most, 0), _MOST_NODES) * zones


def _zones(pool: TpuPool) -> tuple[str, ...]:
    """The zones of the nodes; those of the cluster, or its own zone, if the pool sets none."""
    return _zones_in(pool.values, pool.cluster)


def _zones_in(pool: Values, cluster: Values | None) -> tuple[str, ...]:
    for values in filter(None, (pool, cluster)):
        zones: tuple[str, ...] = known(functools.partial(values.texts, "nodeLocations"), ())
        if zones:
            return tuple(sorted(zones))
    own = known(lambda: pool.text("location"), "") or cluster_id(pool)[0]
    location = own or (known(lambda: cluster.text("location"), "") if cluster is not None else "")
    return (location,) if is_zone(location) else ()


def _capacity(pool: TpuPool) -> Capacity:
    """The capacity mode; on demand if the pool has one that is not known yet, or that no plan has."""
    try:
        return Capacity.model_validate(capacity_keys(pool))
    except (NotKnownError, ValueError):
        return Capacity()


def _upgrade(pool: TpuPool) -> Upgrade | None:
    settings = {
        "strategy": known(lambda: pool.values.text("upgradeSettings.strategy"), "").lower() or "surge",
        "max_surge": known(lambda: pool.values.number("upgradeSettings.maxSurge"), None),
        "max_unavailable": known(lambda: pool.values.number("upgradeSettings.maxUnavailable"), None),
    }
    try:
        return Upgrade.model_validate(settings)
    except ValueError:
        return None


_POOLS, _BLOCK = "nodePools", "node_pool"
_OF_CLUSTER = ("location", "project")


def inline_pools(cluster: RawResource, catalog: Catalog) -> Iterator[RawResource]:
    """The node pools of a cluster with their part of its action.

    After a refresh, a cluster also has the node pools of other resources. Those that the plan does not know yet stay.
    """
    assert cluster.action is not None
    spelling = names_of(catalog, NODE_POOL).spelling
    before, after = _by_name(cluster.before), _by_name(cluster.values)
    if "delete" in cluster.action.kinds and "create" not in cluster.action.kinds:
        after = {}
    elif after is None:
        after = before
    for name in dict.fromkeys((*(before or ()), *(after or ()))):
        was, will = (before or {}).get(name), (after or {}).get(name)
        index, data = will or was or (0, {})
        yield RawResource(
            type=NODE_POOL,
            name=name,
            values=Values(_in_cluster(data, cluster.values)),
            before=Values(_in_cluster(was[1], cluster.before)) if was is not None and cluster.before else None,
            origin=Origin(
                cluster.origin.source,
                cluster.origin.file,
                f"{cluster.origin.address}.{_BLOCK}[{index}]",
                _locator(cluster, index),
            ),
            project=cluster.project,
            action=Action(_kinds(cluster.action, was and was[1], will and will[1])),
            spelling=spelling,
        )


def _by_name(values: Values | None) -> dict[str, tuple[int, dict[str, Any]]] | None:
    """The node pools of one side with their places; None if it does not know them."""
    found = values.data.get(_POOLS) if values is not None and isinstance(values.data, dict) else None
    if not isinstance(found, list):
        return None
    pools = [(index, pool) for index, pool in enumerate(found) if isinstance(pool, dict)]
    return {pool["name"]: (index, pool) for index, pool in pools if isinstance(pool.get("name"), str)}


def _in_cluster(pool: Mapping[str, Any], cluster: Values) -> dict[str, Any]:
    data = cluster.data if isinstance(cluster.data, dict) else {}
    return {**pool, "cluster": data.get("name"), **{name: data.get(name) for name in _OF_CLUSTER}}


def _locator(cluster: RawResource, index: int) -> Callable[[Path], Position]:
    def locate(path: Path) -> Position:
        return cluster.origin.locate((_BLOCK, index, *path))

    return locate


def _kinds(action: Action, was: Mapping[str, Any] | None, will: Mapping[str, Any] | None) -> tuple[str, ...]:
    """What the action on a cluster does to one of its node pools."""
    if "forget" in action.kinds:
        return ("forget",)
    if was is None or will is None:
        return ("create",) if was is None else ("delete",)
    if "delete" in action.kinds and will is not was:
        return action.kinds
    return ("no-op",) if was == will else ("update",)
