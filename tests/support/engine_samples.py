"""Events of the engine for tests: single ones, whole runs, both forms."""

import json
from typing import Any

STACK = "urn:pulumi:prod::gke-tpu::"
CHAIN = "gke-tpu:index:TpuFleet$gke-tpu:index:StandardCluster$gke-tpu:index:TpuSlices$"
POOL_TYPE = "gcp:container/nodePool:NodePool"
MARK = "4dabf18193072939515e22adb298388d"
SECRET_MARK = "1b47061264138c4ac30d75fd1eb44270"
Event = dict[str, Any]


def urn(name: str, chain: str = f"{CHAIN}{POOL_TYPE}") -> str:
    return f"{STACK}{chain}::{name}"


def step(name: str, op: str, *paths: str, kind: str = "update", of: str = "", **more: Any) -> Event:
    """A step for one resource, as it is streamed."""
    state = {"custom": True, "urn": of or urn(name), "inputs": {}}
    detailed = {path: {"diffKind": kind, "inputDiff": False} for path in paths}
    data = {"op": op, "urn": of or urn(name), "new": state, "old": None, "detailedDiff": detailed or None, **more}
    return {"resourcePreEvent": {"metadata": data, "planning": True}}


def replaced(name: str, *paths: str, delete_first: bool = True) -> list[Event]:
    """The three steps of a replacement."""
    ops = ["delete-replaced", "replace", "create-replacement"]
    kinds = {"kind": "update-replace"}
    steps = [step(name, op, *(paths if op != "delete-replaced" else ()), **kinds) for op in ops]
    return steps if delete_first else [*steps[1:], steps[0]]


def said(severity: str, message: str, about: str = "") -> Event:
    return {"diagnosticEvent": {"severity": severity, "message": f"{message}\n", "urn": about, "color": "never"}}


def protected(name: str) -> Event:
    message = f'unable to replace resource "{urn(name)}"\nas it is currently marked for protection. To unprotect'
    return said("error", message, urn(name))


def prelude(**config: str) -> Event:
    return {"preludeEvent": {"config": config}}


def end(result: str = "succeeded", **packs: str) -> list[Event]:
    summary = {"isPreview": True, "result": result, "PolicyPacks": packs, "resourceChanges": {}}
    return [{"summaryEvent": summary}, {"cancelEvent": {}}]


def stream(*events: Event, result: str = "succeeded") -> bytes:
    """A whole run."""
    return lines(prelude(), *events, *end(result))


def lines(*events: Event) -> bytes:
    """Events as they are written, one in a line."""
    numbered = [{"sequence": number, "timestamp": 1, **event} for number, event in enumerate(events)]
    return "".join(json.dumps(event, ensure_ascii=False) + "\n" for event in numbered).encode("utf-8", "surrogatepass")


def digest(*events: Event, **more: Any) -> bytes:
    """The same steps and diagnostics as one document; it leaves out what stays the same."""
    document: dict[str, Any] = {"steps": [], "diagnostics": [], **more}
    for event in events:
        if "resourcePreEvent" in event:
            data = event["resourcePreEvent"]["metadata"]
            if data["op"] in ("same", "delete-replaced", "create-replacement"):
                continue
            detailed = data["detailedDiff"] or {}
            kinds = {path: {"kind": item["diffKind"]} for path, item in detailed.items()}
            document["steps"].append(
                {"op": data["op"], "urn": data["urn"], "newState": data["new"], "detailedDiff": kinds or None}
            )
        elif "diagnosticEvent" in event:
            data = event["diagnosticEvent"]
            document["diagnostics"].append({**data, "message": f"{data['severity']}: {data['message']}"})
    return json.dumps(document, indent=4).encode()
