"""Explains what slice groups and clusters cost: the amount, the price behind it, and what other sources say."""

import dataclasses
from collections.abc import Iterable
from decimal import Decimal

from pulumi_gke_tpu.catalog import Catalog
from pulumi_gke_tpu.estimate import GroupCost, Usd, cost_of
from pulumi_gke_tpu.estimate.reservations import OwnedReservations
from pulumi_gke_tpu.explain.prices import dated, price_lines, prices_of
from pulumi_gke_tpu.explain.steps import Evidence, Step, evidence
from pulumi_gke_tpu.explain.values.group_shape import GroupView
from pulumi_gke_tpu.findings import listed, printable
from pulumi_gke_tpu.fleet import Cluster, Fleet

_KEYS, _TOPICS = ("prices", "cost"), ("cost",)
_HOURS_PER_DAY = Decimal(24)


def group_price(view: GroupView, owned: OwnedReservations, *, with_prices: bool) -> Step:
    """The cost of a group per hour, with the price of its capacity mode or of its contract."""
    alone = Fleet(view.cluster.project, (dataclasses.replace(view.cluster, groups=(view.group,)),))
    cost = cost_of(alone, view.catalog, owned).groups[0]
    lines = price_lines(view.catalog, cost.family, cost.region, view.cluster.mode) if with_prices else ()
    facts = tuple(_facts(view.catalog, cost))
    usd = cost.whole_usd
    if cost.usd is None or usd is None:
        return Step("price", "unknown", cost.unknown or "no price is known", facts, _KEYS, _TOPICS, lines)
    reasons = [
        _rate(view, cost),
        view.group.chips.counted("chip"),
        f"{usd.times(_HOURS_PER_DAY)} USD per day and {usd.per_month} per month",
        *_premium(cost),
        cost.left_out,
        *_disagreement(view.catalog, cost),
    ]
    reason = "; ".join(text for text in reasons if text)
    return Step("price", _per_hour(usd, at_least=cost.incomplete), reason, facts, _KEYS, _TOPICS, lines)


def cluster_price(catalog: Catalog, cluster: Cluster, owned: OwnedReservations) -> Step:
    """The cost of all groups of a cluster per hour."""
    cost = cost_of(Fleet(cluster.project, (cluster,)), catalog, owned)
    total, fee = cost.total.usd, cost.cluster_fee
    reason = "the sum of its slice groups" if cost.groups else "the cluster has no slice groups"
    if total is not None:
        reason += f"; {total.times(_HOURS_PER_DAY)} USD per day and {total.per_month} per month"
    reason += "".join(f"; {text}" for text in cost.unknown)
    lines = [f"{item.group}: {_amount(item)}" for item in cost.groups]
    lines.append(f"cluster fee, not included: {fee.usd} USD per hour (as of {fee.as_of})")
    facts = tuple(dict.fromkeys([fact for item in cost.groups for fact in _facts(catalog, item)]))
    value = _per_hour(total, at_least=cost.total.at_least)
    return Step("price", value, reason, facts + evidence(catalog, fee), _KEYS, _TOPICS, tuple(lines))


def _per_hour(usd: Usd | None, *, at_least: bool) -> str:
    return "unknown" if usd is None else f"{'at least ' if at_least else ''}{usd} USD per hour"


def _amount(cost: GroupCost) -> str:
    return cost.unknown if cost.usd is None else _per_hour(cost.whole_usd, at_least=cost.incomplete)


def _facts(catalog: Catalog, cost: GroupCost) -> Iterable[Evidence]:
    """The captures of the prices; where there is none, those that found a price without its amount."""
    if cost.price is not None:
        yield from evidence(catalog, cost.price, "usd")
    elif cost.contract is None:
        for price in prices_of(catalog, cost.family, cost.region):
            yield from evidence(catalog, price, "usd")
    if cost.premium is not None:
        yield from evidence(catalog, cost.premium)


def _rate(view: GroupView, cost: GroupCost) -> str:
    """The price of a chip, and why it is this one."""
    if cost.contract is not None:
        reservation = view.group.plan.capacity.reservation
        name = printable(reservation.name) if reservation is not None else ""
        return f"{cost.contract} USD per chip-hour, the price of reservation {name} in the inventory"
    assert cost.price is not None
    model = cost.price.model.replace("_", "-")
    text = f"{cost.price.usd} USD per chip-hour, the {model} price of {cost.family} in {cost.region}"
    if cost.mode == "reservation":
        text += ", because the inventory has no price of the reservation (usd_per_chip_hour)"
    elif cost.at_on_demand_price:
        text += ", because no source documents the price of queued capacity"
    if len(cost.modes) > 1:
        text += f", the most expensive of {listed([mode.replace('_', '-') for mode in cost.modes])}"
    return text


def _premium(cost: GroupCost) -> Iterable[str]:
    if cost.premium is not None:
        yield f"this includes the Autopilot premium of {cost.premium.usd} USD per chip-hour"
    if cost.premium_unknown:
        yield cost.premium_unknown


def _disagreement(catalog: Catalog, cost: GroupCost) -> Iterable[str]:
    """Other amounts that the catalog has for the same price."""
    used = cost.price
    if used is None:
        return
    others = [
        f"{price.usd} ({dated(price)})"
        for price in prices_of(catalog, cost.family, cost.region)
        if price.model == used.model and price.usd not in (None, used.usd)
    ]
    if others:
        yield (
            f"other sources have {listed(others)}; gke-tpu uses the price with the highest confidence, then the newest"
        )
