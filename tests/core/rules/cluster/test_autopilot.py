"""Rules about keys and properties on Autopilot."""

from collections.abc import Iterator
from typing import Any

import pytest
from support.copied_keys import written_example
from support.fixtures.checks import Broken, Check, weights
from support.rule_plans import on_family

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.graph.keys import CLUSTER_KEYS, GROUP_KEYS
from pulumi_gke_tpu.core.plan import ClusterSpec, SliceGroupSpec
from pulumi_gke_tpu.core.plan.base import PlanModel
from pulumi_gke_tpu.core.plan.keys import alternative_on_autopilot

AUTOPILOT = "mode: autopilot\nlocation: us-east5\n"

VALUES = {
    "system_pool": "{min_nodes: 1}",
    "cpu_pools": "{head: {machine_type: n2-standard-64, nodes: 1}}",
    "autoprovisioning": "{cpu: 999, memory_gib: 999}",
    "security": "{shielded_nodes: true}",
    "machine_type": "ct6e-standard-4t",
    "indices": "[0]",
    "zones": "[us-east5-a]",
    "boot_disk": "{size_gib: 100}",
    "node_labels": "{team: research}",
    "taints": "[{key: team, effect: NO_SCHEDULE}]",
    "resource_labels": "{team: research}",
    "node_service_account": "create",
    "max_pods_per_node": "32",
    "upgrade": "{strategy: surge}",
    "placement": "{workload_policy: cube}",
    "collection": "{name: chat}",
    "best_effort": "2",
    "host_maintenance": "as_needed",
    "maintenance": "{end_of_support: true}",
    "driver_mode": "dynamic_resource_allocation",
    "sysctls": {"vm.max_map_count": "1048576"},
    "transparent_hugepages": "always",
    "network_profile": "auto",
    "additional_networks": "[{network: data, subnetwork: data}]",
    "secondary_boot_disk": "{image: global/images/preload}",
    "adopted": "true",
    "protect": "true",
    "timeouts": "{create: 2h}",
    "extra": "{node_config: {tags: [tpu]}}",
}

VALUES_OF_CLUSTERS = VALUES | {
    "additional_networks": "{data: {subnet: 10.64.0.0/20}}",
    "multi_networking": "true",
}


def marked(part: type[PlanModel]) -> Iterator[tuple[str, str]]:
    for name, field in part.model_fields.items():
        options: Any = field.json_schema_extra or {}
        if options.get("autopilot") in ("refused", "legacy", "noted"):
            yield field.alias or name, options["autopilot"]


OF_CLUSTERS, OF_GROUPS = tuple(marked(ClusterSpec)), tuple(marked(SliceGroupSpec))

RULE = {"refused": "TPU281 error", "legacy": "TPU281 error", "noted": "TPU282 note"}


@pytest.mark.parametrize(("key", "meaning"), OF_CLUSTERS)
def test_keys_of_clusters_are_reported(key: str, meaning: str, check: Check) -> None:
    findings = check(f"{AUTOPILOT}{key}: {VALUES_OF_CLUSTERS.get(key) or written_example(f'{CLUSTER_KEYS}{key}')}\n")
    assert weights(findings) == [RULE[meaning]]
    assert findings[0].path == ("clusters", "train", key)


@pytest.mark.parametrize(("key", "meaning"), OF_GROUPS)
def test_keys_of_groups_are_reported(key: str, meaning: str, check: Check) -> None:
    value = VALUES.get(key) or written_example(f"{GROUP_KEYS}{key}")
    findings = check(f"{AUTOPILOT}slices:\n  main:\n    tpu: v6e\n    topology: 4x4\n    {key}: {value}\n")
    assert RULE[meaning] in weights(findings)
    assert {finding.rule for finding in findings if finding.path[-1] == key and finding.rule.startswith("TPU28")} == {
        RULE[meaning][:6]
    }


@pytest.mark.parametrize("part", [ClusterSpec, SliceGroupSpec])
def test_every_marked_key_has_an_alternative(part: type[PlanModel]) -> None:
    keys = {name for name, _ in marked(part)}
    assert keys == {name for name, field in part.model_fields.items() if alternative_on_autopilot(field)}


def test_all_keys_are_reported_together(check: Check) -> None:
    group = "{tpu: v6e, topology: 2x2, max_pods_per_node: 32, protect: true, boot_disk: {size_gib: 100}}"
    findings = check(f"{AUTOPILOT}system_pool: {{min_nodes: 1}}\nslices: {{a: {group}, b: {group}}}\n")
    assert sorted(weights(findings)) == ["TPU281 error"] * 5 + ["TPU282 note"] * 2


@pytest.mark.parametrize(
    "keys",
    [
        "resource_labels: {team: research}",
        "deletion_protection: true",
        "private_nodes: true",
        "timeouts: {create: 2h}",
        "maintenance: {window: {start: 2026-01-03T02:00:00Z, duration: 6h}}",
        "slices: {main: {tpu: v6e, topology: 2x2, taints: [], node_labels: {}}}",
        "slices: {main: {tpu: v6e, topology: 2x2, boot_disk: null}}",
        "slices: {main: {tpu: v6e, topology: 2x2, capacity: spot, count: {min: 0, max: 4}}}",
        "slices: {main: {tpu: v6e, topology: 2x4, chips_per_host: 8, name: other, zone: us-east5-b}}",
    ],
)
def test_other_keys_have_no_finding(keys: str, broken: Broken) -> None:
    assert broken(f"{AUTOPILOT}{keys}\n") == []


def test_the_fix_is_the_key_to_use_instead(check: Check) -> None:
    group = "{tpu: v6e, topology: 4x4, machine_type: ct6e-standard-4t, indices: [0, 2]}"
    findings = check(f"{AUTOPILOT}slices: {{main: {group}}}\n")
    assert sorted(finding.fix for finding in findings) == ["chips_per_host: 4", "count: 2"]


def test_only_a_legacy_machine_type_is_accepted(check: Check, catalog: Catalog) -> None:
    families = {
        machine: family
        for name in catalog.generation_names
        for machine, item in catalog.generation(name).machine_types.items()
        if (family := catalog.generation(name).families[item.family]).documented
    }
    assert any(family.legacy for family in families.values())
    for machine, family in families.items():
        generation = next(
            name for name in catalog.generation_names if machine in catalog.generation(name).machine_types
        )
        findings = check(f"{AUTOPILOT}slices: {{main: {{tpu: {generation}, chips: 1, machine_type: {machine}}}}}\n")
        refused = any(finding.rule == "TPU281" for finding in findings)
        assert refused is not family.legacy, machine


@pytest.mark.parametrize(
    ("extra", "expected"),
    [
        ("{enable_intranode_visibility: true}", ["TPU283 error"]),
        ("{enableIntranodeVisibility: true}", ["TPU283 error"]),
        ("{addons_config: {network_policy_config: {disabled: true}}}", ["TPU283 error"]),
        ("{addonsConfig: {slurmOperatorConfig: {enabled: true}}}", ["TPU283 warning"]),
        ("{binary_authorization: {enabled: true}}", ["TPU283 error"]),
        ("{binary_authorization: {evaluation_mode: PROJECT_SINGLETON_POLICY_ENFORCE}}", []),
        ("{allow_net_admin: true}", []),
        ("{default_max_pods_per_node: 64, network_policy: {enabled: true}}", ["TPU283 error"] * 2),
        ("{enable_shielded_nodes: true}", ["TPU283 error"]),
        ("{remove_default_node_pool: true}", ["TPU283 error"]),
        ("{cluster_autoscaling: {enabled: true}}", ["TPU283 error"]),
    ],
)
def test_properties_that_conflict_with_autopilot_are_reported(extra: str, expected: list[str], check: Check) -> None:
    assert weights(check(f"{AUTOPILOT}extra: {extra}\n")) == expected
    standard = check(f"mode: standard\nlocation: us-east5\nextra: {extra}\n")
    assert "TPU283" not in {finding.rule for finding in standard}


def test_conflicts_are_properties_of_the_cluster_resource(catalog: Catalog) -> None:
    known = catalog.provider.resources["gcp:container/cluster:Cluster"].properties
    assert [name for name in catalog.platform.autopilot.conflicts if name not in known] == []


def test_the_driver_is_not_chosen_by_a_plan_on_autopilot(check: Check) -> None:
    (finding,) = check(on_family("driver_mode: dynamic_resource_allocation", mode="autopilot"))
    assert (finding.rule, finding.severity.word) == ("TPU281", "error")
    assert "ComputeClass sets the driver with nodePoolConfig.tpu.driverMode" in finding.message
