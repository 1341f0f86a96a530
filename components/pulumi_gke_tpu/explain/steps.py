"""What an explanation consists of: steps with their reasons and evidence, and notes.

Fields that JSON does not show, or shows under another name, say so.
"""

import dataclasses
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from pulumi_gke_tpu.catalog import Catalog, Confidence, Fact
from pulumi_gke_tpu.catalog.records.facts import Source
from pulumi_gke_tpu.rules.engine.sources import source_text


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where a fact comes from, and what its sources do not agree on."""

    text: Annotated[str, Field(exclude=True)]
    """Titles, date and doubt in one line."""
    sources: tuple[Source, ...]
    as_of: str
    confidence: Confidence
    note: str = ""
    conflict: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """One derived value: its name, the value, and why it is that.

    ``keys`` are the plan keys that lead to this step besides its name. ``details`` are further lines, such as prices.
    """

    name: str
    value: str
    because: str
    evidence: tuple[Evidence, ...] = ()
    keys: Annotated[tuple[str, ...], Field(exclude=True)] = ()
    topics: Annotated[tuple[str, ...], Field(exclude=True)] = ()
    """Topics of the catalog's notes that belong to this step."""
    details: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Remark:
    """A note of the catalog that fits what is explained."""

    id: str
    text: str
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Explanation:
    """The answer to one question: about an item of a plan, one of its values, or a word.

    ``item`` is what was asked about, ``kind`` what it is (plan, cluster, group, generation, zone, ...). ``problem``
    says why nothing could be derived, and is empty otherwise; ``paste`` is YAML for a plan.
    """

    item: str
    kind: str
    summary: str
    catalog: str
    steps: tuple[Step, ...] = ()
    remarks: Annotated[tuple[Remark, ...], Field(alias="notes")] = ()
    paste: str = ""
    problem: str = ""
    more: tuple[str, ...] = ()
    """Commands that tell more."""


def evidence(catalog: Catalog, fact: Fact | None, item: str = "") -> tuple[Evidence, ...]:
    """The evidence of a fact, with the confidence of one of its fields or members; nothing for no fact."""
    if fact is None:
        return ()
    if item:
        fact = dataclasses.replace(fact, confidence=fact.confidence_in(item))
    return (
        Evidence(
            text=source_text(fact, catalog),
            sources=tuple(catalog.sources.get(name, Source(title=name)) for name in fact.source),
            as_of=fact.as_of,
            confidence=fact.confidence,
            note=fact.note,
            conflict=fact.conflict,
        ),
    )


def doubt(confidence: Confidence) -> str:
    """A confidence worth telling, in brackets; nothing for a high one."""
    return "" if confidence == "high" else f" ({confidence})"
