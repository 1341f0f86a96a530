"""Costs as a document: a table per plan with every slice group and its alternatives, and the notes on prices."""

from typing import TYPE_CHECKING

from pulumi_gke_tpu.document.markdown_writer import write_markdown
from pulumi_gke_tpu.document.model import Block, Bullets, Column, Document, Heading, Paragraph, Table
from pulumi_gke_tpu.document.text_writer import write_text
from pulumi_gke_tpu.estimate import NOT_INCLUDED, Usd
from pulumi_gke_tpu.findings import number, printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pulumi_gke_tpu.estimate import GroupCost
    from pulumi_gke_tpu.recommend.alternatives import Alternative
    from pulumi_gke_tpu.recommend.costs import Costs, Period, PlanCosts

_UNKNOWN = "unknown"
_LOW = "?"


def cost_text(costs: "Costs", *, width: int, color: bool) -> str:
    """Show costs in a terminal, in lines of at most ``width`` columns where words allow it."""
    return write_text([Heading(_title(costs)), *_blocks(costs)], width=width, color=color)


def cost_markdown(costs: "Costs") -> str:
    """Costs as Markdown. Text from a plan cannot change the markup around it."""
    return write_markdown([Heading("Cost of TPU slices", 2), Paragraph(_title(costs)), *_blocks(costs)])


def _title(costs: "Costs") -> str:
    plans = costs.plans[0].name if len(costs.plans) == 1 else number(len(costs.plans), "plan")
    return f"{plans} · catalog {printable(costs.catalog_version, 60)}"


def _blocks(costs: "Costs") -> Document:
    several = len(costs.plans) > 1
    blocks: list[Block] = []
    for plan in costs.plans:
        if several:
            blocks.append(Heading(plan.name, 3))
        blocks.append(_table(plan, costs.periods, with_total=not several))
    if several:
        total = _total("all plans", costs.total, bool(costs.unknown), costs.periods)
        blocks.append(Table(_columns(costs.periods), [total]))
    return [*blocks, Bullets(list(_notes(costs)), label="note")]


def _columns(periods: "Sequence[Period]") -> tuple[Column, ...]:
    amounts = (Column(f"USD/{period.name}", right=True, whole=True) for period in periods)
    return (Column("slices", whole=True), Column("capacity", whole=True), *amounts)


def _table(plan: "PlanCosts", periods: "Sequence[Period]", *, with_total: bool) -> Table:
    rows: list[Sequence[str]] = []
    for group in plan.cost.groups:
        rows.append(_group(group, periods))
        rows += [_alternative(item, periods) for item in plan.alternatives[group.group]]
    if with_total or len(plan.cost.groups) > 1:
        rows.append(_total("total", plan.cost.total.usd, plan.cost.total.at_least, periods))
    return Table(_columns(periods), rows)


def _group(group: "GroupCost", periods: "Sequence[Period]") -> "Sequence[str]":
    amounts = _amounts(group.whole_usd, periods, _LOW if group.doubtful else "")
    return (printable(group.group), group.mode.replace("_", "-"), *amounts)


def _alternative(item: "Alternative", periods: "Sequence[Period]") -> "Sequence[str]":
    usd = None if item.usd is None else Usd(item.usd, item.usd)
    return ("-", printable(item.name), *_amounts(usd, periods, _LOW if item.confidence == "low" else ""))


def _total(name: str, usd: "Usd | None", at_least: bool, periods: "Sequence[Period]") -> "Sequence[str]":
    return (name, "at least" if at_least else "", *_amounts(usd, periods))


def _amounts(usd: "Usd | None", periods: "Sequence[Period]", mark: str = "") -> list[str]:
    return [_UNKNOWN if usd is None else f"{mark}{period.cost(usd)}" for period in periods]


def _notes(costs: "Costs") -> "Iterator[str]":
    items = [item for plan in costs.plans for found in plan.alternatives.values() for item in found]
    groups = [group for plan in costs.plans for group in plan.cost.groups]
    if any(item.confidence == "low" for item in items) or any(group.doubtful for group in groups):
        yield f"{_LOW} marks a price of low confidence; no sum includes it"
    if items:
        yield "lines with - are alternatives for the maximum size of the group above them"
    yield from dict.fromkeys(f"{_kind(item)}: {'; '.join(item.gives_up)}" for item in items if item.gives_up)
    for group in groups:
        if group.contract is not None:
            yield f"{printable(group.group)}: at the contract price of {group.contract} USD per chip and hour"
    if any(group.at_on_demand_price for group in groups):
        yield "slices on a reservation: at the on-demand price, because the inventory has no price of a contract"
    yield from (f"{reason}, so the total is a lower bound" for reason in costs.unknown)
    prices = {id(price): price for plan in costs.plans for price in plan.cost.prices}
    for price in prices.values():
        doubt = "" if price.confidence_in("usd") == "high" else f", confidence {price.confidence_in('usd')}"
        model = price.model.replace("_", "-")
        yield f"{price.family} {price.region} {model}: {price.usd} USD per chip and hour ({price.as_of}{doubt})"
    yield f"not included: {', '.join(NOT_INCLUDED)}; a month has {costs.periods[2].hours:,} hours"


def _kind(item: "Alternative") -> str:
    return "another zone" if item.kind == "zone" else item.name
