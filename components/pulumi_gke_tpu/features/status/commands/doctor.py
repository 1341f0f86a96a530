"""``gke-tpu doctor``: what keeps a plan from being created, from a snapshot."""

import pathlib
from typing import TYPE_CHECKING

import click

from pulumi_gke_tpu.cli.commands import CommandWithExamples
from pulumi_gke_tpu.cli.options import catalog_option, format_option, load_catalog
from pulumi_gke_tpu.features.status.commands import read_both, snapshot_option, written

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.text.document.model import Page


@click.command(
    "doctor",
    cls=CommandWithExamples,
    short_help="Show what a project lacks for a plan, from a snapshot.",
    examples=("gke-tpu doctor plan.yaml --snapshot snapshot",),
)
@click.argument("plan", type=click.Path(allow_dash=True), metavar="PLAN")
@snapshot_option
@catalog_option
@format_option("page", "data")
def command(plan: str, folder: pathlib.Path, overlays: tuple[pathlib.Path, ...], output_format: str) -> int:
    """Compare a plan with its project before `pulumi up`.

    gke-tpu compares APIs, machine types in the zones, roles of the service account of nodes, addresses in subnetworks,
    names that are in use, quota, reservations, and versions of GKE. It never calls Google Cloud: it reads the snapshot,
    and applies the rules about inventories.

    The exit code is 0 if nothing is missing, 1 if something is, and 4 if the snapshot shows nothing missing but
    is incomplete.
    """
    from pulumi_gke_tpu.cli.shared import report_errors

    checked, snapshot = read_both(plan, folder, load_catalog(overlays))
    if snapshot is None:
        return report_errors(checked.findings)
    from pulumi_gke_tpu.features.status.doctor import diagnosed

    found = diagnosed(checked, snapshot)

    def page() -> "Page":
        from pulumi_gke_tpu.features.status.output.document import doctor_page

        return doctor_page(found)

    return written(found, output_format, page)
