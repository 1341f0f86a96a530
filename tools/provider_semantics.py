"""Writes ``catalog/provider.yaml``: what changing each property of a resource does.

Reads ``gcp-resource-semantics.json`` (from the provider's schema), ``observed-changes.json`` (changes executed with the
real engine and provider) and ``observed-plan-edits.json`` (edits of plans previewed with them), and beside this script
what they do not hold: ``provider_amendments.yaml`` (resource types, corrections, notes), ``provider_equality.yaml``
(when values are equal) and ``provider_gke_effects.yaml`` (what GKE makes of an update). The type of each property is
read from the installed ``pulumi_gcp`` package. Ends with an error if an executed change contradicts the result and
``provider_amendments.yaml`` does not explain it.
"""

import argparse
import json
import re
from pathlib import Path
from typing import Any

import yaml
from property_types import property_types

from pulumi_gke_tpu.core.catalog.catalog import build
from pulumi_gke_tpu.core.catalog.records.provider import Provider, known_path

RESOURCE_TYPES = (
    "gcp:compute/network:Network",
    "gcp:compute/resourcePolicy:ResourcePolicy",
    "gcp:compute/subnetwork:Subnetwork",
    "gcp:container/cluster:Cluster",
    "gcp:container/nodePool:NodePool",
    "gcp:projects/iAMMember:IAMMember",
    "gcp:serviceaccount/account:Account",
)
"""Those of the reference data that the components register."""

CHANGES = {
    "replace": "replace",
    "replace-per-docs": "replace",
    "unverified": "replace",
    "in-place": "in-place",
    "in-place-children": "block",
    "silent-no-op": "no-op",
    "conditional": "no-op",
    "client-side": "client-side",
    "create-only": "create-only",
    "in-place-on-replace-off": "replace-off",
    "in-place-grow-replace-shrink": "replace-shrink",
    "broken-in-place": "broken",
}
"""The reference data's words in those of the catalog; what is not sure counts as a replacement."""

AGREES = {
    "replaced": {"replace", "replace-off", "replace-shrink"},
    "sent": {"in-place", "block", "replace-off", "replace-shrink", "no-op-off", "no-op-lower", "broken"},
    "nothing sent": {"no-op", "client-side", "create-only", "no-op-off", "no-op-lower"},
    "planned again": {"no-op"},
}
"""By what was seen, the changes that it agrees with."""

HEADER = """\
# What the gcp provider and GKE do with a changed property, for every settable property of the resource types that the
# components register. Written by tools/provider_semantics.py from gcp-resource-semantics.json, observed-changes.json,
# observed-plan-edits.json, and the files called provider_* in tools/: change those, not this file.
"""

SENT = ("in-place", "no-op-off", "no-op-lower")
"""The changes that can reach GKE as an update and have an effect."""

KEYS = (
    "type",
    "change",
    "gke",
    "computed",
    "cleared_without",
    "kept_since",
    "kept_source",
    "observed",
    "default",
    "reported",
    "unordered",
    "of_zones",
    "unknown_replaces",
    "crashes_unknown",
    "unread_at_creation",
    "unread_empty",
    "reported_for_tpus",
    "reported_beside",
    "reported_on_autopilot",
    "dropped_beside",
    "refused_for",
    "bounded_by",
    "ignored_on_autopilot",
    "values",
    "form",
    "least",
    "most",
    "required",
    "gke_source",
    "gke_confidence",
    "note",
)
"""The keys of a property, in the order they are written."""

Properties = dict[str, dict[str, Any]]


def main() -> None:
    """Read the arguments and write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("reference", type=Path, help="folder of the JSON files")
    parser.add_argument("output", type=Path, help="file to write, catalog/provider.yaml")
    arguments = parser.parse_args()
    semantics = json.loads((arguments.reference / "gcp-resource-semantics.json").read_text(encoding="utf-8"))
    executed = json.loads((arguments.reference / "observed-changes.json").read_text(encoding="utf-8"))
    edits = json.loads((arguments.reference / "observed-plan-edits.json").read_text(encoding="utf-8"))["edits"]
    amendments = read_yaml("provider_amendments.yaml")
    equality = read_yaml("provider_equality.yaml")
    by_gke = read_yaml("provider_gke_effects.yaml")
    effects = by_gke["effects"]

    resources = {name: from_semantics(semantics["resources"][name]) for name in RESOURCE_TYPES}
    resources |= {name: from_lists(lists) for name, lists in amendments["resources"].items()}
    for copy in amendments["copies"]:
        copy_block(copy["block"], resources[copy["source"]], resources[copy["target"]])
    for name, properties in resources.items():
        types = property_types(name)
        for path, entry in properties.items():
            entry["type"] = types[path]
        amend(properties, amendments["amendments"].get("*", {}), required=False)
        amend(properties, amendments["amendments"].get(name, {}), required=True)
        state_equality(properties, name, equality)
    for effect in effects:
        for name, paths in effect["paths"].items():
            apply_effect(resources[name], paths, effect)

    document = {
        "resources": {
            name: with_provenance(name, resources[name], amendments, effects)
            | {"computed_from": equality["computed_from"].get(name, {})}
            for name in resources
        },
        "following": by_gke["following"],
    }
    contradictions = mark_observed(document, executed) - amendments["explained"].keys()
    if contradictions:
        parser.exit(1, f"not explained in provider_amendments.yaml: {', '.join(sorted(contradictions))}\n")
    mark_previewed(document, edits)
    arguments.output.write_text(render(document), encoding="utf-8")


def read_yaml(name: str) -> Any:
    """A data file beside this script."""
    return yaml.safe_load((Path(__file__).parent / name).read_text(encoding="utf-8"))


def from_semantics(entries: Properties) -> Properties:
    """The settable properties of a resource in the reference data."""
    return {
        entry["pulumi"]: {
            "change": CHANGES[entry["on_change"]],
            "computed": entry["set"] == "opt+computed",
            "default": entry.get("default") if entry["type"] == "str" else yaml.safe_load(entry.get("default", "null")),
            "values": entry.get("enum", []),
            "least": entry.get("min"),
            "required": entry["set"] == "req" and "." in entry["pulumi"],
        }
        for entry in entries.values()
        if entry["on_change"] != "output"
    }


def from_lists(lists: dict[str, list[str]]) -> Properties:
    """The properties of a resource that is given as lists of paths by their change."""
    computed = lists["computed"]
    return {
        path: {"change": change, "computed": path in computed}
        for change, paths in lists.items()
        if change != "computed"
        for path in paths
    }


def copy_block(block: str, source: Properties, target: Properties) -> None:
    """Give a resource the block of another one."""
    target.update({path: dict(entry) for path, entry in source.items() if path.startswith(f"{block}.")})


def amend(properties: Properties, changes: Properties, required: bool) -> None:
    """Lay corrections over the properties they name."""
    for path, change in changes.items():
        if required or path in properties:
            properties[path].update(change)


def state_equality(properties: Properties, name: str, equality: dict[str, Any]) -> None:
    """Add when two values are equal, property by property; an unknown property is an error."""
    for key in (
        "unordered",
        "of_zones",
        "unknown_replaces",
        "crashes_unknown",
        "unread_at_creation",
        "unread_empty",
        "ignored_on_autopilot",
    ):
        for path in equality[key].get(name, []):
            properties[path][key] = True
    for section, key in (
        ("reported", "reported"),
        ("reported_for_tpus", "reported_for_tpus"),
        ("defaults", "default"),
        ("reported_beside", "reported_beside"),
        ("reported_on_autopilot", "reported_on_autopilot"),
        ("cleared_without", "cleared_without"),
        ("kept_since", "kept_since"),
        ("kept_source", "kept_source"),
        ("dropped_beside", "dropped_beside"),
        ("refused_for", "refused_for"),
        ("bounded_by", "bounded_by"),
    ):
        for path, value in equality[section].get(name, {}).items():
            properties[path][key] = value


def apply_effect(properties: Properties, paths: list[str], effect: dict[str, Any]) -> None:
    """Add the effect in GKE of updates of these properties and of everything inside them."""
    for path in paths:
        if path.endswith('"]'):
            properties[path] = {"change": properties[path[: path.rindex("[")]]["change"]}  # a value of the map
        inside = [other for other in properties if other == path or other.startswith(f"{path}.")]
        if not inside:
            raise KeyError(path)
        for other in inside:
            if properties[other]["change"] in SENT or effect["gke"] == "fixed":
                stated = {"gke": effect["gke"], "gke_source": effect["source"], "gke_confidence": effect["confidence"]}
                properties[other].update(stated)
        notes = (properties[path].get("note"), effect.get("note"))
        properties[path]["note"] = " ".join(note for note in notes if note)


def with_provenance(
    name: str, properties: Properties, amendments: dict[str, Any], effects: list[dict[str, Any]]
) -> dict[str, Any]:
    """A resource in the format of the catalog; an unverified entry has a note and no source."""
    provenance: dict[str, Any] = amendments["provenance"]["read" if name in amendments["resources"] else "executed"]
    sure = [effect for effect in effects if name in effect["paths"] and effect["confidence"] != "low"]
    used = {source for effect in sure for source in effect["source"]}
    used |= {source for change in properties.values() for source in change.get("kept_source", ())}
    sources = provenance["source"] + sorted(used.difference(provenance["source"]))
    return provenance | {"source": sources, "properties": properties}


def mark_observed(document: dict[str, Any], executed: list[dict[str, Any]]) -> set[str]:
    """Mark the properties whose recorded changes agree; return the ids of the recorded changes that contradict."""
    provider = build(Provider, document)
    contradictions = set()
    for case in executed:
        if "op" not in case or case["resource"] not in provider.resources or not is_single(case):
            continue
        properties = document["resources"][case["resource"]]["properties"]
        for path, seen in outcomes(case).items():
            known = known_path(provider, case["resource"], path)
            if known is None or not agrees(properties[known], seen):
                contradictions.add(case["id"])
            else:
                properties[known]["observed"] = True
    return contradictions


def mark_previewed(document: dict[str, Any], edits: list[dict[str, Any]]) -> None:
    """Mark the properties whose previewed changes agree; the components ask for the replacement of what GKE fixes."""
    provider = build(Provider, document)
    for step in (step for edit in edits for step in edit["engine"]):
        name = step["urn"].partition("::")[0].rpartition("$")[2]
        for path, kind in step["diff"].items():
            known = known_path(provider, name, path)
            entry = document["resources"][name]["properties"].get(known, {})
            replaces = entry.get("change") == "replace" or entry.get("gke") == "fixed"
            if entry and kind.endswith("-replace") == replaces:
                entry["observed"] = True


def is_single(case: dict[str, Any]) -> bool:
    """Whether a case shows what one property does: alone, without options, and not equal by comparison."""
    return not (
        case.get("options")
        or "+" in case["path"]
        or case["path"] == "<nothing>"
        or (case["op"] == "same" and case.get("to") != "<absent>")
    )


def agrees(entry: dict[str, Any], seen: str) -> bool:
    """Whether an entry agrees with a recorded change."""
    if seen == "unchanged":
        return bool(entry.get("computed"))
    return entry["change"] in AGREES[seen]


def outcomes(case: dict[str, Any]) -> dict[str, str]:
    """By engine path, what was seen of the property that was changed and of those inside it."""
    path = re.sub(r"_(\w)", lambda match: match[1].upper(), case["path"])
    if case["op"] == "same":
        return {path: "unchanged"}
    touched = [key for key in case.get("detailed_diff", {}) if re.match(rf"{re.escape(path)}($|[.\[])", key)]
    if case["op"].startswith("replace"):
        seen = "replaced"
    elif case.get("requests"):
        seen = "sent"
    else:
        seen = "planned again" if case.get("planned_again") else "nothing sent"
    return dict.fromkeys(touched or [path], seen)


def render(document: dict[str, Any]) -> str:
    """The document with one line per property; what has its default value is left out."""
    lines = [HEADER + "resources:"]
    for name, resource in sorted(document["resources"].items()):
        lines.append(f"  {name}:")
        lines += [f"    {key}: {flow(resource[key])}" for key in ("source", "as_of", "confidence")]
        if resource["computed_from"]:
            lines.append(f"    computed_from: {flow(resource['computed_from'])}")
        lines.append("    properties:")
        for path, entry in sorted(resource["properties"].items()):
            lines.append(f"      {flow(path)}: {flow(written(entry))}")
    lines.append("following:")
    for item in document["following"]:
        lines += [f"  {'-' if key == 'when' else ' '} {key}: {flow(value)}" for key, value in item.items()]
    return "\n".join(lines) + "\n"


def written(entry: dict[str, Any]) -> dict[str, Any]:
    """The entry of a property; values are also written if they are false or empty."""
    usual = {"type": "string", "gke": "live", "gke_confidence": "high"}
    values = ("default", "reported", "reported_on_autopilot", "least", "most")
    return {
        key: entry[key]
        for key in KEYS
        if (entry.get(key) is not None if key in values else entry.get(key) and entry[key] != usual.get(key))
    }


def flow(value: Any) -> str:
    """YAML on one line."""
    text: str = yaml.safe_dump(value, default_flow_style=True, sort_keys=False, width=10_000, allow_unicode=True)
    return text.removesuffix("\n").removesuffix("\n...")


if __name__ == "__main__":
    main()
