"""Makes the plan that changes nothing: keys are added until no property differs; what no key can say is left alone."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pulumi_gke_tpu.core.against_plan.live import ClusterPlace, LiveCluster, LivePool, live_clusters, live_pools
from pulumi_gke_tpu.core.against_plan.outcome import ResourceComparer
from pulumi_gke_tpu.core.against_plan.places import clusters_by_place, resources_by_place
from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.command_lines import Makers
from pulumi_gke_tpu.core.fleet.derive import CPU_POOLS
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.builders.standard import fleet_graph
from pulumi_gke_tpu.core.graph.model import Graph, Resource
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, RESOURCE_POLICY
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.resources.model import RawResource
from pulumi_gke_tpu.core.resources.pools import Machines, TpuPool
from pulumi_gke_tpu.core.resources.values import NotKnownError, Values
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Finding, Severity, number
from pulumi_gke_tpu.core.text.formats.names import region_of
from pulumi_gke_tpu.features.adopt.grouping import AdoptedGroup, grouped
from pulumi_gke_tpu.features.adopt.makers import maker_of
from pulumi_gke_tpu.features.adopt.open_parts import (
    FACTS,
    CannotAdoptError,
    OpenCluster,
    OpenPool,
    described_cluster,
    open_cluster,
    open_cpu_pool,
    open_slices,
)

_ROUNDS = 10
_WITHOUT_SLICES = (
    "It has cubes, but not the add-on that forms slices of them: "
    "`gcloud container clusters update CLUSTER --enable-slice-controller`."
)
STACK = "preview"
_Grouping = Callable[[Iterable[OpenPool]], Sequence[AdoptedGroup[OpenPool]]]


@frozen(eq=False)
class LeftAlone:
    """A node pool that stays as it is, outside of the plan, and why."""

    pool: LivePool
    reason: str


@frozen(eq=False)
class AdoptedPool:
    """A node pool of the plan."""

    pool: LivePool
    group: str
    """cluster/group, or cluster/cpu_pools/pool."""
    left: tuple[str, ...]
    """The properties that differ from what gke-tpu would create, and stay as they are."""
    lost: tuple[str, ...]
    """The properties that stay as they are until a replacement, which does not set them."""
    notes: tuple[str, ...]
    made_by: str
    """The tool that made it."""


@frozen(eq=False)
class AdoptedCluster:
    """A cluster of the plan."""

    cluster: LiveCluster
    key: str
    notes: tuple[str, ...]


@frozen(eq=False)
class ClusterLeftAlone:
    """A cluster that stays with the tool that manages it, and why."""

    name: str
    reason: str


@frozen(eq=False)
class Adoption:
    """One plan for one project, with the proof that it changes nothing."""

    project: str
    plan: dict[str, Any]
    graph: Graph | None
    """None if nothing could be adopted."""
    pools: tuple[AdoptedPool, ...]
    alone: tuple[LeftAlone, ...]
    ids: Mapping[str, str]
    """URN of a resource in the graph -> the ID by which Pulumi imports it."""
    warnings: tuple[Finding, ...]
    clusters: tuple[AdoptedCluster, ...] = ()
    clusters_alone: tuple[ClusterLeftAlone, ...] = ()


def adopt_fleets(found: Iterable[RawResource], catalog: Catalog, *, slices_only: bool = False) -> tuple[Adoption, ...]:
    """The plans for the clusters with TPUs and their node pools; one per project.

    ``slices_only``: the clusters stay with the tool that manages them, and only their TPU node pools are adopted.
    """
    resources = tuple(found)
    clusters = live_clusters(resources, catalog)
    by_project: dict[str, list[LivePool]] = {}
    for pool in live_pools(resources, catalog):
        by_project.setdefault(pool.place.project if pool.place else "", []).append(pool)
    existing = [raw.existing for raw in resources if raw.type == RESOURCE_POLICY and raw.existing is not None]
    policies = {(_last(values, "region"), values.known_text("name")): values for values in existing}
    for place in () if slices_only else clusters:
        by_project.setdefault(place.project, [])
    return tuple(
        _Adopting(catalog, project, clusters, policies, slices_only=slices_only).adopted(pools)
        for project, pools in by_project.items()
    )


def _last(values: Values, path: str) -> str:
    """The last part of a name that can be the whole address of a resource."""
    return values.known_text(path).rpartition("/")[2]


@dataclass(eq=False)
class _OpenCluster:
    """One cluster of the plan while keys are added."""

    place: ClusterPlace
    cluster: OpenCluster | None = None
    """None if the cluster stays with its tool."""
    slices: list[OpenPool] = field(default_factory=list)
    cpu: list[OpenPool] = field(default_factory=list)
    keys: dict[str, Any] = field(default_factory=dict)
    """Those of the accounts, and for an existing cluster all of them."""

    @property
    def pools(self) -> Iterator[OpenPool]:
        yield from self.slices
        yield from self.cpu


class _Adopting:
    def __init__(
        self,
        catalog: Catalog,
        project: str,
        clusters: Mapping[ClusterPlace, LiveCluster],
        policies: Mapping[tuple[str, str], Values],
        *,
        slices_only: bool,
    ) -> None:
        self.catalog = catalog
        self.project = project
        self.clusters = {place: live for place, live in clusters.items() if place.project == project}
        self.policies = policies
        self.slices_only = slices_only
        self.comparer = ResourceComparer(catalog)
        self.cluster_comparer = ResourceComparer(catalog, CLUSTER)
        self.machines = Machines(catalog)
        self.makers = catalog.other_tools.makers
        self.alone: list[LeftAlone] = []
        self.clusters_alone: list[ClusterLeftAlone] = []

    def adopted(self, pools: Sequence[LivePool]) -> Adoption:
        """The plan, and what it leaves alone."""
        parts = self._begun(pools)
        for _ in range(_ROUNDS):
            plan = self._plan(parts, _alone)
            graph, findings = self._derived(plan)
            if self._is_settled(parts, graph, findings):
                break
            parts = [part for part in parts if part.cluster is not None or part.slices]
        return self._proven(parts)

    # What is read

    def _begun(self, pools: Sequence[LivePool]) -> list[_OpenCluster]:
        """Every cluster with the keys that it and its node pools show."""
        parts: dict[ClusterPlace, _OpenCluster] = {}
        others: dict[ClusterPlace, list[tuple[LivePool, TpuPool | None]]] = {}
        for pool in pools:
            tpu = self._tpu(pool)
            live = self.clusters.get(pool.place) if pool.place is not None else None
            provisioned = live is not None and live.autopilot and not self.slices_only  # GKE makes the node pools
            if pool.place is not None and (tpu is None or provisioned):
                others.setdefault(pool.place, []).append((pool, tpu))
            elif tpu is not None:
                found = self._opened(pool, tpu)
                if found is not None and pool.place is not None:
                    parts.setdefault(pool.place, _OpenCluster(pool.place)).slices.append(found)
        if not self.slices_only:
            self._begin_clusters(parts, others)
        for part in parts.values():
            self._set_keys(part)
        return list(parts.values())

    def _begin_clusters(
        self,
        parts: dict[ClusterPlace, _OpenCluster],
        others: Mapping[ClusterPlace, Sequence[tuple[LivePool, TpuPool | None]]],
    ) -> None:
        """The clusters themselves, with their node pools without TPUs."""
        for place, live in self.clusters.items():
            part = parts.get(place, _OpenCluster(place))
            part.cluster = self._opened_cluster(live, part)
            if part.cluster is None:
                continue
            parts[place] = part
            if live.autopilot:
                part.cluster.notes += _asked(tpu for _, tpu in others.get(place, ()) if tpu is not None)
                continue
            cubes = any("slicing" in group.part.keys for group in part.slices)
            if cubes and not live.raw.values.flag("addonsConfig.sliceControllerConfig.enabled"):
                part.cluster.notes.append(_WITHOUT_SLICES.replace("CLUSTER", place.name))
            found = (self._opened(pool, None) for pool, _ in others.get(place, ()))
            part.cpu = [pool for pool in found if pool is not None]
        missing = [part for part in parts.values() if part.place not in self.clusters]
        reason = "the source has only its node pools"
        self.clusters_alone += [ClusterLeftAlone(part.place.name, reason) for part in missing]

    def _tpu(self, pool: LivePool) -> TpuPool | None:
        try:
            return next(iter(self.machines.pools(pool.raw.asked)), None)
        except NotKnownError:
            return None

    def _opened(self, pool: LivePool, tpu: TpuPool | None) -> OpenPool | None:
        """The keys that a node pool shows; None if it is left alone."""
        try:
            reason = _unusable(pool, self.makers)
            if reason:
                raise CannotAdoptError(reason)
            if tpu is None:
                return open_cpu_pool(pool)
            region = region_of(pool.place.location) if pool.place is not None else ""
            policy = self.policies.get((region, _last(Values(dict(pool.values)), "placementPolicy.policyName")))
            return open_slices(tpu, pool, self.catalog, policy)
        except CannotAdoptError as error:
            self.alone.append(LeftAlone(pool, str(error)))
        except NotKnownError:
            self.alone.append(LeftAlone(pool, "the source does not contain a property that decides its slices"))
        return None

    def _opened_cluster(self, live: LiveCluster, part: _OpenCluster) -> OpenCluster | None:
        try:
            found = open_cluster(live, described_cluster(live, self.catalog))
            provisions = found.described.get("autoprovisioning", {}).get("tpu")
            if not (part.slices or live.autopilot or provisions):
                raise CannotAdoptError("it has no TPU node pool that a plan describes")
            return found
        except CannotAdoptError as error:
            self.clusters_alone.append(ClusterLeftAlone(live.name, str(error)))
        except NotKnownError:
            self.clusters_alone.append(ClusterLeftAlone(live.name, "the source does not contain all of its properties"))
        return None

    def _set_keys(self, part: _OpenCluster) -> None:
        """The keys of a cluster besides its own: its reference if it stays with its tool, and the account of nodes."""
        part.keys = {}
        if part.cluster is None:
            live = self.clusters.get(part.place)
            part.keys = {"mode": "standard", "existing": part.place.reference}
            known = described_cluster(live, self.catalog).keys if live is not None else {}
            part.keys |= {key: known[key] for key in FACTS if key in known}
        accounts = {member.account for member in part.pools}
        if len(accounts) == 1 and "" not in accounts:
            part.keys["node_service_account"] = accounts.pop()
            return
        for member in part.pools:
            member.shown.add(("node_service_account",))

    # The plan

    def _plan(self, parts: Sequence[_OpenCluster], group: _Grouping) -> dict[str, Any]:
        clusters: dict[str, Any] = {}
        for part in parts:
            key = _key(part, parts)
            keys = {**(part.cluster.cluster() if part.cluster is not None else {}), **part.keys}
            if part.cluster is not None and key != part.place.name:
                keys["name"] = part.place.name
            if part.cpu:
                keys["cpu_pools"] = {pool.live.name: pool.group() for pool in part.cpu}
            if part.slices or part.cluster is None:
                keys["slices"] = {found.key: found.keys for found in group(part.slices)}
            clusters[key] = keys
        return {"version": 1, "project": self.project, "clusters": clusters}

    def _derived(self, plan: dict[str, Any]) -> tuple[Graph | None, tuple[Finding, ...]]:
        document = parse_plan(plan)
        if document.content is None:
            return None, document.findings
        checked = check_plan(document, self.catalog)
        graph = fleet_graph(plan, checked.fleet, self.catalog, name=STACK) if checked.fleet is not None else None
        return graph, checked.findings

    # The comparison

    def _is_settled(self, parts: Sequence[_OpenCluster], graph: Graph | None, findings: Sequence[Finding]) -> bool:
        """Whether nothing needed another key. What cannot be adopted leaves the parts."""
        resources, clusters = resources_by_place(graph), clusters_by_place(graph)
        settled = True
        for part in parts:
            errors = _errors(findings, _key(part, parts))
            if part.cluster is not None:
                resource = clusters.get((part.place.location, part.place.name))
                settled &= self._cluster_is_settled(part, resource, errors)
            else:
                settled &= self._reference_is_settled(part, errors)
            for pools, section in ((part.slices, "slices"), (part.cpu, "cpu_pools")):
                for pool in tuple(pools):
                    error = errors.get((section, pool.live.name))
                    try:
                        settled &= self._pool_is_settled(pool, resources.get(_place_of(pool.live)), error)
                    except CannotAdoptError as reason:
                        self.alone.append(LeftAlone(pool.live, str(reason)))
                        pools.remove(pool)
                        settled = False
        return settled

    def _cluster_is_settled(
        self, part: _OpenCluster, resource: Resource | None, errors: Mapping[tuple[str, str], Finding]
    ) -> bool:
        found = part.cluster
        assert found is not None
        try:
            for (section, _), error in errors.items():
                if section in ("slices", "cpu_pools"):
                    continue
                if not found.leave_out(section, f"No key says its {section}: {error.message}."):
                    raise CannotAdoptError(f"{error.rule}: {error.message}")
                return False
            if resource is None:
                raise CannotAdoptError("no plan describes it")
            planned = self.cluster_comparer.outcome(found.live.values, resource).planned
            found.add(planned)
            return not planned
        except CannotAdoptError as reason:
            self._leave_cluster(part, str(reason))
        return False

    def _reference_is_settled(self, part: _OpenCluster, errors: Mapping[tuple[str, str], Finding]) -> bool:
        """Whether the keys of a cluster that stays with its tool are valid; otherwise its node pools are left alone."""
        error = next((item for (section, _), item in errors.items() if section not in ("slices", "cpu_pools")), None)
        if error is None:
            return True
        key = str(error.path[2]) if len(error.path) > 2 else ""  # noqa: PLR2004 - clusters, NAME, the key
        if key in FACTS and part.keys.pop(key, None) is not None:
            return False
        self.alone += [LeftAlone(pool.live, f"{error.rule}: {error.message}") for pool in part.slices]
        part.slices = []
        return False

    def _leave_cluster(self, part: _OpenCluster, reason: str) -> None:
        """The cluster stays with its tool, as do its node pools without TPUs."""
        self.clusters_alone.append(ClusterLeftAlone(part.place.name, reason))
        part.cluster, part.cpu = None, []
        self._set_keys(part)

    def _pool_is_settled(self, pool: OpenPool, resource: Resource | None, error: Finding | None) -> bool:
        """Whether nothing differs, and nothing more can be kept; otherwise a key was added, or left out.

        Raises:
            CannotAdoptError: no key says what differs.
        """
        if error is not None:
            if pool.take_back(tuple(error.path[len(_POOL) :])):
                return False
            raise CannotAdoptError(f"{error.rule}: {error.message}")
        if resource is None:
            raise CannotAdoptError("no plan describes it")
        outcome = self.comparer.outcome(pool.live.values, resource)
        try:
            pool.add(outcome.planned)
        except CannotAdoptError:
            if pool.take_back():
                return False
            raise
        return not outcome.planned and not pool.keep(outcome.lost)

    # The proof

    def _proven(self, parts: list[_OpenCluster]) -> Adoption:
        """The final plan, compared once more as a whole."""
        plan = self._plan(parts, grouped)
        graph, findings = self._derived(plan)
        resources, clusters = resources_by_place(graph), clusters_by_place(graph)
        if not self._is_proven(parts, graph, resources, clusters):  # what fits alone may not fit in a group
            return self._proven([part for part in parts if part.cluster is not None or part.slices])
        pools: list[AdoptedPool] = []
        adopted: list[AdoptedCluster] = []
        ids: dict[str, str] = {}
        for part in parts:
            if part.cluster is not None:
                resource = clusters[part.place.location, part.place.name]
                ids[resource.urn] = part.cluster.live.import_id
                adopted.append(AdoptedCluster(part.cluster.live, resource.name, tuple(part.cluster.notes)))
            cluster = _key(part, parts)
            members = [(f"{cluster}/{group.key}", member) for group in grouped(part.slices) for member in group.members]
            members += [(f"{cluster}/{CPU_POOLS}/{member.live.name}", member) for member in part.cpu]
            for key, member in members:
                live = member.live
                resource = resources[_place_of(live)]
                outcome = self.comparer.outcome(live.values, resource)
                ids[resource.urn] = live.import_id
                stays, lost = (tuple(item.path for item in found) for found in (outcome.left, outcome.lost))
                maker = maker_of(live, self.makers)
                pools.append(AdoptedPool(live, key, stays, lost, tuple(member.notes), maker))
        warnings = tuple(item for item in findings if item.severity is not Severity.NOTE)
        found = bool(pools or adopted)
        return Adoption(
            project=self.project,
            plan=plan,
            graph=graph if found else None,
            pools=tuple(pools),
            alone=tuple(self.alone),
            ids=ids,
            warnings=warnings if found else (),
            clusters=tuple(adopted),
            clusters_alone=tuple(self.clusters_alone),
        )

    def _is_proven(
        self,
        parts: Sequence[_OpenCluster],
        graph: Graph | None,
        resources: Mapping[tuple[str, str, str], Resource],
        clusters: Mapping[tuple[str, str], Resource],
    ) -> bool:
        """Whether the plan changes and creates nothing. Otherwise what differs leaves the parts."""
        proven = True
        for part in parts:
            if part.cluster is not None:
                resource = clusters.get((part.place.location, part.place.name))
                live = part.cluster.live.values
                if resource is None or self.cluster_comparer.outcome(live, resource).planned:
                    self._leave_cluster(part, "no plan describes it beside its node pools")
                    proven = False
            for pools in (part.slices, part.cpu):
                for pool in tuple(pools):
                    found = resources.get(_place_of(pool.live))
                    if found is None or self.comparer.outcome(pool.live.values, found).planned:
                        reason = "no plan describes it beside the other node pools"
                        self.alone.append(LeftAlone(pool.live, reason))
                        pools.remove(pool)
                        proven = False
        return proven


_POOL = ("clusters", "CLUSTER", "slices", "GROUP")
"""The length of the path of a group, or of a CPU pool."""


def _unusable(pool: LivePool, makers: Makers) -> str:
    """Why a node pool is left alone before its properties are read; empty if it is not."""
    if pool.place is None:
        return "the source does not contain its project, location and cluster"
    if not pool.works:
        return f"its status is {pool.status}"
    if any(maker.autoprovisioned and maker.name == maker_of(pool, makers) for maker in makers.marks):
        return "node auto-provisioning created it, and GKE deletes it when no Pod needs it"
    return ""


def _asked(pools: Iterable[TpuPool]) -> Iterator[str]:
    """What workloads ask for on Autopilot, as sentences: GKE makes node pools for them, and deletes them."""
    shapes = Counter(
        f"{pool.generation_name} {pool.values.known_text('placementPolicy.tpuTopology') or pool.machine_type}"
        for pool in pools
    )
    for shape, made in shapes.items():
        yield f"Workloads ask for {shape}: GKE made {number(made, 'node pool')} for them."


def _key(part: _OpenCluster, parts: Sequence[_OpenCluster]) -> str:
    """The key of a cluster: its name, with the location if an earlier cluster has the name."""
    first = next(other for other in parts if other.place.name == part.place.name)
    return part.place.name if first is part else f"{part.place.name}-{part.place.location}"


def _alone(pools: Iterable[OpenPool]) -> list[AdoptedGroup[OpenPool]]:
    """Every node pool as a group of its own."""
    found = []
    for pool in pools:
        keys = pool.group()
        if pool.multi_host:
            keys["adopted"] = {"pools": [pool.live.name], **pool.adopted}
        found.append(AdoptedGroup(pool.live.name, keys, (pool,)))
    return found


def _place_of(live: LivePool) -> tuple[str, str, str]:
    return live.values["cluster"], live.values["location"], live.name


def _errors(findings: Iterable[Finding], cluster: str) -> Mapping[tuple[str, str], Finding]:
    """The first error of each entry in a cluster, by the key of the cluster and the name below it."""
    found: dict[tuple[str, str], Finding] = {}
    for item in findings:
        if item.severity is Severity.ERROR and item.path[:2] == ("clusters", cluster):
            section, name = (*map(str, item.path[2:4]), "", "")[:2]
            found.setdefault((section, name if section in ("slices", "cpu_pools") else ""), item)
    return found
