"""``gke-tpu validate``: check plans and report every problem."""

import datetime
import pathlib

import click

from pulumi_gke_tpu.cli.options import (
    catalog_option,
    clock,
    format_option,
    has_errors,
    inventory_option,
    load_catalog,
    max_findings_option,
    organization_option,
    plans_argument,
    strict_option,
    today_option,
)
from pulumi_gke_tpu.cli.shared.rendered_findings import render_findings


@click.command("validate", short_help="Check plans and report every problem.")
@plans_argument
@inventory_option
@organization_option
@catalog_option
@format_option("text", "json", "sarif", "github")
@strict_option
@max_findings_option
@click.option("--fix", is_flag=True, help="Write a fix wherever only one is possible, and show the changes as a diff.")
@click.option("--dry-run", is_flag=True, help="With --fix, show the changes and write nothing.")
@today_option
def command(
    plans: tuple[str, ...],
    inventory: str | None,
    organization: str | None,
    overlays: tuple[pathlib.Path, ...],
    form: str,
    strict: bool,
    most: int,
    fix: bool,
    dry_run: bool,
    today: datetime.date | None,
) -> int:
    """Check plans against the catalog, and all plans together against inventory and standards.

    PLAN is a file, a folder with plans, or - for standard input; without PLAN, gke-tpu checks plan.yaml in this folder.

    The exit code is 1 if a plan has errors, with --strict also if it has warnings. With --fix, errors are counted
    after the fixes; with --dry-run, the exit code is also 1 if there is something to fix.
    """
    if dry_run and not fix:
        raise click.UsageError("--dry-run requires --fix.")
    from pulumi_gke_tpu.cli.files.plan_arguments import read_inventory_file, read_organization_file, read_plans

    if fix:
        from pulumi_gke_tpu.features.plan.fix import Output, run_fix

        output = Output(form == "text", strict, lambda findings: render_findings(findings, form, most))
        return run_fix(plans, inventory, load_catalog(overlays), clock(today), output, dry_run, organization)
    from pulumi_gke_tpu.core.workflows.check import check_documents

    documents, owned = read_plans(plans), read_inventory_file(inventory, past_syntax=True)
    standards = read_organization_file(organization, past_syntax=True)
    findings = check_documents(documents, owned, load_catalog(overlays), clock(today), standards).findings
    files = (*documents, owned, standards)
    texts = {document.name: document.yaml.text for document in files if document and document.yaml}
    click.echo(render_findings(findings, form, most, texts), color=True)
    return 1 if has_errors(findings, strict) else 0
