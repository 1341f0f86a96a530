"""Rules about changes of hosts, names and reservations that may be unintended."""

import re

import pytest
from support.rule_changes import HEAD, MAIN, PLAN, RESERVED, ack, said
from support.transitions import change_of

from pulumi_gke_tpu.core.text.findings import Severity

MULTI = "tpu: v6e\ntopology: 4x4\n"

SINGLE = "tpu: v6e\ntopology: 2x2\n"

OTHER = "      other: {tpu: v6e, topology: 2x2, zone: us-east5-b}\n"

RENAMED = (HEAD + MAIN + OTHER).replace("main:", "next:")

MOVED = RENAMED + "moved: [{from: train/main, to: train/next}]\n"


def test_an_acknowledged_replacement_does_not_hide_the_next_one() -> None:
    scaled = "{tpu: v6e, topology: 4x4, zone: us-east5-b, count: {min: 0, max: 1}}"
    groups = "".join(f"      {name}: {scaled}\n" for name in ("a", "b", "c"))
    after = groups.replace("{min: 0, max: 1}", "1") + ack("replace", "train/b")
    found = change_of(HEAD + groups, HEAD + after)
    assert [finding.path[3] for finding in found if finding.rule == "TPU960"] == ["a", "c"]


def test_hosts_that_restart_count_as_well() -> None:
    disk = "boot_disk: {size_gib: 200}\n"
    (finding,) = change_of(f"{RESERVED}count: 2\n", f"{RESERVED}count: 2\n{disk}", most_hosts=7)
    assert (finding.rule, finding.message) == (
        "TPU958",
        "this change re-creates 8 hosts of train/pretrain; the limit per change is 7. An `accept` entry of the plan "
        "accepts this, or `gke-tpu diff --most-hosts 8` raises the limit; an `acknowledge` entry does neither",
    )


@pytest.mark.parametrize(("more", "shown"), [(1, "train/main and 1 other group"), (2, "train/main and 2 other groups")])
def test_the_message_about_many_hosts_counts_the_other_groups(more: int, shown: str) -> None:
    others = "".join(OTHER.replace("other", f"other-{number}") for number in range(more))
    after = (HEAD + MAIN + others).replace("zone: us-east5-b", "zone: us-east5-b, boot_disk: {size_gib: 99}")
    (finding,) = [item for item in change_of(HEAD + MAIN + others, after, most_hosts=7) if item.rule == "TPU958"]
    assert f" hosts of {shown}; the limit" in finding.message


def test_both_ways_that_the_message_names_lift_the_limit_of_hosts() -> None:
    accept = "accept: [{rule: TPU958, of: train, reason: intended, until: 2026-12-20}]\n"
    before, after = (
        HEAD + MAIN.replace("capacity: {reservation: pool}", size) for size in ("", "boot_disk: {size_gib: 99}")
    )

    def found(after: str, limit: int) -> list[str]:
        return [each.accepted for each in change_of(before, after, most_hosts=limit) if each.rule == "TPU958"]

    (warning,) = [each for each in change_of(before, after, most_hosts=7) if each.rule == "TPU958"]
    raised = re.search(r"--most-hosts (\d+)`", warning.message)
    assert raised is not None
    assert (found(after, 7), found(after, int(raised[1])), found(after + accept, 7)) == ([""], [], ["intended"])


RENAMES = [
    (HEAD + OTHER, HEAD + OTHER.replace("other", "another"), [("TPU959", "warning")]),
    (HEAD + MAIN + OTHER, HEAD + MAIN.replace("main", "next") + OTHER, [("TPU959", "error")]),
    (HEAD + MAIN, HEAD + MAIN.replace("main", "next") + "moved: [{from: train/main, to: train/next}]\n", []),
    (HEAD + OTHER, HEAD + OTHER.replace("other", "another").replace("2x2", "1x1"), []),
    (HEAD + OTHER, HEAD + OTHER + OTHER.replace("other", "another"), []),
    (HEAD + OTHER, HEAD.replace("train", "east") + OTHER, [("TPU959", "error")]),
    (HEAD + OTHER, HEAD.replace("train", "east") + OTHER + "moved: [{from: train, to: east}]\n", []),
]


@pytest.mark.parametrize(("before", "after", "expected"), RENAMES)
def test_renames(before: str, after: str, expected: list[tuple[str, str]]) -> None:
    assert said(before, after) == expected


def test_the_proposed_move_fixes_the_rename() -> None:
    after = HEAD + OTHER.replace("other", "another")
    (finding,) = change_of(HEAD + OTHER, after)
    assert said(HEAD + OTHER, f"{after}{finding.fix}\n") == []


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        (SINGLE, f"{SINGLE}name: other\n", True),
        (f"{SINGLE}name: other\n", SINGLE, True),
        (SINGLE, f"{SINGLE}name: pretrain\n", False),
        (MULTI, f"{MULTI}name: other\n", True),
        (MOVED, RENAMED, True),
        (MOVED, RENAMED.replace("next: {", "next: {name: main, "), False),
        (MOVED, RENAMED + ack("delete", "train/next"), False),
        (MOVED, RENAMED.replace("us-east5\n", "us-east5\n    name: other\n"), False),
    ],
)
def test_names_of_node_pools(before: str, after: str, found: bool) -> None:
    assert (("TPU976", "warning") in said(before, after)) == found


def test_groups_without_node_pools_have_no_name_in_gke() -> None:
    before, after = (
        text.replace("standard", "autopilot").replace(", zone: us-east5-b", "") for text in (MOVED, RENAMED)
    )
    assert "TPU976" not in {finding.rule for finding in change_of(before, after)}


def test_a_group_that_moves_to_a_compute_class_or_from_it_gives_no_node_pools_another_name() -> None:
    pools, compute_class = SINGLE, f"{SINGLE}name: other\nfallback: [spot]\n"
    for before, after in ((pools, compute_class), (compute_class, pools)):
        assert "TPU976" not in {finding.rule for finding in change_of(before, after)}


def test_a_cluster_that_becomes_an_autopilot_cluster_has_no_findings_about_its_node_pools() -> None:
    before = HEAD + "      main: {tpu: v6e, topology: 4x4, zone: us-east5-b, count: {min: 0, max: 1}}\n"
    after = HEAD.replace("standard", "autopilot") + "      main: {tpu: v6e, topology: 4x4, name: other}\n"
    for first, second in ((before, after), (after, before)):
        assert {finding.rule for finding in change_of(first, second)}.isdisjoint({"TPU960", "TPU976"})


def test_the_proposed_name_keeps_the_node_pools_without_the_entry() -> None:
    (finding,) = (finding for finding in change_of(MOVED, RENAMED) if finding.rule == "TPU976")
    assert finding.fix == "name: main"
    assert said(MOVED, RENAMED.replace("next: {", f"next: {{{finding.fix}, ")) == []


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (f"{MULTI}count: {{max: 1}}\n", MULTI, [("TPU960", "warning")]),
        (f"{MULTI}count: {{max: 2}}\n", f"{MULTI}count: 2\n", [("TPU960", "warning")]),
        (f"{SINGLE}count: {{max: 1}}\n", SINGLE, []),
        (MULTI, f"{MULTI}count: {{max: 1}}\n", []),
        (f"{MULTI}count: {{max: 1}}\n", SINGLE, []),
        (f"{MULTI}count: {{max: 1}}\n", MULTI.replace("4x4", "4x8"), []),
        (f"{MULTI}count: {{max: 1}}\n", f"{MULTI}capacity: spot\n", []),
        (PLAN.replace("count: 2", "max: 2"), PLAN + ack("replace"), []),
    ],
)
def test_no_longer_autoscaled(before: str, after: str, expected: list[tuple[str, str]]) -> None:
    assert said(before, after) == expected


FREE = f"{RESERVED}protect: false\n"


def owned(vms: int) -> str:
    entry = f"{{name: pool, project: acme-ml, zone: us-east5-b, machine_type: ct6e-standard-4t, vms: {vms}}}"
    return f"version: 1\nas_of: 2026-11-20\nreservations: [{entry}]\n"


@pytest.mark.parametrize(
    ("before", "after", "vms", "expected"),
    [
        ("count: 2", "indices: [1, 2]", 8, [("TPU965", "error")]),
        ("count: 2", "indices: [1, 2]", 12, []),
        ("count: 2", "indices: [1]", 8, []),
        ("count: 1", "name: other", 4, [("TPU965", "error"), ("TPU976", "warning")]),
        ("count: {max: 2}", "min: 0\nindices: [1, 2]", 8, [("TPU965", "warning")]),
    ],
)
def test_old_and_new_pools_in_one_reservation(
    before: str, after: str, vms: int, expected: list[tuple[str, str]]
) -> None:
    found = change_of(f"{FREE}{before}\n", f"{FREE}{after}\n", owned=owned(vms))
    assert [(finding.rule, finding.severity.word) for finding in found] == expected


def test_groups_share_a_reservation() -> None:
    """One is deleted and another one created: the engine creates the new one first."""
    free = MAIN.replace("count: 2", "protect: false")
    other = free.replace("protect", "max_pods_per_node: 64, protect")
    (finding,) = change_of(HEAD + free, HEAD + other.replace("main", "next"), owned=owned(4))
    assert (finding.rule, finding.path[-1]) == ("TPU965", "next")
    assert finding.message == (
        "until the old slices are deleted, 8 VMs of reservation `pool` are needed; the reservation has 4 available "
        "VMs. Two changes work: first delete the old slices, then add the new ones"
    )
    assert change_of(HEAD + free, HEAD + other, owned=owned(4)) == ()


def test_new_slices_do_not_wait_for_the_replacement_of_others() -> None:
    """Pulumi creates the added slices while the replaced ones still hold their VMs: the order that works is stated."""
    before = f"{FREE}count: 2\n".replace("topology: 4x4", "topology: 4x8")
    after = f"{FREE}count: 4\n"
    (finding,) = change_of(before, after, owned=owned(16))
    assert (finding.rule, finding.severity) == ("TPU965", Severity.WARNING)
    assert finding.message == (
        "until the old slices are deleted, 16..24 VMs of reservation `pool` may be needed; the reservation has "
        "16 available VMs. Two changes work: first `count: 2`, then the rest"
    )
    for one, other in ((before, f"{FREE}count: 2\n"), (f"{FREE}count: 2\n", after)):
        assert change_of(one, other, owned=owned(16)) == ()
    assert change_of(before, after, owned=owned(24)) == ()


def test_a_group_that_grows_waits_for_one_that_shrinks() -> None:
    free = MAIN.replace("count: 2", "protect: false")
    large, small = free.replace("4x4", "4x8"), free
    other = [text.replace("main", "next") for text in (large, small)]
    found = change_of(HEAD + large + other[1], HEAD + small + other[0], owned=owned(12))
    assert [(item.rule, item.path[-1]) for item in found] == [("TPU965", "next")]
    assert found[0].message.endswith("Two changes work: first the change of `train/main`, then the rest")
    assert change_of(HEAD + large + other[1], HEAD + small + other[1], owned=owned(12)) == ()
    assert change_of(HEAD + small + other[1], HEAD + small + other[0], owned=owned(12)) == ()
