"""One fault in a working manifest: `check` finds it, at its place, or a reason says why it may be silent."""

import fnmatch
import re
from collections import Counter
from pathlib import Path

import yaml
from support.sampling import SELECTION, sample
from support.single_faults import Fault, broken, faults, findings_in, known_findings, line_of

SILENT = yaml.safe_load((Path(__file__).parent / "silent_faults.yaml").read_text(encoding="utf-8"))
_SILENT = {pattern: re.compile(fnmatch.translate(pattern)) for pattern in SILENT}
EVERY = tuple(faults())
_NEAR = 3
"""Lines between a fault and its finding: the requests and limits of a container contradict each other, for example."""
TRIED = sample(EVERY, 600, lambda fault: fault.kind)


def lines_of(fault: Fault) -> tuple[int, set[int]]:
    """The line of the fault, and those of the findings that it causes."""
    text, found = findings_in(broken(fault), fault.mode)
    known = known_findings(fault.base)
    new = [finding for finding in found if (finding.rule, finding.path) not in known]
    return line_of(text, fault.place), {finding.position.line if finding.position else 0 for finding in new}


def test_a_fault_is_found_at_its_place_unless_a_reason_says_why_not() -> None:
    used, silent, elsewhere = Counter[str](), [], Counter[str]()
    for fault in TRIED:
        line, lines = lines_of(fault)
        if not lines:
            reasons = [pattern for pattern in _SILENT if _SILENT[pattern].match(fault.id)]
            used.update(reasons)
            silent += [] if reasons else [fault.id]
        elif min(abs(found - line) for found in lines) > _NEAR:
            elsewhere[fault.kind] += 1
    assert silent == []
    assert elsewhere["type"] + elsewhere["text"] + elsewhere["unit"] == 0, elsewhere
    elsewhere.pop("other topology", None)  # reported at the number of chips or Pods that contradicts it
    assert elsewhere.total() <= 0.02 * len(TRIED), elsewhere
    if SELECTION.everything:
        assert SILENT.keys() - used.keys() == set(), "found now, or not in the corpus: remove the entry"


def test_there_are_thousands_of_faults_of_every_kind() -> None:
    assert len(EVERY) >= 4_000
    assert len({fault.kind for fault in EVERY}) >= 9
