"""``gke-tpu quota``: show what plans use of reservations and quota, what is left, and what to request."""

import datetime
import pathlib
from collections.abc import Sequence

import click

from pulumi_gke_tpu.cli.options import (
    catalog_option,
    clock,
    format_option,
    inventory_option,
    json_text,
    load_catalog,
    organization_option,
    plans_argument,
    terminal_width,
    today_option,
    wants_color,
)
from pulumi_gke_tpu.cli.shared.usable_plans import report_errors, usable_plans
from pulumi_gke_tpu.core.text.findings import Finding, Severity


@click.command("quota", short_help="Show the use of reservations and quota by plans, and what is left.")
@plans_argument
@inventory_option
@organization_option
@catalog_option
@format_option("text", "json", "markdown")
@today_option
def command(
    plans: tuple[str, ...],
    inventory: str | None,
    organization: str | None,
    overlays: tuple[pathlib.Path, ...],
    form: str,
    today: datetime.date | None,
) -> int:
    """Add up what all plans use of each reservation and quota, and show what is left and which quota to request.

    PLAN is a file, a folder with plans, or - for standard input; without PLAN, gke-tpu reads plan.yaml in this folder.
    The limits come from the inventory; without it, every limit is unknown.

    gke-tpu prints errors to stderr and exits with 1. If a plan has errors of its own, there is no table.
    """
    catalog = load_catalog(overlays)
    usable = usable_plans(plans, inventory, catalog, clock(today), organization)
    if usable is None:
        return 1
    checked, owned = usable
    from pulumi_gke_tpu.core.estimate.headroom import headroom

    shown = headroom(checked.plans, owned, catalog)
    if form == "json":
        from pulumi_gke_tpu.features.capacity.output.json import headroom_json

        text = json_text(headroom_json(shown, checked.findings))
    elif form == "markdown":
        from pulumi_gke_tpu.features.capacity.output.document import headroom_markdown

        text = headroom_markdown(shown, _warnings(checked.findings))
    else:
        from pulumi_gke_tpu.features.capacity.output.document import headroom_text

        text = headroom_text(shown, _warnings(checked.findings), width=terminal_width(), color=wants_color())
    click.echo(text.rstrip("\n"), color=True)
    return report_errors(checked.findings)


def _warnings(findings: Sequence[Finding]) -> list[Finding]:
    """What plans and inventory do not agree on, except for errors."""
    from pulumi_gke_tpu.core.rules.engine.discovery import rules_of
    from pulumi_gke_tpu.core.rules.engine.rule import Scope

    rules = {rule.id for rule in rules_of(Scope.INVENTORY)}
    return [finding for finding in findings if finding.rule in rules and finding.severity is not Severity.ERROR]
