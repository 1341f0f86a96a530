"""``gke-tpu quota``: show what plans use of reservations and quota, what is left, and what to request."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from pulumi_gke_tpu.cli.commands import CommandWithExamples
from pulumi_gke_tpu.cli.options import PlanningInputs, fleets_argument, planning_options, show
from pulumi_gke_tpu.cli.shared import report_errors, usable_plans
from pulumi_gke_tpu.core.text.findings import Finding, Severity

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.text.document.model import Page


@click.command(
    "quota",
    cls=CommandWithExamples,
    short_help="Show what plans use of reservations and quota, and what is left.",
    examples=("gke-tpu quota stacks --inventory inventory.yaml",),
)
@fleets_argument
@planning_options("page", "data")
def command(
    plans: tuple[str, ...],
    inputs: PlanningInputs,
    output_format: str,
) -> int:
    """Add up what all plans use of each reservation and quota, and show what is left and which quota to request.

    The limits come from the inventory; without it, every limit is unknown.

    gke-tpu prints errors to stderr and exits with 1. If an error is in a plan itself, there is no table.
    """
    catalog = inputs.catalog()
    checked, owned = usable_plans(plans, inputs, catalog)
    from pulumi_gke_tpu.core.estimate.headroom import headroom

    shown = headroom(checked.plans, owned, catalog)

    def page() -> "Page":
        from pulumi_gke_tpu.features.capacity.output.document import headroom_page

        return headroom_page(shown, _warnings(checked.findings))

    def data() -> dict[str, Any]:
        from pulumi_gke_tpu.features.capacity.output.json import headroom_json

        return headroom_json(shown, checked.findings)

    show(
        output_format,
        page=page,
        data=data,
    )
    return report_errors(checked.findings)


def _warnings(findings: Sequence[Finding]) -> list[Finding]:
    """What plans and inventory do not agree on, except for errors."""
    from pulumi_gke_tpu.core.rules.engine.discovery import rules_of
    from pulumi_gke_tpu.core.rules.engine.rule import Scope

    rules = {rule.id for rule in rules_of(Scope.INVENTORY)}
    return [finding for finding in findings if finding.rule in rules and finding.severity is not Severity.ERROR]
