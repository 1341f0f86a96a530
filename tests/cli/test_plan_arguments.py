"""The plans that a command reads: plan.yaml of the folder, files, folders and standard input."""

import io
import json
import pathlib
import sys
from typing import Any

import pytest
from support.written import FORMATS_OF_FINDINGS

from pulumi_gke_tpu.core.text.yamlfile.file import LARGEST

PLAN = """\
version: 1
project: acme-ml
clusters:
  dev: {mode: autopilot, location: us-central1, slices: {notebook: {tpu: v5e, topology: 2x2}}}
"""
WRONG = PLAN.replace("2x2", "4x3")
OPTIONS = ("--today", "2026-11-20")


@pytest.fixture(autouse=True)
def folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path: str, text: str = PLAN) -> None:
    file = pathlib.Path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def type_in(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content), encoding="utf-8"))


def files_of(run: Any) -> list[str]:
    return [finding["file"] for finding in json.loads(run.out)["findings"]]


@pytest.mark.parametrize("command", ["validate", "preview"])
def test_without_an_argument_the_plan_of_the_folder_is_read(gke_tpu: Any, command: str) -> None:
    write("plan.yaml")
    assert gke_tpu(command, *OPTIONS).code == 0
    write("plan.yaml", WRONG)
    run = gke_tpu(command, *OPTIONS)
    assert run.code == 1
    assert "plan.yaml:4:89: error TPU112" in run.out + run.err


@pytest.mark.parametrize("command", ["validate", "preview"])
def test_without_an_argument_and_a_plan_the_command_is_wrong(gke_tpu: Any, command: str) -> None:
    write("stacks/prod/plan.yaml")
    run = gke_tpu(command)
    assert (run.code, run.out) == (2, "")
    assert "No plan.yaml or gke-tpu.yaml in this folder" in run.err
    assert "gke-tpu init" in run.err


def test_the_plans_below_a_folder_are_validated(gke_tpu: Any) -> None:
    write("stacks/b/plan.yaml", WRONG)
    write("stacks/a/tpu.yml", WRONG.replace("dev", "test"))
    write("stacks/inventory.yaml", "version: 1\nas_of: 2026-11-20\n")
    write("stacks/.hidden/plan.yaml", WRONG)
    run = gke_tpu("validate", "stacks", "--format", "json", *OPTIONS)
    assert files_of(run) == ["stacks/a/tpu.yml", "stacks/b/plan.yaml"]


def test_names_that_no_other_tool_has(gke_tpu: Any) -> None:
    """A file with such a name is a plan, whatever it contains."""
    write("gke-tpu.yaml", WRONG)
    write("a/prod.tpu.yaml", "clusters: {}")
    write("a/tpu.yaml", "clusters: {}")
    assert files_of(gke_tpu("validate", "--format", "json", *OPTIONS)) == ["gke-tpu.yaml"]
    assert set(files_of(gke_tpu("validate", ".", "--format", "json", *OPTIONS))) == {"a/prod.tpu.yaml", "gke-tpu.yaml"}
    write("plan.yaml")
    assert gke_tpu("validate", *OPTIONS).out == "no findings\n"


@pytest.mark.parametrize("fix", [(), ("--fix",)])
def test_plans_of_other_tools_are_skipped(gke_tpu: Any, fix: tuple[str, ...]) -> None:
    other = "steps:\n- name: build\n"
    write("plan.yaml", other)
    named = ("plan.yaml", "mine/plan.yaml", "typo/plan.yaml", "x.tpu.yaml")
    assert gke_tpu("validate", *fix, "--skip-others", "plan.yaml", *OPTIONS).code == 0
    write("mine/plan.yaml", WRONG)
    write("typo/plan.yaml", f"# yaml-language-server: $schema=plan.schema.json\n{PLAN.replace('clusters', 'cluster')}")
    write("x.tpu.yaml", "steps: []\n")
    found = set(files_of(gke_tpu("validate", "--skip-others", *named, "--format", "json", *OPTIONS)))
    assert found == {"mine/plan.yaml", "typo/plan.yaml", "x.tpu.yaml"}
    assert pathlib.Path("plan.yaml").read_text() == other


CLUSTER = "mode: standard, location: us-east5, slices: {a: {tpu: v6e, topology: 4x3, zone: us-east5-b}}"
PLANS = {
    "block": f"version: 1\nclusters:\n  train: {{{CLUSTER}}}\n",
    "Windows": f"version: 1\r\nclusters:\r\n  train: {{{CLUSTER}}}\r\n",
    "UTF-16": f"version: 1\nclusters:\n  train: {{{CLUSTER}}}\n".encode("utf-16"),
    "indented": f"  version: 1\n  clusters:\n    train: {{{CLUSTER}}}\n",
    "explicit keys": f"? version\n: 1\n? clusters\n: train: {{{CLUSTER}}}\n",
    "flow": f"{{version: 1, clusters: {{train: {{{CLUSTER}}}}}}}",
    "flow behind a comment": f"# slices, clusters: {{\n---\n{{clusters: {{train: {{{CLUSTER}}}}}, version: 1}}",
    "flow on the line of the document": f"--- {{version: 1, clusters: {{train: {{{CLUSTER}}}}}}}",
    "JSON": '{\n "version": 1,\n "clusters": {"train": {"mode": "standard"}}\n}',
    "JSON on one line": '{"version":1,"clusters":{"train":{"mode":"standard"}}}',
    "open brace": f"{{version: 1, clusters: {{train: {{{CLUSTER}}}",
    "open quote": f'{{version: 1, clusters: {{train: {{{CLUSTER}, a: "}}}}}}',
    "tab": f"version: 1\nclusters:\n\ttrain: {{{CLUSTER}}}\n",
    "other version": f"version: 2\nclusters: {{train: {{{CLUSTER}}}}}\n",
    "list": f"version: 1\nclusters:\n- {{name: train, {CLUSTER}}}\n",
    "no version": f"project: x\nclusters:\n  train: {{{CLUSTER}}}\n",
    "no version, Autopilot": "project: x\nclusters:\n  a: {mode: autopilot, location: us-central1}\n",
    "no version, flow": f"{{project: x, clusters: {{train: {{{CLUSTER}}}}}}}",
    "no clusters": "version: 1\nproject: x\nslices:\n  a: {tpu: v6e, topology: 4x4}\n",
    "misspelled version": f"vrsion: 1\nclusters:\n  train: {{{CLUSTER}}}\n",
    "misspelled clusters": f"version: 1\nclsters:\n  train: {{{CLUSTER}}}\n",
    "one cluster": f"version: 1\ncluster:\n  train: {{{CLUSTER}}}\n",
    "misspelled in flow": f"{{version: 1, clsters: {{train: {{{CLUSTER}}}}}}}",
    "misspelled beside text": f'version: "1"\nclsters:\n  train: {{{CLUSTER}}}\n',
    "capitals": f"Version: 1\nClusters:\n  train: {{{CLUSTER}}}\n",
}
OTHERS = {
    "steps": "steps:\n- name: build\n",
    "project": "version: 1\nproject: x\nsteps: []\n",
    "slices": "version: 1\nproject: x\nslices: [a, b]\n",
    "mapping of slices": "version: 1\nslices: {a: {size: 3, topology: mesh}}\n",
    "flow": "{version: 1, steps: []}",
    "clusters below": "version: 1\nspec:\n  clusters: []\n",
    "clusters below in flow": "{version: 1, spec: {clusters: [a]}}",
    "all below": '{"plan": {"version": 1, "clusters": {}}}',
    "text in flow": '{version: 1, text: "a, clusters: b"}',
    "comment in flow": "{version: 1, # clusters: b\n a: b}",
    "block of text": "text: |\n  version: 1\n  clusters: {}\n",
    "cluster": "version: 1\ncluster: x\nname: y\n",
    "misspelled": 'version: "2.1"\nclustr: {size: 3}\n',
    "version alone": "version: 1\nmode: standard\n",
    "accelerators": "name: x\nresources: {tpu: v5litepod-4}\n",
    "list": "- version: 1\n  clusters: []\n",
    "Terraform": 'format_version: "1.2"\nplanned_values: {}\n',
    "Kubernetes": "apiVersion: upgrade.cattle.io/v1\nkind: Plan\nspec: {version: v1.30}\n",
    "template": "{{ if .Values.version }}\nclusters: 1\n{{ end }}\n",
    "empty": "",
    "NUL": b"\0version: 1\n",
}


@pytest.mark.parametrize("text", PLANS.values(), ids=PLANS)
def test_a_plan_of_gke_tpu_is_not_skipped(gke_tpu: Any, text: str | bytes) -> None:
    pathlib.Path("plan.yaml").write_bytes(text if isinstance(text, bytes) else text.encode())
    assert gke_tpu("validate", "--skip-others", "plan.yaml", *OPTIONS).code == 1


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS)
def test_a_plan_of_another_tool_is_skipped(gke_tpu: Any, text: str | bytes) -> None:
    pathlib.Path("plan.yaml").write_bytes(text if isinstance(text, bytes) else text.encode())
    run = gke_tpu("validate", "--skip-others", "plan.yaml", *OPTIONS)
    assert (run.code, run.out, run.err) == (0, "", "")
    write("gke-tpu.yaml")
    assert gke_tpu("validate", *OPTIONS).out == "no findings\n", "the other name is tried"


def test_a_plan_that_is_named_twice_is_read_once(gke_tpu: Any, folder: pathlib.Path) -> None:
    write("stacks/plan.yaml", WRONG)
    run = gke_tpu("validate", "stacks/plan.yaml", "stacks", folder / "stacks/plan.yaml", "--format", "json", *OPTIONS)
    assert files_of(run) == ["stacks/plan.yaml"]


def test_a_folder_with_one_plan_is_previewed(gke_tpu: Any) -> None:
    write("stacks/prod/plan.yaml")
    run = gke_tpu("preview", "stacks", *OPTIONS)
    assert run.code == 0
    assert run.out == gke_tpu("preview", "stacks/prod/plan.yaml", *OPTIONS).out


def test_a_folder_with_several_plans_is_not_previewed(gke_tpu: Any) -> None:
    for index in range(7):
        write(f"stacks/{index}/plan.yaml")
    run = gke_tpu("preview", "stacks")
    assert (run.code, run.out) == (2, "")
    message = " ".join(run.err.split())
    assert "stacks contains 7 plans; name one of them: stacks/0/plan.yaml, " in message
    assert "stacks/4/plan.yaml and 2 more" in message


@pytest.mark.parametrize("command", ["validate", "preview"])
def test_a_folder_without_a_plan_is_a_wrong_command(gke_tpu: Any, command: str) -> None:
    write("empty/values.yaml", "a: 1\n")
    run = gke_tpu(command, "empty")
    assert (run.code, run.out) == (2, "")
    assert "No plan below empty" in run.err


@pytest.mark.parametrize("command", ["validate", "preview"])
def test_a_dash_is_standard_input(gke_tpu: Any, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    type_in(monkeypatch, PLAN.encode())
    assert gke_tpu(command, "-", *OPTIONS).code == 0
    type_in(monkeypatch, WRONG.encode())
    run = gke_tpu(command, "-", *OPTIONS)
    assert run.code == 1
    assert "<stdin>:4:89: error TPU112" in run.out + run.err


def test_a_plan_on_standard_input_is_explained(gke_tpu: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    type_in(monkeypatch, PLAN.encode())
    run = gke_tpu("explain", "-", "dev/notebook", *OPTIONS)
    assert run.code == 0
    assert "2x2" in run.out


def test_a_file_with_the_name_of_standard_input_can_be_read(gke_tpu: Any) -> None:
    write("-", WRONG)
    assert gke_tpu("validate", "./-", *OPTIONS).code == 1


def test_standard_input_has_the_size_limit_of_files(gke_tpu: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    type_in(monkeypatch, b"#" * (LARGEST + 10))
    run = gke_tpu("validate", "-")
    assert run.code == 1
    assert "TPU001" in run.out


@pytest.mark.parametrize(
    "arguments",
    [
        ["validate", "none.yaml"],
        ["validate", "plan.yaml", "none.yaml"],
        ["validate", "plan.yaml/none.yaml"],
        ["validate", "plan.yaml", "--inventory", "none.yaml"],
        ["validate", "dangling.yaml"],
        ["preview", "none.yaml"],
        ["preview", "plan.yaml", "--inventory", "none.yaml"],
        ["explain", "none.yaml", "dev/notebook"],
    ],
    ids=" ".join,
)
def test_a_missing_file_is_a_wrong_command(gke_tpu: Any, folder: pathlib.Path, arguments: list[str]) -> None:
    write("plan.yaml", WRONG)
    (folder / "dangling.yaml").symlink_to("none.yaml")
    run = gke_tpu(*arguments)
    assert (run.code, run.out) == (2, "")
    assert "cannot read" in run.err
    assert "plan.yaml:4" not in run.err


def test_a_file_that_cannot_be_read_for_another_reason_is_a_finding(gke_tpu: Any, folder: pathlib.Path) -> None:
    (folder / "loop.yaml").symlink_to("loop.yaml")
    run = gke_tpu("validate", "loop.yaml")
    assert run.code == 1
    assert "TPU001" in run.out


def test_a_file_and_links_to_it_are_one_plan(gke_tpu: Any, folder: pathlib.Path) -> None:
    write("stacks/prod/plan.yaml", WRONG)
    (folder / "stacks" / "also").mkdir()
    (folder / "stacks" / "also" / "plan.yaml").symlink_to(folder / "stacks" / "prod" / "plan.yaml")
    (folder / "stacks" / "linked").symlink_to(folder / "stacks" / "prod")
    for arguments in (["stacks"], ["stacks/also/plan.yaml", "stacks/prod/plan.yaml"], ["stacks/linked", "stacks/prod"]):
        found = files_of(gke_tpu("validate", *arguments, "--format", "json", *OPTIONS))
        assert len(found) == 1, arguments
    assert files_of(gke_tpu("validate", "stacks", "--format", "json", *OPTIONS)) == ["stacks/prod/plan.yaml"]


def test_validate_reports_what_a_syntax_error_hides(gke_tpu: Any) -> None:
    write("plan.yaml", WRONG.replace("project: acme-ml", "project acme-ml").replace("mode:", "modus:"))
    for form in FORMATS_OF_FINDINGS:
        run = gke_tpu("validate", "--format", form, *OPTIONS)
        assert run.code == 1
        assert all(rule in run.out for rule in ("TPU003", "TPU020", "TPU112"))
