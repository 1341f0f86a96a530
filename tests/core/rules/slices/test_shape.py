"""Rules about generations, machine types and topologies."""

from collections.abc import Callable
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from support.fixtures.checks import Broken

from pulumi_gke_tpu.core.catalog import Topology, read_catalog
from pulumi_gke_tpu.core.catalog.topologies import custom_doubt, custom_problem, custom_shapes, selectable_rows
from pulumi_gke_tpu.core.fleet import Shape, ShapeProblem
from pulumi_gke_tpu.core.fleet.shapes.shape import shape_of
from pulumi_gke_tpu.core.plan import SliceGroupSpec
from pulumi_gke_tpu.core.text.findings import Severity

CATALOG = read_catalog()

MODES: tuple[Any, ...] = ("standard", "autopilot")


def found(keys: dict[str, Any], mode: Any = "standard") -> Shape | ShapeProblem:
    return shape_of(CATALOG, mode, SliceGroupSpec.model_validate(keys))


def rule_of(keys: dict[str, Any], mode: Any = "standard") -> str:
    """The rule that a group breaks; empty if none."""
    shape = found(keys, mode)
    return shape.rule if isinstance(shape, ShapeProblem) else ""


def mended(keys: dict[str, Any], problem: ShapeProblem) -> dict[str, Any]:
    """The group with the fix in place of the keys that it replaces."""
    fix = yaml.safe_load(problem.fix)
    rest = {key: value for key, value in keys.items() if key != problem.key}
    rest.pop("chips" if "topology" in fix else "topology" if "chips" in fix else "", None)
    return rest | fix


# Groups with a shape


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("tpu", CATALOG.generation_names)
def test_every_documented_row_is_accepted(tpu: str, mode: Any) -> None:
    generation = CATALOG.generation(tpu)
    for row in selectable_rows(generation, mode):
        machine = generation.machine_types[row.machine_type]
        shape = found({"tpu": tpu, "topology": row.topology, "chips_per_host": machine.chips}, mode)
        assert isinstance(shape, Shape)
        assert shape.machine_type == row.machine_type
        assert shape.multi_host is (row.hosts == "multi")
        assert shape.hosts * machine.chips == shape.chips


@pytest.mark.parametrize(
    ("tpu", "largest", "beyond"),
    [("v4", "16x16x16", "16x16x20"), ("v5p", "16x16x24", "16x16x28"), ("tpu7x", "16x16x36", "16x16x40")],
)
@pytest.mark.parametrize("mode", MODES)
def test_custom_topologies_end_at_the_largest_slice(tpu: str, largest: str, beyond: str, mode: Any) -> None:
    shape = found({"tpu": tpu, "topology": largest}, mode)
    assert isinstance(shape, Shape)
    assert shape.custom
    assert rule_of({"tpu": tpu, "topology": beyond}, mode) == "TPU113"


CASES: list[tuple[str, dict[str, Any], str, str]] = [
    # mode, group, rule, fix
    ("standard", {"tpu": "v6e", "topology": "4x4"}, "", ""),
    ("standard", {"tpu": "V6E", "topology": "4x4"}, "TPU101", "tpu: v6e"),
    ("standard", {"tpu": "trillium", "topology": "4x4"}, "TPU101", "tpu: v6e"),
    ("standard", {"tpu": "v6", "topology": "4x4"}, "TPU101", "tpu: v6e"),
    ("standard", {"tpu": "v5", "topology": "4x4"}, "TPU101", ""),
    ("standard", {"tpu": "", "topology": "4x4"}, "TPU101", ""),
    ("standard", {"tpu": "h100", "topology": "4x4"}, "TPU101", ""),
    ("standard", {"tpu": "v5litepod-16"}, "TPU101", "tpu: v5e\ntopology: 4x4"),
    ("standard", {"tpu": "v5p-128"}, "TPU101", "tpu: v5p\ntopology: 4x4x4"),
    ("standard", {"tpu": "v5p-128", "topology": "4x4x4"}, "TPU101", "tpu: v5p"),
    ("standard", {"tpu": "v5p-4"}, "TPU101", "tpu: v5p\ntopology: 2x2x1"),
    ("standard", {"tpu": "v5p-17920"}, "TPU101", "tpu: v5p\ntopology: 16x16x24"),
    ("standard", {"tpu": "v6e-8"}, "TPU101", "tpu: v6e\ntopology: 2x4\nchips_per_host: 8"),
    ("autopilot", {"tpu": "v6e-8"}, "TPU101", "tpu: v6e\ntopology: 2x4"),
    ("standard", {"tpu": "v3-2048"}, "TPU101", "tpu: v3\ntopology: 32x32"),
    ("autopilot", {"tpu": "v3-2048"}, "TPU101", "tpu: v3\ntopology: 16x16"),
    ("standard", {"tpu": "ct6e-standard-4t"}, "TPU101", "tpu: v6e\ntopology: 2x2"),
    ("autopilot", {"tpu": "ct6e-standard-4t"}, "TPU101", "tpu: v6e\ntopology: 2x2"),
    ("standard", {"tpu": "ct5lp"}, "TPU101", "tpu: v5e\ntopology: 1x1"),
    ("standard", {"tpu": "tpu-v5-lite-podslice"}, "TPU101", "tpu: v5e\ntopology: 1x1"),
    ("standard", {"tpu": "tpu-v6e-podslice"}, "TPU101", "tpu: v6e\ntopology: 1x1"),
    ("standard", {"tpu": "tpu-v7x-slice"}, "TPU101", "tpu: tpu7x\ntopology: 2x2x1"),
    ("standard", {"tpu": "v8t"}, "TPU102", ""),
    ("standard", {"tpu": "tpu8i"}, "TPU102", ""),
    ("standard", {"tpu": "tpu7"}, "TPU102", ""),
    (
        "standard",
        {"tpu": "v6e", "topology": "2x2", "machine_type": "ct6e-standard-4"},
        "TPU103",
        "machine_type: ct6e-standard-4t",
    ),
    (
        "standard",
        {"tpu": "v6e", "topology": "2x2", "machine_type": "e2-medium"},
        "TPU103",
        "machine_type: ct6e-standard-4t",
    ),
    ("standard", {"tpu": "v6e", "topology": "2x2", "machine_type": "e2"}, "TPU103", "machine_type: ct6e-standard-4t"),
    ("standard", {"tpu": "v6e"}, "TPU104", "topology: 1x1"),
    ("standard", {"tpu": "v6e", "topology": "4x4", "chips": 16}, "TPU104", "topology: 4x4"),
    ("standard", {"tpu": "v6e", "topology": "4X4"}, "TPU111", "topology: 4x4"),
    ("standard", {"tpu": "v6e", "topology": "4 x 4"}, "TPU111", "topology: 4x4"),
    ("standard", {"tpu": "v6e", "topology": "04x4"}, "TPU111", "topology: 4x4"),
    ("standard", {"tpu": "v6e", "topology": "16"}, "TPU111", "topology: 4x4"),
    ("standard", {"tpu": "v6e", "topology": "4x4x1"}, "TPU111", "topology: 4x4"),
    ("standard", {"tpu": "v6e", "topology": ""}, "TPU111", "topology: 1x1"),
    ("standard", {"tpu": "v6e", "topology": "0x4"}, "TPU111", ""),
    ("standard", {"tpu": "v5p", "topology": "2x2"}, "TPU111", "topology: 2x2x1"),
    ("standard", {"tpu": "v5p", "topology": "8x8"}, "TPU111", "topology: 4x4x4"),
    ("standard", {"tpu": "v5p", "topology": "8×8×8"}, "TPU111", "topology: 8x8x8"),
    ("standard", {"tpu": "v6e", "topology": "2x8"}, "TPU112", "topology: 4x4"),
    ("standard", {"tpu": "v6e", "topology": "32x32"}, "TPU112", "topology: 16x16"),
    ("standard", {"tpu": "v3", "topology": "32x32"}, "", ""),
    ("autopilot", {"tpu": "v3", "topology": "32x32"}, "TPU112", "topology: 16x16"),
    ("standard", {"tpu": "v3", "topology": "2x4"}, "TPU112", "topology: 4x4"),
    ("standard", {"tpu": "v5p", "topology": "2x4x8"}, "TPU112", "topology: 4x4x4"),
    ("standard", {"tpu": "v5p", "topology": "2x2x17"}, "TPU113", "topology: 4x4x4"),
    ("standard", {"tpu": "v5p", "topology": "4x8x4"}, "TPU113", "topology: 4x4x8"),
    ("standard", {"tpu": "v5p", "topology": "16x20x28"}, "TPU113", "topology: 16x16x24"),
    ("standard", {"tpu": "v6e", "topology": "2x4"}, "TPU114", "topology: 2x4\nchips_per_host: 8"),
    ("standard", {"tpu": "v6e", "topology": "2x4", "chips_per_host": 4}, "", ""),
    ("standard", {"tpu": "v6e", "topology": "2x4", "machine_type": "ct6e-standard-8t"}, "", ""),
    ("autopilot", {"tpu": "v6e", "topology": "2x4"}, "", ""),
    ("autopilot", {"tpu": "v6e", "topology": "2x4", "chips_per_host": 4}, "TPU115", "chips_per_host: 8"),
    ("autopilot", {"tpu": "v5e", "topology": "2x4"}, "TPU114", "topology: 2x4\nchips_per_host: 8"),
    ("autopilot", {"tpu": "v5e", "topology": "2x2"}, "", ""),
    ("standard", {"tpu": "v6e", "topology": "2x2", "chips_per_host": 1}, "TPU115", "chips_per_host: 4"),
    ("standard", {"tpu": "v6e", "topology": "2x2", "chips_per_host": -4}, "TPU115", "chips_per_host: 4"),
    (
        "standard",
        {"tpu": "v6e", "topology": "4x4", "machine_type": "ct6e-standard-8t"},
        "TPU115",
        "machine_type: ct6e-standard-4t",
    ),
    (
        "standard",
        {"tpu": "v3", "topology": "2x2", "machine_type": "ct3p-hightpu-4t"},
        "TPU115",
        "machine_type: ct3-hightpu-4t",
    ),
    (
        "standard",
        {"tpu": "v6e", "topology": "2x4", "machine_type": "ct6e-standard-8t", "chips_per_host": 4},
        "TPU115",
        "chips_per_host: 8",
    ),
    (
        "standard",
        {"tpu": "tpu7x", "topology": "4x4x12", "machine_type": "tpu7x-standard-1t"},
        "TPU115",
        "machine_type: tpu7x-standard-4t",
    ),
    (
        "standard",
        {"tpu": "v4", "topology": "4x4x12", "machine_type": "ct4l-hightpu-4t"},
        "TPU115",
        "machine_type: ct4p-hightpu-4t",
    ),
    ("standard", {"tpu": "tpu7x", "topology": "4x4x12", "chips_per_host": 8}, "TPU115", "chips_per_host: 4"),
    ("standard", {"tpu": "tpu7x", "topology": "4x4x12", "machine_type": "tpu7x-ultranet-4t"}, "", ""),
    ("standard", {"tpu": "v6e", "chips": 16}, "", ""),
    ("standard", {"tpu": "v6e", "chips": 7}, "TPU116", "chips: 8\nchips_per_host: 8"),
    ("standard", {"tpu": "v6e", "chips": 8}, "TPU114", "chips: 8\nchips_per_host: 8"),
    ("standard", {"tpu": "v6e", "chips": 10**18}, "TPU116", "chips: 256"),
    ("standard", {"tpu": "v5p", "chips": 128}, "", ""),
    ("standard", {"tpu": "v5p", "chips": 256}, "TPU116", "topology: 4x8x8"),
    ("standard", {"tpu": "v5p", "chips": 10**18}, "TPU116", "topology: 16x16x24"),
    ("autopilot", {"tpu": "v3", "chips": 1024}, "TPU116", "chips: 256"),
    ("standard", {"tpu": "v6e", "topology": "4x4", "count": 1000}, "", ""),
    ("standard", {"tpu": "v6e", "topology": "4x4", "count": 1001}, "TPU119", ""),
    ("standard", {"tpu": "v6e", "topology": "4x4", "count": {"min": 0, "max": 10**15}}, "TPU119", ""),
    ("standard", {"tpu": "v6e", "topology": "2x2", "count": 10**15}, "", ""),
    ("autopilot", {"tpu": "v6e", "topology": "4x4", "count": 10**15}, "", ""),
]


@pytest.mark.parametrize(("mode", "keys", "rule", "fix"), CASES)
def test_a_group_has_a_shape_or_a_reason(mode: Any, keys: dict[str, Any], rule: str, fix: str) -> None:
    shape = found(keys, mode)
    given_fix = shape.fix.split("      #")[0] if isinstance(shape, ShapeProblem) else ""
    assert (rule_of(keys, mode), given_fix) == (rule, fix)


def test_a_conflict_is_reported_at_the_key_that_the_plan_sets() -> None:
    by_chips = found({"tpu": "v6e", "topology": "4x4", "chips_per_host": 8})
    by_machine = found({"tpu": "v6e", "topology": "4x4", "machine_type": "ct6e-standard-8t"})
    assert isinstance(by_chips, ShapeProblem)
    assert isinstance(by_machine, ShapeProblem)
    assert (by_chips.key, by_machine.key) == ("chips_per_host", "machine_type")


@pytest.mark.parametrize(
    ("word", "part"),
    [
        ("v5p-128", "an accelerator type (64 chips of v5p), not a generation"),
        ("v5p-17920", "an accelerator type (8,960 chips of v5p), not a generation"),
        ("v5p-12", "invalid name `v5p-12`: no slice of v5p has 6 chips"),
        ("ct6e-standard-8t", "a machine type of v6e, not a generation"),
        ("tpu-v5-lite-device", "an accelerator label of v5e, not a generation"),
        ("\x1b[31mv6e", "unknown TPU generation `\\x1b[31mv6e`"),
    ],
)
def test_another_name_of_a_tpu_is_explained(word: str, part: str) -> None:
    problem = found({"tpu": word})
    assert isinstance(problem, ShapeProblem)
    assert part in problem.message


def test_a_machine_type_of_another_generation_is_explained() -> None:
    problem = found({"tpu": "v6e", "topology": "2x2", "machine_type": "ct5p-hightpu-4t"})
    assert isinstance(problem, ShapeProblem)
    assert problem.message == "`ct5p-hightpu-4t` is a machine type of v5p, not of v6e"


# Fixes


@pytest.mark.parametrize(
    ("keys", "fix"),
    [
        ({"tpu": "v5p", "topology": "v5p-512"}, "topology: 4x8x8"),
        ({"tpu": "v5p", "topology": "V5P 512"}, "topology: 4x8x8"),
        ({"tpu": "v5p", "topology": "tpu-v5p-slice 4x4x4"}, "topology: 4x4x4"),
        ({"tpu": "v6e", "topology": "v6e-4x4"}, "topology: 4x4"),
        ({"tpu": "v6e", "topology": "v5p-512"}, "topology: 16x16"),
        (
            {"tpu": "v6e", "topology": "tpu-v6e-8"},
            "topology: 2x4\nchips_per_host: 8"
            "      # 1 host of ct6e-standard-8t, or chips_per_host: 4 (2 hosts of ct6e-standard-4t)",
        ),
        ({"tpu": "v5p", "topology": "5x5x5"}, "topology: 4x4x8      # 4x4x8 has 128 chips; 5x5x5 would have 125"),
        (
            {"tpu": "v5p", "topology": "12x12x25"},
            "topology: 12x12x24      # 12x12x24 has 3,456 chips; 12x12x25 would have 3,600",
        ),
        ({"tpu": "v5p", "topology": "8x4x4"}, "topology: 4x4x8"),
        ({"tpu": "v5p", "topology": "2x2x32"}, "topology: 4x4x8"),
        ({"tpu": "v5e", "topology": "v6e-4x4"}, "topology: 4x4"),
        ({"tpu": "v5p", "topology": "4x4x380"}, "topology: 4x4x380"),
        (
            {"tpu": "v5p", "topology": "99x99x99"},
            "topology: 16x16x24      # 16x16x24 has 6,144 chips; 99x99x99 would have 970,299",
        ),
        ({"tpu": "v6e", "topology": "4x3"}, "topology: 4x4      # 4x4 has 16 chips; 4x3 would have 12"),
        ({"tpu": "v6e", "topology": "4, 4"}, "topology: 4x4"),
        ({"tpu": "v6e", "topology": "256"}, "topology: 16x16"),
        ({"tpu": "v6e", "topology": "large"}, ""),
        ({"tpu": "v6e"}, "topology: 1x1      # 1 chip, the smallest slice"),
        ({"tpu": "v5p", "chips": 300}, "chips: 320"),
        ({"tpu": "v5p", "chips": 250}, "topology: 4x8x8      # 4x8x8 has 256 chips, not 250"),
        (
            {"tpu": "v6e", "chips": 9},
            "chips: 8\nchips_per_host: 8"
            "      # 1 host of ct6e-standard-8t, or chips_per_host: 4 (2 hosts of ct6e-standard-4t)",
        ),
        ({"tpu": "v5p", "chips": 1024}, "topology: 8x8x16"),
        ({"tpu": "v5p-512"}, "tpu: v5p\ntopology: 4x8x8"),
        ({"tpu": "v6e-256-4"}, "tpu: v6e\ntopology: 16x16\ncount: 4"),
        ({"tpu": "v6e-256-2"}, "tpu: v6e\ntopology: 16x16\ncount: 2"),
        ({"tpu": "v6e-256-4", "min": 0, "max": 3}, "tpu: v6e\ntopology: 16x16"),
        (
            {"tpu": "v6e-256-4", "count": 2},
            "tpu: v6e\ntopology: 16x16"
            "      # keep the other keys, or for the slice of v6e-256-4 write topology: 16x16, count: 4",
        ),
        (
            {"tpu": "v6e-8"},
            "tpu: v6e\ntopology: 2x4\nchips_per_host: 8"
            "      # 1 host of ct6e-standard-8t, or chips_per_host: 4 (2 hosts of ct6e-standard-4t)",
        ),
        (
            {"tpu": "v5p-17920"},
            "tpu: v5p\ntopology: 16x16x24      # 16x16x24 has 6,144 chips; v5p-17920 would have 8,960",
        ),
        (
            {"tpu": "v5p-512", "topology": "4x4x4"},
            "tpu: v5p      # keep the other keys, or for the slice of v5p-512 write topology: 4x8x8",
        ),
        ({"tpu": "v5p-128", "topology": "4x4x4"}, "tpu: v5p"),
        ({"tpu": "trillium", "topology": "4x4"}, "tpu: v6e"),
        ({"tpu": "ironwood"}, "tpu: tpu7x\ntopology: 2x2x1      # 4 chips, the smallest slice"),
        ({"tpu": "ct6e-standard-4t", "topology": "2x4"}, "tpu: v6e\nchips_per_host: 4"),
        ({"tpu": "tpu-v5-lite-device", "topology": "2x2"}, "tpu: v5e\nmachine_type: ct5l-hightpu-4t"),
        ({"tpu": "v5p", "topology": "4x8x8", "machine_type": "v5p-512"}, "machine_type: ct5p-hightpu-4t"),
        ({"tpu": "v6e", "topology": "4x4", "machine_type": "ct6e-standard-4t-tpu"}, "machine_type: ct6e-standard-4t"),
        ({"tpu": "v6e", "topology": "4x4", "machine_type": "tpu-v6e-slice"}, "machine_type: ct6e-standard-4t"),
    ],
)
def test_the_fix_for_another_name_or_an_unknown_slice_is_the_nearest_slice(keys: dict[str, Any], fix: str) -> None:
    shape = found(keys)
    assert isinstance(shape, Shape) or shape.fix == fix


@pytest.mark.parametrize(
    ("keys", "rule", "message"),
    [
        (
            {"tpu": "v5p", "topology": "v5p-512"},
            "TPU111",
            "`v5p-512` is an accelerator type (256 chips of v5p), not a topology",
        ),
        (
            {"tpu": "v5p", "topology": "4x8x8", "machine_type": "v5p-512"},
            "TPU103",
            "`v5p-512` is an accelerator type (256 chips of v5p), not a machine type",
        ),
        ({"tpu": "trillium"}, "TPU101", "`trillium` is another name of v6e"),
        ({"tpu": "v8t-256"}, "TPU102", "GKE does not offer TPU generation `v8t-256`"),
    ],
)
def test_the_message_states_the_meaning_of_another_name(keys: dict[str, Any], rule: str, message: str) -> None:
    problem = found(keys)
    assert isinstance(problem, ShapeProblem)
    assert (problem.rule, problem.message) == (rule, message)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("topology", ["5x5x5", "v5p-512", "3x3x3", "1x2", None])
def test_allowed_topologies_include_the_rule_for_custom_ones(topology: str | None, mode: Any) -> None:
    problem = found({"tpu": "v5p", "topology": topology}, mode)
    assert isinstance(problem, ShapeProblem)
    rule = "and custom AxBxC with A <= B <= C; each dimension is a multiple of 4; more than 64 and at most 6,144 chips"
    assert problem.allowed[-1] == rule
    assert problem.allowed[:5] == ("2x2x1", "2x2x2", "2x2x4", "2x4x4", "4x4x4")
    assert ("4x4x8" in problem.allowed) == (topology == "5x5x5")


def test_allowed_numbers_of_chips_include_the_rule_for_custom_ones() -> None:
    problem = found({"tpu": "v5p", "chips": 300})
    assert isinstance(problem, ShapeProblem)
    assert problem.allowed == ("4", "8", "16", "32", "64", "any multiple of 64 up to 6,144")


words = st.sampled_from([*CATALOG.generation_names, "v5p-12", "v5litepod-9", "tpu-v4-podslice", "Ironwood", "v2"])

sides = st.lists(st.integers(0, 40), min_size=1, max_size=4).map(lambda numbers: "x".join(map(str, numbers)))

group_keys = st.fixed_dictionaries(
    {"tpu": words},
    optional={
        "topology": st.one_of(sides, st.text(max_size=8)),
        "chips": st.integers(1, 10_000),
        "chips_per_host": st.sampled_from([1, 2, 4, 8]),
    },
)


@given(group_keys, st.sampled_from(MODES))
def test_a_fix_gives_a_shape_or_another_problem(keys: dict[str, Any], mode: Any) -> None:
    """Every fix solves its problem; successive fixes end in a shape, or in a problem without a fix."""
    for _ in range(9):
        shape = found(keys, mode)
        if isinstance(shape, Shape) or not shape.fix:
            return
        after = found(mended(keys, shape), mode)
        assert not isinstance(after, ShapeProblem) or (after.rule, after.message) != (shape.rule, shape.message)
        keys = mended(keys, shape)
    raise AssertionError(f"no end of fixes: {keys}")


@given(group_keys, st.sampled_from(MODES))
def test_a_suggestion_with_other_chips_states_both_numbers(keys: dict[str, Any], mode: Any) -> None:
    """The requested number is the product of the dimensions, or the chips; a fix with another number has a comment."""
    problem = found(keys, mode)
    if isinstance(problem, Shape) or keys["tpu"] not in CATALOG.generation_names or "topology" not in problem.fix:
        return
    try:
        asked = Topology.parse(keys["topology"]).chips if "topology" in keys else keys.get("chips")
    except ValueError:
        return
    near = Topology.parse(yaml.safe_load(problem.fix)["topology"]).chips
    if asked is not None and near != asked:
        remark = problem.fix.partition("#")[2]
        assert f"{near:,} chip" in remark
        assert f"{asked:,}" in remark


@pytest.mark.parametrize("tpu", ["v4", "v5p", "tpu7x"])
@given(chips=st.one_of(st.integers(1, 2500), st.integers(1, 100).map(lambda cubes: 64 * cubes)))
def test_custom_shapes_are_exactly_those_that_the_rule_allows(tpu: str, chips: int) -> None:
    custom = CATALOG.generation(tpu).custom_topologies
    assert custom is not None
    divisors = [side for side in range(1, chips + 1) if chips % side == 0]
    every = [
        Topology((first, second, chips // first // second))
        for first in divisors
        for second in divisors
        if chips % (first * second) == 0
    ]
    in_order = [shape for shape in every if list(shape.dimensions) == sorted(shape.dimensions)]
    allowed = {str(shape) for shape in in_order if not custom_problem(custom, shape)}
    assert {str(shape) for shape in custom_shapes(custom, chips, disputed=True)} == allowed
    listed = {shape for shape in allowed if not custom_doubt(custom, Topology.parse(shape))}
    assert {str(shape) for shape in custom_shapes(custom, chips)} == listed


def test_absurd_numbers_are_rejected_quickly() -> None:
    for tpu in CATALOG.generation_names:
        assert rule_of({"tpu": tpu, "chips": 2**62}) == "TPU116"


# Rules for groups with a shape


@pytest.mark.parametrize(
    ("topology", "expected"),
    [("16x16x24", []), ("4x4x24", []), ("4x4x28", ["TPU117"]), ("8x20x20", ["TPU117"]), ("4x4x380", ["TPU117"])],
)
def test_dimensions_beyond_the_largest_documented_shape_warn(
    topology: str, expected: list[str], broken: Broken
) -> None:
    assert broken(f"tpu: v5p\ntopology: {topology}\nzone: us-east5-a") == expected


@pytest.mark.parametrize(("topology", "expected"), [("16x16x28", []), ("16x16x32", ["TPU118"])])
def test_a_slice_larger_than_a_node_pool_warns(topology: str, expected: list[str], broken: Broken) -> None:
    network = "network: {network: shared, subnetwork: tpu}"
    group = f"{{tpu: tpu7x, topology: {topology}, zone: us-central1-c}}"
    rules = broken(f"mode: standard\nlocation: us-central1\n{network}\nslices: {{main: {group}}}")
    assert [rule for rule in rules if rule.startswith("TPU1")] == expected


@pytest.mark.parametrize(
    ("count", "expected"), [("2000", []), ("2001", ["TPU118"]), ("{min: 0, max: 2001}", ["TPU118"])]
)
def test_more_single_host_slices_than_a_node_pool_supports_warn(
    count: str, expected: list[str], broken: Broken
) -> None:
    assert broken(f"tpu: v6e\ntopology: 2x2\ncount: {count}") == expected


@pytest.mark.parametrize(
    ("group", "message"),
    [
        (
            "{tpu: v5e, topology: 2x2, machine_type: ct5l-hightpu-4t, zone: us-central1-a}",
            "machine type ct5l-hightpu-4t is a legacy machine type",
        ),
        (
            "{tpu: tpu7x, topology: 2x2x2, machine_type: tpu7x-ultranet-4t, zone: us-central1-c}",
            "machine type tpu7x-ultranet-4t is not in the GKE documentation",
        ),
    ],
)
def test_undocumented_machine_types_warn(group: str, message: str, check: Callable[[str], Any]) -> None:
    findings = check(f"mode: standard\nlocation: us-central1\nslices: {{main: {group}}}")
    assert [(item.severity, item.message) for item in findings if item.rule == "TPU105"] == [
        (Severity.WARNING, message)
    ]


@pytest.mark.parametrize(
    ("group", "allowed"),
    [
        ("{tpu: v5e, topology: 2x2, machine_type: ct5l-hightpu-4t, zone: us-central1-a}", ("ct5lp-hightpu-4t",)),
        ("{tpu: tpu7x, topology: 2x2x2, machine_type: tpu7x-ultranet-4t, zone: us-central1-c}", ("tpu7x-standard-4t",)),
    ],
)
def test_documented_machine_types_with_as_many_chips_are_allowed_instead(
    group: str, allowed: tuple[str, ...], check: Callable[[str], Any]
) -> None:
    findings = check(f"mode: standard\nlocation: us-central1\nslices: {{main: {group}}}")
    assert [item.allowed for item in findings if item.rule == "TPU105"] == [allowed]


def test_a_group_without_a_shape_always_has_an_error(check: Callable[[str], Any]) -> None:
    for keys in ("tpu: v8t\ntopology: 4x4", "tpu: v4\ntopology: 4x4x380\nzone: us-central2-b", "tpu: v6e\nchips: 3"):
        assert Severity.ERROR in {item.severity for item in check(keys)}


def test_a_machine_type_that_runs_in_production_has_no_warning(check: Callable[[str], Any]) -> None:
    """Google's table of topologies has no 1x1x1 for tpu7x, but nodes of tpu7x-standard-1t run in public fleets."""
    shape = found({"tpu": "tpu7x", "topology": "1x1x1"})
    assert isinstance(shape, Shape)
    assert shape.machine_type == "tpu7x-standard-1t"
    findings = check(
        "mode: standard\nlocation: us-central1\nslices:\n  x: {tpu: tpu7x, topology: 1x1x1, zone: us-central1-c}"
    )
    assert not findings
    assert rule_of({"tpu": "tpu7x", "topology": "1x1x1", "chips_per_host": 4}) == "TPU115"
    assert rule_of({"tpu": "tpu7x", "topology": "1x1x2"}) == "TPU112"


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("topology: 4x\nmachine_type: ct6e-standard-9t", ["TPU103", "TPU111"]),
        ("topology: 4x3\nmachine_type: ct6e-standard-9t", ["TPU103", "TPU112"]),
        ("topology: 4x4x1\nmachine_type: ct6e-standard-4t\nchips_per_host: 8", ["TPU111", "TPU115"]),
        ("topology: 4x3\nmachine_type: ct6e-standard-4t\nchips_per_host: 8", ["TPU112", "TPU115"]),
        ("topology: 1x1\nmachine_type: ct6e-standard-4t\nchips_per_host: 1", ["TPU115"]),
        ("machine_type: ct6e-standard-9t", ["TPU103", "TPU104"]),
        ("topology: 2x4\nmachine_type: ct6e-standard-9t", ["TPU103"]),
    ],
)
def test_a_wrong_machine_hides_no_problem_of_the_topology(keys: str, expected: list[str], broken: Broken) -> None:
    assert sorted(broken(f"tpu: v6e\n{keys}\nzone: us-east5-b")) == expected
