"""What a snapshot must never show: each object of each answer has secrets in every place, and no output has one."""

import json
import pathlib
from collections.abc import Callable
from typing import Any

import pytest
from support.fixtures.commands import Run
from support.snapshots import Answers, checked_plan, healthy, in_lines, requests_for, write

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


ALLOWED = "allowed"
FLAT = {
    "metadata.annotations": [{"example.com/token": MARK}],
    "metadata.managedFields": [[{"fieldsV1": {"f": MARK}}]],
    "spec.containers": [
        [{"name": "jax", "env": [{"name": "TOKEN", "value": MARK}], "args": [MARK], "command": [MARK]}]
    ],
    "data": [{"token": MARK}],
    "status.message": MARK,
}
"""What a line would have if the script asked for more than it does."""


def with_every_field(answers: Answers) -> Answers:
    """The answers with each field that the script asks for, all of them in lines, and with the forbidden ones."""
    checked = checked_plan(PLAN)
    found = dict(answers)
    for request in requests_for(checked):
        content = answers.get(request.file)
        if request.command[0] == "gcloud" and isinstance(content, list | dict):
            written = next(word for word in request.command if word.startswith("--format=json"))
            paths = [path for path in written.partition("(")[2].rstrip(")").split(",") if path]
            entries = content if isinstance(content, list) else [content]
            for entry in entries or [{}]:
                for path in paths:
                    set_missing(entry, path.split("."), f"{ALLOWED}:{request.name}.{path}")
            found[request.file] = filled(entries if isinstance(content, list) else entries[0])
    for name, content in in_lines(found).items():
        if isinstance(content, bytes):
            lines = [json.dumps({**filled_texts(json.loads(line)), **FLAT}) for line in content.splitlines()]
            found[name] = "\n".join(lines).encode()
        elif name.startswith("events-"):
            found[name] = filled(content)
    return found


def set_missing(entry: dict[str, Any], steps: list[str], value: str) -> None:
    for step in steps[:-1]:
        entry = entry.setdefault(step, {})
        if not isinstance(entry, dict):
            return
    entry.setdefault(steps[-1], value)


def filled_texts(flat: dict[str, Any]) -> dict[str, Any]:
    """A line without empty members: texts are markers, and values mappings with one."""
    empty = {"": f"{ALLOWED}:text", "[]": [{ALLOWED: f"{ALLOWED}:value"}]}
    lists = (
        "metadata.ownerReferences",
        "spec.schedulingGates",
        "spec.taints",
        "status.conditions",
        "deletionTimestamp",
    )
    return {
        name: value
        if name.endswith(lists)
        else empty.get(value if isinstance(value, str) else json.dumps(value), value)
        for name, value in flat.items()
    }


@pytest.fixture(scope="module")
def complete(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A folder in the form that the script writes, in which no field is missing and each forbidden one is there."""
    checked, place = checked_plan(PLAN), tmp_path_factory.mktemp("complete")
    answers = healthy(checked)
    incident(answers)
    write(place, with_every_field(answers))
    for path in place.iterdir():
        assert path.name == "snapshot.json" or MARK in path.read_text("utf-8") or path.stat().st_size < 3, path.name
    return place


READERS: list[tuple[str, tuple[str, ...]]] = [
    *(("status", ("--format", form)) for form in ("text", "json", "markdown")),
    *(("doctor", ("--format", form)) for form in ("text", "json", "markdown")),
    *(("calendar", ("--format", form)) for form in ("text", "json", "markdown", "icalendar")),
    *(("check", ("--format", form)) for form in ("text", "json", "sarif", "github", "gitlab", "junit")),
    *(("check --plan", ("--format", form)) for form in ("text", "json", "sarif")),
    *((name, ()) for name in ("inventory", "inventory again", "report", "preview", "adopt")),
]


@pytest.mark.parametrize(("command", "options"), READERS, ids=lambda value: value if isinstance(value, str) else "")
def test_no_command_shows_a_forbidden_field_of_a_complete_folder(
    complete: pathlib.Path, gke_tpu: Callable[..., Run], tmp_path: pathlib.Path, command: str, options: tuple[str, ...]
) -> None:
    written = tmp_path / "inventory.yaml"
    described = (complete / "cluster-train.json", complete / "node-pools-train.json")
    calls: dict[str, tuple[object, ...]] = {
        "check": ("check", complete),
        "check --plan": ("check", complete, "--plan", PLAN),
        "report": ("report", *described, "-o", tmp_path / "page.html"),
        "preview": ("preview", *described, "--format", "json", "--resources"),
        "adopt": ("adopt", *described, "-o", tmp_path / "adopted"),
        "inventory": ("inventory", "--snapshot", complete, "-o", written),
        "inventory again": ("inventory", "--snapshot", complete, "-o", written),
    }
    if command == "inventory again":
        written.write_text("version: 1\nas_of: 2026-01-01\nreservations: []\n", encoding="utf-8")
    done = gke_tpu(*calls.get(command, (command, PLAN, "--snapshot", complete)), *options)
    assert done.code in (0, 1), done.err
    files = (path.read_text("utf-8") for path in tmp_path.rglob("*") if path.is_file())
    text = "".join((done.out, done.err, *files))
    assert len(text) > 20
    assert [line for line in text.splitlines() if MARK in line] == []


def test_outputs_do_quote_fields_that_are_read(complete: pathlib.Path, gke_tpu: Callable[..., Run]) -> None:
    """The folder is not silent because nothing of it is shown."""
    assert (
        f"{ALLOWED}:node-pools.statusMessage" in gke_tpu("status", PLAN, "--snapshot", complete, "--format", "json").out
    )
