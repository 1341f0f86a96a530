"""Reservations and quota in the report."""

from typing import TYPE_CHECKING

from markupsafe import Markup

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings import printable
from pulumi_gke_tpu.features.report.drawing import bar_svg

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.estimate.headroom import Headroom
    from pulumi_gke_tpu.core.estimate.holdings import Holding, ReservationHolding
    from pulumi_gke_tpu.core.fleet import Range

_NAME = 200


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
        _row(
            f"{_name(item)}{f', in {item.counted.unit}s' if mixed else ''}",
            _level(item),
            item.project,
            item.zone,
            item.counted,
        )
        for item in shown.reservations
    )


def quota_rows(shown: "Headroom") -> tuple[LimitRow, ...]:
    """The quotas of the plans and of the inventory."""
    return tuple(_row(item.metric.label, 0, item.project, item.location, item.chips) for item in shown.quotas)


def _level(item: "ReservationHolding") -> int:
    return 0 if item.block is None else 1 if item.sub_block is None else 2


def _name(item: "ReservationHolding") -> str:
    return (item.name, f"block {item.block}", f"sub-block {item.sub_block}")[_level(item)]


def _left(left: "Range") -> str:
    """What is left, or how many are missing, if the plans have their largest size."""
    return str(left) if left.minimum >= 0 else f"{-left.minimum:,} too few"


def _row(name: str, level: int, project: str, place: str, holding: "Holding") -> LimitRow:
    limit, left, total = holding.limit, holding.left, holding.total
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
        used=str(total),
        limit="unknown" if limit is None else f"{limit:,}",
        other="" if limit is None else f"{holding.in_use:,}",
        left="unknown" if left is None else _left(left),
        share="" if holding.used_percent is None else f"{holding.used_percent:,} %",
        state="unknown" if left is None else "over" if left.minimum < 0 else "full" if not left.minimum else "free",
        svg=Markup(bar_svg(parts, limit)) if limit is not None else Markup(),
    )
