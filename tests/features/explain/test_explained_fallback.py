"""`gke-tpu explain` on a slice group that a ComputeClass serves."""

import pytest

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.fleet import derive
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.features.explain.values.group_nodes import node_steps
from pulumi_gke_tpu.features.explain.values.group_place import place_steps
from pulumi_gke_tpu.features.explain.values.group_shape import GroupView
from pulumi_gke_tpu.features.explain.values.surroundings import Surroundings

CATALOG = read_catalog()


def steps(mode: str) -> dict[str, tuple[str, str]]:
    group = {"tpu": "v6e", "topology": "2x2", "zone": "us-east5-b", "count": 2, "fallback": ["flex_start", "spot"]}
    cluster = {"mode": mode, "location": "us-east5", "slices": {"g": group}}
    document = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"train": cluster}})
    assert document.content is not None
    fleet = derive(document.content, CATALOG)
    ((owner, found),) = fleet.groups()
    view, around = GroupView(CATALOG, owner, found), Surroundings.of(document.content, fleet, CATALOG)
    place = place_steps(view, around, with_prices=False)
    return {step.name: (step.value, step.because) for step in (*node_steps(view), *place)}


@pytest.mark.parametrize("mode", ["standard", "autopilot"])
def test_the_values_are_those_of_a_compute_class_in_both_modes(mode: str) -> None:
    found = steps(mode)
    assert found["slices"][0] == "0..2"
    assert found["node_pools"][0] == "created by GKE"
    assert found["autoscaling"][0] == "by ComputeClass tpu-g"
    assert found["node_selector"][0] == "tpu-g"
    assert found["capacity"][0] == "on_demand, then flex_start, then spot"
    assert not [name for name, (_, reason) in found.items() if "Autopilot" in reason and mode == "standard"]


def test_the_order_of_google_is_named_beside_that_of_the_plan() -> None:
    _, reason = steps("standard")["capacity"]
    assert "reservation > flex_start > on_demand > spot for training" in reason
    assert "reservation > on_demand > flex_start > spot for serving" in reason


@pytest.mark.parametrize("mode", ["standard", "autopilot"])
def test_every_quota_that_a_capacity_mode_may_use_is_named(mode: str) -> None:
    quota, reason = steps(mode)["quota"]
    assert quota == "compute.googleapis.com/preemptible_tpu_v6e"
    others = "compute.googleapis.com/tpus_per_tpu_family (tpu_family CT6E)"
    assert f"other capacity modes use {others};" in reason
    assert f"if this quota does not exist, GKE uses {others}" in reason
