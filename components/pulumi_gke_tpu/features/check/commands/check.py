"""``gke-tpu check``: check Kubernetes manifests, alone or against a plan."""

import datetime
import pathlib
from typing import TYPE_CHECKING, Literal

import click

from pulumi_gke_tpu.cli.commands import CommandWithExamples
from pulumi_gke_tpu.cli.options import (
    catalog_option,
    clock,
    format_option,
    has_errors,
    inventory_option,
    load_catalog,
    max_findings_option,
    show,
    today_option,
)
from pulumi_gke_tpu.cli.writers import ShownFindings

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
    from pulumi_gke_tpu.core.text.findings import Finding

_LONGEST_NAME = 60


@click.command(
    "check",
    cls=CommandWithExamples,
    short_help="Check Kubernetes manifests, and clusters and node pools of other tools.",
    examples=(
        "gke-tpu check training.yaml --plan plan.yaml",
        "gke-tpu check tfplan.json --strict",
    ),
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(allow_dash=True))
@click.option("--plan", type=click.Path(), metavar="PLAN", help="Compare the files with this plan.")
@inventory_option
@click.option("--cluster", "key", metavar="KEY", help="Cluster of the plan that the manifests are for.")
@click.option(
    "--mode",
    type=click.Choice(["standard", "autopilot"]),
    help="Cluster mode, if no plan states it.",
)
@catalog_option
@format_option("findings")
@click.option("--strict", is_flag=True, help="Also fail on warnings.")
@max_findings_option
@today_option
def command(
    files: tuple[str, ...],
    plan: str | None,
    inventory: str | None,
    key: str | None,
    mode: Literal["standard", "autopilot"] | None,
    overlays: tuple[pathlib.Path, ...],
    output_format: str,
    strict: bool,
    max_findings: int,
    today: datetime.date | None,
) -> int:
    """Check Kubernetes manifests, and clusters and node pools of other tools, for TPUs.

    FILE is a YAML, JSON or Terraform file, a script, a folder, or - for standard input:
    `helm template . | gke-tpu check -`, `terraform show -json plan.out | gke-tpu check -`. Its content tells what it
    is: manifests, programs, plans and states of Terraform and Pulumi, commands and answers of gcloud, or objects of
    Config Connector, Crossplane and Cluster API.

    If the plan has several clusters, files in a folder whose name is the key of a cluster are for this cluster, as
    `gke-tpu manifests -o DIR` writes them. For other files, --cluster states the cluster.

    With --inventory, the reservations and quotas of the node pools in all files are added up. Without --plan, manifests
    are compared with the node pools that the files define. With --plan, node pools of the files are compared with those
    of the plan that have the same cluster and name.

    The exit code is 1 if there are errors, with --strict also if there are warnings. If nothing
    in a file that you name is read, gke-tpu warns.
    """
    from pulumi_gke_tpu.cli.files.manifest_files import read_manifest_files
    from pulumi_gke_tpu.cli.files.plan_arguments import read_inventory_file
    from pulumi_gke_tpu.core.text.findings import listed, printable, sort_findings
    from pulumi_gke_tpu.features.check.manifest_check import check_objects
    from pulumi_gke_tpu.features.check.resource_files import sorted_files

    catalog, checked = load_catalog(overlays), None
    if plan is not None:
        from pulumi_gke_tpu.cli.files.plan_arguments import read_one_plan
        from pulumi_gke_tpu.core.rules import check_plan

        checked = check_plan(read_one_plan(plan), catalog, clock(today))
    if key is not None:
        _require(key, checked)
    given = sorted_files(read_manifest_files(files, tables=True), catalog)
    owned = read_inventory_file(inventory)
    findings: tuple[Finding, ...] = given.unusable
    if not given.found or (given.has_manifests and checked is not None):
        findings += check_objects(given.manifests, catalog, checked, mode, key)
    if given.found or owned is not None:
        from pulumi_gke_tpu.features.check.resource_check import check_resource_files

        resources = check_resource_files(given, checked, owned, catalog, today=clock(today), mode=mode)
        findings += resources.findings
        if resources.left_out:
            names = listed([printable(each.origin.address) for each in resources.left_out], "and", most=3)
            click.echo(f"not compared: {names}, whose shape or capacity is known only after the apply", err=True)
    findings = sort_findings(findings)
    show(output_format, findings=lambda: ShownFindings(findings, max_findings, read=given.read_sources))
    return 1 if has_errors(findings, strict) else 0


def _require(key: str, checked: "CheckedPlan | None") -> None:
    """Require that the plan has a cluster; a plan that cannot be read has errors of its own."""
    from pulumi_gke_tpu.core.text.findings import printable

    if checked is None:
        raise click.UsageError("--cluster names a cluster of a plan: add --plan PLAN.")
    known = [cluster.key for cluster in checked.fleet.clusters] if checked.fleet is not None else [key]
    if key not in known:
        names = ", ".join(map(printable, known)) or "none"
        raise click.UsageError(f"The plan has no cluster {printable(key, _LONGEST_NAME)}. Its clusters: {names}.")
