"""The shape of a group, and what is offered where it has none."""

from typing import Any

import pytest

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.fleet.model import Shape, ShapeProblem
from pulumi_gke_tpu.core.fleet.shapes.shape import MOST_SLICES, policy_generations, shape_of
from pulumi_gke_tpu.core.plan import SliceGroupSpec

CATALOG = read_catalog()


def problem_of(**keys: Any) -> ShapeProblem:
    found = shape_of(CATALOG, "standard", SliceGroupSpec.model_validate(keys))
    assert isinstance(found, ShapeProblem)
    return found


@pytest.mark.parametrize(
    ("tpu", "topology", "fix"),
    [
        ("v6e", "about 4x4", ""),
        ("v6e", "0x4", ""),
        ("v6e", "4x4x0", ""),
        ("v6e", "4x4x1", "topology: 4x4"),
        ("v6e", "4x4x2", "topology: 4x8"),
        ("v6e", "4 x 4", "topology: 4x4"),
        ("v6e", "4", "topology: 2x2"),
        ("v5p", "4*4*4*1", "topology: 4x4x4"),
        ("v5p", "4x4x4x2", "topology: 4x4x8"),
        ("v5p", "2x2", "topology: 2x2x1"),
    ],
)
def test_a_malformed_topology_is_read_only_where_its_numbers_name_one(tpu: str, topology: str, fix: str) -> None:
    problem = problem_of(tpu=tpu, topology=topology)
    assert (problem.rule, problem.fix) == ("TPU111", fix)
    assert (
        problem.message == f"invalid topology `{topology}`: the form is {'AxB' if tpu == 'v6e' else 'AxBxC'} for {tpu}"
    )


def test_no_topology_is_near_one_with_a_side_of_zero() -> None:
    assert problem_of(tpu="v5p", topology="0x16x16").allowed == problem_of(tpu="v5p", topology="large").allowed
    assert problem_of(tpu="v5p", topology="1x16x16").allowed != problem_of(tpu="v5p", topology="large").allowed


def test_the_limit_of_slices_in_a_group_is_one_of_node_pools_of_several_hosts() -> None:
    group = SliceGroupSpec(tpu="v6e", topology="4x4", count=MOST_SLICES + 1)
    single = SliceGroupSpec(tpu="v6e", topology="2x2", count=MOST_SLICES + 1)
    assert isinstance(shape_of(CATALOG, "standard", group), ShapeProblem)
    assert isinstance(shape_of(CATALOG, "autopilot", group), Shape)
    assert isinstance(shape_of(CATALOG, "standard", single), Shape)


@pytest.mark.parametrize("keys", [{"min": 1, "max": 3}, {"min": 1}, {"max": 3}, {"indices": [0, 2]}])
def test_no_count_is_offered_beside_a_range_or_indices(keys: dict[str, Any]) -> None:
    assert problem_of(tpu="v6e-16-3", **keys).fix == "tpu: v6e\ntopology: 4x4"
    assert problem_of(tpu="v6e-16-3").fix == "tpu: v6e\ntopology: 4x4\ncount: 3"


def test_the_machine_types_offered_are_documented_and_of_no_legacy_family() -> None:
    problem = problem_of(tpu="v5e", topology="4x4", machine_type="other")
    assert problem.allowed == ("ct5lp-hightpu-1t", "ct5lp-hightpu-4t", "ct5lp-hightpu-8t")


def test_the_slice_offered_is_one_that_the_machine_type_forms() -> None:
    problem = problem_of(tpu="v6e", topology="3x3", machine_type="ct6e-standard-1t")
    assert (problem.allowed, problem.fix) == (("1x1",), "topology: 1x1      # 1x1 has 1 chip; 3x3 would have 9")


@pytest.mark.parametrize(
    ("word", "fix"),
    [
        ("tpu-v5-lite-device", "topology: 1x1      # 1 chip, the smallest slice\nmachine_type: ct5l-hightpu-1t"),
        ("ct5l-hightpu-8t", "topology: 2x4      # 8 chips, the smallest slice\nmachine_type: ct5l-hightpu-8t"),
        ("ct5lp", "topology: 1x1      # 1 chip, the smallest slice"),
    ],
)
def test_a_machine_instead_of_a_generation_becomes_its_smallest_slice(word: str, fix: str) -> None:
    assert problem_of(tpu=word).fix == f"tpu: v5e\n{fix}"


@pytest.mark.parametrize("machine_type", ["other", "ct5p-hightpu-4t"])
def test_a_generation_is_offered_also_beside_a_machine_type_that_it_does_not_have(machine_type: str) -> None:
    assert problem_of(tpu="v6e-12", machine_type=machine_type).fix == "tpu: v6e"


@pytest.mark.parametrize(("topology", "generations"), [("4x4", ["v6e"]), ("4x4x4", ["tpu7x"]), ("2x2", []), ("x", [])])
def test_a_workload_policy_places_the_generations_that_have_several_hosts_and_take_one(
    topology: str, generations: list[str]
) -> None:
    """v5e and v5p have slices of several hosts too, with a compact placement."""
    assert policy_generations(CATALOG, "standard", topology) == generations
