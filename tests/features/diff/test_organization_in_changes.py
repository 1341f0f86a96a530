"""``diff --organization``: which file counts, and what a reader sees if the change modifies the file."""

import json
import pathlib
import subprocess
from typing import Any

import pytest

from pulumi_gke_tpu.cli import main

PLAN = """version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    location: us-east5
    slices:
      one: {tpu: v6e, topology: 4x4, zone: us-east5-b, count: COUNT}
"""
STANDARDS = "version: 1\nstandards:\n  size: {max: {chips: 16}, owner: capacity-team}\n"
LOOSE = STANDARDS.replace("16", "1600")
BROKEN = STANDARDS.replace("{chips: 16}", "sixteen")
USES_BASE = (
    "`organization.yaml` changes: this comparison uses the file of the base. The new standards apply after the merge."
)


class Change:
    """A repository with one commit on each side of a change."""

    def __init__(self, folder: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self.capsys = folder, capsys
        self._git("init", "-q", "-b", "main")

    def _git(self, *arguments: str) -> None:
        identity = ("-c", "user.name=a", "-c", "user.email=a@example.com")
        subprocess.run(["git", *identity, *arguments], cwd=self.folder, check=True, capture_output=True)

    def commit(self, count: int, standards: str | None) -> None:
        (self.folder / "plan.yaml").write_text(PLAN.replace("COUNT", str(count)), encoding="utf-8")
        file = self.folder / "organization.yaml"
        if standards is None:
            file.unlink(missing_ok=True)
        else:
            file.write_text(standards, encoding="utf-8")
        self._git("add", "--all")
        self._git("commit", "-q", "--allow-empty", "-m", "change")

    def diff(self, *options: str, sides: tuple[str, ...] = ("HEAD~1", "HEAD")) -> tuple[int, str]:
        with pytest.raises(SystemExit) as stop:
            main(["diff", *sides, "--organization", "organization.yaml", "--today", "2026-11-20", *options])
        captured = self.capsys.readouterr()
        return int(stop.value.code or 0), captured.out + captured.err

    def report(self, **more: Any) -> tuple[int, list[str], list[str]]:
        """Exit code, rules of errors and warnings, and notes about the organization file."""
        code, output = self.diff("--format", "json", **more)
        data = json.loads(output)
        rules = [item["rule"] for item in data["findings"] if item["severity"] != "note"]
        return code, rules, [note for note in data["notes"] if "organization.yaml" in note]


@pytest.fixture
def change(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Change:
    monkeypatch.chdir(tmp_path)
    return Change(tmp_path, capsys)


def test_a_change_cannot_loosen_its_own_standards(change: Change) -> None:
    change.commit(1, STANDARDS)
    change.commit(2, LOOSE)
    code, rules, notes = change.report()
    assert (code, rules) == (1, ["TPU925"])
    assert notes == [
        USES_BASE,
        "With the new `organization.yaml`, 1 error (TPU925 at plan.yaml:8) would not be reported.",
    ]


def test_the_new_standards_count_after_the_merge(change: Change) -> None:
    change.commit(1, LOOSE)
    change.commit(2, LOOSE)
    assert change.report() == (0, [], [])


def test_stricter_standards_report_what_they_will_refuse(change: Change) -> None:
    change.commit(2, LOOSE)
    change.commit(2, STANDARDS)
    code, rules, notes = change.report()
    assert (code, rules) == (0, [])
    assert notes == [USES_BASE, "With the new `organization.yaml`, 1 error (TPU925 at plan.yaml:8) would be reported."]


def test_mistakes_in_the_new_file_are_errors(change: Change) -> None:
    change.commit(1, STANDARDS)
    change.commit(1, BROKEN)
    code, rules, _ = change.report()
    assert (code, rules) == (1, ["TPU023"])
    change.commit(1, STANDARDS)
    change.commit(1, STANDARDS + "  names: {names: {clusters: Train-*}}\n")
    assert change.report()[:2] == (1, ["TPU945"])


def test_a_change_can_correct_the_file(change: Change) -> None:
    change.commit(1, BROKEN)
    change.commit(1, STANDARDS)
    assert change.report()[:2] == (0, [])


def test_a_broken_file_of_the_base_is_an_error_of_every_change(change: Change) -> None:
    change.commit(1, BROKEN)
    change.commit(2, BROKEN)
    assert change.report()[:2] == (1, ["TPU023"])


def test_a_new_file_is_checked_and_applies_after_the_merge(change: Change) -> None:
    change.commit(2, None)
    change.commit(2, STANDARDS)
    code, rules, notes = change.report()
    assert (code, rules) == (0, [])
    assert notes == [
        "`organization.yaml` is new: this comparison uses no standards. The new standards apply after the merge.",
        "With the new `organization.yaml`, 1 error (TPU925 at plan.yaml:8) would be reported.",
    ]


def test_a_deleted_file_still_counts(change: Change) -> None:
    change.commit(1, STANDARDS)
    change.commit(2, None)
    code, rules, notes = change.report()
    assert (code, rules) == (1, ["TPU925"])
    assert notes == ["The change deletes `organization.yaml`: this comparison uses the file of the base."]


def test_a_file_on_neither_side_is_an_invalid_command(change: Change) -> None:
    change.commit(1, None)
    change.commit(2, None)
    code, output = change.diff()
    assert (code, "organization.yaml is not in the base" in output) == (2, True)


def test_uncommitted_changes_of_the_file_do_not_count_either(change: Change) -> None:
    change.commit(1, STANDARDS)
    (change.folder / "plan.yaml").write_text(PLAN.replace("COUNT", "2"), encoding="utf-8")
    (change.folder / "organization.yaml").write_text(LOOSE, encoding="utf-8")
    code, rules, notes = change.report(sides=("HEAD", "plan.yaml"))
    assert (code, rules, notes[0]) == (1, ["TPU925"], USES_BASE)


def test_files_on_disk_are_read_as_they_are(change: Change) -> None:
    (change.folder / "before.yaml").write_text(PLAN.replace("COUNT", "1"), encoding="utf-8")
    change.commit(2, STANDARDS)
    assert change.report(sides=("before.yaml", "plan.yaml")) == (1, ["TPU925"], [])


def test_an_old_breach_is_not_an_error_of_another_change(change: Change) -> None:
    change.commit(2, STANDARDS)
    plan = PLAN.replace("COUNT", "2").replace("project: acme-ml", "project: acme-ml\nresource_labels: {team: a}")
    (change.folder / "plan.yaml").write_text(plan, encoding="utf-8")
    assert change.report(sides=("HEAD", "plan.yaml")) == (0, [], [])


@pytest.mark.parametrize("form", ["text", "markdown", "sarif"])
def test_every_format_names_the_place_of_the_standard(change: Change, form: str) -> None:
    change.commit(1, STANDARDS)
    change.commit(2, LOOSE)
    code, output = change.diff("--format", form)
    assert code == 1
    assert "capacity-team" in output
    if form == "sarif":
        (result,) = json.loads(output)["runs"][0]["results"]
        (related,) = result["relatedLocations"]
        assert related["physicalLocation"]["artifactLocation"]["uri"] == "organization.yaml"
        assert related["physicalLocation"]["region"]["startLine"] == 3
        assert related["message"]["text"] == "standard `size`"
    else:
        assert "(organization.yaml:3:3)" in output.replace("\n  ", " ")
        assert "would not be reported" in output.replace("\n  ", " ")
