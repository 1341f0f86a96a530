"""Gates: how they are written, what they let pass, and what exit code a change has."""

import dataclasses
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.plan_edits import report as change_of

from pulumi_gke_tpu.core.text.findings import printable
from pulumi_gke_tpu.features.diff.comparison.gates import (
    EXIT_CHANGES,
    EXIT_DANGEROUS,
    EXIT_NOTHING,
    GateError,
    Gates,
    exit_code,
)
from pulumi_gke_tpu.features.diff.engine.model import Report
from pulumi_gke_tpu.features.diff.model import CLASSES, DANGEROUS, AcknowledgementUse, ChangeClass, Unclear

MULTI = "tpu: v6e\ntopology: 4x4\n"
LARGER = "tpu: v6e\ntopology: 4x8\n"
RESERVED = f"{MULTI}capacity: {{reservation: pool}}\n"
LABELLED = f"{MULTI}node_labels: {{a: b}}\n"


def report(*texts: str, **options: Any) -> Report:
    """The change between two plans, without the engine."""
    return Report(change_of(*texts, **options))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", Gates()),
        ("replace", Gates(frozenset({"replace"}))),
        ("replace,delete", Gates(frozenset({"replace", "delete"}))),
        (" Replace , NO-OP,,", Gates(frozenset({"replace", "no-op"}))),
        ("dangerous", Gates(dangerous=True)),
        ("engine", Gates(engine=True)),
        ("cost:+20%", Gates(cost_percent=Decimal(20))),
        ("cost:20%", Gates(cost_percent=Decimal(20))),
        ("cost:+0%", Gates(cost_percent=Decimal(0))),
        ("cost:+12.5%,cost:+20%", Gates(cost_percent=Decimal("12.5"))),
    ],
)
def test_how_gates_are_written(text: str, expected: Gates) -> None:
    assert Gates.parse(text) == expected


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("replaced", "unknown gate replaced. Did you mean replace? Allowed gates: delete, replace,"),
        ("cost", "unknown gate cost."),
        ("cost:+20", "Allowed gates: "),
        ("cost:-5%", "cost:+N%"),
        ("cost:+²%", "unknown gate"),
        ("\x1b[31m", "unknown gate \\x1b[31m"),
    ],
)
def test_an_invalid_gate_is_reported_with_the_allowed_ones(text: str, part: str) -> None:
    with pytest.raises(GateError) as error:
        Gates.parse(text)
    assert part in str(error.value)


@given(st.text(max_size=40))
def test_any_text_is_gates_or_told(text: str) -> None:
    told = ""
    gates = Gates()
    try:
        gates = Gates.parse(text)
    except GateError as error:
        told = str(error)
    assert told == printable(told, 1000)
    assert gates.closed(report(MULTI, MULTI)) == ()


@pytest.mark.parametrize(
    ("before", "after", "gates", "expected"),
    [
        (MULTI, MULTI, "dangerous,cost:+0%,create,replace", []),
        (MULTI, LARGER, "replace", ["train/pretrain is replace"]),
        (MULTI, LARGER, "delete,restart", []),
        (MULTI, LARGER, "replace,dangerous", ["train/pretrain is replace", "train/pretrain is dangerous"]),
        (MULTI, LARGER, "refused", []),
        (RESERVED, RESERVED.replace("4x4", "4x8"), "refused", ["train/pretrain is refused"]),
        (MULTI, LABELLED, "dangerous", []),
        (MULTI, LABELLED, "in-place", ["train/pretrain is in-place"]),
        (LABELLED, MULTI, "dangerous", ["train/pretrain is dangerous"]),
        (MULTI, "", "delete", ["train and 1 more are delete"]),
        (MULTI, f"{MULTI}count: 2\n", "cost:+100%", []),
        (f"{MULTI}count: 2\n", MULTI, "cost:+0%", []),
    ],
)
def test_what_passes(before: str, after: str, gates: str, expected: list[str]) -> None:
    assert list(Gates.parse(gates).closed(report(before, after))) == expected


def test_growing_cost() -> None:
    (reason,) = Gates.parse("cost:+99%").closed(report(MULTI, f"{MULTI}count: 2\n"))
    assert reason.startswith("the cost grows by more than 99%: ")
    (first,) = Gates.parse("cost:+99%").closed(report(f"{MULTI}count: 0\n", MULTI))
    assert first.startswith("the cost grows from nothing to ")


def test_unknown_cost_closes_nothing() -> None:
    unknown = "tpu: v5p\ntopology: 4x4x4\nzone: us-east5-a\ncapacity: flex_start\n"
    assert Gates.parse("cost:+0%").closed(report(MULTI, unknown)) == ()


PLAN = "version: 1\nproject: acme-ml\nclusters:\n  train:\n    mode: standard\n    location: us-east5\n    slices:\n"
GROUP = "      main: {tpu: v6e, topology: 4x4, zone: us-east5-b, capacity: {reservation: pool}}\n"
ACK = "acknowledge: [{change: replace, of: train/main, reason: larger, until: 2026-12-01}]\n"


def test_what_is_acknowledged_passes_and_stays_dangerous() -> None:
    gates = Gates.parse("replace,dangerous,refused")
    acknowledged = report(PLAN + GROUP, PLAN + GROUP.replace("4x4", "4x8") + ACK)
    assert gates.closed(acknowledged) == ()
    assert exit_code(acknowledged, by_class=True) == EXIT_DANGEROUS
    unacknowledged = report(PLAN + GROUP, PLAN + GROUP.replace("4x4", "4x8") + ACK, ack_from="base")
    assert gates.closed(unacknowledged) != ()


DISK = "boot_disk: {size_gib: 200}"


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        (GROUP.replace("capacity", f"{DISK}, capacity"), []),
        (GROUP.replace("capacity", f"{DISK}, capacity").replace("main", "other"), ["delete", "dangerous"]),
    ],
)
def test_a_restart_passes_with_an_acknowledged_replacement(after: str, expected: list[str]) -> None:
    gates = Gates.parse("dangerous,restart,delete")
    closed = gates.closed(report(PLAN + GROUP + ACK, PLAN + after + (ACK if "main" in after else "")))
    assert [reason.rpartition(" ")[2] for reason in closed] == expected


def test_a_change_without_effect_cannot_be_acknowledged() -> None:
    labelled = GROUP.replace("capacity", "node_labels: {a: b}, capacity")
    closed = Gates.parse("dangerous,no-op").closed(report(PLAN + labelled + ACK, PLAN + GROUP + ACK))
    assert closed == ("train/main is no-op", "train/main is dangerous")


def test_what_belongs_to_a_cluster_is_named() -> None:
    cluster = "mode: standard\nlocation: us-east5\nnetwork: {create: {}}\n"
    found = report(cluster, cluster.replace("{}", "{nat: false}"))
    assert Gates.parse("delete").closed(found) == ("train (Cloud NAT) is delete",)


@pytest.mark.parametrize(("after", "code"), [(MULTI, EXIT_NOTHING), (LABELLED, EXIT_CHANGES), (LARGER, EXIT_DANGEROUS)])
def test_exit_codes(after: str, code: int) -> None:
    assert exit_code(report(MULTI, after), by_class=True) == code


def use(state: Any) -> AcknowledgementUse:
    return AcknowledgementUse("plan.yaml", "delete", "train/main", "no longer used", "2026-12-01", state, new=False)


def one_item(change: ChangeClass, acknowledged: AcknowledgementUse | None, refused: str = "") -> Report:
    """A report of one item."""
    found = change_of(MULTI, LARGER)
    item = dataclasses.replace(found.items[0], change=change, acknowledged=acknowledged, refused=refused)
    return Report(dataclasses.replace(found, items=(item,)))


MAIN_SPOT = "      main: {tpu: v6e, topology: 4x4, zone: us-east5-b, capacity: spot}\n"
LARGER_SPOT = MAIN_SPOT.replace("4x4", "4x8")
OTHER_SPOT = "      other: {tpu: v6e, topology: 2x2, zone: us-east5-b, capacity: spot}\n"

ACKNOWLEDGEABLE: tuple[ChangeClass, ...] = ("delete", "replace", "restart")


@pytest.mark.parametrize("change", CLASSES)
@pytest.mark.parametrize("state", ["used", "lifting", "unused", "expired", "not on base", None])
def test_only_an_acknowledgement_that_is_used_opens_a_gate(change: ChangeClass, state: str | None) -> None:
    found = one_item(change, use(state) if state else None)
    opened = state == "used" and change in ACKNOWLEDGEABLE
    assert (Gates.parse(change).closed(found) == ()) == opened
    assert (Gates.parse("dangerous").closed(found) == ()) == (opened or change not in DANGEROUS)


def test_what_stops_is_not_opened_by_an_acknowledgement() -> None:
    found = one_item("replace", use("used"), refused="`pulumi up` will fail.")
    for gate in ("refused", "replace", "dangerous"):
        assert Gates.parse(gate).closed(found) == (f"train/pretrain is {gate}",)
    assert Gates.parse("delete").closed(found) == ()


@pytest.mark.parametrize(
    ("until", "ack_from", "closed"),
    [("2026-11-20", "head", False), ("2026-11-19", "head", True), ("2026-11-20", "base", True)],
)
@pytest.mark.parametrize(("before", "after"), [(MAIN_SPOT, LARGER_SPOT), (MAIN_SPOT, OTHER_SPOT)])
def test_one_that_has_expired_or_is_not_on_the_base_opens_no_gate(
    before: str, after: str, until: str, ack_from: str, closed: bool
) -> None:
    entry = f"acknowledge: [{{change: delete, of: train, reason: no longer used, until: {until}}}]\n"
    found = report(PLAN + before, PLAN + after + entry, ack_from=ack_from)
    assert bool(Gates.parse("delete,replace").closed(found)) == closed
    assert bool(Gates.parse("dangerous").closed(found)) == closed


@pytest.mark.parametrize(("percent", "closed"), [("100", False), ("99.999", True), ("0", True)])
def test_the_limit_of_the_cost_itself_passes(percent: str, closed: bool) -> None:
    found = report(MULTI, f"{MULTI}count: 2\n")
    assert bool(Gates.parse(f"cost:+{percent}%").closed(found)) == closed


@pytest.mark.parametrize("kind", ["base", "head", "moved"])
def test_what_is_not_compared_closes_every_gate_and_is_named(kind: Any) -> None:
    found = change_of(MULTI, MULTI)
    entries = tuple(Unclear("plan.yaml", item, kind, "because") for item in ("train/a", "train/b"))
    for gates in ("replace", "cost:+5%", "dangerous"):
        (one,) = Gates.parse(gates).closed(Report(dataclasses.replace(found, unclear=entries[:1])))
        assert one.endswith(": plan.yaml train/a")
        (two,) = Gates.parse(gates).closed(Report(dataclasses.replace(found, unclear=entries)))
        assert two.endswith(": plan.yaml train/a and 1 more")
    assert Gates().closed(Report(dataclasses.replace(found, unclear=entries))) == ()


def test_several_items_are_counted_and_the_first_is_named() -> None:
    found = one_item("create", None)
    assert Gates.parse("create").closed(found) == ("train/pretrain is create",)
    twice = Report(dataclasses.replace(found.change, items=found.change.items * 2))
    assert Gates.parse("create").closed(twice) == ("train/pretrain and 1 more are create",)


def test_without_changes_nothing_is_dangerous() -> None:
    assert exit_code(report(MULTI, MULTI), by_class=True) == EXIT_NOTHING
    stopped = one_item("metadata", None, refused="`pulumi up` will fail.")
    assert exit_code(stopped, by_class=True) == EXIT_DANGEROUS
    assert Gates.parse("dangerous").closed(stopped) == ("train/pretrain is dangerous",)


def test_a_cost_that_stays_nothing_does_not_grow() -> None:
    assert Gates.parse("cost:+0%").closed(report(f"{MULTI}count: 0\n", f"{LABELLED}count: 0\n")) == ()


def test_a_preview_that_was_not_given_confirms_nothing() -> None:
    assert Gates.parse("engine").closed(report(MULTI, MULTI)) == ("engine: no events of a preview were given",)
