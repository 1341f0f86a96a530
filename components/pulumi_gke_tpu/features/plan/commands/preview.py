"""``gke-tpu preview``: show the resources that ``pulumi up`` would create for a plan."""

import datetime
import pathlib

import click

from pulumi_gke_tpu.cli.options import (
    catalog_option,
    clock,
    format_option,
    has_errors,
    inventory_option,
    json_text,
    load_catalog,
    organization_option,
    plan_argument,
    strict_option,
    terminal_width,
    today_option,
    wants_color,
)
from pulumi_gke_tpu.cli.shared.progress import progress
from pulumi_gke_tpu.cli.shared.rendered_findings import render_findings


@click.command("preview", short_help="Show the resources, cost and quota of a plan.")
@plan_argument
@click.option("--resources", is_flag=True, help="Show every resource with its inputs and options.")
@inventory_option
@organization_option
@catalog_option
@format_option("text", "json", "markdown")
@strict_option
@today_option
def command(
    plan: str | None,
    resources: bool,
    inventory: str | None,
    organization: str | None,
    overlays: tuple[pathlib.Path, ...],
    form: str,
    strict: bool,
    today: datetime.date | None,
) -> int:
    """Show the resources that `pulumi up` would create. You need no credentials and no Pulumi CLI.

    PLAN is a file, a folder with one plan, or - for standard input; without PLAN, gke-tpu previews plan.yaml in this
    folder.

    If the plan has errors, gke-tpu prints them to stderr and exits with 1.
    """
    from pulumi_gke_tpu.cli.files.plan_arguments import read_inventory_file, read_one_plan, read_organization_file
    from pulumi_gke_tpu.core.workflows.check import check_documents

    document, owned = read_one_plan(plan), read_inventory_file(inventory)
    standards = read_organization_file(organization)
    checked = check_documents([document], owned, load_catalog(overlays), clock(today), standards)
    if has_errors(checked.findings, strict):
        click.echo(render_findings(checked.findings, "text"), err=True, color=True)
        return 1
    with progress("previewing"):
        from pulumi_gke_tpu.core.workflows.preview import preview_checked

        shown = preview_checked(checked.plans[0], checked.findings, owned.content if owned else None)
    if form == "json":
        from pulumi_gke_tpu.features.plan.preview.json import preview_json

        text = json_text(preview_json(shown, resources=resources))
    elif form == "markdown":
        from pulumi_gke_tpu.features.plan.preview.document import preview_markdown

        text = preview_markdown(shown, resources=resources)
    else:
        from pulumi_gke_tpu.features.plan.preview.document import preview_text

        text = preview_text(shown, resources=resources, width=terminal_width(), color=wants_color())
    click.echo(text.rstrip("\n"), color=True)
    return 0
