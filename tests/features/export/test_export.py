"""``gke-tpu export terraform``: the files, and what it never overwrites."""

import json
import pathlib
from typing import Any

import pytest
from support.documents import ROOT

TODAY = ("--today", "2026-11-20")
PLAN = ROOT / "stacks" / "prod" / "plan.yaml"
FILES = ("versions.tf", "main.tf", "outputs.tf", "tests/slices.tftest.hcl")


@pytest.fixture
def export(gke_tpu: Any, tmp_path: pathlib.Path) -> Any:
    """Exports a plan to the folder out."""

    def run(*options: str, plan: pathlib.Path = PLAN) -> Any:
        return gke_tpu("export", "terraform", plan, "-o", tmp_path / "out", *TODAY, *options)

    return run


def read(folder: pathlib.Path) -> dict[str, str]:
    """Every file below a folder."""
    return {str(path.relative_to(folder)): path.read_text() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_a_module_is_written(export: Any, tmp_path: pathlib.Path) -> None:
    run = export()
    assert (run.code, run.err) == (0, "")
    assert run.out == "".join(f"wrote {tmp_path}/out/{name}\n" for name in FILES)
    assert 'resource "google_container_node_pool" "train_east__pretrain" {' in read(tmp_path / "out")["main.tf"]


def test_a_second_run_writes_nothing(export: Any) -> None:
    export()
    assert (export().code, export().out, export().err) == (0, "", "")


def test_another_plan_overwrites_only_if_asked(export: Any, tmp_path: pathlib.Path) -> None:
    export()
    before = read(tmp_path / "out")
    other = ROOT / "stacks" / "dev" / "plan.yaml"
    run = export(plan=other)
    assert run.code == 2
    assert "Nothing was written. " in run.err
    assert "already exist; use --force to overwrite" in run.err
    assert read(tmp_path / "out") == before
    assert export("--force", plan=other).code == 0
    assert read(tmp_path / "out")["main.tf"] != before["main.tf"]


@pytest.mark.parametrize("name", FILES)
def test_an_edited_file_stays(name: str, export: Any, tmp_path: pathlib.Path) -> None:
    export()
    edited = tmp_path / "out" / name
    edited.write_text(edited.read_text() + "# mine\n")
    before = read(tmp_path / "out")
    for options in ((), ("--force",)):
        run = export(*options)
        assert (run.code, run.out) == (2, "")
        assert name in run.err
        assert read(tmp_path / "out") == before


def test_an_edited_file_in_json_stays(export: Any, tmp_path: pathlib.Path) -> None:
    export("--json")
    edited = tmp_path / "out" / "main.tf.json"
    edited.write_text(edited.read_text().replace("16x16", "8x8"))
    assert export("--json", "--force").code == 2
    assert "8x8" in edited.read_text()


def test_a_file_of_somebody_else_is_never_overwritten(export: Any, tmp_path: pathlib.Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "main.tf").write_text('module "mine" {}\n')
    assert export("--force").code == 2
    assert read(tmp_path / "out") == {"main.tf": 'module "mine" {}\n'}


def test_files_of_an_earlier_run_are_reported(export: Any, tmp_path: pathlib.Path) -> None:
    export()
    (tmp_path / "out" / "mine.tf").write_text("# mine\n")
    run = export("--json")
    assert run.code == 0
    names = ("main.tf", "outputs.tf", "versions.tf")
    assert run.err == "".join(
        f"{tmp_path}/out/{name}: not a part of the module any more; delete the file\n" for name in names
    )


def test_kubernetes_objects_are_beside_the_module(export: Any, tmp_path: pathlib.Path, gke_tpu: Any) -> None:
    plan = ROOT / "docs" / "examples" / "workload.yaml"
    export(plan=plan)
    gke_tpu("manifests", plan, "-o", tmp_path / "manifests", *TODAY)
    written = read(tmp_path / "manifests")
    assert written
    assert read(tmp_path / "out" / "manifests") == written


def test_other_files_stay(export: Any, tmp_path: pathlib.Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "backend.tf").write_text("terraform {}\n")
    assert export().code == 0
    assert read(tmp_path / "out")["backend.tf"] == "terraform {}\n"


def test_json_has_everything_in_one_file(export: Any, tmp_path: pathlib.Path) -> None:
    assert export("--json").code == 0
    assert read(tmp_path / "out").keys() == {"main.tf.json", "tests/slices.tftest.hcl"}
    name = "main.tf.json"
    assert json.loads(read(tmp_path / "out")[name]).keys() == {"//", "terraform", "resource", "output"}


def test_a_provider_is_configured_only_if_asked(export: Any, tmp_path: pathlib.Path) -> None:
    export()
    assert "\nprovider " not in "".join(read(tmp_path / "out").values())
    export("--standalone", "--force")
    assert '\nprovider "google" {\n  project = "acme-ml"\n}\n' in read(tmp_path / "out")["versions.tf"]


def test_a_plan_with_errors_is_not_written(export: Any, tmp_path: pathlib.Path) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text(PLAN.read_text().replace("topology: 16x16", "topology: 16x17"))
    run = export(plan=plan)
    assert (run.code, run.out) == (1, "")
    assert "TPU112" in run.err
    assert not (tmp_path / "out").exists()


def test_the_same_plan_gives_the_same_files_anywhere(export: Any, tmp_path: pathlib.Path, gke_tpu: Any) -> None:
    export()
    copy = tmp_path / "copy.yaml"
    copy.write_text(PLAN.read_text())
    gke_tpu("export", "terraform", copy, "-o", tmp_path / "again", *TODAY)
    assert read(tmp_path / "again") == read(tmp_path / "out")


def test_check_finds_nothing_in_modules_and_the_objects_beside_them(gke_tpu: Any, tmp_path: pathlib.Path) -> None:
    plans = [*ROOT.glob("docs/examples/*.yaml"), *ROOT.glob("stacks/*/plan.yaml")]
    found, with_objects = [], 0
    for number, plan in enumerate(sorted(plans)):
        folder = tmp_path / str(number)
        if gke_tpu("export", "terraform", plan, "-o", folder, *TODAY).code != 0:  # a wrong plan, or another file
            continue
        with_objects += (folder / "manifests").exists()
        run = gke_tpu("check", folder, *TODAY)
        found += [] if run.out.startswith("no findings\n") else [f"{plan}: {run.out}"]
    assert found == []
    assert with_objects >= 10
