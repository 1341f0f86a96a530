"""What plans use of the things that standards limit, by value, so that each standard checks every value once."""

import datetime
import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.capacity import CapacityMode
from pulumi_gke_tpu.core.estimate.autoprovisioning import AutoProvisioned, autoprovisioned
from pulumi_gke_tpu.core.estimate.cost import GroupCost, cost_of
from pulumi_gke_tpu.core.estimate.reservations import OwnedReservations
from pulumi_gke_tpu.core.fleet import Cluster, SliceGroup
from pulumi_gke_tpu.core.fleet.checked import PlanInFleet
from pulumi_gke_tpu.core.fleet.settings import ClusterSettings, upgrade_settings
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan.organization import Kind, Standard
from pulumi_gke_tpu.core.plan.upgrades import Exclusion
from pulumi_gke_tpu.core.schedule.spans import PROTECTS_NODES
from pulumi_gke_tpu.core.text.findings import Path, listed, printable, quoted
from pulumi_gke_tpu.core.text.formats.names import matches

_SHOWN = 3


@frozen(slots=False, eq=False)
class EstimatedPlan:
    """One plan."""

    plan: PlanInFleet
    catalog: Catalog
    owned: OwnedReservations
    """The reservations of the inventory, with the prices of their contracts; empty without an inventory."""

    @functools.cached_property
    def provisioned(self) -> dict[str, tuple[AutoProvisioned, ...]]:
        """What node auto-provisioning may create, by the key of the cluster."""
        found: dict[str, tuple[AutoProvisioned, ...]] = {}
        if any(cluster.plan.autoprovisioning is not None for cluster in self.plan.fleet.clusters):
            for item in autoprovisioned(self.plan.fleet, self.catalog):
                found[item.cluster] = (*found.get(item.cluster, ()), item)
        return found

    @functools.cached_property
    def costs(self) -> dict[str, GroupCost]:
        """The cost of each slice group, by its key."""
        return {cost.group: cost for cost in cost_of(self.plan.fleet, self.catalog, self.owned).groups}


@frozen
class PlanPlace:
    """A place in one of the plans."""

    member: PlanInFleet
    path: Path
    item: str
    """CLUSTER or CLUSTER/GROUP."""


State = Literal["met", "missed", "lifted", "unknown"]
"""Whether a cluster or a slice group meets a requirement; ``lifted`` is by an entry under ``acknowledge``."""


@frozen
class UseProblem:
    """Why a standard does not allow a use."""

    message: str
    certain: bool = True
    why: str = ""
    allowed: tuple[str, ...] = ()


@frozen
class UsedGeneration:
    """A TPU generation of slices, or of nodes that node auto-provisioning may create."""

    name: str
    provisioned: bool = False

    def problem(self, standard: Standard) -> UseProblem | None:
        """Why a standard does not allow it; None if it does."""
        if self.name in standard.generations:
            return None
        where = "node auto-provisioning may create nodes of it" if self.provisioned else ""
        return UseProblem(f"generation {self.name} is not allowed", why=where, allowed=_shown(standard.generations))


@frozen
class UsedZones:
    """The zones of slices. ``selected`` are those from which GKE selects them."""

    given: tuple[str, ...] = ()
    selected: tuple[str, ...] = ()
    region: str = ""

    def problem(self, standard: Standard) -> UseProblem | None:
        """Why a standard does not allow it; None if it does."""
        wrong = [zone for zone in (*self.given, *self.selected) if not matches(zone, standard.zones)]
        if self.given:
            if not wrong:
                return None
            zones = listed([printable(zone) for zone in wrong], most=_SHOWN)
            message = f"zone {zones} is not allowed" if len(wrong) == 1 else f"zones {zones} are not allowed"
            return UseProblem(message, allowed=_shown(standard.zones))
        if self.selected and not wrong:
            return None
        message = f"GKE selects the zone in {printable(self.region)}, where not all zones are allowed"
        return UseProblem(
            message, bool(self.selected) and len(wrong) == len(self.selected), allowed=_shown(standard.zones)
        )


@frozen
class Capacities:
    """The capacity modes of slices, or those between which workloads choose for auto-provisioned nodes."""

    modes: tuple[CapacityMode, ...]
    provisioned: bool = False

    def problem(self, standard: Standard) -> UseProblem | None:
        """Why a standard does not allow it; None if it does."""
        wrong = [mode for mode in self.modes if mode not in standard.capacities]
        if not wrong:
            return None
        modes = f"capacity mode {wrong[0]} is" if len(wrong) == 1 else f"capacity modes {listed(wrong)} are"
        if self.provisioned:
            why = "workloads choose the capacity mode of nodes that node auto-provisioning creates"
            return UseProblem(f"{modes} not allowed", certain=False, why=why, allowed=_shown(standard.capacities))
        return UseProblem(f"{modes} not allowed", allowed=_shown(standard.capacities))


@frozen
class Labels:
    """The labels with a value that a cluster or a slice group of an existing cluster has."""

    names: frozenset[str]

    def problem(self, standard: Standard) -> UseProblem | None:
        """Why a standard does not allow it; None if it does."""
        missing = [name for name in standard.labels if name not in self.names]
        if not missing:
            return None
        word = "label" if len(missing) == 1 else "labels"
        return UseProblem(f"missing {word} {listed([quoted(name) for name in missing], most=_SHOWN)}")


@frozen
class Requirement:
    """Whether a requirement of a fixed kind is met."""

    kind: Kind
    state: State

    def problem(self, standard: Standard) -> UseProblem | None:
        """Why a standard does not allow it; None if it does."""
        return _REQUIREMENTS[self.kind].get(self.state)


_REQUIREMENTS: dict[Kind, dict[str, UseProblem]] = {
    "exclusion": {
        "missed": UseProblem(
            "multi-host slices on a reservation have no maintenance exclusion that prevents upgrades of nodes",
            why="an exclusion counts until its end, with the scope no_upgrades or no_minor_or_node_upgrades",
        ),
        "unknown": UseProblem(
            "the maintenance exclusions of the existing cluster are unknown",
            certain=False,
            why="they are set where the cluster is managed",
        ),
    },
    "private_nodes": {
        "missed": UseProblem("nodes have external IP addresses"),
        "unknown": UseProblem(
            "nodes of the existing cluster may have external IP addresses",
            certain=False,
            why="the setting of the cluster is unknown; set `private_nodes` to it",
        ),
    },
    "deletion_protection": {
        "missed": UseProblem("the cluster has no deletion protection"),
        "lifted": UseProblem("an `acknowledge` entry lifts the deletion protection of the cluster", certain=False),
    },
}


@frozen
class Named:
    """A name in GKE."""

    of: Literal["clusters", "groups"]
    name: str

    def problem(self, standard: Standard) -> UseProblem | None:
        """Why a standard does not allow it; None if it does."""
        assert standard.names is not None
        pattern = standard.names.clusters if self.of == "clusters" else standard.names.groups
        if pattern is None or matches(self.name, [pattern]):
            return None
        what = "cluster" if self.of == "clusters" else "slice group"
        return UseProblem(f"{what} name {quoted(self.name)} does not match {quoted(pattern)}")


@frozen
class Mode:
    """The mode of a cluster."""

    name: Literal["standard", "autopilot"]

    def problem(self, standard: Standard) -> UseProblem | None:
        """Why a standard does not allow it; None if it does."""
        if self.name in standard.modes:
            return None
        return UseProblem(f"cluster mode {self.name} is not allowed", allowed=_shown(standard.modes))


def _shown(allowed: Sequence[str]) -> tuple[str, ...]:
    return tuple(map(printable, allowed))


Use = UsedGeneration | UsedZones | Capacities | Labels | Requirement | Named | Mode
Uses = Mapping[Kind, Mapping[Use, list[PlanPlace]]]
"""Kind of a standard -> what plans use -> the places."""


def uses_of(members: tuple[EstimatedPlan, ...], catalog: Catalog, today: datetime.date | None) -> Uses:
    """Everything that the plans use, in their order."""
    zones = known_zones(catalog)
    found: dict[Kind, dict[Use, list[PlanPlace]]] = {}
    for member in members:
        for cluster in member.plan.fleet.clusters:
            auto = member.provisioned.get(cluster.key, ())
            for kind, use, place in (
                *_of_cluster(member.plan, cluster),
                *(each for group in cluster.groups for each in _of_group(member.plan, cluster, group, zones, today)),
                *_of_unresolved(member.plan, cluster, catalog),
                *(each for item in auto for each in _of_provisioned(member.plan, cluster, item)),
            ):
                found.setdefault(kind, {}).setdefault(use, []).append(place)
    return found


def known_zones(catalog: Catalog) -> tuple[str, ...]:
    """Every zone that the catalog lists for a machine family."""
    return tuple(sorted({zone for family in catalog.zones.families for zone in catalog.zones.of_family(family)}))


_Found = tuple[Kind, Use, PlanPlace]


def _of_cluster(plan: PlanInFleet, cluster: Cluster) -> Iterator[_Found]:
    def at(name: str) -> PlanPlace:
        path = (*cluster.path, name) if cluster.plan.written(name) else cluster.path
        return PlanPlace(plan, path, cluster.key)

    yield "modes", Mode(cluster.mode), at("mode")
    without = ClusterSettings(cluster).private_nodes.value
    private: State = "unknown" if without is None else "met" if without else "missed"
    yield "private_nodes", Requirement("private_nodes", private), at("private_nodes")
    if cluster.existing:
        return  # its name, labels and protection are set where the cluster is managed
    yield "labels", _labels(cluster.resource_labels), at("resource_labels")
    protected: State = "met" if cluster.deletion_protection else "missed"
    if cluster.plan.deletion_protection and not cluster.deletion_protection:
        protected = "lifted"
    yield "deletion_protection", Requirement("deletion_protection", protected), at("deletion_protection")
    yield "names", Named("clusters", cluster.name), at("name")


def _of_group(
    plan: PlanInFleet, cluster: Cluster, group: SliceGroup, known: tuple[str, ...], today: datetime.date | None
) -> Iterator[_Found]:
    def at(name: str, *more: str | int) -> PlanPlace:
        path = (*group.path, name, *more) if group.plan.written(name) else group.path
        return PlanPlace(plan, path, group.key)

    yield "generations", UsedGeneration(group.shape.generation), at("tpu")
    if group.zones:
        yield "zones", UsedZones(given=group.zones), at("zone" if group.plan.written("zone") else "zones")
    else:
        yield "zones", _selected(cluster, known), PlanPlace(plan, _location(cluster), group.key)
    yield "capacities", Capacities(group.capacity_modes), at("fallback" if group.plan.fallback else "capacity")
    if cluster.existing:
        labels = {**cluster.resource_labels, **group.plan.resource_labels}
        yield "labels", _labels(labels), at("resource_labels")
    if "reservation" in group.capacity_modes and group.shape.multi_host:
        yield "exclusion", Requirement("exclusion", _excluded(cluster, group, today)), at("capacity")
    yield "names", Named("groups", group.name), at("name")


def _of_unresolved(plan: PlanInFleet, cluster: Cluster, catalog: Catalog) -> Iterator[_Found]:
    """What groups without a possible shape use as written, so that one run reports all errors of a plan."""
    for unresolved in plan.fleet.unresolved:
        path, name = unresolved.path, str(unresolved.path[-1])
        group = cluster.plan.slices.get(name)
        if path[:-2] != cluster.path or group is None:
            continue
        key = f"{cluster.key}/{name}"
        if group.tpu in catalog.generation_names:
            yield "generations", UsedGeneration(group.tpu), PlanPlace(plan, (*path, "tpu"), key)
        if group.zone is not None:
            yield "zones", UsedZones(given=(group.zone,)), PlanPlace(plan, (*path, "zone"), key)
        elif group.zones:
            yield "zones", UsedZones(given=tuple(group.zones)), PlanPlace(plan, (*path, "zones"), key)
        word = "fallback" if group.fallback else "capacity"
        where = (*path, word) if group.written(word) else path
        yield "capacities", Capacities((group.capacity.mode, *group.fallback)), PlanPlace(plan, where, key)


def _of_provisioned(plan: PlanInFleet, cluster: Cluster, item: AutoProvisioned) -> Iterator[_Found]:
    """What node auto-provisioning may create: GKE and the workloads choose within its limits."""
    if not item.limit:
        return
    written = cluster.plan.autoprovisioning
    assert written is not None
    word = next((word for word in written.tpu if word in (item.label, item.generation)), None)
    path = (*item.path, "tpu", *((word,) if word is not None else ()))
    yield "generations", UsedGeneration(item.generation, provisioned=True), PlanPlace(plan, path, cluster.key)
    yield "capacities", Capacities(("on_demand", "spot"), provisioned=True), PlanPlace(plan, path, cluster.key)
    if written.zones is not None:
        yield "zones", UsedZones(given=tuple(written.zones)), PlanPlace(plan, (*item.path, "zones"), cluster.key)
    elif item.zones:
        use = UsedZones(selected=item.zones, region=cluster.region)
        yield "zones", use, PlanPlace(plan, path, cluster.key)


def _location(cluster: Cluster) -> Path:
    return (*cluster.path, "location") if cluster.plan.written("location") else cluster.path


def _selected(cluster: Cluster, known: tuple[str, ...]) -> UsedZones:
    return UsedZones(
        selected=tuple(zone for zone in known if zone.startswith(f"{cluster.region}-")), region=cluster.region
    )


def _labels(labels: Mapping[str, object]) -> Labels:
    """An empty value counts as a missing label."""
    return Labels(frozenset(name for name, value in labels.items() if value != ""))


def _excluded(cluster: Cluster, group: SliceGroup, today: datetime.date | None) -> State:
    """Whether an exclusion that has not ended prevents upgrades of nodes, or GKE upgrades none."""
    if upgrade_settings(group).auto_upgrade.value is False:
        return "met"
    if cluster.existing:
        return "unknown"
    found = ClusterSettings(cluster).maintenance.exclusions.values()
    return "met" if any(_protects(exclusion, today) for exclusion in found) else "missed"


def _protects(exclusion: Exclusion, today: datetime.date | None) -> bool:
    ended = exclusion.end is not None and today is not None and exclusion.end.date() < today
    return exclusion.scope in PROTECTS_NODES and not ended
