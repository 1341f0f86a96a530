"""Explains what the limits of an inventory leave to a slice group or a cluster."""

from collections.abc import Iterable, Sequence
from typing import Literal

from pulumi_gke_tpu.catalog import Catalog
from pulumi_gke_tpu.estimate.headroom import Headroom
from pulumi_gke_tpu.estimate.holdings import Holding, QuotaHolding, ReservationHolding
from pulumi_gke_tpu.explain.notes import note_named
from pulumi_gke_tpu.explain.steps import Evidence, Step, evidence
from pulumi_gke_tpu.explain.values.group_place import metric_name
from pulumi_gke_tpu.findings import number, printable
from pulumi_gke_tpu.frozen import frozen

_KEYS, _TOPICS = ("inventory",), ("quota",)


@frozen
class _Limit:
    """A reservation, a part of it or a quota, with its use."""

    name: str
    unit: Literal["VM", "chip"]
    holding: Holding
    facts: tuple[Evidence, ...]


def headroom_step(catalog: Catalog, room: Headroom | None, keys: Sequence[str]) -> Step:
    """What is left of every limit that slice groups use, given as cluster/group. ``room`` is None without an inventory.

    The value is the limit with the least left.
    """
    if room is None:
        reason = "gke-tpu compares plans with limits if you give it an inventory: --inventory FILE"
        return Step("headroom", "unknown", reason, keys=_KEYS, topics=_TOPICS)
    limits = [limit for limit in _limits(catalog, room) if any(part.key in keys for part in limit.holding.parts)]
    facts = tuple(dict.fromkeys(fact for limit in limits for fact in limit.facts))
    if not limits:
        reason = "no source names the quota of these slices" if keys else "no slice groups use a limit"
        return Step("headroom", "unknown" if keys else "none", reason, facts, _KEYS, _TOPICS)
    lines = tuple(_line(limit) for limit in limits) if len(limits) > 1 else ()
    known = [(left.minimum, index) for index, limit in enumerate(limits) if (left := limit.holding.left) is not None]
    tightest = limits[min(known)[1]] if known else limits[0]
    reason = f"{_reason(tightest)}; inventory of {room.as_of}" if room.as_of else _reason(tightest)
    return Step("headroom", _value(tightest), reason, facts, _KEYS, _TOPICS, lines)


def _limits(catalog: Catalog, room: Headroom) -> Iterable[_Limit]:
    reserved = evidence(catalog, note_named(catalog, "quota-reservation"))
    for item in room.reservations:
        yield _Limit(_name(item), "VM", item.vms, reserved)
    for quota in room.quotas:
        yield _Limit(_quota(quota), "chip", quota.chips, evidence(catalog, quota.metric, "metric"))


def _name(item: ReservationHolding) -> str:
    parts = (("sub-block", item.sub_block), ("block", item.block), ("reservation", item.name))
    return " of ".join(f"{what} {printable(name)}" for what, name in parts if name is not None)


def _quota(item: QuotaHolding) -> str:
    return f"{metric_name(item.metric).rpartition('/')[2]} in {printable(item.location)}"


def _value(limit: _Limit) -> str:
    left = limit.holding.left
    return f"unknown for {limit.name}" if left is None else f"{left.counted(limit.unit)} of {limit.name} left"


def _reason(limit: _Limit) -> str:
    holding = limit.holding
    if holding.limit is None:
        return f"the inventory has no limit for it; the plan uses {holding.total.counted(limit.unit)}"
    others = f" minus {holding.in_use:,} in other use" if holding.in_use else ""
    return f"limit of {number(holding.limit, limit.unit)}{others} minus {holding.total} in the plan"


def _line(limit: _Limit) -> str:
    return f"{_value(limit)}: {_reason(limit)}"
