"""``gke-tpu inventory``: write an inventory from a snapshot, or refresh one."""

import pathlib

import click

from pulumi_gke_tpu.cli.commands import CommandWithExamples
from pulumi_gke_tpu.cli.options import catalog_option, load_catalog
from pulumi_gke_tpu.features.status.commands import needs_snapshot, snapshot_option


@click.command(
    "inventory",
    cls=CommandWithExamples,
    short_help="Write an inventory of reservations and quota from a snapshot.",
    examples=("gke-tpu inventory --snapshot snapshot -o inventory.yaml",),
)
@snapshot_option
@click.option(
    "-o", "--output", type=click.Path(path_type=pathlib.Path), metavar="FILE", required=True,
    help="Inventory to write or to refresh.",
)  # fmt: skip
@catalog_option
def command(folder: pathlib.Path, output: pathlib.Path, overlays: tuple[pathlib.Path, ...]) -> int:
    """Write the reservations, quota limits, workload policies and GKE versions of a snapshot as an inventory.

    A new file has the date and the command beside each entry. If FILE exists, gke-tpu refreshes the values that the
    snapshot has and appends new entries; your comments, entries and values stay, such as prices and `in_use`.
    """
    from pulumi_gke_tpu.cli.files.writing import CannotWriteError, replace_content, write_and_name
    from pulumi_gke_tpu.core.plan.reading.read import read_inventory_content
    from pulumi_gke_tpu.core.text.findings import printable, printable_path
    from pulumi_gke_tpu.core.text.yamlfile.file import UnreadableError, read_bytes
    from pulumi_gke_tpu.features.status.folder import read_capacity
    from pulumi_gke_tpu.features.status.inventory_file import new_inventory, refreshed

    catalog = load_catalog(overlays)
    with needs_snapshot(folder):
        snapshot = read_capacity(folder, catalog)
    if not output.exists():
        return 0 if write_and_name(output.parent, {output.name: new_inventory(snapshot)}, overwrite=False) else 2
    try:
        before = read_bytes(output)
    except UnreadableError as error:
        raise click.UsageError(f"{printable_path(output)}: {printable(error)}") from None
    document = read_inventory_content(before, str(output))
    if document.yaml is None or document.content is None:
        from pulumi_gke_tpu.cli.shared import report_errors

        return report_errors(document.findings)
    after = refreshed(document.yaml, snapshot).encode()
    if after == before:
        click.echo(f"{printable_path(output)} is up to date")
        return 0
    try:
        replace_content(output, before, after)
    except CannotWriteError as error:
        click.echo(f"Nothing was written. {printable(error, 1000)}", err=True)
        return 2
    click.echo(f"refreshed {printable_path(output)}")
    return 0
