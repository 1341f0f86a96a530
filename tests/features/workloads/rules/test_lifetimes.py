"""Rules about how long the Pods of a plan's workloads run and stop."""

import datetime
from typing import Any

import pytest
from support.kubernetes_plans import findings, told, workload

from pulumi_gke_tpu.core.catalog import Catalog, read_catalog
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import format_path

TODAY = datetime.date(2026, 11, 20)

RUN = "kubernetes.workloads.run"


@pytest.mark.parametrize(
    ("keys", "slices", "expected"),
    [
        ("grace_period: 1h", "pretrain", ["TPU709 grace_period"]),
        ("grace_period: 61m", "pretrain", ["TPU708 grace_period"]),
        ("extended_run: true", "pretrain", ["TPU710 extended_run"]),
    ],
    ids=str,
)
def test_keys_of_a_workload(keys: str, slices: str, expected: list[str], catalog: Catalog) -> None:
    rules = [f"{rule} {RUN}.{path}" for rule, path in (item.split(" ") for item in expected)]
    assert sorted(told(workload(keys, slices), catalog)) == sorted(rules)


@pytest.mark.parametrize(
    ("group", "keys", "expected"),
    [
        ("{tpu: v6e, topology: 2x2}", "extended_run: true", []),
        ("{tpu: v6e, topology: 2x2, capacity: spot}", "extended_run: true", ["TPU710"]),
        ("{tpu: v6e, topology: 2x2, fallback: [spot]}", "extended_run: true", ["TPU710"]),
        ("{tpu: v6e, topology: 4x4}", "extended_run: true", []),
        ("{tpu: v6e, topology: 4x4}", "extended_run: true, kind: raycluster", ["TPU710", "TPU715"]),
        ("{tpu: v6e, topology: 4x4}", "kind: pathways", []),
    ],
    ids=str,
)
def test_workloads_on_autopilot(group: str, keys: str, expected: list[str], catalog: Catalog) -> None:
    text = f"slices: {{g: {group}}}\nkubernetes: {{workloads: {{run: {{slices: g, image: a, {keys}}}}}}}"
    assert [item.split(" ")[0] for item in told(text, catalog, "autopilot")] == expected


def test_a_warning_about_extended_run_names_both_sources(catalog: Catalog) -> None:
    (found,) = findings(workload("extended_run: true"), catalog)
    assert "upgrade" in found.source
    assert "exclusions" in found.source.lower()


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
