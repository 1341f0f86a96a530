"""Selects the notes of the catalog about the explained item."""

from collections.abc import Iterable, Set

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.facts import Note
from pulumi_gke_tpu.features.explain.steps import Remark, evidence

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


def note_named(catalog: Catalog, name: str) -> Note | None:
    """A note by its id, as the evidence of a step."""
    return next((note for note in all_notes(catalog) if note.id == name), None)
