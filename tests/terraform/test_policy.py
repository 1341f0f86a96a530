"""The exported policy in the real conftest and OPA has the verdicts of ``gke-tpu check`` and ``gke-tpu diff``."""

import itertools
import json
import pathlib
import shutil
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from support.documents import ROOT, blocks
from support.exported import exported
from support.foreign_files import attributes, terraform_plan
from support.go_tools import GoTools
from support.plan_corpus import source
from support.raw_pools import (
    EXAMPLES,
    FLEX,
    HOSTS,
    QUEUED,
    REGIONAL,
    SCALED,
    SLICE,
    WRONG,
    Properties,
    changed,
    example,
)
from support.rego.verdicts import NAMESPACE, Policy, of_check, of_policy
from support.shipped import TODAY, shipped_plan
from support.terraform.recordings import RECORDINGS
from support.terraform.workspace import Terraform

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.catalog.places import known_zones
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NODE_POOL
from pulumi_gke_tpu.features.diff.comparison.terraform import compare_terraform
from pulumi_gke_tpu.features.diff.sides import read_terraform_plans
from pulumi_gke_tpu.features.export.rego.facts import RULES
from pulumi_gke_tpu.features.export.rego.files import FACTS

CATALOG = read_catalog()
Plans = dict[str, bytes]
RECORDED: Plans = {path.parent.name: path.read_bytes() for path in sorted(RECORDINGS.glob("*/plan.json"))}
GENERATIONS = {name: CATALOG.generation(name) for name in CATALOG.generation_names}
MACHINES = {machine: found for found in GENERATIONS.values() for machine in found.machine_types}
RESERVED: Properties = {
    "nodeConfig.reservationAffinity": {
        "consumeReservationType": "SPECIFIC_RESERVATION",
        "key": "compute.googleapis.com/reservation-name",
        "values": ["ours"],
    }
}
CAPACITY: dict[str, Properties] = {
    "on demand": {},
    "spot": {"nodeConfig.spot": True},
    "reserved": RESERVED,
    "flex-start": {**FLEX, **SCALED},
    "queued": QUEUED,
    "queued flex-start": {**QUEUED, **FLEX, **SCALED, "queuedProvisioning.enabled": True},
    "spot and reserved": {"nodeConfig.spot": True, **RESERVED},
    "preemptible": {"nodeConfig.preemptible": True},
}


@pytest.fixture(scope="module")
def policy(policy_programs: GoTools, tmp_path_factory: pytest.TempPathFactory) -> Policy:
    return Policy(tmp_path_factory.mktemp("policy"), policy_programs)


def plan(*pools: Properties) -> bytes:
    return terraform_plan(
        (NODE_POOL, f"pool{number}", {**pool, "name": f"p{number}"}) for number, pool in enumerate(pools)
    )


def differences(policy: Policy, plans: Plans, folder: pathlib.Path) -> dict[str, Any]:
    """Name of a plan -> what only the policy finds, and what only ``check`` finds."""
    found = policy.found(plans, folder)
    both = {name: (of_policy(found[name]), of_check(content)) for name, content in plans.items()}
    assert any(mine for mine, _ in both.values()), "the plans break no rule"
    return {name: (mine - theirs, theirs - mine) for name, (mine, theirs) in both.items() if mine != theirs}


def test_recorded_plans_have_the_verdicts_of_check(policy: Policy, tmp_path: pathlib.Path) -> None:
    assert differences(policy, RECORDED, tmp_path) == {}


def test_each_rule_is_broken_by_its_examples_as_in_check(policy: Policy, tmp_path: pathlib.Path) -> None:
    plans = {"slice": plan(SLICE), "hosts": plan(HOSTS)}
    plans |= {f"wrong {id}": plan(changed(base, change)) for id, (base, change) in WRONG.items()}
    for rule in EXAMPLES:
        for name, text in (("failing", rule.failing), ("passing", rule.passing)):
            plans[f"{name} {rule.id}"] = plan(example(text)[0])
    assert differences(policy, plans, tmp_path) == {}
    found = set().union(*(of_check(content) for content in plans.values()))
    assert set(RULES) - {rule for rule, _, _ in found} == {"TPU168"}, "only a change breaks it"


def test_every_topology_of_every_machine_type(policy: Policy, tmp_path: pathlib.Path) -> None:
    """Also topologies of other generations, custom ones, those with another order, and text that is none."""
    listed = {row.topology for found in GENERATIONS.values() for row in found.topologies.rows}
    others = ("4x4x12", "4x8x6", "12x4x8", "8x8x8", "16x16x24", "16x16x16", "16x20x24", "4x4x256", "3x3", "04x4", "4X4")
    topologies = [*sorted(listed), *others, "4x4x4x4", "x", "4 x 4", "", "0x4", "100000x4"]
    plans: Plans = {}
    for machine in (*MACHINES, "ct6e-standard-2t", "ct5p-hightpu-8t", "tpu7x-none", "ct6e"):
        base = changed(SLICE, {"nodeConfig.machineType": machine, "nodeConfig.bootDisk": None, "nodeLocations": None})
        pools = [changed(base, {"placementPolicy.tpuTopology": topology or None}) for topology in topologies]
        plans[machine] = plan(*pools, changed(base, {"placementPolicy": None}))
    assert differences(policy, plans, tmp_path) == {}


def test_every_size_of_slices(policy: Policy, tmp_path: pathlib.Path) -> None:
    sizes: list[Properties] = [
        {"nodeCount": count, "autoscaling": scaling, "initialNodeCount": first}
        for count in (None, 0, 1, 4, 5)
        for first in (None, 0, 4, 8)
        for scaling in (
            None,
            {"minNodeCount": 0, "maxNodeCount": 4, "locationPolicy": "ANY"},
            {"minNodeCount": 1, "maxNodeCount": 8, "locationPolicy": "BALANCED"},
            {"totalMinNodeCount": 0, "totalMaxNodeCount": 4},
        )
    ]
    changes = [{**size, **spot} for size in sizes for spot in ({}, {"nodeConfig.spot": True}, FLEX)]
    plans = {name: plan(*(changed(base, one) for one in changes)) for name, base in (("4", SLICE), ("1", HOSTS))}
    assert differences(policy, plans, tmp_path) == {}


def test_every_zone_and_capacity_mode_of_every_family(policy: Policy, tmp_path: pathlib.Path) -> None:
    zones = [*known_zones(CATALOG), "us-east5-z", "us-east5", "europe-north9-a", "somewhere"]
    plans: Plans = {}
    for machine, found in MACHINES.items():
        several = next((row.topology for row in found.topologies.rows if row.hosts == "multi"), "4x4")
        shapes: tuple[Properties, ...] = ({"placementPolicy": None}, {"placementPolicy.tpuTopology": several})
        base = changed(SLICE, {"nodeConfig.machineType": machine, "nodeConfig.bootDisk": None, "location": None})
        pools = [
            changed(base, {**shape, "cluster": None, "nodeLocations": [zone], **CAPACITY["reserved"]})
            for shape, zone in itertools.product(shapes, zones)
        ]
        pools += [
            changed(base, {**shape, "cluster": None, "nodeLocations": ["us-central1-a"], **capacity})
            for shape, capacity in itertools.product(shapes, CAPACITY.values())
        ]
        pools += [changed(base, {"nodeLocations": ["us-east5-a", "us-east5-b"]}), changed(base, {"cluster": "bare"})]
        plans[machine] = plan(*pools)
    assert differences(policy, plans, tmp_path) == {}


def paths_of(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of everything in a value that Terraform can know only after the apply."""
    if path:
        yield path
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from paths_of(inner, (*path, key))


def marked(value: Any, path: tuple[Any, ...]) -> Any:
    """``after_unknown`` with one mark."""
    if not path:
        return True
    if isinstance(value, dict):
        return {path[0]: marked(value[path[0]], path[1:])}
    return [marked(item, path[1:]) if number == path[0] else {} for number, item in enumerate(value)]


@pytest.mark.parametrize("hidden", ["after_unknown", "after_sensitive"])
def test_a_value_that_is_not_known_is_not_judged(hidden: str, policy: Policy, tmp_path: pathlib.Path) -> None:
    """One value of each wrong pool is unknown or secret: the verdicts are still those of ``check``."""
    plans: Plans = {}
    wrong = {**WRONG, **{f"{rule.id} example": (example(rule.failing)[0], {}) for rule in EXAMPLES}}
    for id, (base, change) in wrong.items():
        document = json.loads(plan(changed(base, change)))
        (resource,) = document["resource_changes"]
        after = resource["change"]["after"]
        several = []
        for number, path in enumerate(paths_of(after)):
            change_ = {**resource["change"], hidden: marked(after, path)}
            several.append({**resource, "address": f"{resource['address']}{number}", "change": change_})
            names = {**after, "name": f"p{number}"}
            change_["after"] = {**names, "name": after["name"]} if path == ("name",) else names
        plans[id] = json.dumps({**document, "resource_changes": several}).encode()
    assert differences(policy, plans, tmp_path) == {}


def test_pools_in_the_block_of_a_cluster(policy: Policy, tmp_path: pathlib.Path) -> None:
    pools = [changed(base, change) for base, change in WRONG.values()]
    inside = [{key: value for key, value in pool.items() if key not in ("cluster", "location")} for pool in pools]
    document = json.loads(terraform_plan([(CLUSTER, "train", {**REGIONAL, "nodePools": inside})]))
    plans = {"new": json.dumps(document).encode()}
    change = document["resource_changes"][0]["change"]
    change |= {"actions": ["update"], "before": {**change["after"], "node_pool": change["after"]["node_pool"][:-1]}}
    plans["changed"] = json.dumps(document).encode()
    change["before"] = {**change["after"], "description": "before"}
    plans["as before"] = json.dumps(document).encode()
    assert differences(policy, plans, tmp_path) == {}
    assert of_check(plans["as before"]) == set()


UPDATES: Mapping[str, tuple[list[str], Properties, Properties]] = {
    "topology": (["update"], SLICE, {"placementPolicy.tpuTopology": "4x8"}),
    "topology and size": (["update"], SLICE, {"placementPolicy.tpuTopology": "4x8", "nodeCount": 8}),
    "replaced": (["delete", "create"], SLICE, {"placementPolicy.tpuTopology": "4x8", "nodeCount": 8}),
    "created first": (["create", "delete"], SLICE, {"placementPolicy.tpuTopology": "4x8", "nodeCount": 8}),
    "machine type": (["update"], HOSTS, {"nodeConfig.machineType": "ct6e-standard-8t"}),
    "no topology before": (["update"], HOSTS, {"placementPolicy": {"type": "COMPACT", "tpuTopology": "4x4"}}),
    "nothing": (["no-op"], changed(SLICE, {"nodeCount": 5}), {}),
    "reported size": (["update"], changed(SLICE, {"initialNodeCount": 5}), {"nodeConfig.labels": {"a": "b"}}),
    "other size": (["update"], changed(SLICE, {"initialNodeCount": 4}), {"initialNodeCount": 5}),
}


def updated(actions: list[str], before: Properties, change: Properties) -> bytes:
    document = json.loads(plan(changed(before, change)))
    document["resource_changes"][0]["change"] |= {"actions": actions, "before": attributes(NODE_POOL, before)}
    return json.dumps(document).encode()


def test_changes_of_existing_pools(policy: Policy, tmp_path: pathlib.Path) -> None:
    plans = {name: updated(*update) for name, update in UPDATES.items()}
    assert differences(policy, plans, tmp_path) == {}
    assert {name for name in plans if "TPU168" in {rule for rule, _, _ in of_check(plans[name])}} == {
        "topology",
        "topology and size",
    }


def test_what_a_plan_deletes_and_replaces_is_a_warning_as_diff_classes_it(
    policy: Policy, tmp_path: pathlib.Path
) -> None:
    found = policy.found(RECORDED, tmp_path)
    for name in RECORDED:
        changes = compare_terraform(
            read_terraform_plans((str(RECORDINGS / name / "plan.json"),), CATALOG), CATALOG, None
        )
        items = {(item.change, item.item, "warning") for item in changes.report.change.items}
        mine = {(item["rule"], item["address"], item["level"]) for item in found[name] if item["rule"] not in RULES}
        assert mine == {item for item in items if item[0] in ("delete", "replace")}, name


def test_a_finding_says_where_what_and_what_to_do(policy: Policy, tmp_path: pathlib.Path) -> None:
    (finding,) = policy.found({"plan": plan(changed(SLICE, {"nodeCount": 3}))}, tmp_path)["plan"]
    place = "google_container_node_pool.pool0"
    assert finding["msg"] == (
        f"{place}: node_count: 3 nodes do not fit: 4x4 of ct6e-standard-4t has 4 hosts. Allowed: 4. Set node_count to "
        "4, or min_node_count to 0 and max_node_count to 4. (TPU462)"
    )
    assert {key: finding[key] for key in ("rule", "address", "property", "given", "allowed", "next")} == {
        "rule": "TPU462",
        "address": place,
        "property": "node_count",
        "given": 3,
        "allowed": ["4"],
        "next": "Set node_count to 4, or min_node_count to 0 and max_node_count to 4.",
    }
    assert finding["why"].startswith("a slice has a fixed number of hosts")


def test_hostile_names_and_values_stay_on_one_line(policy: Policy, tmp_path: pathlib.Path) -> None:
    hostile = "4x4\n::error::\x1b[31m%s${x}"
    pools = [changed(SLICE, {"placementPolicy.tpuTopology": hostile, "nodeLocations": [hostile]})]
    document = json.loads(plan(*pools))
    document["resource_changes"][0]["address"] = f'google_container_node_pool.a["{hostile}"]'
    found = policy.found({"plan": json.dumps(document).encode()}, tmp_path)["plan"]
    assert [item["rule"] for item in found] == ["TPU111"]
    assert found[0]["msg"].isprintable()


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"format_version": "1.2"},
        {"format_version": "1.2", "resource_changes": None},
        {"format_version": "1.2", "resource_changes": [None, 1, "x", [], {}, {"type": "google_container_node_pool"}]},
        {
            "resource_changes": [
                {"type": "google_container_node_pool", "mode": "managed", "address": "a", "change": None}
            ]
        },
        {
            "resource_changes": [
                {
                    "type": "google_container_node_pool",
                    "mode": "managed",
                    "address": "a",
                    "change": {"actions": ["create"], "before": None, "after": {"node_config": odd}},
                }
                for odd in (None, 1, [], [None], [1], {"machine_type": 1}, [{"machine_type": ["ct6e-standard-4t"]}])
            ]
        },
    ],
)
def test_odd_documents_break_nothing(document: Any, policy: Policy, tmp_path: pathlib.Path) -> None:
    assert policy.found({"plan": json.dumps(document).encode()}, tmp_path) == {"plan": []}


def test_uncertain_facts_only_warn(policy_programs: GoTools, policy: Policy, tmp_path: pathlib.Path) -> None:
    """Every rule that rests on a fact warns if its fact is not certain; rules about the form of a plan still deny."""
    other = Policy(tmp_path / "policy", policy_programs)
    text = (other.folder / FACTS).read_text().replace('"certain": true', '"certain": false')
    (other.folder / FACTS).write_text(text)
    plans = {id: plan(changed(base, change)) for id, (base, change) in WRONG.items()}
    plans |= {f"{rule.id} example": plan(example(rule.failing)[0]) for rule in EXAMPLES}
    plans["topology"] = updated(*UPDATES["topology"])
    found = [item for items in other.found(plans, tmp_path / "plans").values() for item in items]
    assert {item["rule"] for item in found} == set(RULES)
    denied = {item["rule"] for item in found if item["level"] == "error"}
    assert denied == {"TPU103", "TPU111", "TPU112", "TPU113", "TPU115", "TPU168"}


def test_its_own_tests_pass_in_conftest_and_in_opa_and_fail_with_another_policy(
    policy_programs: GoTools, tmp_path: pathlib.Path
) -> None:
    policy = Policy(tmp_path / "policy", policy_programs)
    folder = policy.folder
    verified = policy.conftest("verify", "--policy", folder, "--data", folder)
    assert verified.returncode == 0, verified.stdout
    assert ", 0 warnings, 0 failures, 0 exceptions" in verified.stdout
    tested = policy.opa("test", folder)
    assert tested.returncode == 0, tested.stdout
    rules = folder / "gke_tpu.rego"
    for old, new in (("size in {0, needed}", "size in {0, 1, 3, needed}"), ('{"", "ANY"}', '{"", "ANY", "BALANCED"}')):
        text = rules.read_text()
        assert old in text
        rules.write_text(text.replace(old, new))
        assert policy.opa("test", folder).returncode != 0
        rules.write_text(text)


def test_each_rule_has_a_test_of_its_own(policy: Policy) -> None:
    """Without the rule, a test in the exported file fails."""
    rules = policy.folder / "gke_tpu.rego"
    text = rules.read_text()
    kept = []
    for rule in (*RULES, '"delete"', '"replace"'):
        marker = f'found(pool, "{rule}"' if rule in RULES else rule
        broken = text.replace(marker, marker.replace(rule.strip('"'), "NONE"))
        assert broken != text, rule
        rules.write_text(broken)
        if policy.opa("test", policy.folder).returncode == 0:
            kept.append(rule)
    rules.write_text(text)
    assert kept == []


def test_it_is_strict_and_formatted_as_opa_formats(policy: Policy) -> None:
    assert policy.opa("check", "--strict", policy.folder).stdout == ""
    assert policy.opa("fmt", "--list", policy.folder).stdout == ""


def test_opa_finds_what_conftest_finds(policy: Policy, tmp_path: pathlib.Path) -> None:
    path = RECORDINGS / "topology" / "plan.json"
    for name, level in (("deny", "error"), ("warn", "warning")):
        asked = policy.opa("eval", "--data", policy.folder, "--input", path, f"data.{NAMESPACE}.{name}")
        (expression,) = json.loads(asked.stdout)["result"][0]["expressions"]
        found = policy.found({"plan": path.read_bytes()}, tmp_path)["plan"]
        assert {item["msg"] for item in expression["value"]} == {
            item["msg"] for item in found if item["level"] == level
        }


def test_real_plans_of_exported_modules_are_not_denied(
    policy: Policy, terraform: Terraform, tmp_path: pathlib.Path
) -> None:
    """With the configuration that a real plan contains: before and after an apply, and a node count that is wrong."""
    item = source("prod", shipped_plan("prod"), TODAY)
    assert item is not None
    files = exported(item)
    terraform.write(files)
    plans = {"new": json.dumps(terraform.plan().json).encode()}
    terraform.apply()
    plans["applied"] = json.dumps(terraform.plan().json).encode()
    assert "  node_count                = 64\n" in files["main.tf"]
    terraform.write({"main.tf": files["main.tf"].replace("  node_count                = 64\n", "  node_count = 63\n")})
    (terraform.folder / "terraform.tfstate").unlink()
    plans["wrong"] = json.dumps(terraform.plan().json).encode()
    assert differences(policy, plans, tmp_path) == {}
    found = {name: {item["rule"] for item in items} for name, items in policy.found(plans, tmp_path).items()}
    assert found == {"new": set(), "applied": set(), "wrong": {"TPU462"}}


def test_the_commands_of_the_guide_work(policy_programs: GoTools, tmp_path: pathlib.Path) -> None:
    policy = Policy(tmp_path / "policy" / "tpu", policy_programs)
    shutil.copytree(ROOT / "docs" / "examples", tmp_path / "docs" / "examples")
    ran = []
    for block in blocks(ROOT / "docs" / "terraform-plans.md"):
        for program, *arguments in block.commands():
            if program in ("conftest", "opa"):
                words = [str(tmp_path / word) if "/" in word else word for word in arguments]
                result = getattr(policy, program)(*words)
                ran.append((program, arguments[0], result.returncode))
                assert "TPU462" in result.stdout or arguments[0] == "verify"
    assert ran == [("conftest", "test", 1), ("opa", "eval", 0), ("conftest", "verify", 0)]


def test_it_is_beside_policies_of_others(policy_programs: GoTools, tmp_path: pathlib.Path) -> None:
    """In one folder with them, as a user keeps policies."""
    policy = Policy(tmp_path / "policy", policy_programs)
    (policy.folder / "mine.rego").write_text('package main\n\nimport rego.v1\n\ndeny contains "mine" if input.a == 1\n')
    shutil.copy(RECORDINGS / "topology" / "plan.json", tmp_path / "plan.json")
    options = ("--policy", policy.folder, "--data", policy.folder, "--all-namespaces")
    result = policy.conftest("test", tmp_path / "plan.json", *options)
    assert "TPU168" in result.stdout
