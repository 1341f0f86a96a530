"""What a change of the zones of single-host slices means."""

import pytest
from support.plan_edits import findings, items, only_item

from pulumi_gke_tpu.core.text.findings import Severity

GROUP = "tpu: v6e\ntopology: 2x2\ncount: 2\n"
ONE, BOTH = "zone: us-east5-b\n", "zones: [us-east5-a, us-east5-b]\n"


@pytest.mark.parametrize(
    ("before", "after", "written"),
    [
        (ONE, BOTH, ("zones", "[us-east5-b]", "[us-east5-a, us-east5-b]")),
        (BOTH, ONE, ("zones", "[us-east5-a, us-east5-b]", "[us-east5-b]")),
    ],
)
def test_other_zones_replace_the_node_pool(before: str, after: str, written: tuple[str, str, str]) -> None:
    item = only_item(GROUP + before, GROUP + after)
    assert item.change == "replace"
    assert [(change.key, change.was, change.will) for change in item.written] == [written]
    assert "is deleted (2 hosts, 8 chips), then created" in item.consequence


def test_one_zone_in_a_list_is_the_same_zone() -> None:
    assert items(GROUP + ONE, GROUP + "zones: [us-east5-b]\n") == {}


def test_a_protected_group_stays_in_its_zones() -> None:
    kept = f"{GROUP}protect: true\n"
    assert only_item(kept + BOTH, kept + ONE).refused


def test_the_move_of_a_protected_group_is_reported_once() -> None:
    kept = f"{GROUP}protect: true\n"
    (finding,) = [
        item
        for item in findings(kept + BOTH, f"{kept}zones: [us-east5-a, us-east5-c]\n")
        if item.severity is Severity.ERROR
    ]
    assert finding.rule == "TPU952"
    assert "from us-east5-a and us-east5-b to us-east5-a and us-east5-c" in finding.message


CLUSTER = "mode: standard\nlocation: us-east5\nslices:\n  {}: {{tpu: v6e, topology: 2x2, count: 2, zones: [{}]}}\n"


@pytest.mark.parametrize(
    ("zones", "renamed"), [("us-east5-a, us-east5-b", True), ("us-east5-a, us-east5-c", False)], ids=str
)
def test_only_a_group_in_the_same_zones_can_keep_its_node_pool(zones: str, renamed: bool) -> None:
    found = items(CLUSTER.format("one", "us-east5-a, us-east5-b"), CLUSTER.format("two", zones))
    assert bool(found["train/one"].renames) == renamed
