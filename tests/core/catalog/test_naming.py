"""One resolver for every name of a TPU: GKE's, the Cloud TPU API's, Compute Engine's and those of other tools."""

import pathlib

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from pulumi_gke_tpu.core.catalog import Catalog, Topology, read_catalog
from pulumi_gke_tpu.core.catalog.naming import (
    announced_called,
    described,
    generation_called,
    hardware,
    resolve,
    stated,
    why_of,
)

CATALOG = read_catalog()
PUBLISHED = yaml.safe_load((pathlib.Path(__file__).parent / "data/usual_topologies.yaml").read_text("utf-8"))


@pytest.mark.parametrize(
    ("word", "generation", "topology"),
    [
        ("v5p-128", "v5p", "4x4x4"),
        ("V5P-128", "v5p", "4x4x4"),
        (" v5p-128 ", "v5p", "4x4x4"),
        ("v5p-512", "v5p", "4x8x8"),
        ("v4-8", "v4", "2x2x1"),
        ("v3-32", "v3", "4x4"),
        ("v5litepod-16", "v5e", "4x4"),
        ("v5e-16", "v5e", "4x4"),
        ("v6e-256", "v6e", "16x16"),
        ("tpu7x-128", "tpu7x", "4x4x4"),
        ("v7x-128", "tpu7x", "4x4x4"),
        ("7x-128", "tpu7x", "4x4x4"),
        ("ironwood-128", "tpu7x", "4x4x4"),
        ("tpu-v6e-8", "v6e", "2x4"),
        ("tpu-v5p-512", "v5p", "4x8x8"),
        ("tpu-7x-128", "tpu7x", "4x4x4"),
        ("tpu:v5litepod-2x2", "v5e", "2x2"),
        ("TPU-v6e-8-head", "v6e", "2x4"),
        ("tpu-v5litepod-16-head", "v5e", "4x4"),
        ("v6e-4x4", "v6e", "4x4"),
        ("tpuv6e:4x4", "v6e", "4x4"),
        ("tpuv5:4x4x4", "v5p", "4x4x4"),
        ("tpu-v5p-slice 4x4x4", "v5p", "4x4x4"),
        ("tpu-v5-lite-podslice/2x4", "v5e", "2x4"),
        ("ct6e-standard-4t 4x8", "v6e", "4x8"),
        ("tpu-v6e-slice:4", "v6e", "2x2"),
        ("tpu-v5-lite-device:8", "v5e", "2x4"),
    ],
)
def test_names_of_slices(word: str, generation: str, topology: str) -> None:
    name = resolve(CATALOG, word)
    assert name is not None
    assert (name.kind, name.generation, str(name.topology)) == ("slice", generation, topology)
    assert name.chips == Topology.parse(topology).chips


@pytest.mark.parametrize(
    ("word", "kind", "generation"),
    [
        ("v6e", "generation", "v6e"),
        ("TPU_V5P", "generation", "v5p"),
        ("TPU-V7X", "generation", "tpu7x"),
        ("TPU v5 lite", "generation", "v5e"),
        ("TPU_V5_LITEPOD", "generation", "v5e"),
        ("trillium", "generation", "v6e"),
        ("ironwood", "generation", "tpu7x"),
        ("tpu7x", "generation", "tpu7x"),
        ("ct6e-standard-4t", "machine_type", "v6e"),
        ("ct6e-standard-4t-tpu", "machine_type", "v6e"),
        ("tpu7x-standard-4t", "machine_type", "tpu7x"),
        ("tpu-v6e-slice", "accelerator_label", "v6e"),
        ("tpu-v5-lite-podslice", "accelerator_label", "v5e"),
        ("tpu-v5p-podslice", "accelerator_label", "v5p"),
        ("CT5LP", "family", "v5e"),
        ("tpu8t", "announced", "tpu8t"),
        ("v8t-256", "announced", "tpu8t"),
    ],
)
def test_names_of_generations_hosts_and_labels(word: str, kind: str, generation: str) -> None:
    name = resolve(CATALOG, word)
    assert name is not None
    assert (name.kind, name.generation, name.topology) == (kind, generation, None)


@pytest.mark.parametrize(
    "word",
    ["", "-", "v9-8", "n2-standard-4", "us-east5-b", "4x4", "spot", "tpu", "v6e-v5p", "x" * 500],
)
def test_other_words_are_not_names(word: str) -> None:
    assert resolve(CATALOG, word) is None


def test_a_word_that_is_too_long_is_not_examined() -> None:
    assert resolve(CATALOG, f"v6e{' ' * 90}4x4") is not None
    assert resolve(CATALOG, f"v6e{' ' * 95}4x4") is None


def test_published_accelerator_types_mean_the_topologies_that_other_tools_give_them() -> None:
    compared = 0
    for generation, names in PUBLISHED.items():
        most = CATALOG.generation(generation).limits.max_slice_chips.standard
        for word, topology in names.items():
            name = resolve(CATALOG, word)
            assert name is not None
            fits = Topology.parse(topology).chips <= most
            assert str(name.topology) == (topology if fits else "None"), word
            compared += 1
    assert compared > 200


def test_the_last_number_of_three_counts_slices() -> None:
    name = resolve(CATALOG, "tpu-v6e-256-4")
    assert name is not None
    assert (str(name.topology), name.slices, name.chips) == ("16x16", 4, 256)
    hosts = resolve(CATALOG, "tpu-v5-lite-device-4-2")
    assert hosts is not None
    assert (hosts.machine_type, hosts.slices, hosts.chips) == ("ct5l-hightpu-4t", 2, 4)


@pytest.mark.parametrize(
    ("word", "chips", "what", "why"),
    [
        ("v5p-100", 50, "invalid name v5p-100: no slice of v5p has 50 chips", "the number counts TensorCores"),
        ("v5p-4", 2, "invalid name v5p-4: no slice of v5p has 2 chips", "the number counts TensorCores"),
        (
            "v5p-7",
            0,
            "invalid name v5p-7: 7 TensorCores are not a whole number of chips",
            "the number counts TensorCores",
        ),
        ("v6e-0", 0, "invalid name v6e-0: 0 chips are not a slice", "the number counts chips"),
        (
            "v5p-17920",
            8960,
            "v5p-17920 is an accelerator type (8,960 chips of v5p), not a topology",
            "the largest slice of v5p on GKE has 6,144 chips",
        ),
    ],
)
def test_a_number_without_a_slice_has_chips_and_no_topology(word: str, chips: int, what: str, why: str) -> None:
    name = resolve(CATALOG, word)
    assert name is not None
    assert (name.chips, name.topology) == (chips, None)
    assert stated(CATALOG, name, word, "a topology") == what
    assert why in why_of(CATALOG, name)


def test_a_wrong_label_leads_to_the_right_one() -> None:
    for wrong, right in CATALOG.platform.names.wrong_labels.items():
        name = resolve(CATALOG, wrong)
        assert name is not None
        assert name.label == right
        if name.kind == "accelerator_label":
            assert name.instead_of_label == wrong
            assert described(name) == f"a wrong accelerator label (the right one is {right})"


def test_every_name_in_the_catalog_means_what_it_stands_for(catalog: Catalog) -> None:
    for generation in catalog.generation_names:
        facts = catalog.generation(generation)
        for word in (generation, *facts.also_called):
            assert generation_called(catalog, word) == generation
        for machine, host in facts.machine_types.items():
            name = resolve(catalog, machine)
            assert name is not None
            assert (name.machine_type, name.family, name.chips_per_host) == (machine, host.family, host.chips)
        for family in facts.families.values():
            name = resolve(catalog, family.accelerator_label)
            assert name is not None
            assert (name.generation, name.label or family.accelerator_label) == (generation, family.accelerator_label)
    for announced, item in catalog.announced.items():
        assert {announced_called(catalog, word) for word in (announced, *item.also_called)} == {announced}


@given(
    st.text(max_size=120) | st.from_regex(r"(tpu-)?(v[3-6][ep]?|tpu7x|ct6e)[-_: ][0-9x]{0,12}(-[0-9])?", fullmatch=True)
)
def test_any_text_is_answered(word: str) -> None:
    name = resolve(CATALOG, word)
    if name is not None and name.topology is not None:
        assert name.topology.chips == name.chips
        assert described(name)


def test_the_machine_family_is_named_only_if_its_name_differs_from_the_generation() -> None:
    assert hardware("v6e", "ct6e") == "v6e (ct6e)"
    assert hardware("tpu7x", "tpu7x") == "tpu7x"
