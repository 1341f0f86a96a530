"""One wrong field in a working manifest: `check` reports exactly its rule, at its line.

The files in ``broken`` list the mistakes: a base file, the path of a field (the first step is the number of the
document), and its new value, or ``remove``. The finding is at this path unless ``place`` names another one.
"""

from pathlib import Path
from typing import Any

import pytest
import yaml
from support.single_faults import MISSING, broken, documents_of, findings_in, line_of, mode_of

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.rules import all_rules
from pulumi_gke_tpu.features.check.manifest_check import ClusterMode

HERE = Path(__file__).parent


@frozen
class Mistake:
    """A wrong field, and where `check` reports it."""

    base: str
    at: tuple[str | int, ...]
    value: Any
    rule: str
    place: tuple[str | int, ...]

    @property
    def mode(self) -> ClusterMode | None:
        return mode_of(self.base)

    @property
    def name(self) -> str:
        value = "removed" if self.value is MISSING else self.value
        return f"{self.rule}-{self.base.rpartition('/')[2]}-{'.'.join(map(str, self.at))}={value}"[:120]


def mistakes() -> list[Mistake]:
    found = []
    for path in sorted((HERE / "broken").glob("*.yaml")):
        for entry in yaml.safe_load(path.read_text(encoding="utf-8")):
            assert set(entry) <= {"base", "at", "set", "remove", "rule", "place"}, entry
            assert ("set" in entry) != ("remove" in entry), entry
            at = tuple(entry["at"])
            value = MISSING if entry.get("remove") else entry["set"]
            found.append(Mistake(entry["base"], at, value, entry["rule"], tuple(entry.get("place", at))))
    return found


MISTAKES = mistakes()


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.name)
def test_a_wrong_field_is_reported_by_its_rule_at_its_line(mistake: Mistake) -> None:
    _, before = findings_in(documents_of(mistake.base), mistake.mode)
    text, after = findings_in(broken(mistake), mistake.mode)
    known = {(finding.rule, finding.path) for finding in before}
    new = [finding for finding in after if (finding.rule, finding.path) not in known]
    assert {finding.rule for finding in new} == {mistake.rule}, [f"{item.rule}: {item.message}" for item in new]
    lines = {finding.position.line if finding.position is not None else 0 for finding in new}
    assert line_of(text, mistake.place) in lines, [(item.position, item.path) for item in new]


def test_there_are_at_least_eighty_wrong_fields() -> None:
    assert len(MISTAKES) >= 80
    assert len({mistake.name for mistake in MISTAKES}) == len(MISTAKES)


WITHOUT_A_FIELD = {
    "TPU572": "the status of a Pod that waits",
    "TPU573": "labels in the affinity instead of the node selector",
    "TPU720": "a document that is not an object",
    "TPU721": "a template that is not YAML",
}
"""Rules that no wrong field in one file breaks."""


def test_every_rule_about_manifests_alone_has_a_wrong_field() -> None:
    alone = {rule.id for rule in all_rules() if rule.scope.breakable == "manifests" and "--- plan" not in rule.failing}
    assert sorted(alone - {mistake.rule for mistake in MISTAKES} - WITHOUT_A_FIELD.keys()) == []
