"""TPU890: files of other tools that do not contain everything."""

from pulumi_gke_tpu.core.rules.engine.rule import Scope, rule
from pulumi_gke_tpu.core.text.findings import Finding, Position, Verbatim

INCOMPLETE_PLAN = rule(
    "TPU890",
    "incomplete-terraform-plan",
    scope=Scope.FILE,
    title="Terraform stopped with an error while it made the plan",
    why="the file contains only the changes that Terraform found before the error. Others are missing, which can be "
    "deletions",
    fix="Correct the error that `terraform plan` reports, and make the plan again.",
    basis="format",
    source="Terraform: JSON output format, the member `errored` of a plan",
    failing="# Not about content: the JSON of a Terraform plan with `errored` true",
    edit=(
        "# Not about content: the JSON of a Terraform plan with `errored` true",
        "# Not about content: the JSON of a Terraform plan with `errored` false",
    ),
)


def incomplete_plan(file: str) -> Finding:
    """The finding about a plan of Terraform that an error ended."""
    return Finding(
        rule=INCOMPLETE_PLAN.id,
        severity=INCOMPLETE_PLAN.severity,
        path=(),
        message="the plan is incomplete: Terraform stopped with an error",
        why=INCOMPLETE_PLAN.why,
        change=Verbatim(INCOMPLETE_PLAN.fix),
        source=INCOMPLETE_PLAN.source,
        position=Position(file, 1, 1, 2),
    )
