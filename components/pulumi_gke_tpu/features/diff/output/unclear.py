"""Texts about plans and items that are not compared, so that the effect of the change on them is unknown."""

from pulumi_gke_tpu.core.text.findings import number
from pulumi_gke_tpu.features.diff.model import ChangeReport, Unclear

LABEL = "NOT COMPARED"
_MEANS = {
    "base": "The effect of this change on it is unknown: it may be replaced or deleted. The totals do not include it.",
    "head": "The effect of this change on it is unknown. The totals do not include it.",
    "moved": "",
}


def left_out(report: ChangeReport) -> tuple[Unclear, ...]:
    """The plans and items that are not compared. Plans that only moved are compared."""
    return tuple(entry for entry in report.unclear if entry.kind != "moved")


def headline_text(report: ChangeReport) -> str:
    """The number of plans and items that are not compared, and of plans in a new folder; empty if none."""
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
    """The plan and its item."""
    return f"{entry.plan} · {entry.item}" if entry.item else entry.plan


def reason_text(entry: Unclear) -> str:
    """The reason that it is not compared, and the result."""
    return f"{entry.reason[:1].upper()}{entry.reason[1:]}. {_MEANS[entry.kind]}".rstrip()
