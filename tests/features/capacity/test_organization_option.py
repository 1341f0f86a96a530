"""``--organization``: standards in validate, preview and diff."""

import json
import pathlib

import jsonschema
import pytest
from support.written import FORMATS_OF_FINDINGS

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
SARIF = pathlib.Path(__file__).parents[2] / "core" / "output" / "data" / "sarif-2.1.0.schema.json"
DAY = ("--today", "2026-11-20")


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    with pytest.raises(SystemExit) as stop:
        main([*arguments, *DAY])
    captured = capsys.readouterr()
    return int(stop.value.code or 0), captured.out + captured.err


@pytest.fixture
def folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plan.yaml").write_text(PLAN.replace("COUNT", "2"), encoding="utf-8")
    (tmp_path / "organization.yaml").write_text(STANDARDS, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("option", ["--organization", "--organisation"])
@pytest.mark.parametrize("form", FORMATS_OF_FINDINGS)
@pytest.mark.usefixtures("folder")
def test_validate_shows_the_finding_in_every_format(option: str, form: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, output = run(capsys, "validate", "plan.yaml", option, "organization.yaml", "--format", form)
    assert code == 1
    assert "TPU925" in output
    assert "capacity-team" in output


@pytest.mark.usefixtures("folder")
def test_sarif_has_the_place_of_the_standard_and_one_result_for_each_standard(
    capsys: pytest.CaptureFixture[str],
) -> None:
    exempt = "exemptions: [{standard: no, reason: a, until: 2026-12-31}]\n"
    more = f'  chips: {{max: {{chips: 31}}}}\n  "](x)": {{max: {{hosts: 1}}}}\n{exempt}'
    pathlib.Path("organization.yaml").write_text(STANDARDS + more, encoding="utf-8")
    _, output = run(capsys, "validate", "plan.yaml", "--organization", "organization.yaml", "--format", "sarif")
    log = json.loads(output)
    jsonschema.validate(log, json.loads(SARIF.read_text(encoding="utf-8")))
    results = log["runs"][0]["results"]
    about = [result for result in results if result["ruleId"] == "TPU925"]
    assert [result["relatedLocations"][0]["physicalLocation"]["region"]["startLine"] for result in about] == [3, 4, 5]
    assert len({result["partialFingerprints"]["planFinding/v1"] for result in about}) == 3
    in_file = [result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in results]
    assert sorted(set(in_file)) == ["organization.yaml", "plan.yaml"]
    assert about[2]["relatedLocations"][0]["message"]["text"] == "standard `\\](x)`"


@pytest.mark.usefixtures("folder")
def test_an_annotation_is_at_the_place_in_the_plan_and_names_that_of_the_standard(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _, output = run(capsys, "validate", "plan.yaml", "--organization", "organization.yaml", "--format", "github")
    (line,) = output.splitlines()
    assert line.startswith("::error file=plan.yaml,line=8,col=63,endColumn=64,title=TPU925::32 chips exceed the limit")
    assert "%0Aset in: organization.yaml:3:3 (standard `size`)" in line


@pytest.mark.usefixtures("folder")
def test_preview_refuses_a_plan_that_breaks_a_standard(capsys: pytest.CaptureFixture[str]) -> None:
    code, output = run(capsys, "preview", "plan.yaml", "--organization", "organization.yaml")
    assert (code, "TPU925" in output) == (1, True)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("command", [("validate",), ("preview",), ("diff", "plan.yaml")])
def test_the_spelling_of_the_file_and_of_the_option_are_free(
    command: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    pathlib.Path("organisation.yaml").write_text(STANDARDS, encoding="utf-8")
    pathlib.Path("small.yaml").write_text(PLAN.replace("COUNT", "1"), encoding="utf-8")
    after = ("small.yaml",) if command[0] == "diff" else ()
    one = run(capsys, *command[:1], *after, "plan.yaml", "--organization", "organisation.yaml")
    other = run(capsys, *command[:1], *after, "plan.yaml", "--organisation=organisation.yaml")
    assert one == other
    assert one[0] == 1
    assert "TPU925" in one[1]
    assert "organisation" not in run(capsys, command[0], "--help")[1]


def test_fix_corrects_the_organization_file(folder: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = f"{STANDARDS.replace('max', 'limit')}exemptions []\n"
    (folder / "organization.yaml").write_text(wrong, encoding="utf-8")
    code, output = run(capsys, "validate", "plan.yaml", "--organization", "organization.yaml", "--fix")
    assert (code, "TPU925" in output) == (1, True)
    assert (folder / "organization.yaml").read_text(encoding="utf-8") == f"{STANDARDS}exemptions: []\n"


def test_what_requires_a_decision_stays_in_the_file(folder: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _ = run(capsys, "validate", "plan.yaml", "--organization", "organization.yaml", "--fix")
    assert (code, (folder / "organization.yaml").read_text(encoding="utf-8")) == (1, STANDARDS)


@pytest.mark.usefixtures("folder")
def test_mistakes_behind_a_syntax_error_are_reported_too(capsys: pytest.CaptureFixture[str]) -> None:
    pathlib.Path("organization.yaml").write_text(f"{STANDARDS}owner platform\nexemption: []\n", encoding="utf-8")
    _, output = run(capsys, "validate", "plan.yaml", "--organization", "organization.yaml")
    assert ("TPU003" in output, "unknown key `exemption`" in output, "TPU925" in output) == (True, True, True)


@pytest.mark.usefixtures("folder")
def test_an_organization_file_that_cannot_be_read_is_not_fixed(capsys: pytest.CaptureFixture[str]) -> None:
    pathlib.Path("loop.yaml").symlink_to("loop.yaml")
    code, output = run(capsys, "validate", "plan.yaml", "--organization", "loop.yaml", "--fix")
    assert (code, "TPU001" in output) == (1, True)
