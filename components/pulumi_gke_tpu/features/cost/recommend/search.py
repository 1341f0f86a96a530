"""Searches the catalog for slices that meet a need, checks them as plans, ranks them, and writes one as a plan."""

import dataclasses
import datetime
from collections.abc import Container, Iterable, Iterator, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.generation import Advice
from pulumi_gke_tpu.core.estimate import GroupCost, PriceList, Usd, cost_of, shown_usd
from pulumi_gke_tpu.core.estimate.reservations import OwnedReservations
from pulumi_gke_tpu.core.fleet import Cluster, Fleet, Range
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan import Document, parse_plan
from pulumi_gke_tpu.core.plan.inventory import Inventory
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Finding, Severity, printable
from pulumi_gke_tpu.core.text.findings.emit import emit_block
from pulumi_gke_tpu.core.text.formats.names import region_of
from pulumi_gke_tpu.core.text.jsonfile.fields import Amount
from pulumi_gke_tpu.features.capacity.rules.inventory.together import validate_inventory
from pulumi_gke_tpu.features.cost.recommend.candidates import (
    CALENDAR_RESERVATION,
    Candidate,
    CandidateExclusion,
    Need,
    Slices,
    candidates,
    largest_slice,
)

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.plan.organization import Organization


def part_of(inventory: Document[Inventory], reservation: str | None, region: str) -> Document[Inventory]:
    """The reservations of a name and the quotas of a region; no reservation if ``reservation`` is None."""
    content = inventory.content
    assert content is not None
    used = [entry for entry in content.reservations if entry.name == reservation]
    quotas = [entry for entry in content.quotas if region_of(entry.region) == region]
    return Document(content.model_copy(update={"reservations": used, "quotas": quotas}))


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
    def rules(self) -> tuple[str, ...]:
        """The rules that remark something, each once."""
        return tuple(sorted({remark.rule for remark in self.remarks}))

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
    clusters = {f"c{index}": _cluster(candidate, need, f"c{index}") for index, candidate in enumerate(found)}
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
    message = message.replace(f"{CALENDAR_RESERVATION}-{cluster}", CALENDAR_RESERVATION)
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


def _cluster(candidate: Candidate, need: Need, key: str) -> dict[str, object]:
    """The cluster of a candidate; a reservation to request in calendar mode is one of its own."""
    own = {"capacity": {"reservation": f"{CALENDAR_RESERVATION}-{key}"}} if candidate.calendar else {}
    return {**cluster_keys(candidate, need), "slices": {_GROUP: candidate.group | own}}


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


_SECONDS_PER_HOUR = 3600
SIMILAR_COST = Decimal("1.05")
"""The factor up to which fewer slices of a training job count more than the cost."""


@frozen
class ZonePrice:
    """A zone for the same slices, with its cost per hour."""

    zone: str
    usd: Annotated[Amount | None, Field(alias="usd_per_hour")]
    rules: tuple[str, ...] = ()
    """The rules with a remark about the slices there."""


@frozen
class Row:
    """Slices of a generation with the same number of chips and hosts, in one capacity mode.

    Its zones are all on GKE's own list for the machine family, or none of them is.
    """

    option: Option
    """In the cheapest zone, with the fewest slices."""
    variants: tuple[Slices, ...]
    """Other slices with the same number of chips and hosts in this zone."""
    places: tuple[ZonePrice, ...]
    """The other zones, the cheapest first."""
    efficient: bool
    """Whether no other row is better in one of cost, chips, interruption and hosts, and as good in the others."""
    advice: Advice | None
    """The advice of Google's planning page that the row follows."""

    @property
    def follows_advice(self) -> bool:
        """Whether Google's planning page advises it."""
        return self.advice is not None


@frozen
class Recommendation:
    """Every option that meets a need, the best first, and why everything else is left out."""

    need: Need
    rows: tuple[Row, ...]
    exclusions: tuple[CandidateExclusion, ...]
    advice: Advice
    """The advice of Google's planning page for a need of this size."""
    over_budget: Option | None = None
    """The cheapest option that costs more than the budget."""


def recommend(
    need: Need,
    catalog: Catalog,
    inventory: Document[Inventory] | None = None,
    *,
    today: datetime.date,
    organization: "Document[Organization] | None" = None,
) -> Recommendation:
    """Search generations, topologies, machine types, zones, capacity modes and numbers of slices.

    What the standards of the organization refuse is left out.
    """
    owned = OwnedReservations.of(inventory.content if inventory is not None else None)
    outcomes = list(candidates(need, catalog, owned, today))
    excluded = [item for item in outcomes if isinstance(item, CandidateExclusion)]
    dearer: list[Option] = []

    def options(some: Iterable[Candidate]) -> Iterator[Option]:
        """The candidates that the rules and the budget allow."""
        for result in checked(list(some), need, catalog, today, inventory, organization=organization):
            over = _over_budget(result, need) if isinstance(result, Option) else result
            if over is not None:
                excluded.append(over)
                if isinstance(result, Option) and result.usd is not None:
                    dearer.append(result)
            elif isinstance(result, Option):
                yield result

    groups = _groups(item for item in outcomes if isinstance(item, Candidate))
    found: list[Option] = []
    waiting = groups
    while waiting:  # the first of each group, and the next one only if a rule or the budget excludes it
        allowed = list(options(group[0] for group in waiting.values()))
        found += allowed
        done = {_key(option.candidate) for option in allowed}
        waiting = {key: group[1:] for key, group in waiting.items() if key not in done and len(group) > 1}
    advice = _advice(need, catalog)
    rows = ranked(found, need)
    best = {_key(row[0].candidate): row[0] for row in rows}
    others = (
        item for key, first in best.items() for item in groups[key] if item.slices.count > first.candidate.slices.count
    )
    variants: dict[_Key, list[Slices]] = {}
    for option in options(others):
        if option.rules == best[_key(option.candidate)].rules:
            variants.setdefault(_key(option.candidate), []).append(option.candidate.slices)
    front = efficient([row[0] for row in rows], need)
    return Recommendation(
        need,
        tuple(
            _row(row, is_efficient, tuple(variants.get(_key(row[0].candidate), ())), advice)
            for row, is_efficient in zip(rows, front, strict=True)
        ),
        tuple(excluded),
        advice,
        min(dearer, key=lambda option: (_spent(option, need), _rank(option, need)), default=None),
    )


_Key = tuple[object, ...]


def _key(candidate: Candidate) -> _Key:
    """What candidates have in common that differ only in the number of their slices."""
    slices, reserved = candidate.slices, candidate.reservation
    name = reserved and reserved.name
    capacity = (candidate.capacity, candidate.calendar, name)
    return candidate.generation, candidate.zone, capacity, slices.hosts, slices.chips


def _groups(found: Iterable[Candidate]) -> dict[_Key, list[Candidate]]:
    """Candidates that differ only in the number of their slices, the fewest first."""
    groups: dict[_Key, list[Candidate]] = {}
    for candidate in found:
        groups.setdefault(_key(candidate), []).append(candidate)
    for group in groups.values():
        group.sort(key=lambda candidate: (candidate.slices.count, candidate.slices.topology))
    return groups


def cost_of_run(usd_per_hour: Decimal, run: datetime.timedelta) -> Decimal:
    """The cost of a run."""
    return usd_per_hour * Decimal(int(run.total_seconds())) / _SECONDS_PER_HOUR


def run_cost(option: Option, need: Need) -> Decimal | None:
    """The cost of the run of a need, or of the shortest time that is paid; None if there is no run or no price."""
    if option.usd is None or need.run is None:
        return None
    return cost_of_run(option.usd, max(need.run, option.candidate.shortest))


def _over_budget(option: Option, need: Need) -> CandidateExclusion | None:
    budget = need.budget
    if budget is None:
        return None
    if option.usd is None:
        return option.candidate.excluded(f"{option.cost.unknown or option.cost.premium_unknown}, and there is a budget")
    if _spent(option, need) <= budget.usd:
        return None
    return option.candidate.excluded(f"the cost exceeds the budget of {shown_usd(budget.usd)} USD per {budget.per}")


def _spent(option: Option, need: Need) -> Decimal:
    """What the budget has to cover: an hour, or the run."""
    assert option.usd is not None
    of_run = run_cost(option, need) if need.budget is not None and need.budget.per == "run" else None
    return option.usd if of_run is None else of_run


def _advice(need: Need, catalog: Catalog) -> Advice:
    """The advice for the size of the need: one host, one slice, or several slices of the generations it names."""
    choices = catalog.advice.choices
    hosts, slices = [], []
    for name in choices["small"].generations:
        generation = catalog.generation(name)
        chips = need.chips_of(generation.chip)
        if chips is not None:
            largest = max(
                (machine.chips for machine in generation.machine_types.values() if machine.documented), default=0
            )
            hosts.append(chips <= largest)
            slices.append(chips <= largest_slice(generation, need))
    return choices["small" if any(hosts) else "large" if any(slices) else "largest"]


def ranked(options: Sequence[Option], need: Need) -> list[list[Option]]:
    """The options of each row, which differ only in the zone, the cheapest first; the best row first.

    Rows for training whose costs differ little are sorted by the number of slices: fewer and larger slices exchange
    less data over the network of the data center. The cheapest row begins a class of all rows that cost at most 5 %
    more; the cheapest of the others begins the next class. So no row is before one that costs over 5 % less.
    """
    same: dict[_Key, list[Option]] = {}
    for option in sorted(options, key=lambda option: _rank(option, need)):
        generation, _, *rest = _key(option.candidate)
        family = (option.candidate.slices.machine_type or "").partition("-")[0]  # families have zones of their own
        same.setdefault((option.documented, generation, family, *rest), []).append(option)
    rows = list(same.values())
    if need.use == "serving":
        return rows
    found: list[list[Option]] = []
    while rows:
        first = rows[0][0]
        similar = [row for row in rows if _is_similar(first, row[0], need)]
        rows = [row for row in rows if not _is_similar(first, row[0], need)]
        found += sorted(similar, key=lambda row: row[0].candidate.slices.count)
    return found


def _is_similar(first: Option, other: Option, need: Need) -> bool:
    """Whether an option costs little more than the first one of a class."""
    if first.documented != other.documented:
        return False
    one, two = compared_cost(first, need), compared_cost(other, need)
    return one is two if one is None or two is None else two <= one * SIMILAR_COST


def compared_cost(option: Option, need: Need) -> Decimal | None:
    """The cost to compare: of the run, or without one of an hour."""
    return option.usd if need.run is None else run_cost(option, need)


def _row(options: Sequence[Option], is_efficient: bool, variants: tuple[Slices, ...], advice: Advice) -> Row:
    best, *others = options
    single = best.candidate.slices.hosts_per_slice == 1
    named = not advice.generations or best.candidate.generation in advice.generations
    follows = named and single == (advice.hosts == "single") and (best.candidate.slices.count > 1 or not advice.several)
    return Row(
        option=best,
        variants=variants,
        places=tuple(ZonePrice(option.candidate.zone, option.usd, option.rules) for option in others),
        efficient=is_efficient,
        advice=advice if follows else None,
    )


def _rank(option: Option, need: Need) -> tuple[object, ...]:
    """Zones of GKE's own list first; then cost, hosts, slices; then options without warnings."""
    candidate = option.candidate
    slices = candidate.slices
    usd = compared_cost(option, need)
    cost = (usd is None, usd or Decimal(0))
    place = (candidate.generation, slices.topology, slices.chips_per_host, candidate.zone, candidate.mode)
    return (not option.documented, *cost, slices.hosts, slices.count, option.interruption, len(option.remarks), *place)


def efficient(options: Sequence[Option], need: Need) -> tuple[bool, ...]:
    """Whether each option is in the Pareto set: low cost, many chips, few interruptions, few hosts.

    An unknown cost is higher than any other, and a zone that GKE does not list is worse than one that it lists.
    """
    measured = [_measures(option, need) for option in options]
    distinct = set(measured)
    return tuple(not any(_better(other, mine) for other in distinct) for mine in measured)


_Measures = tuple[bool, Decimal, int, int, int]


def _better(one: _Measures, other: _Measures) -> bool:
    return one != other and all(one[index] <= other[index] for index in range(len(one)))


def _measures(option: Option, need: Need) -> _Measures:
    usd = compared_cost(option, need)
    cost = usd if usd is not None else Decimal("Infinity")
    slices = option.candidate.slices
    return not option.documented, cost, -slices.chips, option.interruption, slices.hosts


_LONGEST = 1000


def emitted_plan(option: Option, need: Need) -> str:
    """A plan with the slices of an option in one cluster, with the warnings about them as comments."""
    candidate = option.candidate
    comments = [f"{remark.rule}: {printable(remark.message, _LONGEST)}" for remark in option.remarks]
    if candidate.calendar:
        comments.append(
            f"Request the reservation in calendar mode first, and write its name for {CALENDAR_RESERVATION}."
        )
    slices = {f"{candidate.generation}-{candidate.slices.topology}": candidate.group}
    cluster = {**cluster_keys(candidate, need), "slices": slices}
    plan = {"version": 1, "project": need.project or PLACEHOLDER_PROJECT, "clusters": {"tpu": cluster}}
    lines = [*(f"# {comment}" for comment in comments), *(emit_block(name, value) for name, value in plan.items())]
    return "".join(f"{line}\n" for line in lines)
