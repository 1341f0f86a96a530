"""``gke-tpu diff --engine-events``: files, standard input, gates, exit codes, and one clear error for anything else."""

import io
import json
import pathlib
from typing import Any

import pytest
from support.small_plans import BASE, REPLACING, TODAY

CHAIN = "gke-tpu:index:TpuFleet$gke-tpu:index:StandardCluster$gke-tpu:index:TpuSlices$gcp:container/nodePool:NodePool"
POOL = f"urn:pulumi:prod::gke-tpu::{CHAIN}::train/pretrain/pretrain-0"
DIFF = {"nodeCount": {"diffKind": "update"}, "placementPolicy.tpuTopology": {"diffKind": "update-replace"}}
SECRET = "correct-horse-battery"


def stream(*ops: str, urn: str = POOL, end: bool = True, **more: Any) -> bytes:
    """A run in which one node pool gets these steps."""
    state = {"custom": True, "inputs": {"key": {"4dabf18193072939515e22adb298388d": "x", "plaintext": f'"{SECRET}"'}}}
    steps = [{"op": op, "urn": urn, "new": state, "detailedDiff": DIFF, **more} for op in ops]
    events: list[Any] = [{"preludeEvent": {"config": {}}}]
    events += [{"resourcePreEvent": {"metadata": step, "planning": True}} for step in steps]
    events += [{"diagnosticEvent": {"severity": "warning", "message": f"token {SECRET}"}}]
    events += [{"summaryEvent": {"isPreview": True, "result": "succeeded"}}, {"cancelEvent": {}}] if end else []
    return "".join(json.dumps({"sequence": 1, **event}) + "\n" for event in events).encode()


REPLACED = stream("delete-replaced", "replace", "create-replacement")


@pytest.fixture
def compare(gke_tpu: Any, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """``compare(head text, events, options...)`` -> what the command wrote."""
    monkeypatch.chdir(tmp_path)

    def run(head: str, events: bytes, *options: str) -> Any:
        (tmp_path / "base.yaml").write_text(BASE, encoding="utf-8")
        (tmp_path / "head.yaml").write_text(head, encoding="utf-8")
        (tmp_path / "events.json").write_bytes(events)
        return gke_tpu("diff", "base.yaml", "head.yaml", *TODAY, "--engine-events", "events.json", *options)

    return run


def test_a_replacement_is_confirmed_and_what_the_engine_does_not_know_is_missing(compare: Any) -> None:
    run = compare(REPLACING, REPLACED, "--fail-on", "engine", "--format", "json")
    found = json.loads(run.out)
    verdicts = [(item["name"], item["verdict"]) for item in found["engine"]["verdicts"]]
    assert verdicts[0] == ("train/pretrain/pretrain-0", "confirmed")
    assert {verdict for _, verdict in verdicts[1:]} == {"missing"}
    assert (run.code, found["failed"]) == (
        6,
        [f"the engine's preview does not confirm the change: {len(verdicts) - 1} missing"],
    )


def test_a_digest_confirms_all(compare: Any) -> None:
    kinds = {path: {"kind": item["diffKind"]} for path, item in DIFF.items()}
    document = {"steps": [{"op": "replace", "urn": POOL, "newState": {"custom": True}, "detailedDiff": kinds}]}
    run = compare(REPLACING, json.dumps(document).encode(), "--fail-on", "engine")
    assert (run.code, run.err) == (0, "")
    assert "engine:  confirmed" in run.out


@pytest.mark.parametrize("form", ["text", "markdown", "json", "sarif"])
def test_no_form_shows_a_secret(compare: Any, form: str) -> None:
    run = compare(REPLACING, REPLACED, "--format", form)
    assert (run.code, run.err) == (0, "")
    assert SECRET not in run.out
    assert ("token [secret]" in run.out) or form in ("markdown", "sarif")


def test_standard_input(gke_tpu: Any, compare: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    same = compare(REPLACING, REPLACED)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(REPLACED)))
    assert gke_tpu("diff", "base.yaml", "head.yaml", *TODAY, "--engine-events", "-") == same


def test_what_the_engine_does_beyond_the_plans_needs_a_second_look(compare: Any) -> None:
    run = compare(BASE, stream("update"), "--exit-code")
    assert run.code == 5
    assert "unexpected: NodePool `train/pretrain/pretrain-0`: The engine updates it" in " ".join(run.out.split())


def test_the_gate_needs_events(gke_tpu: Any, compare: Any) -> None:
    compare(BASE, REPLACED)
    run = gke_tpu("diff", "base.yaml", "head.yaml", *TODAY, "--fail-on", "engine")
    assert (run.code, "failed gates: engine: no events of a preview were given" in run.out) == (6, True)


def test_a_killed_run_is_reported(compare: Any) -> None:
    run = compare(REPLACING, stream("update", end=False)[:-3], "--fail-on", "engine")
    assert run.code == 6
    assert "The preview of stack `prod` is incomplete" in run.out


@pytest.mark.parametrize(
    ("events", "message"),
    [
        (b"", "it is empty"),
        (b"Previewing update\n", "line 1: it is not JSON"),
        (REPLACED + REPLACED, "line 8: a second run starts"),
        (stream("Update!"), "line 2: op: unknown operation Update!"),
        (b"\x1b[2J\n", "line 1: it is not JSON"),
    ],
)
def test_anything_else_is_wrong_use(compare: Any, events: bytes, message: str) -> None:
    run = compare(REPLACING, events)
    assert (run.code, run.out) == (2, "")
    assert f"--engine-events events.json: {message}" in run.err
    assert "Traceback" not in run.err


@pytest.mark.parametrize("name", ["nothing.json", "."])
def test_a_file_that_cannot_be_read(gke_tpu: Any, compare: Any, name: str) -> None:
    compare(BASE, REPLACED)
    run = gke_tpu("diff", "base.yaml", "head.yaml", *TODAY, "--engine-events", name)
    assert (run.code, run.out) == (2, "")
    assert "--engine-events" in run.err
