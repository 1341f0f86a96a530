"""The quota to request for several plans: limits that are unknown or too low for the largest size of every group."""

from collections.abc import Iterable, Iterator
from typing import Annotated

from pydantic import Field, PlainSerializer

from pulumi_gke_tpu.core.catalog import Catalog, Confidence
from pulumi_gke_tpu.core.catalog.records.capacity import QuotaFacts
from pulumi_gke_tpu.core.estimate.holdings import HoldingPart, QuotaHolding, total_of
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.formats.location import is_zone
from pulumi_gke_tpu.core.text.jsonfile.fields import Count, Hidden, Opaque, OptionalText

_PER_ZONE = "per-project-zone"


@frozen
class QuotaRequest:
    """A quota limit to request, in chips."""

    project: str
    service: str
    quota_id: OptionalText
    """Empty if no source has it; ``metric`` and ``console_name`` then identify the quota."""
    metric: str
    console_name: Hidden[str]
    dimensions: dict[str, str]
    """The dimensions that select the limit: the region or zone, and the machine family where the quota has one."""
    limit: Count | None
    """The current limit; None if it is unknown."""
    least: Count
    """The limit that the smallest size of every group needs, with the use by others."""
    value: Count
    """The limit that the largest size of every group needs, with the use by others and the nodes of upgrades."""
    upgrades: Count
    """The part of ``value`` for the nodes that upgrades add."""
    in_use: Count
    """The part of ``value`` for the use by what is in none of the plans."""
    parts: Annotated[
        tuple[Opaque[HoldingPart], ...],
        PlainSerializer(lambda parts: [part.key for part in parts], return_type=list[str]),
        Field(alias="groups"),
    ]
    """What needs it; in JSON by name."""
    confidence: Confidence
    command: tuple[str, ...]
    """The command that requests the value, or that shows the limit if it is unknown: a lower value would lower it.

    Empty if no source confirms the quota ID.
    """


def quota_requests(holdings: Iterable[QuotaHolding], catalog: Catalog) -> Iterator[QuotaRequest]:
    """A request for each quota whose limit is unknown or too low."""
    for holding in holdings:
        in_use, limit, metric = holding.chips.in_use, holding.chips.limit, holding.metric
        for location, parts in _places(holding):
            total, upgrades = total_of(parts), sum(part.upgrades for part in parts)
            value = in_use + total.maximum + upgrades
            if limit is not None and limit >= value:
                continue
            place = "zone" if is_zone(location) else "region"
            family = {"tpu_family": metric.dimension} if metric.dimension else {}
            dimensions = {place: location, **family}
            quota_id = metric.quota_id if place == "zone" or not metric.quota_id.endswith(_PER_ZONE) else ""
            confidence = metric.confidence_of_use
            yield QuotaRequest(
                project=holding.project,
                service=catalog.quota.service.name,
                quota_id=quota_id,
                metric=metric.metric,
                console_name=metric.console_name,
                dimensions=dimensions,
                limit=limit,
                least=in_use + total.minimum,
                value=value,
                upgrades=upgrades,
                in_use=in_use,
                parts=parts,
                confidence=confidence,
                command=tuple(
                    _command(catalog.quota, holding.project, quota_id, dimensions, None if limit is None else value)
                )
                if quota_id and confidence != "low"
                else (),
            )


def _command(
    quota: QuotaFacts, project: str, quota_id: str, dimensions: dict[str, str], value: int | None
) -> Iterator[str]:
    """The words of the command that requests a value; without a value, of the one that shows the limits."""
    if value is None:
        yield from (*quota.commands.show.split(), quota_id)
    else:
        yield from quota.commands.request.split()
    yield f"--service={quota.service.name}"
    yield f"--project={project}"
    if value is not None:
        keys = ",".join(f"{key}={name}" for key, name in dimensions.items())
        yield from (f"--quota-id={quota_id}", f"--dimensions={keys}", f"--preferred-value={value}")


def _places(holding: QuotaHolding) -> Iterator[tuple[str, tuple[HoldingPart, ...]]]:
    """The places to request the quota in, with what uses it there: the zones, if the quota is per zone."""
    used = [part for part in holding.chips.parts if part.amount.maximum]
    per_zone = holding.entry is None and holding.metric.quota_id.endswith(_PER_ZONE)
    by_place: dict[str, list[HoldingPart]] = {}
    for part in used:
        for zone in part.user.zones if per_zone else ():
            by_place.setdefault(zone, []).append(part.in_zone())
        if not per_zone or not part.user.zones:
            by_place.setdefault(holding.location, []).append(part)
    for place in sorted(by_place):
        yield place, tuple(by_place[place])
