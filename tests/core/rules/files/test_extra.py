"""Rules about provider properties under ``extra``."""

import pytest
from support.fixtures.checks import Broken, Check
from support.rule_plans import on_family


@pytest.mark.parametrize(
    ("extra", "expected"),
    [
        # known properties that the plan does not model, in both spellings
        ("node_config: {tags: [tpu]}", []),
        ("nodeConfig: {tags: [tpu]}", []),
        ("node_config: {kubelet_config: {cpu_manager_policy: static}}", []),
        ("node_config: {linux_node_config: {sysctls: {net.core.somaxconn: '1024'}}}", []),
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
