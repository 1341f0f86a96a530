"""Reservations and quota that plans use, as JSON for programs."""

from typing import TYPE_CHECKING, Any, Literal

from pulumi_gke_tpu.core.estimate.quota_requests import QuotaRequest
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.output.json import FindingsDocument, findings_document
from pulumi_gke_tpu.core.text.findings import format_path
from pulumi_gke_tpu.core.text.jsonfile.fields import Count, OptionalText
from pulumi_gke_tpu.core.text.jsonfile.form import schema_of, to_data

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pulumi_gke_tpu.core.estimate import QuotaNeed
    from pulumi_gke_tpu.core.estimate.headroom import Headroom
    from pulumi_gke_tpu.core.estimate.holdings import Holding, HoldingPart, QuotaHolding, ReservationHolding
    from pulumi_gke_tpu.core.text.findings import Finding


@frozen
class UserRecord:
    """A slice group that uses a limit, or the auto-provisioned chips of a cluster."""

    plan: str
    group: str
    """cluster/group, or cluster/autoprovisioning."""
    path: str
    minimum: Count
    maximum: Count
    upgrades: Count
    """The use by the nodes that upgrades add at most; in addition to the maximum."""


@frozen
class UseRecord:
    """The use of a limit: VMs of a reservation, chips of a quota."""

    minimum: Count
    """The smallest size of every slice group."""
    maximum: Count
    """The largest size of every slice group, and all auto-provisioned chips."""
    limit: Count | None
    """None if it is unknown."""
    in_use: Count
    """The use by what is in none of the plans."""
    left_at_minimum: int | None
    """Negative if the plans exceed the limit; None if the limit is unknown."""
    left_at_maximum: int | None
    upgrades: Count
    """The use by the nodes that upgrades add at most; in addition to the maximum."""
    users: tuple[UserRecord, ...]


@frozen
class ReservationRecord:
    """A reservation, or a block or sub-block of it."""

    project: str
    zone: str
    name: str
    block: str | None
    sub_block: str | None
    in_inventory: bool
    vms: UseRecord
    """Without a limit if the reservation counts chips."""
    chips: UseRecord | None
    """None if the reservation counts VMs. Its blocks count VMs anyway."""


@frozen
class QuotaUseRecord:
    """A quota in a region or zone."""

    project: str
    location: str
    metric: str
    dimension: OptionalText
    in_inventory: bool
    chips: UseRecord


@frozen
class UnknownQuotaRecord:
    """Chips whose quota no source names."""

    project: str
    region: str
    families: tuple[str, ...]
    minimum: Count
    maximum: Count
    groups: tuple[str, ...]


@frozen
class HeadroomDocument:
    """What ``gke-tpu quota --format json`` writes."""

    format: Literal[1]
    """The version of this format. A new key keeps it; removing or changing a key raises it."""
    plans: tuple[str, ...]
    catalog: str
    """Version of the catalog: a date."""
    inventory_as_of: str | None
    reservations: tuple[ReservationRecord, ...]
    quotas: tuple[QuotaUseRecord, ...]
    requests: tuple[QuotaRequest, ...]
    unknown: tuple[UnknownQuotaRecord, ...]
    findings: FindingsDocument


def headroom_json(shown: "Headroom", findings: "Iterable[Finding]") -> dict[str, Any]:
    """The use as data for ``json.dumps``."""
    return to_data(
        HeadroomDocument(
            format=1,
            plans=shown.plans,
            catalog=shown.catalog_version,
            inventory_as_of=str(shown.as_of) if shown.as_of else None,
            reservations=tuple(map(_reservation, shown.reservations)),
            quotas=tuple(map(_quota, shown.quotas)),
            requests=shown.requests,
            unknown=tuple(map(_unknown, shown.unknown)),
            findings=findings_document(tuple(findings)),
        )
    )


def headroom_schema() -> dict[str, Any]:
    """The JSON Schema of :func:`headroom_json`."""
    return schema_of(
        HeadroomDocument,
        title="Use of reservations and quota",
        description="What `gke-tpu quota --format json` writes. Reservations are in VMs or chips, quota in chips.",
    )


def _reservation(item: "ReservationHolding") -> ReservationRecord:
    return ReservationRecord(
        project=item.project,
        zone=item.zone,
        name=item.name,
        block=item.block,
        sub_block=item.sub_block,
        in_inventory=item.entry is not None,
        vms=_use(item.vms),
        chips=_use(item.chips) if item.chips is not None else None,
    )


def _quota(item: "QuotaHolding") -> QuotaUseRecord:
    return QuotaUseRecord(
        project=item.project,
        location=item.location,
        metric=item.metric.metric,
        dimension=item.metric.dimension,
        in_inventory=item.entry is not None,
        chips=_use(item.chips),
    )


def _use(holding: "Holding") -> UseRecord:
    return UseRecord(
        minimum=holding.total.minimum,
        maximum=holding.total.maximum,
        limit=holding.limit,
        in_use=holding.in_use,
        left_at_minimum=holding.left.maximum if holding.left else None,
        left_at_maximum=holding.left.minimum if holding.left else None,
        upgrades=holding.upgrades,
        users=tuple(map(_user, holding.parts)),
    )


def _user(part: "HoldingPart") -> UserRecord:
    return UserRecord(
        plan=part.member.name,
        group=part.key,
        path=format_path(part.path),
        minimum=part.amount.minimum,
        maximum=part.amount.maximum,
        upgrades=part.upgrades,
    )


def _unknown(need: "QuotaNeed") -> UnknownQuotaRecord:
    return UnknownQuotaRecord(
        project=need.project,
        region=need.region,
        families=need.families,
        minimum=need.chips.minimum,
        maximum=need.chips.maximum,
        groups=need.groups,
    )
