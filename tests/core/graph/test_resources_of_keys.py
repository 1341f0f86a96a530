"""What keys of a slice group and of a cluster change in their resources, and that nothing else changes."""

import datetime
import pathlib
from typing import Any

import pytest
import yaml
from support.recorded_results import RecordedResults

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.fleet import derive
from pulumi_gke_tpu.core.graph.builders.standard import fleet_graph
from pulumi_gke_tpu.core.graph.property_values import plain
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.plan.key_table import plan_keys

RECORDED = RecordedResults(pathlib.Path(__file__).parent / "data" / "resources.yaml", block_depth=2)
POOL = "NodePool c/a/a-0"
POLICY = {"shared": {"topology": "4x4", "type": "high_throughput"}}


def made(group: dict[str, Any], cluster: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The properties and options of all resources of a cluster with a group, by path."""
    slices = {"slices": {"a": {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b"} | group}}
    keys = {"mode": "standard", "location": "us-east5", "workload_policies": POLICY} | slices | cluster
    plan = {"version": 1, "project": "acme-ml", "clusters": {"c": keys}}
    read = parse_plan(plan)
    assert read.content is not None, read.findings
    assert not read.findings
    graph = fleet_graph(plan, derive(read.content, read_catalog(), datetime.date(2026, 11, 20)), read_catalog())
    return {
        f"{item.type.rpartition(':')[2]} {item.urn.rpartition('::')[2]}": {
            **dict(flat(plain(item.inputs))),
            **dict(flat(options(item.options), "options")),
        }
        for item in graph.resources
        if item.custom
    }


def options(given: Any) -> dict[str, Any]:
    return {
        "ignored": list(given.ignore_changes),
        "replacing": list(given.replace_on_changes),
        "protect": given.protect,
        "timeouts": dict(given.custom_timeouts) or None,
    }


def flat(value: Any, path: str = "") -> Any:
    if isinstance(value, dict) and value and "$unknown" not in value:
        for key, inner in value.items():
            yield from flat(inner, f"{path}.{key}".lstrip("."))
    elif value is not None and value != []:
        yield path, value if not isinstance(value, dict) else "later"


def changes(group: dict[str, Any], cluster: dict[str, Any]) -> dict[str, Any]:
    """What differs from a cluster and a group without these keys; a resource that one of them lacks is whole."""
    usual, found = made({}, {}), made(group, cluster)
    result: dict[str, Any] = {}
    for name in sorted({*usual, *found}):
        was, will = usual.get(name, usual[POOL] if name.startswith("NodePool c/a/") else {}), found.get(name)
        paths = sorted({*was, *(will or {})})
        result[name] = {path: will.get(path) for path in paths if was.get(path) != will.get(path)} if will else "gone"
    return {name: change for name, change in result.items() if change}


def test_the_resources_of_a_cluster() -> None:
    RECORDED.compare(made({}, {}), "usual")


@pytest.mark.parametrize("keys", RECORDED.data["groups"])
def test_keys_of_a_group_change_what_they_set(keys: str) -> None:
    RECORDED.compare(changes(yaml.safe_load(keys), {}), "groups", keys)


@pytest.mark.parametrize("keys", RECORDED.data["clusters"])
def test_keys_of_a_cluster_change_what_they_set(keys: str) -> None:
    RECORDED.compare(changes({}, yaml.safe_load(keys)), "clusters", keys)


def keys_in(value: Any, known: set[tuple[str, ...]], path: tuple[str, ...] = ()) -> set[tuple[str, ...]]:
    """The paths of the keys that are set, with ``*`` for names."""
    found: set[tuple[str, ...]] = set()
    for key, inner in value.items() if isinstance(value, dict) else ():
        step = (*path, str(key)) if (*path, str(key)) in known else (*path, "*")
        found |= {step, *keys_in(inner, known, step)}
    for inner in value if isinstance(value, list) else ():
        found |= keys_in(inner, known, (*path[:-1], f"{path[-1]}[]"))
    return found


@pytest.mark.parametrize(
    ("part", "above", "of_other_tests"),
    [
        ("groups", "clusters.*.slices.*.", ()),
        ("clusters", "clusters.*.", ("kubernetes", "slices", "runs")),  # runs make no resource
    ],
)
def test_each_key_is_in_a_case(part: str, above: str, of_other_tests: tuple[str, ...]) -> None:
    paths = [tuple(each.path.removeprefix(above).split(".")) for each in plan_keys() if each.path.startswith(above)]
    keys = {path for path in paths if path[0] not in of_other_tests}
    known = {path[:depth] for path in keys for depth in range(1, len(path) + 1)}
    assert keys - set().union(*(keys_in(yaml.safe_load(case), known) for case in RECORDED.data[part])) == set()
