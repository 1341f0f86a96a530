"""The run duration of flex-start without effect on Autopilot: where it is reported, and where it has an effect."""

from typing import Any

import pytest

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import format_path


def places(flex_start: dict[str, Any], mode: str = "autopilot", **group: Any) -> list[str]:
    zone = {} if mode == "autopilot" else {"zone": "us-east5-b"}
    slices = {"train": {"tpu": "v6e", "topology": "4x4", "capacity": {"flex_start": flex_start}, **zone, **group}}
    workloads = {name: {"slices": "train", "image": "train", "kind": "jobset"} for name in ("one", "two")}
    body = {"mode": mode, "location": "us-east5", "slices": slices, "kubernetes": {"workloads": workloads}}
    document = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"c": body}})
    found = check_plan(document, read_catalog()).findings
    return [format_path(item.path) for item in found if item.rule == "TPU398"]


def test_a_group_of_several_workloads_is_reported_once() -> None:
    assert places({"max_run_duration": "3d"}) == ["clusters.c.slices.train.capacity.flex_start.max_run_duration"]


@pytest.mark.parametrize(
    ("flex_start", "mode", "group"),
    [
        ({}, "autopilot", {}),
        ({"max_run_duration": "7d"}, "autopilot", {}),
        ({"max_run_duration": "3d"}, "standard", {}),
        ({"max_run_duration": "3d"}, "autopilot", {"fallback": ["spot"]}),
        ({"max_run_duration": "3d", "queued": True}, "autopilot", {}),
    ],
)
def test_a_duration_with_an_effect_is_not_reported(
    flex_start: dict[str, Any], mode: str, group: dict[str, Any]
) -> None:
    assert places(flex_start, mode, **group) == []
