"""The programs of docs/several-plans.md in the real engine: two plans in one program, one plan over two stacks."""

import pathlib
import runpy
from collections.abc import Iterator

import pytest
from support.documents import ROOT, write_files
from support.engine.engine_cloud import Engine, started
from support.engine.pulumi_cli import PulumiCli
from support.engine.stack_run import EngineStack, Program
from support.gcp_standin.knowledge import CLUSTER, POOL

from pulumi_gke_tpu import TpuFleet, load_plan
from pulumi_gke_tpu.preview import Unknown, run_program

PAGE = ROOT / "docs" / "several-plans.md"
CLUSTER_ID = "projects/acme-ml/locations/us-east5/clusters/train-east"
SLICES = {
    "NodePool train-east/pretrain/pretrain-0",
    "NodePool train-east/pretrain/pretrain-1",
    "NodePool train-east/sweep/sweep",
}


@pytest.fixture
def page(tmp_path: pathlib.Path) -> pathlib.Path:
    """The files that the page shows."""
    folder = tmp_path / "page"
    write_files(folder, PAGE)
    return folder


def program(folder: pathlib.Path) -> Program:
    return lambda: runpy.run_path(str(folder / "__main__.py")) and None


def edit(path: pathlib.Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


# Two plans in one program


def test_two_plans_live_side_by_side(engine: Engine, page: pathlib.Path) -> None:
    run, stack = program(page / "two-plans"), engine.stack("both")
    assert stack.up(run).error == ""
    assert engine.cloud.names(CLUSTER) == [
        "projects/acme-ml/locations/us-east5/clusters/train-east",
        "projects/acme-serving/locations/us-east5/clusters/serve-east",
    ]
    assert stack.preview(run).ops() == {}
    edit(page / "two-plans" / "serving.yaml", "mode: autopilot", "mode: autopilot\n    release_channel: rapid")
    assert stack.preview(run).ops() == {"Cluster serve-east": "update"}


def test_a_mistake_in_one_plan_stops_both(engine: Engine, page: pathlib.Path) -> None:
    edit(page / "two-plans" / "research.yaml", "topology: 4x4", "topology: 4x5")
    assert "TPU112" in engine.stack("both").up(program(page / "two-plans")).error
    assert engine.cloud.requests == []


def test_a_key_twice_is_refused(engine: Engine, page: pathlib.Path) -> None:
    stack = engine.stack("both")
    serving = page / "two-plans" / "serving.yaml"
    edit(serving, "serve-east", "train-east")
    edit(serving, "mode: autopilot", "mode: standard")
    edit(serving, "count: {min: 0, max: 8}", "count: {min: 0, max: 8}, zone: us-east5-b")
    assert "Duplicate resource URN" in stack.preview(program(page / "two-plans")).error
    edit(serving, "train-east:", "serving-east:\n    name: train-east")
    assert stack.preview(program(page / "two-plans")).error == ""


# One plan over two stacks


def both_up(engine: Engine, page: pathlib.Path) -> tuple[EngineStack, EngineStack]:
    """The stack with the cluster, and the one with its slices."""
    clusters, slices = engine.stack_of("tpu-clusters", "prod"), engine.stack_of("tpu-slices", "prod")
    assert clusters.up(program(page / "shared" / "cluster")).error == ""
    assert engine.cloud.names(POOL) == [f"{CLUSTER_ID}/nodePools/system"]
    assert slices.up(program(page / "shared" / "slices")).error == ""
    return clusters, slices


@pytest.fixture(scope="module")
def stacks(cli: PulumiCli, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[EngineStack, EngineStack]]:
    """Both, brought up once for tests that only preview."""
    folder = tmp_path_factory.mktemp("shared")
    write_files(folder / "page", PAGE)
    with started(cli, folder) as engine:
        yield both_up(engine, folder / "page")


def test_each_stack_owns_its_part(page: pathlib.Path, stacks: tuple[EngineStack, EngineStack]) -> None:
    clusters, slices = stacks
    assert {f"NodePool {urn.split('::', 3)[3]}" for urn in slices.state()} == SLICES
    assert clusters.preview(program(page / "shared" / "cluster")).ops() == {}
    assert slices.preview(program(page / "shared" / "slices")).ops() == {}


def test_pools_are_those_of_a_fleet(page: pathlib.Path) -> None:
    plan = load_plan(page / "shared" / "plan.yaml")
    whole = {item.name: dict(item.inputs) for item in run_program(lambda: TpuFleet("one", plan)).of_type(POOL)}
    parts = {item.name: dict(item.inputs) for item in run_program(program(page / "shared" / "slices")).of_type(POOL)}
    assert parts.keys() == whole.keys() - {"train-east/system"}
    for name, inputs in parts.items():
        # The cluster's id and its account are known later, and the values for its pools are not repeated.
        for item in (inputs, whole[name]):
            item["nodeConfig"] = dict(item["nodeConfig"])
            assert isinstance(item.pop("cluster"), Unknown)
            assert isinstance(item["nodeConfig"].pop("serviceAccount"), Unknown)
        assert whole[name].pop("networkConfig") == {"enablePrivateNodes": False}
        assert inputs == whole[name]


def test_a_change_of_the_plan_touches_the_stack_it_concerns(
    page: pathlib.Path, stacks: tuple[EngineStack, EngineStack]
) -> None:
    clusters, slices = stacks
    edit(page / "shared" / "plan.yaml", "max: 4", "max: 6")
    assert clusters.preview(program(page / "shared" / "cluster")).ops() == {}
    assert slices.preview(program(page / "shared" / "slices")).ops() == {"NodePool train-east/sweep/sweep": "update"}


def test_reserved_slices_are_protected_here_too(page: pathlib.Path, stacks: tuple[EngineStack, EngineStack]) -> None:
    _, slices = stacks
    edit(page / "shared" / "plan.yaml", "topology: 4x4", "topology: 4x8")
    assert "protect" in slices.preview(program(page / "shared" / "slices")).error
    until = '"acknowledge": [{"change": "replace", "of": "train-east/pretrain", "reason": "r", "until": "2099-01-01"}]'
    edit(
        page / "shared" / "slices" / "__main__.py",
        "**group,",
        f'**group, **({{{until}, "today": "2026-11-20"}} if name == "pretrain" else {{}}),',
    )
    assert slices.preview(program(page / "shared" / "slices")).error == ""


def test_slices_of_a_cluster_that_was_deleted_come_back(engine: Engine, page: pathlib.Path) -> None:
    clusters, slices = both_up(engine, page)
    edit(page / "shared" / "plan.yaml", "mode: standard", "mode: standard\n    deletion_protection: false")
    assert clusters.up(program(page / "shared" / "cluster")).error == ""
    assert clusters.destroy().error == ""
    assert engine.cloud.names(POOL) == []
    assert clusters.up(program(page / "shared" / "cluster")).error == ""
    assert slices.preview(program(page / "shared" / "slices")).ops() == {}
    assert slices.refresh().error == ""
    assert slices.preview(program(page / "shared" / "slices")).ops() == dict.fromkeys(SLICES, "create")


def test_without_the_cluster_nothing_is_registered(engine: Engine, page: pathlib.Path) -> None:
    run = engine.stack_of("tpu-slices", "prod").preview(program(page / "shared" / "slices"))
    assert "tpu-clusters" in run.error
