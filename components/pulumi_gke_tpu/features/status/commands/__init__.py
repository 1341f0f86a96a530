"""The commands of this feature, each in a module of its name."""

import pathlib
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.catalog import Catalog
    from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
    from pulumi_gke_tpu.features.status.folder import Snapshot

SECTION = "Kubernetes"
"""The section of the help that lists them."""


def read_both(plan: str, folder: pathlib.Path, catalog: "Catalog") -> "tuple[CheckedPlan, Snapshot | None]":
    """The plan, and the snapshot of its fleet; None if the plan has errors.

    Raises:
        click.UsageError: the folder has no snapshot.
    """
    from pulumi_gke_tpu.cli.files.plan_arguments import read_one_plan
    from pulumi_gke_tpu.core.rules import check_plan
    from pulumi_gke_tpu.core.text.findings import printable, printable_path
    from pulumi_gke_tpu.features.status.folder import NoSnapshotError, read_snapshot
    from pulumi_gke_tpu.features.status.requests import requests_of

    checked = check_plan(read_one_plan(plan), catalog)
    if checked.fleet is None or checked.has_errors:
        return checked, None
    try:
        return checked, read_snapshot(folder, requests_of(checked.fleet, catalog), catalog)
    except NoSnapshotError as error:
        raise click.UsageError(f"{printable_path(folder)}: {printable(error, 1000)}") from None
