"""Rules about provider properties under ``extra``, their values and conflicts."""

import json
from collections.abc import Callable
from typing import Any

import pytest
import yaml
from support.checking import validate
from support.fixtures.checks import Broken, Check
from support.rule_plans import on_family

from pulumi_gke_tpu.core.catalog import Catalog, read_catalog
from pulumi_gke_tpu.core.catalog.records.provider import PropertyType
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NODE_POOL
from pulumi_gke_tpu.core.plan import Unknown, parse_plan
from pulumi_gke_tpu.core.text.findings import Finding, Severity


@pytest.mark.parametrize(
    ("extra", "expected"),
    [
        # known properties that the plan does not model, in both spellings
        ("node_config: {tags: [tpu]}", []),
        ("nodeConfig: {tags: [tpu]}", []),
        ("node_config: {kubelet_config: {cpu_manager_policy: static}}", []),
        ("node_config: {linux_node_config: {cgroup_mode: CGROUP_MODE_V2}}", []),
        ("node_config: {metadata: {anything: allowed}}", []),
        ("version: 1.34.1-gke.1", []),
        ("node_drain_configs: [{pdb_timeout_duration: 60s}]", []),
        ("upgrade_settings: {blue_green_settings: {autoscaled_rollout_policy: {}}}", []),
        ("network_config: {pod_range: pods}", []),
        # unknown ones, at every depth
        ("nodeConfg: {}", ["TPU521"]),
        ("node_config: {tag: [tpu]}", ["TPU521"]),
        ("node_config: {kubelet_config: {cpu_policy: static}}", ["TPU521"]),
        ("node_drain_configs: [{pdb_timeout: 60s}]", ["TPU521"]),
        ("addons_config: {}", ["TPU521"]),
        # modelled ones
        ("max_pods_per_node: 32", ["TPU522"]),
        ("node_config: {linux_node_config: {sysctls: {net.core.somaxconn: '1024'}}}", ["TPU522"]),
        ("node_locations: [us-east5-a]", ["TPU522"]),
        ("nodeConfig: {machineType: ct6e-standard-4t}", ["TPU522"]),
        ("node_config: {labels: {team: research}}", ["TPU522"]),
        ("node_config: {spot: true}", ["TPU522"]),
        ("node_config: {gvnic: {enabled: false}}", ["TPU522"]),
        ("management: {auto_repair: false}", ["TPU522"]),
        ("cluster: other", ["TPU522"]),
        ("placement_policy: {type: COMPACT, tpu_topology: 4x4}", ["TPU522"]),
        ("node_config: {taints: [{key: a, value: b, effect: NO_SCHEDULE}], spot: true}", ["TPU522", "TPU522"]),
        # images, threads, reservations
        ("node_config: {image_type: cos_containerd}", []),
        ("node_config: {reservation_affinity: {consume_reservation_type: NO_RESERVATION}}", ["TPU522"]),
        ("node_config: {advanced_machine_features: {threads_per_core: 2}}", []),
    ],
)
def test_properties_under_extra(extra: str, expected: list[str], check: Check) -> None:
    assert [finding.rule for finding in check(on_family(f"extra: {{{extra}}}"))] == expected


@pytest.mark.parametrize(
    ("extra", "expected"),
    [
        ("cost_management_config: {enabled: true}", []),
        ("monitoring_config: {enable_components: [SYSTEM_COMPONENTS]}", []),
        ("addons_config: {lustre_csi_driver_config: {disable_multi_nic: true}}", []),
        ("maintenance_policy: {disruption_budget: {minor_version_disruption_interval: 2592000s}}", []),
        ("costManagementConfg: {enabled: true}", ["TPU521"]),
        ("release_channel: {channel: RAPID}", ["TPU522"]),
        ("addons_config: {gcs_fuse_csi_driver_config: {enabled: true}}", ["TPU522"]),
        ("addons_config: {ray_operator_configs: [{enabled: true}]}", ["TPU522"]),
        ("min_master_version: '1.34'", ["TPU522"]),
    ],
)
def test_properties_of_clusters(extra: str, expected: list[str], broken: Broken) -> None:
    assert broken(f"mode: standard\nlocation: us-east5\nextra: {{{extra}}}\n") == expected


def test_a_near_property_is_named(check: Check) -> None:
    (finding,) = check(on_family("extra: {node_config: {kubelet_config: {cpuManagerPolcy: static}}}"))
    assert finding.fix == "cpu_manager_policy:"
    assert finding.path[-3:] == ("node_config", "kubelet_config", "cpuManagerPolcy")


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        ("max_pods_per_node: 32", "`maxPodsPerNode` is not allowed in `extra`: use max_pods_per_node"),
        (
            "node_config: {resource_labels: {a: b}}",
            "`nodeConfig.resourceLabels` is not allowed in `extra`: use resource_labels",
        ),
        ("project: other", "`project` is not allowed in `extra`: use project of the plan"),
        ("location: us-east5", "`location` is not allowed in `extra`: use location of the cluster"),
        ("cluster: other", "`cluster` is not allowed in `extra`: use existing of the cluster"),
        ("autoscaling: {location_policy: BALANCED}", "`autoscaling` is not allowed in `extra`: use count"),
        ("node_config: {disk_type: pd-ssd}", "`nodeConfig.diskType` is not allowed in `extra`: use boot_disk.type"),
    ],
)
def test_the_key_of_the_plan_is_named(extra: str, message: str, check: Check) -> None:
    (finding,) = check(on_family(f"extra: {{{extra}}}"))
    assert (finding.rule, finding.message) == ("TPU522", message)


RESOURCES = read_catalog().provider.resources

RIGHT: dict[PropertyType, tuple[Any, ...]] = {
    "string": ("a",),
    "boolean": (True,),
    "integer": (3,),
    "number": (0.5, 3),
    "map": ({"a": "b"}, {}),
    "strings": (["a"], []),
    "block": ({},),
    "blocks": ([{}], []),
}

CONVERTED: dict[PropertyType, tuple[Any, ...]] = {
    "string": (True, 3, 0.5),
    "boolean": ("true",),
    "integer": ("3",),
    "number": ("0.5",),
    "map": ({"a": True},),
    "strings": ([3],),
}

WRONG: dict[PropertyType, tuple[Any, ...]] = {
    "string": ([], ["a"], {}, {"a": "b"}),
    "boolean": ("maybe", 1, 0.5, [], [True], {}),
    "integer": ("a", True, 0.5, [3], {}),
    "number": ("a", True, [0.5], {}),
    "map": ("a", 3, True, ["a"], {"a": ["b"]}, {"a": {}}),
    "strings": ("a", 3, {"a": "b"}, [["a"]], [{}]),
    "block": ("a", 3, True, [], [{}]),
    "blocks": ("a", 3, {}, ["a"], [["a"]]),
}

PLACES = [
    (token, path, item.type)
    for token in (CLUSTER, NODE_POOL)
    for path, item in RESOURCES[token].properties.items()
    if "[" not in path
]


def plan(token: str, extra: Any) -> str:
    group = {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b"}
    cluster: dict[str, Any] = {"mode": "standard", "location": "us-east5", "slices": {"pretrain": group}}
    (cluster if token == CLUSTER else group)["extra"] = extra
    return yaml.safe_dump({"version": 1, "project": "acme-ml", "clusters": {"train": cluster}})


def nested(token: str, path: str, value: Any) -> Any:
    """``extra`` with one value at a path, and blocks of the right type around it."""
    *outer, last = path.split(".")
    inner: Any = {last: value}
    for depth in range(len(outer), 0, -1):
        kind = RESOURCES[token].properties[".".join(outer[:depth])].type
        inner = {outer[depth - 1]: [inner] if kind == "blocks" else inner}
    return inner


def findings(check: Check, token: str, extra: Any) -> list[Finding]:
    return [finding for finding in check(plan(token, extra)) if finding.rule == "TPU525"]


def words(check: Check, token: str, path: str, values: tuple[Any, ...]) -> list[list[str]]:
    return [[item.severity.word for item in findings(check, token, nested(token, path, value))] for value in values]


@pytest.mark.parametrize("kind", RIGHT)
def test_only_values_of_the_propertys_type_are_accepted(check: Check, kind: PropertyType) -> None:
    """One property of each type for each resource and depth; all properties go through the same code."""
    samples = {(token, path.count(".")): (token, path) for token, path, found in PLACES if found == kind}
    assert samples
    for token, path in samples.values():
        assert words(check, token, path, (None, *RIGHT[kind])) == [[]] * (1 + len(RIGHT[kind]))
        assert words(check, token, path, CONVERTED.get(kind, ())) == [["warning"]] * len(CONVERTED.get(kind, ()))
        assert words(check, token, path, WRONG[kind]) == [["error"]] * len(WRONG[kind])


@pytest.mark.parametrize("token", [CLUSTER, NODE_POOL])
def test_every_property_is_checked(check: Check, token: str) -> None:
    kinds = {path: kind for found, path, kind in PLACES if found == token and "." not in path}
    found = findings(check, token, {path: WRONG[kind][0] for path, kind in kinds.items()})
    assert sorted(item.message.split()[0].strip("`") for item in found) == sorted(kinds)


@pytest.mark.parametrize(
    ("token", "extra", "message", "given", "allowed", "fix"),
    [
        (
            NODE_POOL,
            {"node_config": {"tags": "web"}},
            "`nodeConfig.tags` must be a list of strings, not a string",
            "tags: web",
            "a list of strings, such as [a, b]",
            "tags: [web]",
        ),
        (
            NODE_POOL,
            {"node_config": {"metadata": {"enable-oslogin": True}}},
            '`nodeConfig.metadata["enable-oslogin"]` must be a string, not a boolean',
            "enable-oslogin: true",
            "a string",
            'enable-oslogin: "true"',
        ),
        (NODE_POOL, {"version": 1.3}, "`version` must be a string, not a number", "version: 1.3", "a string", ""),
        (
            CLUSTER,
            {"security_posture_config": [{"mode": "BASIC"}]},
            "`securityPostureConfig` must be a mapping of properties, not a list",
            "security_posture_config: [...]",
            "a mapping of properties, such as {property: value}",
            "",
        ),
        (
            CLUSTER,
            {"costManagementConfig": {"enabled": "true"}},
            "`costManagementConfig.enabled` must be true or false, not a string",
            "enabled: true",
            "true or false",
            "enabled: true",
        ),
        (
            CLUSTER,
            {"default_max_pods_per_node": 3.5},
            "`defaultMaxPodsPerNode` must be an integer, not a number",
            "default_max_pods_per_node: 3.5",
            "an integer",
            "",
        ),
    ],
)
def test_a_finding_shows_path_value_type_and_fix(
    check: Check, token: str, extra: Any, message: str, given: str, allowed: str, fix: str
) -> None:
    (finding,) = findings(check, token, extra)
    assert (finding.message, finding.given, finding.allowed, finding.fix) == (message, given, (allowed,), fix)
    assert finding.position is not None


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (True, "a boolean"),
        (3, "an integer"),
        (0.5, "a number"),
        ("a", "a string"),
        (["a"], "a list"),
        ({"a": "b"}, "a mapping"),
    ],
)
def test_a_message_quotes_the_written_value(check: Check, value: Any, words: str) -> None:
    name, kind = ("tags", "a list of strings") if words != "a list" else ("image_type", "a string")
    (finding,) = findings(check, NODE_POOL, {"node_config": {name: value}})
    assert finding.message.endswith(f" must be {kind}, not {words}")


def test_an_unknown_value_can_have_any_type(catalog: Catalog) -> None:
    later = Unknown(output="an output")
    extra = {"version": later, "node_config": {"tags": [later], "metadata": {"a": later}, "image_type": later}}
    group = {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b", "extra": extra}
    cluster = {"mode": "standard", "location": "us-east5", "extra": {"description": later}, "slices": {"a": group}}
    plan = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"c": cluster}}).content
    assert plan is not None
    assert validate(plan, catalog) == ()


@pytest.mark.parametrize("value", ["web", "a b", "true", "1.30", "", "x: y", "[a", 3, True])
@pytest.mark.parametrize("property_name", ["tags", "image_type", "metadata"])
def test_a_fix_removes_its_finding(check: Check, property_name: str, value: Any) -> None:
    written = {"k": value} if property_name == "metadata" else value
    extra = {"node_config": {property_name: written}}
    for finding in findings(check, NODE_POOL, extra):
        if finding.fix:
            fixed = yaml.safe_load(finding.fix)
            inside = {property_name: fixed} if property_name == "metadata" else fixed
            assert findings(check, NODE_POOL, {"node_config": inside}) == []


def test_a_number_whose_spelling_yaml_lost_gets_no_fix(check: Check) -> None:
    (finding,) = findings(check, NODE_POOL, {"version": 1.3})
    assert finding.fix == ""
    assert finding.why == 'the provider converts it to "1.3"; only a quoted number keeps its spelling'


def test_properties_in_both_spellings_in_different_blocks_are_not_duplicates(broken: Any) -> None:
    effects = [{"gracePeriod": "1s"}]
    assert "TPU526" not in broken(plan(NODE_POOL, {"node_drain_configs": effects}))
    taints = [{"key": key, "value": "yes", "effect": "NO_SCHEDULE"} for key in ("a", "b")]
    assert "TPU526" not in broken(plan(NODE_POOL, {"node_config": {"taints": taints}}))
    twice = {"node_config": {"imageType": "COS_CONTAINERD"}, "nodeConfig": {"tags": ["a"]}}
    assert "TPU526" in broken(plan(NODE_POOL, twice))


@pytest.fixture(scope="module")
def check_extra() -> Callable[..., tuple[Finding, ...]]:
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
    check_extra: Check, path: str, accepted: list[object], rejected: list[object]
) -> None:
    for value in accepted:
        assert not check_extra(pool=pool(path, value)), value
    for value in rejected:
        (found,) = check_extra(pool=pool(path, value))
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
def test_a_cluster_has_only_accepted_values(check_extra: Check, path: str, accepted: object, rejected: object) -> None:
    assert not check_extra(cluster=pool(path, accepted))
    (found,) = check_extra(cluster=pool(path, rejected))
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
def test_the_fix_is_the_accepted_value_that_is_meant(check_extra: Check, path: str, value: str, fix: str) -> None:
    (found,) = check_extra(pool=pool(path, value))
    assert found.fix.endswith(fix)


@pytest.mark.parametrize(("value", "fix"), [("SYSTEM", "SYSTEM_COMPONENTS"), ("", ""), ("METRICS", "")])
def test_the_fix_is_the_only_value_that_begins_with_the_word(check_extra: Check, value: str, fix: str) -> None:
    (found,) = check_extra(cluster=pool("logging_config.enable_components", [value]))
    assert found.fix == fix


def test_a_fix_in_a_list_replaces_only_the_item(check_extra: Check) -> None:
    (found,) = check_extra(cluster=pool("monitoring_config.enable_components", ["SYSTEM_COMPONENTS", "JOB_SET"]))
    assert (found.path[-2:], found.fix) == (("enable_components", 1), "JOBSET")


@pytest.mark.parametrize("value", [None, [], {}, [[]], [{}], float("nan"), "é" * 5000, "\x1b[31m"])
def test_values_of_any_type_are_read(check_extra: Check, value: object) -> None:
    for path in ("node_config.logging_variant", "node_config.tags", "node_drain_configs", "node_config.taint_config"):
        for found in check_extra(pool=pool(path, value)):
            assert found.rule in ("TPU525", "TPU527", "TPU528")
            assert "\x1b" not in json.dumps(found.message, ensure_ascii=False)


def test_a_property_with_a_plan_key_is_reported_once(check_extra: Check) -> None:
    for path, value in (
        ("upgrade_settings.strategy", "NONE"),
        ("node_config.reservation_affinity.consume_reservation_type", "NONE"),
        ("node_config.reservation_affinity.consume_reservation_type", "ANY_RESERVATION"),
    ):
        (found,) = check_extra(pool=pool(path, value))
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
    check_extra: Check, wrong: dict[str, object], name: str, right: dict[str, object]
) -> None:
    assert not check_extra(pool={"node_config": right})
    (found,) = check_extra(pool={"node_config": wrong})
    assert (found.rule, found.severity) == ("TPU528", Severity.ERROR)
    assert f"`{name}`" in found.message


def test_network_policy_conflicts_with_dataplane_v2(check_extra: Check) -> None:
    enabled = {"network_policy": {"enabled": True}}
    assert [found.rule for found in check_extra(cluster=enabled)] == ["TPU529"]
    assert not check_extra(cluster={"network_policy": {"enabled": False}})
    assert not check_extra(cluster=enabled, security={"dataplane_v2": False})


def test_an_alpha_cluster_has_no_release_channel(check_extra: Check) -> None:
    assert [found.rule for found in check_extra(cluster={"enable_kubernetes_alpha": True})] == ["TPU529"]
    alone = check_extra(cluster={"enable_kubernetes_alpha": True}, release_channel="none")
    assert "TPU529" not in {found.rule for found in alone}


def test_everything_that_a_plan_may_write_has_accepted_values_in_the_catalog() -> None:
    """No accepted value contradicts the default or what GKE reports."""
    for resource in read_catalog().provider.resources.values():
        for name, item in resource.properties.items():
            for value in (item.default, item.reported):
                listed = value if isinstance(value, list) else [value]
                if item.values and value not in (None, "", {}):
                    assert set(listed) <= set(item.values), name
