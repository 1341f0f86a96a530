"""The texts of a change, the same in a terminal and in Markdown."""

import dataclasses
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any

from pulumi_gke_tpu.core.estimate import HOURS_PER_MONTH, Usd
from pulumi_gke_tpu.core.estimate.prices import shown_usd
from pulumi_gke_tpu.core.fleet import Range
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.property_values import ABSENT, plain
from pulumi_gke_tpu.core.plan.base import Unknown
from pulumi_gke_tpu.core.text.document.model import Line, Prose
from pulumi_gke_tpu.core.text.document.terminal import cut_path
from pulumi_gke_tpu.core.text.findings import listed, number, quoted
from pulumi_gke_tpu.features.diff.effects.pools import contradict
from pulumi_gke_tpu.features.diff.engine.model import Report
from pulumi_gke_tpu.features.diff.model import (
    AcknowledgementUse,
    AutoChange,
    CapacityChange,
    ChangeReport,
    ChangeTotals,
    CostChange,
    ItemChange,
    ResourceChange,
    SourcedReason,
    Unclear,
    UseChange,
    WrittenChange,
)
from pulumi_gke_tpu.features.diff.output.engine import headline_text
from pulumi_gke_tpu.features.diff.output.labels import PULUMI, Words, effects, plan_label, words_of

_LONGEST_VALUE = 120
_LONGEST_NAME = 150
_MOST_PLANS = 5


@frozen
class TotalRow:
    """One line of the totals."""

    what: str
    was: str
    will: str
    change: str
    """Empty if the numbers are equal."""


def headline(report: Report, errors: int) -> str:
    """Errors, effects, and the difference in chips and cost, in one line."""
    wrong = f"{number(errors, 'error')} in the plans or the change" if errors else ""
    change = report.change
    said = _happening(change) if change.plans else "no plans compared"
    return " · ".join(part for part in (wrong, unclear_text(change), said, headline_text(report.engine)) if part)


def _happening(report: ChangeReport) -> str:
    parts = effects(report.items, words_of(report).groups)
    changed = objects_text(report)
    if not parts:
        return changed or ("no other changes" if report.unclear else words_of(report).nothing)
    chips = range_change(report.totals.capacity.was.chips, report.totals.capacity.will.chips)
    money = cost_change(report.totals.cost)
    unit = "chip" if chips in ("+1", "-1") else "chips"
    found = [", ".join(parts), f"{chips} {unit}" if chips else "same chips", money, *([changed] if changed else [])]
    return " · ".join(found)


def cost_change(cost: CostChange) -> str:
    """The change of the cost per hour."""
    if cost.was is None or cost.will is None:
        return "cost unknown"
    known = " (known prices only)" if cost.incomplete else ""
    return f"{usd_change(cost.was, cost.will) or 'same cost'}{' USD/h' if cost.was != cost.will else ''}{known}"


def month_change(cost: CostChange) -> str:
    """The change of the cost per month for a title; empty if it is unknown."""
    if cost.was is None or cost.will is None:
        return ""
    grown = _cost_rows(cost)[1].change
    known = " (known prices)" if cost.incomplete else ""
    return f"{grown} USD/month{known}" if grown else f"same cost{known}"


def range_change(was: Range, will: Range) -> str:
    """``+256``, ``0..+64``; empty without a change."""
    if was == will:
        return ""
    low, high = sorted((will.minimum - was.minimum, will.maximum - was.maximum))
    return f"{low:+,}" if low == high else f"{_signed(low)}..{_signed(high)}"


def usd_change(was: Usd, will: Usd) -> str:
    """``+691.20``, ``0 .. +89.81``; empty without a change."""
    if was == will:
        return ""
    low, high = sorted((will.minimum - was.minimum, will.maximum - was.maximum))
    return _signed_usd(low) if low == high else f"{_signed_usd(low)} .. {_signed_usd(high)}"


def _signed(number: int) -> str:
    return f"{number:+,}" if number else "0"


def _signed_usd(amount: Decimal) -> str:
    return f"+{shown_usd(amount)}" if amount > 0 else shown_usd(amount)


def total_rows(totals: ChangeTotals) -> list[TotalRow]:
    """The totals line by line: slices, hosts, chips, cost, and the places, reservations and quotas that change."""
    capacity = totals.capacity
    return [
        _range_row("slices", capacity.was.slices, capacity.will.slices),
        _range_row("hosts", capacity.was.hosts, capacity.will.hosts),
        _range_row("chips", capacity.was.chips, capacity.will.chips),
        *(_place_row(place) for place in totals.places if place.was != place.will),
        *_cost_rows(totals.cost),
        *(row for auto in totals.auto if auto.was != auto.will for row in _auto_rows(auto)),
        *(_use_row(use, totals.uses) for use in totals.uses if use.was != use.will or _too_few(use)),
    ]


def _range_row(what: str, was: Range, will: Range) -> TotalRow:
    return TotalRow(what, str(was), str(will), range_change(was, will))


def _place_row(place: CapacityChange) -> TotalRow:
    return _range_row(f"chips {place.generation} {place.place}", place.was.chips, place.will.chips)


def _auto_rows(auto: AutoChange) -> list[TotalRow]:
    """What node auto-provisioning may create in addition: no sum contains it."""
    name = f"auto {auto.generation} {auto.place}"
    chips, usd = _range_row(f"{name}, chips (not in the total)", auto.was, auto.will), _cost_rows(auto.cost)[0]
    return [chips, TotalRow(f"{name}, {usd.what} (not in the total)", usd.was, usd.will, usd.change)]


def _cost_rows(cost: CostChange) -> list[TotalRow]:
    known = ", known prices only" if cost.incomplete else ""
    was, will = cost.was, cost.will
    change = usd_change(was, will) if was and will else ""
    hours = TotalRow(f"USD per hour{known}", str(was or "unknown"), str(will or "unknown"), change)
    if not was or not will:
        return [hours]
    low, high = _by_month(will.minimum) - _by_month(was.minimum), _by_month(will.maximum) - _by_month(was.maximum)
    grown = range_change(Range.ZERO, Range(*sorted((low, high))))
    months = TotalRow(f"USD per month (730 h){known}", str(_months(was)), str(_months(will)), grown)
    return [hours, months]


def _months(amount: Usd) -> Range:
    """A month, in whole dollars."""
    return Range(_by_month(amount.minimum), _by_month(amount.maximum))


def _by_month(amount: Decimal) -> int:
    return int((amount * HOURS_PER_MONTH).to_integral_value())


def _too_few(use: UseChange) -> bool:
    return use.limit is not None and use.will.maximum > use.limit


def _use_row(use: UseChange, all_uses: Sequence[UseChange]) -> TotalRow:
    of = f" of {use.limit:,}" if use.limit is not None else ""
    alike = [other for other in all_uses if (other.kind, other.name, other.place) == (use.kind, use.name, use.place)]
    owner = f"{use.project}, " if len(alike) > 1 else ""
    return TotalRow(
        f"{use.kind} {use.name} ({owner}{use.place}), {use.unit}s",
        f"{use.was}{of}",
        f"{use.will}{of}{', too few' if _too_few(use) else ''}",
        range_change(use.was, use.will),
    )


def order_texts(report: ChangeReport) -> Iterator[Line]:
    """Which plans to apply first, for each limit that they share, and whether no order suits all limits."""
    for order in report.order:
        first, then = (
            [f"{quoted(plan_label(use.plan))} ({verb} {number(use.amount, order.unit)})" for use in uses]
            for uses, verb in ((order.frees, "frees"), (order.takes, "takes"))
        )
        limit = number(order.limit, f"available {order.unit}")
        yield Prose(
            f"Apply {listed(first, most=_MOST_PLANS)} first, then {listed(then, most=_MOST_PLANS)}: {order.kind} "
            f"{quoted(order.name)} in {quoted(order.place)} has {limit}."
        )
    if contradict(report.order):
        yield Prose("No order suits all of them: change one of the plans in two steps.")


def compared_text(report: ChangeReport, longest: int = _LONGEST_NAME) -> str:
    """The two sides of the comparison, in one line. A name of more than ``longest`` columns loses its first folders."""
    sides = f"{cut_path(report.base, longest)} → {cut_path(report.head, longest)}"
    if report.plans == (report.head,):
        return sides
    plans = listed([cut_path(plan_label(plan), longest) for plan in report.plans], most=_MOST_PLANS)
    return f"{sides}: {plans or 'no plans'}"


def written_text(item: ItemChange, most: int, words: Words = PULUMI) -> list[str]:
    """The changed keys of the plan, one per line; at most ``most`` lines."""
    moved = [f"moved from {item.former_item}"] if item.former_item and item.former_item != item.item else []
    lines = [*moved, *map(_written, item.written)]
    if not lines and item.gone:
        lines = [words.removed]
    elif not lines and not item.former_item:
        lines = ["new"]
    return lines if len(lines) <= most else [*lines[: most - 1], f"and {len(lines) - most + 1:,} more"]


def _written(change: WrittenChange) -> str:
    if not change.was:
        return f"{change.key}: {change.will} (new)"
    if not change.will:
        return f"{change.key}: {change.was} → not set"
    return f"{change.key}: {change.was} → {change.will}"


def consequence_text(item: ItemChange) -> str:
    """The consequence, the reason of a failure, and the end of the acknowledgement."""
    parts = [item.consequence, item.refused]
    use = item.acknowledged
    if use is not None and use.state == "used":
        parts.append(f"Acknowledged until {use.until}{' (new in this change)' if use.new else ''}.")
    return " ".join(part for part in parts if part)


def state_text(use: AcknowledgementUse, items: Iterable[ItemChange]) -> str:
    """The state of an acknowledgement among the changed items. One of a replacement also allows a restart."""
    changes = {item.change for item in items if item.acknowledged == use}
    texts = {
        "used": "also allows this restart" if changes == {"restart"} else "matches this change",
        "lifting": "lifts the protection; not used by a change yet",
        "not on base": "not accepted because it is not on the base yet",
    }
    return f"{texts.get(use.state, use.state)}{', new in this change' if use.new else ''}"


def fact_text(fact: SourcedReason) -> str:
    """A fact with its source, and with its confidence if that is not high."""
    doubt = "" if fact.confidence == "high" else f" (confidence {fact.confidence})"
    if not fact.source:
        return f"{fact.text}{doubt}"
    return f"{fact.text} {'Sources' if '; ' in fact.source else 'Source'}: {fact.source}{doubt}."


def short_fact_text(fact: SourcedReason) -> str:
    """A fact with the first of its sources."""
    source, more, _ = fact.source.partition("; ")
    return fact_text(dataclasses.replace(fact, source=f"{source}, and other sources" if more else source))


def resource_text(resource: ResourceChange) -> str:
    """A resource by type and name: ``NodePool train-east/pretrain/pretrain-0``."""
    return f"{resource.type.rsplit(':', 1)[-1]} {resource.name}"


def operation_text(resource: ResourceChange) -> str:
    """The operation of the engine on a resource."""
    if resource.operation == "replace":
        return "replace: delete, then create" if resource.delete_first else "replace: create, then delete"
    return resource.operation


def value_text(value: Any) -> str:
    """The value of a property, shortened. A value that is known only after the update is not guessed."""
    if value is ABSENT:
        return "not set"
    if isinstance(value, Unknown):
        return "known after apply"
    shown = value if isinstance(value, str) else json.dumps(plain(_marked(value)), ensure_ascii=False)
    return shown if len(shown) <= _LONGEST_VALUE else f"{shown[: _LONGEST_VALUE - 1]}…"


def _marked(value: Any) -> Any:
    """A value in which a text replaces everything that is known only after the update."""
    if value is ABSENT or isinstance(value, Unknown):
        return value_text(value)
    if isinstance(value, dict):
        return {key: _marked(item) for key, item in value.items()}
    return [_marked(item) for item in value] if isinstance(value, list | tuple) else value


def unchanged_text(report: ChangeReport) -> str:
    """The number of unchanged items and resources."""
    items, resources = report.unchanged_items, report.unchanged_resources
    return f"Unchanged: {number(items, 'item')}, {number(resources, 'resource')}"


_DONE = {"create": "created", "update": "updated", "replace": "replaced", "delete": "deleted"}


def objects_text(report: ChangeReport) -> str:
    """How many objects change, and in which way; empty if none does."""
    counts = Counter[str](item.operation for item in report.objects)
    ways = listed([f"{counts[name]:,} {done}" for name, done in _DONE.items() if counts[name]], "")
    return f"{number(len(report.objects), 'Kubernetes object')} changed: {ways}" if ways else ""


NOT_COMPARED = "NOT COMPARED"
_UNCLEAR_MEANS = {
    "base": "The effect of this change on it is unknown: it may be replaced or deleted. The totals do not include it.",
    "head": "The effect of this change on it is unknown. The totals do not include it.",
    "moved": "",
}


def left_out(report: ChangeReport) -> tuple[Unclear, ...]:
    """The plans and items that are not compared. Plans that only moved are compared."""
    return tuple(entry for entry in report.unclear if entry.kind != "moved")


def unclear_text(report: ChangeReport) -> str:
    """The number of plans and items that are not compared, and of plans in a new folder; empty if none."""
    entries = left_out(report)
    plans = sum(not entry.item for entry in entries)
    moved = len(report.unclear) - len(entries)
    parts = [
        number(plans, "plan") + " not compared" if plans else "",
        number(len(entries) - plans, "item") + " not compared" if len(entries) > plans else "",
        number(moved, "plan") + " moved to another folder" if moved else "",
    ]
    return ", ".join(filter(None, parts))


def unclear_place(entry: Unclear) -> str:
    """The plan and its item."""
    return f"{entry.plan} · {entry.item}" if entry.item else entry.plan


def unclear_reason(entry: Unclear) -> str:
    """The reason that it is not compared, and the result."""
    return f"{entry.reason[:1].upper()}{entry.reason[1:]}. {_UNCLEAR_MEANS[entry.kind]}".rstrip()
