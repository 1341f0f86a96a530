"""The forms that labels stand for, and the shapes of pods."""

import pytest
from support.manifests import pods_in

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.catalog.records.facts import Mode
from pulumi_gke_tpu.features.check.forms import accelerator_labels, family_of_label, forms_of, topologies_of
from pulumi_gke_tpu.features.check.pod_shapes import pod_shape

CATALOG = read_catalog()


@pytest.mark.parametrize(
    ("label", "topology", "expected"),
    [
        ("tpu-v6e-slice", "2x4", {(8, 1), (4, 2)}),
        ("tpu-v5-lite-podslice", "2x4", {(8, 1), (4, 2)}),
        ("tpu-v5-lite-podslice", "1x1", {(1, 1)}),
        ("tpu-v6e-slice", "4x4", {(4, 4)}),
        ("tpu-v6e-slice", "4x2", set()),
        ("tpu-v6e-slice", "32x32", set()),
        ("tpu-v6e-slice", "2x2x1", set()),
        ("tpu-v6e-slice", "text", set()),
        ("tpu7x", "2x2x1", {(4, 1)}),
        ("tpu7x", "4x4x4", {(4, 16)}),
        ("tpu7x", "4x4x12", {(4, 48)}),
        ("tpu7x", "16x16x36", {(4, 2304)}),
        ("tpu7x", "4x4x6", set()),
        ("tpu-v5p-slice", "4x4x8", {(4, 32)}),
    ],
)
def test_the_forms_of_a_topology(label: str, topology: str, expected: set[tuple[int, int]]) -> None:
    family = family_of_label(CATALOG, label)
    assert family is not None
    assert {(form.chips_per_host, form.hosts) for form in forms_of(family, topology)} == expected


def test_every_row_of_the_catalog_is_a_form() -> None:
    for name in CATALOG.generation_names:
        generation = CATALOG.generation(name)
        for row in generation.topologies.rows:
            machine = generation.machine_types[row.machine_type]
            family = family_of_label(CATALOG, generation.families[machine.family].accelerator_label)
            assert family is not None
            assert row.machine_type in {form.machine_type for form in forms_of(family, row.topology)}
            if row.documented:
                assert row.topology in topologies_of(family, row.modes[0])


def test_labels_are_unique() -> None:
    assert len(set(accelerator_labels(CATALOG))) == len(accelerator_labels(CATALOG))
    assert family_of_label(CATALOG, "tpu-v6e-podslice") is None


def pod(topology: str, chips: object, more: str = "") -> str:
    return (
        "apiVersion: v1\nkind: Pod\nspec:\n  nodeSelector:\n"
        f"    cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice\n    cloud.google.com/gke-tpu-topology: {topology}\n"
        f"{more}  containers: [{{resources: {{limits: {{google.com/tpu: {chips}}}}}}}]\n"
    )


@pytest.mark.parametrize(
    ("text", "mode", "hosts"),
    [
        (pod("2x4", 8), None, 1),
        (pod("2x4", 4), None, 2),
        (pod("2x4", 4), "standard", 2),
        (pod("2x4", 4), "autopilot", None),
        (pod("2x4", 8), "autopilot", 1),
        (pod("2x4", 2), None, None),
        (pod("2x4", "'{{ chips }}'"), None, None),
        (pod("'{{ topology }}'", 4), None, None),
        (pod("4x4", 4), None, 4),
        (pod("4x4", "500m"), None, None),
        (pod("2x4", 4, "    cloud.google.com/gke-accelerator-count: '4'\n"), None, 2),
        (pod("2x4", 4, "    cloud.google.com/gke-accelerator-count: '8'\n"), None, None),
        (pod("4x4", 4, "    cloud.google.com/gke-tpu-slice: a\n"), None, 4),
    ],
)
def test_the_hosts_of_a_pod(text: str, mode: object, hosts: int | None) -> None:
    (template,) = pods_in(text)
    assert pod_shape(template, CATALOG, mode).hosts == hosts  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("label", "mode", "expected"),
    [
        ("tpu-v3-device", None, ("2x2",)),
        ("tpu-v3-slice", "standard", ("4x4", "4x8", "8x8", "8x16", "16x16", "16x32", "32x32")),
        ("tpu-v3-slice", "autopilot", ("4x4", "4x8", "8x8", "8x16", "16x16")),
        ("tpu-v5-lite-device", "standard", ()),
        ("tpu-v5-lite-device", "autopilot", ("1x1", "2x2", "2x4")),
        ("tpu-v4-lite-device", None, ()),
        # the catalog has an undocumented row for tpu7x 1x1x1
        ("tpu7x", None, ("2x2x1", "2x2x2", "2x2x4", "2x4x4", "4x4x4", "4x4x8", "4x8x8", "8x8x8", "8x8x16", "8x16x16")),
    ],
)
def test_the_documented_topologies_are_those_of_the_family_and_the_mode(
    label: str, mode: Mode | None, expected: tuple[str, ...]
) -> None:
    family = family_of_label(CATALOG, label)
    assert family is not None
    assert topologies_of(family, mode) == expected
