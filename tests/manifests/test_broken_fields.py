"""One wrong field in a working manifest: `check` reports exactly its rule, at its line.

The files in ``broken`` list the mistakes: a base file, the path of a field (the first step is the number of the
document), and its new value, or ``remove``. The finding is at this path unless ``place`` names another one.
"""

import copy
from pathlib import Path
from typing import Any, cast

import pytest
import yaml

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.objects import ManifestFile
from pulumi_gke_tpu.core.rules import all_rules
from pulumi_gke_tpu.core.text.findings import Finding
from pulumi_gke_tpu.features.check.manifest_check import ClusterMode, check_manifests

HERE = Path(__file__).parent
CATALOG = read_catalog()
MISSING = object()


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
        folder = self.base.partition("/")[0]
        return None if folder == "any" else cast(ClusterMode, folder)

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


def documents_of(base: str) -> list[Any]:
    return list(yaml.safe_load_all((HERE / "valid" / base).read_text(encoding="utf-8")))


def broken(mistake: Mistake) -> list[Any]:
    """The documents of the base file with the wrong field."""
    documents = copy.deepcopy(documents_of(mistake.base))
    data: Any = documents
    for step in mistake.at[:-1]:
        data = data[step]
    last = mistake.at[-1]
    if mistake.value is MISSING:
        del data[last]
    elif isinstance(data, list) and last == len(data):
        data.append(mistake.value)
    else:
        assert not (isinstance(data, dict) and data.get(last, MISSING) == mistake.value), "the field does not change"
        data[last] = mistake.value
    return documents


def findings_in_documents(documents: list[Any], mode: ClusterMode | None) -> tuple[str, tuple[Finding, ...]]:
    text = yaml.safe_dump_all(documents, sort_keys=False, width=1000)
    return text, check_manifests([ManifestFile("broken.yaml", text.encode())], CATALOG, None, mode)


def line_of(text: str, path: tuple[str | int, ...]) -> int:
    """The line of the value at a path, or of the last part of the path that exists: that of the key in a mapping."""
    node: Any = list(yaml.compose_all(text))[int(path[0])]
    line = node.start_mark.line
    for step in path[1:]:
        if isinstance(node, yaml.MappingNode):
            pair = next(((key, value) for key, value in node.value if key.value == step), None)
            if pair is None:
                break
            line, node = pair[0].start_mark.line, pair[1]
        else:
            node = node.value[int(step)]
            line = node.start_mark.line
    return int(line) + 1


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.name)
def test_a_wrong_field_is_reported_by_its_rule_at_its_line(mistake: Mistake) -> None:
    _, before = findings_in_documents(documents_of(mistake.base), mistake.mode)
    text, after = findings_in_documents(broken(mistake), mistake.mode)
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
