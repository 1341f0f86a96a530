"""What the real OpenTofu and the real provider make of the scenarios in ``tests/data/terraform``, and what is recorded.

``recorded(name)`` is for tests without the programs. ``run`` carries a scenario out; ``tools/terraform_recordings.py``
writes what it gives, and ``tests/terraform/test_recordings.py`` compares it.
"""

import dataclasses
import hashlib
import json
import pathlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml
from support.google_apis.server import Google, google_apis
from support.terraform.binaries import Programs
from support.terraform.workspace import Printed, Terraform

DATA = pathlib.Path(__file__).parents[2] / "data" / "terraform"
RECORDINGS = DATA / "recordings"
_PARENT = "projects/my-project/locations/us-east5/clusters/training"
_NOT_RECORDED = {"timestamp"}
_RANDOM_ID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
_ONE_AT_A_TIME = "-parallelism=1"
"""So that requests and instance groups always have the same order."""


@dataclass(frozen=True)
class Scenario:
    """An entry of ``scenarios.yaml``, which explains its keys."""

    name: str
    about: str
    given: tuple[str, ...] = ()
    before: str = ""
    after: str = ""
    refreshed: bool = True
    applied: bool = True
    state: bool = False
    edits: tuple[tuple[str, str], ...] = ()
    drift: Mapping[str, Any] = field(default_factory=dict)
    added: tuple[str, ...] = ()
    out_of_capacity: tuple[str, ...] = ()
    reservations: Mapping[str, int] | None = None

    def planned(self) -> dict[str, str]:
        """The configuration that is planned: path -> text."""
        files = configuration(self.after or self.before)
        for old, new in self.edits:
            if not any(old in text for text in files.values()):
                raise ValueError(f"{self.name}: no file contains {old!r}")
            files = {path: text.replace(old, new) for path, text in files.items()}
        return files

    @property
    def checksum(self) -> str:
        """That of the configuration that is planned: a recording of another one has to be made again."""
        return hashlib.sha256(json.dumps(self.planned(), sort_keys=True).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Recorded:
    """The files of a recording."""

    folder: pathlib.Path

    @property
    def plan(self) -> dict[str, Any]:
        """``show -json`` of the plan; absent where the plan failed."""
        return _read_json(self.folder / "plan.json")

    @property
    def state(self) -> dict[str, Any]:
        """``show -json`` of the state before the plan, after an import that after it."""
        return _read_json(self.folder / "state.json")

    @property
    def outcome(self) -> dict[str, Any]:
        """``plan``, ``apply`` and ``next_plan`` in a line each, and the writes that the apply ``sent``."""
        return {name: value for name, value in self._written.items() if name != "configuration"}

    @property
    def configuration(self) -> str:
        """The checksum of the configuration that was planned."""
        return str(self._written["configuration"])

    @property
    def _written(self) -> dict[str, Any]:
        found = yaml.safe_load((self.folder / "outcome.yaml").read_text("utf-8"))
        assert isinstance(found, dict)
        return found

    def actions(self) -> dict[str, list[str]]:
        """Address -> actions, of the resources that are not left as they are."""
        return {
            item["address"]: item["change"]["actions"]
            for item in self.plan["resource_changes"]
            if item["change"]["actions"] not in (["no-op"], ["read"])
        }


def scenarios() -> dict[str, Scenario]:
    """Every scenario by its name."""
    entries = yaml.safe_load((DATA / "scenarios.yaml").read_text("utf-8"))
    names = {item.name for item in dataclasses.fields(Scenario)}
    for name, entry in entries.items():
        if unknown := entry.keys() - names:
            raise ValueError(f"{name}: {', '.join(sorted(unknown))}")
    return {name: Scenario(name=name, **entry) for name, entry in entries.items()}


def recorded(name: str) -> Recorded:
    """The recording of a scenario."""
    return Recorded(RECORDINGS / name)


def configuration(name: str) -> dict[str, str]:
    """A configuration of ``tests/data/terraform/configurations``: path -> text."""
    folder = DATA / "configurations" / name
    paths = sorted(folder.rglob("*.tf"))
    return {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in paths}


def make_by_hand(google: Google, name: str) -> None:
    """Make resources as other programs do: a file in ``made_by_hand``."""
    for request in yaml.safe_load((DATA / "made_by_hand" / f"{name}.yaml").read_text("utf-8")):
        google.send("POST", request["service"], request["path"], request["body"])


def run(scenario: Scenario, programs: Programs, folder: pathlib.Path) -> dict[str, str]:
    """Carry a scenario out in an empty folder; the files of its recording: path -> text."""
    with google_apis() as google:
        google.knobs.added = tuple(scenario.added)
        terraform = Terraform(folder, programs, google.url)
        for name in scenario.given:
            make_by_hand(google, name)
        if scenario.before:
            terraform.write(configuration(scenario.before))
            terraform.apply(_ONE_AT_A_TIME)
            if scenario.refreshed:
                terraform.apply("-refresh-only")
        for pool, change in scenario.drift.items():
            method, body = ("DELETE", {}) if change == "gone" else ("PUT", change)
            google.send(method, "container", f"{_PARENT}/nodePools/{pool}", body)
        google.knobs.out_of_capacity.update(scenario.out_of_capacity)
        google.knobs.reservations = None if scenario.reservations is None else dict(scenario.reservations)
        before = terraform.state()
        terraform.replace(scenario.planned())
        files = _planned(terraform, google, scenario)
        if scenario.state:
            files["state.json"] = _json(before if scenario.before else terraform.state())
    return files


def _planned(terraform: Terraform, google: Google, scenario: Scenario) -> dict[str, str]:
    """Plan, apply and plan again."""
    planned = terraform.call("plan", "-no-color", "-out=plan.out")
    outcome: dict[str, Any] = {"configuration": scenario.checksum, "plan": _outcome(planned)}
    if planned.status != 0:
        return {"outcome.yaml": _yaml(outcome)}
    shown = json.loads(terraform.run("show", "-json", "plan.out").text)
    if not scenario.applied:
        return {"plan.json": _json(shown), "outcome.yaml": _yaml(outcome)}
    google.requests.clear()
    applied = terraform.call("apply", "-no-color", _ONE_AT_A_TIME, "plan.out")
    # Creations that do not depend on each other have no order.
    sent = google.writes() if scenario.before else sorted(google.writes())
    outcome |= {"apply": _outcome(applied), "sent": sent}
    outcome["next_plan"] = _outcome(terraform.call("plan", "-no-color"))
    return {"plan.json": _json(shown), "outcome.yaml": _yaml(outcome)}


def _outcome(printed: Printed) -> str:
    """What a command did in a line: its summary, or its first error."""
    if printed.status == 0:
        return printed.summary
    # Errors are framed, and their lines broken.
    lines = [line.lstrip("│╷╵ ").strip() for line in printed.text.splitlines()]
    first = next(number for number, line in enumerate(lines) if line.startswith("Error:"))
    text = " ".join(lines[first:])
    return " ".join(re.split(r" (?:with \w+\.|on \w+\.tf line|Error:) ?", text)[0].split())


def _json(document: dict[str, Any]) -> str:
    """A line for each member, and for each item of a list in it."""
    document.get("relevant_attributes", []).sort(key=json.dumps)
    members = []
    for key, value in document.items():
        if key not in _NOT_RECORDED:
            items = [json.dumps(item, ensure_ascii=False, separators=(",", ":")) for item in _items(value)]
            text = "[\n" + ",\n".join(items) + "\n]" if isinstance(value, list) else items[0]
            members.append(f"{json.dumps(key)}: {text}")
    return _with_numbered_ids("{\n" + ",\n".join(members) + "\n}\n")


def _with_numbered_ids(text: str) -> str:
    """The id of a ``terraform_data`` is random."""
    numbers: dict[str, int] = {}
    return _RANDOM_ID.sub(lambda match: f"{numbers.setdefault(match.group(), len(numbers) + 1):032}", text)


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _yaml(document: dict[str, Any]) -> str:
    return yaml.safe_dump(document, sort_keys=False, width=110, allow_unicode=True)


def _read_json(path: pathlib.Path) -> dict[str, Any]:
    found = json.loads(path.read_text("utf-8"))
    assert isinstance(found, dict)
    return found
