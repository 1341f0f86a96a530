"""The TPU node pools and clusters in plan files of Terraform, before and after, each with its cluster."""

import dataclasses
import functools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet import Cluster, Range, SliceGroup
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NODE_POOL, RESOURCE_POLICY
from pulumi_gke_tpu.core.resources.model import PlanOutcome, RawResource, Resources
from pulumi_gke_tpu.core.resources.pools import CheckedResource, Machines, TpuPool, cluster_id
from pulumi_gke_tpu.core.resources.values import NotKnownError, Values
from pulumi_gke_tpu.features.diff.model import Operation, ResourceChange
from pulumi_gke_tpu.features.diff.terraform.actions import PlannedResource, Planner
from pulumi_gke_tpu.features.diff.terraform.groups import cluster_of, group_of, inline_pools, known, nodes_of, pool_name

_POLICY_IN_USE = "terraform-policy-in-use"
"""A note of the catalog."""
_NOTHING = Values({})


@frozen(eq=False)
class TerraformPlan:
    """A plan file of Terraform and what it contains."""

    name: str
    resources: Resources


@dataclass(eq=False, slots=True)
class ClusterMember:
    """A cluster in a plan file, or one that node pools refer to."""

    file: str
    key: str
    """Its address; its name if no file contains it."""
    planned: PlannedResource | None
    before: Values | None
    after: Values | None
    pools: list["PoolMember"] = field(default_factory=list)

    @property
    def goes(self) -> bool:
        """Whether the cluster is deleted, and everything in it."""
        change = self.planned.change if self.planned is not None else None
        return change is not None and change.operation in ("delete", "replace")

    @property
    def remains(self) -> bool:
        """Whether there is a cluster after the apply."""
        return self.after is not None

    def side(self, values: Values | None, groups: Iterable[SliceGroup | None]) -> Cluster:
        """The cluster on one side, with groups."""
        return cluster_of(self.key, values or self.after or self.before or _NOTHING, tuple(filter(None, groups)))


@dataclass(eq=False, slots=True)
class PoolMember:
    """A node pool in a plan file. One without TPUs has no groups."""

    file: str
    planned: PlannedResource
    cluster: ClusterMember
    project: str
    base: SliceGroup | None
    """None if it does not exist before, or if its size is unknown."""
    head: SliceGroup | None
    """As it is after the apply: without updates that have no effect."""
    has_tpus: bool = True
    nodes: tuple[Range | None, Range | None] = (None, None)
    """The nodes of one without TPUs before and after, where they are known."""
    policy: ResourceChange | None = None
    """The replacement or deletion of its workload policy, which fails while the node pool stays."""

    @property
    def changes(self) -> tuple[ResourceChange, ...]:
        """What the plan does to the node pool, and what fails because of it."""
        return tuple(filter(None, (self.planned.change, self.policy)))

    @property
    def follows(self) -> bool:
        """Whether it is deleted with its cluster, although the plan neither deletes nor replaces it."""
        change = self.planned.change
        return (
            self.cluster.goes
            and self.planned.raw.before is not None
            and (change is None or change.operation == "update")
        )


class Estate:
    """Everything in some plan files."""

    def __init__(self, files: Sequence[TerraformPlan], catalog: Catalog) -> None:
        self._catalog = catalog
        self._machines = Machines(catalog)
        self.planner = Planner(catalog)
        self.names = tuple(file.name for file in files)
        self.outcomes = {file.name: file.resources.plan or PlanOutcome() for file in files}
        self.clusters: list[ClusterMember] = []
        self.pools: list[PoolMember] = []
        self.others: Counter[str] = Counter()
        """Kinds of resources that are not compared, as Terraform calls them."""
        self.unchanged = 0
        """Resources without any action, that are neither TPU node pools nor clusters."""
        self._by_name: dict[str, list[ClusterMember]] = {}
        self._others_in: dict[int, set[str]] = {}
        """The names of node pools without TPUs that are resources, by cluster."""
        self._policies = _policies(files)
        for file in files:
            for raw in file.resources.found:
                self._read_cluster(file.name, raw)
        for file in files:
            self.others.update(file.resources.skipped)
            for raw in file.resources.found:
                self._read_pool(file.name, raw)
        for cluster in tuple(self.clusters):
            self._read_inline(cluster)
        self._refuse_names_in_use()
        self._refuse_policies_in_use(files)

    def _read_cluster(self, file: str, raw: RawResource) -> None:
        if raw.type != CLUSTER or raw.action is None:
            return
        planned = self.planner.planned(raw)
        gone = planned.change is not None and planned.change.operation == "delete"
        member = ClusterMember(file, raw.origin.address, planned, raw.before, None if gone else raw.values)
        self.clusters.append(member)
        for values in dict.fromkeys(filter(None, (raw.before, raw.values))):
            name = known(lambda: values.text("name"), "")  # noqa: B023
            if name and member not in self._by_name.setdefault(name, []):
                self._by_name[name].append(member)

    def _read_pool(self, file: str, raw: RawResource) -> None:
        if raw.type == CLUSTER or raw.action is None:
            return
        planned = self.planner.planned(raw)
        cluster = self._cluster_of(file, raw) if raw.type == NODE_POOL else None
        sides = self._sides(raw, cluster) if cluster is not None else (None, None)
        if cluster is None or sides == (None, None):
            other = cluster is not None and _has_machine_type(raw)
            if cluster is not None:
                self._others_in.setdefault(id(cluster), set()).add(pool_name(raw.values, ""))
            if cluster is not None and other and (planned.happens or (cluster.goes and raw.before is not None)):
                self._add_other(file, planned, cluster)
            elif planned.happens:
                self.others[_kind(raw)] += 1
            else:
                self.unchanged += 1
            return
        self._add_pool(file, planned, cluster, sides)

    def _read_inline(self, cluster: ClusterMember) -> None:
        """Read the node pools that only the configuration of a cluster contains."""
        if cluster.planned is None:
            return
        own = {_identity(pool)[1] for pool in cluster.pools} | self._others_in.get(id(cluster), set())
        for raw in inline_pools(cluster.planned.raw, self._catalog):
            if raw.name in own:
                continue
            planned = dataclasses.replace(self.planner.planned(raw), inside=cluster.planned.address)
            sides = self._sides(raw, cluster)
            if sides != (None, None):
                self._add_pool(cluster.file, planned, cluster, sides)
            elif planned.change is not None and not cluster.goes:
                self._add_other(cluster.file, planned, cluster)
        cluster.planned = self.planner.without_pools(cluster.planned)

    def _add_other(self, file: str, planned: PlannedResource, cluster: ClusterMember) -> None:
        """Add a node pool without TPUs."""
        raw = planned.raw
        before = nodes_of(raw.before, cluster.before) if raw.before is not None else None
        after = nodes_of(raw.values, cluster.after)
        member = PoolMember(file, planned, cluster, raw.effective_project, None, None, has_tpus=False)
        member.nodes = before, after
        self.pools.append(member)

    def _add_pool(
        self,
        file: str,
        planned: PlannedResource,
        cluster: ClusterMember,
        sides: tuple[TpuPool | None, TpuPool | None],
    ) -> None:
        raw = planned.raw
        was, will = sides
        address = raw.origin.address
        base = group_of(was, address, self._topology(was, after=False)) if was is not None else None
        head = group_of(will, address, self._topology(will, after=True)) if will is not None else None
        member = PoolMember(file, planned, cluster, raw.effective_project, base, _effective(planned, base, head))
        if member.follows:
            member.head = None
        cluster.pools.append(member)
        self.pools.append(member)

    def _refuse_names_in_use(self) -> None:
        """Mark new pools with the name of one that the same plan deletes: Terraform does both at the same time."""
        deleted = {_identity(pool): pool for pool in self.pools if _does(pool, "delete")}
        for pool in self.pools:
            other = deleted.get(_identity(pool)) if _does(pool, "create") else None
            if other is not None and pool.planned.change is not None:
                refused = (
                    f"the node pool {pool_name(pool.planned.raw.values, '')} exists until {other.planned.address} is "
                    "deleted, and Terraform does not wait for that"
                )
                change = dataclasses.replace(pool.planned.change, refused=refused, refused_by="GKE", racing=True)
                pool.planned = dataclasses.replace(pool.planned, change=change, same_as=other.planned.address)

    def _refuse_policies_in_use(self, files: Iterable[TerraformPlan]) -> None:
        """Mark node pools that stay although the plan deletes or replaces their workload policy."""
        policies = {
            pool_name(raw.values, ""): self.planner.planned(raw)
            for file in files
            for raw in file.resources.found
            if raw.type == RESOURCE_POLICY and raw.action is not None
        }
        for pool in self.pools:
            name = _policy_name(pool.planned.raw.before or _NOTHING)
            planned = policies.get(name)
            if planned is None or planned.change is None or planned.change.operation not in ("delete", "replace"):
                continue
            if not (_does(pool, "delete") or _does(pool, "replace")):
                refused = f"the workload policy {name} cannot be deleted while this node pool uses it"
                pool.planned = dataclasses.replace(pool.planned, note=_POLICY_IN_USE)
                pool.policy = dataclasses.replace(
                    planned.change, effect="refused", refused=refused, refused_by="GKE", differences=()
                )

    def _sides(self, raw: RawResource, cluster: ClusterMember) -> tuple[TpuPool | None, TpuPool | None]:
        """The TPU pool before and after; None where there is none."""
        action = raw.action
        gone = action is not None and "delete" in action.kinds and "create" not in action.kinds
        before = _first(self._pools(raw, raw.before, cluster.before or cluster.after))
        after = None if gone else _first(self._pools(raw, raw.values, cluster.after or cluster.before))
        return before, after

    def _pools(self, raw: RawResource, values: Values | None, cluster: Values | None) -> Iterator[TpuPool]:
        if values is not None:
            yield from self._machines.pools(CheckedResource(raw.type, raw.name, values, raw.options), cluster)

    def _topology(self, pool: TpuPool, *, after: bool) -> str:
        """The topology in the workload policy of a pool, before or after the apply."""
        return self._policies.get((_policy_name(pool.values), after), "")

    def _cluster_of(self, file: str, raw: RawResource) -> ClusterMember:
        # The name of a cluster that is replaced too may be known only after the apply.
        sides = [raw.values, *filter(None, [raw.before])]
        values = next((values for values in sides if cluster_id(values)[1]), raw.values)
        location, name = cluster_id(values)
        location = location or known(lambda: values.text("location"), "")
        near = [member for member in self._by_name.get(name, ()) if _is_at(member, location, raw.effective_project)]
        if len(near) == 1:
            return near[0]
        data = {"name": name, "location": location, "project": raw.effective_project}
        member = ClusterMember(file, name or raw.origin.address, None, Values(data), Values(data))
        if name and not near:
            self._by_name.setdefault(name, []).append(member)
        return member


def _effective(planned: PlannedResource, base: SliceGroup | None, head: SliceGroup | None) -> SliceGroup | None:
    """The pool after the apply. An update in place changes neither the shape nor the size of a multi-host slice."""
    change = planned.change
    if planned.fate == "forget" and change is None:
        return base
    if change is None or change.operation == "update":
        stays = change is None or change.effect in ("no-op", "refused") or (base is not None and base.shape.multi_host)
        return base if stays and base is not None else head
    return head


def _does(pool: PoolMember, operation: Operation) -> bool:
    return pool.planned.change is not None and pool.planned.change.operation == operation


def _identity(pool: PoolMember) -> tuple[int, str]:
    """The cluster and the name in GKE."""
    values = pool.planned.raw.values
    return id(pool.cluster), pool_name(values, pool.planned.address)


def _policy_name(pool: Values) -> str:
    return known(functools.partial(pool.text, "placementPolicy.policyName"), "").rpartition("/")[2]


def _policies(files: Iterable[TerraformPlan]) -> Mapping[tuple[str, bool], str]:
    """The topology of each workload policy, by its name, before and after the apply."""
    found = {}
    for file in files:
        for raw in file.resources.found:
            if raw.type == RESOURCE_POLICY:
                for values, after in ((raw.before, False), (raw.values, True)):
                    if values is not None:
                        topology = functools.partial(values.text, "workloadPolicy.acceleratorTopology")
                        found[pool_name(values, ""), after] = known(topology, "")
    return found


def _is_at(member: ClusterMember, location: str, project: str) -> bool:
    """Whether a cluster can be at a place, as far as both are known."""
    for values in filter(None, (member.before, member.after)):
        own = known(lambda: values.text("location"), ""), known(lambda: values.text("project"), "")  # noqa: B023
        if all(not here or not there or here == there for here, there in zip(own, (location, project), strict=True)):
            return True
    return False


_MACHINE_TYPE = "nodeConfig.machineType"


def _kind(raw: RawResource) -> str:
    """What a resource is called in a sentence: its type in Terraform, and why a node pool is not compared."""
    parts = raw.origin.address.split("[")[0].split(".")
    found = next((part for part in parts if part.startswith("google_")), raw.type.rpartition(":")[2])
    return f"{found} whose machine type is known after the apply" if raw.type == NODE_POOL else found


def _has_machine_type(raw: RawResource) -> bool:
    """Whether the machine type of a node pool is known; absent is the default of GKE."""
    try:
        raw.values.text(_MACHINE_TYPE)
    except NotKnownError:
        return False
    return True


def _first(pools: Iterable[TpuPool]) -> TpuPool | None:
    return next(iter(pools), None)
