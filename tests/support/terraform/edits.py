"""What the real OpenTofu and the real provider plan for every single edit of a plan that ``export terraform`` wrote.

``record(base)`` carries a base out once and then plans all its edits in one run: the state of the base is copied into
one module for each edit, and the module is what the edited plan exports. A plan without refresh asks nothing, so one
run plans a hundred edits in the time of a few. ``tools/terraform_edits.py`` writes the result, and ``plans(base)``
gives it back as documents of ``terraform show -json``, for tests without the programs.

A recording contains the resources of the base once, and of each edit only the resources with actions, as the values
that differ from those of the base; null and empty values are left out.
"""

import copy
import functools
import json
import pathlib
import re
import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from support.editing import BASES, Edit, edited
from support.edits import EDITS
from support.exported import exported
from support.google_apis.server import google_apis
from support.plan_corpus import source
from support.shipped import TODAY
from support.terraform.binaries import Programs
from support.terraform.workspace import Terraform

FOLDER = pathlib.Path(__file__).parents[2] / "data" / "terraform" / "edits"
BETA = "google-beta"
"""The provider that no module proxy has, so that edits that need it are not recorded."""
_MODULE = re.compile(r"^module\.e(\d+)\.")
_AT_ONCE = 15
"""Edits in one run: the time of a plan grows faster than its resources."""
_NOTHING_HAPPENS = (["no-op"], ["read"])
_FORMAT = {"format_version": "1.2", "terraform_version": "1.12.6"}
_HIDDEN = ("after_unknown", "before_sensitive", "after_sensitive")

Json = dict[str, Any]


def edits_of(base: str) -> dict[str, Edit]:
    """The edits of a base that the provider can plan, by their names."""
    found = {}
    for edit in EDITS:
        if edit.base == base:
            item = source(str(edit), edited(edit), TODAY)
            if item is not None and BETA not in "".join(exported(item).values()):
                found[edit.name] = edit
    return found


def unprotected(files: Mapping[str, str]) -> dict[str, str]:
    """The files of a module without ``prevent_destroy``, with which a plan that replaces would fail."""
    return {
        name: re.sub(r" +prevent_destroy\s+= true\n", "", text)
        for name, text in files.items()
        if not name.startswith("tests/")
    }


def record(base: str, programs: Programs, folder: pathlib.Path) -> Json:
    """Plan all edits of a base in an empty folder."""
    edits = edits_of(base)
    before = source(base, BASES[base](), TODAY)
    assert before is not None
    with google_apis() as google:
        for cluster in before.fleet.clusters:
            if cluster.plan.existing is not None:
                parent = f"projects/{cluster.project}/locations/{cluster.location}"
                google.send(
                    "POST",
                    "container",
                    f"{parent}/clusters",
                    {"cluster": {"name": cluster.name, "initialNodeCount": 1}},
                )
        first = Terraform(folder / "base", programs, google.url)
        first.write(unprotected(exported(before)))
        first.apply()
        first.apply("-refresh-only")
        state = json.loads((folder / "base" / "terraform.tfstate").read_text("utf-8"))
        changes = []
        second = Terraform(folder / "edits", programs, google.url)
        for start in range(0, len(edits), _AT_ONCE):
            some = [*edits.values()][start : start + _AT_ONCE]
            second.replace(dict(_modules(some, start)))
            second.write({"terraform.tfstate": json.dumps(_copied(state, range(start, start + len(some))))})
            changes += second.plan("-refresh=false").json["resource_changes"]
    return _recorded(list(edits), changes)


def _modules(edits: Sequence[Edit], first: int) -> Iterator[tuple[str, str]]:
    """A configuration with a module for each edit: path -> text."""
    for number, edit in enumerate(edits, first):
        after = source(str(edit), edited(edit), TODAY)
        assert after is not None
        yield f"e{number}.tf", f'module "e{number}" {{\n  source = "./e{number}"\n}}\n'
        yield from ((f"e{number}/{name}", text) for name, text in unprotected(exported(after)).items())


def _copied(state: Json, numbers: range) -> Json:
    """The state with each resource in every module."""
    copied = []
    for number in numbers:
        module = f"module.e{number}"
        for resource in state["resources"]:
            mine = copy.deepcopy(resource) | {"module": module}
            for instance in mine["instances"]:
                instance["dependencies"] = [f"{module}.{name}" for name in instance.get("dependencies", ())]
            copied.append(mine)
    return state | {"resources": copied, "outputs": {}, "lineage": str(uuid.UUID(int=1)), "serial": 1}


def _recorded(names: Sequence[str], changes: Sequence[Json]) -> Json:
    by_edit: dict[str, list[Json]] = {name: [] for name in names}
    resources: dict[str, Json] = {}
    for item in changes:
        found = _MODULE.match(item["address"])
        assert found is not None
        mine = {key: _MODULE.sub("", item[key]) for key in ("address", "previous_address") if key in item}
        before = item["change"]["before"]
        if before is not None and item["mode"] == "managed":
            resources[mine.get("previous_address", mine["address"])] = _short(before)
        if item["mode"] == "managed":
            by_edit[names[int(found[1])]].append(item | mine)
    return compact(dict(sorted(resources.items())), by_edit)


def compact(resources: Mapping[str, Json], by_edit: Mapping[str, Sequence[Json]]) -> Json:
    """The recording of some changes: each value as what differs from a similar one, each hidden part once."""
    hidden: list[Any] = []
    kept = {}
    for number, (address, values) in enumerate(resources.items()):
        above = dict([*resources.items()][:number])
        like = _most_similar(address.partition(".")[0], values, above)
        kept[address] = {"like": like, "values": _patch(above.get(like, {}), values)}
    entries = {name: [*_entries(changes, resources, hidden)] for name, changes in by_edit.items()}
    return {"resources": kept, "hidden": hidden, "edits": entries}


def _entries(changes: Sequence[Json], resources: Mapping[str, Json], hidden: list[Any]) -> Iterator[Json]:
    for item in changes:
        change, address = item["change"], item["address"]
        before_at = item.get("previous_address", address)
        if change["actions"] in _NOTHING_HAPPENS and before_at == address:
            continue
        entry: Json = {"address": address, "actions": change["actions"]}
        for name, found in (("from", before_at), ("reason", item.get("action_reason")), *_causes(change)):
            if found and found != address:
                entry[name] = found
        for name in _HIDDEN:
            if found := _true(change.get(name)):
                hidden += [] if found in hidden else [found]
                entry[name] = hidden.index(found)
        if change["after"] is not None:
            after = _short(change["after"])
            unknown = _true(change.get("after_unknown"))
            like = before_at if change["before"] is not None else _most_similar(item["type"], after, resources)
            if like != before_at:
                entry["like"] = like
            entry["values"] = _patch(_known(resources.get(like, {}), unknown), after)
        yield entry


def _causes(change: Json) -> Iterator[tuple[str, Any]]:
    if "replace_paths" in change:
        yield "replace_paths", change["replace_paths"]


def _most_similar(kind: str, after: Json, resources: Mapping[str, Json]) -> str:
    """The resource from which another one differs least; empty if there is none of its type."""
    same = [address for address in resources if address.startswith(f"{kind}.")]
    return min(same, key=lambda address: len(json.dumps(_patch(resources[address], after))), default="")


def _known(value: Any, unknown: Any) -> Any:
    """A value without the members that are not known."""
    if isinstance(value, dict) and isinstance(unknown, dict):
        return {key: _known(item, unknown.get(key)) for key, item in value.items() if unknown.get(key) is not True}
    if isinstance(value, list) and isinstance(unknown, list) and len(value) == len(unknown):
        return [_known(one, two) for one, two in zip(value, unknown, strict=True)]
    return value


def _short(value: Any) -> Any:
    """A value without members that are null or empty."""
    if isinstance(value, dict):
        return {key: _short(item) for key, item in sorted(value.items()) if item not in (None, "", [], {})}
    return [_short(item) for item in value] if isinstance(value, list) else value


def _true(hidden: Any) -> Any:
    """The parts of a description of hidden values that hide something."""
    if isinstance(hidden, dict):
        return {key: found for key, item in sorted(hidden.items()) if (found := _true(item))}
    if isinstance(hidden, list):
        found = [_true(item) for item in hidden]
        return found if any(found) else []
    return hidden


def _patch(was: Any, will: Any) -> Any:
    """What makes one value of another: members by name, items of lists of the same length by number; null removes."""
    if isinstance(was, dict) and isinstance(will, dict):
        found = dict.fromkeys(sorted(was.keys() - will.keys()))
        return found | {
            key: _patch(was[key], item) if key in was else item
            for key, item in will.items()
            if key not in was or was[key] != item
        }
    if isinstance(was, list) and isinstance(will, list) and len(was) == len(will):
        items = {str(n): _patch(one, two) for n, (one, two) in enumerate(zip(was, will, strict=True)) if one != two}
        if all(isinstance(item, dict) for item in will):
            return {"#": items}
    return will


def _patched(was: Any, patch: Any) -> Any:
    if isinstance(was, list) and isinstance(patch, dict):
        items = patch["#"]
        return [_patched(item, items[str(n)]) if str(n) in items else item for n, item in enumerate(was)]
    if not isinstance(was, dict) or not isinstance(patch, dict):
        return patch
    kept = {key: item for key, item in was.items() if patch.get(key, item) is not None}
    return kept | {key: _patched(was.get(key), item) for key, item in patch.items() if item is not None}


def written(recording: Json) -> str:
    """The text of a recording: a line for each resource, and for each change of an edit."""

    def line(value: Any) -> str:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    resources = ",\n".join(f"{line(address)}:{line(value)}" for address, value in recording["resources"].items())
    hidden = ",\n".join(map(line, recording["hidden"]))
    edits = ",\n".join(
        f"{line(name)}:[" + "".join(f"\n{line(entry)}," for entry in entries).removesuffix(",") + "]"
        for name, entries in recording["edits"].items()
    )
    return f'{{"resources":{{\n{resources}\n}},\n"hidden":[\n{hidden}\n],\n"edits":{{\n{edits}\n}}}}\n'


@functools.cache
def recorded(base: str) -> Json:
    """The recording of a base, with the values of its resources."""
    found = json.loads((FOLDER / f"{base}.json").read_text("utf-8"))
    resources: dict[str, Json] = {}
    for address, entry in found["resources"].items():
        resources[address] = _patched(resources.get(entry["like"], {}), entry["values"])
    return {**found, "resources": resources}


def plans(base: str) -> Iterator[tuple[str, Json]]:
    """The name of each edit, and its plan as ``terraform show -json`` prints it, with what stays as it is."""
    recording = recorded(base)
    for name, entries in recording["edits"].items():
        yield name, {**_FORMAT, "resource_changes": [*_changes(recording, entries)]}


def _changes(recording: Json, entries: Sequence[Json]) -> Iterator[Json]:
    resources = recording["resources"]
    touched = {entry.get("from", entry["address"]) for entry in entries if entry["actions"] != ["create"]}
    for address, values in resources.items():
        if address not in touched:
            yield _change(address, {"actions": ["no-op"], "before": values, "after": values})
    for entry in entries:
        before_at = entry.get("from", entry["address"])
        hidden = {name: recording["hidden"][entry[name]] for name in _HIDDEN if name in entry}
        after = None
        if "values" in entry:
            like = resources.get(entry.get("like", before_at), {})
            after = _patched(_known(like, hidden.get("after_unknown")), entry["values"])
        before = None if entry["actions"] == ["create"] else resources[before_at]
        change = {"actions": entry["actions"], "before": before, "after": after, **hidden}
        change |= {name: entry[name] for name in ("replace_paths",) if name in entry}
        of_resource = {"previous_address": entry.get("from"), "action_reason": entry.get("reason")}
        yield _change(entry["address"], change) | {key: item for key, item in of_resource.items() if item}


def _change(address: str, change: Json) -> Json:
    kind, name = address.partition("[")[0].split(".")
    return {"address": address, "mode": "managed", "type": kind, "name": name, "change": change}
