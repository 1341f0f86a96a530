"""``gke-tpu check``: files, folders, standard input, formats and exit codes."""

import json
import pathlib
import subprocess
import sys
from typing import Any

import pytest

ROOT = pathlib.Path(__file__).parents[3]
TRAINING = ROOT / "docs" / "examples" / "training.yaml"
WRONG = TRAINING.read_text(encoding="utf-8").replace("tpu-v6e-slice", "tpu-v6e-podslice")


@pytest.fixture
def wrong(tmp_path: pathlib.Path) -> pathlib.Path:
    path = tmp_path / "wrong.yaml"
    path.write_text(WRONG, encoding="utf-8")
    return path


def test_a_working_manifest_has_no_findings(gke_tpu: Any) -> None:
    run = gke_tpu("check", TRAINING)
    assert (run.code, run.out) == (0, "no findings\nread: 1 object\n")


def test_an_error_is_located_and_fails(gke_tpu: Any, wrong: pathlib.Path) -> None:
    run = gke_tpu("check", wrong)
    assert run.code == 1
    line = WRONG.splitlines().index("                cloud.google.com/gke-tpu-accelerator: tpu-v6e-podslice") + 1
    shown = " ".join(run.out.split())
    assert shown.startswith(f"{wrong}:{line}:55: error TPU722: unknown accelerator `tpu-v6e-podslice` | ")


@pytest.mark.parametrize("form", ["json", "sarif", "github"])
def test_formats_are_those_of_validate(gke_tpu: Any, wrong: pathlib.Path, form: str) -> None:
    run = gke_tpu("check", wrong, "--format", form)
    assert run.code == 1
    assert "TPU722" in run.out
    if form != "github":
        data = json.loads(run.out)
        results = data["findings"] if form == "json" else data["runs"][0]["results"]
        assert len(results) == 1


def test_standard_input_is_read(wrong: pathlib.Path) -> None:
    command = [sys.executable, "-c", "from pulumi_gke_tpu.cli import main; main()", "check", "-", "--format", "json"]
    run = subprocess.run(command, input=wrong.read_bytes(), capture_output=True, check=False)
    (finding,) = json.loads(run.stdout)["findings"]
    assert (run.returncode, finding["file"], finding["rule"]) == (1, "<stdin>", "TPU722")


def test_folders_are_searched_for_yaml_and_json_without_hidden_files(gke_tpu: Any, tmp_path: pathlib.Path) -> None:
    for name in ("b.yaml", "a/c.yml", "a/d.json", "e.txt", ".hidden.yaml", ".git/f.yaml"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("a: 1\n", encoding="utf-8")
    run = gke_tpu("check", tmp_path, "--format", "json")
    files = [finding["file"] for finding in json.loads(run.out)["findings"]]
    assert files == [str(tmp_path / name) for name in ("a/c.yml", "a/d.json", "b.yaml")]
    assert run.code == 0


def test_a_file_that_is_named_twice_is_checked_once(gke_tpu: Any, wrong: pathlib.Path) -> None:
    run = gke_tpu("check", wrong, wrong.parent, wrong, "--format", "json")
    assert len(json.loads(run.out)["findings"]) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "Missing argument 'FILE...'"),
        (("missing.yaml",), "cannot read missing.yaml"),
        (("empty",), "No YAML, JSON or Terraform file and no script below empty"),
        ((str(TRAINING), "--plan", "missing.yaml"), "cannot read missing.yaml"),
    ],
)
def test_an_invalid_command_exits_with_2(
    gke_tpu: Any, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], message: str
) -> None:
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    run = gke_tpu("check", *arguments)
    assert run.code == 2
    assert message in run.err


def test_a_file_that_cannot_be_read_is_a_finding(
    gke_tpu: Any, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    pathlib.Path("link.yaml").symlink_to("/dev/null")
    run = gke_tpu("check", "link.yaml")
    assert run.code == 1
    assert "TPU001: cannot read the file: it is not a regular file" in run.out


def test_the_errors_of_the_plan_are_reported(gke_tpu: Any, tmp_path: pathlib.Path) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text("version: 1\nproject: acme-ml\nclusters: {}\nextra_key: 1\n", encoding="utf-8")
    run = gke_tpu("check", TRAINING, "--plan", plan)
    assert run.code == 1
    assert "TPU020" in run.out


def test_strict_fails_on_warnings(gke_tpu: Any, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "template.yaml"
    path.write_text("{{- if .Values.a }}\na: 1\n{{- end }}\n", encoding="utf-8")
    assert gke_tpu("check", path).code == 0
    assert gke_tpu("check", path, "--strict").code == 1
