"""TPU971: plan files that move to another folder."""

import re

from pulumi_gke_tpu.core.rules.engine.rule import Scope, rule
from pulumi_gke_tpu.core.text.findings import Finding, Severity, Verbatim, printable_path

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*\Z", re.ASCII)

MOVED = rule(
    "TPU971",
    "plan-folder-changed",
    scope=Scope.FILE,
    severity=Severity.WARNING,
    title="Plan file moved to another folder",
    why="the name of the folder is the name of the stack. A stack with a different name creates all resources from "
    "scratch, and no plan manages the resources of the old stack",
    fix="Also rename the stack: `pulumi stack rename NEW --stack OLD`. If your stack does not have the name of the "
    "folder, accept this warning in the plan before you move the file.",
    source="gke-tpu: the program in `stacks/` finds its plan by the name of the folder",
    failing="# Not about content: stacks/prod/plan.yaml becomes stacks/production/plan.yaml",
    passing="# Not about content: stacks/prod/plan.yaml becomes teams/ml/prod/plan.yaml",
)


def moved(before: str, after: str) -> Finding | None:
    """The finding for a renamed plan file; None if the name of its folder is the same."""
    old, new = folder_of(before), folder_of(after)
    if old == new:
        return None
    return Finding(
        rule=MOVED.id,
        severity=MOVED.severity,
        path=(),
        message=f"this plan was moved from {printable_path(before)}, so its folder is now the name of another stack",
        why=MOVED.why,
        change=Verbatim(f"pulumi stack rename {new} --stack {old}") if _NAME.match(old) and _NAME.match(new) else None,
        source=MOVED.source,
    )


def folder_of(name: str) -> str:
    """The name of the folder of a file; empty if the path has none."""
    return name.replace("\\", "/").rpartition("/")[0].rpartition("/")[2]
