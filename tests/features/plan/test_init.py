"""``gke-tpu init``: the files are valid, and no file is overwritten, incomplete or outside of the directory."""

import json
import math
import os
import pathlib
import shlex
from typing import Any

import jsonschema
import pytest
import yaml

from pulumi_gke_tpu.core.catalog import read_catalog

FILES = {"plan.yaml", "Pulumi.yaml", "__main__.py", "requirements.txt", "plan.schema.json"}


def written(folder: pathlib.Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()}


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
    return tmp_path / "infra"


@pytest.mark.parametrize("tpu", [None, *read_catalog().generation_names])
@pytest.mark.parametrize("mode", ["standard", "autopilot"])
def test_the_new_plan_has_no_findings(gke_tpu: Any, folder: pathlib.Path, tpu: str | None, mode: str) -> None:
    run = gke_tpu("init", folder, "--mode", mode, *(["--tpu", tpu] if tpu else []))
    assert run.code == 0, run.err
    assert written(folder) == FILES
    assert gke_tpu("validate", folder / "plan.yaml", "--strict").out == "no findings\n"


@pytest.mark.parametrize("tpu", [None, *read_catalog().generation_names])
@pytest.mark.parametrize("mode", ["standard", "autopilot"])
def test_a_first_job_uses_all_chips_of_a_slice(gke_tpu: Any, folder: pathlib.Path, tpu: str | None, mode: str) -> None:
    run = gke_tpu("init", folder, "--with-workload", "--mode", mode, *(["--tpu", tpu] if tpu else []))
    assert run.code == 0, run.err
    assert f"gke-tpu manifests {shlex.quote(str(folder / 'plan.yaml'))} | kubectl apply --server-side -f -" in run.out
    assert gke_tpu("validate", folder / "plan.yaml", "--strict").out == "no findings\n"
    (job,) = yaml.safe_load_all(gke_tpu("manifests", folder / "plan.yaml").out)
    assert (job["kind"], job["metadata"]["name"]) == ("Job", "hello")
    chips = job["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"]["google.com/tpu"]
    plan = yaml.safe_load((folder / "plan.yaml").read_text())
    (cluster,) = plan["clusters"].values()
    sizes = [int(size) for size in cluster["slices"]["workers"]["topology"].split("x")]
    assert int(chips) * job["spec"]["parallelism"] == math.prod(sizes)


def test_the_first_job_on_several_hosts_of_autopilot_needs_an_operator(gke_tpu: Any, folder: pathlib.Path) -> None:
    run = gke_tpu("init", folder, "--with-workload", "--mode", "autopilot", "--tpu", "v6e", "--topology", "4x4")
    assert "kubectl get crd jobsets.jobset.x-k8s.io" in run.out
    assert "kubectl get jobset/hello --watch" in run.out
    (job_set,) = yaml.safe_load_all(gke_tpu("manifests", folder / "plan.yaml").out)
    assert (job_set["kind"], job_set["spec"]["replicatedJobs"][0]["name"]) == ("JobSet", "slice")


def test_the_first_job_on_several_hosts_of_a_node_pool_has_a_service(gke_tpu: Any, folder: pathlib.Path) -> None:
    run = gke_tpu("init", folder, "--with-workload", "--mode", "standard", "--tpu", "v6e", "--topology", "4x4")
    assert (run.code, "get crd" in run.out, "kubectl get job/hello --watch" in run.out) == (0, False, True)


def test_without_the_option_the_plan_has_no_job(gke_tpu: Any, folder: pathlib.Path) -> None:
    run = gke_tpu("init", folder)
    assert "kubectl" not in run.out
    assert "kubernetes" not in (folder / "plan.yaml").read_text()


def test_the_new_plan_can_be_previewed(gke_tpu: Any, folder: pathlib.Path) -> None:
    gke_tpu("init", folder, "--mode", "standard", "--tpu", "v6e", "--topology", "4x4")
    run = gke_tpu("preview", folder / "plan.yaml", "--nodes")
    assert run.code == 0, run.err
    assert "workers-0" in run.out


def test_the_program_is_short_and_compiles(gke_tpu: Any, folder: pathlib.Path) -> None:
    gke_tpu("init", folder)
    program = (folder / "__main__.py").read_text()
    compile(program, "__main__.py", "exec")
    assert program.count("\n") < 30
    assert yaml.safe_load((folder / "Pulumi.yaml").read_text())["runtime"] == {"name": "python"}
    assert "file://" in (folder / "requirements.txt").read_text()  # the tests run in a checkout


def test_the_commands_to_go_on_with_can_be_pasted(gke_tpu: Any, tmp_path: pathlib.Path) -> None:
    folder = tmp_path / ("a folder; with spaces" * 12)
    lines = gke_tpu("init", folder).out.splitlines()
    words = shlex.split(lines[-1])
    assert words == ["gke-tpu", "preview", str(folder / "plan.yaml")]
    assert gke_tpu(*words[1:]).code == 0


def test_wishes_are_in_the_plan(gke_tpu: Any, folder: pathlib.Path) -> None:
    wishes = ("--project", "acme-ml", "--location", "us-east5-b", "--tpu", "v6e", "--topology", "8x8")
    assert gke_tpu("init", folder, *wishes).code == 0
    plan = yaml.safe_load((folder / "plan.yaml").read_text())
    (cluster,) = plan["clusters"].values()
    assert (plan["project"], cluster["mode"], cluster["location"]) == ("acme-ml", "standard", "us-east5-b")
    assert cluster["slices"]["workers"] == {"tpu": "v6e", "topology": "8x8"}


def test_a_stack_gets_a_folder_and_others_are_added_beside_it(gke_tpu: Any, folder: pathlib.Path) -> None:
    assert gke_tpu("init", folder, "--stack", "dev").code == 0
    assert gke_tpu("init", folder, "--stack", "prod", "--mode", "standard").code == 0
    assert written(folder) == (FILES - {"plan.yaml"}) | {"dev/plan.yaml", "prod/plan.yaml"}
    assert "stack" in (folder / "__main__.py").read_text()


def test_several_stacks_can_share_a_directory(gke_tpu: Any, folder: pathlib.Path) -> None:
    stacks = ("dev", "prod", "Team_A.eu", "2026", "x" * 90)
    plans = [folder / stack / "plan.yaml" for stack in stacks]
    for stack in stacks:
        assert gke_tpu("init", folder, "--stack", stack, "--mode", "standard").code == 0
    assert gke_tpu("validate", *plans, "--strict").out == "no findings\n"
    keys = [next(iter(yaml.safe_load(plan.read_text())["clusters"])) for plan in plans]
    assert keys == ["dev", "prod", "team-a-eu", "stack-2026", "x" * 30]


@pytest.mark.parametrize("stack", [None, "dev"])
def test_the_plan_names_the_schema_that_is_written_for_editors(
    gke_tpu: Any, folder: pathlib.Path, stack: str | None
) -> None:
    assert gke_tpu("init", folder, *(["--stack", stack] if stack else [])).code == 0
    plan = folder / (stack or "") / "plan.yaml"
    first = plan.read_text(encoding="utf-8").splitlines()[0]
    assert first.startswith("# yaml-language-server: $schema=")
    schema = json.loads((plan.parent / first.partition("=")[2]).read_text(encoding="utf-8"))
    jsonschema.validate(yaml.safe_load(plan.read_text(encoding="utf-8")), schema)
    assert schema == json.loads(gke_tpu("schema").out)


@pytest.mark.parametrize("stack", ["../prod", "a/b", ".", "", "a b", "x" * 200])
def test_a_stack_cannot_lead_out_of_the_directory(gke_tpu: Any, folder: pathlib.Path, stack: str) -> None:
    assert gke_tpu("init", folder, "--stack", stack).code == 2
    assert not folder.exists()


@pytest.mark.parametrize(
    ("wishes", "rule"),
    [
        (["--tpu", "v6e", "--topology", "3x3"], "TPU112"),
        (["--tpu", "v9z"], "TPU101"),
        (["--location", "mars-west4"], "TPU211"),
        (["--project", "a: b\n- c"], "TPU241"),
        (["--location", "us-east5-b", "--mode", "autopilot"], "TPU2"),
        (["--topology", "{}: [\x1b"], "TPU"),
    ],
)
def test_errors_are_found_before_a_file_is_written(
    gke_tpu: Any, folder: pathlib.Path, wishes: list[str], rule: str
) -> None:
    run = gke_tpu("init", folder, *wishes)
    assert (run.code, run.out) == (1, "")
    assert rule in run.err
    assert f"{next(word for word in wishes if word.startswith('--'))}: " in run.err or len(wishes) > 2
    assert "plan.yaml" not in run.err, "no line of a file that is not written"
    assert "\x1b" not in run.err
    assert not folder.exists()


def test_a_generation_may_have_its_other_name(gke_tpu: Any, folder: pathlib.Path) -> None:
    assert gke_tpu("init", folder, "--tpu", "trillium").code == 0
    assert "tpu: v6e\n" in (folder / "plan.yaml").read_text(encoding="utf-8")


def test_a_fix_is_an_option(gke_tpu: Any, folder: pathlib.Path) -> None:
    assert "Use --tpu v6e --topology 4x4." in gke_tpu("init", folder, "--tpu", "v6e-16").err
    assert "Use --tpu v5p --topology 4x8x8." in gke_tpu("init", folder, "--tpu", "v5p-512").err


@pytest.mark.parametrize("name", ["plan.yaml", "__main__.py", "requirements.txt"])
def test_nothing_is_overwritten_unless_it_is_asked_for(gke_tpu: Any, folder: pathlib.Path, name: str) -> None:
    folder.mkdir()
    (folder / name).write_text("mine")
    run = gke_tpu("init", folder)
    assert run.code == 2
    assert name in run.err
    assert written(folder) == {name}
    assert (folder / name).read_text() == "mine"
    assert gke_tpu("init", folder, "--force").code == 0
    assert (folder / name).read_text() != "mine"
    assert written(folder) == FILES


def test_a_second_run_overwrites_nothing(gke_tpu: Any, folder: pathlib.Path) -> None:
    assert gke_tpu("init", folder).code == 0
    assert gke_tpu("init", folder).code == 2


def test_an_existing_pulumi_project_is_kept(gke_tpu: Any, folder: pathlib.Path) -> None:
    folder.mkdir()
    (folder / "Pulumi.yaml").write_text("name: mine\nruntime: python\n")
    assert gke_tpu("init", folder, "--force").code == 0
    assert (folder / "Pulumi.yaml").read_text().startswith("name: mine")


@pytest.mark.parametrize("name", ["plan.yaml", "Pulumi.yaml", "__main__.py"])
@pytest.mark.parametrize("dangling", [True, False])
def test_symbolic_links_are_not_followed(gke_tpu: Any, folder: pathlib.Path, name: str, dangling: bool) -> None:
    folder.mkdir()
    elsewhere = folder.parent / "elsewhere"
    if not dangling:
        elsewhere.write_text("secret")
    (folder / name).symlink_to(elsewhere)
    run = gke_tpu("init", folder, "--force")
    if name == "Pulumi.yaml" and not dangling:
        assert run.code == 0  # it exists, so it is not written
    else:
        assert run.code == 2
        assert written(folder) <= {name}
    assert elsewhere.exists() == (not dangling)
    assert dangling or elsewhere.read_text() == "secret"


def test_a_linked_stack_folder_is_refused(gke_tpu: Any, folder: pathlib.Path) -> None:
    (folder.parent / "elsewhere").mkdir()
    folder.mkdir()
    (folder / "prod").symlink_to(folder.parent / "elsewhere")
    assert gke_tpu("init", folder, "--stack", "prod", "--force").code == 2
    assert list((folder.parent / "elsewhere").iterdir()) == []


def test_an_existing_directory_is_reported(gke_tpu: Any, folder: pathlib.Path) -> None:
    (folder / "plan.yaml").mkdir(parents=True)
    run = gke_tpu("init", folder, "--force")
    assert run.code == 2
    assert "plan.yaml" in run.err


def test_a_file_instead_of_the_directory_is_reported(gke_tpu: Any, folder: pathlib.Path) -> None:
    folder.write_text("a file")
    run = gke_tpu("init", folder)
    assert run.code == 2
    assert "Traceback" not in run.err


def test_no_temporary_file_stays_when_writing_fails(
    gke_tpu: Any, folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(source: Any, target: Any) -> None:
        raise PermissionError(13, "Permission denied", str(target))

    monkeypatch.setattr(os, "replace", refuse)
    run = gke_tpu("init", folder)
    assert run.code == 2
    assert "Permission denied" in run.err
    assert written(folder) == set()
