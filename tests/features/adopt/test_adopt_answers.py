"""Answers of GKE that differ from those of the fleets in a property: what the plan says of it."""

import copy
import json
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from support.each import each
from support.fleets import Fleet, adoptions, as_json, fleets
from support.sampling import sample

from pulumi_gke_tpu.core.against_plan.places import resources_by_place
from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.graph.builders.standard import fleet_graph
from pulumi_gke_tpu.core.graph.resource_types import NODE_POOL
from pulumi_gke_tpu.core.graph.semantics import Semantics
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.resources.read import ResourceReader
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.document.model import Bullets
from pulumi_gke_tpu.core.text.findings import Severity
from pulumi_gke_tpu.features.adopt.adoption import AdoptedPool, Adoption, adopt_fleets
from pulumi_gke_tpu.features.adopt.output.document import adoption_page

BY_NAME = {fleet.name: fleet for fleet in fleets()}
Change = Callable[[Any], object]


def adopted(answer: Any) -> Adoption:
    """The adoption of an answer with one project."""
    catalog = read_catalog()
    found = ResourceReader(catalog).read("answer.json", json.dumps(answer).encode())
    assert found is not None
    (adoption,) = adopt_fleets(found.found, catalog)
    return adoption


def cluster(name: str = "gcloud_cluster", **changes: Any) -> Any:
    """The answer of a fleet with other properties of the cluster."""
    return {**copy.deepcopy(as_json(BY_NAME[name])), **changes}


def shuffled(value: Any, order: random.Random) -> Any:
    if isinstance(value, list):
        return [shuffled(item, order) for item in value]
    if isinstance(value, dict):
        keys = order.sample(sorted(value), len(value))
        return {key: shuffled(value[key], order) for key in keys}
    return value


@each("fleet", sample([fleet for fleet in fleets() if not fleet.recording], 8), lambda fleet: fleet.name)
def test_the_order_of_keys_in_a_source_has_no_meaning(fleet: Fleet) -> None:
    plans = [adoption.plan for adoption in adoptions(fleet)]
    for seed in range(3):
        assert [adopted(shuffled(as_json(fleet), random.Random(seed))).plan] == plans


HOST = "projects/host/global/networks/shared"
OF_HOST = "projects/host/regions/us-east5/subnetworks/tpus"


@pytest.mark.parametrize("first", ["network", "networkConfig"])
@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (
            {"network": HOST, "subnetwork": OF_HOST},
            {"network": HOST, "subnetwork": OF_HOST},
        ),
        (
            {"network": "projects/acme-ml/global/networks/shared", "subnetwork": OF_HOST.replace("host", "acme-ml")},
            {"network": "shared", "subnetwork": "tpus"},
        ),
        ({}, {"network": "shared", "subnetwork": "tpus"}),
    ],
    ids=["shared VPC", "own network", "names only"],
)
def test_the_path_of_a_network_wins_over_its_name(first: str, paths: Any, expected: Any) -> None:
    answer = cluster(network="shared", subnetwork="tpus")
    answer["networkConfig"] = {"datapathProvider": "ADVANCED_DATAPATH", **paths}
    answer = {first: answer.pop(first), **answer}
    assert adopted(answer).plan["clusters"]["training"]["network"] == expected


@pytest.mark.parametrize(
    "policy",
    [
        {"provider": "PROVIDER_UNSPECIFIED"},
        {"enabled": False, "provider": "PROVIDER_UNSPECIFIED"},
        {"provider": ""},
        {},
    ],
    ids=["answer", "state", "empty", "block"],
)
def test_a_network_policy_that_is_off_is_not_in_the_plan(policy: Any) -> None:
    assert "extra" not in adopted(cluster(networkPolicy=policy)).plan["clusters"]["training"]
    on = {"enabled": True, "provider": "CALICO"}
    assert adopted(cluster(networkPolicy=on)).plan["clusters"]["training"]["extra"] == {"networkPolicy": on}


def test_what_several_node_pools_have_in_common_is_one_line() -> None:
    (_, stays, *_) = adoption_page(adoptions(BY_NAME["toolkit_v6e_static"]), ()).blocks
    assert isinstance(stays, Bullets)
    assert [line.partition(": ")[0] for line in stays.entries] == ["v6e-pool-0 and v6e-pool-1"]


SETTINGS: dict[str, Any] = {
    "sysctls": {
        "linuxNodeConfig": {"sysctls": {"net.core.somaxconn": "4096", "net.ipv4.tcp_rmem": "4096 87380 16777216"}}
    },
    "huge pages": {"linuxNodeConfig": {"hugepages": {"hugepageSize2m": 1024}}},
    "control groups": {"linuxNodeConfig": {"cgroupMode": "CGROUP_MODE_V1"}},
    "CPU manager": {"kubeletConfig": {"cpuManagerPolicy": "static", "insecureKubeletReadonlyPortEnabled": False}},
    "processes": {"kubeletConfig": {"podPidsLimit": "4096"}},
    "CPU platform": {"minCpuPlatform": "Intel Ice Lake"},
    "logging": {"loggingConfig": {"variantConfig": {"variant": "MAX_THROUGHPUT"}}},
    "taint": {"taints": [{"key": "team", "value": "a", "effect": "NO_SCHEDULE"}]},
}
SECRET = {"metadata": {"disable-legacy-endpoints": "true", "startup-script": "export TOKEN=hunter2"}}
ASSIGNED = ("cluster", "name", "initialNodeCount", *read_catalog().platform.imports.assigned)


def with_config(config: Any, name: str, pool: str) -> Any:
    """The answer of a fleet in which a node pool has more settings."""
    answer = cluster(name)
    (found,) = [item for item in answer["nodePools"] if item["name"] == pool]
    found["config"] |= config
    return answer


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and value:
        for name, inner in value.items():
            yield from leaves(inner, f"{path}.{name}" if path else name)
    elif isinstance(value, list) and value:
        own = [item for item in value if not (isinstance(item, dict) and item.get("key") == "google.com/tpu")]
        yield from ((path, own) for _ in own[:1])
    elif value not in (None, {}, [], "", False, 0):
        yield path, value


def as_text(value: Any) -> str:
    return json.dumps(value, sort_keys=True).replace('"', "").lower()


def not_in(sent: Any, pool: AdoptedPool) -> dict[str, Any]:
    """What the node pool has and a new one would not, beside what the adoption names."""
    semantics = Semantics(read_catalog().provider, NODE_POOL, read_catalog().disks.families)
    usual = {**dict(leaves(semantics.untouched(pool.pool.values))), **dict(leaves(sent))}
    named = (*pool.left, *pool.lost, *ASSIGNED)
    return {
        path: value
        for path, value in leaves(dict(pool.pool.values))
        if as_text(usual.get(path)) != as_text(value) and not path.startswith(named)
    }


@pytest.mark.parametrize(
    ("name", "pool"), [("gcloud_cluster", "train-0"), ("gcloud_cluster", "default-pool"), ("gcloud_v6e", "sweep")]
)
@pytest.mark.parametrize("setting", SETTINGS)
def test_a_replacement_keeps_what_the_node_pool_has(setting: str, name: str, pool: str) -> None:
    adoption = adopted(with_config(SETTINGS[setting], name, pool))
    assert adoption.graph is not None
    sent = {place[2]: item.inputs for place, item in resources_by_place(adoption.graph).items()}
    assert [not_in(sent[item.pool.name], item) for item in adoption.pools] == [{}] * len(adoption.pools)
    (found,) = [item for item in adoption.pools if item.pool.name == pool]
    assert found.lost == ()


@pytest.mark.parametrize(
    ("setting", "lost"),
    [
        (SECRET, ("nodeConfig.metadata",)),
        ({"gcfsConfig": {"enabled": True}}, ()),
    ],
    ids=["startup script", "key"],
)
def test_what_a_replacement_loses_is_named(setting: Any, lost: tuple[str, ...]) -> None:
    adoption = adopted(with_config(setting, "gcloud_cluster", "train-0"))
    assert adoption.graph is not None
    (found,) = [item for item in adoption.pools if item.pool.name == "train-0"]
    assert found.lost == lost
    shown = [
        entry for block in adoption_page([adoption], ()).blocks if isinstance(block, Bullets) for entry in block.entries
    ]
    assert [f"train-0: {path}" in shown for path in lost] == [True for _ in lost]


def test_a_node_pool_in_a_state_of_terraform_has_its_own_taints() -> None:
    state = as_json(BY_NAME["terraform_import"])
    for item in state["values"]["root_module"]["resources"]:
        config = item["values"]["node_config"][0]
        assert config["taint"] == []
        config["effective_taints"].append({"key": "team", "value": "a", "effect": "NO_SCHEDULE"})
    slices = adopted(state).plan["clusters"]["training"]["slices"]
    assert [group["taints"] for group in slices.values()] == [
        [{"key": "team", "value": "a", "effect": "NO_SCHEDULE"}]
    ] * 2


def pool_of(adoption: Adoption, name: str) -> Any:
    """The entry of a node pool in the plan, or why it is left alone."""
    found = {item.pool.name: item.reason for item in adoption.alone}
    for plan in adoption.plan["clusters"].values():
        found |= {**plan.get("slices", {}), **plan.get("cpu_pools", {})}
    return found[name]


def changed(name: str, pool: str, change: Change) -> Adoption:
    answer = cluster(name)
    (found,) = [item for item in answer["nodePools"] if item["name"] == pool]
    change(found)
    return adopted(answer)


def until_end_of_support(pool: Any) -> None:
    times = {"startTime": "2026-01-01T00:00:00Z", "endTime": "2027-06-01T00:00:00Z"}
    pool["maintenancePolicy"] = {"exclusionUntilEndOfSupport": {"enabled": True, **times}}


@pytest.mark.parametrize(
    ("name", "pool", "entry"), [("gcloud_v6e", "sweep", "sweep"), ("gcloud_cluster", "train-0", "train")]
)
def test_no_upgrades_until_the_end_of_support_is_a_key_that_pulumi_does_not_compare(
    name: str, pool: str, entry: str
) -> None:
    adoption = changed(name, pool, until_end_of_support)
    assert pool_of(adoption, entry)["maintenance"] == {"end_of_support": True}
    assert adoption.graph is not None
    (found,) = [item for place, item in resources_by_place(adoption.graph).items() if place[2] == pool]
    assert "maintenancePolicies" in found.options.ignore_changes
    assert found.inputs["maintenancePolicies"] == [{"exclusionUntilEndOfSupports": [{"enabled": True}]}]


def test_no_upgrades_of_a_node_pool_without_tpus_are_lost_with_it() -> None:
    adoption = changed("gcloud_cluster", "default-pool", until_end_of_support)
    assert [item.lost for item in adoption.pools] == [(), ("maintenancePolicies",)]


def spot(pool: Any) -> None:
    pool["config"]["maxRunDuration"] = "604800s"


def queued(pool: Any) -> None:
    pool["config"] = {**pool["config"], "spot": False, "maxRunDuration": "604800s"}
    pool["queuedProvisioning"] = {"enabled": True}


def queued_flex_start(pool: Any) -> None:
    queued(pool)
    pool["config"]["flexStart"] = True


@each("change", [spot, queued, queued_flex_start], lambda change: change.__name__)
def test_a_run_duration_that_no_key_describes_leaves_the_node_pool_alone(change: Change) -> None:
    reason = pool_of(changed("gcloud_v6e", "sweep", change), "sweep")
    assert reason.startswith("its nodes have a maximum run duration, ")


def test_a_run_duration_of_a_node_pool_without_tpus_is_extra() -> None:
    entry = pool_of(changed("gcloud_cluster", "default-pool", spot), "default-pool")
    assert entry["extra"] == {"nodeConfig": {"maxRunDuration": "604800s"}}


def test_a_single_host_with_a_workload_policy_is_left_alone() -> None:
    def single(pool: Any) -> None:
        pool["initialNodeCount"] = 1
        pool["placementPolicy"] = {"policyName": "cubes", "tpuTopology": "2x2x1"}

    (name,) = [item["name"] for item in cluster("toolkit_ironwood")["nodePools"]]
    assert pool_of(changed("toolkit_ironwood", name, single), name) == (
        "its single host has a workload policy, which no key describes"
    )


OF_CUBE = {
    "machineType": "tpu7x-standard-4t",
    "reservationAffinity": {
        "consumeReservationType": "SPECIFIC_RESERVATION",
        "key": "compute.googleapis.com/reservation-name",
        "values": ["ironwood/reservationBlocks/block-1"],
    },
}
"""The configuration of the nodes of a cube."""


@pytest.mark.parametrize(("nodes", "notes"), [(16, 0), (12, 1), (17, 1)])
def test_a_cube_with_another_number_of_nodes_has_a_note(nodes: int, notes: int) -> None:
    def cube(pool: Any) -> None:
        pool["initialNodeCount"] = nodes
        pool["placementPolicy"] = {"policyName": "cubes"}
        pool["config"] |= OF_CUBE

    (name,) = [item["name"] for item in cluster("toolkit_ironwood")["nodePools"]]
    adoption = changed("toolkit_ironwood", name, cube)
    assert pool_of(adoption, name)["slicing"] == "dynamic"
    (pool,) = adoption.pools
    found = [note for note in pool.notes if note.startswith(f"It was created with {nodes} nodes, and a cube has 16")]
    assert len(found) == notes


@pytest.mark.parametrize(("switch", "cubes", "notes"), [
    (None, True, 1), ({}, True, 1), ({"enabled": False}, True, 1), ({"enabled": True}, True, 0), (None, False, 0),
])  # fmt: skip
def test_a_cluster_with_cubes_that_lacks_the_slice_controller_has_a_note(switch: Any, cubes: bool, notes: int) -> None:
    answer = cluster("toolkit_ironwood")
    (pool,) = answer["nodePools"]
    if cubes:
        pool["initialNodeCount"] = 16
        pool["placementPolicy"] = {"policyName": "cubes"}
        pool["config"] |= OF_CUBE
    answer["addonsConfig"] |= {"sliceControllerConfig": switch} if switch is not None else {}
    (found,) = adopted(answer).clusters
    command = f"gcloud container clusters update {answer['name']} --enable-slice-controller"
    assert len([note for note in found.notes if command in note]) == notes


@pytest.mark.parametrize(("topology", "mode", "shape"), [
    ("4x4x4", "PROVISION_ONLY", {"slicing": "dynamic"}),
    ("4x4x4", "AUTO_CONNECT", {"topology": "4x4x4"}),
    ("4x4x4", "", {"topology": "4x4x4"}),
    ("", "PROVISION_ONLY", {"slicing": "dynamic"}),
])  # fmt: skip
def test_the_answer_of_a_workload_policy_tells_cubes_from_slices(topology: str, mode: str, shape: Any) -> None:
    """Without it, a note names the command, since GKE answers the topology of a cube, too."""
    answer = cluster("toolkit_ironwood")
    (pool,) = answer["nodePools"]
    pool["initialNodeCount"] = 16
    pool["placementPolicy"] = {"policyName": "cubes", **({"tpuTopology": topology} if topology else {})}
    pool["config"] |= OF_CUBE
    region = answer["location"] if answer["location"].count("-") == 1 else answer["location"].rpartition("-")[0]
    workload = {"type": "HIGH_THROUGHPUT", "acceleratorTopology": "4x4x4", "acceleratorTopologyMode": mode}
    policy = {
        "kind": "compute#resourcePolicy",
        "name": "cubes",
        "selfLink": f"https://www.googleapis.com/compute/v1/projects/acme-ml/regions/{region}/resourcePolicies/cubes",
        "workloadPolicy": {key: value for key, value in workload.items() if value},
    }
    (found,) = adopted([answer, policy]).pools
    entry = pool_of(adopted([answer, policy]), pool["name"])
    assert {key: entry[key] for key in ("slicing", "topology") if key in entry} == shape
    assert not [note for note in found.notes if "resource-policies describe cubes" in note]
    (alone,) = adopted(answer).pools
    assert len([note for note in alone.notes if "resource-policies describe cubes" in note]) == 1


# Maintenance exclusions

TIMES = {"startTime": "2026-12-20T00:00:00Z", "endTime": "2027-01-04T00:00:00Z"}
WEEKLY = {
    "window": {"startTime": "2026-01-03T02:00:00Z", "endTime": "2026-01-03T12:00:00Z"},
    "recurrence": "FREQ=WEEKLY;BYDAY=SA,SU",
}
UNTIL_END = {"scope": "NO_MINOR_UPGRADES", "endTimeBehavior": "UNTIL_END_OF_SUPPORT"}


def with_exclusion(window: Any, **options: Any) -> dict[str, Any]:
    """The keys of a cluster with a maintenance window and one exclusion."""
    exclusions = {"holidays": {**TIMES, **options}}
    policy = {"window": {**window, "maintenanceExclusions": exclusions}}
    adoption = adopted(cluster(maintenancePolicy=policy))
    assert adoption.clusters_alone == ()
    found: dict[str, Any] = adoption.plan["clusters"]["training"]
    return found


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, {"end": TIMES["endTime"], "scope": "no_upgrades"}),
        ({"scope": "NO_UPGRADES"}, {"end": TIMES["endTime"], "scope": "no_upgrades"}),
        ({"scope": "NO_MINOR_UPGRADES"}, {"end": TIMES["endTime"], "scope": "no_minor_upgrades"}),
        (UNTIL_END, {"end": "end_of_support", "scope": "no_minor_upgrades"}),
    ],
    ids=["GKE's form of all upgrades", "all upgrades", "minor upgrades", "until the end of support"],
)
def test_an_exclusion_beside_a_recurring_window_is_a_key(options: Any, expected: Any) -> None:
    keys = with_exclusion({"recurringWindow": WEEKLY}, maintenanceExclusionOptions=options)
    assert keys["maintenance"]["exclusions"] == {"holidays": {"start": TIMES["startTime"], **expected}}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, {"scope": "NO_UPGRADES"}),
        ({"scope": "NO_MINOR_OR_NODE_UPGRADES"}, {"scope": "NO_MINOR_OR_NODE_UPGRADES"}),
        (UNTIL_END, UNTIL_END),
    ],
    ids=["GKE's form of all upgrades", "node upgrades", "until the end of support"],
)
def test_an_exclusion_beside_a_daily_window_has_a_scope_in_extra(options: Any, expected: Any) -> None:
    daily = {"dailyMaintenanceWindow": {"startTime": "03:00", "duration": "PT4H0M0S"}}
    keys = with_exclusion(daily, maintenanceExclusionOptions=options)
    (exclusion,) = keys["extra"]["maintenancePolicy"]["maintenanceExclusions"]
    assert exclusion["exclusionOptions"] == expected
    assert ("endTime" in exclusion) == ("endTimeBehavior" not in options)


@pytest.mark.parametrize("window", [{"recurringWindow": WEEKLY}, {"dailyMaintenanceWindow": {"startTime": "03:00"}}])
def test_an_exclusion_without_options_is_in_extra(window: Any) -> None:
    (exclusion,) = with_exclusion(window)["extra"]["maintenancePolicy"]["maintenanceExclusions"]
    assert exclusion == {"exclusionName": "holidays", **TIMES}


def resized(pool: Any) -> None:
    """Two nodes at creation in each zone; the answer has nothing else."""
    pool |= {"initialNodeCount": 2, "locations": ["us-east5-a", "us-east5-b"], "autoscaling": {"enabled": False}}


SINGLE_HOSTS = ("gcloud_v6e", "sweep")
CPU_POOL = ("gcloud_cluster", "default-pool")


@pytest.mark.parametrize(("name", "pool"), [SINGLE_HOSTS, CPU_POOL])
def test_a_node_pool_keeps_its_nodes_if_the_source_has_only_their_number_at_creation(name: str, pool: str) -> None:
    adoption = changed(name, pool, resized)
    entry = pool_of(adoption, pool)
    assert (entry["adopted"]["nodes"], {"count", "nodes"} & entry.keys()) == (4, set())
    assert adoption.graph is not None
    (found,) = [item for place, item in resources_by_place(adoption.graph).items() if place[2] == pool]
    assert "nodeCount" in found.options.ignore_changes
    assert found.inputs["nodeCount"] == 2


@pytest.mark.parametrize(("name", "pool", "key"), [(*SINGLE_HOSTS, "count"), (*CPU_POOL, "nodes")])
def test_a_number_of_nodes_in_the_plan_is_sent(name: str, pool: str, key: str) -> None:
    plan = changed(name, pool, resized).plan
    (entry,) = [
        section[pool]
        for section in plan["clusters"]["training"].values()
        if isinstance(section, dict) and pool in section
    ]
    entry[key] = 6
    checked = check_plan(parse_plan(plan), read_catalog())
    assert checked.fleet is not None
    graph = fleet_graph(plan, checked.fleet, read_catalog())
    (found,) = [item for place, item in resources_by_place(graph).items() if place[2] == pool]
    assert "nodeCount" not in found.options.ignore_changes
    assert found.inputs["nodeCount"] == 3


def test_a_state_of_terraform_has_the_present_number_of_nodes() -> None:
    (adoption,) = adoptions(BY_NAME["terraform_pools"])
    hosts = pool_of(adoption, "hosts")
    assert hosts["count"] == 2
    assert "nodes" not in hosts["adopted"]


# What the console adds

CONSOLE: dict[str, Change] = {
    "queuedProvisioning": lambda pool: pool.update(queuedProvisioning={}),
    "placementPolicy": lambda pool: pool.setdefault("placementPolicy", {}),
    "nodeConfig.ephemeralStorageLocalSsdConfig": lambda pool: pool["config"].update(ephemeralStorageLocalSsdConfig={}),
    "nodeConfig.localNvmeSsdBlockConfig": lambda pool: pool["config"].update(localNvmeSsdBlockConfig={}),
    "nodeConfig.advancedMachineFeatures": lambda pool: pool["config"].setdefault(
        "advancedMachineFeatures", {"enableNestedVirtualization": False}
    ),
}
"""Block -> what it is in an answer about a node pool that does not use it."""


@pytest.mark.parametrize(("name", "pool"), [("gcloud_cluster", "default-pool"), ("gcloud_v6e", "sweep")])
@pytest.mark.parametrize("block", CONSOLE)
def test_a_block_that_the_console_adds_stays_as_it_is(block: str, name: str, pool: str) -> None:
    adoption = changed(name, pool, CONSOLE[block])
    assert adoption.graph is not None
    (found,) = [item for item in adoption.pools if item.pool.name == pool]
    assert (block in found.left, found.lost) == (True, ())
    assert block not in str(pool_of(adoption, pool))
    (resource,) = [item for place, item in resources_by_place(adoption.graph).items() if place[2] == pool]
    assert block in resource.options.ignore_changes


@pytest.mark.parametrize("block", CONSOLE)
def test_the_proof_needs_every_block_to_be_ignored(block: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without its entry, the node pool is left alone: "0 changes" would be wrong."""
    catalog = read_catalog()
    others = {name: tuple(item for item in items if item.path != block) for name, items in catalog.gke_adds.items()}
    monkeypatch.setitem(catalog.__dict__, "gke_adds", others)
    assert block in pool_of(changed("gcloud_cluster", "default-pool", CONSOLE[block]), "default-pool")


def test_an_empty_block_that_nothing_ignores_leaves_the_node_pool_alone() -> None:
    adoption = changed("gcloud_v6e", "sweep", lambda pool: pool["config"].update(fastSocket={}))
    assert pool_of(adoption, "sweep") == "its block nodeConfig.fastSocket is empty, which no plan describes"


@pytest.mark.parametrize(("threads", "lost"), [("1", []), ("2", ["threadsPerCore"])])
def test_threads_that_gke_sets_itself_on_tpu_nodes_are_not_lost(threads: str, lost: list[str]) -> None:
    features = {"threadsPerCore": threads}
    adoption = changed("gcloud_v6e", "sweep", lambda pool: pool["config"].update(advancedMachineFeatures=features))
    (found,) = [item for item in adoption.pools if item.pool.name == "sweep"]
    assert [path.rpartition(".")[2] for path in found.lost] == lost
    assert "advancedMachineFeatures" not in str(pool_of(adoption, "sweep"))


def test_an_empty_sandbox_counts_as_absent() -> None:
    adoption = changed("gcloud_v6e", "sweep", lambda pool: pool["config"].update(sandboxConfig={}))
    assert [item.pool.name for item in adoption.pools] == ["reserved", "sweep"]


@pytest.mark.parametrize(
    "swap",
    [
        {"enabled": False},
        {"enabled": True, "bootDiskProfile": {"swapSizePercent": 10}},
        {"enabled": True, "ephemeralLocalSsdProfile": {"swapSizeGib": 10}},
    ],
    ids=["off", "boot disk", "local disk"],
)
def test_settings_that_are_kept_state_the_rest_of_their_block(swap: Any) -> None:
    def change(pool: Any) -> None:
        pool["config"]["linuxNodeConfig"] = {"cgroupMode": "CGROUP_MODE_V2", "swapConfig": swap}

    entry = pool_of(changed("gcloud_cluster", "default-pool", change), "default-pool")
    assert entry["extra"]["nodeConfig"]["linuxNodeConfig"]["swapConfig"] == swap


def test_a_setting_that_cannot_be_kept_does_not_leave_the_node_pool_alone() -> None:
    def change(pool: Any) -> None:
        script = {"initScript": {"gcsUri": "gs://acme/init.sh"}}
        pool["config"]["linuxNodeConfig"] = {"cgroupMode": "CGROUP_MODE_V2", "customNodeInit": script}

    adoption = changed("gcloud_cluster", "default-pool", change)
    (found,) = [item for item in adoption.pools if item.pool.name == "default-pool"]
    assert {path.rpartition(".")[2] for path in found.lost} == {"cgroupMode", "gcsUri"}


def of_account(email: Any) -> Any:
    answer = cluster()
    for pool in answer["nodePools"]:
        pool["config"]["serviceAccount"] = email
    return answer


@each(
    "answer",
    [
        *(cluster(releaseChannel={"channel": value}) for value in ("FOO", "RAPID\nx", 3)),
        *(cluster(currentMasterVersion=value) for value in ("FOO", "1.34\n", "v1.34.1-gke.1")),
        *(cluster(location=value) for value in ("FOO", "us east5", "us-east5\n")),
        *(of_account(value) for value in ("FOO", "a@b\nc", 3)),
    ],
)
def test_a_broken_value_of_a_cluster_is_in_no_plan(answer: Any) -> None:
    adoption = adopted(answer)
    assert [item for item in adoption.warnings if item.severity is Severity.ERROR] == []
    assert [item.name for item in adoption.clusters_alone] == ["training"]
    (reason,) = [item.reason for item in adoption.clusters_alone]
    assert reason.startswith("TPU")
    assert not check_plan(parse_plan(adoption.plan), read_catalog()).has_errors or adoption.graph is None


@pytest.mark.parametrize("channel", [None, {}, {"channel": ""}], ids=["absent", "empty", "without a value"])
def test_a_cluster_without_a_release_channel_has_the_channel_none(channel: Any) -> None:
    answer = cluster()
    del answer["releaseChannel"]
    adoption = adopted(answer | ({} if channel is None else {"releaseChannel": channel}))
    assert adoption.plan["clusters"]["training"]["release_channel"] == "none"
    assert (len(adoption.clusters), len(adoption.pools)) == (1, 2)


@pytest.mark.parametrize("least", [(0, 0), (10, 0), (10, 100)])
@pytest.mark.parametrize("profile", ["BALANCED", "OPTIMIZE_UTILIZATION"])
def test_auto_provisioning_that_no_key_says_stays_as_it_is(least: tuple[int, int], profile: str) -> None:
    limits = zip(("cpu", "memory"), least, ("100", "1000"), strict=True)
    scaling = {
        "enableNodeAutoprovisioning": True,
        "autoscalingProfile": profile,
        "resourceLimits": [
            {"resourceType": kind, "maximum": most, **({"minimum": str(few)} if few else {})}
            for kind, few, most in limits
        ],
    }
    adoption = adopted(cluster(autoscaling=scaling))
    assert adoption.clusters_alone == ()
    keys = adoption.plan["clusters"]["training"]
    assert ("autoprovisioning" in keys) == (not any(least) and profile == "BALANCED")


@pytest.mark.parametrize("block", ["fleet", "dnsConfig", "networkPerformanceConfig"])
def test_an_empty_block_of_a_cluster_that_nothing_ignores_leaves_the_cluster_alone(block: str) -> None:
    answer = cluster()
    (answer if block == "fleet" else answer["networkConfig"])[block] = {}
    (found,) = adopted(answer).clusters_alone
    assert found.reason == f"its block {block} is empty, which no plan describes"


@pytest.mark.parametrize("block", ["userManagedKeysConfig", "binaryAuthorization", "secretManagerConfig", "autopilot"])
def test_empty_blocks_of_every_cluster_say_nothing(block: str) -> None:
    adoption = adopted(cluster(**{block: {}}))
    assert (adoption.clusters_alone, "extra" in adoption.plan["clusters"]["training"]) == ((), False)
