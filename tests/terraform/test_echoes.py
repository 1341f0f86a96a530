"""Values that GKE may add, in the real provider of Terraform: they do what ``tests/data/echoes.yaml`` lists.

A configuration has several equal clusters. Each plan tries one value for each cluster and for all node pools of it.
``tests/data/terraform/echo_differences.yaml`` has what the pure tests see differently.
"""

import collections
import dataclasses
import json
import pathlib
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from support.exported import exported
from support.fleets import as_json, fleets
from support.gcp_standin.echoes import expected
from support.gcp_standin.knowledge import CLUSTER, POOL, kind_of
from support.google_apis.server import Google
from support.plan_corpus import source
from support.sampling import sample
from support.shipped import TODAY
from support.terraform.binaries import Programs
from support.terraform.echoed import differences, fields, tried
from support.terraform.edits import unprotected
from support.terraform.witness import for_google, make, modules
from support.terraform.workspace import Terraform

COPIES = 12
"""Clusters in one configuration."""
MOST = 12
"""Values of each type in a sample."""
ADOPTED = ("gcloud_v6e", "console_pools", "xpk_v6e_reserved", "module_default_pool", "autopilot")
SOURCES = ("new", *ADOPTED)
HOW = ("replaces", "updates")
AT_ONCE = "-parallelism=40"

Actions = dict[tuple[str, str], set[str]]
"""Type and path of a value -> what it does to the resources."""


def write_new(terraform: Terraform) -> None:
    """Clusters with a node pool of single hosts, one slice and a pool without TPUs."""
    group = {"tpu": "v6e", "zone": "us-east5-b", "protect": False}
    cluster = {
        "mode": "standard",
        "location": "us-east5",
        "slices": {"hosts": {**group, "topology": "2x2", "count": 1}, "slice": {**group, "topology": "4x4"}},
    }
    clusters = {f"e{number}": cluster for number in range(COPIES)}
    plan = source("echoes", {"version": 1, "project": "my-project", "clusters": clusters}, TODAY)
    assert plan is not None
    terraform.write(unprotected(exported(plan, standalone=True)))
    terraform.apply(AT_ONCE)


def write_adopted(name: str, terraform: Terraform, google: Google, programs: Programs, folder: pathlib.Path) -> None:
    """Copies of a fleet, imported by the module that ``export terraform --existing`` writes."""
    (fleet,) = (fleet for fleet in fleets() if fleet.name == name)
    data = as_json(fleet)
    (cluster,) = data if isinstance(data, list) else [data]
    text, path = json.dumps(cluster), f"/clusters/{cluster['name']}"
    names = [f"e{number}" for number in range(COPIES)]
    copies = [{**json.loads(text.replace(path, f"/clusters/{name}")), "name": name} for name in names]
    several = dataclasses.replace(fleet, made=json.dumps(copies))
    make(google, several, programs, folder)
    ((_, importing, afterwards),) = modules(several)
    terraform.write(unprotected(for_google(importing)))
    terraform.apply(AT_ONCE)
    terraform.replace(unprotected(for_google(afterwards)))


def found(terraform: Terraform, google: Google, values: dict[str, list[str]]) -> Actions:
    """What each value does to the resources of its type."""
    actions: Actions = collections.defaultdict(set)
    clusters = sorted(google.container.clusters.values(), key=lambda cluster: cluster.name)
    for start in range(0, max(map(len, values.values())), len(clusters)):
        given: dict[str, tuple[str, str]] = {}
        for number, cluster in enumerate(clusters, start):
            for name in (cluster.name, *(f"{cluster.name}/{pool}" for pool in cluster.pools)):
                token = POOL if "/" in name else CLUSTER
                if number < len(values[token]):
                    given[name] = token, values[token][number]
        google.knobs.echoes = {name: fields(kind_of(token), path) for name, (token, path) in given.items()}
        for item in terraform.plan(AT_ONCE).json["resource_changes"]:
            name, done = shown_name(item), item["change"]["actions"]
            if name in given:
                how = "replaces" if "delete" in done else "updates" if done == ["update"] else ""
                actions[given[name]].add(how)
            else:
                assert done == ["no-op"], item["address"]
    return actions


def shown_name(item: Mapping[str, Any]) -> str:
    """The name of a cluster, or ``cluster/pool``; empty for other resources."""
    before = item["change"]["before"]
    if item["type"] == "google_container_cluster":
        return str(before["name"])
    in_a_cluster = item["type"] == "google_container_node_pool"
    return f"{before['cluster'].rpartition('/')[2]}/{before['name']}" if in_a_cluster else ""


def inside(path: str, block: str) -> bool:
    return f"{path}.".startswith(f"{block}.")


def chosen(token: str, origin: str) -> list[str]:
    """A sample of the values; for new clusters also those that are listed."""
    every = list(tried(kind_of(token)))
    wanted = {*sample(every, MOST, of=origin)}
    for how in HOW if origin == "new" else ():
        blocks = {*expected(token)[how], *differences(token)[how]}
        wanted |= {path for path in every if any(inside(path, block) for block in blocks)}
    return [path for path in every if path in wanted]


@pytest.mark.parametrize("origin", SOURCES)
def test_a_value_that_gke_adds_does_what_is_listed(
    origin: str,
    terraform: Terraform,
    google: Google,
    terraform_programs: Programs,
    tmp_path: pathlib.Path,
    record_property: Callable[[str, object], None],
) -> None:
    if origin == "new":
        write_new(terraform)
    else:
        write_adopted(origin, terraform, google, terraform_programs, tmp_path / "made")
    assert terraform.plan(AT_ONCE).empty
    actions = found(terraform, google, {token: chosen(token, origin) for token in (CLUSTER, POOL)})
    record_property("values", len(actions))
    for how in HOW:
        changing = {key for key, done in actions.items() if how in done}
        record_property(how, len(changing))
        for token in (CLUSTER, POOL):
            here = {path for of, path in changing if of == token}
            listed, more = {*expected(token)[how]}, {*differences(token)[how]}
            assert [path for path in here if not any(inside(path, block) for block in listed | more)] == []
            if origin == "new":
                quiet = {block for block in listed | more if not any(inside(path, block) for path in here)}
                assert quiet == listed & differences(token)["nothing"].keys()
