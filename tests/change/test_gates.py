"""Gates: how they are written, what they let pass, and what exit code a change has."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plan_edits import report

from pulumi_gke_tpu.change.gates import EXIT_CHANGES, EXIT_DANGEROUS, EXIT_NOTHING, GateError, Gates, exit_code
from pulumi_gke_tpu.findings import printable

MULTI = "tpu: v6e\ntopology: 4x4\n"
LARGER = "tpu: v6e\ntopology: 4x8\n"
RESERVED = f"{MULTI}capacity: {{reservation: pool}}\n"
LABELLED = f"{MULTI}node_labels: {{a: b}}\n"


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
        ("replaced", "replaced is no gate. Did you mean replace? Allowed are: delete, replace,"),
        ("cost", "cost is no gate."),
        ("cost:+20", "Allowed are: "),
        ("cost:-5%", "cost:+N%"),
        ("cost:+²%", "is no gate"),
        ("\x1b[31m", "\\x1b[31m is no gate"),
    ],
)
def test_what_is_no_gate_is_told_with_what_is_allowed(text: str, part: str) -> None:
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
    assert exit_code(acknowledged) == EXIT_DANGEROUS
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


def test_what_comes_to_nothing_cannot_be_acknowledged() -> None:
    labelled = GROUP.replace("capacity", "node_labels: {a: b}, capacity")
    closed = Gates.parse("dangerous,no-op").closed(report(PLAN + labelled + ACK, PLAN + GROUP + ACK))
    assert closed == ("train/main is no-op", "train/main is dangerous")


def test_what_belongs_to_a_cluster_is_named() -> None:
    cluster = "mode: standard\nlocation: us-east5\nnetwork: {create: {}}\n"
    found = report(cluster, cluster.replace("{}", "{nat: false}"))
    assert Gates.parse("delete").closed(found) == ("train (Cloud NAT) is delete",)


@pytest.mark.parametrize(("after", "code"), [(MULTI, EXIT_NOTHING), (LABELLED, EXIT_CHANGES), (LARGER, EXIT_DANGEROUS)])
def test_exit_codes(after: str, code: int) -> None:
    assert exit_code(report(MULTI, after)) == code
