"""``gke-tpu preview``: what a plan would create, from the components that ``pulumi up`` runs."""

import datetime
import json
import pathlib

import click

from pulumi_gke_tpu.cli.options import (
    catalog_option,
    clock,
    has_errors,
    load_catalog,
    terminal_width,
    today_option,
    wants_colour,
)
from pulumi_gke_tpu.cli.progress import progress
from pulumi_gke_tpu.cli.validate import render_findings


@click.command("preview", short_help="Show what a plan would create.")
@click.argument("plan", type=click.Path(path_type=pathlib.Path))
@click.option("--resources", is_flag=True, help="Show every resource with its inputs and options.")
@click.option("--inventory", type=click.Path(path_type=pathlib.Path), metavar="FILE", help="Capacity you own.")
@catalog_option
@click.option("--format", "form", type=click.Choice(["text", "json", "markdown"]), default="text")
@click.option("--strict", is_flag=True, help="Warnings stop too, unless the plan accepts them.")
@today_option
def command(
    plan: pathlib.Path,
    resources: bool,
    inventory: pathlib.Path | None,
    overlays: tuple[pathlib.Path, ...],
    form: str,
    strict: bool,
    today: datetime.date | None,
) -> int:
    """Run the components in an engine inside this process: no cloud, no credentials, no Pulumi CLI.

    A plan with errors is not previewed: they go to stderr, and the exit code is 1.
    """
    from pulumi_gke_tpu.workflows.check import check_files

    checked = check_files([plan], inventory, load_catalog(overlays), clock(today))
    if has_errors(checked.findings, strict):
        click.echo(render_findings(checked.findings, "text"), err=True, color=True)
        return 1
    with progress("previewing"):
        from pulumi_gke_tpu.workflows.preview import preview_checked

        shown = preview_checked(checked.plans[0], checked.findings)
    if form == "json":
        from pulumi_gke_tpu.render.preview.json import preview_json

        text = json.dumps(preview_json(shown, resources=resources), indent=2, ensure_ascii=False)
    elif form == "markdown":
        from pulumi_gke_tpu.render.preview.markdown import preview_markdown

        text = preview_markdown(shown, resources=resources)
    else:
        from pulumi_gke_tpu.render.preview.text import preview_text

        text = preview_text(shown, resources=resources, width=terminal_width(), colour=wants_colour())
    click.echo(text.rstrip("\n"), color=True)
    return 0
