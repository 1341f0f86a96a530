"""The model of an explanation: steps with reasons and evidence, and notes.

Annotations mark fields that JSON omits or renames.
"""

import dataclasses
from typing import Annotated

from pydantic import Field

from pulumi_gke_tpu.catalog import Catalog, Confidence, Fact
from pulumi_gke_tpu.catalog.records.facts import Source
from pulumi_gke_tpu.frozen import frozen
from pulumi_gke_tpu.rules.engine.sources import source_text


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


@frozen
class Step:
    """A derived value: its name, the value and the reason.

    ``keys`` are plan keys that also select this step. ``details`` are further lines, such as prices.
    """

    name: str
    value: str
    because: str
    evidence: tuple[Evidence, ...] = ()
    keys: Annotated[tuple[str, ...], Field(exclude=True)] = ()
    topics: Annotated[tuple[str, ...], Field(exclude=True)] = ()
    """Topics of the catalog's notes about this step."""
    details: tuple[str, ...] = ()


@frozen
class Remark:
    """A note of the catalog about the explained item."""

    id: str
    text: str
    evidence: Evidence


@frozen
class Explanation:
    """The explanation of an item of a plan, one of its values, or a name.

    ``item`` is the explained item or name, ``kind`` its type (plan, cluster, group, generation, zone, ...). ``problem``
    is the reason why nothing could be derived, otherwise empty; ``paste`` is YAML for a plan.
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
    """Commands with more details."""


def evidence(catalog: Catalog, fact: Fact | None, item: str = "") -> tuple[Evidence, ...]:
    """The evidence of a fact, with the confidence of one of its fields or members; empty for None."""
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
    """A confidence in brackets; empty for a high one."""
    return "" if confidence == "high" else f" (confidence {confidence})"
