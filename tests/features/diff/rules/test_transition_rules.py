"""Rules about changes: when each of them has a finding, with which severity, and when it has none."""

import datetime
import re

import pytest
from support.edited_reports import with_reason
from support.transitions import change_of, facts, read

from pulumi_gke_tpu.core.fleet.pairs import pair_fleets
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.rules.files.moved import moved
from pulumi_gke_tpu.core.text.findings import Severity
from pulumi_gke_tpu.features.diff.rules.transition import MOST_HOSTS, validate_change

MULTI = "tpu: v6e\ntopology: 4x4\n"
SINGLE = "tpu: v6e\ntopology: 2x2\n"
RESERVED = f"{MULTI}capacity: {{reservation: pool}}\n"
RESERVED_SINGLE = f"{SINGLE}capacity: {{reservation: pool}}\n"
CLUSTER = "mode: standard\nlocation: us-east5\n"
HEAD = "version: 1\nproject: acme-ml\nclusters:\n  train:\n    mode: standard\n    location: us-east5\n    slices:\n"
MAIN = "      main: {tpu: v6e, topology: 4x4, zone: us-east5-b, count: 2, capacity: {reservation: pool}}\n"
OTHER = "      other: {tpu: v6e, topology: 2x2, zone: us-east5-b}\n"
PLAN = HEAD + MAIN + OTHER
RENAMED = (HEAD + MAIN + OTHER).replace("main:", "next:")
MOVED = RENAMED + "moved: [{from: train/main, to: train/next}]\n"


def ack(change: str, of: str = "train/main") -> str:
    return f"acknowledge: [{{change: {change}, of: {of}, reason: it is time, until: 2026-12-01}}]\n"


def said(before: str, after: str, **options: int) -> list[tuple[str, str]]:
    return [(finding.rule, finding.severity.word) for finding in change_of(before, after, **options)]


@pytest.mark.parametrize(
    ("before", "after", "fix"),
    [
        ("stacks/prod/plan.yaml", "stacks/main/plan.yaml", "pulumi stack rename main --stack prod"),
        ("stacks\\prod\\plan.yaml", "stacks/main/plan.yaml", "pulumi stack rename main --stack prod"),
        ("stacks/prod/plan.yaml", "stacks/$(reboot)/plan.yaml", ""),
        ("stacks/$(reboot)/plan.yaml", "stacks/prod/plan.yaml", ""),
        ("plan.yaml", "stacks/prod/plan.yaml", ""),
        ("stacks/prod/plan.yaml", "plan.yaml", ""),
    ],
)
def test_the_command_that_renames_a_stack_contains_only_names_that_a_shell_takes_literally(
    before: str, after: str, fix: str
) -> None:
    finding = moved(before, after)
    assert finding is not None
    assert finding.fix == fix


def test_a_plan_in_a_folder_of_the_same_name_is_the_same_stack() -> None:
    assert moved("stacks/prod/plan.yaml", "teams/prod/other.yaml") is None


def test_an_acknowledged_replacement_does_not_hide_the_next_one() -> None:
    scaled = "{tpu: v6e, topology: 4x4, zone: us-east5-b, count: {min: 0, max: 1}}"
    groups = "".join(f"      {name}: {scaled}\n" for name in ("a", "b", "c"))
    after = groups.replace("{min: 0, max: 1}", "1") + ack("replace", "train/b")
    found = change_of(HEAD + groups, HEAD + after)
    assert [finding.path[3] for finding in found if finding.rule == "TPU960"] == ["a", "c"]


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


@pytest.mark.parametrize(
    ("was", "will", "found"),
    [
        ("1.34", "1.33", True),
        ("1.34.1-gke.3084001", "1.34.1-gke.3084000", True),
        ("1.34.1-gke.3084001", "1.34", False),
        ("1.34", "1.34.1-gke.3084001", False),
        ("1.33", "1.34", False),
    ],
)
def test_versions(was: str, will: str, found: bool) -> None:
    before, after = (f'{CLUSTER}min_version: "{version}"\n' for version in (was, will))
    assert said(before, after) == ([("TPU955", "warning")] if found else [])


@pytest.mark.parametrize(
    ("was", "will", "found"),
    [
        ("rapid", "regular", True),
        ("regular", "stable", True),
        ("stable", "extended", True),
        ("stable", "regular", False),
        ("none", "extended", False),
        ("rapid", "none", False),
        ("rapid", "rapid", False),
    ],
)
def test_channels(was: str, will: str, found: bool) -> None:
    before, after = (f"{CLUSTER}release_channel: {channel}\n" for channel in (was, will))
    assert said(before, after) == ([("TPU956", "warning")] if found else [])


def maintained(exclusions: str) -> str:
    return (
        f"{CLUSTER}maintenance:\n  window: {{start: 2026-01-03T02:00:00Z, duration: 6h}}\n  exclusions: {exclusions}\n"
    )


NOW = "{start: 2026-11-10T00:00:00Z, end: 2026-12-10T00:00:00Z, scope: %s}"
EXCLUSIONS = [
    (NOW % "no_upgrades", NOW % "no_upgrades", False),
    (NOW % "no_upgrades", NOW % "no_minor_or_node_upgrades", True),
    (NOW % "no_minor_upgrades", NOW % "no_minor_or_node_upgrades", False),
    (NOW % "no_upgrades", "{start: 2026-11-21T00:00:00Z, end: 2026-12-10T00:00:00Z}", True),
    (NOW % "no_upgrades", "{start: 2026-11-10T00:00:00Z, end: 2026-11-20T00:00:00Z}", False),
    (NOW % "no_minor_upgrades", "{start: 2026-11-10T00:00:00Z, end: end_of_support, scope: no_minor_upgrades}", False),
    (
        "{start: 2026-11-21T00:00:00Z, end: 2026-12-10T00:00:00Z}",
        "{start: 2026-12-01T00:00:00Z, end: 2026-12-10T00:00:00Z}",
        False,
    ),
]


@pytest.mark.parametrize(("was", "will", "found"), EXCLUSIONS)
def test_exclusions(was: str, will: str, found: bool) -> None:
    expected = [("TPU957", "warning")] if found else []
    assert said(maintained(f"{{run: {was}}}"), maintained(f"{{run: {will}}}")) == expected
    assert said(maintained(f"{{run: {was}}}"), maintained(f"{{other: {will}}}")) == expected


def test_a_removed_exclusion_is_reported_at_its_former_path() -> None:
    before = maintained(f"{{run: {NOW % 'no_upgrades'}}}")
    window = before.partition("  exclusions")[0]
    assert [finding.path for finding in change_of(before, window)] == [("clusters", "train", "maintenance")]
    assert [finding.path for finding in change_of(before, CLUSTER)] == [("clusters", "train")]
    ended = datetime.date(2027, 1, 1)
    assert change_of(before, CLUSTER, today=ended) == ()


def test_how_many_hosts_may_go_is_an_argument() -> None:
    before, after = f"{MULTI}count: 2\n", "tpu: v6e\ntopology: 4x8\ncount: 2\n"
    assert said(before, after) == []
    assert said(before, after, most_hosts=8) == []
    (finding,) = change_of(before, after, most_hosts=7)
    assert finding.message == (
        "this change deletes 8 hosts of train/pretrain; the limit per change is 7. An `accept` entry of the plan "
        "accepts this, or `gke-tpu diff --most-hosts 8` raises the limit; an `acknowledge` entry does neither"
    )
    assert MOST_HOSTS == 100


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


def test_without_a_comparison_hosts_are_not_checked() -> None:
    base, head = (check_plan(read(HEAD + MAIN.replace("2,", f"{count},")), facts()) for count in (2, 1))
    assert base.plan is not None
    assert head.plan is not None
    found = validate_change(base.plan, head.plan, pair_fleets(base.fleet, head.fleet), facts(), most_hosts=0)
    assert [finding.rule for finding in found] == ["TPU951"]


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


OPEN = f"{CLUSTER}deletion_protection: false\n"


@pytest.mark.parametrize(
    ("was", "will"),
    [
        ('min_version: "1.34"', 'min_version: "1.33"'),
        ("release_channel: rapid", "release_channel: stable"),
        (
            f"maintenance: {{window: {{start: 2026-01-03T02:00:00Z, duration: 6h}}, exclusions: {{a: {NOW}}}}}"
            % "no_upgrades",
            "maintenance: {window: {start: 2026-01-03T02:00:00Z, duration: 6h}}",
        ),
    ],
)
def test_a_new_cluster_has_no_former_version_channel_or_exclusion(was: str, will: str) -> None:
    (kept,) = said(f"{OPEN}{was}\n", f"{OPEN}{will}\n")
    assert kept[0] in {"TPU955", "TPU956", "TPU957"}
    assert said(f"{OPEN}{was}\n", f"{OPEN}{will}\nname: other\n") == [("TPU962", "warning")]


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


NETWORK = f"{CLUSTER}network: {{create: {{subnet: 10.0.0.0/20}}}}\n"
SMALLER = NETWORK.replace("/20", "/22")


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (RESERVED, RESERVED.replace("4x4", "4x8"), [("TPU964", "error")]),
        (MULTI, MULTI.replace("4x4", "4x8"), []),
        (PLAN, PLAN.replace("4x4", "4x8") + ack("replace"), []),
        (PLAN, PLAN.replace("4x4", "4x8") + ack("replace", "train/other"), [("TPU964", "error")]),
        (NETWORK, SMALLER, [("TPU964", "error")]),
        (SMALLER, NETWORK, []),
        (f"{NETWORK}deletion_protection: false\n", f"{SMALLER}deletion_protection: false\n", []),
    ],
)
def test_what_stops(before: str, after: str, expected: list[tuple[str, str]]) -> None:
    """A warning where one entry lets it go on, an error where two updates are needed."""
    assert said(before, after) == expected


def test_what_stops_names_the_acknowledgement() -> None:
    (finding,) = change_of(PLAN, PLAN.replace("4x4", "4x8"))
    assert finding.fix.startswith("acknowledge: [{change: replace, of: train/main,")
    assert said(PLAN, f"{PLAN.replace('4x4', '4x8')}{with_reason(finding.fix)}\n") == []
    (zone,) = change_of(PLAN, PLAN.replace("-b, count", "-a, count"))
    assert zone.fix == finding.fix
    (project,) = change_of(HEAD + OTHER, HEAD.replace("acme-ml", "acme-mx") + OTHER)
    assert project.fix == "project: acme-ml"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (CLUSTER, OPEN, [("TPU963", "warning")]),
        (OPEN, CLUSTER, []),
        (RESERVED, f"{RESERVED}protect: false\n", [("TPU963", "warning")]),
        (f"{MULTI}protect: true\n", MULTI, [("TPU963", "warning")]),
        (f"{RESERVED}protect: false\n", f"{RESERVED}protect: false\n", []),
        (PLAN, PLAN + ack("replace"), []),
        (PLAN, PLAN + ack("delete", "train"), []),
        (RESERVED, RESERVED.replace("4x4", "4x8") + "protect: false\n", [("TPU961", "warning")]),
    ],
)
def test_protection_that_is_switched_off(before: str, after: str, expected: list[tuple[str, str]]) -> None:
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
