"""Which fixes only spell a value correctly, and which are another value."""

import pytest
from support.printed import as_pasted

from pulumi_gke_tpu.core.text.findings import is_respelling


@pytest.mark.parametrize(
    ("given", "fix"),
    [
        ("zone: US-EAST5-A", "zone: us-east5-a"),
        ("location: us-east-5", "location: us-east5"),
        ("name: Train_East", "name: train-east"),
        ("project: projects/acme-ml", "project: acme-ml"),
        ("of: train/frontiers", "of: train/frontier"),
        ("machine_type: ct6e-standard4t", "machine_type: ct6e-standard-4t"),
        ("min_version: v1.34", 'min_version: "v1.34"'),
    ],
)
def test_another_spelling_of_the_same_value(given: str, fix: str) -> None:
    assert is_respelling(given, as_pasted(fix))


@pytest.mark.parametrize(
    ("given", "fix", "allowed"),
    [
        ("zone: us-east-1a", "zone: us-east5-a", ()),
        ("topology: 4x5", "topology: 4x4", ("4x4",)),
        ("max: 1000", "max: 256", ()),
        ("count: 2", "min: 0\nmax: 2", ()),
        ("type: pd-balanced", "type: hyperdisk-balanced", ("hyperdisk-balanced",)),
        ("tpu: v5", "tpu: v5e", ("v5e", "v5p")),
        ("mode: cat", "mode: bat", ("bat", "hat")),
        ("topology: 4x3", "topology: 4x4  # 16 chips", ()),
        ("capacity: x", "capacity: {spot: true}", ()),
        ("cloud.google.com/gke-tpu-topology: 4x4", 'gke-tpu-topology: "4x4"', ()),
        ("zone: us-east5-a", "location: us-east5-a", ()),
        ("", "zone: us-east5-a", ()),
        ("zone: us-east5-a", "", ()),
    ],
)
def test_another_value(given: str, fix: str, allowed: tuple[str, ...]) -> None:
    assert not is_respelling(given, as_pasted(fix) if fix else None, allowed)
