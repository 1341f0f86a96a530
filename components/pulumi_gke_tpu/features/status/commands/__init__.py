"""The commands of this feature, each in a module of its name."""

import contextlib
import pathlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import click

from pulumi_gke_tpu.cli.options import show

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.catalog import Catalog
    from pulumi_gke_tpu.core.fleet import Fleet
    from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
    from pulumi_gke_tpu.core.text.document.model import Page
    from pulumi_gke_tpu.features.status.folder import Snapshot
    from pulumi_gke_tpu.features.status.model import Diagnosed, FleetStatus

SECTION = "Operate"
"""The section of the help that lists them."""
NOT_ALL_READ = 4
"""The exit code if nothing is wrong in what was read, and something was not read."""

snapshot_option = click.option(
    "--snapshot", "folder", type=click.Path(path_type=pathlib.Path), metavar="DIR", required=True,
    help="Folder of `gke-tpu snapshot`, after its script ran.",
)  # fmt: skip


def read_both(plan: str, folder: pathlib.Path, catalog: "Catalog") -> "tuple[CheckedPlan, Snapshot | None]":
    """The plan, and the snapshot of its fleet; None if the plan has errors.

    Raises:
        click.UsageError: the folder has no snapshot.
    """
    from pulumi_gke_tpu.cli.files.plan_arguments import read_one_plan
    from pulumi_gke_tpu.core.rules import check_plan

    checked = check_plan(read_one_plan(plan), catalog)
    if checked.fleet is None or checked.has_errors:
        return checked, None
    return checked, snapshot_of(checked.fleet, folder, catalog)


def snapshot_of(fleet: "Fleet", folder: pathlib.Path, catalog: "Catalog") -> "Snapshot":
    """The snapshot of a fleet.

    Raises:
        click.UsageError: the folder has no snapshot.
    """
    from pulumi_gke_tpu.features.status.folder import read_snapshot
    from pulumi_gke_tpu.features.status.requests import requests_of

    with needs_snapshot(folder):
        return read_snapshot(folder, requests_of(fleet, catalog), catalog)


@contextlib.contextmanager
def needs_snapshot(folder: pathlib.Path) -> Iterator[None]:
    """Turn a folder without a snapshot into a usage error."""
    from pulumi_gke_tpu.core.text.findings import printable, printable_path
    from pulumi_gke_tpu.features.status.folder import NoSnapshotError

    try:
        yield
    except NoSnapshotError as error:
        raise click.UsageError(f"{printable_path(folder)}: {printable(error, 1000)}") from None


def written(found: "FleetStatus | Diagnosed", output_format: str, page: "Callable[[], Page]") -> int:
    """Write what a snapshot shows, and give the exit code."""

    def data() -> dict[str, Any]:
        from pulumi_gke_tpu.features.status.output.json import status_json

        return status_json(found)

    show(output_format, page=page, data=data)
    return 1 if found.is_wrong else NOT_ALL_READ if found.not_read else 0
