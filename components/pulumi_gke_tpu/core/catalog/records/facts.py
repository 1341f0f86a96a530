"""What every fact carries: where it comes from, when that was written, and how sure we are."""

from collections.abc import Iterable
from dataclasses import field, replace
from typing import Annotated, ClassVar, Literal

from pydantic import ConfigDict, Field, StringConstraints
from typing_extensions import Self, dataclass_transform

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

Confidence = Literal["high", "medium", "low"]
"""How sure a fact is.

high: two independent sources, or one authoritative source: a response or a schema of the API, source code that runs
in GKE, Kubernetes or the provider, or Google's own page on the subject; medium: one other good source; low: inferred
or unverified.
"""

Mode = Literal["standard", "autopilot"]
Hosts = Literal["single", "multi"]
AsOf = Annotated[str, StringConstraints(pattern=r"^(\d{4}(-\d{2}(-\d{2})?)?|unverified)$")]
Shape = Annotated[str, StringConstraints(pattern=r"^[1-9]\d*(x[1-9]\d*){1,2}$")]
MinorVersion = Annotated[str, StringConstraints(pattern=r"^\d+\.\d+$")]
Count = Annotated[int, Field(ge=1)]
CountOrZero = Annotated[int, Field(ge=0)]
Amount = Annotated[float, Field(gt=0, allow_inf_nan=False)]
UsdPerHour = Annotated[float, Field(ge=0, allow_inf_nan=False)]
FullVersion = Annotated[str, StringConstraints(pattern=r"^\d+\.\d+\.\d+(-gke\.\d+)?$")]

_IN_REPOSITORY = lazy_pattern(r"(github\.com/[^/@\s]+/[^/@\s]+)@([^:\s]+):(\S+)\Z")


@dataclass_transform(frozen_default=True, kw_only_default=True, eq_default=False)
class Record:
    """Base of everything in the catalog: frozen, built from the mapping of the same keys, equal only to itself.

    Pydantic reads the same classes from untrusted files (``catalog/document.py``), without keys that they do not have.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    def __init_subclass__(cls) -> None:
        frozen(eq=False, kw_only=True, slots=False)(cls)


class Fact(Record):
    """A record with its provenance.

    ``source`` names entries of ``catalog/sources.yaml``; ``as_of`` is the date of the newest source (only a
    year or a month if the source has no day), not of its reading; ``conflict`` states what another source claims and
    which one is kept.
    """

    source: tuple[str, ...]
    as_of: AsOf
    confidence: Confidence
    by_item: dict[str, Confidence] = field(default_factory=dict)
    """Fields, or members of lists, with another confidence than the whole; read with ``confidence_in``."""
    note: str = ""
    conflict: str = ""
    conflict_source: tuple[str, ...] = ()
    """The sources that contradict the fact, by their names in ``catalog/sources.yaml``."""
    contested: tuple[str, ...] = ()
    """The fields, or members of lists, that ``conflict`` is about; empty where it is about the whole fact."""

    def confidence_in(self, item: str) -> Confidence:
        """The confidence in a field of this record, or in a member of one of its lists."""
        return self.by_item.get(item, self.confidence)

    @property
    def is_certain(self) -> bool:
        """Whether an error can rest on the fact: its confidence is high, and no source contradicts it."""
        return self.confidence == "high" and not self.conflict

    @property
    def disagreement(self) -> str:
        """What another source claims, as a part of a sentence; empty if no source contradicts the fact."""
        text = self.conflict.rstrip(".")
        return f"sources disagree: {text[0].lower()}{text[1:]}" if text else ""

    def for_item(self, item: str) -> Self:
        """The fact for one field or one member of a list, with its own confidence and conflict."""
        confidence = self.confidence_in(item)
        conflict = "" if self.contested and item not in self.contested else self.conflict
        if (confidence, conflict) == (self.confidence, self.conflict):
            return self
        return replace(self, confidence=confidence, conflict=conflict)


class Note(Fact):
    """Advice that no rule can check. ``topics`` selects the explanations that show it."""

    id: str
    text: str
    topics: tuple[str, ...] = ()


def note_by_id(notes: Iterable[Note], id: str) -> Note | None:
    """The note of that id; None where an overlay has removed it."""
    return next((note for note in notes if note.id == id), None)


class Source(Record):
    """Where facts were read: a page, a file in a public repository, an API answer."""

    title: str
    url: str = ""
    """The address of a page, or ``github.com/OWNER/REPOSITORY@COMMIT:PATH``."""

    @property
    def link(self) -> str:
        """The address for a browser; empty where the source has none."""
        match = _IN_REPOSITORY.match(self.url)
        return f"https://{match[1]}/blob/{match[2]}/{match[3]}" if match else self.url


class About(Record):
    """The catalog itself: its version (a date), and the date of the newest evidence on what Google offers.

    What experiments with the gcp provider showed (section ``provider``) may be newer than that evidence.
    """

    version: str
    newest_evidence: str
    schema_version: Count
