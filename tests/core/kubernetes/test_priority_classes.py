"""Priority classes: for Pods, and with queues also for workloads."""

import yaml
from support.rendered import STANDARD, objects_of

from pulumi_gke_tpu.core.kubernetes.shared import priority_classes

MANAGED = {"app.kubernetes.io/managed-by": "gke-tpu"}
CLASSES = {
    "urgent": {"value": 1000, "description": "For releases."},
    "idle": {"value": -10, "preemption": "never"},
}


def rendered(**kubernetes: object) -> list[dict[str, object]]:
    keys = {"priority_classes": CLASSES, **kubernetes}
    return objects_of(STANDARD + yaml.safe_dump({"kubernetes": keys}, sort_keys=False), priority_classes)


URGENT = {
    "apiVersion": "scheduling.k8s.io/v1",
    "kind": "PriorityClass",
    "metadata": {"name": "urgent", "labels": MANAGED},
    "preemptionPolicy": "PreemptLowerPriority",
    "value": 1000,
    "description": "For releases.",
}


def test_without_queues_there_are_classes_of_pods_only() -> None:
    idle = {
        **{key: value for key, value in URGENT.items() if key != "description"},
        "metadata": {"name": "idle", "labels": MANAGED},
        "preemptionPolicy": "Never",
        "value": -10,
    }
    assert rendered() == [URGENT, idle]


def test_with_queues_each_class_has_one_of_workloads_with_the_same_name_and_value() -> None:
    found = rendered(queues={"research": {}})
    assert found[:2] == [
        URGENT,
        {
            "apiVersion": "kueue.x-k8s.io/v1beta2",
            "kind": "WorkloadPriorityClass",
            "metadata": {"name": "urgent", "labels": MANAGED},
            "value": 1000,
            "description": "For releases.",
        },
    ]
    assert [(item["kind"], item["metadata"]["name"], item["value"]) for item in found[2:]] == [
        ("PriorityClass", "idle", -10),
        ("WorkloadPriorityClass", "idle", -10),
    ]


def test_no_class_is_the_default_of_all_pods() -> None:
    """The server does not store a `globalDefault` that is false."""
    assert [item for item in rendered() if "globalDefault" in item] == []
