"""Rules about queued provisioning and the capacity of the slice groups of a plan."""

from typing import Any

import pytest
import yaml
from support.manifests import broken, findings_in
from support.workload_plans import TRAIN, objects_of, workload_plan

from pulumi_gke_tpu.features.check.rules.alignment.queued_capacity import request_for_other_capacity

QUEUED = {"flex_start": {"queued": True}}
REQUEST, _, _ = request_for_other_capacity.failing.partition("--- plan")


def plan(capacity: Any, **others: Any) -> dict[str, Any]:
    return workload_plan(
        {"train": {**TRAIN, "count": {"max": 2}, "capacity": capacity}, **others},
        {"run": {"slices": "train", "kind": "jobset", "queue": "team"}},
        kubernetes={"queues": {"team": {}}},
    )


@pytest.mark.parametrize(
    ("capacity", "others", "reported"),
    [
        ("flex_start", {}, True),
        ("spot", {}, True),
        (QUEUED, {}, False),
        ("spot", {"later": {**TRAIN, "count": {"max": 2}, "capacity": QUEUED}}, False),
        ("spot", {"later": {**TRAIN, "topology": "4x8", "count": {"max": 2}, "capacity": QUEUED}}, True),
        (QUEUED, {"now": {**TRAIN, "topology": "4x8"}}, False),
    ],
)
def test_a_request_needs_a_group_with_queued_capacity(capacity: Any, others: dict[str, Any], reported: bool) -> None:
    found = findings_in(REQUEST, plan=yaml.safe_dump(plan(capacity, **others)))
    assert ("TPU859" in {item.rule for item in found}) is reported


@pytest.mark.parametrize(("capacity", "reported"), [("spot", True), ("flex_start", True), (QUEUED, False)])
def test_a_queue_requests_only_queued_capacity(capacity: Any, reported: bool) -> None:
    """The queue is that of a plan with queued capacity."""
    written = [item for item in objects_of(plan(QUEUED)) if item["kind"] != "JobSet"]
    for item in written:
        if item["kind"] == "ResourceFlavor" and "nodeLabels" in item["spec"]:
            item["spec"]["nodeLabels"].pop("cloud.google.com/gke-queued", None)
            item["spec"]["nodeLabels"].pop("cloud.google.com/gke-flex-start", None)
    text = yaml.safe_dump_all(written)
    assert ("TPU859" in broken(text, plan=yaml.safe_dump(plan(capacity)))) is reported
    assert "TPU859" not in broken(text)
