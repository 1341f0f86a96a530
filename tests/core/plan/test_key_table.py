"""Examples of keys are parts of a plan, from the item that has the key outwards."""

import pytest
import yaml

from pulumi_gke_tpu.core.plan.key_table import example_of


@pytest.mark.parametrize(
    ("path", "above"),
    [
        ("project", ()),
        ("clusters.*.mode", ("clusters", "train")),
        ("clusters.*.maintenance.window.start", ("clusters", "train")),
        ("clusters.*.slices.*.zone", ("clusters", "train", "slices", "pretrain")),
        ("clusters.*.cpu_pools.*.machine_type", ("clusters", "train", "cpu_pools", "loaders")),
    ],
)
def test_an_example_is_below_the_items_that_contain_the_key(path: str, above: tuple[str, ...]) -> None:
    found = yaml.safe_load(example_of(path))
    for step in above:
        assert [*found] == [step]
        found = found[step]
    key = path.split(".")[len(above)]
    assert [*found] == [key]


def test_a_path_that_no_plan_has_has_no_example() -> None:
    assert example_of("clusters.*.slices.*.nothing") == ""
