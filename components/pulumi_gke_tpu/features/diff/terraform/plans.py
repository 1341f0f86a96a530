"""Plans of Terraform as plans that describe the clusters and node pools before and after the apply."""

import dataclasses
import functools
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.described.describe import describe
from pulumi_gke_tpu.core.described.model import DescribedPlan
from pulumi_gke_tpu.core.described.stack import StackResource
from pulumi_gke_tpu.core.fleet import Cluster, CpuPool, Fleet, NodePool, Range, SliceGroup
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NODE_POOL, RESOURCE_POLICY
from pulumi_gke_tpu.core.plan import Plan
from pulumi_gke_tpu.core.resources.model import Action, Origin, PlanOutcome, RawResource, Resources
from pulumi_gke_tpu.core.resources.pools import CheckedResource, cluster_id
from pulumi_gke_tpu.core.resources.terraform_names import names_of
from pulumi_gke_tpu.core.resources.values import NotKnownError, Values
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Finding, Path, Position, listed, printable_path, quoted
from pulumi_gke_tpu.core.workflows.described import DescribedDocument
from pulumi_gke_tpu.features.diff.model import Operation, ResourceChange
from pulumi_gke_tpu.features.diff.terraform.actions import PlannedResource, Planner, data_of

_POLICY_IN_USE = "terraform-policy-in-use"
"""A note of the catalog."""
_NOTHING = Values({})
_POOLS, _BLOCK = "nodePools", "node_pool"
_OF_CLUSTER = ("location", "project")
_DEFAULT_POOL, _REMOVES_DEFAULT = "default-pool", "removeDefaultNodePool"
_LOSSES: tuple[Operation, ...] = ("delete", "replace")


@dataclass(eq=False)
class _Side:
    """The clusters and node pools of one project on one side, by their keys."""

    described: DescribedPlan
    clusters: dict[str, Cluster] = field(default_factory=dict)
    groups: dict[str, tuple[str, SliceGroup]] = field(default_factory=dict)
    """With the key of their cluster."""
    cpu_pools: dict[str, tuple[str, CpuPool]] = field(default_factory=dict)
    unsized: set[str] = field(default_factory=set)
    """CPU pools of which the number of nodes is not known."""

    def fleet(self, project: str) -> Fleet:
        """Everything together."""
        groups: dict[str, list[SliceGroup]] = {}
        cpu_pools: dict[str, list[CpuPool]] = {}
        for cluster, group in self.groups.values():
            groups.setdefault(cluster, []).append(group)
        for cluster, pool in self.cpu_pools.values():
            cpu_pools.setdefault(cluster, []).append(pool)
        clusters = (
            dataclasses.replace(
                cluster, groups=tuple(groups.get(key, ())), cpu_pools=tuple(cpu_pools.get(key, ())), project=project
            )
            for key, cluster in self.clusters.items()
        )
        return Fleet(project, tuple(clusters))


class _PlannedDocument(DescribedDocument):
    """The plan that describes one side. Findings have the address of their resource as path, and no fix of a plan."""

    def locate(self, findings: Iterable[Finding]) -> tuple[Finding, ...]:
        return tuple(map(self._of_resource, super().locate(findings)))

    def _of_resource(self, finding: Finding) -> Finding:
        assert self.described is not None
        finding = dataclasses.replace(finding, change=None, given="")
        place = next(iter(self.described.located(finding.path)), None)
        if place is None:
            return finding
        raw, key = self.origins[place.source.urn], str(finding.path[-1])
        written = raw.spelling.written(place.property)
        is_key = bool(written) and not written.endswith("]")  # an entry of a list has a name of its own
        message = finding.message.replace(quoted(key), quoted(written)) if is_key else finding.message
        return dataclasses.replace(finding, path=(raw.origin.address,), message=message)


@frozen(eq=False)
class DescribedSides:
    """The clusters and node pools of one project, before and after, by the keys of what Terraform does with them."""

    actions: "TerraformActions"
    keys: tuple[str, ...]
    before: CheckedPlan
    after: CheckedPlan


class TerraformActions:
    """What some plans of Terraform do with clusters and node pools."""

    def __init__(self, files: Mapping[str, Resources], catalog: Catalog) -> None:
        self._catalog = catalog
        self.planner = Planner(catalog)
        self.names = tuple(files)
        self.outcomes = {name: resources.plan or PlanOutcome() for name, resources in files.items()}
        self.planned: dict[str, PlannedResource] = {}
        """Each cluster and node pool by its key: the address, with the file if several have it."""
        self.others: Counter[str] = Counter()
        """Kinds of resources that are not compared, as Terraform calls them."""
        self.unchanged = 0
        """Resources without any action, that are neither TPU node pools nor clusters."""
        self._with_tpus: set[str] = set()
        self._left_out: dict[str, str] = {}
        """Key of a node pool that no plan can describe -> the reason, as a clause."""
        raws = [raw for resources in files.values() for raw in resources.found if raw.action is not None]
        for resources in files.values():
            self.others.update(resources.skipped)
        clusters = [self._add(self.planner.planned(raw)) for raw in raws if raw.type == CLUSTER]
        self._by_address: dict[tuple[str, str], str] = {}
        self._by_name: dict[str, list[str]] = {}
        for key in clusters:
            raw = self.planned[key].raw
            self._by_address[raw.origin.file, raw.origin.address] = key
            for name in {values.known_text("name") for values in (raw.before, raw.values) if values} - {""}:
                self._by_name.setdefault(name, []).append(key)
        names: dict[str, set[str]] = {}
        for raw in raws:
            if raw.type == NODE_POOL:
                cluster = self._cluster_of(raw)
                names.setdefault(cluster, set()).add(_name(raw))
                self._add(self.planner.planned(raw), cluster)
            elif raw.type != CLUSTER:
                self._count(raw, happens=self.planner.planned(raw).happens)
        for key in clusters:
            self._add_inline(key, names.get(key, set()))
        self._refuse_names_in_use()
        self._refuse_policies_in_use(
            {_name(raw): self.planner.planned(raw).change for raw in raws if raw.type == RESOURCE_POLICY}
        )
        self._policies = {
            (_name(raw), after): values.known_text("workloadPolicy.acceleratorTopology")
            for raw in raws
            if raw.type == RESOURCE_POLICY
            for after, values in ((False, raw.before), (True, raw.values))
            if values is not None
        }
        self.sides = tuple(self._described())

    def kind(self, key: str) -> Literal["cluster", "slices", "nodes"]:
        """What a resource is. A node pool has TPUs if it has some before or after."""
        if self.planned[key].raw.type == CLUSTER:
            return "cluster"
        return "slices" if key in self._with_tpus else "nodes"

    def follows(self, key: str) -> Literal["", "delete", "replace"]:
        """What happens to the cluster with which a node pool is deleted that the plan neither deletes nor replaces."""
        planned = self.planned[key]
        cluster = self.planned.get(planned.cluster)
        kept = planned.raw.before is not None and (planned.change is None or planned.change.operation == "update")
        if not kept or cluster is None or cluster.change is None:
            return ""
        operation = cluster.change.operation
        return operation if operation in ("delete", "replace") else ""

    def changes(self, key: str) -> tuple[ResourceChange, ...]:
        """What the plan does to a cluster or node pool, and what fails because of it."""
        planned = self.planned[key]
        if self.follows(key):
            return ()
        return (*filter(None, (planned.change, planned.policy)), *_default_pool(planned))

    def located(self, finding: Finding, file: str) -> Finding:
        """A finding with the position of the resource whose address is its path."""
        origin = self._origins[file, str(finding.path[0])]
        return dataclasses.replace(finding, position=origin.locate(()))

    @functools.cached_property
    def _origins(self) -> Mapping[tuple[str, str], Origin]:
        origins = [planned.raw.origin for planned in self.planned.values()]
        return {(origin.file, origin.address): origin for origin in origins}

    def _add(self, planned: PlannedResource, cluster: str = "") -> str:
        key = planned.address
        if key in self.planned:
            key = f"{key} ({planned.raw.origin.file})"
        if key in self.planned:
            key = f"{key} ({len(self.planned)})"
        change = planned.change and dataclasses.replace(planned.change, urn=key, name=key)
        self.planned[key] = dataclasses.replace(planned, key=key, cluster=cluster, change=change)
        return key

    def _count(self, raw: RawResource, reason: str = "", *, happens: bool) -> None:
        """Count a resource that is not compared, for a reason if it is a node pool."""
        if happens:
            self.others[f"{_kind(raw)} ({reason})" if reason else _kind(raw)] += 1
        else:
            self.unchanged += 1

    def _cluster_of(self, raw: RawResource) -> str:
        """The key of the cluster of a node pool; empty if no file contains it."""
        for address in raw.refers_to.get("cluster", ()):
            if (raw.origin.file, address) in self._by_address:
                return self._by_address[raw.origin.file, address]
        # The name of a cluster that is replaced too may be known only after the apply.
        sides = [raw.values, *filter(None, [raw.before])]
        values = next((values for values in sides if cluster_id(values)[1]), raw.values)
        location, name = cluster_id(values)
        place = location or values.known_text("location"), raw.effective_project
        near = [key for key in self._by_name.get(name, ()) if _is_at(self.planned[key].raw, *place)]
        return near[0] if len(near) == 1 else ""

    def _add_inline(self, cluster: str, own: Collection[str]) -> None:
        """Add the node pools that only a cluster contains; ``own`` are those that are resources of their own."""
        of_cluster = self.planned[cluster]
        for raw in _inline_pools(of_cluster.raw, self._catalog):
            if raw.name not in own:
                self._add(dataclasses.replace(self.planner.planned(raw), inside=of_cluster.address), cluster)
        self.planned[cluster] = self.planner.without_pools(of_cluster)

    def _pools(self) -> Iterator[tuple[str, PlannedResource]]:
        return ((key, planned) for key, planned in [*self.planned.items()] if planned.raw.type == NODE_POOL)

    def _refuse_names_in_use(self) -> None:
        """Mark new pools with the name of one that the same plan deletes: Terraform does both at the same time."""
        deleted = {_identity(planned): planned for _, planned in self._pools() if planned.does("delete")}
        for key, planned in self._pools():
            other = deleted.get(_identity(planned)) if planned.does("create") else None
            if other is not None and planned.change is not None:
                refused = (
                    f"the node pool {_name(planned.raw)} exists until {other.address} is "
                    "deleted, and Terraform does not wait for that"
                )
                change = dataclasses.replace(planned.change, refused=refused, refused_by="GKE", racing=True)
                self.planned[key] = dataclasses.replace(planned, change=change, same_as=other.address)

    def _refuse_policies_in_use(self, policies: Mapping[str, ResourceChange | None]) -> None:
        """Mark node pools that stay although the plan deletes or replaces their workload policy."""
        for key, planned in self._pools():
            name = _policy_name(planned.raw.before or _NOTHING)
            change = policies.get(name)
            if change is None or change.operation not in _LOSSES or planned.does(*_LOSSES):
                continue
            refused = f"the workload policy {name} cannot be deleted while this node pool uses it"
            policy = dataclasses.replace(change, effect="refused", refused=refused, refused_by="GKE", differences=())
            self.planned[key] = dataclasses.replace(planned, note=_POLICY_IN_USE, policy=policy)

    def _described(self) -> Iterator[DescribedSides]:
        projects: dict[str, list[str]] = {}
        raws = {key: planned.raw for key, planned in self.planned.items()}
        for key, planned in self.planned.items():
            projects.setdefault(planned.raw.effective_project, []).append(key)
        unknown = projects.pop("", [])
        if unknown:  # a provider sets the project, which a plan may not contain
            projects.setdefault(next(iter(projects), ""), []).extend(unknown)
        for project, keys in projects.items():
            before, after = (self._side(keys, after=after) for after in (False, True))
            for key in keys:
                if self.planned[key].raw.type == NODE_POOL:
                    self._complete(key, before, after)
            kept = tuple(key for key in keys if key in self.planned)
            yield DescribedSides(self, kept, *(self._checked(project, side, raws) for side in (before, after)))

    def _checked(self, project: str, side: _Side, raws: Mapping[str, RawResource]) -> CheckedPlan:
        """The plan that describes one side. Its positions are those in the files of Terraform."""
        document = _PlannedDocument(
            content=Plan.model_construct(version=1, project=project, clusters={}),
            name=listed([printable_path(name) for name in self.names], most=2),
            origins=raws,
            described=side.described,
        )
        return CheckedPlan(document, self._catalog, None, side.fleet(project), ())

    def _before(self, key: str) -> Values | None:
        return self.planner.before(self.planned[key].raw)

    def _after(self, key: str) -> Values | None:
        """The properties after the apply. An update in place changes neither shape nor size of a multi-host slice."""
        planned = self.planned[key]
        raw, change = planned.raw, planned.change
        if planned.does("delete") or self.follows(key):
            return None
        stays = change is None or (
            raw.type == NODE_POOL
            and change.operation == "update"
            and (change.effect in ("no-op", "refused") or _is_slice(raw.before or _NOTHING))
        )
        return self._before(key) if stays and raw.before is not None else raw.values

    def _side(self, keys: Iterable[str], *, after: bool) -> _Side:
        """One side of a project: the plan that describes it, with the keys of what Terraform does."""
        read = self._after if after else self._before
        found = {key: values for key in keys if (values := read(key)) is not None}
        members = [self._member(key, values, found, after=after) for key, values in found.items()]
        described = describe(members, self._catalog, apart=True)
        self._left_out |= described.left_out
        slices = (part for path, part in described.parts.items() if path[2:3] == ("slices",))
        self._with_tpus |= {source.urn for part in slices for source in part.sources}
        side = _Side(described)
        fleet = check_plan(described.document, self._catalog, rules=()).fleet
        for cluster in fleet.clusters if fleet is not None else ():
            key = _key(described, cluster.path) or cluster.name
            side.clusters[key] = dataclasses.replace(cluster, key=key)
            for group in cluster.groups:
                if group.shape.multi_host or _has_size(described, group):
                    own = _key(described, group.path)
                    side.groups[own] = (key, _keyed(group, own))
            for pool in cluster.cpu_pools:
                own = _key(described, pool.path)
                name = _name(self.planned[own].raw)
                unknown = described.is_unknown(pool.path, "nodes")
                side.unsized |= {own} if unknown else set()
                nodes = Range.ZERO if unknown else pool.nodes
                side.cpu_pools[own] = (key, dataclasses.replace(pool, key=own, name=name, nodes=nodes))
        return side

    def _member(self, key: str, values: Values, others: Mapping[str, Values], *, after: bool) -> StackResource:
        planned = self.planned[key]
        data = dict(data_of(values))
        if planned.raw.type == CLUSTER:
            data.pop(_POOLS, None)  # they are resources of their own here
        else:
            cluster = others.get(planned.cluster)
            if not _known_texts(values, "nodeLocations") and cluster is not None:
                data["nodeLocations"] = [*_known_texts(cluster, "nodeLocations")]
            topology = self._policies.get((_policy_name(values), after), "")
            if topology and not values.known_text("placementPolicy.tpuTopology"):
                data["placementPolicy"] = {**data["placementPolicy"], "tpuTopology": topology}
        placed = Values(data)
        asked = CheckedResource(planned.raw.type, _name(planned.raw), placed, planned.raw.options)
        return StackResource(key, asked, placed, {"cluster": (planned.cluster,)})

    def _complete(self, key: str, before: _Side, after: _Side) -> None:
        """Take what is not known of a node pool on one side from the other; count one that no plan can describe."""
        planned = self.planned[key]
        if not (key in self._with_tpus or key in before.cpu_pools or key in after.cpu_pools):
            goes = planned.inside and self.planned[planned.cluster].does(*_LOSSES)
            if not planned.inside or (planned.happens and not goes):
                self._count(planned.raw, self._left_out.get(key, ""), happens=planned.happens)
            del self.planned[key]
            return
        for side, other, exists in (
            (before, after, planned.raw.before is not None),
            (after, before, not planned.does("delete") and not self.follows(key)),
        ):
            if exists and key in other.groups and key not in side.groups:
                side.groups[key] = other.groups[key]
                side.clusters.setdefault(side.groups[key][0], other.clusters[side.groups[key][0]])
                side.cpu_pools.pop(key, None)
            if key in side.unsized and key in other.cpu_pools:
                cluster, pool = side.cpu_pools[key]
                side.cpu_pools[key] = (cluster, dataclasses.replace(pool, nodes=other.cpu_pools[key][1].nodes))


def _keyed(group: SliceGroup, key: str) -> SliceGroup:
    """A group with one node pool, also one without hosts. Terraform protects no node pool."""
    name = group.pools[0].name if group.pools else group.name
    pool = NodePool(key, name, None, group.hosts, group.autoscaled)
    return dataclasses.replace(group, key=key, name=key, pools=(pool,), protect=None)


def _key(described: DescribedPlan, path: Path) -> str:
    """The key of what a part of a plan describes; empty for a cluster that no file contains."""
    return next((source.urn for source in described.parts[path].sources), "")


def _has_size(described: DescribedPlan, group: SliceGroup) -> bool:
    """Whether the number of single-host slices is known."""
    written = any(group.plan.written(key) for key in ("count", "max"))
    return written or not described.is_unknown(group.path, "count")


def _is_slice(pool: Values) -> bool:
    """Whether it is a multi-host slice: only these have a topology or a workload policy."""
    return any(pool.known_text(f"placementPolicy.{name}") for name in ("tpuTopology", "policyName"))


def _name(raw: RawResource) -> str:
    """The name in GKE; the address if the name is known only after the apply."""
    return raw.values.known_text("name") or raw.origin.address


def _identity(planned: PlannedResource) -> tuple[str, ...]:
    """The cluster and the name in GKE."""
    values = planned.raw.values
    return planned.cluster, *cluster_id(values), _name(planned.raw)


def _policy_name(pool: Values) -> str:
    return pool.known_text("placementPolicy.policyName").rpartition("/")[2]


def _known_texts(values: Values, path: str) -> tuple[str, ...]:
    try:
        return values.texts(path)
    except NotKnownError:
        return ()


def _is_at(cluster: RawResource, location: str, project: str) -> bool:
    """Whether a cluster can be at a place, as far as both are known."""
    return any(
        all(
            not here or not there or here == there
            for here, there in (
                (values.known_text("location"), location),
                (values.known_text("project"), project),
            )
        )
        for values in (cluster.before, cluster.values)
        if values is not None
    )


def _default_pool(planned: PlannedResource) -> Iterator[ResourceChange]:
    """The default pool that an update of a cluster deletes, if the cluster can have it."""
    change, before = planned.change, planned.raw.before
    if change is None or change.type != CLUSTER or change.operation != "update":
        return
    removes = any(item.path == _REMOVES_DEFAULT and item.will is True for item in change.differences)
    pools = _by_name(before)
    if removes and (pools is None or _DEFAULT_POOL in pools):
        yield dataclasses.replace(
            change, type=NODE_POOL, name=_DEFAULT_POOL, operation="delete", effect="delete", differences=()
        )


def _kind(raw: RawResource) -> str:
    """What a resource is called in a sentence: its type in Terraform."""
    parts = raw.origin.address.split("[")[0].split(".")
    return next((part for part in parts if part.startswith("google_")), raw.type.rpartition(":")[2])


def _inline_pools(cluster: RawResource, catalog: Catalog) -> Iterator[RawResource]:
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
    found = data_of(values).get(_POOLS)
    if not isinstance(found, list):
        return None
    pools = [(index, pool) for index, pool in enumerate(found) if isinstance(pool, dict)]
    return {pool["name"]: (index, pool) for index, pool in pools if isinstance(pool.get("name"), str)}


def _in_cluster(pool: Mapping[str, Any], cluster: Values) -> dict[str, Any]:
    data = data_of(cluster)
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
