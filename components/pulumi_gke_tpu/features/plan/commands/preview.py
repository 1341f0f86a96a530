"""``gke-tpu preview``: show the resources that ``pulumi up`` would create for a plan."""

from typing import TYPE_CHECKING, Any

import click

from pulumi_gke_tpu.cli.commands import CommandWithExamples
from pulumi_gke_tpu.cli.options import (
    PlanningInputs,
    fleets_argument,
    has_errors,
    planning_options,
    project_option,
    show,
    strict_option,
)
from pulumi_gke_tpu.cli.shared import complain, progress, tell_left_out

if TYPE_CHECKING:
    from pulumi_gke_tpu.cli.writers import Screen


@click.command(
    "preview",
    cls=CommandWithExamples,
    short_help="Show the resources, cost and quota of a plan.",
    examples=(
        "gke-tpu preview plan.yaml --nodes",
        "gke-tpu preview clusters.json",
    ),
)
@fleets_argument
@click.option("--nodes", is_flag=True, help="In text, show node pools with their machines and settings.")
@click.option("--prices", is_flag=True, help="In text, show totals by capacity mode and prices with their dates.")
@click.option("--resources", is_flag=True, help="Show every resource with its inputs and options.")
@strict_option
@project_option
@planning_options("text", "markdown", "data")
def command(
    plans: tuple[str, ...],
    nodes: bool,
    prices: bool,
    resources: bool,
    project: str | None,
    inputs: PlanningInputs,
    output_format: str,
    strict: bool,
) -> int:
    """Show the resources that `pulumi up` would create. You need no credentials and no Pulumi CLI.

    If the plan has errors, gke-tpu prints them to stderr and exits with 1.
    """
    from pulumi_gke_tpu.cli.files.described_plans import read_one_fleet, running
    from pulumi_gke_tpu.cli.files.plan_arguments import read_inventory_file, read_organization_file
    from pulumi_gke_tpu.core.workflows.check import check_documents

    catalog = inputs.catalog()
    document = running(read_one_fleet(plans, catalog, project=project), catalog)
    owned = read_inventory_file(inputs.inventory)
    standards = read_organization_file(inputs.organization)
    checked = check_documents([document], owned, catalog, inputs.day, standards)
    failed, (plan,) = has_errors(checked.findings, strict), checked.plans
    if failed:
        from pulumi_gke_tpu.core.messages.pages import failure_pages, words_of

        complain(checked.findings)
        for each in failure_pages(words_of(checked.findings, catalog), catalog):
            click.echo(f"see: {each}", err=True)
    if failed and not (plan.is_usable and document.describes_resources):
        return 1
    tell_left_out(checked.plans)
    with progress("previewing"):
        from pulumi_gke_tpu.core.workflows.preview import preview_checked

        shown = preview_checked(plan, checked.findings, owned.content if owned else None)

    def text(screen: "Screen") -> str:
        from pulumi_gke_tpu.features.plan.preview.document import Parts, preview_text

        parts = Parts(nodes=nodes, prices=prices, resources=resources)
        return preview_text(shown, parts, width=screen.width, color=screen.color)

    def markdown(_: "Screen") -> str:
        from pulumi_gke_tpu.features.plan.preview.document import preview_markdown

        return preview_markdown(shown, resources=resources)

    def data() -> dict[str, Any]:
        from pulumi_gke_tpu.features.plan.preview.json import preview_json

        return preview_json(shown, resources=resources)

    show(output_format, text=text, markdown=markdown, data=data)
    return 1 if failed else 0
