"""The calendar as JSON for programs."""

from typing import TYPE_CHECKING, Any, Literal

from pulumi_gke_tpu.core.catalog import Confidence
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.output.json import FindingsDocument, findings_document
from pulumi_gke_tpu.core.schedule.spans import Span
from pulumi_gke_tpu.core.text.findings import format_path
from pulumi_gke_tpu.core.text.jsonfile.fields import OptionalText
from pulumi_gke_tpu.core.text.jsonfile.form import schema_of, to_data

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pulumi_gke_tpu.core.schedule.coverage import Coverage
    from pulumi_gke_tpu.core.schedule.events import Calendar, ClusterAddition, Event
    from pulumi_gke_tpu.core.schedule.support import Support
    from pulumi_gke_tpu.core.text.findings import Finding

Kind = Literal["run", "window", "exclusion", "node_end", "reservation_start", "reservation_end", "support_end"]
State = Literal["covered", "clear", "exempt", "interrupted", "impossible", "unknown"]


@frozen
class ProposalRecord:
    """What to add to ``maintenance`` of the cluster so that no automatic upgrade interrupts the run."""

    maintenance: dict[str, Any]
    reason: OptionalText
    """Why the scope is not no_upgrades."""


@frozen
class CoverageRecord:
    """Whether automatic upgrades can interrupt a run."""

    state: State
    openings: tuple[Span, ...]
    """When GKE can upgrade nodes during the run."""
    proposal: ProposalRecord | None


@frozen
class EventRecord:
    """An event."""

    kind: Kind
    start: str
    """In UTC. Of the first and last day of a reservation, only the day is known: the time is midnight."""
    end: str | None
    """None if the end is unknown, or if the event has no length."""
    plan: OptionalText
    place: str
    """cluster, cluster/group, or project/zone of a reservation."""
    name: OptionalText
    scope: OptionalText
    """The scope of an exclusion."""
    spot: bool
    """Whether a run can be on Spot VMs."""
    possible: bool
    """Whether the nodes that end may be of another capacity mode, which does not end then."""
    coverage: CoverageRecord | None
    """Of a run."""


@frozen
class SupportRecord:
    """The end of support of the minor version of a cluster."""

    plan: str
    cluster: str
    version: OptionalText
    day: str | None
    """None if it is unknown."""
    minimum: bool
    """Whether the version is a minimum, so that the cluster can run a newer one."""
    source: tuple[str, ...]
    as_of: OptionalText
    confidence: Confidence | None


@frozen
class NoteRecord:
    """An interruption that no exclusion prevents."""

    text: str
    source: tuple[str, ...]
    as_of: str
    confidence: Confidence


@frozen
class AdditionRecord:
    """The exclusions for all runs of a cluster that automatic upgrades can interrupt, as one change of the plan."""

    plan: str
    cluster: str
    path: str
    """The key of the plan to replace, or the mapping to add the text to."""
    replaces: bool
    text: str
    """One key with its value, as YAML."""
    runs: tuple[str, ...]
    """The runs with an exclusion in the text."""
    left: tuple[str, ...]
    """The runs without an exclusion, because the cluster then has the maximum number."""


@frozen
class CalendarDocument:
    """What ``gke-tpu calendar --format json`` writes."""

    format: Literal[1]
    """The version of this format. A new key keeps it; removing or changing a key raises it."""
    plans: tuple[str, ...]
    catalog: str
    """Version of the catalog: a date."""
    inventory_as_of: str | None
    first: str
    last: str
    events: tuple[EventRecord, ...]
    support: tuple[SupportRecord, ...]
    notes: tuple[NoteRecord, ...]
    findings: FindingsDocument
    additions: tuple[AdditionRecord, ...] = ()


def calendar_json(calendar: "Calendar", findings: "Iterable[Finding]") -> dict[str, Any]:
    """The calendar as data for ``json.dumps``."""
    return to_data(
        CalendarDocument(
            format=1,
            plans=calendar.plans,
            catalog=calendar.catalog_version,
            inventory_as_of=str(calendar.as_of) if calendar.as_of else None,
            first=str(calendar.first),
            last=str(calendar.last),
            events=tuple(map(_event, calendar.events)),
            support=tuple(_support(item.plan, item.cluster, item.support) for item in calendar.support),
            notes=tuple(NoteRecord(note.text, note.source, note.as_of, note.confidence) for note in calendar.notes),
            findings=findings_document(tuple(findings)),
            additions=tuple(map(_addition, calendar.additions)),
        )
    )


def calendar_schema() -> dict[str, Any]:
    """The JSON Schema of :func:`calendar_json`."""
    return schema_of(
        CalendarDocument,
        title="Calendar of plans",
        description="What `gke-tpu calendar --format json` writes. Times are in UTC.",
    )


def _addition(item: "ClusterAddition") -> AdditionRecord:
    added = item.addition
    return AdditionRecord(
        plan=item.plan,
        cluster=item.cluster,
        path=format_path(added.path),
        replaces=added.replaces,
        text=added.text,
        runs=tuple(added.proposals),
        left=added.left,
    )


def _support(plan: str, cluster: str, support: "Support") -> SupportRecord:
    fact = support.fact if support.end is not None else None
    return SupportRecord(
        plan=plan,
        cluster=cluster,
        version=support.version,
        day=str(support.end.date()) if support.end is not None else None,
        minimum=support.minimum,
        source=fact.source if fact else (),
        as_of=fact.as_of if fact else "",
        confidence=fact.confidence if fact else None,
    )


def _event(event: "Event") -> EventRecord:
    start, end = (f"{moment:%Y-%m-%dT%H:%M:%SZ}" for moment in (event.span.start, event.span.end))
    return EventRecord(
        kind=event.kind,
        start=start,
        end=None if event.moment or event.open_end else end,
        plan=event.plan,
        place=event.place,
        name=event.name,
        scope=event.scope,
        spot=event.spot,
        possible=event.possible,
        coverage=_coverage(event.coverage) if event.coverage else None,
    )


def _coverage(coverage: "Coverage") -> CoverageRecord:
    proposal = coverage.proposal
    return CoverageRecord(
        state=coverage.state,
        openings=coverage.openings,
        proposal=ProposalRecord(proposal.maintenance, proposal.reason) if proposal else None,
    )
