"""What is said about a value of the wrong form names the value as the plan does."""

import pytest

from pulumi_gke_tpu.plan import parse_plan


@pytest.mark.parametrize(
    ("cluster", "more", "message"),
    [
        ({}, {1: "x"}, "1: Keys should be strings"),
        ({"addons": [{}]}, {}, "addons[0] must be a string"),
    ],
)
def test_an_entry_is_named_with_what_it_is_in(
    cluster: dict[object, object], more: dict[object, object], message: str
) -> None:
    train = {"mode": "standard", "location": "us-east5"} | cluster
    document = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"train": train}} | more)
    assert [finding.message for finding in document.findings] == [message]
