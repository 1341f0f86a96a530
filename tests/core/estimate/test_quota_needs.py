"""Which quota a fleet is charged to, and with how many chips."""

from typing import Any

import pytest

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.estimate import QuotaNeed, quota_needs
from pulumi_gke_tpu.core.fleet import derive
from pulumi_gke_tpu.core.plan import parse_plan

CATALOG = read_catalog()


def needs(slices: dict[str, Any], mode: str = "standard", location: str = "us-east5") -> tuple[QuotaNeed, ...]:
    cluster = {"mode": mode, "location": location, "slices": slices}
    document = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"train": cluster}})
    assert document.content is not None
    fleet = derive(document.content, CATALOG)
    assert len(list(fleet.groups())) == len(slices)
    return quota_needs(fleet, CATALOG)


def group(tpu: str, topology: str, zone: str, capacity: Any = "on_demand", **more: Any) -> dict[str, Any]:
    return {"tpu": tpu, "topology": topology, "zone": zone, "capacity": capacity, **more}


@pytest.mark.parametrize(
    ("tpu", "topology", "zone", "capacity", "metric", "dimension", "certain"),
    [
        ("v6e", "4x4", "us-east5-b", "on_demand", "tpus_per_tpu_family", "CT6E", True),
        ("v6e", "4x4", "us-east5-b", "spot", "preemptible_tpu_v6e", "", True),
        ("v6e", "4x4", "us-east5-b", "flex_start", "preemptible_tpu_v6e", "", True),
        ("v6e", "4x4", "us-east5-b", "queued", "preemptible_tpu_v6e", "", True),
        ("v5e", "4x4", "us-west4-a", "on_demand", "TPU_LITE_PODSLICE_V5", "", True),
        ("v5e", "4x4", "us-west4-a", "spot", "PREEMPTIBLE_TPU_LITE_PODSLICE_V5", "", True),
        ("v5p", "4x4x4", "us-east5-a", "on_demand", "tpu_v5p", "", False),
        ("v5p", "4x4x4", "us-east5-a", "spot", "preemptible_tpu_v5p", "", True),
        ("v4", "4x4x4", "us-central2-b", "on_demand", "TPU_PODSLICE_V4", "", False),
        ("v3", "4x4", "europe-west4-a", "on_demand", "tpus_per_tpu_family", "CT3P", False),
        ("v3", "2x2", "europe-west4-a", "on_demand", "tpus_per_tpu_family", "CT3", False),
        ("tpu7x", "4x4x4", "us-central1-c", "on_demand", "tpus_per_tpu_family", "tpu7x", False),
        ("tpu7x", "4x4x4", "us-central1-c", "spot", "preemptible_tpu_7x", "", False),
    ],
)
def test_each_family_and_mode_has_its_quota(
    tpu: str, topology: str, zone: str, capacity: str, metric: str, dimension: str, certain: bool
) -> None:
    region = zone.rsplit("-", 1)[0]
    (need,) = needs({"a": group(tpu, topology, zone, capacity)}, location=region)
    assert need.metric is not None
    assert (need.metric.metric.rpartition("/")[2], need.metric.dimension) == (metric, dimension)
    assert (need.project, need.region, need.certain) == ("acme-ml", region, certain)


def test_reserved_capacity_needs_no_quota() -> None:
    assert needs({"a": group("v6e", "16x16", "us-east5-b", {"reservation": "r"}, count=2)}) == ()


def test_chips_of_groups_on_one_quota_are_summed() -> None:
    slices = {
        "a": group("v6e", "4x4", "us-east5-b", count=3),
        "b": group("v6e", "2x2", "us-east5-a", count={"min": 1, "max": 5}),
        "c": group("v6e", "2x2", "us-east5-a", "spot"),
        "d": group("v6e", "2x4", "us-east5-a", "flex_start", chips_per_host=8),
    }
    ordinary, preemptible = sorted(needs(slices), key=lambda need: need.modes)
    assert (ordinary.groups, str(ordinary.chips), ordinary.fallback) == (("train/a", "train/b"), "52..68", None)
    assert (preemptible.groups, str(preemptible.chips)) == (("train/c", "train/d"), "4..12")
    assert preemptible.modes == ("spot", "flex_start")


def test_flex_start_can_fall_back_to_ordinary_quota_and_spot_cannot() -> None:
    (flex,) = needs({"a": group("v6e", "4x4", "us-east5-b", "flex_start")})
    (spot,) = needs({"a": group("v6e", "4x4", "us-east5-b", "spot")})
    assert flex.fallback is not None
    assert flex.fallback.dimension == "CT6E"
    assert spot.fallback is None


def test_regions_are_counted_apart_and_in_order() -> None:
    slices = {
        "b": group("v6e", "4x4", "us-east5-b"),
        "a": group("v5e", "4x4", "us-east5-b"),
    }
    found = needs(slices)
    assert [(need.region, need.families) for need in found] == [("us-east5", ("ct5lp",)), ("us-east5", ("ct6e",))]


def test_a_group_without_a_known_quota_is_told_apart() -> None:
    (need,) = needs({"a": group("v3", "4x4", "europe-west4-a", "spot")}, location="europe-west4")
    assert (need.metric, need.families, str(need.chips)) == (None, ("ct3p",), "16")
    assert (need.certain, need.confidence) == (False, "low")


def test_autopilot_uses_the_same_quota_in_the_cluster_s_region() -> None:
    (need,) = needs({"a": {"tpu": "v6e", "topology": "2x2", "count": 3}}, mode="autopilot")
    assert need.metric is not None
    assert (need.region, need.metric.dimension, str(need.chips)) == ("us-east5", "CT6E", "12")
