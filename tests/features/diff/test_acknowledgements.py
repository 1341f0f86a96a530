"""Protection and what lifts it: what stops, what to write, and what becomes of each acknowledgement."""

import datetime
import json

import pytest
import yaml
from support.edited_reports import with_reason
from support.plan_edits import catalog, items, only_item, pairs_of, preview, report

from pulumi_gke_tpu.core.plan import read_plan_content
from pulumi_gke_tpu.core.plan.entries import REASON_TO_WRITE
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.features.diff.comparison.change_report import diff_pairs
from pulumi_gke_tpu.features.diff.model import ItemChange

HEAD = "version: 1\nproject: acme-ml\nclusters:\n  train:\n    mode: standard\n    location: us-east5\n"
SLICES = """\
    slices:
      main: {tpu: v6e, topology: 4x4, zone: us-east5-b, count: 2, capacity: {reservation: pool}}
      other: {tpu: v6e, topology: 2x2, zone: us-east5-b}
"""
PLAN = HEAD + SLICES
LARGER = PLAN.replace("4x4", "4x8")
SMALLER = PLAN.replace("count: 2", "count: 1")
REMOVED = "".join(line for line in PLAN.splitlines(keepends=True) if "main:" not in line)


def ack(change: str = "replace", of: str = "train/main", until: str = "2026-12-01") -> str:
    return f"acknowledge: [{{change: {change}, of: {of}, reason: a larger run, until: {until}}}]\n"


def main(before: str, after: str, **options: str) -> ItemChange:
    return items(before, after, **options)["train/main"]


STOPS = "`pulumi up` will fail: the group is protected (reserved capacity)."
TWICE = "Make two updates: first add only the `acknowledge` entry on the base branch; then make this change."


def fix_of(item: ItemChange) -> str:
    """The text to paste; empty where there is none."""
    return item.fixes[0].text if item.fixes else ""


def pasted(item: ItemChange) -> str:
    """The text as a user completes it."""
    return with_reason(fix_of(item))


@pytest.mark.parametrize(
    ("before", "after", "refused", "fix"),
    [
        (PLAN, LARGER, STOPS, ("replace", "train/main")),
        (
            PLAN,
            SMALLER,
            f"{STOPS} {TWICE}",
            ("delete", "train/main"),
        ),
        (
            PLAN,
            REMOVED,
            f"{STOPS} {TWICE}",
            ("delete", "train/main"),
        ),
        (
            PLAN,
            PLAN.replace("us-east5\n", "us-east1\n"),
            f"{STOPS} {TWICE}",
            ("replace", "train"),
        ),
        (
            PLAN.replace("capacity", "protect: true, capacity"),
            LARGER.replace("capacity", "protect: true, capacity"),
            "`pulumi up` will fail: the group is protected.",
            ("replace", "train/main"),
        ),
        (PLAN.replace("{reservation: pool}", "spot"), LARGER.replace("{reservation: pool}", "spot"), "", None),
        (PLAN, LARGER.replace("capacity", "protect: false, capacity"), "", None),
        (PLAN, PLAN.replace("count: 2", "count: 3"), "", None),
    ],
)
def test_what_stops_and_what_to_write(before: str, after: str, refused: str, fix: tuple[str, str] | None) -> None:
    item = main(before, after)
    assert item.refused == refused
    entry = yaml.safe_load(fix_of(item)) if item.fixes else None
    expected = (
        {"change": fix[0], "of": fix[1], "reason": REASON_TO_WRITE, "until": datetime.date(2026, 12, 4)}
        if fix
        else None
    )
    assert entry == (expected and {"acknowledge": [expected]})
    assert item.acknowledged is None


def test_an_entry_that_is_pasted_without_a_reason_is_an_error() -> None:
    checked = check_plan(read_plan_content(f"{LARGER}{fix_of(main(PLAN, LARGER))}\n".encode(), "plan.yaml"), catalog())
    assert [(found.rule, found.path[-1], found.message) for found in checked.findings] == [
        ("TPU023", "reason", "`reason` must be your reason, not a placeholder")
    ]


@pytest.mark.parametrize(
    ("reason", "valid"),
    [
        *((placeholder, False) for placeholder in ("...", "WHY", "why", " TODO ", "tbd", "…")),
        *((stated, True) for stated in ("why not", "TODO: move to 16x16", "approved in review")),
    ],
)
def test_a_placeholder_is_not_a_reason(reason: str, valid: bool) -> None:
    entry = f"{{change: replace, of: train/main, reason: {json.dumps(reason)}, until: 2026-12-04}}"
    checked = check_plan(read_plan_content(f"{PLAN}acknowledge: [{entry}]\n".encode(), "plan.yaml"), catalog())
    assert [found.rule for found in checked.findings] == ([] if valid else ["TPU023"])


def test_what_is_pasted_lets_the_change_go_on() -> None:
    item = main(PLAN, LARGER)
    acknowledged = main(PLAN, f"{LARGER}{pasted(item)}\n")
    assert (acknowledged.refused, acknowledged.fixes, acknowledged.change) == ("", (), "replace")
    assert acknowledged.acknowledged is not None
    assert acknowledged.acknowledged.state == "used"


def test_a_pasted_entry_is_added_to_the_other_entries() -> None:
    others = ack(of="train/other")
    item = main(PLAN, f"{LARGER}{others}")
    assert fix_of(item).startswith("- {change: replace, of: train/main,")
    listed = others.replace("[", "\n- ").replace("]", "")
    assert main(PLAN, f"{LARGER}{listed}{pasted(item)}\n").refused == ""


def test_two_updates_remove_what_is_protected() -> None:
    """The first is the plan with the entry, the second is without item and entry."""
    first = f"{PLAN}{pasted(main(PLAN, REMOVED))}\n"
    step = only_item(PLAN, first)
    assert (step.change, step.consequence) == (
        "metadata",
        "The acknowledgement lifts the protection of the group until 2026-12-04.",
    )
    (use,) = report(PLAN, first).acknowledgements
    assert (use.state, use.new) == ("lifting", True)
    second = main(first, REMOVED)
    assert (second.change, second.refused) == ("delete", "")
    assert second.acknowledged is not None
    assert (second.acknowledged.state, second.acknowledged.new) == ("used", False)


def test_a_removed_entry_still_allows_the_deletion_in_the_same_change() -> None:
    found = report(f"{PLAN}{ack('delete')}", REMOVED)
    assert [(use.of, use.state, use.new) for use in found.acknowledgements] == [("train/main", "used", False)]
    unused = report(f"{PLAN}{ack('delete')}", PLAN)
    assert unused.acknowledgements == ()


STATES = [
    # before, after, state, new, whether the change goes on
    (PLAN, LARGER + ack(), "used", True, True),
    (PLAN + ack(), LARGER + ack(), "used", False, True),
    (PLAN, LARGER + ack("delete"), "used", True, True),
    (PLAN, LARGER + ack(of="train"), "used", True, True),
    (PLAN, LARGER + ack(until="2026-11-20"), "used", True, True),
    (PLAN, LARGER + ack(until="2026-11-19"), "expired", True, False),
    (PLAN, LARGER + ack(of="train/other"), "unused", True, False),
    (PLAN + ack("delete"), SMALLER + ack("delete"), "used", False, True),
    (PLAN, SMALLER + ack("delete"), "used", True, False),
]


@pytest.mark.parametrize(("before", "after", "state", "new", "goes_on"), STATES)
def test_states(before: str, after: str, state: str, new: bool, goes_on: bool) -> None:
    found = report(before, after)
    (use,) = found.acknowledgements
    assert (use.state, use.new, use.plan, use.reason) == (state, new, "plan.yaml", "a larger run")
    item = {item.item: item for item in found.items}["train/main"]
    assert (item.refused == "") == goes_on
    assert item.acknowledged == (None if state == "unused" else use)


def test_an_expired_one_is_named_where_it_is_missed() -> None:
    item = main(PLAN, LARGER + ack(until="2026-11-19"))
    assert item.refused == f"{STOPS} Its acknowledgement ended on 2026-11-19."


def test_an_expired_one_is_not_named_as_the_reason_why_protection_is_gone() -> None:
    item = main(PLAN, PLAN.replace("capacity", "protect: false, capacity") + ack(until="2026-11-19"))
    assert item.consequence == "The group is no longer protected."


def test_an_entry_in_the_same_change_as_a_removal_must_come_first() -> None:
    item = main(PLAN, SMALLER + ack("delete"))
    assert (item.refused, item.updates) == (f"{STOPS} {TWICE}", 2)
    (fix,) = item.fixes
    assert (fix.side, fix.key) == ("base", "acknowledge")
    assert main(f"{PLAN}{fix.text}\n", SMALLER + ack("delete")).refused == ""


ONLY = (
    "Only a replacement is acknowledged, but this also lifts the protection against a deletion, so the deletion is not "
    "prevented."
)


@pytest.mark.parametrize("after", [SMALLER, REMOVED, SMALLER + ack(), REMOVED + ack("replace", "train")])
def test_a_replacement_does_not_cover_a_deletion(after: str) -> None:
    item = main(PLAN + ack(), after)
    assert (item.change, item.acknowledged) == ("delete", None)
    assert ONLY in item.consequence


def test_a_deletion_covers_a_replacement() -> None:
    item = main(PLAN, LARGER + ack("delete"))
    assert ONLY not in item.consequence
    assert item.refused == ""


@pytest.mark.parametrize(
    ("before", "after", "state"),
    [
        (PLAN, LARGER + ack(), "not on base"),
        (PLAN + ack(until="2026-11-30"), LARGER + ack(), "not on base"),
        (PLAN + ack("delete"), LARGER + ack(), "not on base"),
        (PLAN + ack(), LARGER + ack(), "used"),
        (PLAN + ack().replace("larger", "huge"), LARGER + ack(), "used"),
    ],
)
def test_only_those_of_the_base(before: str, after: str, state: str) -> None:
    found = report(before, after, ack_from="base")
    uses = {(use.change, use.until): use.state for use in found.acknowledgements}
    assert uses["replace", "2026-12-01"] == state
    # Another one of the base may cover the change as well.
    new_only = before == PLAN
    assert main(before, after, ack_from="base").refused == (
        "Its acknowledgement is new in this change, but gke-tpu accepts only those of the base." if new_only else ""
    )


def test_what_nothing_protects_is_not_refused_for_an_acknowledgement_too_many() -> None:
    free = PLAN.replace("{reservation: pool}", "spot")
    item = main(free, free.replace("4x4", "4x8") + ack(), ack_from="base")
    assert item.acknowledged is not None
    assert (item.refused, item.acknowledged.state) == ("", "not on base")


def test_one_of_the_base_counts_under_the_new_name() -> None:
    after = LARGER.replace("main:", "next:") + ack(of="train/next") + "moved: [{from: train/main, to: train/next}]\n"
    (item,) = (item for item in report(PLAN + ack(), after, ack_from="base").items if item.item == "train/next")
    assert item.acknowledged is not None
    assert (item.acknowledged.state, item.acknowledged.new, item.refused) == ("used", False, "")


def test_a_cluster_takes_two_updates() -> None:
    plan = HEAD.rstrip("\n") + "\n"
    cluster = only_item(plan, plan.replace("us-east5", "us-east1"))
    assert cluster.refused == (
        "`pulumi up` will fail: deletion protection of the cluster is enabled, and the update fails only after "
        f"Pulumi has deleted the node pools of the cluster. {TWICE}"
    )
    first = f"{plan}{pasted(cluster)}\n"
    lifted = only_item(plan, first)
    assert (
        lifted.consequence
        == "Nodes are not affected. Deletion protection is disabled until 2026-12-04, as acknowledged."
    )
    second = only_item(first, first.replace("us-east5", "us-east1"))
    assert (second.change, second.refused) == ("replace", "")


DISK = PLAN.replace("capacity", "boot_disk: {size_gib: 200}, capacity")


@pytest.mark.parametrize("change", ["replace", "delete"])
def test_what_allows_a_replacement_allows_a_restart(change: str) -> None:
    item = main(PLAN + ack(change), DISK + ack(change))
    assert (item.change, item.refused) == ("restart", "")
    assert item.acknowledged is not None
    assert item.acknowledged.state == "used"


def test_a_restart_is_not_stopped_by_protection() -> None:
    item = main(PLAN, DISK, ack_from="base")
    assert (item.refused, item.fixes, item.acknowledged) == ("", (), None)
    assert item.consequence.endswith("Its protection does not prevent the restart.")
    assert main(PLAN, DISK + ack(), ack_from="base").refused == ""


SINGLE = PLAN.replace("4x4", "2x2").replace("count: 2", "count: 8")
FEWER = SINGLE.replace("count: 8", "count: 2")


@pytest.mark.parametrize(("change", "state"), [("replace", None), ("delete", "used")])
def test_hosts_that_a_pool_gives_up_are_deleted(change: str, state: str | None) -> None:
    item = main(SINGLE + ack(change), FEWER + ack(change))
    assert item.change == "restart"
    assert (item.acknowledged.state if item.acknowledged else None) == state


NETWORK = HEAD + "    network: {create: {nat: true}}\n"
WITHOUT_NAT = NETWORK.replace("true", "false")


@pytest.mark.parametrize("ack_from", ["head", "base"])
def test_what_belongs_to_a_cluster_is_allowed_with_it(ack_from: str) -> None:
    entry = ack("delete", "train")
    found = report(NETWORK + entry, WITHOUT_NAT + entry, ack_from=ack_from)
    assert [(use.state, use.new) for use in found.acknowledgements] == [("used", False)]
    assert [(item.change, item.refused) for item in found.items] == [("delete", "")]
    assert (
        report(NETWORK + ack("replace", "train"), WITHOUT_NAT + ack("replace", "train")).items[0].acknowledged is None
    )


def test_without_a_day_nothing_is_acknowledged() -> None:
    base, head = preview(PLAN, today=None), preview(LARGER + ack(), today=None)
    found = diff_pairs(pairs_of([base], [head]), catalog())
    assert [use.state for use in found.acknowledgements] == ["unused"]
    assert "until: YYYY-MM-DD" in fix_of(found.items[0])


def test_names_that_yaml_would_read_otherwise_are_quoted() -> None:
    item = only_item(PLAN.replace("main:", '"on: 1":'), LARGER.replace("main:", '"on: 1":'))
    assert yaml.safe_load(fix_of(item))["acknowledge"][0]["of"] == "train/on: 1"


def test_the_last_possible_date_is_valid() -> None:
    last = datetime.date.max
    found = diff_pairs(pairs_of([preview(PLAN, today=last)], [preview(LARGER, today=last)]), catalog(), today=last)
    assert "until: 9999-12-31" in fix_of(found.items[0])


NEW_ONLY = "Its acknowledgement is new in this change, but gke-tpu accepts only those of the base."


def test_one_that_is_new_is_named_too_where_another_has_lifted_the_protection_before() -> None:
    """The base acknowledges a replacement, so nothing is protected there; the deletion is acknowledged only now."""
    item = main(PLAN + ack(), SMALLER + ack("delete"), ack_from="base")
    assert (item.refused, item.updates) == (NEW_ONLY, 2)
    assert [fix.side for fix in item.fixes] == ["base"]


@pytest.mark.parametrize(("written", "refused"), [("", NEW_ONLY), ("deletion_protection: false, ", "")])
def test_the_same_of_a_cluster(written: str, refused: str) -> None:
    head = "version: 1\nproject: acme-ml\nclusters:\n  other: {mode: standard, location: us-east5}\n"
    cluster = f"  train: {{{written}mode: standard, location: us-east5}}\n"
    before, after = head + cluster + ack(of="train"), head + ack("delete", of="train")
    assert items(before, after, ack_from="base")["train"].refused == refused


def test_a_new_one_for_what_was_never_protected_is_not_missed() -> None:
    opened = PLAN.replace("us-east5\n", "us-east5\n    deletion_protection: false\n").replace(
        "{reservation: pool}", "spot"
    )
    moved = opened.replace("us-east5\n", "us-east1\n").replace("us-east5-b", "us-east1-d")
    found = items(opened, moved + ack(of="train"), ack_from="base")
    assert {name: item.refused for name, item in found.items()} == dict.fromkeys(found, "")


def test_what_stops_is_not_said_to_have_lost_its_protection() -> None:
    item = main(PLAN, SMALLER.replace("capacity", "protect: false, capacity"))
    assert item.refused == f"{STOPS} {TWICE}"
    assert "nothing stops this" not in item.consequence


def test_the_protection_is_mentioned_at_a_restart_only_where_there_is_one() -> None:
    disk = "boot_disk: {size_gib: 200}, capacity"
    for before, mentioned in ((PLAN, True), (PLAN.replace("{reservation: pool}", "spot"), False)):
        item = main(before, before.replace("capacity", disk))
        assert item.change == "restart"
        assert ("protection does not prevent the restart" in item.consequence) == mentioned


@pytest.mark.parametrize(("written", "protected"), [("", True), ("protect: false, ", False)])
def test_the_protection_of_the_base_decides_about_a_deletion(written: str, protected: bool) -> None:
    """Whatever the plan after the change says: what is deleted is checked by the state."""
    before = PLAN.replace("capacity", f"{written}capacity")
    after = SMALLER.replace("capacity", "protect: true, capacity")
    assert bool(main(before, after).refused) == protected


@pytest.mark.parametrize(
    ("written", "lists"), [("", []), ("acknowledge: []\n", [()]), ("moved: []\n", [])], ids=["none", "empty", "other"]
)
def test_a_list_that_the_plan_writes_is_named_with_the_entry_to_add(written: str, lists: list[tuple[str, ...]]) -> None:
    plan = (
        "version: 1\nproject: acme-ml\nclusters:\n  train:\n    mode: standard\n    location: us-east5\n    slices:\n"
        "      main: {tpu: v6e, topology: 4x4, zone: us-east5-b, protect: true}\n"
    )
    found = report(plan, plan.replace("4x4", "4x8") + written)
    assert [entry.entries for entry in found.lists] == lists


def test_a_protected_group_stops_the_update_before_the_cluster_loses_node_pools() -> None:
    """Without one, the provider refuses the cluster when its node pools are gone already."""
    late = "the update fails only after Pulumi has deleted the node pools"
    text = PLAN.replace("capacity: {reservation: pool}", "capacity: spot")
    other = text.replace("clusters:", "clusters:\n  rest: {mode: standard, location: us-east5}")
    rest = f"{other.partition('  train:')[0]}"
    for protect, refused_late in (("", True), ("protect: false, ", True), ("protect: true, ", False)):
        before = other.replace("capacity:", f"{protect}capacity:")
        found = {item.item: item for item in report(before, rest).items}
        assert (late in found["train"].refused, "will fail" in found["train"].refused) == (refused_late, True), protect
