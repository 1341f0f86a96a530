"""TPU node pools: what each key of a slice group sends, and the options of the registration."""

import dataclasses
import pathlib
from typing import Any

import pytest
import yaml
from support.each import each
from support.plans import NODE_POOL, POLICY, difference, fleet
from support.recording import UNKNOWN, Recording, Registration, record

from pulumi_gke_tpu import TpuFleet
from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.provider import PropertyChange
from pulumi_gke_tpu.core.catalog.shipped import catalog_folder
from pulumi_gke_tpu.core.plan import SliceGroupSpec
from pulumi_gke_tpu.core.plan.copied import copied_keys

BASES = {
    "multi": "{tpu: v6e, topology: 4x4, zone: us-east5-b}",
    "single": "{tpu: v6e, topology: 2x2, zone: us-east5-b}",
    "single8": "{tpu: v6e, topology: 2x4, chips_per_host: 8, zone: us-east5-b}",
    "ironwood": "{tpu: tpu7x, topology: 4x4x4, zone: us-central1-c, capacity: {reservation: {name: ours, block: a}}}",
    "cube": "{tpu: v5p, topology: 4x4x4, zone: us-east5-a}",
}
NODES = "nodeConfig"
CASES: dict[str, dict[str, Any]] = yaml.safe_load(
    (pathlib.Path(__file__).parent / "data" / "node_pool_cases.yaml").read_text(encoding="utf-8")
)


def merged(case: dict[str, Any]) -> dict[str, Any]:
    """A case's group as plain data."""
    group = {**yaml.safe_load(BASES[case["from"]]), **case["plan"]}
    return {key: value for key, value in group.items() if value is not None}


def registered(slices: dict[str, Any]) -> Recording:
    """Groups, each in the cluster of its region."""
    regions = {"east": "us-east5", "central": "us-central1"}
    clusters = {
        name: {
            "mode": "standard",
            "location": region,
            "slices": {key: group for key, group in slices.items() if region in str(group.get("zone", "us-east5"))},
        }
        for name, region in regions.items()
    }
    return fleet(yaml.safe_dump({"clusters": clusters}))


@pytest.fixture(scope="module")
def recording() -> Recording:
    """All cases as groups of one cluster, and the groups that they start from."""
    slices = {name: yaml.safe_load(body) for name, body in BASES.items()}
    slices |= {name: merged(case) for name, case in CASES.items()}
    return registered(slices)


def pools(recording: Recording, group: str) -> list[Registration]:
    return [pool for pool in recording.of_type(NODE_POOL) if pool.name.split("/")[1] == group]


@pytest.mark.parametrize("name", CASES)
def test_a_key_changes_these_properties_and_no_others(recording: Recording, name: str) -> None:
    """Each case is registered separately, so that only its own tests execute what it needs."""
    (before,), found = pools(recording, CASES[name]["from"]), pools(registered({name: merged(CASES[name])}), name)
    assert found
    for pool in found:
        differing = difference(before.inputs, pool.inputs)
        assert differing.pop("name").startswith(("other", name))
        assert differing == CASES[name]["sends"]


def test_every_key_of_a_group_has_a_case() -> None:
    written = {key for case in CASES.values() for key in merged(case)}
    copied = {item.key for item in copied_keys(SliceGroupSpec)}  # tests/core/graph/test_keys.py has them
    assert set(SliceGroupSpec.model_fields) - copied <= written | {"fallback"} <= set(SliceGroupSpec.model_fields)


@pytest.mark.parametrize("base", BASES)
def test_a_group_with_fallback_has_no_node_pools(base: str) -> None:
    group = yaml.safe_load(BASES[base])
    both = registered({"with": group | {"fallback": ["spot"]}, "without": group})
    assert [pool.name for pool in both.of_type(NODE_POOL) if pool.name.startswith("east/with/")] == []
    assert pools(both, "without")


def test_a_group_with_fallback_keeps_the_workload_policy_that_its_compute_class_names() -> None:
    cube = "tpu: tpu7x, topology: 4x4x4, zone: us-central1-c, capacity: {reservation: cubes}"
    text = f"clusters: {{a: {{mode: standard, location: us-central1, slices: {{cube: {{{cube}MORE}}}}}}}}"
    (before,), (after,) = (fleet(text.replace("MORE", more)).of_type(POLICY) for more in ("", ", fallback: [spot]"))
    assert (before.urn, before.inputs) == (after.urn, after.inputs)


def test_node_pools_leave_the_run_duration_of_queued_slices_to_the_workloads() -> None:
    group = "tpu: v6e, topology: 4x4, zone: us-east5-b, capacity: {flex_start: {queued: QUEUED, max_run_duration: 3d}}"
    workloads = "kubernetes: {queues: {q: {}}, workloads: {run: {slices: batch, image: run, queue: q}}}"
    text = f"clusters: {{a: {{mode: standard, location: us-east5, slices: {{batch: {{{group}}}}}, {workloads}}}}}"
    sent = {
        queued: fleet(text.replace("QUEUED", queued)).of_type(NODE_POOL)[-1].inputs["nodeConfig"].get("maxRunDuration")
        for queued in ("true", "false")
    }
    assert sent == {"true": None, "false": "259200s"}


def test_a_slice_of_several_hosts_in_full() -> None:
    """GKE sets everything else; to leave out a property later would have no effect."""
    (pool,) = pools(registered({"multi": yaml.safe_load(BASES["multi"])}), "multi")
    assert pool.inputs == {
        "name": "multi-0",
        "cluster": UNKNOWN,
        "project": "acme-ml",
        "location": "us-east5",
        "nodeLocations": ["us-east5-b"],
        "nodeCount": 4,
        "ignoreNodeCountChanges": True,
        "placementPolicy": {"type": "COMPACT", "tpuTopology": "4x4"},
        "management": {"autoRepair": True, "autoUpgrade": True},
        "upgradeSettings": {"strategy": "SURGE", "maxSurge": 0, "maxUnavailable": 1},
        "networkConfig": {"enablePrivateNodes": False},
        "nodeConfig": {
            "machineType": "ct6e-standard-4t",
            "serviceAccount": UNKNOWN,
            "oauthScopes": ["https://www.googleapis.com/auth/cloud-platform"],
            "spot": False,
            "reservationAffinity": {"consumeReservationType": "NO_RESERVATION"},
            "gvnic": {"enabled": True},
            "shieldedInstanceConfig": {"enableSecureBoot": False, "enableIntegrityMonitoring": True},
            "workloadMetadataConfig": {"mode": "GKE_METADATA"},
            "kubeletConfig": {"insecureKubeletReadonlyPortEnabled": "FALSE"},
        },
    }


@pytest.mark.parametrize(
    ("group", "names"),
    [
        ("multi", ["multi-0"]),
        ("count-of-slices", ["count-of-slices-0", "count-of-slices-1", "count-of-slices-2"]),
        ("indices", ["indices-0", "indices-7"]),
        ("slices-min-max", ["slices-min-max-0", "slices-min-max-1"]),
        ("count", ["count"]),
        ("min-max", ["min-max"]),
        ("name", ["other-0"]),
    ],
)
def test_names_of_pools(recording: Recording, group: str, names: list[str]) -> None:
    assert sorted(pool.inputs["name"] for pool in pools(recording, group)) == names
    assert sorted(pool.name for pool in pools(recording, group)) == [f"east/{group}/{name}" for name in names]


# Options


REPLACING = (
    'nodeConfig.labels["cloud.google.com/gke-nodepool-group-name"]',
    'nodeConfig.labels["cloud.google.com/gke-workload-type"]',
    "nodeConfig.machineType",
    "nodeLocations",
    "placementPolicy.tpuTopology",
)


@each("name", CASES)
def test_what_gke_fixes_at_creation_replaces_the_pool_first_deleting_it(recording: Recording, name: str) -> None:
    for pool in pools(recording, name):
        static_slice = "placementPolicy" in pool.inputs and "autoscaling" not in pool.inputs
        assert set(pool.replace_on_changes) == {*REPLACING, *(["autoscaling"] if static_slice else [])}
        assert len(pool.replace_on_changes) == len(set(pool.replace_on_changes))
        assert (pool.request.deleteBeforeReplace, pool.request.deleteBeforeReplaceDefined) == (True, True)


@each("name", CASES)
def test_what_the_autoscaler_moves_is_ignored(recording: Recording, name: str) -> None:
    adopted = "adopted" in CASES[name]["plan"]
    for pool in pools(recording, name):
        autoscaled = "autoscaling" in pool.inputs
        sized = {"initialNodeCount", "nodeCount"} if autoscaled else set()
        cube = pool.inputs.get("placementPolicy", {"tpuTopology": ""}).keys() == {"type", "policyName"}
        sized |= {"placementPolicy.tpuTopology"} if cube else set()
        assert adopted or {path for path in pool.ignore_changes if not path.startswith("nodeConfig.")} == sized
        assert ("nodeCount" in pool.inputs) != autoscaled
        assert ("initialNodeCount" in pool.inputs) == autoscaled


@each("name", CASES)
def test_the_count_of_a_static_slice_is_never_looked_at(recording: Recording, name: str) -> None:
    """One host less, while it is repaired, and the provider would ask for a size that GKE refuses to set."""
    for pool in pools(recording, name):
        static_slice = "placementPolicy" in pool.inputs and "autoscaling" not in pool.inputs
        assert pool.inputs.get("ignoreNodeCountChanges") == (True if static_slice else None)


def test_the_catalog_decides_what_replaces() -> None:
    catalog = Catalog(catalog_folder())  # one that no other test sees
    resource = catalog.provider.resources[NODE_POOL]
    properties = {
        **resource.properties,
        "nodeConfig.taints": PropertyChange(change="in-place", gke="fixed"),
        "maxPodsPerNode": PropertyChange(change="broken"),
        "nodeConfig.machineType": PropertyChange(change="in-place"),
    }
    changed = dataclasses.replace(resource, properties=properties)
    resources = {**catalog.provider.resources, NODE_POOL: changed}
    catalog.__dict__["provider"] = dataclasses.replace(catalog.provider, resources=resources)
    args: Any = {
        "project": "acme-ml",
        "clusters": {
            "east": {"mode": "standard", "location": "us-east5", "slices": {"multi": yaml.safe_load(BASES["multi"])}}
        },
    }
    pool = record(lambda: TpuFleet("fleet", args, catalog=catalog)).one(NODE_POOL, "east/multi/multi-0")
    expected = {*REPLACING, "autoscaling", "nodeConfig.taints", "maxPodsPerNode"} - {"nodeConfig.machineType"}
    assert set(pool.replace_on_changes) == expected
    assert pool.request.deleteBeforeReplace


@pytest.mark.parametrize(
    ("group", "protect"),
    [("multi", None), ("protect", True), ("reservation", True), ("spot", None), ("flex-start", None)],
)
def test_protection(recording: Recording, group: str, protect: bool | None) -> None:
    assert [pool.protect for pool in pools(recording, group)] == [protect]


def test_reserved_capacity_can_be_left_unprotected() -> None:
    group = {**yaml.safe_load(BASES["multi"]), "capacity": {"reservation": "ours"}, "protect": False}
    pool = registered({"held": group}).one(NODE_POOL, "east/held/held-0")
    assert pool.protect is False


@pytest.mark.parametrize(
    ("group", "create"),
    [("multi", "2h"), ("timeouts", "14400s")],
)
def test_timeouts(recording: Recording, group: str, create: str) -> None:
    (pool,) = pools(recording, group)
    assert pool.timeouts == {"create": create, "update": "2h", "delete": "2h"}


def test_pools_hang_below_their_group(recording: Recording) -> None:
    for pool in pools(recording, "count-of-slices"):
        parent = "gke-tpu:index:TpuFleet$gke-tpu:index:StandardCluster$gke-tpu:index:TpuSlices::east/count-of-slices"
        assert pool.request.parent.endswith(f"::{parent}")


# What the surroundings add


SITE = """
resource_labels: {{team: research, stage: dev, owner: plan}}
clusters:
  east:
    mode: standard
    location: us-east5
    resource_labels: {{stage: prod, owner: cluster}}
    {cluster}
    slices:
      multi: {{tpu: v6e, topology: 4x4, zone: us-east5-b, resource_labels: {{owner: group}}}}
"""


def pool_with(cluster: str) -> dict[str, Any]:
    return fleet(SITE.format(cluster=cluster)).one(NODE_POOL, "east/multi/multi-0").inputs


def test_resource_labels_of_the_group_win_over_those_of_the_cluster_and_of_the_plan() -> None:
    assert pool_with("")["nodeConfig"]["resourceLabels"] == {"team": "research", "stage": "prod", "owner": "group"}


@pytest.mark.parametrize(
    ("cluster", "expected"),
    [
        ("private_nodes: true", {"networkConfig.enablePrivateNodes": True}),
        ("network: {create: {}}", {"networkConfig.enablePrivateNodes": True}),
        ("network: {network: a, subnetwork: b}", {"networkConfig.enablePrivateNodes": True}),
        ("network: create\n    private_nodes: false", {}),
        ("security: {tpu_secure_boot: true}", {f"{NODES}.shieldedInstanceConfig.enableSecureBoot": True}),
        ("security: {secure_boot: false}", {}),
        ("security: {workload_identity: false}", {f"{NODES}.workloadMetadataConfig.mode": None}),
        (
            "node_service_account: nodes@acme-ml.iam.gserviceaccount.com",
            {f"{NODES}.serviceAccount": "nodes@acme-ml.iam.gserviceaccount.com"},
        ),
    ],
)
def test_what_the_cluster_says_about_nodes(cluster: str, expected: dict[str, Any]) -> None:
    assert difference(pool_with(""), pool_with(cluster)) == expected


def test_a_pool_of_a_zonal_cluster_lies_in_its_zone() -> None:
    recorded = fleet(
        "clusters: {one: {mode: standard, location: us-east5-b, slices: {multi: {tpu: v6e, topology: 4x4}}}}"
    )
    pool = recorded.one(NODE_POOL, "one/multi/multi-0")
    assert (pool.inputs["location"], pool.inputs["nodeLocations"]) == ("us-east5-b", ["us-east5-b"])


# tpu7x


IRONWOOD = """
clusters:
  iron:
    mode: standard
    location: us-central1
    slices:
      cubes: {tpu: tpu7x, topology: 2x2x2, zone: us-central1-c, count: 2}
      bound: {tpu: tpu7x, topology: 2x2x4, zone: us-central1-c, placement: {workload_policy: theirs}}
      hosts: {tpu: tpu7x, topology: 2x2x1, zone: us-central1-c, count: 3}
      none: {tpu: tpu7x, topology: 2x2x2, zone: us-central1-c, count: 0}
      held: {tpu: tpu7x, topology: 4x4x4, zone: us-central1-c, capacity: {reservation: ours}}
"""


def test_there_is_one_policy_for_each_group_of_slices() -> None:
    policies = {item.name: item for item in fleet(IRONWOOD).of_type(POLICY)}
    assert set(policies) == {"iron/cubes", "iron/held"}
    assert policies["iron/cubes"].inputs == {
        "name": "iron-cubes-2x2x2",
        "project": "acme-ml",
        "region": "us-central1",
        "workloadPolicy": {"type": "HIGH_THROUGHPUT", "acceleratorTopology": "2x2x2"},
    }


def test_another_name_replaces_a_policy_which_the_provider_cannot_rename() -> None:
    for policy in fleet(IRONWOOD).of_type(POLICY):
        assert policy.replace_on_changes == ("name",)
        # The new one comes first: the old one would take its pools along.
        assert (policy.request.deleteBeforeReplace, policy.request.deleteBeforeReplaceDefined) == (False, True)


def test_a_policy_is_protected_with_its_pools() -> None:
    recorded = fleet(IRONWOOD)
    for name, protect in (("cubes", None), ("held", True)):
        assert recorded.one(POLICY, f"iron/{name}").protect is protect
        assert recorded.one(NODE_POOL, f"iron/{name}/{name}-0").protect is protect


def test_slices_are_bound_through_the_name_that_the_policy_gives() -> None:
    recorded = fleet(IRONWOOD)
    policy = recorded.one(POLICY, "iron/cubes")
    for index in (0, 1):
        pool = recorded.one(NODE_POOL, f"iron/cubes/cubes-{index}")
        assert policy.urn in pool.request.propertyDependencies["placementPolicy"].urns
        assert pool.inputs["placementPolicy"] == {"type": "", "policyName": "iron-cubes-2x2x2", "tpuTopology": "2x2x2"}


def test_an_existing_policy_is_named() -> None:
    pool = fleet(IRONWOOD).one(NODE_POOL, "iron/bound/bound-0")
    assert pool.inputs["placementPolicy"] == {"type": "", "policyName": "theirs", "tpuTopology": "2x2x4"}


def test_single_hosts_have_no_placement() -> None:
    assert "placementPolicy" not in fleet(IRONWOOD).one(NODE_POOL, "iron/hosts/hosts").inputs


def test_another_topology_gives_the_policy_another_name() -> None:
    changed = fleet(IRONWOOD.replace("cubes: {tpu: tpu7x, topology: 2x2x2", "cubes: {tpu: tpu7x, topology: 4x4x8"))
    policy = changed.one(POLICY, "iron/cubes")
    assert (policy.inputs["name"], policy.inputs["workloadPolicy"]["acceleratorTopology"]) == (
        "iron-cubes-4x4x8",
        "4x4x8",
    )
