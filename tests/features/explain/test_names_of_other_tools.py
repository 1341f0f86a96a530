"""Every slice that GKE offers, in the naming schemes of other tools: what ``explain`` proposes is that slice."""

import functools
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import yaml
from support.checking import validate
from support.sampling import sample

from pulumi_gke_tpu.core.catalog import Catalog, Topology, read_catalog
from pulumi_gke_tpu.core.fleet import Shape, derive
from pulumi_gke_tpu.core.fleet.shapes.shape import shape_of
from pulumi_gke_tpu.core.plan import Plan, SliceGroupSpec
from pulumi_gke_tpu.core.text.findings import Severity
from pulumi_gke_tpu.core.text.formats.names import region_of
from pulumi_gke_tpu.features.explain.values.explain import explain_item
from pulumi_gke_tpu.features.explain.values.surroundings import Item
from pulumi_gke_tpu.features.explain.words.vocabulary import explain_word

CATALOG = read_catalog()


@dataclass(frozen=True)
class Tool:
    """How tools name one generation: what they write before a number, and what that number counts."""

    cores: int
    numbered: tuple[str, ...]
    shaped: tuple[str, ...]


TOOLS = {
    "v3": Tool(2, ("v3", "tpu-v3"), ("v3", "tpu:v3", "TPU_V3")),
    "v4": Tool(2, ("v4", "tpu-v4", "TPU-V4"), ("v4", "tpu-v4", "tpuv4")),
    "v5e": Tool(1, ("v5litepod", "v5e", "tpu-v5litepod", "tpu-v5e"), ("v5litepod", "tpu:v5litepod", "tpuv5e")),
    "v5p": Tool(2, ("v5p", "tpu-v5p", "TPU-V5P"), ("v5p", "TPU_V5P", "tpuv5")),
    "v6e": Tool(1, ("v6e", "tpu-v6e", "TPU-V6E", "trillium"), ("v6e", "tpu-v6e", "tpuv6e")),
    "tpu7x": Tool(2, ("tpu7x", "v7x", "7x", "tpu-7x", "TPU-V7X", "ironwood"), ("tpu7x", "v7x", "ironwood")),
}
"""XPK, SkyPilot, axlearn, Ray, Kinetic, Pathways, MaxText and the Cloud TPU API."""


@functools.cache
def topologies(generation: str) -> tuple[str, ...]:
    """Every topology of a generation that some source lists, made without the tool's own search."""
    facts = CATALOG.generation(generation)
    listed = [row.topology for row in facts.topologies.rows if row.documented]
    custom = facts.custom_topologies
    if custom is not None:
        most, step = custom.disputed_chips or custom.max_chips, custom.multiple_of
        sides = range(step, most // step**2 + 1, step)
        for first, second in itertools.combinations_with_replacement(
            [side for side in sides if side**2 * step <= most], 2
        ):
            thirds = range(second, most // (first * second) + 1, step)
            listed += [f"{first}x{second}x{third}" for third in thirds if first * second * third > custom.above_chips]
    return tuple(dict.fromkeys(listed))


def shaped_words(generation: str) -> Iterator[tuple[str, str]]:
    """A word, and the topology that it states."""
    facts = CATALOG.generation(generation)
    labels = {family.accelerator_label for family in facts.families.values() if family.documented and not family.legacy}
    for topology in topologies(generation):
        for prefix in TOOLS[generation].shaped:
            yield f"{prefix}-{topology}", topology
            yield f"{prefix}:{topology}", topology
        rows = [row for row in facts.topologies.rows if row.topology == topology and row.documented]
        for row in rows:
            family = facts.machine_types[row.machine_type].family
            yield f"{row.machine_type} {topology}", topology
            yield f"{facts.families[family].accelerator_label} {topology}", topology
        if not rows:
            yield from ((f"{label} {topology}", topology) for label in labels)


def numbered_words(generation: str) -> Iterator[tuple[str, int, int]]:
    """A word, and the chips and slices that it states."""
    tool = TOOLS[generation]
    for chips in dict.fromkeys(Topology.parse(topology).chips for topology in topologies(generation)):
        for prefix in tool.numbered:
            yield f"{prefix}-{chips * tool.cores}", chips, 1
            yield f"{prefix}-{chips * tool.cores}-2", chips, 2


def proposed(word: str) -> dict[str, Any]:
    found = explain_word(CATALOG, word)
    assert found is not None, word
    assert found.paste, (word, found.summary)
    assert "not a slice" not in found.summary
    lines = (line.partition("#")[0].strip().partition(": ") for line in found.paste.splitlines())
    return {key: int(value) if value.isdecimal() else value for key, _, value in lines}


def shapes(keys: dict[str, Any]) -> list[Shape]:
    group = SliceGroupSpec.model_validate(keys)
    found = [shape_of(CATALOG, mode, group) for mode in ("standard", "autopilot")]
    return [shape for shape in found if isinstance(shape, Shape)]


@pytest.mark.parametrize("generation", CATALOG.generation_names)
def test_a_name_with_a_topology_proposes_that_topology(generation: str) -> None:
    for word, topology in shaped_words(generation):
        keys = proposed(word)
        assert (keys["tpu"], keys["topology"]) == (generation, topology), word
        found = shapes(keys)
        assert found, word
        first = word.split()[0] if " " in word else ""
        for shape in found:
            assert str(shape.topology) == topology
            assert first in ("", shape.machine_type, shape.accelerator_label), word


@pytest.mark.parametrize("generation", CATALOG.generation_names)
def test_a_name_with_a_number_proposes_a_slice_of_as_many_chips(generation: str) -> None:
    words = list(numbered_words(generation))
    assert len(words) >= 32
    for word, chips, slices in words:
        keys = proposed(word)
        assert keys["tpu"] == generation
        assert keys.get("count", 1) == slices, word
        found = shapes(keys)
        assert found, word
        assert {shape.chips for shape in found} == {chips}, word


def test_every_machine_type_and_label_proposes_a_slice_that_has_it() -> None:
    for generation in CATALOG.generation_names:
        facts = CATALOG.generation(generation)
        for machine, host in facts.machine_types.items():
            if facts.families[host.family].documented:
                for word in (machine, f"{machine}-tpu"):
                    assert {shape.machine_type for shape in shapes(proposed(word))} == {machine}
        for name, family in facts.families.items():
            if family.documented:
                for word in (name, family.accelerator_label):
                    assert {shape.accelerator_label for shape in shapes(proposed(word))} == {family.accelerator_label}


def test_the_label_of_legacy_hosts_is_proposed_with_the_machine_type_that_has_it() -> None:
    found = explain_word(CATALOG, "tpu-v5-lite-device")
    assert found is not None
    assert yaml.safe_load(found.paste) == {"tpu": "v5e", "topology": "1x1", "machine_type": "ct5l-hightpu-1t"}
    assert "also on Autopilot" in next(step.because for step in found.steps if step.name == "in a plan")


def test_an_undocumented_host_without_a_topology_is_not_proposed() -> None:
    found = explain_word(CATALOG, "ct4l-hightpu-4t")
    assert found is not None
    assert not found.paste


@pytest.mark.parametrize("mode", ["standard", "autopilot"])
@pytest.mark.parametrize("generation", CATALOG.generation_names)
def test_proposed_plans_validate_and_derive_to_what_explain_says(generation: str, mode: str) -> None:
    """All proposals of a generation as the groups of one cluster: no error, and as many chips as the name states."""
    groups: dict[str, dict[str, Any]] = {}
    for word, chips, slices in sample(numbered_words(generation), 15, of=mode):
        if f"c{chips}n{slices}" not in groups and (keys := proposed(word)) and shapes_in(mode, keys):
            groups[f"c{chips}n{slices}"] = keys
    plan = a_plan(CATALOG, generation, mode, groups)
    errors = [finding for finding in validate(plan, CATALOG) if finding.severity is Severity.ERROR]
    assert [(finding.rule, finding.path, finding.message) for finding in errors] == []
    fleet = derive(plan, CATALOG)
    assert not fleet.unresolved
    for _, group in fleet.groups():
        name = group.key.partition("/")[2]
        assert name == f"c{group.shape.chips}n{group.slices.maximum}"
        steps = {step.name: step.value for step in explain_item(plan, fleet, CATALOG, Item("main", name, "")).steps}
        assert steps["chips"].replace(",", "").split()[0] == str(group.shape.chips)
        assert steps["topology"] == str(group.shape.topology)
        assert group.shape.accelerator_label in steps["node_selector"]


def shapes_in(mode: Any, keys: dict[str, Any]) -> list[Shape]:
    found = shape_of(CATALOG, mode, SliceGroupSpec.model_validate(keys))
    return [found] if isinstance(found, Shape) else []


def a_plan(catalog: Catalog, generation: str, mode: str, groups: dict[str, dict[str, Any]]) -> Plan:
    family = next(iter(catalog.generation(generation).families))
    zone = catalog.zones.families[family].documented.zones[0]
    place = {"zone": zone} if mode == "standard" else {}
    return Plan.model_validate(
        {
            "version": 1,
            "project": "acme-ml",
            "clusters": {
                "main": {
                    "mode": mode,
                    "location": region_of(zone),
                    "slices": {name: keys | place for name, keys in groups.items()},
                }
            },
        }
    )
