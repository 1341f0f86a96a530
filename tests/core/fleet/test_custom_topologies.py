"""Shapes outside of the tables: the valid ones, and the messages about the others."""

import itertools
import math
from typing import Any

import pytest
import yaml
from hypothesis import assume, given
from hypothesis import strategies as st
from support.checking import validate

from pulumi_gke_tpu.core.catalog import Catalog, Topology, read_catalog
from pulumi_gke_tpu.core.fleet import SliceGroup, derive
from pulumi_gke_tpu.core.plan import Plan, parse_plan
from pulumi_gke_tpu.core.text.findings import Finding, Severity

CATALOG = read_catalog()
LIMITS = {"v4": 3072, "v5p": 6144, "tpu7x": 9216}
"""Generation -> chips of its largest slice, by "Plan TPUs in GKE" and the tpu7x page."""
DISPUTED = {"v4": 4096}
"""Generation -> chips of the largest slice that other sources list."""
ZONES = {
    "v4": "us-central2-b",
    "v5p": "us-east5-a",
    "tpu7x": "us-central1-c",
    "v5e": "us-central1-a",
    "v6e": "us-east5-b",
}
MULTIPLES = st.integers(1, 24).map(lambda number: number * 4)
GENERATION = st.sampled_from(sorted(LIMITS))
SHAPES = [
    (tpu, shape)
    for tpu, most in sorted(LIMITS.items())
    for shape in itertools.combinations_with_replacement(range(4, most // 16 + 1, 4), 3)
    if 64 < math.prod(shape) <= most
]
"""Every shape outside the tables that exists, by the rule's own words."""
FLAT = {
    "v5e": {"1x1", "2x2", "2x4", "4x4", "4x8", "8x8", "8x16", "16x16"},
    "v6e": {"1x1", "2x2", "2x4", "4x4", "4x8", "8x8", "8x16", "16x16"},
}


def plan_of(tpu: str, group: dict[str, Any]) -> Plan:
    slices = {"big": {"tpu": tpu, "zone": ZONES[tpu], **group}}
    cluster = {"mode": "standard", "location": ZONES[tpu][:-2], "slices": slices}
    document = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"train": cluster}})
    assert document.findings == ()
    assert document.content is not None
    return document.content


def errors(plan: Plan) -> list[Finding]:
    return [finding for finding in validate(plan, CATALOG) if finding.severity is Severity.ERROR]


def derived(plan: Plan) -> SliceGroup:
    return derive(plan, CATALOG).clusters[0].groups[0]


def text(sides: tuple[int, ...]) -> str:
    return "x".join(map(str, sides))


def check_refused(tpu: str, sides: tuple[int, ...], rule: str) -> Finding:
    """The shape is refused by exactly this rule, and what the finding offers instead is right."""
    found = errors(plan_of(tpu, {"topology": text(sides)}))
    assert [(finding.rule, finding.path[-1]) for finding in found] == [(rule, "topology")]
    offered = yaml.safe_load(found[0].fix)
    assert [other.rule for other in errors(plan_of(tpu, offered)) if other.rule != "TPU114"] == []
    return found[0]


@given(entry=st.sampled_from(SHAPES))
def test_ordered_multiples_of_four_up_to_the_limit_exist(entry: tuple[str, tuple[int, ...]]) -> None:
    tpu, shape = entry
    hosts = math.prod(shape) // 4
    plan = plan_of(tpu, {"topology": text(shape)})
    assert errors(plan) == []
    group = derived(plan)
    assert (group.shape.hosts, group.hosts.maximum, group.shape.multi_host) == (hosts, hosts, True)
    assert [pool.hosts.maximum for pool in group.pools] == [hosts]


@given(
    entry=st.sampled_from([entry for entry in SHAPES if entry[0] != "v4" and len(set(entry[1])) > 1]), data=st.data()
)
def test_dimensions_out_of_order_are_refused(entry: tuple[str, tuple[int, ...]], data: st.DataObject) -> None:
    tpu, shape = entry
    wrong = [other for other in set(itertools.permutations(shape)) if other != shape]
    found = check_refused(tpu, data.draw(st.sampled_from(sorted(wrong))), "TPU113")
    assert yaml.safe_load(found.fix) == {"topology": text(shape)}


@given(tpu=GENERATION, sides=st.tuples(MULTIPLES, MULTIPLES, MULTIPLES))
def test_more_chips_than_the_largest_slice_are_refused(tpu: str, sides: tuple[int, ...]) -> None:
    shape = tuple(sorted(sides))
    assume(math.prod(shape) > DISPUTED.get(tpu, LIMITS[tpu]))
    check_refused(tpu, shape, "TPU113")


@pytest.mark.parametrize(
    ("topology", "key", "reason", "fix"),
    [
        ("16x16x16", "topology", "4,096 chips exceed the limit of 3,072 per slice", "12x16x16"),
        ("4x4x256", "topology", "4,096 chips exceed the limit of 3,072 per slice", "12x16x16"),
        ("8x4x4", "topology", "dimensions must not decrease: A <= B <= C", "4x4x8"),
        ("16x4x4", "topology", "dimensions must not decrease: A <= B <= C", "4x4x16"),
    ],
)
@pytest.mark.parametrize("mode", ["standard", "autopilot"])
def test_shapes_of_v4_on_which_sources_disagree_have_a_warning(
    mode: str, topology: str, key: str, reason: str, fix: str
) -> None:
    plan = plan_of("v4", {"topology": topology})
    plan = plan.model_copy(update={"clusters": {"train": plan.clusters["train"].model_copy(update={"mode": mode})}})
    (found,) = validate(plan, CATALOG)
    assert (found.rule, found.severity, found.path[-1]) == ("TPU113", Severity.WARNING, key)
    assert reason in found.message
    assert "XPK and Kinetic list 16x16x16" in found.source
    assert yaml.safe_load(found.fix) == {"topology": fix}
    group = derived(plan)
    assert (str(group.shape.topology), group.shape.hosts) == (topology, Topology.parse(topology).chips // 4)
    offered = plan_of("v4", yaml.safe_load(found.fix))
    assert validate(offered, CATALOG) == ()


def test_other_generations_keep_their_order_and_limit() -> None:
    for tpu in ("v5p", "tpu7x"):
        (found,) = errors(plan_of(tpu, {"topology": "8x4x4"}))
        assert (found.rule, found.severity) == ("TPU113", Severity.ERROR)


@given(entry=st.sampled_from(SHAPES), place=st.integers(0, 2), less=st.integers(1, 3))
def test_other_multiples_are_refused(entry: tuple[str, tuple[int, ...]], place: int, less: int) -> None:
    tpu, shape = entry
    sides = sorted(side - less if number == place else side for number, side in enumerate(shape))
    assume(math.prod(sides) > 64)
    check_refused(tpu, tuple(sides), "TPU113")


@given(tpu=GENERATION, sides=st.tuples(*[st.integers(1, 8)] * 3))
def test_up_to_64_chips_only_the_table_counts(tpu: str, sides: tuple[int, ...]) -> None:
    assume(math.prod(sides) <= 64)
    listed = {"2x2x1", "2x2x2", "2x2x4", "2x4x4", "4x4x4"}
    if text(sides) in listed:
        assert errors(plan_of(tpu, {"topology": text(sides)})) == []
        return
    # On tpu7x a single chip is formed by a machine type that has to be named.
    assume((tpu, sides) != ("tpu7x", (1, 1, 1)))
    check_refused(tpu, sides, "TPU112")


@given(tpu=st.sampled_from(sorted(FLAT)), sides=st.tuples(st.integers(1, 40), st.integers(1, 40)))
def test_flat_generations_have_no_custom_shapes(tpu: str, sides: tuple[int, ...]) -> None:
    assume(text(sides) not in FLAT[tpu])
    check_refused(tpu, sides, "TPU112")


@given(tpu=GENERATION, chips=st.integers(65, 10_000))
def test_chips_stand_for_a_shape_only_where_there_is_one(tpu: str, chips: int) -> None:
    """By counting every shape with so many chips."""
    quarter = [4 * n for n in range(1, chips // 64 + 1)]
    shapes = {
        (a, b, chips // (a * b))
        for a in quarter
        for b in quarter
        if a <= b and chips % (a * b) == 0 and chips // (a * b) >= b and chips // (a * b) % 4 == 0
    }
    if chips > DISPUTED.get(tpu, LIMITS[tpu]):
        shapes = set()
    plan = plan_of(tpu, {"chips": chips})
    if len(shapes) == 1:
        assert derived(plan).shape.topology == Topology(shapes.pop())
        return
    (found,) = errors(plan)
    assert found.rule == "TPU116"
    if shapes:
        assert sorted(found.allowed) == sorted(text(shape) for shape in shapes)
    else:
        assert errors(plan_of(tpu, yaml.safe_load(found.fix))) == []


@pytest.mark.parametrize(
    ("tpu", "topology", "hosts"),
    [
        ("v4", "12x16x16", 768),
        ("v5p", "16x16x24", 1536),
        ("v5p", "4x4x8", 32),
        ("tpu7x", "16x16x36", 2304),
        ("tpu7x", "8x16x16", 512),
    ],
)
def test_documented_large_shapes(tpu: str, topology: str, hosts: int) -> None:
    plan = plan_of(tpu, {"topology": topology})
    assert errors(plan) == []
    assert derived(plan).shape.hosts == hosts


def test_the_machine_of_a_custom_shape_is_fixed() -> None:
    for keys in ({"chips_per_host": 8}, {"chips_per_host": 1}):
        (found,) = errors(plan_of("v5p", {"topology": "4x4x8", **keys}))
        assert (found.rule, yaml.safe_load(found.fix)) == ("TPU115", {"chips_per_host": 4})


def test_the_catalog_gives_the_same_limits() -> None:
    """So that a changed limit is a change of this file too."""
    catalog: Catalog = CATALOG
    limits = {
        name: generation.custom_topologies.max_chips
        for name in catalog.generation_names
        if (generation := catalog.generation(name)).custom_topologies
    }
    assert limits == LIMITS
    rules = {name: catalog.generation(name).custom_topologies for name in limits}
    assert {name: rule.disputed_chips for name, rule in rules.items() if rule and rule.disputed_chips} == DISPUTED
    assert [name for name, rule in rules.items() if rule and rule.any_order] == ["v4"]


@pytest.mark.parametrize("topology", ["15x16x16", "16x16x15", "13x16x16"])
def test_no_shape_on_which_sources_disagree_is_suggested(topology: str) -> None:
    (found,) = errors(plan_of("v4", {"topology": topology}))
    assert found.rule == "TPU113"
    assert validate(plan_of("v4", yaml.safe_load(found.fix)), CATALOG) == ()
