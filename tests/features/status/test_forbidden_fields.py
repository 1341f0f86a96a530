"""What a snapshot must never show: each object of each answer has secrets in every place, and no output has one."""

import json
import pathlib
from collections.abc import Callable
from typing import Any

import pytest
from support.fixtures.commands import Run
from support.snapshots import Answers, checked_plan, healthy, write

ROOT = pathlib.Path(__file__).parents[3]
PLAN = ROOT / "docs/examples/incident/plan.yaml"
MARK = "hunter2"
FORBIDDEN = (
    *("env", "args", "command", "annotations", "data", "stringData", "binaryData", "managedFields"),
    *("masterAuth", "clientKey", "clientCertificate", "clusterCaCertificate", "password", "token", "accessToken"),
    *("privateKey", "secret", "startup-script", "kube-env", "ssh-keys", "rawKey", "kmsKeyServiceAccount", "etag"),
)
"""Keys whose values no command of the script asks for, added to each object at each depth."""
REFUSAL = "0/9 nodes are available: 9 node(s) didn't match Pod's node affinity/selector."


def filled(data: Any, path: str = "") -> Any:
    """The data with all forbidden keys in each object, in the forms in which they hold secrets."""
    if isinstance(data, list):
        return [filled(each, f"{path}[]") for each in data]
    if not isinstance(data, dict):
        return data
    found = {key: filled(value, f"{path}.{key}") for key, value in data.items()}
    for key in FORBIDDEN:
        mark = f"{MARK}:{path}.{key}"
        forms = {"env": [{"name": "TOKEN", "value": mark}], "args": [mark], "command": [mark], "managedFields": [mark]}
        found.setdefault(key, forms.get(key, {"key": mark} if key in ("annotations", "data", "masterAuth") else mark))
    for key in ("annotations", "metadata"):
        if isinstance(found.get(key), dict):
            found[key][f"example.com/{key}"] = f"{MARK}:{path}.{key}"
    found.setdefault("metadata", {"items": [{"key": "kube-env", "value": f"{MARK}:{path}.metadata"}]})
    return found


def incident(answers: Answers) -> None:
    """Something is wrong everywhere, so that the outputs quote what they can."""
    for name, content in answers.items():
        if name.startswith("node-pools-"):
            content[0] |= {"status": "ERROR", "conditions": [{"code": "GCE_STOCKOUT", "message": "no capacity"}]}
        if name.startswith("pods-"):
            waits = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": REFUSAL}
            containers = [{"name": "jax", "image": "jax", "resources": {"limits": {"google.com/tpu": 4}}}]
            content["items"] += [
                {
                    "apiVersion": "v1",
                    "kind": "Pod",
                    "metadata": {"name": "train-0", "namespace": "ml"},
                    "spec": {"containers": containers},
                    "status": {"phase": "Pending", "conditions": [waits]},
                }
            ]
        if name.startswith("operations-"):
            link = "https://container.googleapis.com/v1/projects/acme-ml/locations/us-east5/clusters/train/nodePools/x"
            told = {"status": "DONE", "error": {"message": "no capacity"}, "targetLink": link}
            content.append({"name": "operation-1", "operationType": "CREATE_NODE_POOL", **told})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    checked = checked_plan(PLAN)
    answers = healthy(checked)
    incident(answers)
    place = tmp_path_factory.mktemp("snapshot")
    write(place, {name: content if name == "snapshot.json" else filled(content) for name, content in answers.items()})
    for path in place.iterdir():
        path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")), indent=2), encoding="utf-8")
    assert sum(path.read_text(encoding="utf-8").count(MARK) for path in place.iterdir()) > 1000
    return place


@pytest.mark.parametrize("command", ["status", "doctor"])
@pytest.mark.parametrize("form", ["text", "json", "markdown"])
def test_no_page_has_a_secret(folder: pathlib.Path, gke_tpu: Callable[..., Run], command: str, form: str) -> None:
    done = gke_tpu(command, PLAN, "--snapshot", folder, "--format", form)
    assert done.code in (0, 1)
    assert "pretrain" in done.out
    assert MARK not in done.out + done.err


def test_no_inventory_has_a_secret(folder: pathlib.Path, gke_tpu: Callable[..., Run], tmp_path: pathlib.Path) -> None:
    done = gke_tpu("inventory", "--snapshot", folder, "-o", tmp_path / "inventory.yaml")
    assert done.code == 0
    assert MARK not in done.out + done.err + (tmp_path / "inventory.yaml").read_text(encoding="utf-8")


def placed(data: Any) -> Any:
    """The data with secrets where the APIs have them."""
    if isinstance(data, list):
        return [placed(each) for each in data]
    if not isinstance(data, dict):
        return data
    found = {key: placed(value) for key, value in data.items()}
    if isinstance(found.get("metadata"), dict) and "kind" in found:
        found["metadata"]["annotations"] = {**found["metadata"].get("annotations", {}), "example.com/token": MARK}
        found["metadata"]["managedFields"] = [{"manager": "kubectl", "operation": "Update", "fieldsV1": {"f": MARK}}]
    for each in found.get("containers", ()) if isinstance(found.get("containers"), list) else ():
        each |= {"env": [*each.get("env", []), {"name": "TOKEN", "value": MARK}], "args": [MARK], "command": [MARK]}
    if "machineType" in found:
        found["metadata"] = {"startup-script": MARK, "disable-legacy-endpoints": "true"}
    if "currentMasterVersion" in found or str(found.get("selfLink", "")).endswith("/clusters/train"):
        found["masterAuth"] = {"clientKey": MARK, "clientCertificate": MARK, "password": MARK}
    return found


SECRETS = [
    {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "hf"}, "stringData": {"token": MARK}},
    {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "hg"}, "data": {"token": "aHVudGVyMg==", "bad": 7}},
    {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "keys"}, "data": {"key": MARK}},
]


@pytest.mark.parametrize("form", ["text", "json", "sarif", "github"])
@pytest.mark.parametrize("indent", [None, 2], ids=["in one line", "in lines"])
@pytest.mark.parametrize("plan", [(), ("--plan", PLAN)], ids=["alone", "with a plan"])
def test_no_finding_has_a_secret(
    gke_tpu: Callable[..., Run], form: str, plan: tuple[object, ...], indent: int | None, tmp_path: pathlib.Path
) -> None:
    """`check` reads what kubectl and gcloud print as a whole, and shows the lines around what it finds."""
    answers = healthy(checked_plan(PLAN))
    incident(answers)
    answers["pods-train.jsonl"]["items"] += SECRETS
    for name, content in answers.items():
        if name != "snapshot.json":
            (tmp_path / name.replace(".jsonl", ".json")).write_text(json.dumps(placed(content), indent=indent), "utf-8")
    done = gke_tpu("check", *plan, *sorted(tmp_path.glob("*.json")), "--format", form)
    assert "train-0" in done.out
    assert [line for line in (done.out + done.err).splitlines() if MARK in line or "aHVudGVyMg" in line] == []
