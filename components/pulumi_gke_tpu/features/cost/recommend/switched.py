"""Slice groups of a plan with another capacity mode or in another zone, checked by the rules as plans."""

import dataclasses
import datetime
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.estimate import GroupCost, cost_of
from pulumi_gke_tpu.core.estimate.reservations import OwnedReservations
from pulumi_gke_tpu.core.fleet import Cluster, Fleet, SliceGroup
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.core.fleet.plans import PlanInFleet
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan import Document, Inventory, parse_plan
from pulumi_gke_tpu.core.plan.canonical import plan_data
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Finding, Severity
from pulumi_gke_tpu.core.text.formats.location import region_of
from pulumi_gke_tpu.features.capacity.rules.inventory.together import validate_inventory
from pulumi_gke_tpu.features.cost.recommend.candidates import CandidateExclusion
from pulumi_gke_tpu.features.cost.recommend.checked import about_standards
from pulumi_gke_tpu.features.cost.recommend.inventory_part import part_of

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.plan.organization.model import Organization

_CLUSTER, _GROUP = "this-cluster", "these-slices"
"""The names of the cluster and the group that are checked; messages get the real ones."""
_OF_GROUP = ("count", "min", "max", "indices", "capacity", "fallback")
"""Keys of a group that another capacity mode replaces."""
_NOT_OF_CLUSTER = ("slices", "runs", "kubernetes")
"""Keys of a cluster that concern its other groups too."""
_OF_NEW_CLUSTER = ("mode", "min_version", "release_channel", "workload_policies", "additional_networks")
"""Keys of a cluster that one in another region has as well."""


@frozen
class GroupPlace:
    """A slice group with its cluster and plan."""

    member: PlanInFleet
    cluster: Cluster
    group: SliceGroup

    @property
    def zone(self) -> str | None:
        """The zone, or the first of several; None if GKE selects it."""
        return next(iter(self.group.zones), None)


@frozen
class Switched:
    """A group as another plan can have it, and its cost."""

    keys: dict[str, Any]
    """The slice group of a plan."""
    cost: GroupCost


@frozen(eq=False)
class _CheckedChange:
    """A changed group, checked in a plan of its own."""

    result: CheckedPlan
    cost: GroupCost | None
    error: Finding | None
    """The first error about it; None if no rule rejects it."""


class Switcher:
    """Changes groups and checks each result in a plan of its own. Equal groups are checked once."""

    def __init__(
        self,
        catalog: Catalog,
        inventory: Document[Inventory] | None,
        today: datetime.date,
        organization: "Document[Organization] | None" = None,
    ) -> None:
        self._catalog = catalog
        self._inventory = inventory
        self._owned = OwnedReservations.of(inventory.content if inventory is not None else None)
        self._today = today
        self._organization = organization
        self._written: dict[int, dict[str, Any]] = {}
        self._known: dict[str, _CheckedChange] = {}
        self._breaches: dict[int, set[tuple[str, str]]] = {}

    def switched(
        self, place: GroupPlace, capacity: dict[str, Any] | None = None, zone: str | None = None
    ) -> Switched | CandidateExclusion:
        """A group with another capacity mode, or in a zone of another region; or which rule rejects it.

        Another region needs another cluster, which has only the settings that do not depend on the region.
        """
        plan = self._plan_of(place)
        cluster = plan["clusters"][place.group.path[1]]
        keys = {**cluster["slices"][place.group.path[-1]]}
        if capacity is not None:
            keys = {name: value for name, value in keys.items() if name not in _OF_GROUP}
            keys |= _size(place.group, capacity) | ({} if "on_demand" in capacity else {"capacity": capacity})
        settings = {name: value for name, value in cluster.items() if name not in _NOT_OF_CLUSTER}
        if zone is not None:
            keys = {name: value for name, value in keys.items() if name != "zones"} | {"zone": zone}
            settings = {name: cluster[name] for name in _OF_NEW_CLUSTER if name in cluster}
            settings["location"] = region_of(zone)
        checked = self._checked({"version": 1, "project": plan["project"]}, settings, keys)
        error = checked.error or next(self._against_standards(place, checked.result, moved=zone is not None), None)
        if error is None:
            assert checked.cost is not None
            return Switched(keys, checked.cost)
        reason = error.message.replace(f"{_CLUSTER}/{_GROUP}", place.group.key).replace(_CLUSTER, place.cluster.key)
        return CandidateExclusion(place.group.shape.generation, zone or "", reason, rule=error.rule)

    def _plan_of(self, place: GroupPlace) -> dict[str, Any]:
        plan = place.member.plan
        if id(plan) not in self._written:
            self._written[id(plan)] = plan_data(plan)
        return self._written[id(plan)]

    def _checked(self, plan: dict[str, Any], cluster: dict[str, Any], keys: dict[str, Any]) -> _CheckedChange:
        anonymous = {name: value for name, value in keys.items() if name != "name"}
        data = plan | {"clusters": {_CLUSTER: cluster | {"slices": {_GROUP: anonymous}}}}
        known = json.dumps(data, sort_keys=True, default=str)
        if known not in self._known:
            self._known[known] = self._check(data)
        return self._known[known]

    def _check(self, data: dict[str, Any]) -> _CheckedChange:
        result = check_plan(parse_plan(data), self._catalog, self._today)
        error = next((item for item in result.findings if item.severity is Severity.ERROR), None)
        if error is not None or result.fleet is None:
            return _CheckedChange(result, None, error)
        ((cluster, group),) = result.fleet.groups()
        if self._inventory is not None and self._inventory.content is not None:
            named = group.plan.capacity.reservation
            part = part_of(self._inventory, named.name if named is not None else None, cluster.region)
            together = validate_inventory([result], part, self._catalog, today=self._today)
            error = next((item for item in together if _is_error_of_plan(item)), None)
        (cost,) = cost_of(result.fleet, self._catalog, self._owned).groups
        return _CheckedChange(result, cost, error)

    def _against_standards(self, place: GroupPlace, result: CheckedPlan, *, moved: bool) -> Iterator[Finding]:
        """The standards that forbid the changed group, and those that its cluster breaks only with it.

        Exemptions are for names, and sums for clusters, so the changed group has the name and the path of its place.
        Limits of a cluster apply to it with the other groups, unless it is in a new cluster.
        """
        if self._organization is None or result.fleet is None:
            return
        ((derived, group),) = result.fleet.groups()
        group = dataclasses.replace(group, key=place.group.key, path=place.group.path)
        groups = (group,) if moved else tuple(group if each is place.group else each for each in place.cluster.groups)
        around = derived if moved else place.cluster
        before = self._breaches_of(place)
        for finding in self._errors(result, dataclasses.replace(around, key=place.cluster.key, groups=groups)):
            if finding.path[: len(group.path)] == group.path or _identity(finding) not in before:
                yield finding

    def _breaches_of(self, place: GroupPlace) -> set[tuple[str, str]]:
        """What the cluster breaks as it is."""
        if id(place.cluster) not in self._breaches:
            member = place.member
            result = CheckedPlan(member.document, self._catalog, self._today, member.fleet, ())
            self._breaches[id(place.cluster)] = set(map(_identity, self._errors(result, place.cluster)))
        return self._breaches[id(place.cluster)]

    def _errors(self, result: CheckedPlan, cluster: Cluster) -> Iterator[Finding]:
        alone = dataclasses.replace(result, fleet=Fleet(cluster.project, (cluster,)))
        found = about_standards(alone, self._organization, self._inventory)
        return (item for item in found if item.severity is Severity.ERROR and item.path[:1] == ("clusters",))


def _identity(finding: Finding) -> tuple[str, str]:
    """A breach of a standard, at whichever group of the cluster."""
    return finding.rule, finding.related.text if finding.related is not None else finding.message


def _is_error_of_plan(finding: Finding) -> bool:
    return finding.severity is Severity.ERROR and finding.path[:1] == ("clusters",)


def _size(group: SliceGroup, capacity: dict[str, Any]) -> dict[str, int]:
    """The same number of slices; nodes that wait for capacity begin with none."""
    slices = group.slices
    if "flex_start" in capacity or "queued" in capacity:
        return {"min": 0, "max": slices.maximum}
    if slices.minimum != slices.maximum:
        return {"min": slices.minimum, "max": slices.maximum}
    return {"count": slices.maximum} if slices.maximum != 1 else {}
