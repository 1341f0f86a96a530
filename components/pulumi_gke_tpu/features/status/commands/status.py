"""``gke-tpu status``: the problems of a fleet, from a snapshot."""

import pathlib
from typing import TYPE_CHECKING

import click

from pulumi_gke_tpu.cli.commands import CommandWithExamples
from pulumi_gke_tpu.cli.options import catalog_option, format_option, load_catalog
from pulumi_gke_tpu.features.status.commands import read_both, snapshot_option, written

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.text.document.model import Page


@click.command(
    "status",
    cls=CommandWithExamples,
    short_help="Show the problems of a fleet, from a snapshot.",
    examples=("gke-tpu status plan.yaml --snapshot snapshot",),
)
@click.argument("plan", type=click.Path(allow_dash=True), metavar="PLAN")
@snapshot_option
@catalog_option
@format_option("page", "data")
def command(plan: str, folder: pathlib.Path, overlays: tuple[pathlib.Path, ...], output_format: str) -> int:
    """Show the state of each slice of a plan: wanted, found, hosts that are ready, and the problems, cause first.

    The output also shows why jobs wait, and what differs from the plan, without what GKE adds by itself.
    gke-tpu never calls Google Cloud or a cluster: it shows the state at the time of the snapshot.

    The exit code is 0 without problems, 1 with problems, and 4 if the snapshot shows no problem but is
    incomplete.
    """
    from pulumi_gke_tpu.cli.shared import report_errors

    catalog = load_catalog(overlays)
    checked, snapshot = read_both(plan, folder, catalog)
    if snapshot is None:
        return report_errors(checked.findings)
    from pulumi_gke_tpu.features.status.status import status_of

    found = status_of(checked, snapshot, plan)

    def page() -> "Page":
        from pulumi_gke_tpu.features.status.output.document import status_page

        return status_page(found)

    return written(found, output_format, page)
