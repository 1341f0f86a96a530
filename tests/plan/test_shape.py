"""A message about a value of the wrong form names the value as the plan does."""

import pytest

from pulumi_gke_tpu.plan import parse_plan


@pytest.mark.parametrize(
    ("cluster", "more", "message"),
    [
        ({}, {1: "x"}, "1: Keys should be strings"),
        ({"addons": [{}]}, {}, "`addons[0]` must be a string"),
    ],
)
def test_an_entry_is_named_with_what_it_is_in(
    cluster: dict[object, object], more: dict[object, object], message: str
) -> None:
    train = {"mode": "standard", "location": "us-east5"} | cluster
    document = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"train": train}} | more)
    assert [finding.message for finding in document.findings] == [message]


def test_the_name_of_a_slice_in_chips_is_read_as_the_number_it_stands_for() -> None:
    group = {"tpu": "v6e", "chips": "v6e-64", "zone": "us-east5-b"}
    train = {"mode": "standard", "location": "us-east5", "slices": {"main": group}}
    document = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"train": train}})
    assert [finding.rule for finding in document.findings] == ["TPU022"]
    assert document.content is not None
    assert document.content.clusters["train"].slices["main"].chips == 64
