"""Costs as a document: a table per plan with every slice group and its alternatives, and the notes on prices."""

from typing import TYPE_CHECKING

from pulumi_gke_tpu.core.estimate import shown_usd
from pulumi_gke_tpu.core.text.document.model import (
    Block,
    Bullets,
    Cell,
    Column,
    Document,
    Heading,
    Lines,
    Page,
    Table,
)
from pulumi_gke_tpu.core.text.findings import duration_text, number, printable
from pulumi_gke_tpu.features.cost.output.notes import not_offered, notes_of, reservation_text, unused_what

if TYPE_CHECKING:
    from collections.abc import Sequence
    from decimal import Decimal

    from pulumi_gke_tpu.core.estimate import GroupCost, Usd
    from pulumi_gke_tpu.core.estimate.unused import UnusedReservation
    from pulumi_gke_tpu.features.cost.recommend.alternatives import Alternative
    from pulumi_gke_tpu.features.cost.recommend.costs import CostPeriod, Costs, PlanCosts

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
