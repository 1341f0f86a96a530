"""Explains the price of a cluster or a slice group: the amounts, the fact or contract behind them, what is unknown."""

import dataclasses
from collections.abc import Iterator
from decimal import Decimal

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.capacity import Price
from pulumi_gke_tpu.core.estimate import (
    NOT_INCLUDED,
    AutoProvisioned,
    GroupCost,
    Usd,
    autoprovisioned,
    cost_of,
    shown_usd,
)
from pulumi_gke_tpu.core.fleet import Cluster, Fleet
from pulumi_gke_tpu.core.text.findings import listed, number, printable
from pulumi_gke_tpu.features.explain.offers import dated, price_lines, prices_of
from pulumi_gke_tpu.features.explain.steps import Evidence, Step, evidence
from pulumi_gke_tpu.features.explain.values.group_shape import GroupView
from pulumi_gke_tpu.features.explain.values.surroundings import Surroundings

_KEYS = ("prices", "cost")
_TOPICS = ("cost",)
_HOURS_PER_DAY = Decimal(24)


def group_price(view: GroupView, around: Surroundings, *, with_prices: bool) -> Step:
    """The cost of a group, with the price of its capacity mode in the catalog, or of its contract in the inventory.

    Prices that disagree with the one used are in the reason.
    """
    catalog, group = view.catalog, view.group
    alone = Fleet(view.cluster.project, (dataclasses.replace(view.cluster, groups=(group,)),))
    cost = cost_of(alone, catalog, around.owned).groups[0]
    known = tuple(price_lines(catalog, cost.family, cost.region, view.cluster.mode)) if with_prices else ()
    entry = around.owned.entry_of(view.cluster, group) if cost.contract is not None else None
    usd = cost.whole_usd if cost.usd is not None else None
    reasons = [cost.unknown or "no price is known"]
    if usd is not None:
        rate = [_rate(view, cost)] if cost.contract is not None or cost.price is not None else []
        reasons = [*rate, group.chips.counted("chip"), _longer(usd), *_premium(cost), cost.left_out]
        reasons += _disagreement(catalog, cost)
    return Step(
        "price",
        _per_hour(usd, at_least=cost.incomplete),
        "; ".join(filter(None, reasons)),
        _facts(catalog, cost),
        _KEYS,
        _TOPICS,
        known or tuple(_looked_at(catalog, cost)),
        follows_from=("total", "capacity", "zones" if group.zone is None and group.zones else "zone"),
        owned=((*around.entry_path(entry), "usd_per_chip_hour"),) if entry is not None else (),
    )


def cluster_price(catalog: Catalog, cluster: Cluster, around: Surroundings) -> Step:
    """The cost of all groups of a cluster, and what it does not include."""
    fleet = Fleet(cluster.project, (cluster,))
    cost, auto = cost_of(fleet, catalog, around.owned), autoprovisioned(fleet, catalog)
    total, fee = cost.total.usd, cost.cluster_fee
    reasons = ["the sum of its slice groups" if cost.groups else "the cluster has no slice groups"]
    reasons += [_longer(total)] if total is not None else []
    lines = [f"{item.group}: {_amount(item)}" for item in cost.groups]
    lines += [_auto_line(item) for item in auto]
    lines.append(f"not included: {listed(NOT_INCLUDED[:-1])}")
    lines.append(f"cluster fee, not included: {fee.usd} USD per hour (as of {fee.as_of})")
    facts = [fact for item in cost.groups for fact in _facts(catalog, item)]
    facts += [fact for item in auto for price in item.prices for fact in evidence(catalog, price, "usd")]
    entries = dict.fromkeys(
        around.entry_path(entry)
        for group in cluster.groups
        if (entry := around.owned.entry_of(cluster, group)) is not None and entry.usd_per_chip_hour is not None
    )
    return Step(
        "price",
        _per_hour(total, at_least=cost.total.at_least),
        "; ".join([*reasons, *cost.unknown]),
        (*dict.fromkeys(facts), *evidence(catalog, fee)),
        _KEYS,
        _TOPICS,
        tuple(lines),
        follows_from=("total",),
        owned=tuple((*path, "usd_per_chip_hour") for path in entries),
    )


def _per_hour(usd: Usd | None, *, at_least: bool) -> str:
    return "unknown" if usd is None else f"{'at least ' if at_least else ''}{usd} USD per hour"


def _longer(usd: Usd) -> str:
    """The amount for a day and for a month."""
    return f"{usd.times(_HOURS_PER_DAY)} USD per day and {usd.per_month} per month"


def _amount(cost: GroupCost) -> str:
    if cost.usd is None:
        return cost.unknown
    return "; ".join(filter(None, (_per_hour(cost.whole_usd, at_least=cost.incomplete), cost.premium_unknown)))


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


def _premium(cost: GroupCost) -> Iterator[str]:
    if cost.premium is not None:
        yield f"this includes the Autopilot premium of {cost.premium.usd} USD per chip-hour"
    if cost.premium_unknown:
        yield cost.premium_unknown


def _disagreement(catalog: Catalog, cost: GroupCost) -> Iterator[str]:
    """Other amounts that the catalog has for the same price."""
    others = [f"{price.usd} ({dated(price)})" for price in _others(catalog, cost)]
    if others:
        yield (
            f"other sources have {listed(others)}; gke-tpu uses the price with the highest confidence, then the newest"
        )


def _others(catalog: Catalog, cost: GroupCost) -> list[Price]:
    used = cost.price
    if used is None:
        return []
    prices = prices_of(catalog, cost.family, cost.region)
    return [price for price in prices if price.model == used.model and price.usd not in (None, used.usd)]


def _looked_at(catalog: Catalog, cost: GroupCost) -> Iterator[str]:
    """Which prices the catalog has instead of an unknown one."""
    if cost.unknown:
        found = _nearby(catalog, cost)
        if found:
            texts = dict.fromkeys(f"{price.model} in {price.region}" for price in found)
            yield f"the sources of the catalog have these prices of {cost.family}: {listed(list(texts), most=8)}"
        else:
            yield f"the catalog has no price of {cost.family}"


def _nearby(catalog: Catalog, cost: GroupCost) -> tuple[Price, ...]:
    """The prices of the family in the region, or else in all regions."""
    return prices_of(catalog, cost.family, cost.region) or prices_of(catalog, cost.family)


def _facts(catalog: Catalog, cost: GroupCost) -> tuple[Evidence, ...]:
    """The price with others that disagree and the premium; the prices that were looked at, where one is unknown.

    The price of a contract has the price of the catalog that it replaces.
    """
    facts = [*evidence(catalog, cost.price, "usd"), *evidence(catalog, cost.premium)]
    facts += [fact for price in _others(catalog, cost) for fact in evidence(catalog, price, "usd")]
    if cost.contract is not None:
        replaced = (price for price in prices_of(catalog, cost.family, cost.region) if price.model == "on_demand")
        facts += [fact for price in replaced for fact in evidence(catalog, price, "usd")]
    elif cost.unknown or cost.price is None:
        facts += [fact for price in _nearby(catalog, cost) for fact in evidence(catalog, price, "usd")]
    return tuple(dict.fromkeys(facts)) or evidence(catalog, catalog.prices.cluster_fee)


def _auto_line(item: AutoProvisioned) -> str:
    chips = number(item.chips.maximum, f"{item.generation} chip")
    amount = f"up to {shown_usd(item.usd.maximum)} USD per hour" if item.usd is not None else "unknown"
    return f"not included: up to {chips} that auto-provisioning may create, {amount}" + (
        f"; {item.unknown}" if item.unknown else ""
    )
