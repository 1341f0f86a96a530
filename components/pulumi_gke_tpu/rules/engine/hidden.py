"""Findings about items that cannot be read whole: those that are true whatever their wrong entries should be."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from pulumi_gke_tpu.findings import Finding, Path
from pulumi_gke_tpu.plan import Document
from pulumi_gke_tpu.plan.base import PlanModel

T = TypeVar("T", bound=PlanModel)
_Key = tuple[str, Path, str]


def hidden_findings(
    document: Document[T], check: Callable[[Document[T]], Iterable[Finding]], known: Iterable[Finding]
) -> tuple[Finding, ...]:
    """The findings that all possible values of the wrong entries have in common, without the known ones.

    One wrong entry causes one finding: a finding that some value of the entry prevents follows from the entry, and is
    left out.
    """
    wrong = document.wrong
    reported = {(finding.rule, finding.path) for finding in known}
    shared: dict[_Key, Finding] | None = None
    for possible in document.with_stand_ins():
        if possible.content is None:
            continue
        found = (*possible.findings, *check(possible))
        by_key = {
            (finding.rule, finding.path, finding.message): finding
            for finding in found
            if (finding.rule, finding.path) not in reported and not _is_in(finding.path, wrong)
        }
        shared = by_key if shared is None else {key: shared[key] for key in shared if key in by_key}
        if not shared:
            break
    return tuple((shared or {}).values())


def _is_in(path: Path, places: frozenset[Path]) -> bool:
    return any(path[:end] in places for end in range(len(path) + 1))
