"""Changes of groups of cubes, of which workloads have slices."""

import pathlib
from collections.abc import Callable
from typing import Any

import pytest
import yaml

CUBES = {"tpu": "tpu7x", "slicing": "dynamic", "count": 4, "zone": "us-central1-c"}
RESERVED = {"capacity": {"reservation": {"name": "ironwood", "block": "block-1"}}}
STATIC = {"topology": "4x4x4", "slicing": None}


def plan_of(**groups: dict[str, Any]) -> str:
    slices = {name: {k: v for k, v in {**group, **RESERVED}.items() if v is not None} for name, group in groups.items()}
    network = {"create": {"mtu": 8896}}
    cluster = {"mode": "standard", "location": "us-central1", "network": network, "slices": slices}
    return yaml.safe_dump({"version": 1, "project": "acme-ml", "clusters": {"ironwood": cluster}})


@pytest.mark.parametrize(
    ("base", "head", "advised"),
    [
        ({"cubes": CUBES}, {"steady": {**CUBES, **STATIC}}, True),
        ({"cubes": CUBES}, {"cubes": {**CUBES, **STATIC}}, True),
        ({"steady": {**CUBES, **STATIC}}, {"cubes": CUBES}, False),
        ({"cubes": CUBES}, {"cubes": {**CUBES, "count": 5}}, False),
    ],
)
def test_slices_are_deleted_before_their_cubes(
    base: dict[str, Any], head: dict[str, Any], advised: bool, tmp_path: pathlib.Path, gke_tpu: Callable[..., Any]
) -> None:
    for name, groups in (("base", base), ("head", head)):
        (tmp_path / f"{name}.yaml").write_text(plan_of(**groups), encoding="utf-8")
    run = gke_tpu("diff", tmp_path / "base.yaml", tmp_path / "head.yaml")
    assert ("irst delete the slices on these cubes" in " ".join(run.out.split())) is advised
