"""Values that YAML 1.1 and YAML 1.2 read differently, such as ``yes``: the intended one, and what their keys accept."""

import dataclasses
from collections.abc import Iterable
from typing import TypeVar

from pulumi_gke_tpu.core.plan.base import PlanModel
from pulumi_gke_tpu.core.plan.keys import as_written, field_of, is_plan_model, type_at
from pulumi_gke_tpu.core.plan.reading.corrections import (
    TRUTH,
    UNCLEAR,
    Correction,
    corrected_key,
    correction_at,
    is_taken,
)
from pulumi_gke_tpu.core.text.findings import Finding, Fix, Path, Replace, SetKeys, as_only
from pulumi_gke_tpu.core.text.formats.property_path import value_at

T = TypeVar("T", bound=PlanModel)


def suited(kind: type[T], finding: Finding, document: object) -> Finding:
    """The finding about an ambiguous value of a document, with the fix and the choices that its key accepts."""
    if finding.rule != "TPU011":
        return finding
    in_quotes = tuple(choice for choice in finding.allowed if choice.startswith('"'))
    corrected = (
        correction_at(kind, finding.path, finding.given) if in_quotes else UNCLEAR
    )  # else only a part of it is given
    others = tuple(choice for choice in finding.allowed if choice not in in_quotes)
    allowed = finding.allowed if is_taken(kind, finding.path, finding.given) else others
    change = _flag(kind, finding, document) if corrected is UNCLEAR else as_only(Replace.value(corrected))
    return dataclasses.replace(finding, allowed=allowed, change=change)


def _flag(kind: type[T], finding: Finding, document: object) -> Fix | None:
    """What a key of another tool that is ``yes`` or ``on`` means, such as ``capacity: spot`` for ``spot: yes``."""
    if not finding.path:
        return None  # the whole file is the value
    holder, name = type_at(kind, finding.path[:-1]), str(finding.path[-1])
    if not is_plan_model(holder) or field_of(holder, name) or TRUTH.get(finding.given.lower()) is not True:
        return None
    above = value_at(document, as_written(document, finding.path)[:-1])
    siblings = {key: value for key, value in above.items() if key != name} if isinstance(above, dict) else {}
    entries = corrected_key(holder, name, True, siblings)
    return as_only(SetKeys.of(entries)) if entries and not entries.keys() & siblings.keys() else None


def unread_values(kind: type[T], unread: Iterable[Finding]) -> dict[Path, Correction | None]:
    """The intended value for each value that was not read, or None. Of duplicate keys the first one counts.

    Syntax errors are about no value.
    """
    found: dict[Path, Correction | None] = {}
    for finding in unread:
        if finding.rule not in ("TPU003", "TPU004"):
            is_clear = finding.rule == "TPU011" and finding.change is not None
            corrected = correction_at(kind, finding.path, finding.given) if is_clear else UNCLEAR
            found[finding.path] = None if corrected is UNCLEAR else {str(finding.path[-1]): corrected}
    return found
