"""Makes the plan that changes nothing: keys are added until no property differs; what no key can say is left alone."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.builders.standard import fleet_graph
from pulumi_gke_tpu.core.graph.model import NODE_POOL, Graph, Resource
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.resources.model import RawResource
from pulumi_gke_tpu.core.resources.pools import Machines
from pulumi_gke_tpu.core.resources.values import NotKnownError, Values
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Finding, Severity
from pulumi_gke_tpu.features.adopt.grouping import AdoptedGroup, grouped
from pulumi_gke_tpu.features.adopt.inversion import CannotAdoptError, Inverted, account_of, inverted, repair
from pulumi_gke_tpu.features.adopt.live import ClusterPlace, LivePool, clusters_of, live_pools
from pulumi_gke_tpu.features.adopt.makers import MAKERS
from pulumi_gke_tpu.features.adopt.proof import Outcome, Prover

_ROUNDS = 6
STACK = "preview"


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
    """cluster/group."""
    left: tuple[str, ...]
    """The properties that differ from what gke-tpu would create, and stay as they are."""
    notes: tuple[str, ...]


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


def adopt_slices(found: Iterable[RawResource], catalog: Catalog) -> tuple[Adoption, ...]:
    """The plans for the TPU node pools of all clusters, which stay with the tool that manages them; one per project."""
    resources = tuple(found)
    clusters = clusters_of(resources)
    by_project: dict[str, list[LivePool]] = {}
    for pool in live_pools(resources, catalog.provider):
        by_project.setdefault(pool.place.project if pool.place else "", []).append(pool)
    return tuple(_Adopting(catalog, project, clusters).adopted(pools) for project, pools in by_project.items())


class _Adopting:
    def __init__(self, catalog: Catalog, project: str, clusters: Mapping[ClusterPlace, RawResource]) -> None:
        self.catalog = catalog
        self.project = project
        self.clusters = clusters
        self.prover = Prover(catalog)
        self.machines = Machines(catalog)
        self.alone: list[LeftAlone] = []
        self.cluster_keys: dict[ClusterPlace, dict[str, Any]] = {}

    def adopted(self, pools: Sequence[LivePool]) -> Adoption:
        """The plan, and what it leaves alone."""
        open_pools = [found for pool in pools if (found := self._begun(pool)) is not None]
        for place, members in _by_place(open_pools).items():
            self.cluster_keys[place] = self._cluster(place, members)
        for _ in range(_ROUNDS):
            plan = self._plan({place: _alone(members) for place, members in _by_place(open_pools).items()})
            graph, findings = self._derived(plan)
            open_pools, settled = self._repaired(open_pools, plan, graph, findings)
            if settled:
                break
        groups = {place: grouped(members) for place, members in _by_place(open_pools).items()}
        return self._proven(groups)

    def _begun(self, pool: LivePool) -> Inverted | None:
        """The keys that a node pool shows; None if it is left alone, or has no TPUs."""
        try:
            tpu = next(iter(self.machines.pools(pool.raw.asked)), None)
            if tpu is None:
                return None
            reason = _unusable(pool)
            if reason:
                raise CannotAdoptError(reason)
            return inverted(tpu, pool, self.catalog, self.prover.semantics)
        except CannotAdoptError as error:
            self.alone.append(LeftAlone(pool, str(error)))
        except NotKnownError:
            self.alone.append(LeftAlone(pool, "the source does not tell a property that decides its slices"))
        return None

    def _plan(self, groups: Mapping[ClusterPlace, Sequence[AdoptedGroup]]) -> dict[str, Any]:
        clusters: dict[str, Any] = {}
        for place, found in groups.items():
            key = place.name if place.name not in clusters else f"{place.name}-{place.location}"
            clusters[key] = {**self.cluster_keys[place], "slices": {group.key: group.keys for group in found}}
        return {"version": 1, "project": self.project, "clusters": clusters}

    def _cluster(self, place: ClusterPlace, members: Sequence[Inverted]) -> dict[str, Any]:
        """The keys of an existing cluster: its reference, and the facts about it that the source tells."""
        keys: dict[str, Any] = {"mode": "standard", "existing": place.reference}
        raw = self.clusters.get(place)
        if raw is not None:
            keys |= _facts(raw.values)
        accounts = {account_of(member) for member in members}
        if len(accounts) == 1 and "" not in accounts:
            return {**keys, "node_service_account": accounts.pop()}
        for member in members:
            account = account_of(member)
            if account:
                member.keys["node_service_account"] = account
        return keys

    def _derived(self, plan: dict[str, Any]) -> tuple[Graph | None, tuple[Finding, ...]]:
        document = parse_plan(plan)
        if document.content is None:
            return None, document.findings
        checked = check_plan(document, self.catalog)
        graph = fleet_graph(plan, checked.fleet, self.catalog, name=STACK) if checked.fleet is not None else None
        return graph, checked.findings

    def _repaired(
        self, pools: list[Inverted], plan: Mapping[str, Any], graph: Graph | None, findings: Sequence[Finding]
    ) -> tuple[list[Inverted], bool]:
        """The node pools that can still be adopted, and whether none of them needed another key."""
        resources = resources_by_place(graph)
        errors = _errors(findings)
        kept: list[Inverted] = []
        settled = True
        for pool in pools:
            error = errors.get(_place_in(plan, pool))
            resource = resources.get((pool.live.values["cluster"], pool.live.values["location"], pool.live.name))
            try:
                if error is not None:
                    raise CannotAdoptError(f"{error.rule}: {error.message}")
                if resource is None:
                    raise CannotAdoptError("no plan describes it")
                outcome = self.prover.outcome(pool.live.values, resource)
                if outcome.planned:
                    before = repr(pool.group())
                    repair(pool, outcome.planned)
                    if repr(pool.group()) == before:
                        names = ", ".join(item.path for item in outcome.planned)
                        raise CannotAdoptError(f"no key sets {names} to its value")
                    settled = False
                kept.append(pool)
            except CannotAdoptError as reason:
                self.alone.append(LeftAlone(pool.live, str(reason)))
                settled = False
        return kept, settled

    def _proven(self, groups: Mapping[ClusterPlace, Sequence[AdoptedGroup]]) -> Adoption:
        """The final plan, compared once more as a whole."""
        plan = self._plan(groups)
        graph, findings = self._derived(plan)
        resources = resources_by_place(graph)
        wrong = [member for found in groups.values() for group in found for member in group.members]
        wrong = [member for member in wrong if not self._is_unchanged(member, resources)]
        if wrong:  # what fits alone may not fit in a group
            self.alone += [
                LeftAlone(member.live, "no plan describes it beside the other node pools") for member in wrong
            ]
            kept = {
                place: grouped(member for group in found for member in group.members if member not in wrong)
                for place, found in groups.items()
            }
            return self._proven({place: found for place, found in kept.items() if found})
        pools: list[AdoptedPool] = []
        ids: dict[str, str] = {}
        for group in (group for found in groups.values() for group in found):
            for member in group.members:
                live = member.live
                resource = resources[live.values["cluster"], live.values["location"], live.name]
                outcome = self.prover.outcome(live.values, resource)
                key = resource.name.rpartition("/")[0]
                ids[resource.urn] = live.import_id
                pools.append(AdoptedPool(live, key, _left(outcome), tuple(member.notes)))
        warnings = tuple(item for item in findings if item.severity is not Severity.NOTE)
        return Adoption(
            project=self.project,
            plan=plan,
            graph=graph if pools else None,
            pools=tuple(pools),
            alone=tuple(self.alone),
            ids=ids,
            warnings=warnings if pools else (),
        )

    def _is_unchanged(self, member: Inverted, resources: Mapping[tuple[str, str, str], Resource]) -> bool:
        live = member.live
        resource = resources.get((live.values["cluster"], live.values["location"], live.name))
        return resource is not None and not self.prover.outcome(live.values, resource).planned


def _unusable(pool: LivePool) -> str:
    """Why a node pool is left alone before its properties are read; empty if it is not."""
    if pool.place is None:
        return "the source does not tell its project, location and cluster"
    if not pool.works:
        return f"its status is {pool.status}"
    if any(maker.autoprovisioned and maker.name == pool.maker for maker in MAKERS):
        return "node auto-provisioning created it, and GKE deletes it when no Pod needs it"
    return ""


def _by_place(pools: Iterable[Inverted]) -> dict[ClusterPlace, list[Inverted]]:
    found: dict[ClusterPlace, list[Inverted]] = {}
    for pool in pools:
        assert pool.live.place is not None
        found.setdefault(pool.live.place, []).append(pool)
    return found


def _alone(pools: Iterable[Inverted]) -> list[AdoptedGroup]:
    """Every node pool as a group of its own."""
    found = []
    for pool in pools:
        keys = pool.group()
        if pool.multi_host:
            keys["adopted"] = {"pools": [pool.live.name], **pool.adopted}
        found.append(AdoptedGroup(pool.live.name, keys, (pool,)))
    return found


def _facts(values: Values) -> dict[str, Any]:
    """What the plan states about an existing cluster, so that rules can use it."""
    try:
        version, channel = values.text("minMasterVersion"), values.text("releaseChannel.channel")
    except NotKnownError:
        return {}
    facts: dict[str, Any] = {}
    if version:
        facts["version"] = version
    if channel:
        facts["release_channel"] = "none" if channel == "UNSPECIFIED" else channel.lower()
    return facts


def resources_by_place(graph: Graph | None) -> Mapping[tuple[str, str, str], Resource]:
    """The node pools of a graph by cluster, location and name."""
    if graph is None:
        return {}
    return {
        (str(item.inputs["cluster"]), str(item.inputs["location"]), str(item.inputs["name"])): item
        for item in graph.of_type(NODE_POOL)
    }


def _errors(findings: Iterable[Finding]) -> Mapping[tuple[str, str], Finding]:
    """The first error of each group, by cluster and group."""
    found: dict[tuple[str, str], Finding] = {}
    for item in findings:
        match item.path:
            case ("clusters", cluster, "slices", group, *_) if item.severity is Severity.ERROR:
                found.setdefault((str(cluster), str(group)), item)
    return found


def _place_in(plan: Mapping[str, Any], pool: Inverted) -> tuple[str, str]:
    assert pool.live.place is not None
    clusters = plan["clusters"]
    key = next(key for key, cluster in clusters.items() if cluster["existing"] == pool.live.place.reference)
    return key, pool.live.name


def _left(outcome: Outcome) -> tuple[str, ...]:
    return tuple(item.path for item in outcome.left)
