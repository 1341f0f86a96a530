"""Nodes of slice groups: boot disks, Pods per node, properties under ``extra``, labels, taints and names."""

import datetime
from collections.abc import Callable
from typing import Any

import pytest
from support.checking import validate

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.plan import Unknown, parse_plan
from pulumi_gke_tpu.core.text.findings import Finding

Broken = Callable[[str], list[str]]
Check = Callable[..., tuple[Finding, ...]]
ALL_SUPPORTED = datetime.date(2025, 9, 1)
"""A day on which the end of support of no version in the catalog has come."""
DRA = "cloud.google.com/gke-tpu-dra-driver"

PLACES = {
    "ct3": ("v3", "2x2", "us-central1-a"),
    "ct3p": ("v3", "4x4", "us-east1-d"),
    "ct4p": ("v4", "2x2x1", "us-central2-b"),
    "ct5lp": ("v5e", "2x2", "us-west4-a"),
    "ct5p": ("v5p", "2x2x1", "us-east5-a"),
    "ct6e": ("v6e", "2x2", "us-east5-b"),
    "tpu7x": ("tpu7x", "2x2x1", "us-central1-c"),
}


def group(keys: str, family: str = "ct6e", mode: str = "standard") -> str:
    generation, topology, zone = PLACES[family]
    body = f"{{tpu: {generation}, topology: {topology}, zone: {zone}, {keys}}}"
    return f"mode: {mode}\nlocation: {zone.rsplit('-', 1)[0]}\nslices: {{main: {body}}}\n"


def weights(findings: tuple[Finding, ...]) -> list[str]:
    return [f"{finding.rule} {finding.severity.word}" for finding in findings]


@pytest.mark.parametrize(
    ("family", "kind", "expected"),
    [
        ("ct3", "pd-standard", []),
        ("ct3p", "pd-balanced", []),
        ("ct3", "hyperdisk-balanced", ["TPU501 error"]),
        ("ct4p", "pd-ssd", []),
        ("ct4p", "hyperdisk-balanced", ["TPU502 warning"]),
        ("ct5lp", "pd-balanced", []),
        ("ct5lp", "pd-standard", ["TPU501 error"]),
        ("ct5lp", "hyperdisk-balanced", ["TPU502 warning"]),
        ("ct5lp", "hyperdisk-ml", ["TPU501 error"]),
        ("ct5p", "pd-balanced", []),
        ("ct5p", "pd-ssd", ["TPU503 warning"]),
        ("ct5p", "hyperdisk-balanced", ["TPU502 warning"]),
        ("ct6e", "hyperdisk-balanced", []),
        ("ct6e", "pd-balanced", ["TPU501 error"]),
        ("ct6e", "pd-standard", ["TPU501 error"]),
        ("ct6e", "hyperdisk-ml", ["TPU501 error"]),
        ("tpu7x", "hyperdisk-balanced", []),
        ("tpu7x", "pd-ssd", ["TPU501 error"]),
        ("tpu7x", "hyperdisk-extreme", ["TPU501 error"]),  # what sources disagree on is attaching it
        ("tpu7x", "hyperdisk-ml", ["TPU501 error"]),
        ("ct6e", "balanced", ["TPU501 error"]),
        ("ct6e", "''", ["TPU501 error"]),
    ],
)
def test_boot_disk_types(family: str, kind: str, expected: list[str], check: Check) -> None:
    assert weights(check(group(f"boot_disk: {{type: {kind}}}", family))) == expected


@pytest.mark.parametrize("family", list(PLACES))
def test_the_default_type_and_none_are_silent(family: str, broken: Broken, catalog: Catalog) -> None:
    kind = catalog.disks.families[family].default_boot
    assert broken(group(f"boot_disk: {{type: {kind}, size_gib: 200}}", family)) == []
    assert broken(group("boot_disk: {size_gib: 65536}", family)) == []


@pytest.mark.parametrize("spelling", ["node_config: {confidential_nodes", "nodeConfig: {confidentialNodes"])
def test_confidential_nodes_boot_from_more(spelling: str, broken: Broken) -> None:
    extra = f"extra: {{{spelling}: {{enabled: true}}}}}}"
    assert broken(group(f"boot_disk: {{type: hyperdisk-balanced}}, {extra}", "ct5p")) == []


@pytest.mark.parametrize(
    ("family", "disk", "expected"),
    [
        ("ct6e", "type: hyperdisk-balanced, iops: 5000, throughput_mbps: 300", []),
        ("ct6e", "iops: 5000", []),
        ("ct5p", "type: pd-balanced, iops: 5000", ["TPU504 error"]),
        ("ct5p", "type: pd-balanced, iops: 5000, throughput_mbps: 300", ["TPU504 error"] * 2),
        ("ct5p", "throughput_mbps: 300", ["TPU504 warning"]),
        ("ct6e", "type: pd-ssd, iops: 5000", ["TPU501 error", "TPU504 error"]),
    ],
)
def test_disk_performance(family: str, disk: str, expected: list[str], check: Check) -> None:
    assert sorted(weights(check(group(f"boot_disk: {{{disk}}}", family)))) == expected


@pytest.mark.parametrize(
    ("pods", "expected", "fix"),
    [
        (7, ["TPU511 error"], "max_pods_per_node: 8"),
        (8, [], ""),
        (110, [], ""),
        (256, [], ""),
        (257, ["TPU511 error"], "max_pods_per_node: 256"),
    ],
)
def test_pods_per_node(pods: int, expected: list[str], fix: str, check: Check) -> None:
    findings = check(group(f"max_pods_per_node: {pods}"))
    assert weights(findings) == expected
    assert [finding.fix for finding in findings] == ([fix] if expected else [])


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
        ("node_config: {image_type: UBUNTU_CONTAINERD}", ["TPU512"]),
        ("nodeConfig: {imageType: ubuntu}", ["TPU512"]),
        ("node_config: {reservation_affinity: {consume_reservation_type: ANY_RESERVATION}}", ["TPU514"]),
        ("node_config: {reservation_affinity: {consumeReservationType: ANY_RESERVATION_THEN_FAIL}}", ["TPU514"]),
        ("node_config: {reservation_affinity: {consume_reservation_type: NO_RESERVATION}}", ["TPU522"]),
        ("node_config: {advanced_machine_features: {threads_per_core: 2}}", []),
        # what TPU machines do not have
        ("node_config: {local_ssd_count: 1}", ["TPU515"]),
        ("node_config: {local_ssd_count: 0}", []),
        ("nodeConfig: {ephemeralStorageLocalSsdConfig: {localSsdCount: 2}}", ["TPU515"]),
        ("node_config: {sole_tenant_config: {node_affinities: [{key: a, operator: IN, values: [b]}]}}", ["TPU515"]),
        (
            "node_config: {advanced_machine_features: {threads_per_core: 2, enable_nested_virtualization: true}}",
            ["TPU515"],
        ),
        ("node_config: {advanced_machine_features: {threads_per_core: 2, enable_nested_virtualization: false}}", []),
        # one property after another
        ("node_config: {advanced_machine_features: {threads_per_core: 2}, image_type: UBUNTU}", ["TPU512"]),
    ],
)
def test_properties_under_extra(extra: str, expected: list[str], check: Check) -> None:
    assert [finding.rule for finding in check(group(f"extra: {{{extra}}}"))] == expected


@pytest.mark.parametrize(("threads", "expected"), [(1, []), (2, ["TPU513"]), ("two", ["TPU513", "TPU525"])])
def test_eight_chip_hosts_of_v6e_run_one_thread_per_core(threads: Any, expected: list[str], broken: Broken) -> None:
    extra = f"extra: {{node_config: {{advanced_machine_features: {{threads_per_core: {threads}}}}}}}"
    assert broken(f"tpu: v6e\ntopology: 2x4\nchips_per_host: 8\n{extra}") == expected


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
    (finding,) = check(group("extra: {node_config: {kubelet_config: {cpuManagerPolcy: static}}}"))
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
    (finding,) = check(group(f"extra: {{{extra}}}"))
    assert (finding.rule, finding.message) == ("TPU522", message)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ("team: research", []),
        ("example.com/team: research", []),
        ("a.b-c.example/Team_1.x: 'Value_1.x'", []),
        ("team: ''", []),
        (f"{'k' * 63}: {'v' * 63}", []),
        (f"{'k' * 64}: v", ["TPU532"]),
        (f"k: {'v' * 64}", ["TPU532"]),
        (f"{'a' * 63}.{'b' * 63}.{'c' * 63}.{'d' * 61}/k: v", []),
        (f"{'a' * 63}.{'b' * 63}.{'c' * 63}.{'d' * 62}/k: v", ["TPU532"]),
        ("Example.com/team: research", ["TPU532"]),
        ("a/b/c: v", ["TPU532"]),
        ("/team: v", ["TPU532"]),
        ("team/: v", ["TPU532"]),
        ("-team: v", ["TPU532"]),
        ("team: -v", ["TPU532"]),
        ("'': v", ["TPU532"]),
        ("team: research lab", ["TPU532"]),
        ("tëam: v", ["TPU532"]),
        # GKE's own
        ("cloud.google.com/gke-spot: 'true'", ["TPU531"]),
        ("cloud.google.com/gke-nodepool: main", ["TPU531"]),
        ("sandbox.gke.io/runtime: gvisor", ["TPU531"]),
        ("cloud.google.com/gke-tpu-topology: 4x4", ["TPU531"]),  # the group has 2x2
        # of Kubernetes
        ("kubernetes.io/os: linux", ["TPU531"]),
        ("node-role.kubernetes.io/tpu: ''", ["TPU531"]),
        ("app.kubernetes.io/name: trainer", ["TPU531"]),
        ("k8s.io/team: research", ["TPU531"]),
        ("jobset.sigs.k8s.io/team: research", ["TPU531"]),
        ("node.kubernetes.io/team: research", []),
        ("kubelet.kubernetes.io/team: research", []),
        ("kueue.x-k8s.io/team: research", []),
        ("mykubernetes.io/team: research", []),
        ("cloud.google.com/compute-class: training", []),
        ("cloud.google.com/gke-kdump-enabled: 'true'", []),
        ("cloud.google.com/gke-workload-type: HIGH_AVAILABILITY", []),
        ("node-restriction.kubernetes.io/team: research", []),
        ("my-cloud.google.com/team: research", []),
    ],
)
def test_node_labels(labels: str, expected: list[str], check: Check) -> None:
    findings = check(group(f"node_labels: {{{labels}}}"))
    assert [finding.rule for finding in findings] == expected
    assert all(finding.severity.word == "error" for finding in findings)


@pytest.mark.parametrize(
    "labels",
    [
        "cloud.google.com/gke-smt-disabled: 'true'",
        "cloud.google.com/team: research",
        "autoscaling.gke.io/team: research",
        # what a published command for a node pool of this group writes
        "cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice",
        "cloud.google.com/gke-tpu-topology: 2x2",
        "cloud.google.com/gke-accelerator-count: '4'",
    ],
)
def test_a_label_that_gke_may_accept_is_not_refused(labels: str, check: Check) -> None:
    assert weights(check(group(f"node_labels: {{{labels}}}"))) == ["TPU531 warning"]


@pytest.mark.parametrize(
    ("keys", "fix"),
    [
        ("node_labels: {cloud.google.com/team: 'true'}", 'team: "true"'),
        ("node_labels: {node-role.kubernetes.io/tpu: ''}", 'tpu: ""'),
        ("node_labels: {kubernetes.io/os: linux}", "os: linux"),
        ("node_labels: {kubernetes.io/version: '1.30'}", 'version: "1.30"'),
        ("resource_labels: {Team: research}", "team: research"),
        ("resource_labels: {Stage: '1'}", 'stage: "1"'),
        ("resource_labels: {stage: 'TRUE'}", 'stage: "true"'),
        ("resource_labels: {'On': call}", '"on": call'),
    ],
)
def test_a_label_can_be_pasted_in_its_new_form(keys: str, fix: str, check: Check, broken: Broken) -> None:
    (finding,) = check(group(keys))
    assert finding.fix == fix
    assert broken(group(f"{keys.partition(':')[0]}: {{{fix}}}")) == []


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("collection: {name: chat}, node_labels: {cloud.google.com/gke-workload-type: HIGH_THROUGHPUT}", ["TPU538"]),
        ("collection: {name: chat}, node_labels: {cloud.google.com/gke-workload-type: HIGH_AVAILABILITY}", []),
        ("network_profile: auto, node_labels: {cloud.google.com/gke-networking-dra-driver: 'false'}", ["TPU538"]),
        ("network_profile: auto, node_labels: {cloud.google.com/gke-networking-dra-driver: 'true'}", []),
        ("capacity: {flex_start: {queued: true}}, node_labels: {cloud.google.com/gke-queued: 'false'}", ["TPU538"]),
        ("capacity: {flex_start: {queued: true}}, node_labels: {cloud.google.com/gke-queued: 'true'}", []),
        (f"driver_mode: dynamic_resource_allocation, node_labels: {{{DRA}: 'false'}}", ["TPU538"]),
        (f"driver_mode: dynamic_resource_allocation, node_labels: {{{DRA}: 'true'}}", []),
        (f"driver_mode: device_plugin, node_labels: {{{DRA}: 'true'}}", []),
        (f"node_labels: {{{DRA}: 'true'}}", []),
        ("node_labels: {cloud.google.com/gke-networking-dra-driver: 'true'}", []),
        ("node_labels: {cloud.google.com/gke-queued: 'true'}", ["TPU531"]),
    ],
)
def test_labels_that_other_keys_set(keys: str, expected: list[str], broken: Broken) -> None:
    assert broken(group(keys)) == expected


@pytest.mark.parametrize("keys", ["driver_mode: dynamic_resource_allocation", f"node_labels: {{{DRA}: 'true'}}"])
@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("1.33", ["TPU233 warning"]),
        ("1.34.1-gke.1126999", ["TPU233 warning"]),
        ("1.34.1-gke.1127000", []),
        ("1.34", []),
    ],
)
def test_the_dra_driver_needs_a_version(keys: str, version: str, expected: list[str], check: Check) -> None:
    assert weights(check(f'min_version: "{version}"\n{group(keys)}', ALL_SUPPORTED)) == expected


def test_a_label_without_effect_needs_no_version(check: Check) -> None:
    keys = f"driver_mode: device_plugin, node_labels: {{{DRA}: 'false'}}"
    assert check(f'min_version: "1.33"\n{group(keys)}', ALL_SUPPORTED) == ()


def test_the_driver_is_not_chosen_by_a_plan_on_autopilot(check: Check) -> None:
    (finding,) = check(group("driver_mode: dynamic_resource_allocation", mode="autopilot"))
    assert (finding.rule, finding.severity.word) == ("TPU281", "error")
    assert "ComputeClass sets the driver with nodePoolConfig.tpu.driverMode" in finding.message


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ("team: research", []),
        ("team: ''", []),
        ("team_1-x: a_1-x", []),
        ("équipe: recherche_été", []),
        (f"{'k' * 63}: {'v' * 63}", []),
        (f"{'k' * 64}: v", ["TPU533 error"]),
        (f"k: {'v' * 64}", ["TPU533 error"]),
        ("Team: research", ["TPU533 error"]),
        ("team: Research", ["TPU533 error"]),
        ("1team: research", ["TPU533 error"]),
        ("_team: research", ["TPU533 error"]),
        ("example.com/team: research", ["TPU533 error"]),
        ("team: research lab", ["TPU533 error"]),
        ("'': v", ["TPU533 error"]),
        ("goog-team: research", ["TPU533 warning"]),
    ],
)
def test_google_cloud_labels(labels: str, expected: list[str], check: Check) -> None:
    assert weights(check(group(f"resource_labels: {{{labels}}}"))) == expected
    for text in (
        f"mode: autopilot\nlocation: us-east5\nresource_labels: {{{labels}}}\n",
        f"version: 1\nproject: acme-ml\nresource_labels: {{{labels}}}\n"
        "clusters: {train: {mode: standard, location: us-east5}}\n",
    ):
        assert weights(check(text)) == expected


def test_the_fix_for_an_upper_case_label_is_lower_case(check: Check) -> None:
    (finding,) = check(group("resource_labels: {Team: Research}"))
    assert finding.fix == "team: research"
    (finding,) = check(group("resource_labels: {Team: Research Lab}"))
    assert finding.fix == ""


def many(prefix: str, count: int) -> str:
    return "{" + ", ".join(f"{prefix}{number}: x" for number in range(count)) + "}"


@pytest.mark.parametrize(
    ("plan", "cluster", "members", "expected"),
    [
        (20, 20, 24, []),
        (20, 20, 25, ["group"]),
        (20, 45, 1, ["cluster"]),
        (65, 1, 1, ["plan"]),
        (65, 0, 0, ["plan"]),
    ],
)
def test_labels_are_counted_together(plan: int, cluster: int, members: int, expected: list[str], check: Check) -> None:
    text = (
        f"version: 1\nproject: acme-ml\nresource_labels: {many('p', plan)}\n"
        f"clusters:\n  train:\n    mode: standard\n    location: us-east5\n    resource_labels: {many('c', cluster)}\n"
        "    slices:\n      main:\n        tpu: v6e\n        topology: 2x2\n        zone: us-east5-b\n"
        f"        resource_labels: {many('g', members)}\n"
    )
    depths = {1: "plan", 3: "cluster", 5: "group"}
    findings = check(text)
    assert {finding.rule for finding in findings} <= {"TPU534"}
    assert [depths[len(finding.path)] for finding in findings] == expected


@pytest.mark.parametrize(
    ("taints", "expected"),
    [
        ("{key: team, effect: NO_SCHEDULE}", []),
        ("{key: example.com/team, value: research, effect: NO_EXECUTE}", []),
        ("{key: google.com/tpu, value: present, effect: NO_SCHEDULE}", ["TPU535 warning"]),
        ("{key: google.com/tpu, effect: NO_EXECUTE}", ["TPU535 warning"]),
        ("{key: google.com/tpu-team, effect: NO_EXECUTE}", []),
        ("{key: a b, effect: NO_SCHEDULE}", ["TPU536 error"]),
        ("{key: '', effect: NO_SCHEDULE}", ["TPU536 error"]),
        ("{key: team, value: a b, effect: NO_SCHEDULE}", ["TPU536 error"]),
        ("{key: a, effect: NO_SCHEDULE}, {key: a, effect: NO_EXECUTE}", []),
        ("{key: a, effect: NO_SCHEDULE}, {key: a, value: b, effect: NO_SCHEDULE}", ["TPU537 error"]),
        (
            "{key: a, effect: NO_SCHEDULE}, {key: a, effect: NO_SCHEDULE}, {key: a, effect: NO_SCHEDULE}",
            ["TPU537 error"] * 2,
        ),
    ],
)
def test_taints(taints: str, expected: list[str], check: Check) -> None:
    assert weights(check(group(f"taints: [{taints}]"))) == expected


def test_a_duplicate_taint_names_the_entry_that_defines_it(check: Check) -> None:
    taints = "{key: b, effect: NO_EXECUTE}, {key: a, effect: NO_SCHEDULE}, {key: a, value: b, effect: NO_SCHEDULE}"
    (finding,) = check(group(f"taints: [{taints}]"))
    assert finding.message == "duplicate taint `a:NoSchedule`: entry 2 of the list already defines this taint"


@pytest.mark.parametrize(
    ("key", "fix"),
    [
        ("kubernetes.io/team", "key: team"),
        ("node.kubernetes.io/out-of-service", "key: out-of-service"),
        ("node-restriction.kubernetes.io/team", "key: team"),
        ("kubernetes.io.example.com/team", None),
        ("my-kubernetes.io/team", None),
        ("example.com/kubernetes.io", None),
        ("kubernetes.io", None),
    ],
)
def test_taints_of_kubernetes(key: str, fix: str | None, check: Check) -> None:
    findings = check(group(f"taints: [{{key: {key}, effect: NO_SCHEDULE}}]"))
    assert weights(findings) == ([] if fix is None else ["TPU539 warning"])
    assert [finding.fix for finding in findings] == ([] if fix is None else [fix])


@pytest.mark.parametrize(
    ("name", "keys", "pool"),
    [
        ("a" * 40, "", ""),
        ("a" * 41, "", f"{'a' * 31}-"),
        ("a" * 38, "topology: 4x4", ""),
        ("a" * 39, "topology: 4x4", f"{'a' * 31}-"),
        ("a" * 38, "topology: 4x4, count: 11", f"{'a' * 31}-"),
    ],
)
def test_a_name_that_is_shortened(name: str, keys: str, pool: str, check: Check) -> None:
    members = f"tpu: v6e, zone: us-east5-b, {keys or 'topology: 2x2'}"
    findings = check(f"mode: standard\nlocation: us-east5\nslices: {{main: {{{members}, name: {name}}}}}\n")
    assert weights(findings) == (["TPU297 note"] if pool else [])
    assert all(f"truncates it to `{pool}" in finding.message for finding in findings)
    assert check(f"mode: standard\nlocation: us-east5\nslices: {{{name}: {{{members}}}}}\n") == ()


def cluster(groups: str, mode: str = "standard") -> str:
    return f"mode: {mode}\nlocation: us-east5\nslices: {{{groups}}}\n"


ONE, MANY = "{tpu: v6e, topology: 2x2, zone: us-east5-b}", "{tpu: v6e, topology: 4x4, zone: us-east5-b, count: 2}"


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("a", []),
        ("a-very-long-name-of-a-group-that-is-shortened-by-itself", []),
        ("Pretrain", ["TPU292"]),
        ("2x2", ["TPU292"]),
        ("pre_train", ["TPU292"]),
        ("pretrain-", ["TPU292"]),
        ("a/b", ["TPU292"]),
        ("'a b'", ["TPU292"]),
        ("''", ["TPU292"]),
    ],
)
def test_names_of_groups(key: str, expected: list[str], broken: Broken) -> None:
    assert broken(cluster(f"{key}: {ONE}")) == expected
    on_autopilot = [] if key == "2x2" else expected
    assert broken(cluster(f"{key}: {{tpu: v6e, topology: 2x2}}", "autopilot")) == on_autopilot


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("Pre_train.2", []),
        ("'2x2'", []),
        ("a/b", ["TPU291"]),
        ("'a b'", ["TPU291"]),
        ("'a[0]'", ["TPU291"]),
        ("''", ["TPU291"]),
        ("k" * 101, ["TPU291"]),
    ],
)
def test_keys_beside_a_name(key: str, expected: list[str], broken: Broken) -> None:
    assert broken(cluster(f"{key}: {{tpu: v6e, topology: 2x2, zone: us-east5-b, name: good}}")) == expected
    clusters = f"  {key}: {{mode: standard, location: us-east5, name: good}}\n"
    assert broken(f"version: 1\nproject: acme-ml\nclusters:\n{clusters}") == expected


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        (f"a: {MANY}, a-0: {ONE}", ["TPU293"]),
        (f"a: {MANY}, a-1: {ONE}", ["TPU293"]),
        (f"a: {MANY}, a-2: {ONE}", []),
        (f"a: {MANY}, a-0: {MANY}", []),  # pools a-0, a-1 and a-0-0, a-0-1
        (f"system: {ONE}", ["TPU293"]),
        (f"system: {MANY}", []),
        (f"a: {ONE}, b: {{tpu: v6e, topology: 1x1, zone: us-east5-b, name: a}}", ["TPU293"]),
        (f"a: {MANY}, b: {{tpu: v6e, topology: 4x8, zone: us-east5-b, name: a}}", ["TPU293"]),
        (f"a: {MANY}, b: {{tpu: v6e, topology: 4x8, zone: us-east5-b, name: a, indices: [2]}}", []),
    ],
)
def test_names_of_pools(groups: str, expected: list[str], check: Check) -> None:
    assert [finding.rule for finding in check(cluster(groups))] == expected


def test_pools_of_autopilot_do_not_exist(broken: Broken) -> None:
    groups = "a: {tpu: v6e, topology: 4x4}, a-0: {tpu: v6e, topology: 2x2}, system: {tpu: v6e, topology: 1x1}"
    assert broken(cluster(groups, "autopilot")) == []


@pytest.mark.parametrize(
    ("collection", "expected"),
    [
        ("chat", []),
        ("Chat_1.x", []),
        ("c" * 63, []),
        ("c" * 64, ["TPU296"]),
        ("chat models", ["TPU296"]),
        ("-chat", ["TPU296"]),
        ("''", ["TPU296"]),
    ],
)
def test_names_of_collections(collection: str, expected: list[str], broken: Broken) -> None:
    assert broken(f"tpu: v6e\ntopology: 4x4\ncollection: {{name: {collection}}}") == expected


@pytest.mark.parametrize(
    ("policy", "expected", "fix"),
    [
        ("cube", [], ""),
        ("p" * 63, [], ""),
        ("p" * 64, ["TPU295"], ""),
        ("Cube", ["TPU295"], ""),
        ("projects/acme-ml/regions/us-central1/resourcePolicies/cube", ["TPU295"], "workload_policy: cube"),
        ("https://www.googleapis.com/compute/v1/cube", ["TPU295"], "workload_policy: cube"),
    ],
)
def test_names_of_workload_policies(policy: str, expected: list[str], fix: str, check: Check) -> None:
    body = f"{{tpu: tpu7x, topology: 2x2x2, zone: us-central1-c, placement: {{workload_policy: '{policy}'}}}}"
    findings = check(f"mode: standard\nlocation: us-central1\nslices: {{main: {body}}}\n")
    assert [finding.rule for finding in findings] == expected
    assert [finding.fix for finding in findings] == ([fix] if expected else [])


def test_values_known_later_are_passed_over(catalog: Catalog) -> None:
    members = {
        "tpu": "tpu7x",
        "topology": "2x2x2",
        "zone": "us-central1-c",
        "node_labels": {"team": Unknown(output=object()), "cloud.google.com/compute-class": Unknown(output=object())},
        "resource_labels": {"team": Unknown(output=object())},
        "placement": {"workload_policy": Unknown(output=object())},
        "extra": {"node_config": {"image_type": Unknown(output=object()), "tags": Unknown(output=object())}},
    }
    clusters = {"train": {"mode": "standard", "location": "us-central1", "slices": {"main": members}}}
    document = parse_plan({"version": 1, "project": "acme-ml", "clusters": clusters})
    assert document.content is not None
    assert validate(document.content, catalog) == ()
