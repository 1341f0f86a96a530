"""A group without a possible shape is checked as far as its generation decides."""

from collections.abc import Callable

import pytest

from pulumi_gke_tpu.core.text.findings import Finding

Check = Callable[..., tuple[Finding, ...]]


def plan(group: str, cluster: str = "mode: standard, location: us-east5", more: str = "") -> str:
    return f"version: 1\nproject: acme-ml\nclusters:\n  train: {{{cluster}, slices: {{a: {{{group}}}{more}}}}}\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(plan("tpu: v6e, topology: 4x3, zone: us-east5-b"), ["TPU112"], id="nothing else is wrong"),
        pytest.param(plan("tpu: v6e, topology: 4x3, zone: us-east5-d"), ["TPU112", "TPU207"], id="zone"),
        pytest.param(
            plan("tpu: v6e, topology: 4x3, zone: us-east5-b, boot_disk: {type: pd-balanced}"),
            ["TPU112", "TPU501"],
            id="boot disk",
        ),
        pytest.param(
            plan(
                "tpu: v4, topology: 4x3, zone: us-central2-b, capacity: flex_start",
                "mode: standard, location: us-central2",
            ),
            ["TPU111", "TPU301"],
            id="capacity",
        ),
        pytest.param(
            plan(
                "tpu: v6e, topology: 4x3, zone: us-east5-b", 'mode: standard, location: us-east5, min_version: "1.27"'
            ),
            ["TPU112", "TPU232", "TPU235"],
            id="version",
        ),
        pytest.param(
            plan(
                "tpu: v6e, topology: 4x3, zone: us-east5-b",
                'mode: standard, location: us-east5, min_version: "1.27"',
                ", b: {tpu: v6e, topology: 2x2, zone: us-east5-b}",
            ),
            ["TPU112", "TPU232", "TPU235"],
            id="a version is reported once",
        ),
        pytest.param(
            plan("tpu: v6e, topology: 4x3, zone: us-east5-c", more=", b: {tpu: v5p, topology: 2x3, zone: us-east5-b}"),
            ["TPU111", "TPU112", "TPU208", "TPU208"],
            id="two groups",
        ),
        pytest.param(plan("tpu: v99, topology: 4x3, zone: us-east5-c"), ["TPU101"], id="no generation, nothing known"),
        pytest.param(
            plan("tpu: v6e, topology: 4x3", "mode: autopilot, location: asia-south1"),
            ["TPU112", "TPU211"],
            id="autopilot",
        ),
    ],
)
def test_other_problems_are_reported_too(text: str, expected: list[str], check: Check) -> None:
    assert sorted(finding.rule for finding in check(text)) == expected
