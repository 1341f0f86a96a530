"""Reservations and quota that plans use, as JSON for programs."""

from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pulumi_gke_tpu.core.estimate import QuotaNeed
from pulumi_gke_tpu.core.estimate.headroom import Headroom, QuotaRequest
from pulumi_gke_tpu.core.estimate.holdings import CubesHolding, Holding, HoldingPart, QuotaHolding, ReservationHolding
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.output.json import FindingsDocument, findings_document
from pulumi_gke_tpu.core.text.findings import Finding
from pulumi_gke_tpu.core.text.jsonfile.fields import Count, Day, OptionalText
from pulumi_gke_tpu.core.text.jsonfile.form import schema_of, to_data
from pulumi_gke_tpu.core.text.jsonfile.keys import Key, Keys

UserJson = Annotated[
    HoldingPart,
    Keys(
        "User",
        Key("plan", "member.name"),
        Key("group", "key", text="cluster/group, or cluster/autoprovisioning."),
        "path",
        Key("minimum", "amount.minimum", Count),
        Key("maximum", "amount.maximum", Count),
        Key("upgrades", form=Count, text="The use by the nodes that upgrades add at most; in addition to the maximum."),
        text="A slice group that uses a limit, or the auto-provisioned chips of a cluster.",
    ),
]
UseJson = Annotated[
    Holding,
    Keys(
        "Use",
        Key("minimum", "total.minimum", Count, "The smallest size of every slice group."),
        Key(
            "maximum",
            "total.maximum",
            Count,
            "The largest size of every slice group, and all auto-provisioned chips.",
        ),
        Key("limit", form=Count | None),
        Key("in_use", form=Count),
        Key(
            "left_at_minimum",
            "left.maximum",
            int | None,
            "Negative if the plans exceed the limit; null if the limit is unknown.",
        ),
        Key("left_at_maximum", "left.minimum", int | None),
        Key("upgrades", form=Count, text="The use by the nodes that upgrades add at most; in addition to the maximum."),
        Key("users", "parts", tuple[UserJson, ...], "What uses the limit."),
        text="The use of a limit: VMs of a reservation, chips of a quota.",
    ),
]
CubesJson = Annotated[
    CubesHolding,
    Keys(
        "Cubes",
        Key("size", form=Count, text="The VMs of a cube; its chips if the reservation counts chips."),
        Key("minimum", "total.minimum", Count),
        Key("maximum", "total.maximum", Count),
        Key("limit", form=Count | None, text="null if the size of the reservation is unknown."),
        Key("left_at_minimum", "left.maximum", int | None),
        Key("left_at_maximum", "left.minimum", int | None),
        text="The cubes of a reservation or block, of which GKE forms slices.",
    ),
]
ReservationJson = Annotated[
    ReservationHolding,
    Keys(
        "Reservation",
        "project",
        "zone",
        "name",
        "block",
        "sub_block",
        "in_inventory",
        Key("vms", form=UseJson, text="Without a limit if the reservation counts chips."),
        Key(
            "chips",
            form=UseJson | None,
            text="null if the reservation counts VMs. Its blocks count VMs anyway.",
        ),
        Key("cubes", form=CubesJson | None, text="null without slice groups of cubes."),
        text="A reservation, or a block or sub-block of it.",
    ),
]
QuotaJson = Annotated[
    QuotaHolding,
    Keys(
        "Quota",
        "project",
        "location",
        Key("metric", "metric.metric"),
        Key("dimension", "metric.dimension", OptionalText),
        "in_inventory",
        Key("chips", form=UseJson),
    ),
]
UnknownQuotaJson = Annotated[
    QuotaNeed,
    Keys(
        "UnknownQuota",
        "project",
        "region",
        "families",
        Key("minimum", "chips.minimum", Count),
        Key("maximum", "chips.maximum", Count),
        "groups",
        text="Chips whose quota no source names.",
    ),
]


@frozen
class HeadroomDocument:
    """What ``gke-tpu quota --format json`` writes."""

    format: Literal[1]
    """The version of this format. A new key keeps it; removing or changing a key raises it."""
    plans: tuple[str, ...]
    catalog: str
    """Version of the catalog: a date."""
    inventory_as_of: Day | None
    reservations: tuple[ReservationJson, ...]
    quotas: tuple[QuotaJson, ...]
    requests: tuple[QuotaRequest, ...]
    unknown: tuple[UnknownQuotaJson, ...]
    findings: FindingsDocument


def headroom_json(shown: Headroom, findings: Iterable[Finding]) -> dict[str, Any]:
    """The use as data for ``json.dumps``."""
    return to_data(
        HeadroomDocument(
            format=1,
            plans=shown.plans,
            catalog=shown.catalog_version,
            inventory_as_of=shown.as_of,
            reservations=shown.reservations,
            quotas=shown.quotas,
            requests=shown.requests,
            unknown=shown.unknown,
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
