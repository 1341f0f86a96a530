"""``gke-tpu check`` of the files of other tools: every rule about raw pools, in each of them, at the right address."""

import json
import pathlib
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from support.foreign_files import Made, address, answer, attributes, pulumi_state, terraform_plan, terraform_state, urn
from support.raw_pools import (
    CLUSTERS,
    EXAMPLES,
    FLEX,
    HOSTS,
    REGIONAL,
    SCALED,
    SLICE,
    WRONG,
    Properties,
    changed,
    example,
)

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NODE_POOL
from pulumi_gke_tpu.core.resource_rules.checker import RESOURCE_RULES
from pulumi_gke_tpu.core.resource_rules.files import check_resources
from pulumi_gke_tpu.core.resources.read import ResourceReader
from pulumi_gke_tpu.core.rules import Rule
from pulumi_gke_tpu.core.text.findings import Finding
from pulumi_gke_tpu.features.explain.reference.rules_by_source import silence

Write = Callable[[Iterable[Made]], bytes]
CATALOG = read_catalog()
READER = ResourceReader(CATALOG)
RULES = {rule.id: rule for rule in RESOURCE_RULES}
CLUSTER_NAME = "projects/acme-ml/locations/us-east5/clusters/train"
PLACES = {
    terraform_plan: address,
    terraform_state: lambda token, name: f"module.tpu.{address(token, name)}",
    pulumi_state: urn,
    answer: lambda token, name: (
        f"projects/acme-ml/locations/us-east5/clusters/train{'' if token == CLUSTER else '/nodePools/pretrain-0'}"
    ),
}
EXISTING = (terraform_state, pulumi_state, answer)
WRONG_DISK = changed(SLICE, {"nodeConfig.bootDisk.diskType": "pd-ssd"})
TOOLS = {terraform_plan: "terraform", pulumi_state: "pulumi", answer: "gcloud"}
IN_STATES = {"TPU404"}
"""Rules that a state of Terraform cannot break either: the number of nodes is the present one."""


def found_in(write: Write, *made: Made) -> tuple[Finding, ...]:
    resources = READER.read("fleet.json", write(made))
    assert resources is not None
    return tuple(check_resources(resources.found, CATALOG))


def ids(findings: Iterable[Finding]) -> set[str]:
    return {finding.rule for finding in findings}


def is_hidden(rule: Rule[Any], write: Write) -> bool:
    """Whether what a tool writes cannot break a rule; a state of Terraform is like one of Pulumi."""
    return bool(silence(rule, TOOLS.get(write, "pulumi"))) or (write is terraform_state and rule.id in IN_STATES)


@pytest.mark.parametrize("write", PLACES)
@pytest.mark.parametrize("properties", [SLICE, HOSTS], ids=["slice", "hosts"])
def test_right_pools_break_nothing(write: Write, properties: Properties) -> None:
    assert found_in(write, (NODE_POOL, "main", properties)) == ()


@pytest.mark.parametrize("write", PLACES)
@pytest.mark.parametrize("id", sorted(WRONG))
def test_a_wrong_pool_breaks_exactly_this_rule(write: Write, id: str) -> None:
    findings = found_in(write, (NODE_POOL, "main", changed(*WRONG[id])))
    assert ids(findings) == (set() if is_hidden(RULES[id], write) else {id})


@pytest.mark.parametrize("write", PLACES)
@pytest.mark.parametrize("rule", EXAMPLES, ids=lambda rule: rule.id)
def test_the_examples_of_raw_rules_hold(write: Write, rule: Rule[Any]) -> None:
    pool = (NODE_POOL, "main", {"name": "pretrain-0", **example(rule.failing)[0]})
    assert (rule.id in ids(found_in(write, pool))) is not is_hidden(rule, write)
    assert rule.id not in ids(found_in(write, (NODE_POOL, "main", example(rule.passing)[0])))


AS_REPORTED = {("TPU594", "answer"), ("TPU594", "terraform_state")}
"""Rules about what GKE also reports where a program sets nothing."""


@pytest.mark.parametrize("write", PLACES)
@pytest.mark.parametrize("id", sorted(CLUSTERS))
def test_a_wrong_cluster_breaks_exactly_this_rule(write: Write, id: str) -> None:
    assert found_in(write, (CLUSTER, "train", REGIONAL)) == ()
    expected = set() if (id, write.__name__) in AS_REPORTED else {id}
    assert ids(found_in(write, (CLUSTER, "train", {**REGIONAL, **CLUSTERS[id]}))) == expected


POLICY = {"networkPolicy": {"enabled": True, "provider": "CALICO"}}
V2 = {"datapathProvider": "ADVANCED_DATAPATH"}
ALPHA = {"enableKubernetesAlpha": True}
IN_CONFLICT = [
    ({**POLICY, **V2}, True),
    ({**POLICY, "datapathProvider": "LEGACY_DATAPATH"}, False),
    (POLICY, False),
    ({**V2, "networkPolicy": {"enabled": False}}, False),
    (V2, False),
    (ALPHA, True),
    ({**ALPHA, "releaseChannel": {"channel": "UNSPECIFIED"}}, False),
]


@pytest.mark.parametrize("write", PLACES)
@pytest.mark.parametrize(("properties", "wrong"), IN_CONFLICT)
def test_properties_of_a_cluster_that_no_key_describes(write: Write, properties: Properties, wrong: bool) -> None:
    found = found_in(write, (CLUSTER, "train", {**REGIONAL, **properties}))
    assert ids(found) == ({"TPU529"} if wrong else set())


def test_an_alpha_cluster_without_a_written_channel_is_not_judged() -> None:
    cluster = {key: value for key, value in REGIONAL.items() if key != "releaseChannel"}
    assert found_in(terraform_plan, (CLUSTER, "train", {**cluster, **ALPHA})) == ()


CPU_NODES = changed(HOSTS, {"nodeConfig": {"machineType": "n2-standard-8"}})
OWN_ACCOUNT = {"nodeConfig.serviceAccount": "alice@example.com"}
TWICE = [{"key": "team", "value": value, "effect": "NO_SCHEDULE"} for value in ("a", "b")]
SPACE = [{"key": "research team", "value": "a", "effect": "NO_SCHEDULE"}]
IN_NODE_POOLS = [
    (SLICE, OWN_ACCOUNT, {"TPU242"}),
    (HOSTS, OWN_ACCOUNT, {"TPU242"}),
    (CPU_NODES, OWN_ACCOUNT, {"TPU242"}),
    (SLICE, {"nodeConfig.serviceAccount": "nodes@acme-ml.iam.gserviceaccount.com"}, set()),
    (SLICE, {"nodeConfig.taints": SPACE}, {"TPU536"}),
    (SLICE, {"nodeConfig.taints": [{**TWICE[0], "value": "a b"}]}, {"TPU536"}),
    (CPU_NODES, {"nodeConfig.taints": SPACE}, {"TPU536"}),
    (SLICE, {"nodeConfig.taints": TWICE}, {"TPU537"}),
    (CPU_NODES, {"nodeConfig.taints": TWICE}, {"TPU537"}),
    (SLICE, {"nodeConfig.taints": [TWICE[0], {**TWICE[1], "effect": "NO_EXECUTE"}]}, set()),
    (HOSTS, {"nodeConfig.machineType": "ct5e-standard-4", "nodeConfig.bootDisk": None}, {"TPU254"}),
    (SLICE, {"nodeConfig.machineType": "ct7x-standard-4t", "nodeConfig.bootDisk": None}, {"TPU254"}),
    (SLICE, {"nodeConfig.machineType": "v6e-standard-4t", "nodeConfig.bootDisk": None}, {"TPU254"}),
    (CPU_NODES, {"placementPolicy": {"type": "COMPACT", "tpuTopology": "2x2x1"}}, {"TPU254"}),
    (CPU_NODES, {"placementPolicy": {"type": "COMPACT"}}, set()),
    (CPU_NODES, {"nodeConfig.machineType": "c4-standard-8"}, set()),
    (SLICE, {"nodeCount": None, "autoscaling": {"minNodeCount": 0, "maxNodeCount": 0}}, {"TPU023"}),
    (HOSTS, {"nodeCount": None, "autoscaling": {"totalMinNodeCount": 0, "totalMaxNodeCount": 0}}, {"TPU023"}),
    (SLICE, {"nodeCount": None, **SCALED}, set()),
]


@pytest.mark.parametrize("write", PLACES)
@pytest.mark.parametrize(("base", "change", "expected"), IN_NODE_POOLS)
def test_a_node_pool_is_checked_without_its_cluster(
    write: Write, base: Properties, change: Properties, expected: set[str]
) -> None:
    assert ids(found_in(write, (NODE_POOL, "main", changed(base, change)))) == expected


@pytest.mark.parametrize("write", PLACES)
@pytest.mark.parametrize(("surge", "unavailable"), [(0, 0), (1, 0), (0, 1)])
def test_zeros_of_an_upgrade_are_what_a_program_writes(write: Write, surge: int, unavailable: int) -> None:
    """GKE reports them for another strategy too."""
    pool = changed(HOSTS, {"upgradeSettings": {"maxSurge": surge, "maxUnavailable": unavailable}})
    wrong = not surge and not unavailable and write in (terraform_plan, pulumi_state)
    assert ids(found_in(write, (NODE_POOL, "main", pool))) == ({"TPU424"} if wrong else set())


@pytest.mark.parametrize("write", PLACES)
def test_a_finding_names_the_resource_and_the_property_as_the_tool_spells_them(write: Write) -> None:
    (finding,) = found_in(write, (NODE_POOL, "main", WRONG_DISK))
    property_, fix = {
        answer: ("config.bootDisk.diskType", "diskType: hyperdisk-balanced"),
        pulumi_state: ("nodeConfig.bootDisk.diskType", "diskType: hyperdisk-balanced"),
    }.get(write, ("node_config.boot_disk.disk_type", 'disk_type = "hyperdisk-balanced"'))
    assert finding.message.startswith(f"{PLACES[write](NODE_POOL, 'main')}: {property_}: ")
    assert finding.fix == fix
    lines = write([(NODE_POOL, "main", WRONG_DISK)]).decode().split("\n")
    assert finding.position is not None
    assert lines[finding.position.line - 1][finding.position.column - 1 :].startswith('"pd-ssd"')


def test_a_resource_in_several_files_is_reported_once(gke_tpu: Any, tmp_path: pathlib.Path) -> None:
    wrong = [(NODE_POOL, "main", WRONG_DISK)]
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_bytes(answer(wrong))
    result = gke_tpu("check", tmp_path, "--format", "json")
    assert [each["rule"] for each in json.loads(result.out)["findings"]] == ["TPU501"]
    assert result.code == 1


@pytest.mark.parametrize("write", PLACES)
def test_only_a_plan_shows_that_a_program_sets_the_default_upgrade_strategy(write: Write) -> None:
    pool = changed(SLICE, {**FLEX, **SCALED, "upgradeSettings.strategy": "SURGE"})
    assert ids(found_in(write, (NODE_POOL, "main", pool))) == (set() if write in EXISTING else {"TPU422"})


def test_what_a_plan_deletes_is_not_checked() -> None:
    document = json.loads(terraform_plan([(NODE_POOL, "main", WRONG_DISK)]))
    change = document["resource_changes"][0]["change"]
    change |= {"actions": ["delete"], "before": change["after"], "after": None}
    resources = READER.read("plan.json", json.dumps(document).encode())
    assert resources is not None
    assert list(check_resources(resources.found, CATALOG)) == []


def test_a_value_that_only_the_apply_knows_adds_no_finding() -> None:
    document = json.loads(terraform_plan([(NODE_POOL, "main", WRONG_DISK)]))
    document["resource_changes"][0]["change"]["after_unknown"] = {"node_config": [{"boot_disk": True}]}
    resources = READER.read("plan.json", json.dumps(document).encode())
    assert resources is not None
    assert list(check_resources(resources.found, CATALOG)) == []


def planned(token: str, before: Properties | None, after: Properties, **change: Any) -> tuple[Finding, ...]:
    """What is found in a plan that changes a resource."""
    document = json.loads(terraform_plan([(token, "main", after)]))
    given = {"before": None if before is None else attributes(token, before), **change}
    document["resource_changes"][0]["change"] |= given
    resources = READER.read("plan.json", json.dumps(document).encode())
    assert resources is not None
    return tuple(check_resources(resources.found, CATALOG))


def test_the_size_of_a_new_slice_is_checked_although_terraform_computes_another_size() -> None:
    """Terraform plans ``initial_node_count`` as unknown if the configuration sets ``node_count``."""
    unknown = {"initial_node_count": True}
    assert planned(NODE_POOL, None, SLICE, after_unknown=unknown) == ()
    findings = planned(NODE_POOL, None, changed(SLICE, {"nodeCount": 3}), after_unknown=unknown)
    assert ids(findings) == {"TPU462"}


@pytest.mark.parametrize("actions", [["delete", "create"], ["create", "delete"]])
def test_a_topology_is_applied_if_the_plan_replaces_the_pool(actions: list[str]) -> None:
    after = changed(SLICE, {"placementPolicy.tpuTopology": "4x8", "nodeCount": 8})
    assert ids(planned(NODE_POOL, SLICE, after, actions=["update"])) == {"TPU168"}
    assert planned(NODE_POOL, SLICE, after, actions=actions) == ()


def test_pools_that_the_provider_reads_into_a_cluster_are_not_checked_there() -> None:
    read = {**REGIONAL, "nodePools": [{**HOSTS, "initialNodeCount": 2}]}
    assert ids(planned(CLUSTER, None, read, actions=["create"])) == {"TPU466", "TPU541"}
    assert planned(CLUSTER, read, read, actions=["no-op"]) == ()
    assert planned(CLUSTER, read, {**read, "description": "other"}, actions=["update"]) == ()


def test_types_that_are_not_read_are_counted(gke_tpu: Any, tmp_path: pathlib.Path) -> None:
    document = json.loads(terraform_plan([(NODE_POOL, "main", SLICE)]))
    document["resource_changes"].append({"mode": "managed", "type": "google_sql_user", "address": "x", "change": {}})
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(document))
    result = gke_tpu("check", path)
    assert result.code == 0
    shown = " ".join(result.out.split())
    assert f"read: 1 node pool not read: {path}: 1 resource of other types (google_sql_user)" in shown


@pytest.mark.parametrize("write", PLACES)
def test_a_file_that_ends_too_early_is_one_error(gke_tpu: Any, write: Write, tmp_path: pathlib.Path) -> None:
    content = write([(NODE_POOL, "main", SLICE), (CLUSTER, "train", REGIONAL)])
    for length in range(len(content) // 3, len(content), len(content) // 7):
        path = tmp_path / "fleet.json"
        path.write_bytes(content[:length])
        result = gke_tpu("check", path)
        assert result.code == 1
        assert "TPU00" in result.out


TRAINING = pathlib.Path(__file__).parents[3] / "docs" / "examples" / "training.yaml"


@pytest.mark.parametrize("write", PLACES)
def test_manifests_are_compared_with_the_node_pools_of_the_other_files(
    gke_tpu: Any, write: Write, tmp_path: pathlib.Path
) -> None:
    """The JobSet of the example needs two slices of v6e 4x4."""
    files = {"one": [SLICE], "two": [SLICE, {**SLICE, "name": "pretrain-1"}], "other": [HOSTS]}
    found = {}
    for name, pools in files.items():
        path = tmp_path / f"{name}.json"
        cluster = (CLUSTER, "train", {**REGIONAL, "name": "train"})
        path.write_bytes(write([cluster, *((NODE_POOL, pool["name"], pool) for pool in pools)]))
        run = gke_tpu("check", path, TRAINING, "--format", "json")
        found[name] = {each["rule"] for each in json.loads(run.out)["findings"] if each["severity"] == "error"}
        assert "the plan" not in run.out
    assert found == {"one": {"TPU382"}, "two": set(), "other": {"TPU790"}}


INVENTORY = """
version: 1
as_of: 2026-11-20
reservations:
  - {name: v6e-pretrain, project: acme-ml, zone: us-east5-b, machine_type: ct6e-standard-4t, vms: 8}
"""


@pytest.mark.parametrize("write", PLACES)
def test_the_sums_of_all_files_fit_the_inventory(gke_tpu: Any, write: Write, tmp_path: pathlib.Path) -> None:
    affinity = {
        "consumeReservationType": "SPECIFIC_RESERVATION",
        "key": "compute.googleapis.com/reservation-name",
        "values": ["v6e-pretrain"],
    }
    pool = changed(SLICE, {"nodeConfig.reservationAffinity": affinity})
    (tmp_path / "inventory.yaml").write_text(INVENTORY)
    found = []
    for number in range(3):
        path = tmp_path / f"pool-{number}.json"
        path.write_bytes(write([(NODE_POOL, f"main-{number}", {**pool, "name": f"pretrain-{number}"})]))
        files = sorted(tmp_path.glob("pool-*.json"))
        run = gke_tpu(
            "check", *files, "--inventory", tmp_path / "inventory.yaml", "--format", "json", "--today", "2026-11-20"
        )
        found.append([each["rule"] for each in json.loads(run.out)["findings"] if each["severity"] == "error"])
    assert found[:2] == [[], []]
    assert found[2]


def test_a_stored_state_names_the_command_that_reads_it(gke_tpu: Any, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "terraform.tfstate.json"
    path.write_text(json.dumps({"version": 4, "terraform_version": "1.9.0", "serial": 1, "resources": []}))
    result = gke_tpu("check", path)
    assert result.code == 1
    assert "`terraform show -json`" in " ".join(result.out.split())


@pytest.mark.parametrize("write", PLACES)
@pytest.mark.parametrize(
    ("kind", "expected"), [("nvidia-l4", set()), ("nvidia-h100-80gb", set()), ("nvidea", {"TPU221"})]
)
def test_limits_of_gpus_are_not_those_of_unknown_tpus(write: Write, kind: str, expected: set[str]) -> None:
    limits = [{"resourceType": name, "maximum": 1000} for name in ("cpu", "memory", kind)]
    cluster = {**REGIONAL, "clusterAutoscaling": {"enabled": True, "resourceLimits": limits}}
    assert ids(found_in(write, (CLUSTER, "train", cluster))) == expected
