"""``gke-tpu snapshot``: the script only reads, reads everything once, and goes on where it may not read."""

import json
import os
import pathlib
import re
import shutil
import subprocess
from collections.abc import Callable

import jsonschema
import pytest
import yaml
from support.documents import blocks
from support.fixtures.commands import Run
from support.snapshots import checked_plan, requests_for, snapshot_in

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.features.status.folder_schema import snapshot_schema

ROOT = pathlib.Path(__file__).parents[3]
PLAN = ROOT / "stacks/prod/plan.yaml"
CHECKED = checked_plan(PLAN)
STAND_IN = """\
#!/bin/bash
printf '%s' "${0##*/}" >>"$LOG"
printf ' %q' "$@" >>"$LOG"
echo >>"$LOG"
case "$*" in
  *"$REFUSED"*) echo "ERROR: required permission is missing" >&2; exit 1 ;;
  *"value(instanceGroupUrls)"*) echo "$GROUP/gke-a-grp;$GROUP/gke-b-grp" ;;
  "get "*"-o json") echo '{"items": []}' ;;
  "get "*) ;;
  *" list "*json* | *" list-errors "* | *get-iam-policy*) echo '[]' ;;
  *json*) echo '{"name": "x"}' ;;
esac
"""
READS = r"gcloud (?:beta )?[\w -]+? (?:describe|list|list-errors|get-[\w-]+) |kubectl get "


def filled(folder: pathlib.Path, refused: str) -> list[str]:
    """Run the script of a folder with stand-ins of gcloud and kubectl; the commands that it called."""
    programs = folder.parent / "programs"
    programs.mkdir(exist_ok=True)
    for name in ("gcloud", "kubectl"):
        (programs / name).write_text(STAND_IN, encoding="utf-8")
        (programs / name).chmod(0o755)
    log = folder.parent / "log"
    log.write_text("")
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    variables = {"PATH": path, "LOG": str(log), "REFUSED": refused, "HOME": str(folder.parent)}
    variables["GROUP"] = "https://x/zones/us-east5-b/instanceGroupManagers"
    done = subprocess.run([str(folder / "read.sh")], env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return log.read_text(encoding="utf-8").splitlines()


@pytest.fixture
def folder(tmp_path: pathlib.Path, gke_tpu: Callable[..., Run]) -> pathlib.Path:
    assert gke_tpu("snapshot", PLAN, "-o", tmp_path / "a folder").code == 0
    return tmp_path / "a folder"


def test_the_script_only_reads_and_reads_everything(folder: pathlib.Path) -> None:
    called = filled(folder, "nothing is refused")
    assert [line for line in called if not re.match(READS, line)] == []
    assert sum("list-errors" in line for line in called) == 2
    assert not any("secrets" in line or "configmaps" in line for line in called)
    snapshot = snapshot_in(folder, CHECKED)
    assert snapshot.not_read == ()
    assert set(snapshot.errors) == {"gke-a-grp", "gke-b-grp"}
    assert not [path.name for path in folder.iterdir() if path.suffix in (".err", ".part")]


def test_an_answer_that_is_refused_is_named_and_the_others_are_read(folder: pathlib.Path) -> None:
    filled(folder, "node-pools list --cluster=train-east --location=us-east5 --project=acme-ml --format=json")
    snapshot = snapshot_in(folder, CHECKED)
    (missing,) = snapshot.not_read
    assert missing.name == "node-pools"
    assert "required permission is missing" in missing.reason


def test_the_role_has_the_permissions_of_the_script(folder: pathlib.Path) -> None:
    role = yaml.safe_load((folder / "role.yaml").read_text(encoding="utf-8"))
    wanted = {each for request in requests_for(CHECKED) for each in request.permissions}
    assert role["includedPermissions"] == sorted(wanted)
    assert all(re.fullmatch(r"[a-zA-Z.]+\.(get|list|connect|getIamPolicy)", each) for each in wanted)


def test_no_request_writes_metadata_of_nodes_or_keys_of_clusters() -> None:
    forbidden = re.compile(r"masterAuth\b|config\.metadata\b|nodeConfig|\benv\b|\.args\b|annotations|\.data\b")
    assert [request.file for request in requests_for(CHECKED) if forbidden.search(" ".join(request.command))] == []
    whole = [kind for kind, read in read_catalog().reads.kubectl.items() if read.whole]
    assert whole == ["events"]


def test_a_file_has_one_request_and_a_name_that_no_folder_can_leave() -> None:
    files = [request.file for request in requests_for(CHECKED)]
    assert len(files) == len(set(files))
    assert all(re.fullmatch(r"[\w.-]+\.jsonl?", file) for file in files)


def in_schema(folder: pathlib.Path) -> list[str]:
    """What the JSON Schema says about the files of a folder."""
    found: dict[str, object] = {}
    for path in folder.iterdir():
        content = path.read_text(encoding="utf-8")
        lines = [line for line in content.splitlines() if line.strip()]
        if path.suffix == ".json" or (path.suffix == ".jsonl" and len(lines) == 1):
            found[path.name] = json.loads(content)
        elif path.suffix == ".jsonl":
            found[path.name] = [*map(json.loads, lines)]
        else:
            found[path.name] = content
    return [error.message for error in jsonschema.Draft202012Validator(snapshot_schema()).iter_errors(found)]


def test_folders_have_the_form_of_the_schema(folder: pathlib.Path) -> None:
    filled(folder, "node-pools list --cluster=train-east --location=us-east5 --project=acme-ml --format=json")
    assert in_schema(folder) == []


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("snapshot.json", '{"format": 2, "taken": "2026-11-28T20:30:00Z"}'),
        ("snapshot.json", '{"format": 1}'),
        ("node-pools-train.json", "{}"),
        ("cluster-train.json", "[]"),
        ("nodes-train.jsonl", "7"),
        ("notes.txt", "x"),
    ],
)
def test_other_folders_do_not_have_it(name: str, content: str, tmp_path: pathlib.Path) -> None:
    shutil.copytree(ROOT / "docs/examples/incident", tmp_path / "incident", ignore=shutil.ignore_patterns("plan.yaml"))
    assert in_schema(tmp_path / "incident") == []
    (tmp_path / "incident" / name).write_text(content, encoding="utf-8")
    assert in_schema(tmp_path / "incident") != []


def answers_of_the_page() -> dict[str, str]:
    """The commands of other programs on the page about failures -> the saved files with their answers."""
    found = {}
    for block in blocks(ROOT / "docs" / "something-is-wrong.md"):
        for program, *words in block.commands():
            command = " ".join((program, *words))
            if program == "kubectl" and words[0] in ("get", "describe"):
                found[command] = f"incident/{words[1].removesuffix('s')}s-train.jsonl"
            elif program == "gcloud":
                found[command] = f"incident/{'quota-*' if 'quotas' in words else f'{words[1]}-train'}.json"
            elif program != "gke-tpu":
                found[command] = LOGS[command]
    return found


LOGS = {"pulumi preview --diff": "replacing-preview.log", "kubectl logs POD --previous": "stopped-pod.log"}
"""Commands that print text, which `explain` reads."""


@pytest.mark.parametrize("command", answers_of_the_page())
def test_the_saved_snapshot_answers_the_commands_of_the_page(gke_tpu: Callable[..., Run], command: str) -> None:
    """What the page tells to print is in the folder of the example, and `check` reads it."""
    (file,) = (ROOT / "docs/examples").glob(answers_of_the_page()[command])
    if command in LOGS:
        assert gke_tpu("explain", file).code == 0
        assert f"gke-tpu explain {file.relative_to(ROOT)}" in (ROOT / "docs/something-is-wrong.md").read_text("utf-8")
        return
    done = gke_tpu("check", file, "--format", "json")
    assert done.code in (0, 1)
    assert not any("no file of a tool" in each["reason"] for each in json.loads(done.out)["read"]["not_read"])
