"""Ambiguous YAML values: the intended values, and the fixes that their keys accept."""

import dataclasses
from collections.abc import Iterable
from typing import TypeVar

from pulumi_gke_tpu.core.plan.base import PlanModel
from pulumi_gke_tpu.core.plan.reading.corrections import UNCLEAR, Correction, correction_at, is_taken
from pulumi_gke_tpu.core.text.findings import Finding, Path, Replace, as_only

T = TypeVar("T", bound=PlanModel)


def suited(kind: type[T], finding: Finding) -> Finding:
    """The finding about an ambiguous value, with the fix and the choices that its key accepts."""
    if finding.rule != "TPU011":
        return finding
    in_quotes = tuple(choice for choice in finding.allowed if choice.startswith('"'))
    corrected = (
        correction_at(kind, finding.path, finding.given) if in_quotes else UNCLEAR
    )  # else only a part of it is given
    others = tuple(choice for choice in finding.allowed if choice not in in_quotes)
    allowed = finding.allowed if is_taken(kind, finding.path, finding.given) else others
    change = None if corrected is UNCLEAR else as_only(Replace.value(corrected))
    return dataclasses.replace(finding, allowed=allowed, change=change)


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
