"""Rules about disabled protection, and changes at which `pulumi up` will fail."""

import pytest
from support.edited_reports import with_reason
from support.rule_changes import HEAD, OPEN, PLAN, RESERVED, ack, said
from support.transitions import change_of

MULTI = "tpu: v6e\ntopology: 4x4\n"

CLUSTER = "mode: standard\nlocation: us-east5\n"

OTHER = "      other: {tpu: v6e, topology: 2x2, zone: us-east5-b}\n"

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
