"""Slice groups of a plan with another capacity mode or in another zone, checked by the rules as plans."""

import datetime
import json
from typing import Any

from pulumi_gke_tpu.catalog import Catalog
from pulumi_gke_tpu.estimate import GroupCost, cost_of
from pulumi_gke_tpu.estimate.reservations import OwnedReservations
from pulumi_gke_tpu.findings import Finding, Severity
from pulumi_gke_tpu.fleet import Cluster, SliceGroup
from pulumi_gke_tpu.fleet.plans import PlanInFleet
from pulumi_gke_tpu.formats.location import region_of
from pulumi_gke_tpu.frozen import frozen
from pulumi_gke_tpu.plan import Document, Inventory, parse_plan
from pulumi_gke_tpu.plan.canonical import plan_data
from pulumi_gke_tpu.recommend.inventory_part import part_of
from pulumi_gke_tpu.rules import check_plan
from pulumi_gke_tpu.rules.inventory.together import validate_inventory

_OF_GROUP = ("count", "min", "max", "indices", "capacity", "fallback")
"""Keys of a group that another capacity mode replaces."""
_NOT_OF_CLUSTER = ("slices", "runs", "kubernetes")
"""Keys of a cluster that concern its other groups too."""
_OF_NEW_CLUSTER = ("mode", "min_version", "release_channel", "workload_policies", "additional_networks")
"""Keys of a cluster that one in another region has as well."""


@frozen
class Place:
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


class Switcher:
    """Changes groups and checks each result in a plan of its own. Equal groups are checked once."""

    def __init__(self, catalog: Catalog, inventory: Document[Inventory] | None, today: datetime.date) -> None:
        self._catalog = catalog
        self._inventory = inventory
        self._owned = OwnedReservations.of(inventory.content if inventory is not None else None)
        self._today = today
        self._written: dict[int, dict[str, Any]] = {}
        self._known: dict[str, GroupCost | None] = {}

    def switched(
        self, place: Place, capacity: dict[str, Any] | None = None, zone: str | None = None
    ) -> Switched | None:
        """A group with another capacity mode, or in a zone of another region; None if a rule rejects it.

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
        cost = self._checked({"version": 1, "project": plan["project"]}, settings, keys)
        return Switched(keys, cost) if cost is not None else None

    def _plan_of(self, place: Place) -> dict[str, Any]:
        plan = place.member.plan
        if id(plan) not in self._written:
            self._written[id(plan)] = plan_data(plan)
        return self._written[id(plan)]

    def _checked(self, plan: dict[str, Any], cluster: dict[str, Any], keys: dict[str, Any]) -> GroupCost | None:
        anonymous = {name: value for name, value in keys.items() if name != "name"}
        data = plan | {"clusters": {"cluster": cluster | {"slices": {"slices": anonymous}}}}
        known = json.dumps(data, sort_keys=True, default=str)
        if known not in self._known:
            self._known[known] = self._cost(data)
        return self._known[known]

    def _cost(self, data: dict[str, Any]) -> GroupCost | None:
        result = check_plan(parse_plan(data), self._catalog, self._today)
        if result.has_errors or result.fleet is None:
            return None
        ((cluster, group),) = result.fleet.groups()
        if self._inventory is not None and self._inventory.content is not None:
            named = group.plan.capacity.reservation
            part = part_of(self._inventory, named.name if named is not None else None, cluster.region)
            together = validate_inventory([result], part, self._catalog, today=self._today)
            if any(map(_is_error_of_plan, together)):
                return None
        (cost,) = cost_of(result.fleet, self._catalog, self._owned).groups
        return cost


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
