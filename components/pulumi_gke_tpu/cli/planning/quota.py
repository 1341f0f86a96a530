"""``gke-tpu quota``: show what plans use of reservations and quota, what is left, and what to request."""

import datetime
import json
import pathlib

import click

from pulumi_gke_tpu.cli.options import (
    catalog_option,
    clock,
    has_errors,
    inventory_option,
    load_catalog,
    terminal_width,
    today_option,
    wants_color,
)
from pulumi_gke_tpu.cli.validate import render_findings


@click.command("quota", short_help="Show the use of reservations and quota by plans, and what is left.")
@click.argument("plans", nargs=-1, metavar="[PLAN...]", type=click.Path(allow_dash=True))
@inventory_option
@catalog_option
@click.option("--format", "form", type=click.Choice(["text", "json", "markdown"]), default="text")
@today_option
def command(
    plans: tuple[str, ...],
    inventory: str | None,
    overlays: tuple[pathlib.Path, ...],
    form: str,
    today: datetime.date | None,
) -> int:
    """Add up what all plans use of each reservation and quota, and show what is left and which quota to request.

    PLAN is a file, a folder with plans, or - for standard input; without PLAN, gke-tpu reads plan.yaml in this folder.
    The limits come from the inventory; without it, every limit is unknown.

    gke-tpu prints errors to stderr and exits with 1. If a plan has errors of its own, there is no table.
    """
    from pulumi_gke_tpu.cli.files.plan_arguments import read_inventory_file, read_plans
    from pulumi_gke_tpu.workflows.check import check_documents

    catalog = load_catalog(overlays)
    documents, owned = read_plans(plans), read_inventory_file(inventory)
    checked = check_documents(documents, owned, catalog, clock(today))
    failed = has_errors(checked.findings, strict=False)
    unreadable = owned is not None and has_errors(owned.findings, strict=False)
    if unreadable or any(plan.has_errors for plan in checked.plans):
        click.echo(render_findings(checked.findings, "text"), err=True, color=True)
        return 1
    from pulumi_gke_tpu.estimate.headroom import headroom

    shown = headroom(checked.plans, owned.content if owned else None, catalog)
    if form == "json":
        from pulumi_gke_tpu.render.quota.json import headroom_json

        text = json.dumps(headroom_json(shown, checked.findings), indent=2, ensure_ascii=False)
    elif form == "markdown":
        from pulumi_gke_tpu.render.quota.document import headroom_markdown

        text = headroom_markdown(shown)
    else:
        from pulumi_gke_tpu.render.quota.document import headroom_text

        text = headroom_text(shown, width=terminal_width(), color=wants_color())
    click.echo(text.rstrip("\n"), color=True)
    if failed:
        click.echo(render_findings(checked.findings, "text"), err=True, color=True)
    return 1 if failed else 0
