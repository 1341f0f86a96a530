"""ComputeClasses of plans in the real server: schema and CEL of the definition that GKE publishes."""

import copy
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import yaml
from support.control_plane.client import Object
from support.control_plane.testbed import Testbed
from support.matrix import GENERATIONS, cells, plan_of
from support.rendered import AUTOPILOT, STANDARD, cluster_of, group_with

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.fleet import derive
from pulumi_gke_tpu.core.kubernetes.compute_class import compute_classes
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.rules import check_plan

pytestmark = pytest.mark.usefixtures("crds")

CATALOG = read_catalog()
FALLBACKS = ("flex_start", "on_demand", "spot")
EVERY_KEY = """
tpu: v6e
topology: 4x4
zone: us-east5-b
capacity: {reservation: {name: ours, project: acme-capacity, block: b1, sub_block: s1}}
fallback: [flex_start, on_demand]
boot_disk: {type: hyperdisk-balanced, size_gib: 200, iops: 4000, throughput_mbps: 300}
secondary_boot_disk: {image: projects/acme-images/global/images/weights, mode: container_image_cache}
node_labels: {team: research}
taints: [{key: team, value: research, effect: NO_SCHEDULE}, {key: soft, effect: PREFER_NO_SCHEDULE}]
max_pods_per_node: 32
transparent_hugepages: always
sysctls: {vm.max_map_count: "1048576", kernel.dmesg_restrict: "1"}
network_profile: auto
driver_mode: dynamic_resource_allocation
maintenance: {end_of_support: true}
upgrade: {auto_repair: false, auto_upgrade: true}
node_service_account: tpu@acme-ml.iam.gserviceaccount.com
collection: {name: serving, workload: high_throughput}
placement: {workload_policy: ours}
"""

WITHOUT_CHIPS = {
    "machine_families": ["n4", "n2"],
    "min_cpu": 4,
    "min_memory_gib": 16,
    "spot": True,
    "zones": ["us-east5-a"],
    "boot_disk_type": "hyperdisk-balanced",
    "boot_disk_size_gib": 100,
}


def classes_of(generation: str, mode: str) -> Iterator[Object]:
    """The classes of every shape, with each capacity mode before all others that can follow."""
    table = [cell for cell in cells(generation, mode) if cell.capacity != "queued"]
    plan = plan_of(table)
    for cell in table:
        group = plan["clusters"][cell.zone.rpartition("-")[0]]["slices"][cell.key]
        group["fallback"] = [other for other in FALLBACKS if other != cell.capacity]
    document = parse_plan(plan)
    assert document.content is not None, document.findings
    for cluster in derive(document.content, CATALOG).clusters:
        yield from (item.object for item in compute_classes(cluster, CATALOG))


@pytest.mark.parametrize("mode", ["standard", "autopilot"])
@pytest.mark.parametrize("generation", GENERATIONS)
def test_the_server_accepts_the_class_of_every_shape_and_capacity_mode(
    generation: str, mode: str, bed: Testbed
) -> None:
    classes = list(classes_of(generation, mode))
    assert len(classes) == len([cell for cell in cells(generation, mode) if cell.capacity != "queued"]) > 0
    assert [(item["metadata"]["name"], words) for item in classes if (words := bed.refusal(item))] == []


@pytest.mark.parametrize("cluster", [STANDARD, AUTOPILOT], ids=["standard", "autopilot"])
def test_the_server_accepts_every_key_of_a_group(cluster: str, bed: Testbed) -> None:
    (found,) = compute_classes(group_with(EVERY_KEY, cluster), CATALOG)
    assert bed.refusal(found.object) == ""


@pytest.mark.parametrize("cluster", [STANDARD, AUTOPILOT], ids=["standard", "autopilot"])
def test_the_server_accepts_a_class_without_chips_with_every_kernel_setting(cluster: str, bed: Testbed) -> None:
    facts = CATALOG.platform.sysctls
    values = {name: str(least) for name, (least, _) in facts.numbers.items()} | dict.fromkeys(facts.booleans, "true")
    values |= {"net.ipv4.tcp_rmem": "4096 87380 6291456", "kernel.shmmax": "68719476736"}
    keys = {**WITHOUT_CHIPS, "sysctls": values}
    text = yaml.safe_dump({"kubernetes": {"compute_classes": {"heads": keys}}})
    (found,) = compute_classes(cluster_of(f"{cluster}{text}"), CATALOG)
    assert bed.refusal(found.object) == ""
    written = found.object["spec"]["priorities"][0]["nodeSystemConfig"]["linuxNodeConfig"]["sysctls"]
    written["vm.max_map_count"] = "1048576"
    assert "vm.max_map_count" in bed.refusal(found.object)


@pytest.mark.parametrize("name", ["gke-train", "default", "x" * 63, "y" * 90])
def test_the_server_accepts_every_name(name: str, bed: Testbed) -> None:
    group = "{tpu: v6e, topology: 4x4, zone: us-east5-b, fallback: [spot]}"
    (found,) = compute_classes(cluster_of(f"{STANDARD}slices: {{{name}: {group}}}"), CATALOG)
    assert bed.refusal(found.object) == ""
    pod = {"nodeSelector": {"cloud.google.com/compute-class": found.name}, "containers": [{"name": "a", "image": "a"}]}
    assert bed.refusal({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": pod}) == ""


def _spot_in_flex_start(spec: Object) -> None:
    spec["priorities"][1]["spot"] = True


def _no_reservation(spec: Object) -> None:
    del spec["priorities"][0]["reservations"]["specific"]


def _other_affinity(spec: Object) -> None:
    spec["priorities"][0]["reservations"]["affinity"] = "AnyBestEffort"


def _zone_as_text(spec: Object) -> None:
    spec["priorities"][1]["location"]["zones"] = "us-east5-b"


def _typing_error(spec: Object) -> None:
    spec["priorities"][1]["tpus"] = spec["priorities"][1].pop("tpu")


def _effect_of_gke(spec: Object) -> None:
    spec["priorities"][0]["taints"][0]["effect"] = "NO_SCHEDULE"


def _half_of_the_performance(spec: Object) -> None:
    del spec["priorities"][0]["storage"]["bootDiskProvisionedIops"]


def _throughput_without_group(spec: Object) -> None:
    del spec["nodePoolGroup"]


def _other_word(spec: Object) -> None:
    spec["whenUnsatisfiable"] = "DoNothing"


BROKEN: dict[Callable[[Object], Any], str] = {
    _spot_in_flex_start: "Flex Start provisioning model is incompatible with Spot",
    _no_reservation: "reservations",
    _other_affinity: "reservations",
    _zone_as_text: "zones",
    _typing_error: 'unknown field "spec.priorities[1].tpus"',
    _effect_of_gke: "Unsupported value",
    _half_of_the_performance: "storage",
    _throughput_without_group: "WorkloadType can only be HIGH_AVAILABILITY",
    _other_word: "Unsupported value",
}


@pytest.mark.parametrize("change", BROKEN, ids=lambda change: change.__name__.strip("_"))
def test_the_server_refuses_a_class_with_one_mistake(change: Callable[[Object], Any], bed: Testbed) -> None:
    (found,) = compute_classes(group_with(EVERY_KEY), CATALOG)
    item = copy.deepcopy(found.object)
    change(item["spec"])
    assert BROKEN[change] in bed.refusal(item)


NODES = [
    "boot_disk: {type: hyperdisk-balanced, iops: 4000, throughput_mbps: 300}",
    "boot_disk: {type: hyperdisk-balanced, iops: 2000, throughput_mbps: 140}",
    "boot_disk: {type: hyperdisk-balanced, iops: 160000, throughput_mbps: 2400}",
    "boot_disk: {type: hyperdisk-balanced, iops: 1999, throughput_mbps: 140}",
    "boot_disk: {type: hyperdisk-balanced, iops: 160001, throughput_mbps: 140}",
    "boot_disk: {type: hyperdisk-balanced, iops: 2000, throughput_mbps: 139}",
    "boot_disk: {type: hyperdisk-balanced, iops: 2000, throughput_mbps: 2401}",
    "boot_disk: {type: hyperdisk-balanced, iops: 4000}",
    "boot_disk: {type: hyperdisk-balanced, throughput_mbps: 300}",
    "boot_disk: {iops: 4000, throughput_mbps: 300}",
    "boot_disk: {type: hyperdisk-balanced}",
    "boot_disk: {size_gib: 10}",
    *(
        f"taints: [{{key: team, value: '{value}', effect: NO_SCHEDULE}}]"
        for value in ("", "a", "A", "0", "ab", "abc", "Abc", "aBC", "a.b", "a-b", "9_9", "a" * 63)
    ),
]


@pytest.mark.parametrize("keys", NODES)
def test_the_plan_reports_what_the_server_refuses(keys: str, bed: Testbed) -> None:
    cluster = group_with(f"tpu: v6e\ntopology: 4x4\nzone: us-east5-b\nfallback: [spot]\n{keys}")
    (found,) = compute_classes(cluster, CATALOG)
    group = cluster.plan.model_dump(mode="json", exclude_unset=True)
    document = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"train": group}})
    reported = [item.message for item in check_plan(document, CATALOG).findings if item.rule == "TPU348"]
    assert bool(reported) == bool(bed.refusal(found.object)), reported
