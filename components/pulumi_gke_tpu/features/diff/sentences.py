"""Sentences about an item, collected with the facts that support them."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.facts import Note
from pulumi_gke_tpu.core.rules.engine.rule import source_text
from pulumi_gke_tpu.features.diff.model import ResourceChange, SourcedReason


@dataclass
class Sentences:
    """Sentences about an item, and the facts of the catalog that support them, as they are collected."""

    catalog: Catalog
    texts: list[str] = field(default_factory=list)
    facts: list[SourcedReason] = field(default_factory=list)

    def add(self, text: str, note: str = "", notes: Iterable[Note] = ()) -> None:
        """Add a sentence, without its period; ``note`` is the ID of the catalog's note with the reason."""
        if text:
            self.texts.append(f"{text[0].upper()}{text[1:]}.")
        self.facts += [note_fact(found, self.catalog) for found in notes if found.id == note]

    def add_later_effects(self, changes: Iterable[ResourceChange]) -> None:
        """Add the later effects of updates, each once."""
        updated = (item for change in changes if change.operation == "update" for item in change.differences)
        for fact in dict.fromkeys(fact for item in updated for fact in item.follows):
            self.texts.append(fact.text)
            self.facts.append(fact)

    @property
    def text(self) -> str:
        """All sentences."""
        return " ".join(self.texts)


def note_fact(note: Note, catalog: Catalog) -> SourcedReason:
    """A note of the catalog as a reason."""
    return SourcedReason(note.text, source_text(note, catalog), note.confidence)
