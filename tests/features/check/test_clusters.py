"""Manifests of several clusters of one plan: ``--cluster``, and folders with the keys of clusters."""

import pathlib
from typing import Any

import pytest
import yaml
from support.manifests import objects_in
from support.workload_plans import checked

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.objects import ManifestFile
from pulumi_gke_tpu.core.objects.clusters import by_cluster
from pulumi_gke_tpu.features.check.manifest_check import check_manifests
from pulumi_gke_tpu.features.workloads.manifests import manifests_of

SAME = {"tpu": "v6e", "zone": "us-east5-b", "count": 2}


def plan(east: str = "4x4", *, west_mode: str = "standard") -> dict[str, Any]:
    """Two clusters with a workload of the same name: on slices of ``east``, and on slices 8x8."""
    clusters = {
        key: {
            "mode": mode,
            "location": "us-east5",
            "slices": {"main": {**SAME, "topology": topology}},
            "kubernetes": {"workloads": {"train": {"slices": "main", "kind": "jobset", "count": 2, "image": "a"}}},
        }
        for key, topology, mode in (("east", east, "standard"), ("west", "8x8", west_mode))
    }
    return {"version": 1, "project": "acme-ml", "clusters": clusters}


def objects(cluster: str, of: dict[str, Any]) -> list[Any]:
    (found,) = (item for item in manifests_of(checked(of)) if item.cluster == cluster)
    return [item.object for item in found.manifests if item.concern == "workloads"]


def rules(files: dict[str, list[Any]], of: dict[str, Any], cluster: str | None = None) -> list[tuple[str, str]]:
    """The rules that report something, with the name of the file."""
    named = [ManifestFile(name, yaml.safe_dump_all(content).encode()) for name, content in files.items()]
    found = check_manifests(named, read_catalog(), checked(of), None, cluster)
    return sorted({(item.rule, item.position.file if item.position else "plan") for item in found})


FOLDERS = ("manifests/{}/workloads.yaml", "{}.yaml", "{}/a.json", "deploy/{}.yml")


@pytest.mark.parametrize("name", FOLDERS)
def test_what_gke_tpu_writes_for_each_cluster_has_no_finding(name: str) -> None:
    both = {name.format(key): objects(key, plan()) for key in ("east", "west")}
    assert rules(both, plan()) == []


@pytest.mark.parametrize("name", FOLDERS)
def test_files_of_a_cluster_are_not_served_by_another_one(name: str) -> None:
    """The slices of the cluster west are 8x8, as those of the cluster east were before."""
    old = objects("east", plan("8x8"))
    assert rules({name.format("east"): old}, plan()) == [("TPU790", name.format("east"))]
    assert rules({name.format("west"): old}, plan()) == []
    assert rules({"other.yaml": old}, plan(), "east") == [("TPU790", "other.yaml")]
    assert rules({name.format("east"): old}, plan(), "west") == []


DEEP = ("repo/{}/team/jobs.yaml", "{}/operators/more/a.yaml", "/home/east/repo/{}/base/a.yaml", r"repo\{}\team\a.yaml")


@pytest.mark.parametrize("name", DEEP)
def test_folders_below_that_of_a_cluster_belong_to_it(name: str) -> None:
    both = {name.format(key): objects(key, plan()) for key in ("east", "west")}
    assert rules(both, plan()) == []
    old = {**both, name.format("east"): objects("east", plan("8x8"))}
    assert rules(old, plan()) == [("TPU790", name.format("east"))]


def test_the_innermost_folder_decides() -> None:
    names = {"east/west/a.yaml": objects("west", plan()), "east/b.yaml": objects("east", plan())}
    assert rules(names, plan()) == []


def test_folders_around_all_files_tell_nothing() -> None:
    """A person can have a folder with the name of a cluster, and all files in it."""
    old = objects("east", plan("8x8"))
    for names in (("west/team/a.yaml",), ("west/team/a.yaml", "west/other/b.yaml")):
        found = rules(dict.fromkeys(names, old), plan())
        assert {rule for rule, _ in found} & {"TPU790"} == set(), names


def test_other_files_are_for_any_cluster() -> None:
    old = objects("east", plan("8x8"))
    assert [rule for rule, _ in rules({"other.yaml": old}, plan())] == ["TPU792"]
    beside = {"other.yaml": old, "west/a.yaml": objects("west", plan())}
    assert "other.yaml" not in {file for _, file in rules(beside, plan())}
    assert [rule for rule, _ in rules({"other.yaml": objects("east", plan("4x8"))}, plan())] == ["TPU790"]


def test_a_slice_group_without_workload_is_that_of_the_cluster() -> None:
    assert rules({"a.yaml": objects("east", plan())}, plan(), "east") == []
    assert [rule for rule, _ in rules({"a.yaml": objects("east", plan())}, plan())] == ["TPU792"]


@pytest.mark.parametrize(("cluster", "expected"), [("east", True), ("west", False)])
def test_the_mode_is_that_of_the_cluster(cluster: str, expected: bool) -> None:
    """Autopilot creates nodes of every topology; `east` is a Standard cluster."""
    old = objects("east", plan("4x8"))
    for item in old:
        item["metadata"]["labels"] = {}
    found = {rule for rule, _ in rules({"a.yaml": old}, plan(west_mode="autopilot"), cluster)}
    assert ("TPU790" in found) is expected


OBJECT = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"


def test_without_several_clusters_all_objects_are_checked_together() -> None:
    (own,) = objects_in(OBJECT)
    assert [(part.clusters, part.reported) for part in by_cluster([own], ("east",))] == [(None, {0})]
    assert [(part.clusters, part.reported) for part in by_cluster([], ("east", "west"))] == [(None, frozenset())]


@pytest.fixture
def files(tmp_path: pathlib.Path) -> pathlib.Path:
    (tmp_path / "plan.yaml").write_text(yaml.safe_dump(plan()), encoding="utf-8")
    (tmp_path / "old.yaml").write_text(yaml.safe_dump_all(objects("east", plan("8x8"))), encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(("cluster", "code"), [("east", 1), ("west", 0)])
def test_the_option_states_the_cluster(gke_tpu: Any, files: pathlib.Path, cluster: str, code: int) -> None:
    run = gke_tpu("check", files / "old.yaml", "--plan", files / "plan.yaml", "--cluster", cluster)
    assert run.code == code
    assert ("TPU790" in run.out) is (code == 1)


def test_an_unknown_cluster_is_an_error_with_the_known_ones(gke_tpu: Any, files: pathlib.Path) -> None:
    run = gke_tpu("check", files / "old.yaml", "--plan", files / "plan.yaml", "--cluster", "north")
    assert run.code == 2
    assert "The plan has no cluster north. Its clusters: east, west." in " ".join(run.err.split())


def test_the_option_needs_a_plan(gke_tpu: Any, files: pathlib.Path) -> None:
    run = gke_tpu("check", files / "old.yaml", "--cluster", "east")
    assert run.code == 2
    assert "--cluster names a cluster of a plan: add --plan PLAN." in " ".join(run.err.split())


def test_a_plan_that_cannot_be_read_has_its_own_errors(gke_tpu: Any, files: pathlib.Path) -> None:
    (files / "plan.yaml").write_text("clusters: [", encoding="utf-8")
    run = gke_tpu("check", files / "old.yaml", "--plan", files / "plan.yaml", "--cluster", "east")
    assert (run.code, "Traceback" in run.out + run.err) == (1, False)
