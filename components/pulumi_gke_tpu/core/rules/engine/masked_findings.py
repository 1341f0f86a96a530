"""Findings about items with unreadable entries: those that do not depend on the values of these entries."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan import Document
from pulumi_gke_tpu.core.plan.base import PlanModel
from pulumi_gke_tpu.core.text.findings import Finding, Path

T = TypeVar("T", bound=PlanModel)
_Key = tuple[str, Path, str]


@frozen
class MaskedFindings:
    """What the possible values of wrong entries show.

    ``findings`` are those that all values have in common, without the known ones. ``artifacts`` are rules and paths of
    known findings that some value prevents: they follow from what was left out, such as "unknown slice group" about a
    group that has an error itself.
    """

    findings: tuple[Finding, ...] = ()
    artifacts: frozenset[tuple[str, Path]] = frozenset()

    def without_artifacts(self, known: Iterable[Finding]) -> tuple[Finding, ...]:
        """The known findings that every value causes."""
        return tuple(each for each in known if (each.rule, each.path) not in self.artifacts)


def masked_findings(
    document: Document[T],
    check: Callable[[Document[T]], Iterable[Finding]],
    known: Iterable[Finding],
    doubted: Iterable[Finding] = (),
) -> MaskedFindings:
    """Check the document with possible values of its wrong entries.

    ``doubted`` are the known findings that ``check`` would find again.

    One wrong entry causes one finding: a finding that some value of the entry prevents follows from the entry, and is
    left out.
    """
    wrong = document.wrong
    reported = {(finding.rule, finding.path) for finding in known}
    doubtful = {(finding.rule, finding.path) for finding in doubted}
    certain = set(doubtful)
    shared: dict[_Key, Finding] | None = None
    for possible in document.variants():
        if possible.content is None:
            continue
        found = (*possible.findings, *check(possible))
        certain &= {(finding.rule, finding.path) for finding in found}
        by_key = {
            (finding.rule, finding.path, finding.message): finding
            for finding in found
            if (finding.rule, finding.path) not in reported and not _is_in(finding.path, wrong)
        }
        shared = by_key if shared is None else {key: shared[key] for key in shared if key in by_key}
        if not shared and not certain:
            break
    return MaskedFindings() if shared is None else MaskedFindings(tuple(shared.values()), frozenset(doubtful - certain))


def _is_in(path: Path, places: frozenset[Path]) -> bool:
    return any(path[:end] in places for end in range(len(path) + 1))
