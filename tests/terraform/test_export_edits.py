"""Edits of plans, exported before and after: the provider replaces what ``gke-tpu diff`` says, and nothing else."""

import collections
import copy
import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from support.editing import BASES, Edit, edited
from support.edits import EDITS
from support.exported import exported
from support.google_apis.server import Google
from support.plan_corpus import Source, catalog, source
from support.shipped import TODAY
from support.slices_of_cubes import plan_of_cubes
from support.terraform.workspace import Terraform

from pulumi_gke_tpu.core.graph.builders.standard import fleet_graph, tpu_fleet
from pulumi_gke_tpu.core.graph.declared import Declarations
from pulumi_gke_tpu.core.graph.model import Graph
from pulumi_gke_tpu.features.diff.classification.compare import compare
from pulumi_gke_tpu.features.export.terraform.addresses import Addresses

EVERY = {"full": 16, "ironwood": 4, "dev": 4, "networks": 4, "policies": 4}
"""Base -> one in how many of its edits is planned: each takes a second."""
BETA = "google-beta"
"""Google-beta is in no module proxy."""


def graph(item: Source) -> Graph:
    return fleet_graph(item.data, item.fleet, catalog(), name="export")


def addresses(item: Source) -> dict[str, str]:
    """URN -> address."""
    found = Addresses(Declarations(tpu_fleet(item.fleet, catalog(), item.data, "export")), catalog())
    return {made.urn: found.address(f"{made.type}::{made.name}") for made in graph(item).resources if made.custom}


def unprotected(files: Mapping[str, str]) -> dict[str, str]:
    """The files without ``prevent_destroy``, with which a plan that replaces would fail."""
    return {name: re.sub(r" +prevent_destroy\s+= true\n", "", text) for name, text in files.items()}


def edits(base: str) -> Iterator[tuple[Edit, Source]]:
    for edit in [edit for edit in EDITS if edit.base == base][:: EVERY[base]]:
        item = source(str(edit), edited(edit), TODAY)
        if item is not None and BETA not in "".join(exported(item).values()):
            yield edit, item


def expected(before: Source, after: Source) -> dict[str, set[str]]:
    """Operation of the engine -> addresses. A resource with another key but the same address is replaced there."""
    places = addresses(before) | addresses(after)
    found: dict[str, set[str]] = collections.defaultdict(set)
    for change in compare(graph(before), graph(after), catalog().provider):
        if change.urn in places and change.operation in ("create", "delete", "replace"):
            found[change.operation].add(places[change.urn])
    both = found["create"] & found["delete"]
    return {"create": found["create"] - both, "delete": found["delete"] - both, "replace": found["replace"] | both}


def planned(terraform: Terraform) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {"create": set(), "delete": set(), "replace": set()}
    for address, actions in terraform.plan().actions.items():
        if not address.startswith("terraform_data.") and actions != ["update"]:
            found["replace" if len(actions) > 1 else actions[0]].add(address)
    return found


@pytest.mark.parametrize("base", EVERY)
def test_the_provider_replaces_what_diff_says(base: str, terraform: Terraform) -> None:
    before = source(base, BASES[base](), TODAY)
    assert before is not None
    terraform.write(unprotected(exported(before)))
    terraform.apply()
    offenders = {}
    for edit, after in edits(base):
        terraform.replace(unprotected(exported(after)))
        wanted, found = expected(before, after), planned(terraform)
        if wanted != found:
            offenders[str(edit)] = {"diff": wanted, "terraform": found}
    assert offenders == {}


NONE: dict[str, set[str]] = {"create": set(), "delete": set(), "replace": set()}


def fleet(name: str, group: Mapping[str, Any]) -> Source:
    """The plan of one group, which is cubes unless it has a topology."""
    plan = copy.deepcopy(plan_of_cubes({}, {"one": 2}))
    del plan["clusters"]["train"]["kubernetes"]
    written = plan["clusters"]["train"]["slices"]["one"]
    written.update(group)
    if "topology" in group:
        del written["slicing"]
    else:
        written["placement"] = {"workload_policy": "cubes"}  # only the beta provider makes such a policy
    found = source(name, plan, TODAY)
    assert found is not None
    return found


CUBES, MORE, FEWER = ({"count": 2}, {"count": 3}, {"count": 1})
STATIC, LARGER = {"topology": "4x4x4", "count": 2}, {"topology": "4x4x8", "count": 1}
CHANGES = {
    "more cubes": (CUBES, MORE),
    "fewer cubes": (CUBES, FEWER),
    "static to cubes": (STATIC, CUBES),
    "a larger static slice to cubes": (LARGER, CUBES),
    "cubes to static": (CUBES, STATIC),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_of_cubes_is_planned_as_predicted(name: str, terraform: Terraform, google: Google) -> None:
    google.compute.objects["projects/acme-ml/regions/us-central1/resourcePolicies/cubes"] = {}
    before, after = (fleet(name, group) for group in CHANGES[name])
    terraform.write(unprotected(exported(before)))
    terraform.apply()
    assert planned(terraform) == NONE
    terraform.replace(unprotected(exported(after)))
    wanted = expected(before, after)
    assert planned(terraform) == wanted
    assert wanted != NONE
    topologies = topologies_of_created_pools(terraform)
    terraform.apply()
    assert planned(terraform) == NONE
    assert bool(topologies) is any("node_pool" in address for address in wanted["create"] | wanted["replace"])
    if "topology" in CHANGES[name][1]:
        assert topologies == {CHANGES[name][1]["topology"]}
    else:
        assert topologies <= {"", None}, "cubes have no topology before a workload asks for a slice"


def topologies_of_created_pools(terraform: Terraform) -> set[Any]:
    changes = terraform.plan().json["resource_changes"]
    return {
        policy.get("tpu_topology")
        for item in changes
        if item["type"] == "google_container_node_pool" and "create" in item["change"]["actions"]
        for policy in item["change"]["after"]["placement_policy"]
    }
