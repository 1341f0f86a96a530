"""ComputeClasses for Pods without chips: what the rules report, and what renders."""

from typing import Any

import pytest
import yaml
from support.multikueue import manager_plan, told
from support.rendered import STANDARD, class_of, group_with
from support.workload_plans import objects_of, only, with_image

RULES = ("TPU324", "TPU345", "TPU347", "TPU505", "TPU507", "TPU588", "TPU589", "TPU590", "TPU700", "TPU701", "TPU714")
CHAT = with_image({"slices": "serve", "kind": "leaderworkerset"})
KEY = "c.kubernetes.compute_classes"
HEADS = "heads: {machine_families: [n4, n2]}"


def plan_of(classes: str, head: dict[str, Any], mode: str = "standard", **cluster: Any) -> dict[str, Any]:
    group = {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b"}
    kubernetes = {"compute_classes": yaml.safe_load(classes), "workloads": {"chat": {**CHAT, "head": head}}}
    body = {"mode": mode, "location": "us-east5", "slices": {"serve": group}, "kubernetes": kubernetes, **cluster}
    return {"version": 1, "project": "acme-ml", "clusters": {"c": body}}


@pytest.mark.parametrize("mode", ["standard", "autopilot"])
@pytest.mark.parametrize(
    ("classes", "found"),
    [
        (HEADS, []),
        ("heads: {machine_families: [n2]}", []),
        ("heads: {machine_families: [n4, n2, n4]}", ["TPU589 warning heads.machine_families[2]"]),
        ("heads: {machine_families: [ct6e]}", ["TPU589 heads.machine_families[0]"]),
        ("heads: {machine_families: [n2, m9]}", ["TPU589 warning heads.machine_families[1]"]),
        ("heads: {machine_families: [n2], zones: [us-west4-b]}", ["TPU589 heads.zones[0]"]),
        ("heads: {machine_families: [n4], zones: [us-east5-a, us-east5-b]}", []),
        ("heads: {machine_families: [c4, n4], boot_disk_type: hyperdisk-balanced}", []),
        ("heads: {machine_families: [c4, n2], boot_disk_type: pd-balanced}", ["TPU507 heads.boot_disk_type"]),
        ("heads: {machine_families: [n2], boot_disk_type: pd-balnced}", ["TPU505 warning heads.boot_disk_type"]),
        (
            'heads: {machine_families: [n2], sysctls: {vm.max_map_count: "1"}}',
            ['TPU588 warning heads.sysctls["vm.max_map_count"]'],
        ),
        (
            'heads: {machine_families: [n2], sysctls: {kernel.dmesg_restrict: "yes"}}',
            ['TPU588 warning heads.sysctls["kernel.dmesg_restrict"]'],
        ),
        (f"{HEADS}\nbuilders: {{machine_families: [n2]}}", []),
        (f"{HEADS}\ngke-heads: {{machine_families: [n2]}}", ["TPU589 gke-heads"]),
        (f"{HEADS}\nBuilders: {{machine_families: [n2]}}", ["TPU701 Builders"]),
    ],
)
def test_rules(mode: str, classes: str, found: list[str]) -> None:
    reported = told(plan_of(classes, {"compute_class": "heads"}, mode), RULES)
    assert sorted(item.replace(f"{KEY}.", "") for item in reported) == sorted(found)


def test_a_class_that_the_plan_does_not_have_is_unknown() -> None:
    reported = told(plan_of("heads: {machine_families: [n2]}", {"compute_class": "head"}), RULES)
    assert reported == ["TPU700 c.kubernetes.workloads.chat.head.compute_class"]


@pytest.mark.parametrize(
    ("head", "kind", "found"),
    [
        ({"cpu": 2}, "leaderworkerset", True),
        ({"compute_class": "heads"}, "leaderworkerset", False),
        ({"compute_class": "other"}, "leaderworkerset", False),
        (None, "rayjob", True),
        (None, "jobset", False),
    ],
)
def test_a_class_is_unused_only_beside_a_head_without_one(head: dict[str, Any] | None, kind: str, found: bool) -> None:
    plan = plan_of("heads: {machine_families: [n2]}\nother: {machine_families: [n4]}", {}, addons=["ray_operator"])
    keys = {"head": head} if head is not None else {}
    plan["clusters"]["c"]["kubernetes"]["workloads"] = {"chat": {**CHAT, "kind": kind, **keys}}
    assert (told(plan, ("TPU590",)) != []) is found


def test_a_class_of_a_slice_group_has_its_name_alone() -> None:
    plan = plan_of("tpu-serve: {machine_families: [n2]}", {"compute_class": "tpu-serve"})
    assert told(plan, RULES) == []
    plan["clusters"]["c"]["slices"]["serve"]["fallback"] = ["spot"]
    assert told(plan, ("TPU589",)) == [f"TPU589 {KEY}.tpu-serve"]


def test_a_head_in_a_class_needs_no_pool_that_is_large_enough() -> None:
    """GKE creates the node for the Pod; in a CPU pool of the plan, the same head does not fit."""
    large = {"cpu": 100, "memory": "300Gi"}
    pools = {"small": {"machine_type": "n2-standard-4", "nodes": 1, "zones": ["us-east5-b"]}}
    assert told(plan_of(HEADS, large, cpu_pools=pools), ("TPU324",)) != []
    own = plan_of(HEADS, {**large, "compute_class": "heads"}, cpu_pools=pools)
    assert told(own, RULES) == []
    template = only(objects_of(own), "LeaderWorkerSet")["spec"]["leaderWorkerTemplate"]["leaderTemplate"]
    assert template["spec"]["nodeSelector"] == {"cloud.google.com/compute-class": "heads"}
    assert "tolerations" not in template["spec"]


@pytest.mark.parametrize(
    ("version", "sysctls", "autoprovisioning", "found"),
    [
        ("1.34", True, False, []),
        ("1.33.2", False, False, ["TPU345"]),
        ("1.33.2", False, True, []),
        ("1.32.0", True, True, ["TPU347"]),
        ("1.32.0", False, True, []),
    ],
)
def test_versions(version: str, sysctls: bool, autoprovisioning: bool, found: list[str]) -> None:
    keys = {"machine_families": ["n2"], **({"sysctls": {"vm.max_map_count": "1048576"}} if sysctls else {})}
    plan = plan_of(yaml.safe_dump({"heads": keys}), {"compute_class": "heads"}, min_version=version)
    if autoprovisioning:
        plan["clusters"]["c"]["autoprovisioning"] = {"cpu": 10000, "memory_gib": 50000, "tpu": {"v6e": 64}}
    assert sorted(item.split()[0] for item in told(plan, ("TPU345", "TPU347"))) == found


def test_only_workers_that_get_the_workload_need_its_class() -> None:
    run = {"slices": "pretrain", "kind": "leaderworkerset", "head": {"compute_class": "heads"}}
    plan = manager_plan(workloads={"run": run})
    place = "TPU865 hub.kubernetes.workloads.run.head.compute_class"
    classes = {"heads": {"machine_families": ["n2"]}}
    rules = ("TPU865", "TPU590", "TPU700")
    plan["clusters"]["east"]["kubernetes"]["compute_classes"] = classes
    assert told(plan, rules) == [place]
    plan["clusters"]["west"]["slices"]["other"] = plan["clusters"]["west"]["slices"].pop("pretrain")
    plan["clusters"]["hub"]["kubernetes"]["queues"] = {"research": {"chips": {"pretrain": 32}}}
    assert told(plan, rules) == []


def test_kernel_settings_have_the_types_of_the_definition() -> None:
    text = '{vm.max_map_count: "1048576", kernel.dmesg_restrict: "true", net.ipv4.tcp_rmem: 4096 87380 16777216}'
    typed = {"vm.max_map_count": 1048576, "kernel.dmesg_restrict": True, "net.ipv4.tcp_rmem": "4096 87380 16777216"}
    plan = plan_of(f"heads: {{machine_families: [n4, n2], sysctls: {text}}}", {"compute_class": "heads"})
    spec = only(objects_of(plan), "ComputeClass")["spec"]
    assert [entry["machineFamily"] for entry in spec["priorities"]] == ["n4", "n2"]
    group = class_of(group_with(f"tpu: v6e\ntopology: 4x4\nfallback: [spot]\nsysctls: {text}", STANDARD))
    for entry in (*spec["priorities"], *group["priorities"]):
        assert entry["nodeSystemConfig"] == {"linuxNodeConfig": {"sysctls": typed}}
