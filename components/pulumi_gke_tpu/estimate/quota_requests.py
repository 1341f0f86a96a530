"""The quota to request for several plans: limits that are unknown or too low for the largest size of every group."""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.catalog import Catalog, Confidence
from pulumi_gke_tpu.estimate.holdings import Part, QuotaHolding
from pulumi_gke_tpu.estimate.quota_model import metric_confidence
from pulumi_gke_tpu.formats.location import is_zone
from pulumi_gke_tpu.frozen import frozen


@frozen
class QuotaRequest:
    """A quota limit to request, in chips."""

    project: str
    service: str
    quota_id: str
    """Empty if no source has it; ``metric`` and ``console_name`` then identify the quota."""
    metric: str
    console_name: str
    dimensions: dict[str, str]
    """The dimensions that select the limit: the region or zone, and the machine family where the quota has one."""
    limit: int | None
    """The current limit; None if it is unknown."""
    least: int
    """The limit that the smallest size of every group needs, with the use by others."""
    value: int
    """The limit that the largest size of every group needs, with the use by others."""
    parts: tuple[Part, ...]
    """The groups that need it."""
    confidence: Confidence


def quota_requests(holdings: Iterable[QuotaHolding], catalog: Catalog) -> Iterator[QuotaRequest]:
    """A request for each quota whose limit is unknown or too low."""
    for holding in holdings:
        in_use, metric = holding.chips.in_use, holding.metric
        for location, parts in _places(holding):
            least, value = (in_use + sum(bounds) for bounds in zip(*map(_bounds, parts), strict=True))
            limit = holding.chips.limit
            if limit is not None and limit >= value:
                continue
            family = {"tpu_family": metric.dimension} if metric.dimension else {}
            yield QuotaRequest(
                project=holding.project,
                service=catalog.quota.service.name,
                quota_id=metric.quota_id,
                metric=metric.metric,
                console_name=metric.console_name,
                dimensions={"zone" if is_zone(location) else "region": location, **family},
                limit=limit,
                least=least,
                value=value,
                parts=parts,
                confidence=metric_confidence(metric),
            )


_PER_ZONE = "per-project-zone"


def _places(holding: QuotaHolding) -> Iterator[tuple[str, tuple[Part, ...]]]:
    """The places to request the quota in, with the groups there: zones, if the quota is per zone."""
    used = [part for part in holding.chips.parts if part.amount.maximum]
    by_place: dict[str, list[Part]] = {}
    for part in used:
        zone = part.group.zone if holding.entry is None and holding.metric.quota_id.endswith(_PER_ZONE) else None
        by_place.setdefault(zone or holding.location, []).append(part)
    for place in sorted(by_place):
        yield place, tuple(by_place[place])


def _bounds(part: Part) -> tuple[int, int]:
    return part.amount.minimum, part.amount.maximum
