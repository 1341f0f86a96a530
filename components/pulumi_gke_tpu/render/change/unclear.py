"""Words for what is not compared: plans and items of which nobody can tell what happens to them."""

from pulumi_gke_tpu.change.model import ChangeReport, Unclear
from pulumi_gke_tpu.findings import number

LABEL = "NOT COMPARED"
_MEANS = {
    "base": "What this change does to it is unknown: it may be replaced or deleted. It is in no total.",
    "head": "What this change does to it is unknown. It is in no total.",
    "moved": "",
}


def left_out(report: ChangeReport) -> tuple[Unclear, ...]:
    """What is not compared; plans that only moved are."""
    return tuple(entry for entry in report.unclear if entry.kind != "moved")


def headline_text(report: ChangeReport) -> str:
    """How much is not compared, and which plans may be those of other stacks now; empty where nothing is unclear."""
    entries = left_out(report)
    plans = sum(not entry.item for entry in entries)
    moved = len(report.unclear) - len(entries)
    parts = [
        number(plans, "plan") + " not compared" if plans else "",
        number(len(entries) - plans, "item") + " not compared" if len(entries) > plans else "",
        number(moved, "plan") + " moved to another folder" if moved else "",
    ]
    return ", ".join(filter(None, parts))


def place(entry: Unclear) -> str:
    """Which plan, and which item of it."""
    return f"{entry.plan} · {entry.item}" if entry.item else entry.plan


def reason_text(entry: Unclear) -> str:
    """Why it is not compared, and what that means."""
    return f"{entry.reason[:1].upper()}{entry.reason[1:]}. {_MEANS[entry.kind]}".rstrip()
