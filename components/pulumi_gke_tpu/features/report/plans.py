"""The tables of the report: plans with slice groups and cost, capacity, and the facts with their sources."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

from markupsafe import Markup

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.facts import Fact
from pulumi_gke_tpu.core.estimate import GroupCost, Usd
from pulumi_gke_tpu.core.estimate.cost import Size, place_of
from pulumi_gke_tpu.core.fleet import Cluster, Range, SliceGroup
from pulumi_gke_tpu.core.fleet.settings import ClusterSettings
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings import duration_text, listed, number, printable, printable_path
from pulumi_gke_tpu.features.report.drawing import bar_svg

if TYPE_CHECKING:
    import datetime
    from collections.abc import Sequence

    from pulumi_gke_tpu.core.estimate.headroom import Headroom
    from pulumi_gke_tpu.core.estimate.holdings import Holding, ReservationHolding
    from pulumi_gke_tpu.core.schedule.events import Calendar
    from pulumi_gke_tpu.features.cost.recommend.alternatives import Alternative
    from pulumi_gke_tpu.features.cost.recommend.costs import Costs, PlanCosts, RunCost

_NAME = 200
LOW = "low confidence"
LEAST = "at least"


@frozen
class Amount:
    """USD, with a mark before it: ``at least`` for a lower bound, ``low confidence``, or nothing."""

    usd: str
    mark: str = ""


@frozen
class GroupRow:
    """A slice group."""

    name: str
    shape: str
    slices: str
    place: str
    capacity: str
    hosts: str
    machine_type: str
    chips: str
    hour: Amount
    month: Amount
    pools: tuple[str, ...]


@frozen
class RunRow:
    """A planned run with its cost."""

    name: str
    group: str
    slices: str
    start: str
    length: str
    usd: Amount


@frozen
class AlternativeRow:
    """Another way to get the slices of a group."""

    group: str
    name: str
    hour: Amount
    month: Amount
    difference: str
    """To the cost of the group at its largest size, in percent; empty if one of them is unknown."""
    remarks: tuple[str, ...]


@frozen
class ClusterPart:
    """A cluster of a plan."""

    name: str
    about: str
    rows: tuple[GroupRow, ...]
    maintenance: tuple[str, ...]


@frozen
class PlanPart:
    """A plan."""

    name: str
    project: str
    size: str
    hour: Amount
    month: Amount
    clusters: tuple[ClusterPart, ...]
    runs: tuple[RunRow, ...]
    all_runs: Amount
    all_lengths: str
    alternatives: tuple[AlternativeRow, ...]


def plan_part(plan: "PlanCosts", size: Size) -> PlanPart:
    """A plan with its cost."""
    costs = {cost.group: cost for cost in plan.cost.groups}
    total = plan.cost.total
    mark = LEAST if total.at_least else ""
    return PlanPart(
        name=printable_path(plan.name),
        project=printable(plan.fleet.project, _NAME),
        size=f"{number(size.groups, 'slice group')}, {size.chips.counted('chip')}",
        hour=hourly(total.usd, mark),
        month=monthly(total.usd, mark),
        clusters=tuple(_cluster(cluster, costs) for cluster in plan.fleet.clusters),
        runs=tuple(map(_run, plan.runs.runs)),
        all_runs=once(plan.runs.total, LEAST if plan.runs.at_least else ""),
        all_lengths=lengths_of([run.span.length for run in plan.runs.runs]),
        alternatives=tuple(
            _alternative(item, costs[group]) for group, found in plan.alternatives.items() for item in found
        ),
    )


def savings_text(costs: "Costs") -> str:
    """What the cheapest alternative of each slice group saves in a month, and the unused capacity of reservations.

    Empty if nothing can be saved for certain. Slices on a reservation cost no less before the reservation ends.
    """
    saved, names = Decimal(0), dict[str, None]()
    for group in (group for plan in costs.plans for group in plan.groups if "reservation" not in group.cost.modes):
        own = None if group.cost.doubtful or group.cost.incomplete else group.cost.whole_usd
        sure = [item for item in group.alternatives if not item.rate.doubtful and not item.at_least]
        known = [(item.usd.maximum, item.name) for item in sure if item.usd is not None]
        if own is not None and known and min(known)[0] < own.maximum:
            saved += own.maximum - min(known)[0]
            names[min(known)[1]] = None
    parts = []
    if saved:
        parts.append(f"up to {_month_text(saved)} with the cheapest alternatives ({listed(list(names), most=3)})")
    if costs.unused_total is not None and costs.unused_total.minimum:
        parts.append(f"{_month_text(costs.unused_total.minimum)} without the unused capacity of reservations")
    return f"Possible savings in USD per month: {', and '.join(parts)}." if parts else ""


def _month_text(hourly: Decimal) -> str:
    return Usd(hourly, hourly).per_month.short


def lengths_of(lengths: "Sequence[datetime.timedelta]") -> str:
    """The number of runs and their lengths: ``3 runs, 1 d to 10 d long``; empty without runs."""
    if not lengths:
        return ""
    texts = dict.fromkeys((duration_text(min(lengths)), duration_text(max(lengths))))
    return f"{number(len(lengths), 'run')}, {' to '.join(texts)} long"


def hourly(usd: Usd | None, mark: str) -> Amount:
    """An amount per hour."""
    return Amount("unknown") if usd is None else Amount(usd.rounded, mark)


def monthly(usd: Usd | None, mark: str) -> Amount:
    """The amount per month, from an amount per hour."""
    return Amount("unknown") if usd is None else Amount(usd.per_month.rounded, mark)


def once(usd: Decimal | None, mark: str) -> Amount:
    """The amount of a run."""
    return Amount("unknown") if usd is None else Amount(Usd(usd, usd).rounded, mark)


def _mark(cost: GroupCost) -> str:
    return LOW if cost.doubtful else LEAST if cost.incomplete else ""


def _cluster(cluster: Cluster, costs: dict[str, GroupCost]) -> ClusterPart:
    existing = ", exists already" if cluster.existing else ""
    stated = ClusterSettings(cluster).release_channel.value
    channel = f", release channel {stated}" if stated else ""
    return ClusterPart(
        name=printable(cluster.key, _NAME),
        about=f"{cluster.mode.capitalize()}, {printable(cluster.location)}{channel}{existing}",
        rows=tuple(_group(cluster, group, costs[group.key]) for group in cluster.groups),
        maintenance=tuple(_maintenance(cluster)),
    )


def _maintenance(cluster: Cluster) -> Iterator[str]:
    written = cluster.plan.maintenance
    if cluster.existing:
        yield "The maintenance of an existing cluster is not in the plan."
    elif written is None or written.window is None:
        yield "No maintenance window: GKE can upgrade at any time."
    else:
        window = written.window
        days = ", ".join(window.days) if window.days else window.recurrence or "every day"
        yield f"Window from {window.start:%H:%M} UTC for {duration_text(window.duration)} ({printable(days)})."
    for name, exclusion in (written.exclusions if written else {}).items():
        end = f"to {exclusion.end:%Y-%m-%d %H:%M} UTC" if exclusion.end else "UTC to the end of support"
        scope = exclusion.scope.replace("_", " ")
        yield f"Exclusion {printable(name, _NAME)}: {exclusion.start:%Y-%m-%d %H:%M} {end}, {scope}."


def _group(cluster: Cluster, group: SliceGroup, cost: GroupCost) -> GroupRow:
    shape, mark = group.shape, _mark(cost)
    return GroupRow(
        name=printable(group.name, _NAME),
        shape=f"{shape.generation} {shape.topology}",
        slices=group.counted,
        place=place_of(cluster, group),
        capacity=", then ".join(mode.replace("_", "-") for mode in group.capacity_modes),
        hosts=str(group.hosts),
        machine_type=shape.machine_type,
        chips=str(group.chips),
        hour=hourly(cost.whole_usd, mark),
        month=monthly(cost.whole_usd, mark),
        pools=tuple(printable(pool.name) for pool in group.pools),
    )


def _alternative(item: "Alternative", own: GroupCost) -> AlternativeRow:
    mark, usd = _mark(item.rate), item.usd
    difference = ""
    if usd is not None and own.whole_usd is not None and own.whole_usd.maximum:
        percent = round((usd.maximum / own.whole_usd.maximum - 1) * 100)
        difference = f"{percent:+,} %".replace("-", "\N{MINUS SIGN}") if percent else "the same"
    return AlternativeRow(
        group=printable(own.group, _NAME),
        name=item.name,
        hour=hourly(usd, mark),
        month=monthly(usd, mark),
        difference=difference,
        remarks=tuple(printable(fact, _NAME) for fact in item.gives_up),
    )


def _run(run: "RunCost") -> RunRow:
    return RunRow(
        name=printable(run.run, _NAME),
        group=printable(run.group, _NAME),
        slices=number(run.slices, "slice"),
        start=f"{run.span.start:%Y-%m-%d %H:%M}",
        length=duration_text(run.span.length),
        usd=once(run.usd, _mark(run.rate)),
    )


@frozen
class LimitRow:
    """A reservation or a part of it, or a quota."""

    name: str
    level: int
    """0 for a reservation or quota, 1 for a block, 2 for a sub-block."""
    project: str
    place: str
    used: str
    limit: str
    other: str
    left: str
    share: str
    """The used part at the maximum, in percent."""
    state: str
    """over, full or free; unknown without a limit."""
    svg: Markup


def reservation_rows(shown: "Headroom") -> tuple[LimitRow, ...]:
    """The reservations, each followed by its blocks."""
    mixed = any(item.chips is not None for item in shown.reservations)
    return tuple(
        _limit_row(
            f"{_name(item)}{f', in {item.counted.unit}s' if mixed else ''}",
            _level(item),
            item.project,
            item.zone,
            item.counted,
            grows_to=_grows_to(item.counted),
        )
        for item in shown.reservations
    )


def quota_rows(shown: "Headroom") -> tuple[LimitRow, ...]:
    """The quotas of the plans and of the inventory."""
    return tuple(_limit_row(item.metric.label, 0, item.project, item.location, item.chips) for item in shown.quotas)


def _level(item: "ReservationHolding") -> int:
    return 0 if item.block is None else 1 if item.sub_block is None else 2


def _name(item: "ReservationHolding") -> str:
    return (item.name, f"block {item.block}", f"sub-block {item.sub_block}")[_level(item)]


def _left(left: "Range") -> str:
    """What is left, or how many are missing, if the plans have their largest size."""
    return str(left) if left.minimum >= 0 else f"{-left.minimum:,} too few"


def _grows_to(holding: "Holding") -> int | None:
    """What the groups on a reservation can use of it, if they have room for their smallest sizes only."""
    left, most = holding.left, holding.available
    return most if left is not None and left.minimum < 0 <= left.maximum else None


def share_text(holding: "Holding") -> str:
    """The part of a reservation that is used at most, in percent; empty if its size is unknown."""
    percent = 100 if _grows_to(holding) is not None else holding.used_percent
    return "" if percent is None else f"{percent:,} %"


def _limit_row(
    name: str, level: int, project: str, place: str, holding: "Holding", *, grows_to: int | None = None
) -> LimitRow:
    """``grows_to`` is where autoscaling ends, if that is below the sum of the maxima."""
    limit, left, total = holding.limit, holding.left, holding.total
    used, share = str(total), "" if holding.used_percent is None else f"{holding.used_percent:,} %"
    if grows_to is not None and left is not None:
        used = f"{Range(total.minimum, grows_to)}, maxima {total.maximum:,}"
        share, left, total = share_text(holding), Range(0, left.maximum), Range(total.minimum, grows_to)
    parts = (
        ("other", holding.in_use),
        ("certain", total.minimum),
        ("possible", total.maximum - total.minimum),
    )
    return LimitRow(
        name=printable(name, _NAME),
        level=level,
        project=printable(project, _NAME),
        place=printable(place, _NAME),
        used=used,
        limit="unknown" if limit is None else f"{limit:,}",
        other="" if limit is None else f"{holding.in_use:,}",
        left="unknown" if left is None else _left(left),
        share=share,
        state="unknown" if left is None else "over" if left.minimum < 0 else "full" if not left.minimum else "free",
        svg=Markup(bar_svg(parts, limit)) if limit is not None else Markup(),
    )


@frozen
class SourceRow:
    """A fact that the report uses. ``sources`` has a title and an address, which is empty for a source without one."""

    fact: str
    sources: tuple[tuple[str, str], ...]
    as_of: str
    confidence: str
    conflict: str


def sources_of(headroom: "Headroom", costs: "Costs", calendar: "Calendar", catalog: Catalog) -> Iterator[SourceRow]:
    """The facts about generations, prices, quotas and maintenance in the report, each once."""
    groups = [group for plan in costs.plans for _, group in plan.fleet.groups()]
    for name in sorted({group.shape.generation for group in groups}):
        generation = catalog.generation(name)
        yield _source_row(f"{name}: chip", generation.chip, catalog)
        yield _source_row(f"{name}: topologies", generation.topologies, catalog)
    prices = {id(price): price for plan in costs.plans for price in plan.cost.prices}
    for price in prices.values():
        title = f"Price of {price.family} in {price.region}, {price.model.replace('_', '-')}: {price.usd} USD"
        yield _source_row(title, price, catalog, item="usd")
    found = (group.premium for plan in costs.plans for group in plan.cost.groups)
    for premium in {id(premium): premium for premium in found if premium is not None}.values():
        yield _source_row(
            f"Autopilot premium of {premium.family} in {premium.region}: {premium.usd} USD", premium, catalog
        )
    for metric in {id(item.metric): item.metric for item in headroom.quotas}.values():
        yield _source_row(f"Quota {metric.label}", metric, catalog)
    supports = {item.support.version: item.support.fact for item in calendar.support}
    for version, fact in sorted(supports.items()):
        if fact is not None:
            yield _source_row(f"End of support of GKE {version}", fact, catalog)
    for note in calendar.notes:
        yield _source_row(note.text, note, catalog)


def _source_row(title: str, fact: Fact, catalog: Catalog, item: str = "") -> SourceRow:
    return SourceRow(
        fact=printable(title, 400),
        sources=tuple(_links(fact.source, catalog)),
        as_of=fact.as_of,
        confidence=fact.confidence_in(item) if item else fact.confidence,
        conflict=printable(fact.conflict, 1000),
    )


def _links(ids: Sequence[str], catalog: Catalog) -> Iterator[tuple[str, str]]:
    for name in ids:
        source = catalog.sources.get(name)
        link = source.link if source is not None else ""
        yield printable(source.title if source else name, 300), link if link.startswith("https://") else ""
