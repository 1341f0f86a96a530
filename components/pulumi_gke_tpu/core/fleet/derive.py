"""Derives the fleet from a plan: clusters, groups, node pools and their names."""

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import replace

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet.budgets import Budgets
from pulumi_gke_tpu.core.fleet.model import (
    Autoprovisioning,
    ChipBudget,
    Cluster,
    CpuPool,
    Fleet,
    InterfaceNetwork,
    NodePool,
    Range,
    Shape,
    ShapeProblem,
    SliceGroup,
    Unresolved,
    WorkloadPolicy,
)
from pulumi_gke_tpu.core.fleet.names import (
    NETWORK_NAME_LIMIT,
    POLICY_NAME_LIMIT,
    POOL_NAME_LIMIT,
    account_id,
    compute_class_name,
    shortened,
)
from pulumi_gke_tpu.core.fleet.scheduling import capacity_selector
from pulumi_gke_tpu.core.fleet.shapes.shape import shape_of
from pulumi_gke_tpu.core.plan import ClusterSpec, CpuPoolSpec, Plan, SliceGroupSpec
from pulumi_gke_tpu.core.text.findings import Path
from pulumi_gke_tpu.core.text.formats.names import is_location, is_zone, parse_cluster, region_of

CPU_POOLS = "cpu_pools"
"""The key of CPU pools in a cluster, and the middle part of their Pulumi names."""
AUTOPROVISIONING = "autoprovisioning"
"""The key of node auto-provisioning in a cluster, and the last part of the Pulumi name of its account."""
POLICIES = "workload_policies"
"""The key of workload policies in a cluster, and the middle part of their Pulumi names."""
NETWORKS = "additional_networks"
"""The key of additional networks in a cluster, and the middle part of their Pulumi names."""
MOST_RENAMES = 50
"""The most former names of one item. A rule rejects a plan with more (TPU914)."""


def derive(plan: Plan, catalog: Catalog, today: datetime.date | None = None) -> Fleet:
    """Everything that follows from a plan.

    Groups without a possible shape are in ``unresolved``. ``today`` determines which acknowledgements are valid;
    without it none is, and protection stays. An acknowledgement of a replacement or of a deletion
    lifts the protection: Pulumi protects from both alike, and only a comparison with the plan before shows which of
    them a change is.
    """
    deriving = _Deriving(plan, catalog, today)
    clusters = tuple(deriving.cluster(key, cluster) for key, cluster in plan.clusters.items())
    return Fleet(plan.project, _with_workers(clusters), tuple(deriving.unresolved), deriving.budgets)


def _with_workers(clusters: tuple[Cluster, ...]) -> tuple[Cluster, ...]:
    """The clusters, managers of MultiKueue with their workers. A rule reports managers among the workers."""
    sent: dict[str, set[str]] = {}
    for cluster in clusters:
        plan = cluster.plan.kubernetes
        for key in plan.multikueue.workers if plan is not None and plan.multikueue is not None else ():
            found = (item.topology for item in plan.workloads.values()) if plan is not None else ()
            sent.setdefault(key, set()).update(filter(None, found))
    clusters = tuple(
        replace(cluster, sent_topologies=tuple(sorted(sent[cluster.key]))) if sent.get(cluster.key) else cluster
        for cluster in clusters
    )
    by_key = {cluster.key: cluster for cluster in clusters}
    managed = {
        cluster.key: tuple(by_key[key] for key in cluster.plan.kubernetes.multikueue.workers if key in by_key)
        for cluster in clusters
        if cluster.plan.kubernetes is not None and cluster.plan.kubernetes.multikueue is not None
    }
    return tuple(
        replace(cluster, workers=tuple(item for item in managed[cluster.key] if item.key not in managed))
        if cluster.key in managed
        else cluster
        for cluster in clusters
    )


class _Deriving:
    """One run over a plan."""

    def __init__(self, plan: Plan, catalog: Catalog, today: datetime.date | None) -> None:
        self.plan = plan
        self.catalog = catalog
        self.unresolved: list[Unresolved] = []
        # Without this, a group that became a cluster, or the reverse, would have infinitely many former names.
        self.origins = {move.to: move.source for move in plan.moved if ("/" in move.to) == ("/" in move.source)}
        self.sources = frozenset(self.origins.values())
        self.groups = {f"{key}/{group}" for key, cluster in plan.clusters.items() for group in cluster.slices}
        self.budgets = self._budgets()
        self.by_capacity = Budgets(self.budgets, plan.project)
        self.lifted = {item.of for item in plan.acknowledge if today is not None and today <= item.until}

    def _budgets(self) -> tuple[ChipBudget, ...]:
        """The budgets, with the chips that cubes have all the time."""
        found = {name: ChipBudget(name, ("budgets", name), budget) for name, budget in self.plan.budgets.items()}
        by_capacity = Budgets(found.values(), self.plan.project)
        for cluster in self.plan.clusters.values() if found else ():
            for group in cluster.slices.values():
                chips = _slices(group).maximum * self.catalog.kubernetes.pods.dynamic_slices.cube_chips
                for budget in by_capacity.of(group, region_of(cluster.location)) if group.dynamic else ():
                    found[budget.name] = replace(found[budget.name], cubes=found[budget.name].cubes + chips)
        return tuple(found.values())

    def cluster(self, key: str, cluster: ClusterSpec) -> Cluster:
        former = self.former_keys(key)
        reference = parse_cluster(cluster.existing) if cluster.existing is not None else None
        name = reference.name if reference else cluster.name or (former[-1] if former else key)
        # A `location` that contradicts the reference is one mistake: the zones of the groups are not mistakes as well.
        location = reference.location if reference and is_location(reference.location) else cluster.location
        derived = ((group_key, self.group(key, name, cluster, group_key)) for group_key in cluster.slices)
        return Cluster(
            key=key,
            path=("clusters", key),
            name=name,
            project=self.plan.project,
            location=location,
            region=region_of(location),
            mode=cluster.mode,
            account_id=self.account_id(key, name, cluster),
            groups=tuple(group for _, group in derived if group is not None),
            plan=cluster,
            resource_labels={**self.plan.resource_labels, **cluster.resource_labels},
            deletion_protection=cluster.deletion_protection and cluster.existing is None and key not in self.lifted,
            former_keys=former,
            cpu_pools=self.cpu_pools(key, name, cluster),
            additional_networks=self.interface_networks(key, name, cluster),
            workload_policies=self.workload_policies(key, cluster),
            autoprovisioning=self.autoprovisioning(key, name, cluster),
        )

    def account_id(self, key: str, name: str, cluster: ClusterSpec, inside: Sequence[str] = ()) -> str:
        """The ID of the account of a cluster or of a part of it, by the name of the cluster in GKE.

        For an existing cluster, the key of the plan counts too: another plan may have created accounts for this name.
        """
        first = (self.former_keys(key) or (key,))[-1] if cluster.existing else ""
        return account_id(self.plan.project, name, cluster.location, first, inside)

    def cpu_pools(self, key: str, name: str, cluster: ClusterSpec) -> tuple[CpuPool, ...]:
        if cluster.mode == "autopilot":
            return ()
        return tuple(
            CpuPool(
                key=f"{key}/{CPU_POOLS}/{pool_key}",
                path=("clusters", key, CPU_POOLS, pool_key),
                name=shortened(pool_key, POOL_NAME_LIMIT),
                nodes=_nodes(pool),
                zones=_zones(None, pool.zones, cluster.location),
                account_id=self.account_id(key, name, cluster, (CPU_POOLS, pool_key)),
                plan=pool,
                former_keys=self.former_parts(key, f"{CPU_POOLS}/{pool_key}"),
            )
            for pool_key, pool in cluster.cpu_pools.items()
        )

    def interface_networks(self, key: str, name: str, cluster: ClusterSpec) -> tuple[InterfaceNetwork, ...]:
        if cluster.mode == "autopilot" or cluster.existing is not None:
            return ()
        return tuple(
            InterfaceNetwork(
                key=f"{key}/{NETWORKS}/{network_key}",
                path=("clusters", key, NETWORKS, network_key),
                name=shortened(f"{name}-{network_key}", NETWORK_NAME_LIMIT),
                plan=network,
                former_keys=self.former_parts(key, f"{NETWORKS}/{network_key}"),
            )
            for network_key, network in cluster.additional_networks.items()
        )

    def workload_policies(self, key: str, cluster: ClusterSpec) -> tuple[WorkloadPolicy, ...]:
        return tuple(
            WorkloadPolicy(
                key=f"{key}/{POLICIES}/{name}",
                path=("clusters", key, POLICIES, name),
                name=name,
                plan=policy,
                former_keys=self.former_parts(key, f"{POLICIES}/{name}"),
            )
            for name, policy in cluster.workload_policies.items()
        )

    def autoprovisioning(self, key: str, name: str, cluster: ClusterSpec) -> Autoprovisioning | None:
        if cluster.mode == "autopilot" or cluster.existing is not None or cluster.autoprovisioning is None:
            return None
        return Autoprovisioning(
            key=f"{key}/{AUTOPROVISIONING}",
            path=("clusters", key, AUTOPROVISIONING),
            account_id=self.account_id(key, name, cluster, (AUTOPROVISIONING,)),
            plan=cluster.autoprovisioning,
            former_keys=self.former_parts(key, AUTOPROVISIONING),
        )

    def former_parts(self, key: str, part: str) -> tuple[str, ...]:
        """The former keys of a part of a renamed cluster, such as one of its CPU pools."""
        return tuple(f"{before}/{part}" for before in self.former_keys(key))

    def group(self, cluster_key: str, cluster_name: str, cluster: ClusterSpec, group_key: str) -> SliceGroup | None:
        group = cluster.slices[group_key]
        path: Path = ("clusters", cluster_key, "slices", group_key)
        shape = shape_of(self.catalog, cluster.mode, group)
        if isinstance(shape, ShapeProblem):
            self.unresolved.append(Unresolved(path, shape))
            return None
        key = f"{cluster_key}/{group_key}"
        former = self.former_keys(key)
        name = group.name or (former[-1].rpartition("/")[2] if former else group_key)
        slices = Range(0, _slices(group).maximum) if group.fallback else _slices(group)
        zones = _zones(group.zone, group.zones, cluster.location)
        standard = cluster.mode == "standard"
        compute_class = compute_class_name(name) if group.fallback else None
        has_pools = standard and compute_class is None
        region = region_of((zones or (cluster.location,))[0])
        needs_policy = (standard or group.fallback) and shape.multi_host and shape.placement == "workload_policy"
        # Compute Engine changes no policy, so the name has what decides its properties.
        policy = f"{cluster_name}-{name}-{shape.topology}{'-dynamic' if group.dynamic else ''}"
        return SliceGroup(
            key=key,
            path=path,
            name=name,
            shape=shape,
            slices=slices,
            autoscaled=group.autoscaled or bool(group.fallback),
            zone=zones[0] if len(zones) == 1 else None,
            zones=zones,
            pools=tuple(_pools(key, name, former, group, shape, slices=slices)) if has_pools else (),
            policy_name=shortened(policy, POLICY_NAME_LIMIT) if needs_policy and group.placement is None else None,
            protect=self.protect(cluster_key, key, group),
            plan=group,
            node_selector=self.node_selector(cluster, group, shape, compute_class),
            account_id=self.account_id(cluster_key, cluster_name, cluster, ("slices", name)),
            former_keys=former,
            compute_class=compute_class,
            budget=None if group.dynamic else next(self.by_capacity.of(group, region), None),
        )

    def node_selector(
        self, cluster: ClusterSpec, group: SliceGroupSpec, shape: Shape, compute_class: str | None
    ) -> dict[str, str]:
        """The node labels by which Pods find the slices."""
        if compute_class is not None:
            return {self.catalog.kubernetes.compute_classes.form.selector: compute_class}
        names = self.catalog.platform.names
        hardware = {names.node_labels.accelerator: shape.accelerator_label}
        if group.dynamic:
            facts = self.catalog.kubernetes.pods.dynamic_slices
            return {**hardware, facts.mode_label: facts.mode}
        hardware[names.node_labels.topology] = str(shape.topology)
        if cluster.mode == "standard":
            return hardware
        return {**hardware, **capacity_selector(group.capacity, names.capacity_labels)}

    def protect(self, cluster_key: str, key: str, group: SliceGroupSpec) -> bool | None:
        if self.lifted & {cluster_key, key}:
            return False
        if group.protect is not None:
            return group.protect
        return True if group.capacity.mode == "reservation" else None

    def former_keys(self, key: str) -> tuple[str, ...]:
        """The former keys of an item, the oldest last. A moved cluster moves its groups with it.

        If a group and its cluster were both renamed, either can have been first, so the keys in between count too.
        """
        if not self.origins:
            return ()
        past: dict[str, None] = {}
        at = key
        while len(past) < MOST_RENAMES and (before := self._before(at)) and before not in past:
            past[before] = None
            at = before
        former = list(past)
        cluster, slash, _ = key.partition("/")
        if slash:
            names = dict.fromkeys(item.partition("/")[2] for item in (key, *former))
            between = (f"{place}/{name}" for place in (cluster, *self.former_keys(cluster)) for name in names)
            taken = {key, *former}
            former[:0] = [
                item for item in between if item not in taken and item not in self.sources and item not in self.groups
            ]
        return tuple(former)

    def _before(self, key: str) -> str | None:
        if key in self.origins:
            return self.origins[key]
        cluster, slash, group = key.partition("/")
        if not slash or cluster not in self.origins:
            return None
        before = f"{self.origins[cluster]}/{group}"
        return None if before in self.sources else before


def _zones(zone: str | None, zones: Sequence[str] | None, location: str) -> tuple[str, ...]:
    """The zones of nodes: as written, else that of a zonal cluster; none if GKE selects them."""
    if zone is not None:
        return (zone,)
    return tuple(dict.fromkeys(zones or ([location] if is_zone(location) else ())))


def _nodes(pool: CpuPoolSpec) -> Range:
    if pool.fixed_nodes is not None:
        return Range(pool.fixed_nodes, pool.fixed_nodes)
    least = pool.min_nodes or 0
    return Range(least, pool.max_nodes or least)


def _slices(group: SliceGroupSpec) -> Range:
    if group.adopted is not None and group.adopted.pools is not None:
        return Range(group.min or 0 if group.autoscaled else len(group.adopted.pools), len(group.adopted.pools))
    if group.indices is not None:
        return Range(0 if group.autoscaled else len(group.indices), len(group.indices))
    if group.autoscaled:
        most = group.max if group.max is not None else group.count or 1
        return Range(min(group.min or 0, most), most)
    known = group.adopted.nodes if group.keeps_size and group.adopted is not None else group.count
    count = 1 if known is None else known
    return Range(count, count)


def _pools(
    key: str, name: str, former: tuple[str, ...], group: SliceGroupSpec, shape: Shape, *, slices: Range
) -> Iterable[NodePool]:
    def pool(full_name: str, index: int | None, hosts: Range) -> NodePool:
        return NodePool(
            key=f"{key}/{full_name}",
            name=shortened(full_name, POOL_NAME_LIMIT),
            index=index,
            hosts=hosts,
            autoscaled=group.autoscaled,
            former_keys=tuple(f"{before}/{full_name}" for before in former),
        )

    names = group.pool_names
    if not shape.multi_host:
        yield pool(names[0] if names else name, None, slices)
        return
    hosts = Range(0 if group.autoscaled else shape.hosts, shape.hosts)
    if names:
        yield from (pool(written, index, hosts) for index, written in enumerate(names))
        return
    for index in group.indices if group.indices is not None else range(slices.maximum):
        yield pool(f"{name}-{index}", index, hosts)
