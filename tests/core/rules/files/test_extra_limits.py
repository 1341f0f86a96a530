"""Values under ``extra`` that the provider or GKE does not accept, properties that are missing, and conflicts."""

import json
from collections.abc import Callable

import pytest
from support.checking import validate

from pulumi_gke_tpu.core.catalog import Catalog, read_catalog
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.text.findings import Finding, Severity


@pytest.fixture(scope="module")
def check() -> Callable[..., tuple[Finding, ...]]:
    catalog: Catalog = read_catalog()

    def findings(*, cluster: object = None, pool: object = None, **keys: object) -> tuple[Finding, ...]:
        group: dict[str, object] = {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b", "extra": pool or {}}
        body = {"mode": "standard", "location": "us-east5", "network": "create", **keys, "slices": {"main": group}}
        if cluster is not None:
            body["extra"] = cluster
        read = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"train": body}})
        assert read.content is not None, read.findings
        return tuple(found for found in validate(read.content, catalog) if found.severity != Severity.NOTE)

    return findings


Check = Callable[..., tuple[Finding, ...]]


def pool(path: str, value: object) -> dict[str, object]:
    """A value inside blocks."""
    for step in reversed(path.split(".")):
        value = {step: value}
    assert isinstance(value, dict)
    return value


@pytest.mark.parametrize(
    ("path", "accepted", "rejected"),
    [
        ("node_config.kubelet_config.cpu_manager_policy", ["static", "none"], ["Static", "exclusive", ""]),
        ("node_config.kubelet_config.topology_manager.policy", ["restricted", "single-numa-node"], ["strict"]),
        ("node_config.kubelet_config.memory_manager.policy", ["Static", "None"], ["static"]),
        ("node_config.kubelet_config.pod_pids_limit", [1024, 4194304], [1023, 4194305, -1]),
        ("node_config.kubelet_config.image_gc_high_threshold_percent", [10, 85], [9, 86]),
        ("node_config.kubelet_config.container_log_max_files", [2, 10], [1, 11]),
        ("node_config.kubelet_config.max_parallel_image_pulls", [2, 5], [1, 6]),
        ("node_config.linux_node_config.cgroup_mode", ["CGROUP_MODE_V2"], ["v2", "CGROUP_MODE_V3"]),
        ("node_config.logging_variant", ["MAX_THROUGHPUT"], ["max_throughput"]),
        ("node_config.tags", [["tpu"], [], ["a" * 63]], [["TPU"], ["tpu", "a_b"], ["a" * 64], ["tpu-"]]),
        (
            "node_drain_configs",
            [[{"grace_termination_duration": "86400s"}]],
            [[{"grace_termination_duration": "86401s"}]],
        ),
        ("node_drain_configs", [[{"pdb_timeout_duration": "0s"}]], [[{"pdb_timeout_duration": "1h"}]]),
        ("node_drain_configs", [[{"pdb_timeout_duration": "604800s"}]], [[{"pdb_timeout_duration": "604801s"}]]),
    ],
)
def test_a_node_pool_has_only_accepted_values(
    check: Check, path: str, accepted: list[object], rejected: list[object]
) -> None:
    for value in accepted:
        assert not check(pool=pool(path, value)), value
    for value in rejected:
        (found,) = check(pool=pool(path, value))
        assert (found.rule, found.severity) == ("TPU527", Severity.ERROR), value
        assert found.allowed


@pytest.mark.parametrize(
    ("path", "accepted", "rejected"),
    [
        ("dns_config.cluster_dns", "CLOUD_DNS", "KUBEDNS"),
        ("dns_config.cluster_dns", "CLOUD_DNS", "DNS"),
        ("binary_authorization.evaluation_mode", "PROJECT_SINGLETON_POLICY_ENFORCE", "ENFORCE"),
        ("logging_config.enable_components", ["SYSTEM_COMPONENTS", "WORKLOADS"], ["SYSTEM", "WORKLOADS"]),
        ("monitoring_config.enable_components", ["SYSTEM_COMPONENTS", "JOBSET"], ["SYSTEM_COMPONENTS", "JOB_SET"]),
        ("anonymous_authentication_config.mode", "LIMITED", "DISABLED"),
        ("enterprise_config.desired_tier", "ENTERPRISE", "BASIC"),
        ("ip_allocation_policy.stack_type", "IPV4_IPV6", "IPV6"),
        ("cluster_autoscaling.autoscaling_profile", "OPTIMIZE_UTILIZATION", "OPTIMIZE-UTILISATION"),
        ("default_max_pods_per_node", 8, 7),
        ("default_max_pods_per_node", 256, 257),
        ("private_cluster_config.master_ipv4_cidr_block", "172.16.0.0/28", "172.16.0.0/24"),
        ("private_cluster_config.master_ipv4_cidr_block", "172.16.0.16/28", "fd00::/28"),
    ],
)
def test_a_cluster_has_only_accepted_values(check: Check, path: str, accepted: object, rejected: object) -> None:
    assert not check(cluster=pool(path, accepted))
    (found,) = check(cluster=pool(path, rejected))
    assert (found.rule, found.severity) == ("TPU527", Severity.ERROR)


@pytest.mark.parametrize(
    ("path", "value", "fix"),
    [
        ("node_config.kubelet_config.memory_manager.policy", "static", "policy: Static"),
        ("node_config.kubelet_config.insecure_kubelet_readonly_port_enabled", "false", 'enabled: "FALSE"'),
        ("node_config.logging_variant", "max-throughput", "logging_variant: MAX_THROUGHPUT"),
        ("node_config.linux_node_config.cgroup_mode", "cgroup_v2", "cgroup_mode: CGROUP_MODE_V2"),
    ],
)
def test_the_fix_is_the_accepted_value_that_is_meant(check: Check, path: str, value: str, fix: str) -> None:
    (found,) = check(pool=pool(path, value))
    assert found.fix.endswith(fix)


@pytest.mark.parametrize(("value", "fix"), [("SYSTEM", "SYSTEM_COMPONENTS"), ("", ""), ("METRICS", "")])
def test_the_fix_is_the_only_value_that_begins_with_the_word(check: Check, value: str, fix: str) -> None:
    (found,) = check(cluster=pool("logging_config.enable_components", [value]))
    assert found.fix == fix


def test_a_fix_in_a_list_replaces_only_the_item(check: Check) -> None:
    (found,) = check(cluster=pool("monitoring_config.enable_components", ["SYSTEM_COMPONENTS", "JOB_SET"]))
    assert (found.path[-2:], found.fix) == (("enable_components", 1), "JOBSET")


@pytest.mark.parametrize("value", [None, [], {}, [[]], [{}], float("nan"), "é" * 5000, "\x1b[31m"])
def test_values_of_any_type_are_read(check: Check, value: object) -> None:
    for path in ("node_config.logging_variant", "node_config.tags", "node_drain_configs", "node_config.taint_config"):
        for found in check(pool=pool(path, value)):
            assert found.rule in ("TPU525", "TPU527", "TPU528")
            assert "\x1b" not in json.dumps(found.message, ensure_ascii=False)


def test_a_property_with_a_plan_key_is_reported_once(check: Check) -> None:
    for path, value in (
        ("upgrade_settings.strategy", "NONE"),
        ("node_config.reservation_affinity.consume_reservation_type", "NONE"),
        ("node_config.reservation_affinity.consume_reservation_type", "ANY_RESERVATION"),
    ):
        (found,) = check(pool=pool(path, value))
        assert found.rule in ("TPU514", "TPU522")


@pytest.mark.parametrize(
    ("wrong", "name", "right"),
    [
        (
            {"taint_config": {}},
            "architecture_taint_behavior",
            {"taint_config": {"architecture_taint_behavior": "NONE"}},
        ),
        ({"fastSocket": {"enabled": None}}, "enabled", {"fastSocket": {"enabled": False}}),
        (
            {"containerd_config": {"private_registry_access_config": {}}},
            "enabled",
            {"containerd_config": {"private_registry_access_config": {"enabled": False}}},
        ),
        (
            {"containerd_config": {"registry_hosts": [{"server": "a"}, {"hosts": []}]}},
            "server",
            {"containerd_config": {"registry_hosts": [{"server": "a"}, {"server": "b", "hosts": []}]}},
        ),
    ],
)
def test_a_block_has_the_properties_that_it_requires(
    check: Check, wrong: dict[str, object], name: str, right: dict[str, object]
) -> None:
    assert not check(pool={"node_config": right})
    (found,) = check(pool={"node_config": wrong})
    assert (found.rule, found.severity) == ("TPU528", Severity.ERROR)
    assert f"`{name}`" in found.message


def test_network_policy_conflicts_with_dataplane_v2(check: Check) -> None:
    enabled = {"network_policy": {"enabled": True}}
    assert [found.rule for found in check(cluster=enabled)] == ["TPU529"]
    assert not check(cluster={"network_policy": {"enabled": False}})
    assert not check(cluster=enabled, security={"dataplane_v2": False})


def test_an_alpha_cluster_has_no_release_channel(check: Check) -> None:
    assert [found.rule for found in check(cluster={"enable_kubernetes_alpha": True})] == ["TPU529"]
    alone = check(cluster={"enable_kubernetes_alpha": True}, release_channel="none")
    assert "TPU529" not in {found.rule for found in alone}


def test_everything_that_a_plan_may_write_has_accepted_values_in_the_catalog() -> None:
    """No accepted value contradicts the default or what GKE reports."""
    for resource in read_catalog().provider.resources.values():
        for name, item in resource.properties.items():
            for value in (item.default, item.reported):
                listed = value if isinstance(value, list) else [value]
                if item.values and value not in (None, "", {}):
                    assert set(listed) <= set(item.values), name
