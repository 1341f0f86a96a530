"""``gke-tpu status``: the problems of a fleet, from a snapshot."""

import pathlib
from typing import TYPE_CHECKING, Any

import click

from pulumi_gke_tpu.cli.options import catalog_option, format_option, load_catalog, show

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.text.document.model import Page

NOT_ALL_READ = 4
"""The exit code if nothing is wrong in what was read, and something was not read."""


@click.command("status", short_help="Show the problems of a fleet, from a snapshot.")
@click.argument("plan", type=click.Path(allow_dash=True), metavar="PLAN")
@click.option(
    "--snapshot", "folder", type=click.Path(path_type=pathlib.Path), metavar="DIR", required=True,
    help="The folder that `gke-tpu snapshot` made, and its script filled.",
)  # fmt: skip
@catalog_option
@format_option("page", "data")
def command(plan: str, folder: pathlib.Path, overlays: tuple[pathlib.Path, ...], output_format: str) -> int:
    """Show each slice of a plan as it is: wanted, found, hosts that are ready, and the problems, cause first.

    The snapshot also tells why jobs wait, and what differs from the plan, without what GKE adds by itself.
    gke-tpu never calls Google Cloud or a cluster: it shows the state at the time of the snapshot.

    The exit code is 0 if nothing is wrong, 1 if something is, and 4 if nothing is wrong in what was read, but the
    snapshot does not have everything.
    """
    from pulumi_gke_tpu.cli.shared import report_errors
    from pulumi_gke_tpu.features.status.commands import read_both

    catalog = load_catalog(overlays)
    checked, snapshot = read_both(plan, folder, catalog)
    if snapshot is None:
        return report_errors(checked.findings)
    from pulumi_gke_tpu.features.status.status import status_of

    found = status_of(checked, snapshot, plan)

    def page() -> "Page":
        from pulumi_gke_tpu.features.status.output.document import status_page

        return status_page(found)

    def data() -> dict[str, Any]:
        from pulumi_gke_tpu.features.status.output.json import status_json

        return status_json(found)

    show(output_format, page=page, data=data)
    return 1 if found.is_wrong else NOT_ALL_READ if found.not_read else 0
