"""The model of an explanation: steps with reasons and evidence, and the notes of the catalog."""

from collections.abc import Iterable, Set
from typing import Annotated

from pydantic import Field

from pulumi_gke_tpu.core.catalog import Catalog, Confidence, Fact
from pulumi_gke_tpu.core.catalog.records.facts import Note, Source
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.rules.engine.rule import source_text
from pulumi_gke_tpu.core.text.findings import Path, listed


@frozen
class Evidence:
    """The sources of a fact and their conflicts."""

    text: Annotated[str, Field(exclude=True)]
    """Titles, date and confidence in one line."""
    sources: tuple[Source, ...]
    as_of: str
    confidence: Confidence
    note: str = ""
    conflict: str = ""
    """The positions of other sources; empty if none disagrees."""
    conflict_sources: tuple[Source, ...] = ()
    """The sources that disagree."""

    @property
    def others(self) -> str:
        """The titles of the sources that disagree, in one line."""
        return listed([source.title for source in self.conflict_sources], "", separator="; ")


@frozen
class FileEntry:
    """An entry of a file of the user."""

    file: str
    line: int
    column: int
    path: str
    """The path of the entry, such as ``clusters.train.slices.pretrain.count``; of what another tool wrote, the resource
    and the property."""

    @property
    def text(self) -> str:
        """File, line and column, and the path."""
        return f"{self.file}:{self.line}:{self.column} ({self.path})"


@frozen
class Step:
    """A derived value: its name, the value and the reason.

    A value rests on facts (``evidence``), on entries of the user's files (``written``), and on other values of the
    same item (``follows_from``).
    """

    name: str
    value: str
    because: str
    evidence: tuple[Evidence, ...] = ()
    keys: Annotated[tuple[str, ...], Field(exclude=True)] = ()
    """Plan keys that also select this step."""
    topics: Annotated[tuple[str, ...], Field(exclude=True)] = ()
    """Topics of the catalog's notes about this step."""
    details: tuple[str, ...] = ()
    """Further lines, such as prices."""
    follows_from: tuple[str, ...] = ()
    """The names of the values of the item from which this one follows."""
    paths: Annotated[tuple[Path, ...], Field(exclude=True)] = ()
    """Entries of the plan on which the value rests, besides ``keys``."""
    owned: Annotated[tuple[Path, ...], Field(exclude=True)] = ()
    """Entries of the inventory on which the value rests."""
    paste: Annotated[str, Field(exclude=True)] = ""
    """YAML that gives the missing values, for the file ``paste_into``."""
    paste_into: Annotated[str, Field(exclude=True)] = ""
    written: tuple[FileEntry, ...] = ()
    """Where the plan or the inventory sets it; the item itself, if the value is the default of an absent key."""


@frozen
class Remark:
    """A note of the catalog about the explained item."""

    id: str
    text: str
    evidence: Evidence


@frozen
class Explanation:
    """The explanation of an item of a plan, one of its values, or a name."""

    item: str
    """The explained item or name."""
    kind: str
    """Its type: plan, cluster, group, generation, zone, ..."""
    summary: str
    catalog: str
    """Version of the catalog: a date."""
    steps: tuple[Step, ...] = ()
    remarks: Annotated[tuple[Remark, ...], Field(alias="notes")] = ()
    paste: str = ""
    """YAML for the file ``paste_into``; empty if there is none."""
    problem: str = ""
    """The reason why nothing could be derived; otherwise empty."""
    more: tuple[str, ...] = ()
    """Commands with more details."""
    chain: tuple[Step, ...] = ()
    """The values from which a single explained value follows, nearest first."""
    paste_into: str = "plan"
    """The kind of the file that ``paste`` is for: plan or inventory."""


def evidence(catalog: Catalog, fact: Fact | None, item: str = "") -> tuple[Evidence, ...]:
    """The evidence of a fact; with ``item``, that of one of its fields or members. Empty for None."""
    if fact is None:
        return ()
    if item:
        fact = fact.for_item(item)
    return (
        Evidence(
            text=source_text(fact, catalog),
            sources=_sources(catalog, fact.source),
            as_of=fact.as_of,
            confidence=fact.confidence,
            note=fact.note,
            conflict=fact.conflict,
            conflict_sources=_sources(catalog, fact.conflict_source) if fact.conflict else (),
        ),
    )


def _sources(catalog: Catalog, names: Iterable[str]) -> tuple[Source, ...]:
    return tuple(catalog.sources.get(name, Source(title=name)) for name in names)


def doubt(confidence: Confidence) -> str:
    """A confidence in brackets; empty for a high one."""
    return "" if confidence == "high" else f" (confidence {confidence})"


_MODES = frozenset({"standard", "autopilot"})
_HOSTS = frozenset({"single_host", "multi_host"})
_CAPACITY = frozenset({"on_demand", "spot", "reservation", "flex_start", "queued"})
_ZONES = (frozenset({"ai_zones"}), frozenset({"single_tenant"}))


def all_notes(catalog: Catalog) -> Iterable[Note]:
    """Every note of the catalog, section by section."""
    for section in (
        catalog.platform,
        catalog.capacity,
        catalog.quota,
        catalog.zones,
        catalog.disks,
        catalog.maintenance,
        catalog.prices,
        catalog.kubernetes,
    ):
        yield from section.notes


def fitting_notes(
    catalog: Catalog, traits: Set[str], subjects: Set[str] = frozenset(), *, only_on_subjects: bool = False
) -> tuple[Remark, ...]:
    """The notes about an item with these traits, or on one of the subjects.

    Traits are a generation, a capacity mode, single_host or multi_host, a cluster mode, ai_zones and single_tenant.

    A note with traits of a kind applies only to items with one of them: [flex_start, queued] applies to both modes,
    [reservation, v5e] to reserved v5e. A note without traits is selected by its subject. With ``only_on_subjects``,
    every note must be on one of the subjects.
    """
    kinds = (frozenset(catalog.generation_names), _MODES, _HOSTS, _CAPACITY, *_ZONES)

    def fits(note: Note) -> bool:
        topics = set(note.topics)
        named = [topics & kind for kind in kinds if topics & kind]
        on_subject = bool(topics & subjects)
        return all(some & traits for some in named) and (on_subject or (bool(named) and not only_on_subjects))

    return tuple(remark(catalog, note) for note in all_notes(catalog) if fits(note))


def remark(catalog: Catalog, note: Note) -> Remark:
    """A note with its evidence."""
    return Remark(note.id, note.text, evidence(catalog, note)[0])


def note_evidence(catalog: Catalog, name: str) -> tuple[Evidence, ...]:
    """The evidence of a note by its id."""
    return evidence(catalog, note_named(catalog, name))


def note_named(catalog: Catalog, name: str) -> Note | None:
    """A note by its id, as the evidence of a step."""
    return next((note for note in all_notes(catalog) if note.id == name), None)
