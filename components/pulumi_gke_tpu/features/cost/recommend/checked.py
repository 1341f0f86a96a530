"""Checks candidates as plans: a rule that rejects one excludes it, and a warning becomes a remark."""

import dataclasses
import datetime
from collections.abc import Container, Iterator, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.estimate import GroupCost, PriceList, Usd, cost_of
from pulumi_gke_tpu.core.estimate.reservations import OwnedReservations
from pulumi_gke_tpu.core.fleet import Cluster, Fleet, Range
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan import Document, Inventory, parse_plan
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Finding, Severity
from pulumi_gke_tpu.core.text.formats.location import region_of
from pulumi_gke_tpu.features.capacity.rules.inventory.together import validate_inventory
from pulumi_gke_tpu.features.cost.recommend.candidates import Candidate, CandidateExclusion
from pulumi_gke_tpu.features.cost.recommend.inventory_part import part_of
from pulumi_gke_tpu.features.cost.recommend.need import Need

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.plan.organization.model import Organization

PLACEHOLDER_PROJECT = "your-project"
_GROUP = "slices"


@frozen
class Option:
    """A candidate without errors, with its cost and what the rules remark about it."""

    candidate: Candidate
    cost: GroupCost
    usd: Decimal | None
    """USD per hour at full size, with the premium of Autopilot; None if a part of it is unknown."""
    documented: bool
    """Whether GKE's own list has the machine family in the zone; other evidence is weaker."""
    remarks: tuple[Finding, ...]

    @property
    def interruption(self) -> int:
        """0 if only maintenance and repair interrupt the slices, 1 if they end after a time, 2 if at any time."""
        return {"spot": 2, "flex_start": 1, "queued": 1}.get(self.candidate.capacity, 0)


def checked(
    found: Sequence[Candidate],
    need: Need,
    catalog: Catalog,
    today: datetime.date,
    inventory: Document[Inventory] | None,
    *,
    organization: "Document[Organization] | None" = None,
) -> Iterator[Option | CandidateExclusion]:
    """Check each candidate in a cluster of its own, so that no candidate changes the findings about another.

    The rules about the inventory, such as those about quotas, and the standards of the organization about slices check
    each candidate with all of its slices.
    """
    clusters = {f"c{index}": _cluster(candidate, need) for index, candidate in enumerate(found)}
    if not clusters:
        return
    plan = {"version": 1, "project": need.project or PLACEHOLDER_PROJECT, "clusters": clusters}
    result = check_plan(parse_plan(plan), catalog, today)
    by_cluster: dict[str, list[Finding]] = {}
    for finding in (*result.findings, *about_standards(result, organization, inventory)):
        if finding.path[:1] == ("clusters",) and len(finding.path) > 1:
            by_cluster.setdefault(str(finding.path[1]), []).append(finding)
    fleet = result.fleet
    assert fleet is not None
    owned = OwnedReservations.of(inventory.content if inventory is not None else None)
    costs = {cost.group: cost for cost in cost_of(fleet, catalog, owned).groups}
    prices = PriceList(catalog.prices)
    derived = {cluster.key: cluster for cluster in fleet.clusters}
    for key, candidate in zip(clusters, found, strict=True):
        findings = [_without_name(finding, key) for finding in by_cluster.get(key, ())]
        if inventory is not None and inventory.content is not None and need.project is not None:
            findings = [*findings, *_together(result, derived[key], _part_of(inventory, candidate))]
        error = next((item for item in findings if item.severity is Severity.ERROR), None)
        if error is not None:
            yield candidate.excluded(error.message, error.rule)
            continue
        remarks = tuple(item for item in findings if "slices" in item.path or item.related is not None)
        cost = costs[f"{key}/{_GROUP}"]
        if candidate.calendar:
            cost = _in_calendar_mode(cost, prices)
        yield _option(candidate, cost, candidate.zone in _documented(cost.family, candidate, catalog), remarks)


def _without_name(finding: Finding, cluster: str) -> Finding:
    """A finding whose message does not name the cluster and the group, which are in no plan of the user."""
    message = finding.message.replace(f"`{cluster}/{_GROUP}`", "the slices").replace(f"`{cluster}`", "the cluster")
    return dataclasses.replace(finding, message=message)


def about_standards(
    result: CheckedPlan, organization: "Document[Organization] | None", inventory: Document[Inventory] | None
) -> tuple[Finding, ...]:
    """What standards find about the candidates with all of their slices."""
    fleet = result.fleet
    if organization is None or fleet is None:
        return ()
    from pulumi_gke_tpu.features.capacity.rules.organization.together import standards_of_slices, validate_organization

    whole = dataclasses.replace(result, fleet=Fleet(fleet.project, tuple(map(_with_all_slices, fleet.clusters))))
    owned = inventory.content if inventory is not None else None
    standards = standards_of_slices(organization)
    return validate_organization([whole], standards, result.catalog, inventory=owned, today=result.today)


def _with_all_slices(cluster: Cluster) -> Cluster:
    groups = tuple(
        dataclasses.replace(group, slices=Range(group.slices.maximum, group.slices.maximum)) for group in cluster.groups
    )
    return dataclasses.replace(cluster, groups=groups)


def _part_of(inventory: Document[Inventory], candidate: Candidate) -> Document[Inventory]:
    """The part of an inventory that a candidate can use: each check reads all of it."""
    name = candidate.reservation.name if candidate.reservation is not None else None
    return part_of(inventory, name, region_of(candidate.zone))


def _together(result: CheckedPlan, cluster: Cluster, inventory: Document[Inventory]) -> Iterator[Finding]:
    """What the rules about an inventory find about a candidate with all of its slices."""
    whole = _with_all_slices(cluster)
    groups = tuple(dataclasses.replace(group, key=_GROUP) for group in whole.groups)
    alone = Fleet(cluster.project, (dataclasses.replace(whole, groups=groups),))
    plan = dataclasses.replace(result, fleet=alone)
    for finding in validate_inventory([plan], inventory, result.catalog, today=result.today):
        if finding.path[:1] == ("clusters",):
            yield finding


def cluster_keys(candidate: Candidate, need: Need) -> dict[str, object]:
    """The keys of the cluster of a candidate, without its slices."""
    version = {"min_version": need.version} if need.version else {}
    return {"mode": need.mode, "location": region_of(candidate.zone), **version}


def _cluster(candidate: Candidate, need: Need) -> dict[str, object]:
    return {**cluster_keys(candidate, need), "slices": {_GROUP: candidate.group}}


def _documented(family: str, candidate: Candidate, catalog: Catalog) -> Container[str]:
    """The zones that GKE lists for slices of this kind."""
    lists = catalog.zones.families[family]
    single = candidate.slices.hosts_per_slice == 1 and lists.single_host
    return {*lists.documented.zones, *(single.zones if single else ())}


def _in_calendar_mode(cost: GroupCost, prices: PriceList) -> GroupCost:
    """The cost at the price of a reservation in calendar mode."""
    price = prices.find(cost.family, cost.region, "calendar")
    usd = Usd.of(price.usd, cost.chips) if price is not None and price.usd is not None else None
    unknown = prices.missing(cost.family, cost.region, "calendar")
    return dataclasses.replace(cost, price=price, contract=None, usd=usd, unknown=unknown)


def _option(candidate: Candidate, cost: GroupCost, documented: bool, remarks: tuple[Finding, ...]) -> Option:
    known = cost.usd is not None and not cost.premium_unknown
    whole = cost.whole_usd if known else None
    return Option(candidate, cost, whole.maximum if whole else None, documented, remarks)
