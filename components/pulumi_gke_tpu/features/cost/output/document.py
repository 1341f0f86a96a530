"""Costs as a document: a table per plan with every slice group and its alternatives, and notes below it."""

from collections import Counter
from typing import TYPE_CHECKING, TypeVar

from pulumi_gke_tpu.core.estimate import NOT_INCLUDED, shown_usd
from pulumi_gke_tpu.core.text.document.model import Block, Bullets, Cell, Column, Document, Heading, Lines, Page, Table
from pulumi_gke_tpu.core.text.findings import duration_text, listed, number, printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from decimal import Decimal

    from pulumi_gke_tpu.core.estimate import GroupCost, Usd
    from pulumi_gke_tpu.core.estimate.headroom import UnusedReservation
    from pulumi_gke_tpu.features.cost.recommend.alternatives import Alternative
    from pulumi_gke_tpu.features.cost.recommend.costs import CostPeriod, Costs, PlanCosts

_T = TypeVar("_T")
_MOST_GROUPS = 5
_LONGEST = 400
_CONTRACT = "a contract price in the inventory (usd_per_chip_hour of the reservation)"


def notes_of(costs: "Costs") -> "Iterator[str]":
    """The notes, in the order in which a reader needs them."""
    groups = [group for plan in costs.plans for group in plan.cost.groups]
    items = [item for plan in costs.plans for found in plan.alternatives.values() for item in found]
    rates = [*groups, *(item.rate for item in items)]
    if any(rate.doubtful for rate in rates):
        yield "? marks a price of low confidence; no sum includes it"
    bounds = (rate for rate in rates if rate.incomplete and rate.usd is not None and not rate.doubtful)
    if (costs.at_least and costs.total is not None) or any(bounds):
        yield ">= marks a lower bound, because a part of the cost is unknown"
    if items:
        yield "lines with - are alternatives, for the same number of slices"
        yield from _given_up(items)
    yield from _of_unused(costs)
    yield from amount_notes(costs)


def not_offered(costs: "Costs") -> "Iterator[str]":
    """Which capacity modes and reservations a rule or a number keeps from which groups. Each reason once."""
    groups: dict[tuple[str, str], list[str]] = {}
    for plan in costs.plans:
        name = f"{plan.name} " if len(costs.plans) > 1 else ""
        for group, absent in plan.absent.items():
            for item in absent:
                if item.kind != "commitment" and item.name != "queued":
                    key = (item.name, item.exclusion.text)
                    groups.setdefault(key, []).append(f"{name}{printable(group)}")
    for (name, reason), found in groups.items():
        yield f"{name} for {listed(found, most=_MOST_GROUPS)}: {printable(reason, _LONGEST)}"


def reservation_text(item: "UnusedReservation") -> str:
    """A reservation with its project and zone."""
    return printable(f"{item.entry.name}, {item.entry.project} {item.entry.zone}")


def unused_what(costs: "Costs") -> str:
    """What the unused reservations of the table count."""
    return "VMs" if all(item.entry.unit == "VM" for item in costs.unused) else "capacity"


def _of_unused(costs: "Costs") -> "Iterator[str]":
    what = unused_what(costs)
    if costs.unused:
        parts = "the VMs" if what == "VMs" else "the VMs or chips"
        yield (
            f"unused {what}: {parts} of reservations that neither the plans nor others use; no other amount includes "
            "them"
        )
    stand_in = [printable(item.entry.name) for item in costs.unused if item.price is not None]
    if stand_in:
        yield f"unused {what} of {listed(stand_in, most=_MOST_GROUPS)}: at the on-demand price; {_CONTRACT} replaces it"
    for item in costs.unused:
        if item.entry.usd_per_chip_hour is not None:
            yield (
                f"unused {what} of {printable(item.entry.name)}: at the contract price of "
                f"{item.entry.usd_per_chip_hour} USD per chip and hour"
            )
    yield from dict.fromkeys(printable(item.unknown, _LONGEST) for item in costs.unused if item.unknown)


def amount_notes(costs: "Costs") -> "Iterator[str]":
    """Where the amounts come from, and what they do not include."""
    yield from (shared.text for shared in costs.shared)
    yield from _of_runs(costs)
    yield from _of_prices(costs)
    month = costs.periods[2]
    yield f"not included: {', '.join(NOT_INCLUDED)}; a month has {month.hours:,} hours"


def _given_up(items: "Iterable[Alternative]") -> "Iterator[str]":
    """Each fact with the alternatives that it applies to."""
    names: dict[str, dict[str, None]] = {}
    for item in items:
        for fact in item.gives_up:
            names.setdefault(fact, {})[item.name] = None
    for fact, found in names.items():
        yield f"{listed(list(found), most=_MOST_GROUPS)}: {fact}"


def _of_runs(costs: "Costs") -> "Iterator[str]":
    runs = _named((plan.name, run.run, run) for plan in costs.plans for run in plan.runs.runs)
    if runs:
        yield "runs use slices of the groups above, whose totals include them; runs that share slices count once"
    for name, run in runs:
        if run.ends_after is not None:
            yield (f"{name}: its nodes end after {duration_text(run.ends_after)}, so it has to continue on new nodes")


def _named(items: "Iterable[tuple[str, str, _T]]") -> "list[tuple[str, _T]]":
    """Items of plans with their names, and with the plan where two plans have an item of the same name."""
    found = list(items)
    count = Counter(name for _, name, _ in found)
    return [(f"{f'{plan} ' if count[name] > 1 else ''}{printable(name)}", item) for plan, name, item in found]


def _of_prices(costs: "Costs") -> "Iterator[str]":
    groups = _named((plan.name, group.group, group) for plan in costs.plans for group in plan.cost.groups)
    for name, group in groups:
        if group.dynamic and group.each_usd is not None:
            yield f"{name}: {group.slices.counted('cube')}, each {group.each_usd} USD per hour, used or not"
        if len(group.modes) > 1 and group.usd is not None:
            mode = group.mode.replace("_", "-")
            yield f"{name}: at the price of {mode}, the highest known price of its capacity modes"
        if group.contract is not None:
            yield f"{name}: at the contract price of {group.contract} USD per chip and hour"
    stand_in = [name for name, group in groups if group.at_on_demand_price and group.mode == "reservation"]
    if stand_in:
        yield f"{listed(stand_in, most=_MOST_GROUPS)}: at the on-demand price; {_CONTRACT} replaces it"
    queued = [name for name, group in groups if group.at_on_demand_price and group.mode == "queued"]
    if queued:
        yield f"{listed(queued, most=_MOST_GROUPS)}: at the on-demand price; no price of queued capacity is known"
    yield from costs.unknown
    prices = {id(price): price for plan in costs.plans for price in plan.cost.prices}
    for price in prices.values():
        doubt = "" if price.confidence_in("usd") == "high" else f", confidence {price.confidence_in('usd')}"
        model = price.model.replace("_", "-")
        other = f"; {price.disagreement}" if price.conflict else ""
        yield f"{price.family} {price.region} {model}: {price.usd} USD per chip and hour ({price.as_of}{doubt}){other}"


_UNKNOWN = "unknown"
_LOW, _LEAST = "?", ">="
_WIDEST = 15
"""Characters of a range in one line of a cell."""


def cost_page(costs: "Costs") -> Page:
    """The costs of plans with their alternatives, and the notes on prices."""
    return Page(_title(costs), _blocks(costs), heading="Cost of TPU slices")


def _title(costs: "Costs") -> str:
    plans = costs.plans[0].name if len(costs.plans) == 1 else number(len(costs.plans), "plan")
    return f"{plans} · catalog {printable(costs.catalog_version, 60)}"


def _blocks(costs: "Costs") -> Document:
    several = len(costs.plans) > 1
    blocks: list[Block] = []
    for plan in costs.plans:
        if several:
            blocks.append(Heading(plan.name, 3))
        blocks += [_table(plan, costs.periods, with_total=not several), _runs(plan)]
    if several:
        blocks.append(Table(_columns(costs.periods), [_total("all plans", costs.total, costs.at_least, costs.periods)]))
    return [
        *blocks,
        _unused(costs),
        Bullets(list(not_offered(costs)), label="not offered", title="Not offered:"),
        Bullets(list(notes_of(costs)), label="note"),
    ]


def _unused(costs: "Costs") -> Table:
    """The VMs and chips of reservations that no plan uses, which no other amount includes."""
    rows: list[Sequence[Cell]] = []
    what = unused_what(costs)
    for item in costs.unused:
        mark = _LOW if item.doubtful else ""
        amounts = (_cell(item.usd, period, mark) for period in costs.periods)
        rows.append((reservation_text(item), _left(item, "" if what == "VMs" else f" {item.entry.unit}s"), *amounts))
    if len(rows) > 1:
        mark = _LEAST if any(item.usd is None or item.doubtful for item in costs.unused) else ""
        rows.append((f"all unused {what}", "", *(_cell(costs.unused_total, period, mark) for period in costs.periods)))
    columns = (Column("reservation"), Column(f"unused {what}", right=True), *_columns(costs.periods)[1:])
    return Table(columns, rows)


def _left(item: "UnusedReservation", unit: str) -> str:
    left = item.chips if item.vms is None else item.vms
    return f"{left} of {item.entry.size:,}{unit}"


def _columns(periods: "Sequence[CostPeriod]") -> tuple[Column, ...]:
    amounts = (Column(f"USD/{period.name}", right=True, whole=True) for period in periods)
    return (Column("slices, capacity"), *amounts)


def _table(plan: "PlanCosts", periods: "Sequence[CostPeriod]", *, with_total: bool) -> Table:
    rows: list[Sequence[Cell]] = []
    for group in plan.cost.groups:
        rows.append(_group(group, periods))
        rows += [_alternative(item, periods) for item in plan.alternatives[group.group]]
    if with_total or len(plan.cost.groups) > 1:
        rows.append(_total("total", plan.cost.total.usd, plan.cost.total.at_least, periods))
    return Table(_columns(periods), rows)


def _group(group: "GroupCost", periods: "Sequence[CostPeriod]") -> "Sequence[Cell]":
    usd = group.whole_usd
    return (f"{printable(group.group)}, {_mode(group)}", *(_cell(usd, period, _mark(group)) for period in periods))


def _alternative(item: "Alternative", periods: "Sequence[CostPeriod]") -> "Sequence[Cell]":
    return (f"- {item.name}", *(_cell(item.usd, period, _mark(item.rate)) for period in periods))


def _total(name: str, usd: "Usd | None", at_least: bool, periods: "Sequence[CostPeriod]") -> "Sequence[Cell]":
    return (name, *(_cell(usd, period, _LEAST if at_least else "") for period in periods))


def _mode(group: "GroupCost") -> str:
    return ", then ".join(mode.replace("_", "-") for mode in group.modes)


def _mark(cost: "GroupCost") -> str:
    return _LOW if cost.doubtful else _LEAST if cost.incomplete else ""


def _cell(usd: "Usd | None", period: "CostPeriod", mark: str) -> Cell:
    if usd is None:
        return _UNKNOWN
    whole = str(period.cost(usd))
    low, _, high = whole.partition(" .. ")
    return f"{mark}{whole}" if len(whole) <= _WIDEST or not high else Lines((f"{mark}{low}", f".. {high}"))


def _runs(plan: "PlanCosts") -> Table:
    """The runs with their alternatives. The table has no rows if there are no runs."""
    rows: list[Sequence[Cell]] = []
    for run in plan.runs.runs:
        used = f"{run.slices:,} of {printable(run.group)}"
        name = f"{printable(run.run)}, {_mode(run.rate)}"
        rows.append((name, used, duration_text(run.span.length), _amount(run.usd, _mark(run.rate))))
        for each in run.alternatives:
            usd = each.too_short or _amount(each.usd, _mark(each.alternative.rate))
            rows.append((f"- {each.alternative.name}", "", "", usd))
    if rows:
        usd = _amount(plan.runs.total, _LEAST if plan.runs.at_least else "")
        rows.append(("all runs", "", "", usd))
    columns = (Column("run, capacity"), Column("slices"), Column("length"), Column("USD/run", right=True, whole=True))
    return Table(columns, rows)


def _amount(usd: "Decimal | None", mark: str) -> str:
    return _UNKNOWN if usd is None else f"{mark}{shown_usd(usd)}"
