"""Rules about changes of what a plan protects."""

import pytest
from support.rule_changes import HEAD, MAIN, OPEN, PLAN, RESERVED, ack, said
from support.transitions import change_of, facts, read

from pulumi_gke_tpu.core.fleet.pairs import pair_fleets
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Severity
from pulumi_gke_tpu.features.diff.rules.transition import validate_change

MULTI = "tpu: v6e\ntopology: 4x4\n"

SINGLE = "tpu: v6e\ntopology: 2x2\n"

RESERVED_SINGLE = f"{SINGLE}capacity: {{reservation: pool}}\n"

CLUSTER = "mode: standard\nlocation: us-east5\n"

OTHER = "      other: {tpu: v6e, topology: 2x2, zone: us-east5-b}\n"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (f"{RESERVED}count: 2\n", RESERVED, [("TPU951", "error")]),
        (f"{RESERVED}count: 2\n", f"{RESERVED}indices: [1]\n", [("TPU951", "error")]),
        (f"{RESERVED}count: {{max: 2}}\n", f"{RESERVED}count: {{max: 1}}\n", [("TPU951", "error")]),
        (f"{RESERVED}count: 2\n", f"{RESERVED}protect: false\n", [("TPU951", "error"), ("TPU961", "warning")]),
        (f"{RESERVED}indices: [0, 1]\n", f"{RESERVED}count: 2\n", []),
        (f"{MULTI}count: 2\n", MULTI, []),
        (f"{MULTI}count: 2\nprotect: true\n", f"{MULTI}protect: true\n", [("TPU951", "error")]),
        (RESERVED, RESERVED_SINGLE, [("TPU951", "error")]),
        (RESERVED_SINGLE, RESERVED, [("TPU951", "error")]),
        (RESERVED, f"{RESERVED}name: other\n", [("TPU951", "error"), ("TPU976", "warning")]),
        (PLAN, PLAN.replace("main", "next") + "moved: [{from: train/main, to: train/next}]\n", []),
        (f"{RESERVED_SINGLE}count: 3\n", RESERVED_SINGLE, [("TPU951", "warning")]),
        (f"{SINGLE}count: 3\n", SINGLE, []),
        (f"{RESERVED_SINGLE}count: {{max: 3}}\n", f"{RESERVED_SINGLE}count: {{max: 2}}\n", []),
        (PLAN, PLAN.replace("count: 2", "count: 1") + ack("delete"), [("TPU951", "error")]),
        (PLAN + ack("delete"), PLAN.replace("count: 2", "count: 1"), []),
        (PLAN + ack("replace"), PLAN.replace("count: 2", "count: 1"), [("TPU954", "error")]),
        (PLAN + ack("delete", "train"), PLAN.replace("count: 2", "count: 1"), []),
    ],
)
def test_smaller_groups(before: str, after: str, expected: list[tuple[str, str]]) -> None:
    assert said(before, after) == expected


@pytest.mark.parametrize(
    ("lost", "names"),
    [
        (1, "node pool pretrain-1 of"),
        (5, "node pools pretrain-1, pretrain-2, pretrain-3, pretrain-4 and pretrain-5 of"),
        (6, "node pools pretrain-1, pretrain-2, pretrain-3, pretrain-4 and 2 more of"),
    ],
)
def test_a_protected_group_lists_a_few_lost_node_pools(lost: int, names: str) -> None:
    (finding,) = change_of(f"{RESERVED}count: {1 + lost}\n", RESERVED)
    assert names in finding.message


@pytest.mark.parametrize(
    ("before", "after", "hosts", "fix"),
    [
        ("count: 3\n", "count: 2\n", "this change deletes 1 host of `train/pretrain`;", "count: 3"),
        ("count: 3\n", "count: 1\n", "this change deletes 2 hosts of `train/pretrain`;", "count: 3"),
        ("count: 3\n", "", "this change deletes 2 hosts of `train/pretrain`;", ""),
    ],
)
def test_hosts_that_protection_does_not_keep_are_counted(before: str, after: str, hosts: str, fix: str) -> None:
    (finding,) = change_of(RESERVED_SINGLE + before, RESERVED_SINGLE + after)
    assert finding.message.startswith(hosts)
    assert finding.fix == fix


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (RESERVED, f"{RESERVED}zone: us-east5-a\n", [("TPU952", "error")]),
        (MULTI, f"{MULTI}zone: us-east5-a\n", []),
        (RESERVED, f"{MULTI}capacity: spot\nzone: us-east5-a\n", [("TPU961", "warning")]),
        (PLAN, PLAN.replace("-b, count", "-a, count") + ack("replace"), []),
        (PLAN, PLAN.replace("-b, count", "-a, count") + ack("replace", "train/other"), [("TPU952", "error")]),
    ],
)
def test_another_zone(before: str, after: str, expected: list[tuple[str, str]]) -> None:
    assert said(before, after) == expected


@pytest.mark.parametrize(
    ("location", "before", "after", "key", "fix"),
    [
        ("us-east5", "zone: us-east5-b", "zone: us-east5-a", "zone", "zone: us-east5-b"),
        ("us-east1", "zone: us-east5-b", "zone: us-east1-d", "zone", ""),
        ("us-east5", "zone: us-east5-b", "zones: [us-east5-a, us-east5-b]", "zones", "zone: us-east5-b"),
        ("us-east5", "zones: [us-east5-a, us-east5-b]", "zone: us-east5-b", "zone", ""),
    ],
)
def test_without_the_changes_of_resources_the_fix_restores_the_zone_in_the_same_region(
    location: str, before: str, after: str, key: str, fix: str
) -> None:
    group = "      main: {tpu: v6e, topology: 2x2, protect: true, %s}\n"
    texts = (HEAD + group % before, (HEAD + group % after).replace("location: us-east5", f"location: {location}"))
    base, head = (check_plan(read(text), facts()) for text in texts)
    assert base.plan is not None
    assert head.plan is not None
    found = validate_change(base.plan, head.plan, pair_fleets(base.fleet, head.fleet), facts())
    assert [(item.path[-1], item.fix) for item in found if item.rule == "TPU952"] == [(key, fix)]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (PLAN, HEAD + OTHER, [("TPU953", "error")]),
        (PLAN, HEAD + OTHER + ack("delete"), [("TPU953", "error")]),
        (PLAN + ack("delete"), HEAD + OTHER, []),
        (PLAN + ack("replace"), HEAD + OTHER, [("TPU954", "error")]),
        (PLAN + ack("replace", "train"), HEAD + OTHER, [("TPU954", "error")]),
        (PLAN, HEAD + MAIN, []),
        (PLAN + "  spare: {mode: standard, location: us-east1}\n", PLAN, [("TPU953", "error")]),
        (PLAN + "  spare: {mode: standard, location: us-east1, deletion_protection: false}\n", PLAN, []),
        (PLAN + "  spare: {mode: standard, location: us-east1}\n" + ack("delete", "spare"), PLAN, []),
        (
            PLAN + "  spare: {mode: standard, location: us-east1}\n" + ack("replace", "spare"),
            PLAN,
            [("TPU954", "error")],
        ),
    ],
)
def test_removed_items(before: str, after: str, expected: list[tuple[str, str]]) -> None:
    assert said(before, after) == expected


def test_without_a_comparison_hosts_are_not_checked() -> None:
    base, head = (check_plan(read(HEAD + MAIN.replace("2,", f"{count},")), facts()) for count in (2, 1))
    assert base.plan is not None
    assert head.plan is not None
    found = validate_change(base.plan, head.plan, pair_fleets(base.fleet, head.fleet), facts(), most_hosts=0)
    assert [finding.rule for finding in found] == ["TPU951"]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (CLUSTER, CLUSTER.replace("east5", "east1"), [("TPU962", "error")]),
        (OPEN, OPEN.replace("east5", "east1"), [("TPU962", "warning")]),
        (OPEN, f"{OPEN}name: other\n", [("TPU962", "warning")]),
        (OPEN, f"{OPEN}name: train\n", []),
        (OPEN, OPEN.replace("standard", "autopilot"), [("TPU962", "warning")]),
        (HEAD + OTHER, HEAD.replace("acme-ml", "acme-mx") + OTHER, [("TPU962", "error")]),
        (HEAD + OTHER, HEAD.replace("us-east5", "us-east5-b") + OTHER + ack("replace", "train"), [("TPU962", "error")]),
        (
            HEAD + OTHER + ack("replace", "train"),
            HEAD.replace("us-east5", "us-east5-b") + OTHER,
            [("TPU962", "warning")],
        ),
    ],
)
def test_a_cluster_that_becomes_another(before: str, after: str, expected: list[tuple[str, str]]) -> None:
    assert said(before, after) == expected


def test_a_warning_can_be_accepted() -> None:
    accept = "accept: [{rule: TPU962, reason: nothing runs there, until: 2026-12-01}]\n"
    plan = HEAD.replace("    slices:\n", "    deletion_protection: false\n")
    (finding,) = change_of(plan, f"{plan.replace('us-east5', 'us-east1')}{accept}")
    assert (finding.rule, finding.severity, finding.accepted) == ("TPU962", Severity.WARNING, "nothing runs there")


def test_no_change_is_right() -> None:
    for plan in (PLAN, MULTI, CLUSTER, PLAN + ack("replace")):
        assert change_of(plan, plan) == ()


def test_without_a_day_what_needs_one_is_silent() -> None:
    base, head = (check_plan(read(text), facts()) for text in (HEAD + MAIN + ack("delete"), HEAD + OTHER))
    assert base.plan is not None
    assert head.plan is not None
    found = validate_change(base.plan, head.plan, pair_fleets(base.fleet, head.fleet), facts())
    assert [finding.rule for finding in found] == ["TPU953"]


@pytest.mark.parametrize(
    ("change", "path", "fix"),
    [
        (("acme-ml", "acme-mx"), ("project",), "project: acme-ml"),
        (("location: us-east5", "location: us-east1"), ("clusters", "train", "location"), ""),
        (("location: us-east5", "location: us-east5, name: big"), ("clusters", "train", "name"), "name: train"),
    ],
)
def test_what_identifies_a_cluster_is_reported_at_its_key(
    change: tuple[str, str], path: tuple[str, ...], fix: str
) -> None:
    head = (
        "version: 1\nproject: acme-ml\nclusters:\n  train: {mode: standard, location: us-east5, slices: {main: %s}}\n"
    )
    group = "{tpu: v6e, topology: 2x2, zone: us-east5-b}"
    before = head % group
    after = before.replace(*change)
    if "us-east1" in after:
        after = after.replace("us-east5-b", "us-east1-d")
    found = [item for item in change_of(before, after) if item.rule == "TPU962"]
    assert [(item.path, item.fix) for item in found] == [(path, fix)]


@pytest.mark.parametrize("of", ["train/main", "train"])
@pytest.mark.parametrize(("until", "rules"), [("2026-11-20", []), ("2026-11-19", ["TPU951"])])
def test_only_an_acknowledgement_that_holds_in_the_base_lifts_its_protection(
    of: str, until: str, rules: list[str]
) -> None:
    entry = f"acknowledge: [{{change: delete, of: {of}, reason: no longer used, until: {until}}}]\n"
    before = PLAN.replace("count: 1", "count: 2") + entry
    after = PLAN.replace("count: 2", "count: 1")
    found = [item for item in change_of(before, after) if item.severity is Severity.ERROR]
    assert [item.rule for item in found] == rules
