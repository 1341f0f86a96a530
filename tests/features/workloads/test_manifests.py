"""``gke-tpu manifests``: the objects on standard output and in files."""

import pathlib
from collections.abc import Callable
from typing import Any

import pytest
import yaml
from support.workload_plans import TRAIN, workload_plan

WORKLOADS = {"pretrain": {"slices": "train"}}
NEEDS = (
    "note: the cluster needs JobSet 0.12.0; to install it with the plan, add `operators: {jobset: {}}` to "
    "`kubernetes`\n"
)


@pytest.fixture
def plan(tmp_path: pathlib.Path) -> Callable[[dict[str, Any]], pathlib.Path]:
    """Writes a plan."""

    def write(content: dict[str, Any]) -> pathlib.Path:
        path = tmp_path / "plan.yaml"
        path.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
        return path

    return write


def shared(**kubernetes: Any) -> dict[str, Any]:
    """A plan with one workload."""
    return workload_plan({"train": {**TRAIN, "count": 2}}, WORKLOADS, kubernetes=kubernetes)


def two_clusters() -> dict[str, Any]:
    """The same plan with a second cluster."""
    content = shared()
    content["clusters"]["d"] = {**content["clusters"]["c"], "name": "other"}
    return content


def test_the_objects_are_on_standard_output(gke_tpu: Any, plan: Any) -> None:
    run = gke_tpu("manifests", plan(shared(namespace="research")))
    assert (run.code, run.err) == (0, NEEDS)
    objects = list(yaml.safe_load_all(run.out))
    assert [(item["kind"], item["metadata"]["name"]) for item in objects] == [
        ("Namespace", "research"),
        ("JobSet", "pretrain"),
    ]


def test_each_object_names_the_item_of_the_plan_that_it_follows_from(gke_tpu: Any, plan: Any) -> None:
    assert "---\n# clusters.c.kubernetes.workloads.pretrain\napiVersion:" in gke_tpu("manifests", plan(shared())).out


def test_each_concern_is_a_file(gke_tpu: Any, plan: Any, tmp_path: pathlib.Path) -> None:
    run = gke_tpu("manifests", plan(shared(namespace="research")), "-o", tmp_path / "out")
    assert (run.code, run.err) == (0, NEEDS)
    names = ["10-namespaces.yaml", "60-workloads.yaml", "examples/other-pods.yaml"]
    assert run.out == "".join(f"wrote {tmp_path}/out/{name}\n" for name in names)
    written = {path.name: yaml.safe_load(path.read_text()) for path in (tmp_path / "out").rglob("*.yaml")}
    assert {name: item["kind"] for name, item in written.items()} == {
        "10-namespaces.yaml": "Namespace",
        "60-workloads.yaml": "JobSet",
        "other-pods.yaml": "Pod",
    }


def test_the_files_have_the_objects_of_the_stream(gke_tpu: Any, plan: Any, tmp_path: pathlib.Path) -> None:
    path = plan(shared(namespace="research"))
    gke_tpu("manifests", path, "-o", tmp_path / "out")
    streamed = list(yaml.safe_load_all(gke_tpu("manifests", path).out))
    files = sorted((tmp_path / "out").glob("*.yaml"))
    assert [item for file in files for item in yaml.safe_load_all(file.read_text())] == streamed


def test_a_second_run_writes_nothing(gke_tpu: Any, plan: Any, tmp_path: pathlib.Path) -> None:
    path = plan(shared())
    gke_tpu("manifests", path, "-o", tmp_path / "out")
    run = gke_tpu("manifests", path, "-o", tmp_path / "out")
    assert (run.code, run.out, run.err) == (0, "", NEEDS)


def test_a_changed_file_is_overwritten_only_if_asked(gke_tpu: Any, plan: Any, tmp_path: pathlib.Path) -> None:
    path, file = plan(shared()), tmp_path / "out" / "60-workloads.yaml"
    gke_tpu("manifests", path, "-o", tmp_path / "out")
    rendered = file.read_text()
    file.write_text("mine\n")
    run = gke_tpu("manifests", path, "-o", tmp_path / "out")
    assert (run.code, file.read_text()) == (2, "mine\n")
    assert run.err == NEEDS + "Nothing was written. 60-workloads.yaml already exists; use --force to overwrite\n"
    assert gke_tpu("manifests", path, "-o", tmp_path / "out", "--force").code == 0
    assert file.read_text() == rendered


def test_a_file_without_objects_any_more_is_reported(gke_tpu: Any, plan: Any, tmp_path: pathlib.Path) -> None:
    gke_tpu("manifests", plan(shared(namespace="research")), "-o", tmp_path / "out")
    run = gke_tpu("manifests", plan(shared()), "-o", tmp_path / "out", "--force")
    assert f"{tmp_path}/out/10-namespaces.yaml: no object of the plan; delete the file\n" in run.err


GONE = "The plan no longer has these objects. They stay in the cluster until you delete them:\n"


@pytest.mark.parametrize(
    ("changes", "commands"),
    [
        ({"workloads": {}}, ["jobset.jobset.x-k8s.io/pretrain --namespace research"]),
        (
            {"namespace": "other"},
            [
                "jobset.jobset.x-k8s.io/pretrain --namespace research",
                "localqueue.kueue.x-k8s.io/q --namespace research",
            ],
        ),
        ({"queues": {"r": {}}}, ["localqueue.kueue.x-k8s.io/q --namespace research", "clusterqueue.kueue.x-k8s.io/q"]),
        (
            None,
            [
                "jobset.jobset.x-k8s.io/pretrain --namespace research",
                "localqueue.kueue.x-k8s.io/q --namespace research",
                "clusterqueue.kueue.x-k8s.io/q",
                "resourceflavor.kueue.x-k8s.io/tpu-train",
                "resourceflavor.kueue.x-k8s.io/cpu",
            ],
        ),
        ({}, []),
    ],
    ids=["a workload", "the namespace", "a queue", "everything", "nothing"],
)
def test_objects_that_leave_the_plan_are_deleted_by_commands(
    gke_tpu: Any, plan: Any, tmp_path: pathlib.Path, changes: dict[str, Any] | None, commands: list[str]
) -> None:
    """A namespace, whose deletion deletes data, has none; the files of objects that are gone are named."""
    content = shared(namespace="research", queues={"q": {}})
    gke_tpu("manifests", plan(content), "-o", tmp_path / "out")
    cluster = content["clusters"]["c"]
    if changes is None:
        del cluster["kubernetes"]
    else:
        cluster["kubernetes"] |= changes
    run = gke_tpu("manifests", plan(content), "-o", tmp_path / "out", "--force")
    assert run.code == 0
    assert (GONE in run.err) is bool(commands)
    assert [line.strip() for line in run.err.splitlines() if "kubectl" in line] == [
        f"kubectl delete {command}" for command in commands
    ]
    files = [line for line in run.err.splitlines() if line.endswith("no object of the plan; delete the file")]
    assert len(files) == (4 if changes is None else 2 if "workloads" in changes else 0)


def test_files_for_another_number_of_clusters_are_reported(gke_tpu: Any, plan: Any, tmp_path: pathlib.Path) -> None:
    gke_tpu("manifests", plan(two_clusters()), "-o", tmp_path / "out")
    (tmp_path / "out" / "c" / "90-mine.yaml").write_text("kind: ConfigMap\n")
    run = gke_tpu("manifests", plan(shared()), "-o", tmp_path / "out")
    assert f"{tmp_path}/out/d/60-workloads.yaml: no object of the plan; delete the file\n" in run.err
    assert f"{tmp_path}/out/c/60-workloads.yaml: no object of the plan; delete the file\n" in run.err
    assert "mine" not in run.err
    again = gke_tpu("manifests", plan(two_clusters()), "-o", tmp_path / "out")
    assert f"{tmp_path}/out/60-workloads.yaml: no object of the plan; delete the file\n" in again.err
    assert "/out/d/" not in again.err


def test_objects_of_several_clusters_are_never_in_one_stream(gke_tpu: Any, plan: Any) -> None:
    run = gke_tpu("manifests", plan(two_clusters()))
    assert run.code == 2
    assert "Several clusters have Kubernetes objects: c, d. Select one with --cluster" in run.err


def test_one_cluster_can_be_selected(gke_tpu: Any, plan: Any) -> None:
    run = gke_tpu("manifests", plan(two_clusters()), "--cluster", "d")
    assert (run.code, run.out.count("# clusters.d.")) == (0, 1)
    assert "# clusters.c." not in run.out


def test_an_unknown_cluster_is_an_invalid_command(gke_tpu: Any, plan: Any) -> None:
    run = gke_tpu("manifests", plan(two_clusters()), "--cluster", "e\x1b")
    assert run.code == 2
    assert "Cluster e\\x1b has no Kubernetes objects. Use one of: c, d." in run.err


def test_several_clusters_have_folders(gke_tpu: Any, plan: Any, tmp_path: pathlib.Path) -> None:
    assert gke_tpu("manifests", plan(two_clusters()), "-o", tmp_path / "out").code == 0
    assert {file.name for file in (tmp_path / "out").iterdir()} == {"c", "d"}


def test_a_plan_with_errors_has_no_objects(gke_tpu: Any, plan: Any) -> None:
    content = shared()
    content["clusters"]["c"]["slices"]["train"]["topology"] = "4x5"
    run = gke_tpu("manifests", plan(content))
    assert (run.code, run.out) == (1, "")
    assert "TPU112" in run.err


def test_a_plan_without_workloads_has_no_objects(gke_tpu: Any, plan: Any) -> None:
    content = shared()
    del content["clusters"]["c"]["kubernetes"]
    run = gke_tpu("manifests", plan(content))
    assert (run.code, run.out) == (0, "")
    assert run.err == "No Kubernetes objects: no cluster has `kubernetes`, and no slice group has `fallback`.\n"


def test_a_file_in_the_place_of_the_folder_is_an_error(gke_tpu: Any, plan: Any, tmp_path: pathlib.Path) -> None:
    path = plan(shared())
    run = gke_tpu("manifests", path, "-o", path, "--force")
    assert (run.code, run.out) == (2, "")
    assert path.read_text().startswith("version: 1")


def test_a_note_states_what_is_not_known_about_requests_on_autopilot(gke_tpu: Any, plan: Any) -> None:
    slices = {"train": {"tpu": "v6e", "topology": "4x4"}}
    unset = workload_plan(slices, WORKLOADS, mode="autopilot")
    del unset["clusters"]["c"]["network"]
    run = gke_tpu("manifests", plan(unset))
    assert (run.code, run.err.count("note: the smallest CPU and memory requests of TPU Pods on Autopilot")) == (0, 1)
    assert "a Pod requests 75% of its host" in run.err
