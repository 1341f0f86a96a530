"""`gke-tpu adopt` with files of Kubernetes objects beside those of node pools."""

import copy
import json
import pathlib
from collections.abc import Callable
from typing import Any

import jsonschema
import pytest
import yaml
from support.fixtures.commands import Run

from pulumi_gke_tpu.core.output.schemas import all_schemas
from pulumi_gke_tpu.core.text.yamlfile.write import write_yaml

SECRET = "hunter2-is-a-secret"
POOL = {
    "name": "train-0",
    "initialNodeCount": 4,
    "locations": ["us-east5-b"],
    "status": "RUNNING",
    "config": {
        "machineType": "ct6e-standard-4t",
        "oauthScopes": ["https://www.googleapis.com/auth/cloud-platform"],
        "serviceAccount": "gke-nodes@acme-ml.iam.gserviceaccount.com",
    },
    "management": {"autoRepair": True, "autoUpgrade": True},
    "placementPolicy": {"type": "COMPACT", "tpuTopology": "4x4"},
    "upgradeSettings": {"maxUnavailable": 1, "strategy": "SURGE"},
}
CLASS = {
    "apiVersion": "scheduling.k8s.io/v1",
    "kind": "PriorityClass",
    "metadata": {"name": "high", "uid": "4711", "resourceVersion": "12", "generation": 1},
    "value": 750,
    "globalDefault": False,
    "preemptionPolicy": "PreemptLowerPriority",
}
NAMESPACE = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "research"}, "status": {"phase": "Active"}}
HIDDEN = {
    "apiVersion": "v1",
    "kind": "Secret",
    "metadata": {"name": "hub", "namespace": "research"},
    "stringData": {"token": SECRET},
}
TEAM = {
    "apiVersion": "kueue.x-k8s.io/v1beta2",
    "kind": "ClusterQueue",
    "metadata": {"name": "team", "annotations": {"kubectl.kubernetes.io/last-applied-configuration": SECRET}},
    "spec": {"resourceGroups": [{"coveredResources": ["cpu"], "flavors": [{"name": "other", "resources": []}]}]},
}

GkeTpu = Callable[..., Run]


def cluster(name: str) -> dict[str, Any]:
    return {
        "name": name,
        "selfLink": f"https://container.googleapis.com/v1/projects/acme-ml/locations/us-east5/clusters/{name}",
        "location": "us-east5",
        "nodePools": [copy.deepcopy(POOL)],
    }


@pytest.fixture
def folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pools.json").write_text(json.dumps(cluster("training")))
    return tmp_path


def put(path: pathlib.Path, *objects: dict[str, Any]) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    listed = {"apiVersion": "v1", "kind": "List", "items": list(objects)}
    texts = [json.dumps(listed)] if path.suffix == ".json" else [write_yaml(item) for item in objects]
    path.write_text("---\n".join(texts))
    return path.name


def plan_in(folder: pathlib.Path) -> Any:
    return yaml.safe_load((folder / "out" / "plan.yaml").read_text())


@pytest.mark.parametrize("name", ["objects.json", "objects.yaml"])
def test_a_list_and_several_documents_are_read(name: str, folder: pathlib.Path, gke_tpu: GkeTpu) -> None:
    put(folder / name, CLASS, NAMESPACE)
    found = gke_tpu("adopt", "pools.json", name, "-o", "out")
    assert found.code == 0, found.err
    assert plan_in(folder)["clusters"]["training"]["kubernetes"] == {
        "priority_classes": {"high": {"value": 750}},
        "namespaces": {"research": {}},
    }
    assert "2 Kubernetes objects adopted · 0 objects left alone" in " ".join(found.out.split())


def test_only_the_quota_that_a_plan_renders_is_that_of_a_namespace(folder: pathlib.Path, gke_tpu: GkeTpu) -> None:
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "spec": {"hard": {"requests.google.com/tpu": "16"}}}
    put(folder / "objects.yaml", NAMESPACE, {**quota, "metadata": {"name": "compute", "namespace": "research"}})
    found = gke_tpu("adopt", "pools.json", "objects.yaml", "-o", "out")
    assert found.code == 0, found.err
    assert plan_in(folder)["clusters"]["training"]["kubernetes"] == {"namespaces": {"research": {}}}
    put(folder / "objects.yaml", NAMESPACE, {**quota, "metadata": {"name": "chips", "namespace": "research"}})
    gke_tpu("adopt", "pools.json", "objects.yaml", "-o", "out", "--force")
    assert plan_in(folder)["clusters"]["training"]["kubernetes"] == {"namespaces": {"research": {"chips": 16}}}


def test_the_written_plan_renders_the_objects_and_has_no_errors(folder: pathlib.Path, gke_tpu: GkeTpu) -> None:
    put(folder / "objects.yaml", CLASS, NAMESPACE)
    gke_tpu("adopt", "pools.json", "objects.yaml", "-o", "out")
    assert gke_tpu("validate", "out").code == 0
    rendered = list(yaml.safe_load_all(gke_tpu("manifests", "out", "--cluster", "training").out))
    assert [(item["kind"], item["metadata"]["name"]) for item in rendered if item] == [
        ("Namespace", "research"),
        ("PriorityClass", "high"),
    ]


def test_the_output_names_the_command_that_applies_the_objects(folder: pathlib.Path, gke_tpu: GkeTpu) -> None:
    put(folder / "objects.yaml", CLASS)
    command = "gke-tpu manifests plan.yaml --cluster training | kubectl apply --server-side -f -"
    assert command in gke_tpu("adopt", "pools.json", "objects.yaml", "-o", "out").out
    assert "kubectl" not in gke_tpu("adopt", "pools.json", "-o", "out", "--force").out


def test_no_text_of_a_secret_gets_into_an_output(folder: pathlib.Path, gke_tpu: GkeTpu) -> None:
    put(folder / "objects.yaml", HIDDEN, TEAM, CLASS)
    for options in ((), ("--with-commands",), ("--format", "json")):
        found = gke_tpu("adopt", "pools.json", "objects.yaml", "-o", "out", "--force", *options)
        assert SECRET not in found.out + found.err
        assert all(SECRET not in file.read_text() for file in (folder / "out").iterdir())


def test_json_has_the_published_form(folder: pathlib.Path, gke_tpu: GkeTpu) -> None:
    put(folder / "objects.yaml", CLASS, TEAM, HIDDEN)
    found = json.loads(gke_tpu("adopt", "pools.json", "objects.yaml", "-o", "out", "--format", "json").out)
    jsonschema.Draft202012Validator(all_schemas()["adopt"]()).validate(found)
    (plan,), (objects,) = found["plans"], found["objects"]
    assert [item["name"] for item in plan["adopted"]] == ["train-0"]
    assert (objects["project"], objects["cluster"]) == ("acme-ml", "training")
    assert [(item["kind"], item["item"]) for item in objects["adopted"]] == [("PriorityClass", "priority_classes.high")]
    assert [item["reason"] for item in objects["left_alone"]] == ["no slice group of the plan has its flavor `other`"]
    assert objects["others"] == {"Secret": 1}
    assert set(found["files"]) == {file.name for file in (folder / "out").iterdir()}


def test_json_without_objects_names_node_pools_that_are_left_alone(folder: pathlib.Path, gke_tpu: GkeTpu) -> None:
    broken = cluster("training")
    broken["nodePools"][0]["status"] = "ERROR"
    (folder / "pools.json").write_text(json.dumps(broken))
    run = gke_tpu("adopt", "pools.json", "-o", "out", "--format", "json")
    found = json.loads(run.out)
    assert (run.code, found["objects"], found["files"]) == (1, [], [])
    assert [item["reason"] for item in found["plans"][0]["left_alone"]] == ["its status is ERROR"]


def two_clusters(folder: pathlib.Path) -> None:
    (folder / "pools.json").write_text(json.dumps([cluster("east"), cluster("west")]))


def test_objects_of_several_clusters_are_those_of_the_folder_with_its_name(
    folder: pathlib.Path, gke_tpu: GkeTpu
) -> None:
    two_clusters(folder)
    put(folder / "all" / "east" / "a.yaml", CLASS)
    put(folder / "all" / "west.yaml", {**CLASS, "value": 3})
    other = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}}
    put(folder / "all" / "other.yaml", NAMESPACE, other)
    found = gke_tpu("adopt", "pools.json", "all", "-o", "out")
    clusters = plan_in(folder)["clusters"]
    assert clusters["east"]["kubernetes"] == {"priority_classes": {"high": {"value": 750}}}
    assert clusters["west"]["kubernetes"] == {"priority_classes": {"high": {"value": 3}}}
    out = " ".join(found.out.split())
    assert "Namespace research: its cluster is not known: put its file into a folder with the name" in out
    assert "1 other object of no cluster: 1 ConfigMap." in out
    assert "--cluster east | kubectl" in found.out
    assert "--cluster west | kubectl" in found.out


def test_objects_without_node_pools_are_left_alone(folder: pathlib.Path, gke_tpu: GkeTpu) -> None:
    put(folder / "objects.yaml", CLASS)
    found = gke_tpu("adopt", "objects.yaml", "-o", "out")
    assert found.code == 1
    assert "PriorityClass high: no cluster was adopted" in found.out
    assert not (folder / "out").exists() or not list((folder / "out").iterdir())


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("a: 1\n", "is neither a description of resources that gke-tpu reads, nor a file of Kubernetes"),
        ("apiVersion: v1\nkind: Namespace\nmetadata: {name: a\n", "objects.yaml:"),
        ("apiVersion: v1\nkind: Secret\nstringData: {token: hunter2-is-a-secret\n", "objects.yaml:"),
    ],
    ids=["something else", "invalid YAML", "invalid YAML of a Secret"],
)
def test_other_files_are_refused(content: str, words: str, folder: pathlib.Path, gke_tpu: GkeTpu) -> None:
    (folder / "objects.yaml").write_text(content)
    found = gke_tpu("adopt", "pools.json", "objects.yaml", "-o", "out")
    assert found.code == 2
    assert words in " ".join(found.err.split())
    assert SECRET not in found.err
    assert not (folder / "out").exists()


@pytest.mark.parametrize(
    ("objects", "code", "words"),
    [
        ([CLASS, NAMESPACE], 0, "2 objects as planned · 0 different"),
        ([{**CLASS, "value": 3}, NAMESPACE], 1, "training: PriorityClass high: value is 3 and would be 750"),
        ([NAMESPACE], 1, "Objects only in the plan: - training: PriorityClass high"),
        ([CLASS, TEAM], 1, "Objects only in the plan: - training: Namespace research"),
        ([CLASS, HIDDEN], 0, "1 object as planned · 0 different"),
    ],
    ids=["same", "other value", "missing", "missing namespace", "namespace with an object"],
)
def test_check_compares_objects_with_the_plan(
    objects: list[dict[str, Any]], code: int, words: str, folder: pathlib.Path, gke_tpu: GkeTpu
) -> None:
    put(folder / "objects.yaml", CLASS, NAMESPACE)
    gke_tpu("adopt", "pools.json", "objects.yaml", "-o", "out")
    put(folder / "now.yaml", *objects)
    found = gke_tpu("adopt", "pools.json", "now.yaml", "--check", "out")
    assert (found.code, words in " ".join(found.out.split())) == (code, True), found.out + found.err
    assert SECRET not in found.out
    assert gke_tpu("adopt", "pools.json", "--check", "out").code == 0


def test_check_names_objects_without_a_cluster(folder: pathlib.Path, gke_tpu: GkeTpu) -> None:
    two_clusters(folder)
    gke_tpu("adopt", "pools.json", "-o", "out")
    put(folder / "now.yaml", CLASS)
    found = gke_tpu("adopt", "pools.json", "now.yaml", "--check", "out")
    assert found.code == 0
    assert "Not assigned to a cluster: - 1 object not compared" in " ".join(found.out.split())


@pytest.mark.parametrize("options", [("--from", "xpk", "-o", "out"), ("--check", "plan.yaml")])
def test_with_commands_is_only_for_objects(options: tuple[str, ...], folder: pathlib.Path, gke_tpu: GkeTpu) -> None:
    found = gke_tpu("adopt", "pools.json", "--with-commands", *options)
    assert found.code == 2
    assert "--with-commands is for -o DIR" in found.err
