"""``gke-tpu validate``: check plans and report every problem."""

from typing import TYPE_CHECKING

import click

from pulumi_gke_tpu.cli.commands import CommandWithExamples
from pulumi_gke_tpu.cli.options import (
    PlanningInputs,
    has_errors,
    max_findings_option,
    planning_options,
    plans_argument,
    screen,
    show,
    strict_option,
)
from pulumi_gke_tpu.cli.writers import ShownFindings, written

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.text.findings import Finding


@click.command(
    "validate",
    cls=CommandWithExamples,
    short_help="Check plans and report every problem.",
    examples=(
        "gke-tpu validate plan.yaml --inventory inventory.yaml",
        "gke-tpu validate plan.yaml --fix --dry-run",
    ),
)
@plans_argument
@strict_option
@max_findings_option
@click.option("--fix", is_flag=True, help="Write a fix wherever only one is possible, and show the changes as a diff.")
@click.option(
    "--skip-others",
    is_flag=True,
    help="Skip files named plan.yaml that belong to other tools: without version, clusters and the line of the schema.",
)
@click.option("--dry-run", is_flag=True, help="With --fix, show the changes and write nothing.")
@planning_options("findings")
def command(
    plans: tuple[str, ...],
    inputs: PlanningInputs,
    output_format: str,
    strict: bool,
    max_findings: int,
    fix: bool,
    dry_run: bool,
    skip_others: bool,
) -> int:
    """Check plans against the catalog, and all plans together against inventory and standards.

    PLAN is a file, a folder with plans, or - for standard input; without PLAN, gke-tpu checks plan.yaml or
    gke-tpu.yaml in this folder.

    The exit code is 1 if a plan has errors, with --strict also if it has warnings. With --fix, errors are counted
    after the fixes; with --dry-run, the exit code is also 1 if there is something to fix.
    """
    if dry_run and not fix:
        raise click.UsageError("--dry-run requires --fix.")
    from pulumi_gke_tpu.cli.files.plan_arguments import (
        read_inventory_file,
        read_organization_file,
        read_plans,
        without_other_tools,
    )

    if skip_others:
        plans = without_other_tools(plans)
        if not plans:
            return 0
    if fix:
        from pulumi_gke_tpu.features.plan.fix import Output, run_fix

        def written_findings(findings: "tuple[Finding, ...]") -> str | bytes:
            return written(output_format, screen(), findings=lambda: ShownFindings(findings, max_findings))

        return run_fix(plans, inputs, Output(output_format == "text", strict, max_findings, written_findings), dry_run)
    from pulumi_gke_tpu.core.workflows.check import check_documents

    documents, owned = read_plans(plans), read_inventory_file(inputs.inventory, past_syntax=True)
    standards = read_organization_file(inputs.organization, past_syntax=True)
    findings = check_documents(documents, owned, inputs.catalog(), inputs.day, standards).findings
    files = (*documents, owned, standards)
    texts = {document.name: document.yaml.text for document in files if document and document.yaml}
    show(output_format, findings=lambda: ShownFindings(findings, max_findings, texts))
    return 1 if has_errors(findings, strict) else 0
