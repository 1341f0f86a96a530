"""What several plans use together of reservations and quota: hand-made tables, and properties of sums."""

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.estimate.headroom import Headroom, headroom
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.plan.inventory import Inventory
from pulumi_gke_tpu.core.rules import check_plan

CATALOG = read_catalog()
SHARED = {"name": "pool", "project": "acme-infra", "zone": "us-east5-b", "machine_type": "ct6e-standard-4t"}


def on(block: str = "", sub_block: str = "", project: str = "acme-infra") -> dict[str, Any]:
    parts = {"block": block, "sub_block": sub_block}
    return {"reservation": {"name": "pool", "project": project} | {key: name for key, name in parts.items() if name}}


def group(topology: str, capacity: Any = "on_demand", **more: Any) -> dict[str, Any]:
    return {"tpu": "v6e", "topology": topology, "zone": "us-east5-b", "capacity": capacity, **more}


def plan(project: str, slices: dict[str, Any], mode: str = "standard") -> dict[str, Any]:
    cluster = {"mode": mode, "location": "us-east5", "slices": slices}
    return {"version": 1, "project": project, "clusters": {"c": cluster}}


def use(*plans: dict[str, Any], reservations: Any = (), quotas: Any = ()) -> Headroom:
    inventory = Inventory.model_validate(
        {"version": 1, "as_of": "2026-11-20", "reservations": list(reservations), "quotas": list(quotas)}
    )
    checked = [check_plan(parse_plan(item), CATALOG) for item in plans]
    assert not [finding for item in checked for finding in item.findings if item.has_errors]
    return headroom(checked, inventory, CATALOG)


def rows(shown: Headroom) -> list[tuple[Any, ...]]:
    """Place, name, certain and possible use, limit, use by others, left at the minimum and at the maximum."""
    found: list[tuple[Any, ...]] = []
    for item in shown.reservations:
        name = "/".join(part for part in (item.name, item.block, item.sub_block) if part)
        found.append((item.project, item.zone, name, item.vms))
    for quota in shown.quotas:
        name = quota.metric.metric.rpartition("/")[2]
        found.append((quota.project, quota.location, name, quota.chips))
    return [
        (
            *row[:3],
            row[3].total.minimum,
            row[3].total.maximum,
            row[3].limit,
            row[3].in_use,
            row[3].left and row[3].left.maximum,
            row[3].left and row[3].left.minimum,
        )
        for row in found
    ]


def quota(metric: str, limit: int, **more: Any) -> dict[str, Any]:
    family = {"family": "CT6E"} if metric == "tpus_per_tpu_family" else {}
    return {"project": "acme-ml", "metric": metric, "region": "us-east5", "limit": limit, **family, **more}


def test_two_projects_on_one_shared_reservation() -> None:
    shown = use(
        plan("acme-ml", {"a": group("8x8", on(), count=2)}),  # 32 VMs
        plan("acme-lab", {"a": group("4x4", on(), min=0, max=3)}),  # 0 to 12 VMs
        reservations=[{**SHARED, "vms": 64, "in_use": 10, "shared_with": ["acme-ml", "acme-lab"]}],
    )
    assert rows(shown) == [("acme-infra", "us-east5-b", "pool", 32, 44, 64, 10, 22, 10)]
    assert shown.requests == ()


def test_blocks_and_sub_blocks() -> None:
    blocks = [
        {"name": "b1", "vms": 32, "sub_blocks": [{"name": "s1", "vms": 16}]},
        {"name": "b2", "vms": 32},
    ]
    shown = use(
        plan(
            "acme-ml",
            {
                "a": group("8x8", on("b1", "s1")),  # 16 VMs
                "b": group("4x4", on("b1"), count=2),  # 8
                "c": group("4x4", on()),  # 4
                "d": group("4x4", on("b3")),  # 4 in a block that the inventory lacks
            },
        ),
        reservations=[{**SHARED, "vms": 64, "blocks": blocks}],
    )
    assert rows(shown) == [
        ("acme-infra", "us-east5-b", "pool", 32, 32, 64, 0, 32, 32),
        ("acme-infra", "us-east5-b", "pool/b1", 24, 24, 32, 0, 8, 8),
        ("acme-infra", "us-east5-b", "pool/b1/s1", 16, 16, 16, 0, 0, 0),
        ("acme-infra", "us-east5-b", "pool/b2", 0, 0, 32, 0, 32, 32),
        ("acme-infra", "us-east5-b", "pool/b3", 4, 4, None, 0, None, None),
    ]


def test_a_preemptible_limit_of_0_makes_flex_start_use_the_standard_quota_and_spot_fail() -> None:
    shown = use(
        plan(
            "acme-ml",
            {
                "flex": group("4x4", "flex_start", max=2),  # 0 to 32 chips
                "spot": group("2x2", "spot", count=2),  # 8 chips
                "plain": group("4x8"),  # 32 chips
            },
        ),
        quotas=[quota("tpus_per_tpu_family", 64, in_use=4), quota("preemptible_tpu_v6e", 0)],
    )
    assert rows(shown) == [
        ("acme-ml", "us-east5", "preemptible_tpu_v6e", 8, 8, 0, 0, -8, -8),
        ("acme-ml", "us-east5", "tpus_per_tpu_family", 32, 64, 64, 4, 28, -4),
    ]
    assert [(item.metric.rpartition("/")[2], item.least, item.value) for item in shown.requests] == [
        ("preemptible_tpu_v6e", 8, 8),
        ("tpus_per_tpu_family", 36, 68),
    ]


def test_autopilot_and_standard_use_the_same_quota() -> None:
    shown = use(
        plan("acme-ml", {"a": group("4x4", count=2)}),
        plan("acme-ml", {"a": group("2x4", chips_per_host=8, min=1, max=4)}, mode="autopilot"),
    )
    assert rows(shown) == [("acme-ml", "us-east5", "tpus_per_tpu_family", 40, 64, None, 0, None, None)]
    (request,) = shown.requests
    assert request.dimensions == {"region": "us-east5", "tpu_family": "CT6E"}
    assert (request.service, request.quota_id) == (
        "compute.googleapis.com",
        "TPUS-PER-TPU-FAMILY-per-project-region",
    )
    assert (request.limit, request.least, request.value) == (None, 40, 64)


def test_oversubscription_leaves_less_than_nothing_at_the_maximum_only() -> None:
    groups = {f"g{index}": group("8x8", on(), min=0, max=2) for index in range(4)}
    shown = use(plan("acme-ml", groups), reservations=[{**SHARED, "vms": 64}])
    assert rows(shown) == [("acme-infra", "us-east5-b", "pool", 0, 128, 64, 0, 64, -64)]


def test_a_quota_per_zone_is_requested_in_the_zone() -> None:
    slices = {"a": {"tpu": "v5e", "topology": "2x2", "zone": "us-west4-a"}}
    cluster = {"mode": "standard", "location": "us-west4", "slices": slices}
    shown = use({"version": 1, "project": "acme-ml", "clusters": {"c": cluster}})
    (request,) = shown.requests
    assert (request.quota_id, request.dimensions) == (
        "TPU-LITE-PODSLICE-V5-per-project-zone",
        {"zone": "us-west4-a"},
    )


def test_slices_without_a_zone_use_only_the_reservation_of_the_project_that_they_name() -> None:
    slices = {"a": {"tpu": "v6e", "topology": "2x2", "capacity": on()}}
    other = {**SHARED, "project": "acme-other", "vms": 8}
    shown = use(plan("acme-ml", slices, "autopilot"), reservations=[{**SHARED, "vms": 64}, other])
    assert [row[:4] for row in rows(shown)] == [
        ("acme-infra", "us-east5-b", "pool", 1),
        ("acme-other", "us-east5-b", "pool", 0),
    ]


def test_machines_of_another_type_do_not_use_the_reservation() -> None:
    shown = use(plan("acme-ml", {"a": group("2x4", on(), chips_per_host=8)}), reservations=[{**SHARED, "vms": 64}])
    assert rows(shown) == [("acme-infra", "us-east5-b", "pool", 0, 0, 64, 0, 64, 64)]


GROUPS = st.builds(
    lambda topology, capacity, size: (
        group(topology, capacity, min=0, max=size)
        if capacity == "flex_start"
        else group(topology, capacity, count=size)
    ),
    st.sampled_from(["2x2", "4x4", "8x8"]),
    st.sampled_from(["on_demand", "spot", "flex_start", on(), on("b1"), on("b2", "s1")]),
    st.integers(1, 3),
)


def _plans(groups: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [plan("acme-ml", {f"g{index}": item}) for index, item in enumerate(groups)]


@given(st.lists(GROUPS, min_size=1, max_size=5))
def test_the_sum_over_plans_is_the_use_of_one_plan_with_all_groups(groups: list[dict[str, Any]]) -> None:
    whole = plan("acme-ml", {f"g{index}": item for index, item in enumerate(groups)})
    assert rows(use(*_plans(groups))) == rows(use(whole))


@given(st.lists(GROUPS, min_size=2, max_size=5))
def test_a_further_group_never_lowers_a_use(groups: list[dict[str, Any]]) -> None:
    before = {row[:3]: row[3:5] for row in rows(use(*_plans(groups[:-1])))}
    after = {row[:3]: row[3:5] for row in rows(use(*_plans(groups)))}
    assert all(after[key][0] >= least and after[key][1] >= most for key, (least, most) in before.items())


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_the_order_of_plans_does_not_change_the_sums(order: tuple[int, ...]) -> None:
    plans = _plans([group("4x4", on("b1")), group("8x8", "spot"), group("2x2")])
    assert rows(use(*(plans[index] for index in order))) == rows(use(*plans))


def auto(tpu: dict[str, int], slices: dict[str, Any], **more: Any) -> dict[str, Any]:
    found = plan("acme-ml", slices)
    found["clusters"]["c"]["autoprovisioning"] = {"cpu": 9000, "memory_gib": 9000, "tpu": tpu, **more}
    return found


def test_auto_provisioned_chips_are_possible_use_of_each_quota_that_they_may_use() -> None:
    slices = {
        "fixed": group("8x8", on()),  # 64 of the 256 chips
        "spot": group("2x2", "spot", min=1, max=4),  # 4 to 16
        "plain": group("4x4"),  # 16
    }
    shown = use(auto({"v6e": 256}, slices), reservations=[{**SHARED, "vms": 16}], quotas=[quota("tpu_v5p", 8)])
    # Spot: 256 without 64 and 16 of other groups, and its own 16 are 160 more. On demand: without 64, 4 and its own 16.
    assert rows(shown)[1:] == [
        ("acme-ml", "us-east5", "preemptible_tpu_v6e", 4, 176, None, 0, None, None),
        ("acme-ml", "us-east5", "tpu_v5p", 0, 0, 8, 0, 8, 8),
        ("acme-ml", "us-east5", "tpus_per_tpu_family", 16, 188, None, 0, None, None),
    ]
    (spot, plain) = shown.requests
    assert [(part.key, str(part.amount)) for part in spot.parts] == [
        ("c/spot", "4..16"),
        ("c/autoprovisioning", "0..160"),
    ]
    assert [(part.key, str(part.amount)) for part in plain.parts] == [
        ("c/plain", "16"),
        ("c/autoprovisioning", "0..172"),
    ]


def test_auto_provisioning_adds_nothing_where_node_pools_reach_its_limit() -> None:
    shown = use(auto({"v6e": 16}, {"a": group("4x4")}), quotas=[quota("preemptible_tpu_v6e", 8)])
    assert [row[3:5] for row in rows(shown)] == [(0, 0), (16, 16)]


V5E = {"tpu": "v5e", "topology": "2x2"}


def v5e(mode: str = "standard", **slices: dict[str, Any]) -> dict[str, Any]:
    cluster = {"mode": mode, "location": "us-west4", "slices": {name: V5E | keys for name, keys in slices.items()}}
    return {"version": 1, "project": "acme-ml", "clusters": {"c": cluster}}


def zonal(zone: str, limit: int, metric: str = "TPU_LITE_PODSLICE_V5") -> dict[str, Any]:
    return {"project": "acme-ml", "metric": metric, "region": zone, "limit": limit}


def places(shown: Headroom) -> list[tuple[Any, ...]]:
    return [(row[1], row[2], *row[3:6]) for row in rows(shown)]


def test_a_limit_of_one_zone_leaves_the_others_unknown() -> None:
    shown = use(v5e(a={"zone": "us-west4-a"}, b={"zone": "us-west4-b", "count": 2}), quotas=[zonal("us-west4-a", 16)])
    assert places(shown) == [
        ("us-west4", "TPU_LITE_PODSLICE_V5", 8, 8, None),
        ("us-west4-a", "TPU_LITE_PODSLICE_V5", 4, 4, 16),
    ]
    (request,) = shown.requests
    assert (request.dimensions, request.value) == ({"zone": "us-west4-b"}, 8)


@pytest.mark.parametrize(
    ("keys", "least", "most"),
    [
        ({"count": 4}, 8, 8),  # two slices in each zone
        ({"min": 2, "max": 6}, 0, 24),  # the autoscaler selects the zone
    ],
)
def test_slices_in_several_zones_use_the_limit_of_each(keys: dict[str, Any], least: int, most: int) -> None:
    both = [zonal("us-west4-a", 16), zonal("us-west4-b", 16)]
    shown = use(v5e(a={"zones": ["us-west4-a", "us-west4-b"], **keys}), quotas=both)
    assert places(shown) == [
        ("us-west4-a", "TPU_LITE_PODSLICE_V5", least, most, 16),
        ("us-west4-b", "TPU_LITE_PODSLICE_V5", least, most, 16),
    ]
    shown = use(v5e(a={"zones": ["us-west4-a", "us-west4-b"], **keys}))
    assert [(item.dimensions, item.least, item.value) for item in shown.requests] == [
        ({"zone": "us-west4-a"}, least, most),
        ({"zone": "us-west4-b"}, least, most),
    ]


def test_slices_whose_zone_gke_selects_may_use_the_limit_of_a_zone() -> None:
    shown = use(v5e("autopilot", a={"count": 2}), quotas=[zonal("us-west4-a", 16)])
    assert places(shown) == [
        ("us-west4", "TPU_LITE_PODSLICE_V5", 8, 8, None),
        ("us-west4-a", "TPU_LITE_PODSLICE_V5", 0, 8, 16),
    ]
    (request,) = shown.requests
    assert (request.quota_id, request.dimensions) == ("", {"region": "us-west4"})


def test_flex_start_uses_the_standard_quota_where_the_preemptible_limit_of_its_zone_is_0() -> None:
    group = {"zone": "us-west4-a", "capacity": "flex_start", "max": 2}
    preemptible = "PREEMPTIBLE_TPU_LITE_PODSLICE_V5"
    shown = use(v5e(a=group), quotas=[zonal("us-west4-a", 0, preemptible), zonal("us-west4-b", 64, preemptible)])
    assert places(shown) == [
        ("us-west4", "TPU_LITE_PODSLICE_V5", 0, 8, None),
        ("us-west4-a", preemptible, 0, 0, 0),
        ("us-west4-b", preemptible, 0, 0, 64),
    ]


def test_flex_start_in_several_zones_uses_the_standard_quota_only_where_all_of_them_have_no_other() -> None:
    group = {"zones": ["us-west4-a", "us-west4-b"], "capacity": "flex_start", "max": 2}
    preemptible = "PREEMPTIBLE_TPU_LITE_PODSLICE_V5"
    one, both = (
        use(v5e(a=group), quotas=[zonal("us-west4-a", 0, preemptible), zonal("us-west4-b", limit, preemptible)])
        for limit in (64, 0)
    )
    assert {row[1] for row in places(one) if row[3]} == {preemptible}
    assert {row[1] for row in places(both) if row[3]} == {"TPU_LITE_PODSLICE_V5"}


def test_a_group_whose_modes_use_the_same_quota_is_in_it_once() -> None:
    slices = {"a": group("4x4", "flex_start", max=2, fallback=["on_demand"])}
    shown = use(plan("acme-ml", slices), quotas=[quota("preemptible_tpu_v6e", 0)])
    assert [(row[2], row[4]) for row in rows(shown)] == [("preemptible_tpu_v6e", 0), ("tpus_per_tpu_family", 32)]


def test_a_quota_that_was_never_set_has_an_unknown_limit() -> None:
    shown = use(plan("acme-ml", {"a": group("4x4")}), quotas=[quota("tpus_per_tpu_family", -1, in_use=4)])
    assert [row[2:7] for row in rows(shown)] == [("tpus_per_tpu_family", 16, 16, None, 4)]
    assert [(request.limit, request.value) for request in shown.requests] == [(None, 20)]


def test_max_surge_adds_nodes_in_each_zone() -> None:
    keys = {"zones": ["us-west4-a", "us-west4-b"], "count": 4, "upgrade": {"max_surge": 1}}
    (holding,) = use(v5e(a=keys)).quotas
    assert (holding.chips.total.maximum, holding.chips.upgrades) == (16, 8)


def test_multi_host_slices_and_autopilot_add_no_nodes_to_upgrades() -> None:
    multi_host = group("4x4", count=2, upgrade={"max_unavailable": 1})
    for shown in (use(plan("acme-ml", {"a": multi_host})), use(plan("acme-ml", {"a": group("2x2")}, mode="autopilot"))):
        assert [holding.chips.upgrades for holding in shown.quotas] == [0]


@pytest.mark.parametrize(
    ("upgrade", "count", "added"),
    [
        ({"max_surge": 2}, 4, 2),
        ({"max_surge": 3}, 2, 2),
        ("blue_green", 4, 4),
        ({"max_unavailable": 2}, 4, 0),
        (None, 4, 0),
    ],
)
def test_nodes_that_upgrades_add_are_beside_the_table_and_in_the_request(upgrade: Any, count: int, added: int) -> None:
    keys = {"count": count} | ({"upgrade": upgrade} if upgrade else {})
    reserved = use(plan("acme-ml", {"a": group("2x2", on(), **keys)}), reservations=[{**SHARED, "vms": 4}])
    assert [(item.vms.total.maximum, item.vms.upgrades) for item in reserved.reservations] == [(count, added)]
    plain = use(plan("acme-ml", {"a": group("2x2", **keys)}), quotas=[quota("tpus_per_tpu_family", 4 * count)])
    assert [item.chips.upgrades for item in plain.quotas] == [4 * added]
    assert [(item.value, item.upgrades) for item in plain.requests] == (
        [(4 * (count + added), 4 * added)] if added else []
    )


@pytest.mark.parametrize(("limit", "in_use", "percent"), [(16, 0, 100), (32, 0, 50), (64, 16, 50), (16, 16, 200)])
def test_the_used_part_of_a_quota_counts_the_plans_and_others(limit: int, in_use: int, percent: int) -> None:
    entry = quota("tpus_per_tpu_family", limit, in_use=in_use)
    (shown,) = use(plan("acme-ml", {"a": group("4x4")}), quotas=[entry]).quotas
    assert shown.chips.used_percent == percent


def test_a_group_in_a_whole_region_counts_once_against_the_quota_of_the_region() -> None:
    slices = {"a": {"tpu": "v6e", "topology": "4x4", "capacity": "on_demand"}}
    (shown,) = use(plan("acme-ml", slices, "autopilot"), quotas=[quota("tpus_per_tpu_family", 64)]).quotas
    assert (shown.location, shown.chips.total.maximum) == ("us-east5", 16)
