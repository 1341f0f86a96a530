"""What ``gke-tpu adopt`` says to do next."""

import copy
import json
import pathlib
from collections.abc import Callable

import pytest
from support.fixtures.commands import Run
from support.fleets import fleets
from support.foreign_files import module_plan

GkeTpu = Callable[..., Run]
FLEET = json.loads(next(fleet for fleet in fleets() if fleet.name == "gcloud_v6e").content)


def in_project(name: str) -> str:
    """The fleet in another project."""
    return json.dumps(copy.deepcopy(FLEET)).replace("projects/my-project/", f"projects/{name}/")


@pytest.fixture
def folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    path = tmp_path / "a folder"
    path.mkdir()
    monkeypatch.chdir(path)
    return path


def steps(run: Run) -> list[str]:
    return [line.strip() for line in run.out.splitlines() if line.strip().startswith(("cd ", "pulumi "))]


def test_the_steps_of_one_project_are_in_its_folder(folder: pathlib.Path, gke_tpu: GkeTpu) -> None:
    (folder / "one.json").write_text(in_project("research"))
    run = gke_tpu("adopt", "one.json", "-o", "my plans", "--stack", "prod")
    assert (run.code, steps(run)) == (
        0,
        [
            "cd 'my plans'",
            "pulumi stack init prod",
            "pulumi import --stack prod --file import.json --protect=true --generate-code=false",
            "pulumi preview --stack prod",
        ],
    )


def test_the_steps_of_several_projects_name_the_folder_of_each(folder: pathlib.Path, gke_tpu: GkeTpu) -> None:
    for name in ("research", "serving"):
        (folder / f"{name}.json").write_text(in_project(name))
    run = gke_tpu("adopt", "research.json", "serving.json", "-o", "my plans")
    assert run.code == 0
    assert [line.split(" stack init ")[0] for line in steps(run) if " stack init " in line] == [
        "pulumi -C 'my plans/research'",
        "pulumi -C 'my plans/serving'",
    ]
    assert all((folder / "my plans" / name / "import.json").is_file() for name in ("research", "serving"))


def test_a_plan_that_creates_everything_has_nothing_to_adopt(folder: pathlib.Path, gke_tpu: GkeTpu) -> None:
    (folder / "plan.json").write_bytes(module_plan())
    run = gke_tpu("adopt", "plan.json", "-o", "out")
    assert run.code == 1
    assert "The plan creates node pools. Apply it first" in run.err
    assert not (folder / "out").exists()


def test_a_cluster_without_node_pools_is_left_alone_unless_only_slices_are_adopted(
    folder: pathlib.Path, gke_tpu: GkeTpu
) -> None:
    (folder / "one.json").write_text(json.dumps({**FLEET, "nodePools": []}))
    run = gke_tpu("adopt", "one.json", "-o", "out", "--format", "json")
    assert (run.code, run.err) == (1, "")
    (plan,) = json.loads(run.out)["plans"]
    assert [item["name"] for item in plan["clusters_left_alone"]] == ["training"]
    only = gke_tpu("adopt", "one.json", "-o", "out", "--slices-only", "--format", "json")
    assert (only.code, json.loads(only.out)["plans"]) == (1, [])
    assert not (folder / "out").exists()


@pytest.mark.parametrize("options", [(), ("--slices-only",)])
def test_json_names_the_clusters(options: tuple[str, ...], folder: pathlib.Path, gke_tpu: GkeTpu) -> None:
    (folder / "one.json").write_text(in_project("research"))
    (plan,) = json.loads(gke_tpu("adopt", "one.json", "-o", "out", "--format", "json", *options).out)["plans"]
    assert [item["key"] for item in plan["clusters"]] == ([] if options else ["training"])
    assert plan["clusters_left_alone"] == []
    assert {item["name"] for item in plan["adopted"]} == {"reserved", "sweep"}


def test_json_says_why_a_cluster_stays_with_its_tool(folder: pathlib.Path, gke_tpu: GkeTpu) -> None:
    (folder / "one.json").write_text(json.dumps({key: value for key, value in FLEET.items() if key != "network"}))
    (plan,) = json.loads(gke_tpu("adopt", "one.json", "-o", "out", "--format", "json").out)["plans"]
    assert plan["clusters"] == []
    assert [item["reason"] for item in plan["clusters_left_alone"]] == [
        "the source does not contain the network of the cluster"
    ]
