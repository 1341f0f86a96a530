"""Why a recommendation leaves something out: which reason comes first, how often, and with which example."""

import dataclasses
import datetime
from typing import Any

import pytest

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.catalog.records.capacity import CapacityMode
from pulumi_gke_tpu.core.plan import Document
from pulumi_gke_tpu.core.plan.inventory import Inventory
from pulumi_gke_tpu.features.cost.recommend.candidates import (
    CandidateExclusion,
    Need,
    Slices,
    largest_slice,
    slices_for,
)
from pulumi_gke_tpu.features.cost.recommend.search import Recommendation, recommend
from pulumi_gke_tpu.features.cost.recommend.why_not import left_out, why_not

CATALOG = read_catalog()
ADVICE = CATALOG.advice.choices["large"]
ONE = Slices("4x4", "ct6e-standard-4t", 4, 1, ambiguous=False)
MANY = dataclasses.replace(ONE, count=1_200)


def reasons_of(result: Recommendation) -> dict[str, str]:
    """The generations that are left out, with their reasons."""
    return {item.generation: item.reason for item in left_out(result, CATALOG)}


def out(
    reason: str, slices: Slices | None = ONE, capacity: CapacityMode | None = "spot", **more: Any
) -> CandidateExclusion:
    return CandidateExclusion(
        **{"generation": "v6e", "zone": "us-east5-b", "reason": reason, "slices": slices} | more, capacity=capacity
    )


def about(word: str, *found: CandidateExclusion, **need: Any) -> tuple[str, ...] | None:
    return why_not(word, Recommendation(Need(**{"chips": 16} | need), (), found, ADVICE), CATALOG)


@pytest.mark.parametrize(
    ("exclusion", "text"),
    [
        (out("too small"), "too small (us-east5-b, 4x4, spot)"),
        (out("too small", MANY, "flex_start"), "too small (us-east5-b, 1,200 × 4x4, flex-start)"),
        (out("too small", None), "too small (us-east5-b, spot)"),
        (out("too small", None, None), "too small (us-east5-b)"),
        (out("too small", ONE, None), "too small (us-east5-b)"),
        (out("too small", None, None, zone=""), "too small"),
        (out("too small", None, None, zone="", rule="TPU811"), "too small (TPU811)"),
        (out("too small", None, None, zone="", confidence="low"), "too small (confidence low)"),
        (
            out("too small", rule="TPU811", confidence="medium"),
            "too small (TPU811) (confidence medium) (us-east5-b, 4x4, spot)",
        ),
    ],
)
def test_a_reason_has_its_rule_its_confidence_and_an_example(exclusion: CandidateExclusion, text: str) -> None:
    assert about("v6e", exclusion) == (f"v6e: {text}",)


def test_the_most_frequent_reason_comes_first_with_the_number_of_others() -> None:
    rare, often = out("rare"), out("often")
    assert about("v6e", rare, often, often) == (
        "v6e: often (us-east5-b, 4x4, spot and 1 other candidate)",
        "v6e: rare (us-east5-b, 4x4, spot)",
    )
    assert about("v6e", rare, often) == ("v6e: often (us-east5-b, 4x4, spot)", "v6e: rare (us-east5-b, 4x4, spot)")
    by_rule = about("v6e", out("same"), out("same", rule="TPU811"), out("same"))
    assert by_rule == (
        "v6e: same (us-east5-b, 4x4, spot and 1 other candidate)",
        "v6e: same (TPU811) (us-east5-b, 4x4, spot)",
    )


def test_a_reason_of_a_reservation_comes_before_more_frequent_ones() -> None:
    far, small = out("outside"), out("has 1 VM left", obstacle="size")
    ended, quota = out("ends on 2026-12-01", obstacle="time"), out("quota")
    found = about("v6e", far, far, far, far, quota, quota, quota, small, small, ended)
    assert found is not None
    assert [line.partition(" (")[0] for line in found] == [
        "v6e: ends on 2026-12-01",
        "v6e: has 1 VM left",
        "v6e: outside",
        "v6e: quota",
    ]


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ({"vms": 16, "until": "2026-12-01"}, "reservation `pool` ends on 2026-12-01"),
        ({"vms": 16, "from": "2026-12-01"}, "reservation `pool` begins on 2026-12-01"),
        ({"vms": 3, "in_use": 8}, "reservation `pool` has 0 VMs left, and the slices need 16"),
        ({"vms": 3}, "reservation `pool` has 3 VMs left, and the slices need 16"),
        ({"vms": 16, "in_use": 2, "until": "2026-12-01"}, "reservation `pool` has 14 VMs left, and the slices need 16"),
    ],
)
@pytest.mark.parametrize("near", [None, "us-east5"])
def test_a_left_out_generation_names_the_reservation_that_it_has(
    entry: dict[str, Any], reason: str, near: str | None
) -> None:
    pool = {"name": "pool", "project": "acme-ml", "zone": "us-east5-b", "machine_type": "ct6e-standard-4t", **entry}
    owned = Document(Inventory.model_validate({"version": 1, "as_of": "2026-11-20", "reservations": [pool]}))
    need = Need(chips=64, capacities=("reservation",), run=datetime.timedelta(days=100), near=near)
    result = recommend(need, CATALOG, owned, today=datetime.date(2026, 11, 20))
    shown = reasons_of(result)["v6e"]
    assert shown.partition(" (")[0] == reason
    assert (why_not("v6e", result, CATALOG) or ())[0] == f"v6e: {shown}"


def test_a_generation_without_a_row_has_its_main_reason_for_capacity_that_suits_the_need() -> None:
    unsuitable = out("preemptible", unsuitable=True)
    others = tuple(out("no", generation=name) for name in CATALOG.generation_names if name != "v6e")
    for found, reason in (((unsuitable, unsuitable, out("small")), "small"), ((unsuitable,), "preemptible")):
        result = Recommendation(Need(chips=16), (), (*found, *others), ADVICE)
        assert reasons_of(result)["v6e"] == f"{reason} (us-east5-b, 4x4, spot)"
        assert len(list(left_out(result, CATALOG))) == len(CATALOG.generation_names)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("us-east5-b", ("us-east5-b: there", "us-east5-b: anywhere")),
        ("us-east5", ("us-east5: there", "us-east5: anywhere")),
        ("us-east5-a", ("us-east5-a: anywhere",)),
        ("spot", ("spot: anywhere", "spot: there")),
        ("SPOT", ("spot: anywhere", "spot: there")),
        ("flex-start", ("flex-start: anywhere",)),
        ("ct6e-standard-4t", ("v6e ct6e-standard-4t: anywhere", "v6e ct6e-standard-4t: there")),
    ],
)
def test_an_exclusion_without_a_place_mode_or_size_is_about_all_of_them(word: str, expected: tuple[str, ...]) -> None:
    there = out("there")
    anywhere = out("anywhere", None, None, zone="")
    other = out("announced", None, None, generation="v9", zone="")
    lines = about(word, there, anywhere, other)
    assert lines is not None
    assert {line.partition(" (")[0] for line in lines} == set(expected)


@pytest.mark.parametrize(
    ("word", "need", "reason"),
    [
        ("2x2", {"chips": 4_096}, ""),
        ("16x16x16", {"chips": 256}, "v5p 16x16x16: a slice of 256 chips is enough for the need of 256"),
        (
            "ct6e-standard-1t",
            {"chips": 1_001, "use": "serving"},
            "v6e ct6e-standard-1t: the need of 1,001 chips exceeds 1,000 slices",
        ),
        ("ct6e-standard-1t", {"chips": 1_000, "use": "serving"}, ""),
        (
            "ct6e-standard-8t",
            {"chips": 256},
            "v6e ct6e-standard-8t: several slices of one training job use Multislice, which requires slices of several "
            "hosts",
        ),
        ("tpu7x-standard-1t", {"chips": 8}, "tpu7x tpu7x-standard-1t: it is not documented for Standard"),
        (
            "ct4l-hightpu-4t",
            {"chips": 8, "mode": "autopilot"},
            "v4 ct4l-hightpu-4t: it is not documented for Autopilot",
        ),
        (
            "4x4",
            {"chips": 64},
            "v3 4x4: several slices of one training job use Multislice, which this generation does not support",
        ),
        ("16x16", {"chips": 64}, "v3 16x16: a slice of 64 chips is enough for the need of 64"),
        ("4x4", {"chips": 5_000}, ""),
        (
            "12x16x16",
            {"chips": 3_073},
            "v5p 12x16x16: another topology has the same number of chips, or fewer in as many slices",
        ),
    ],
)
def test_a_shape_that_the_search_does_not_try_has_its_reason(word: str, need: dict[str, Any], reason: str) -> None:
    lines = about(word, **need) or ()
    name = reason.partition(":")[0]
    assert [line for line in lines if line.startswith(f"{name}:")] == ([reason] if reason else [])


@pytest.mark.parametrize(
    ("generation", "need", "reason"),
    [
        (
            "v3",
            {"chips": 2_000},
            "the need is 2,000 chips, the largest slice in Standard has 1,024, and it does not support Multislice",
        ),
        (
            "v6e",
            {"chips": 300_000},
            "the need is 300,000 chips, the largest slice in Standard has 256, and the need exceeds 1,000 slices",
        ),
    ],
)
def test_a_need_that_is_too_large_for_a_generation(generation: str, need: dict[str, Any], reason: str) -> None:
    result = recommend(Need(**need), CATALOG, today=datetime.date(2026, 11, 20))
    assert why_not(generation, result, CATALOG) == (f"{generation}: {reason}",)


def test_single_host_slices_of_a_training_job_are_one_slice() -> None:
    for name, use, several in (("v6e", "serving", True), ("v6e", "training", False), ("v3", "training", False)):
        generation = CATALOG.generation(name)
        found = list(slices_for(generation, Need(chips=16, use=use), 16))  # type: ignore[arg-type]
        assert any(each.count > 1 and each.hosts_per_slice == 1 for each in found) is several
    v3 = slices_for(CATALOG.generation("v3"), Need(chips=64), 64)
    assert {each.count for each in v3} == {1}


def test_a_generation_without_a_topology_for_the_mode_has_no_largest_slice() -> None:
    listed = CATALOG.generation("v6e")
    assert largest_slice(listed, Need(chips=1)) == 256
    rows = tuple(dataclasses.replace(row, modes=("autopilot",)) for row in listed.topologies.rows)
    only_autopilot = dataclasses.replace(listed, topologies=dataclasses.replace(listed.topologies, rows=rows))
    assert largest_slice(only_autopilot, Need(chips=1)) == 0
    assert largest_slice(only_autopilot, Need(chips=1, mode="autopilot")) == 256
