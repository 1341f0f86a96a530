"""What the real provider plans for an adopted fleet, which it imports from the stand-in of the APIs.

``tools/adoption_recordings.py`` writes what ``witnessed`` gives for every fleet; ``tests/terraform/test_adoptions.py``
compares it, and requires of it that nothing changes.
"""

import datetime
import hashlib
import json
import pathlib
import re
from collections.abc import Iterator, Mapping
from typing import Any

import yaml
from support.fleets import FOLDER, Fleet, adoptions, as_json, resources
from support.google_apis.server import Google, google_apis
from support.plan_corpus import catalog, source
from support.terraform.binaries import Programs
from support.terraform.recordings import configuration, make_by_hand, scenarios
from support.terraform.workspace import Plan, Terraform

from pulumi_gke_tpu.core.resources.read import ResourceReader
from pulumi_gke_tpu.features.adopt.adoption import Adoption, adopt_fleets
from pulumi_gke_tpu.features.export.terraform.imports import existing_resources
from pulumi_gke_tpu.features.export.terraform.module import Wanted, module_files

DATA = FOLDER.parent / "terraform"
RECORDED = DATA / "adoptions.yaml"
DIFFERENCES = DATA / "adoption_differences.yaml"
TODAY = datetime.date(2026, 11, 20)
_ONLY_IN_BETA = (
    re.compile(r"\n *# The provider google takes [^\n]*\n *provider *= google-beta\n"),
    re.compile(r"\n *host_maintenance_policy \{[^}]*\}\n"),
    re.compile(r"\n *google-beta *= \{[^}]*\}\n"),
    re.compile(r'\nprovider "google-beta" \{[^}]*\}\n'),
)


def modules(fleet: Fleet) -> Iterator[tuple[Adoption, dict[str, str], dict[str, str]]]:
    """Each adoption with its module: as it imports, and as it is written afterwards."""
    existing = existing_resources(resources(fleet), catalog())
    for adoption in adoptions(fleet):
        if adoption.graph is not None:
            item = source(fleet.name, adoption.plan, TODAY)
            assert item is not None
            importing = module_files(
                item.fleet, item.data, catalog(), Wanted(importing=True, existing=existing, standalone=True)
            )
            yield adoption, importing, module_files(item.fleet, item.data, catalog(), Wanted(standalone=True))


def digest(*modules: Mapping[str, str]) -> str:
    """Another one for modules that mean something else: comments do not count."""
    lines = [line for files in modules for text in files.values() for line in text.splitlines()]
    code = "\n".join(line for line in lines if line.strip() and not line.lstrip().startswith("#"))
    return hashlib.sha256(code.encode()).hexdigest()[:16]


def witnessed(fleet: Fleet, programs: Programs, folder: pathlib.Path) -> dict[str, Any]:
    """What the provider plans at the import, what the apply sends, and what it plans afterwards: by project."""
    found = {}
    with google_apis() as google:
        make(google, fleet, programs, folder / "made")
        for number, (adoption, importing, afterwards) in enumerate(modules(fleet)):
            terraform = Terraform(folder / str(number), programs, google.url)
            terraform.write(for_google(importing))
            first = terraform.plan()
            google.requests.clear()
            terraform.run("apply", "-no-color", "plan.out")
            sent = google.writes()
            second, state = terraform.plan(), terraform.state()
            terraform.replace(for_google(afterwards))
            found[adoption.project] = {
                "module": digest(importing, afterwards),
                "plan": first.summary,
                **({"changes": changes} if (changes := dict(_changes(first))) else {}),
                **({"sent": sent} if sent else {}),
                "next_plan": second.summary,
                "plan_with_triggers": terraform.plan().summary,
                **({"adopted_from_state": other} if (other := _adopted_differently(adoption, state)) else {}),
            }
    return found


def make(google: Google, fleet: Fleet, programs: Programs, folder: pathlib.Path) -> None:
    """Put a fleet into the APIs as it is."""
    if not fleet.recording:
        data = as_json(fleet)
        for cluster in data if isinstance(data, list) else [data]:
            google.container.put(cluster)
        return
    scenario = scenarios()[fleet.recording.partition("/")[0]]
    for name in scenario.given:
        make_by_hand(google, name)
    if scenario.before:
        terraform = Terraform(folder, programs, google.url)
        terraform.write(configuration(scenario.before))
        terraform.apply("-parallelism=1")


def google_beta(fleet: Fleet) -> bool:
    """Whether the module of a fleet needs google-beta."""
    return any("google-beta" in text for _, *written in modules(fleet) for files in written for text in files.values())


def recorded() -> dict[str, Any]:
    """The record: fleet -> project -> what was witnessed."""
    found = yaml.safe_load(RECORDED.read_text("utf-8"))
    assert isinstance(found, dict)
    return found


def _adopted_differently(adoption: Adoption, state: Mapping[str, Any]) -> list[str]:
    """The keys of slice groups that ``adopt`` writes differently from the state that the import gave."""
    found = ResourceReader(catalog()).read("state.json", json.dumps(state).encode())
    assert found is not None
    again = [other.plan["clusters"] for other in adopt_fleets(found.found, catalog())]
    other = {key: group for clusters in again for key, group in _groups(clusters)}
    return sorted(
        f"{key}.{name}"
        for key, group in _groups(adoption.plan["clusters"])
        for name in {*group, *other.get(key, {})}
        if group.get(name) != other.get(key, {}).get(name)
    )


def _groups(clusters: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The slice groups, each with its service account, which may be that of the cluster."""
    for cluster, keys in clusters.items():
        account = {name: value for name, value in keys.items() if name == "node_service_account"}
        for name, group in keys.get("slices", {}).items():
            yield f"{cluster}/{name}", {**account, **group}


def for_google(files: Mapping[str, str]) -> dict[str, str]:
    """The module without google-beta, which is in no module proxy, and without what only google-beta sends."""
    found = {}
    for name, text in files.items():
        if name.endswith(".tf"):
            found[name] = text
            for part in _ONLY_IN_BETA:
                found[name] = part.sub("\n", found[name])
            assert "google-beta" not in found[name], f"{name} needs google-beta for something else"
    return found


def _changes(plan: Plan) -> Iterator[tuple[str, Any]]:
    """Address -> actions and changed properties, besides imports and new ``terraform_data``."""
    for item in plan.json["resource_changes"]:
        change = item["change"]
        if change["actions"] != ["no-op"] and item["type"] != "terraform_data":
            paths = sorted(set(_different(change["before"], change["after"], "")))
            yield item["address"], {"actions": change["actions"], "properties": paths}


def _different(before: Any, after: Any, path: str) -> Iterator[str]:
    if isinstance(before, dict) and isinstance(after, dict):
        for name in {*before, *after}:
            yield from _different(before.get(name), after.get(name), f"{path}.{name}".lstrip("."))
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for one, two in zip(before, after, strict=True):
            yield from _different(one, two, path)
    elif before != after:
        yield path


def written(record: Mapping[str, Any]) -> str:
    """The record as its file."""
    text = yaml.safe_dump(json.loads(json.dumps(record)), sort_keys=False, width=110)
    return HEADER + text


HEADER = """\
# What the real provider plans for the module of each adopted fleet: at the import, and afterwards. Written by
# tools/adoption_recordings.py; adoption_differences.yaml explains what is not empty.
"""
