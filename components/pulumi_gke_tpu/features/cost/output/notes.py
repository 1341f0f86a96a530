"""The notes below a table of costs: what marks mean, what alternatives give up, prices. Each fact once."""

from collections import Counter
from typing import TYPE_CHECKING, TypeVar

from pulumi_gke_tpu.core.estimate import NOT_INCLUDED
from pulumi_gke_tpu.core.text.findings import duration_text, listed, printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pulumi_gke_tpu.core.estimate.unused import UnusedReservation
    from pulumi_gke_tpu.features.cost.recommend.alternatives import Alternative
    from pulumi_gke_tpu.features.cost.recommend.costs import Costs

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
        yield f"{price.family} {price.region} {model}: {price.usd} USD per chip and hour ({price.as_of}{doubt})"
