"""Rules about what Pods request, and of objects that only some controllers accept."""

from typing import Any

import pytest
from support.workload_plans import HEADS, TRAIN, workload_plan

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Severity, format_path


def found(rule: str, workload: dict[str, Any], **group: Any) -> list[tuple[str, Severity, str]]:
    slices = {"train": {**TRAIN, "count": 8, **group}}
    cluster = {"addons": ["ray_operator"], "cpu_pools": {"heads": HEADS}, "kubernetes": {"queues": {"q": {}}}}
    plan = workload_plan(slices, {"w": {"slices": "train", **workload}}, **cluster)
    findings = check_plan(parse_plan(plan), read_catalog(), None).findings
    return [(format_path(item.path[5:]), item.severity, item.message) for item in findings if item.rule == rule]


@pytest.mark.parametrize(
    ("key", "value", "too_much"),
    [
        ("cpu", "179", False),
        ("cpu", "180", True),
        ("cpu", "180000m", True),
        ("memory", "719Gi", False),
        ("memory", "720Gi", True),
        ("memory", "1Ti", True),
    ],
)
def test_a_pod_never_gets_all_of_its_host(key: str, value: str, too_much: bool) -> None:
    assert [(path, severity) for path, severity, _ in found("TPU354", {key: value})] == (
        [(key, Severity.ERROR)] if too_much else []
    )


@pytest.mark.parametrize(
    ("workload", "expected"),
    [
        ({"cpu": 100, "sidecars": [79]}, []),
        ({"cpu": 100, "sidecars": [80]}, [("sidecars", "`180`")]),
        ({"cpu": 100, "sidecars": [40, 40]}, [("sidecars", "`180`")]),
        ({"sidecars": [44]}, []),
        ({"sidecars": ["45500m"]}, [("sidecars", "`180.5`")]),
        ({"cpu": 179, "sidecars": [None]}, []),
        ({"cpu": 100, "init_containers": [179, 179]}, []),
        ({"cpu": 100, "init_containers": [1, 180]}, [("init_containers[1].cpu", "`180`")]),
    ],
    ids=str,
)
def test_a_host_has_room_for_the_program_and_its_sidecars_and_for_each_init_container(
    workload: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    """Without a request of the plan, the program requests 135 of 180 vCPUs. Init containers run before it."""
    keys = {key: value for key, value in workload.items() if key == "cpu"}
    for key in workload.keys() - keys:
        keys[key] = [
            {"name": f"{key[0]}{index}", "image": "a", **({"cpu": cpu} if cpu is not None else {})}
            for index, cpu in enumerate(workload[key])
        ]
    assert [(path, message.split(" ")[3].rstrip(",")) for path, _, message in found("TPU354", keys)] == expected


def test_memory_of_sidecars_counts_too() -> None:
    (found_at,) = found("TPU354", {"sidecars": [{"name": "a", "image": "a", "memory": "180Gi"}]})
    assert found_at[0] == "sidecars"
    assert found_at[2] == "a Pod requests `720Gi`, and ct6e-standard-4t has 720 GiB of memory in total"


def test_a_size_on_which_sources_disagree_only_warns() -> None:
    one_chip = {"topology": "1x1"}
    ((_, severity, message),) = found("TPU354", {"memory": "200Gi"}, **one_chip)
    assert severity is Severity.WARNING
    assert message == "a Pod requests `200Gi`, and ct6e-standard-1t has 176 GiB of memory in total"
