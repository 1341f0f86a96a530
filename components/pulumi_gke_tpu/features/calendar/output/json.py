"""The calendar as JSON for programs."""

from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pulumi_gke_tpu.core.catalog.records.facts import Note
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.output.json import FindingsDocument, findings_document
from pulumi_gke_tpu.core.schedule.coverage import Coverage, Proposal
from pulumi_gke_tpu.core.schedule.events import (
    Calendar,
    ClusterAddition,
    ClusterSupport,
    Event,
    IdleMaintenance,
    ReportedUpgrades,
)
from pulumi_gke_tpu.core.text.findings import Finding
from pulumi_gke_tpu.core.text.jsonfile.fields import Day, OptionalText
from pulumi_gke_tpu.core.text.jsonfile.form import schema_of, to_data
from pulumi_gke_tpu.core.text.jsonfile.keys import Key, Keys

ProposalJson = Annotated[
    Proposal,
    Keys(
        "Proposal",
        "maintenance",
        Key("reason", form=OptionalText, text="Why the scope is not no_upgrades; null if it is."),
        text="What to add to `maintenance` of the cluster so that no automatic upgrade interrupts the run.",
    ),
]
CoverageJson = Annotated[Coverage, Keys("Coverage", "state", "openings", Key("proposal", form=ProposalJson | None))]
EventJson = Annotated[
    Event,
    Keys(
        "Event",
        "kind",
        Key(
            "start",
            "span.start",
            text="In UTC. Of the first and last day of a reservation, only the day is known: the time is midnight.",
        ),
        "end",
        Key("plan", form=OptionalText, text="The plan; null for an event of the inventory."),
        "place",
        Key("name", form=OptionalText, text="The run, exclusion, reservation or GKE version; null for a window."),
        Key("scope", form=OptionalText),
        "spot",
        "possible",
        Key("coverage", form=CoverageJson | None, text="Of a run: whether automatic upgrades can interrupt it."),
        text="An event.",
    ),
]
SupportJson = Annotated[
    ClusterSupport,
    Keys(
        "Support",
        "plan",
        "cluster",
        Key("version", "support.version", OptionalText, "The minor version in the plan; null if the plan sets none."),
        Key("day", "support.last_day", text="The first day without support, in UTC; null if it is unknown."),
        Key("minimum", "support.minimum"),
        Key("source", "support.sources"),
        Key("as_of", "support.evidence.as_of", OptionalText),
        Key("confidence", "support.evidence.confidence"),
        "upgrades_at_any_time",
    ),
]
NoteJson = Annotated[
    Note,
    Keys(
        "Note",
        "text",
        "source",
        Key("as_of", form=str),
        "confidence",
        text="An interruption that no exclusion prevents.",
    ),
]
AdditionJson = Annotated[
    ClusterAddition,
    Keys(
        "Addition",
        "plan",
        "cluster",
        Key("path", "addition.path"),
        Key("replaces", "addition.replaces"),
        Key("text", "addition.text"),
        Key("runs", "addition.runs"),
        Key("left", "addition.left"),
    ),
]


@frozen
class CalendarDocument:
    """What ``gke-tpu calendar --format json`` writes."""

    format: Literal[1]
    """The version of this format. A new key keeps it; removing or changing a key raises it."""
    plans: tuple[str, ...]
    catalog: str
    """Version of the catalog: a date."""
    inventory_as_of: Day | None
    first: Day
    last: Day
    events: tuple[EventJson, ...]
    support: tuple[SupportJson, ...]
    notes: tuple[NoteJson, ...]
    findings: FindingsDocument
    additions: tuple[AdditionJson, ...] = ()
    reported: tuple[ReportedUpgrades, ...] = ()
    """What GKE reports about upgrades, with `--snapshot`."""
    idle_maintenance: tuple[IdleMaintenance, ...] = ()
    """The slice groups whose idle hosts GKE maintains before a date that it announces."""


def calendar_json(calendar: Calendar, findings: Iterable[Finding]) -> dict[str, Any]:
    """The calendar as data for ``json.dumps``."""
    return to_data(
        CalendarDocument(
            format=1,
            plans=calendar.plans,
            catalog=calendar.catalog_version,
            inventory_as_of=calendar.as_of,
            first=calendar.first,
            last=calendar.last,
            events=calendar.events,
            support=calendar.support,
            notes=calendar.notes,
            findings=findings_document(tuple(findings)),
            additions=calendar.additions,
            reported=calendar.reported,
            idle_maintenance=calendar.idle_maintenance,
        )
    )


def calendar_schema() -> dict[str, Any]:
    """The JSON Schema of :func:`calendar_json`."""
    return schema_of(
        CalendarDocument,
        title="Calendar of plans",
        description="What `gke-tpu calendar --format json` writes. Times are in UTC.",
    )
