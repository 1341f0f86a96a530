"""The page changes.md: it has all keys, its rows are what the components set, and what was observed agrees with it."""

import functools
import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from support.changes_table import PROVIDER, ROWS, against_the_table, rows_for, table
from support.copied_keys import COPIED
from support.each import each
from support.editing import Edit, graph_after, graph_before
from support.edits import EDITS as CORPUS
from support.observed_edits import observed_edits
from support.recording import Registration, record
from support.shipped import NAMES
from support.tools import ROOT

from pulumi_gke_tpu import TpuFleet, load_plan
from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.catalog.records.provider import known_path
from pulumi_gke_tpu.core.graph.keys import is_within
from pulumi_gke_tpu.features.diff.classification.compare import compare

TESTS = ROOT / "tests"
POOL, CLUSTER = "gcp:container/nodePool:NodePool", "gcp:container/cluster:Cluster"
WITH_KEY = [row for row in ROWS if row.key]


def test_the_page_has_every_property_and_the_last_word_of_every_key() -> None:
    cells = {text for line in table.changes_page().splitlines() for text in re.findall(r"`([^`]+)`", line)}
    assert {row.property for row in ROWS} - cells == set()
    assert {row.key.rpartition(".")[2] for row in WITH_KEY} - {text.rpartition(".")[2] for text in cells} == set()


# Properties


PLANS = ["components/pulumi_gke_tpu/core/plan/every_key.yaml", *(f"stacks/{name}/plan.yaml" for name in NAMES)]


def leaves(value: Any, path: str = "") -> Iterator[str]:
    """Engine paths of all values. The key of a map is in brackets unless it is a plain word."""
    if isinstance(value, dict):
        for name, item in value.items():
            plain = name.replace("_", "a").isalnum()
            yield from leaves(item, (f"{path}.{name}" if path else name) if plain else f'{path}["{name}"]')
    elif isinstance(value, list) and any(isinstance(item, dict) for item in value):
        for item in value:
            yield from leaves(item, path)
    else:
        yield path


def kind_of(registration: Registration) -> str:
    return str(table.pool_of(registration.name)) if registration.type == POOL else ""


@pytest.mark.parametrize("plan", PLANS)
def test_every_property_that_is_set_has_a_row(plan: str) -> None:
    args = load_plan(ROOT / plan)
    unwritten = ("initialNodeCount", "nodeConfig")  # of a cluster: its first pool, which is gone at once
    written = {"nodeConfig.loggingVariant", "enableL4IlbSubsetting"}  # through extra
    missing = {
        f"{item.type} {path}"
        for item in record(lambda: TpuFleet("f", args))
        if item.type in PROVIDER.resources
        for path in leaves(item.inputs)
        if not rows_for(item.type, path, name=item.name)
        and not (item.type == CLUSTER and path.startswith(unwritten))
        and path != "initialNodeCount"  # ignored: the autoscaler moves it
        and path not in written
    }
    assert missing == set()


BASE = """
project: acme-ml
clusters:
  east:
    mode: standard
    location: us-east5
    network: create
    slices:
      multi: {tpu: v6e, topology: 4x4, zone: us-east5-b}
      single: {tpu: v6e, topology: 2x2, zone: us-east5-b}
      auto: {tpu: v6e, topology: 4x4, zone: us-east5-b, count: {min: 0, max: 1}}
      autos: {tpu: v6e, topology: 2x2, zone: us-east5-b, count: {min: 0, max: 4}}
"""
HEAD = "machine_type: n2-standard-64, zones: [us-east5-b]"
CPU_BASE = BASE.replace(
    "    slices:", f"    cpu_pools: {{head: {{{HEAD}, nodes: 1}}, some: {{{HEAD}, max_nodes: 3}}}}\n    slices:"
)
ADOPTED_CPU = CPU_BASE.replace("max_nodes: 3", "max_nodes: 3, min_nodes: 1, adopted: true")
NETWORKS = BASE.replace("    slices:", "    additional_networks: {a: {subnet: 10.64.0.0/20}}\n    slices:")
POLICIES = BASE.replace("    slices:", "    workload_policies: {cubes: {topology: 4x4x4}, near: {}}\n    slices:")
EMPTY = BASE.partition("    slices")[0]
ZONAL = CPU_BASE.replace("location: us-east5", "location: us-east5-b")
IRONWOOD = """
project: acme-ml
clusters:
  east:
    mode: standard
    location: us-central1
    slices: {multi: {tpu: tpu7x, topology: 2x2x2, zone: us-central1-c}}
"""
EXISTING = f"""
project: acme-ml
clusters:
  east:
    mode: standard
    existing: projects/acme-ml/locations/us-east5/clusters/shared
    cpu_pools: {{head: {{{HEAD}, nodes: 1}}}}
    slices: {{multi: {{tpu: v6e, topology: 4x4, zone: us-east5-b}}}}
"""
EDITS: dict[str, list[tuple[str, str, str]]] = {
    "clusters.*.slices.*.slicing": [
        (
            IRONWOOD,
            "topology: 2x2x2, zone: us-central1-c",
            "slicing: dynamic, zone: us-central1-c, capacity: {reservation: {name: ours, block: a}}",
        )
    ],
    "clusters.*.existing": [(EXISTING, "clusters/shared", "clusters/other")],
    "project": [
        (CPU_BASE, "acme-ml", "acme-ml-2"),
        (NETWORKS, "acme-ml", "acme-ml-2"),
        (IRONWOOD, "acme-ml", "acme-ml-2"),
    ],
    "clusters.*.mode": [(EMPTY, "standard", "autopilot")],
    "clusters.*.cpu_pools.*.adopted.oauth_scopes": [
        (ADOPTED_CPU, "adopted: true", "adopted: {oauth_scopes: [logging.write]}")
    ],
    "clusters.*.cpu_pools.*.adopted.location_policy": [
        (ADOPTED_CPU, "adopted: true", "adopted: {location_policy: balanced}")
    ],
    "clusters.*.cpu_pools.*.adopted.limits": [
        (ADOPTED_CPU, "min_nodes: 1, adopted: true", "min_nodes: 1, adopted: {limits: per_zone}")
    ],
    "clusters.*.location": [
        (EMPTY, "us-east5", "us-central1"),
        (ZONAL, "location: us-east5-b", "location: us-east5"),
    ],
    "resource_labels": [(CPU_BASE, "project: acme-ml", "project: acme-ml\nresource_labels: {a: b}")],
    "clusters.*.addons": [
        (
            IRONWOOD.replace("slices:", "release_channel: rapid\n    slices:"),
            "rapid",
            "rapid\n    addons: [slice_controller]",
        )
    ],
    "clusters.*.slices.*.topology": [(IRONWOOD, "2x2x2", "2x2x4"), (BASE, "topology: 2x2,", "topology: 1x1,")],
    "clusters.*.slices.*.chips": [
        (IRONWOOD, "topology: 2x2x2", "chips: 16"),
        (BASE, "topology: 2x2,", "chips: 1,"),
    ],
    "clusters.*.slices.*.count": [
        (BASE, "{min: 0, max: 4}", "{min: 1, max: 6}"),
        (BASE, ", count: {min: 0, max: 1}", ""),
    ],
    "clusters.*.slices.*.upgrade.auto_upgrade": [
        (
            BASE.replace("slices:", "release_channel: none\n    slices:"),
            "2x2, zone: us-east5-b}",
            "2x2, zone: us-east5-b, upgrade: {auto_upgrade: false}}",
        )
    ],
    "clusters.*.additional_networks": [
        (BASE, "    slices:", "    additional_networks: {a: {subnet: 10.64.0.0/20}}\n    slices:")
    ],
    "clusters.*.additional_networks.*.subnet": [(NETWORKS, "10.64.0.0/20", "10.64.0.0/19")],
    "clusters.*.additional_networks.*.mtu": [(NETWORKS, "0.0/20}", "0.0/20, mtu: 1460}")],
    "clusters.*.workload_policies.*.topology": [(POLICIES, "4x4x4", "4x4x8")],
    "clusters.*.workload_policies.*.topology_mode": [(POLICIES, "4x4x4", "4x4x4, topology_mode: auto_connect")],
    "clusters.*.workload_policies.*.type": [(POLICIES, "near: {}", "near: {type: high_availability}")],
    "clusters.*.workload_policies.*.max_topology_distance": [
        (POLICIES, "near: {}", "near: {max_topology_distance: block}")
    ],
    "clusters.*.slices.*.additional_networks": [
        (BASE, "4x4, zone: us-east5-b}", "4x4, zone: us-east5-b, additional_networks: [{network: a, subnetwork: b}]}")
    ],
}
WRITTEN_BESIDE = {
    "clusters.*.resource_labels": "resource_labels: {a: b}",
    "clusters.*.name": "name: other",
    "clusters.*.network.create.mtu": "network: {create: {mtu: 1460}}",
    "clusters.*.network.create.subnet": "network: {create: {subnet: 10.0.0.0/16}}",
    "clusters.*.network.create.pods": "network: {create: {pods: 10.64.0.0/14}}",
    "clusters.*.network.create.services": "network: {create: {services: 10.96.0.0/20}}",
    "clusters.*.private_nodes": "private_nodes: false",
    "clusters.*.node_service_account": "node_service_account: nodes@acme-ml.iam.gserviceaccount.com",
    "clusters.*.system_pool.machine_type": "system_pool: {machine_type: n2-standard-8}",
    "clusters.*.system_pool.min_nodes": "system_pool: {min_nodes: 2}",
    "clusters.*.system_pool.max_nodes": "system_pool: {max_nodes: 5}",
    "clusters.*.system_pool.zones": "system_pool: {zones: [us-east5-a]}",
    "clusters.*.system_pool.boot_disk_type": "system_pool: {boot_disk_type: pd-balanced}",
    "clusters.*.system_pool.boot_disk_size_gib": "system_pool: {boot_disk_size_gib: 200}",
    "clusters.*.system_pool.node_labels": "system_pool: {node_labels: {role: system}}",
    "clusters.*.system_pool.taints": "system_pool: {taints: [{key: role, effect: NO_SCHEDULE}]}",
    "clusters.*.security.secure_boot": "security: {secure_boot: false}",
    "clusters.*.security.tpu_secure_boot": "security: {tpu_secure_boot: true}",
    "clusters.*.security.workload_identity": "security: {workload_identity: false}",
}
WRITTEN_IN_CPU_POOLS = {
    "machine_type": ("n2-standard-64", "n2-standard-80"),
    "nodes": ("nodes: 1", "nodes: 2"),
    "min_nodes": ("max_nodes: 3", "max_nodes: 3, min_nodes: 1"),
    "max_nodes": ("max_nodes: 3", "max_nodes: 4"),
    "zones": ("[us-east5-b]", "[us-east5-a]"),
    "spot": ("nodes: 1", "nodes: 1, spot: true"),
    "boot_disk.type": ("nodes: 1", "nodes: 1, boot_disk: {type: pd-balanced}"),
    "boot_disk.size_gib": ("nodes: 1", "nodes: 1, boot_disk: {size_gib: 200}"),
    "boot_disk.iops": ("nodes: 1", "nodes: 1, boot_disk: {iops: 4000}"),
    "boot_disk.throughput_mbps": ("nodes: 1", "nodes: 1, boot_disk: {throughput_mbps: 200}"),
    "node_service_account": ("nodes: 1", "nodes: 1, node_service_account: a@acme-ml.iam.gserviceaccount.com"),
    "node_labels": ("nodes: 1", "nodes: 1, node_labels: {role: head}"),
    "taints": ("nodes: 1", "nodes: 1, taints: [{key: role, effect: NO_SCHEDULE}]"),
    "resource_labels": ("nodes: 1", "nodes: 1, resource_labels: {team: a}"),
}
for key, (before, after) in WRITTEN_IN_CPU_POOLS.items():
    EDITS[f"clusters.*.cpu_pools.*.{key}"] = [(CPU_BASE, before, after)]
for key, written in WRITTEN_BESIDE.items():
    line = "network: create"
    EDITS[key] = [
        (plan, old, f"{written}\n    {old}" if "network:" not in written else written)
        for plan, old in ((CPU_BASE, line), (IRONWOOD, "slices: {"))
        if plan is CPU_BASE or key.endswith(".name")
    ]
EDITS["clusters.*.name"] += [(NETWORKS, "    slices:", "    name: other\n    slices:")]
"""Changes of plans for rows that the cases of tests/resources do not reach: key -> plan, old, new."""


@functools.cache
def inputs_of(plan: str) -> dict[str, tuple[Registration, dict[str, Any]]]:
    args: Any = yaml.safe_load(plan)
    recording = record(lambda: TpuFleet("f", args))
    return {f"{item.type} {item.name}": (item, item.inputs) for item in recording}


def flat(value: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}

    def walk(item: Any, path: str) -> None:
        if isinstance(item, dict):
            for name, inner in item.items():
                walk(inner, f"{path}.{name}" if path else name)
        else:
            found[path] = item

    walk(value, "")
    return found


def changed_by_edits(key: str) -> Iterator[tuple[str, str, str]]:
    """Type, kind of node pool, and path of everything that a key changes."""
    for plan, old, new in EDITS.get(key, ()):
        assert old in plan
        before, after = inputs_of(plan), inputs_of(plan.replace(old, new))
        for name in before.keys() & after.keys():
            (item, was), (_, will) = before[name], after[name]
            was, will = flat(was), flat(will)
            for path in was.keys() | will.keys():
                if was.get(path) != will.get(path):
                    yield item.type, kind_of(item), path


@functools.cache
def cases() -> list[tuple[str, str, Any]]:
    """The cases of keys that the tests of components have: type, path of the keys, and the case."""
    return [
        (token, prefix, case)
        for token, prefix, file in (
            (POOL, "clusters.*.slices.*.", "node_pool_cases.yaml"),
            (CLUSTER, "clusters.*.", "cluster_cases.yaml"),
        )
        for case in yaml.safe_load((TESTS / "components" / "data" / file).read_text(encoding="utf-8")).values()
    ]


def changed_by_cases(key: str) -> Iterator[tuple[str, str, str]]:
    for token, prefix, case in cases():
        written = [f"{prefix}{name}" for name in case["plan"]]
        if any(is_within(key, name) for name in written):
            for path in case["sends"]:
                labels = "nodeConfig.labels."
                pool = table.TPU_POOL if token == POOL else ""
                yield token, pool, f'nodeConfig.labels["{path.removeprefix(labels)}"]' if labels in path else path


def overlap(path: str, other: str) -> bool:
    return path == other or path.startswith((f"{other}.", f"{other}[")) or other.startswith((f"{path}.", f"{path}["))


@each(
    "row",
    # tests/core/graph/test_keys.py has the others.
    [row for row in WITH_KEY if row.key not in COPIED or row.key in EDITS],
    lambda row: f"{row.key} {row.property}",
)
def test_the_key_of_a_row_changes_its_property(row: Any) -> None:
    changed = [*changed_by_edits(row.key), *changed_by_cases(row.key)]
    pool = row.resource if row.token == POOL else ""
    assert any(
        (token, kind) == (row.token, pool) and overlap(known_path(PROVIDER, token, path) or path, row.property)
        for token, kind, path in changed
    ), f"no change of {row.key} here changes {row.property}"


# What the comparison says


SENDS_NOTHING = [edit for edit in CORPUS if edit.base in ("full", "dev") and set(edit.classes.values()) == {"no-op"}]


@pytest.mark.parametrize("edit", SENDS_NOTHING, ids=str)
def test_what_is_kept_according_to_the_comparison_is_kept_according_to_the_page(edit: Edit) -> None:
    changes = compare(graph_before(edit.base), graph_after(edit), PROVIDER, disks=read_catalog().disks.families)
    left_out = [(change, item.path) for change in changes for item in change.differences if not item.planned]
    for change, path in left_out:
        found = rows_for(change.type, path, name=change.name)
        assert any(row.kept for row in found), f"{change.name} {path}"


# What was observed


BASES = {
    **dict.fromkeys(("multi", "multi_fixed", "single", "single_auto", "tpu7x"), POOL),
    **dict.fromkeys(("standard", "zonal", "autopilot"), CLUSTER),
    "workload_policy": "gcp:compute/resourcePolicy:ResourcePolicy",
    "network": "gcp:compute/network:Network",
    "subnetwork": "gcp:compute/subnetwork:Subnetwork",
    "account": "gcp:serviceaccount/account:Account",
    "iam_member": "gcp:projects/iAMMember:IAMMember",
}
TOKENS = {token.rpartition(":")[2]: token for token in PROVIDER.resources}
OBSERVED = yaml.load(
    (TESTS / "engine" / "data" / "observed_changes.yaml").read_text(encoding="utf-8"),
    Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader),
)["changes"]


@functools.cache
def observed() -> dict[tuple[str, str], set[bool]]:
    """Type and property -> whether another value was seen to replace; without what resource options make of it."""
    found: dict[tuple[str, str], set[bool]] = {}
    for base, changes in OBSERVED.items():
        for seen in changes.values():
            if "replace_on_changes" in seen.get("options", {}):
                continue
            for path, kind in seen.get("diff", {}).items():
                known = known_path(PROVIDER, BASES[base], path) or path
                replacing = found.setdefault((BASES[base], known), set())
                if kind.startswith("update") and len(seen["diff"]) == 1:  # else something else may be the reason
                    replacing.add("replace" in kind)
    for edit in observed_edits():
        for name, step in edit.steps.items():
            token = TOKENS[name.partition(" ")[0]]
            for path in step.diff:
                found.setdefault((token, known_path(PROVIDER, token, path) or path), set())
    return found


@each("row", ROWS, lambda row: f"{row.resource} {row.property}")
def test_a_star_means_that_it_was_not_observed(row: Any) -> None:
    assert ((row.token, row.property) in observed()) == row.change.observed


@each("row", ROWS, lambda row: f"{row.resource} {row.property}")
def test_what_was_observed_agrees(row: Any) -> None:
    by_provider = {row.change.change == "replace"}
    if row.change.change in ("replace-off", "replace-shrink"):
        by_provider = {True, False}
    assert observed().get((row.token, row.property), set()) <= by_provider


@pytest.mark.parametrize(
    ("name", "op", "paths", "contradiction"),
    [
        ("east/a/a-0", "update", ["nodeConfig.taints[0].value"], ""),
        ("east/a/a-0", "replace", ["nodeConfig.machineType"], ""),
        ("east/a/a-0", "replace", ["nodeConfig.taints", "nodeConfig.spot"], ""),
        ("east/a/a-0", "update", ["nodeConfig.machineType"], "updated for nodeConfig.machineType, which replaces"),
        ("east/system", "update", ["nodeConfig.machineType"], ""),
        ("east/system", "replace", ["nodeConfig.machineType"], "replaced for ['nodeConfig.machineType']"),
        ("east/cpu_pools/head", "update", ["nodeConfig.machineType"], ""),
        ("east/cpu_pools/head", "update", ["nodeConfig.spot"], "updated for nodeConfig.spot, which replaces"),
        ("east/cpu_pools/head", "replace", ["nodeConfig.machineType"], "replaced for ['nodeConfig.machineType']"),
        ("east/a/a-0", "replace", ["nodeConfig.taints"], "replaced for ['nodeConfig.taints']"),
        ("east/a/a-0", "update", ["nodeConfig.color"], "no row for nodeConfig.color"),
    ],
)
def test_the_engine_can_contradict_the_page(name: str, op: str, paths: list[str], contradiction: str) -> None:
    found = against_the_table(name, POOL, op, paths)
    assert [contradiction in line for line in found] == ([True] if contradiction else [])
