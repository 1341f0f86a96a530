"""``gke-tpu snapshot``: write a script that reads what a fleet is like now."""

import pathlib
import shlex

import click

from pulumi_gke_tpu.cli.commands import CommandWithExamples
from pulumi_gke_tpu.cli.options import catalog_option, load_catalog


@click.command(
    "snapshot",
    cls=CommandWithExamples,
    short_help="Write a script that reads the state of a fleet into a folder.",
    examples=("gke-tpu snapshot plan.yaml -o snapshot",),
)
@click.argument("plan", type=click.Path(allow_dash=True), metavar="PLAN")
@click.option(
    "-o", "--output", "folder", type=click.Path(path_type=pathlib.Path), metavar="DIR", required=True,
    help="Folder for the script and its answers.",
)  # fmt: skip
@click.option("--force", is_flag=True, help="Overwrite the script of an earlier run.")
@catalog_option
def command(plan: str, folder: pathlib.Path, force: bool, overlays: tuple[pathlib.Path, ...]) -> int:
    """Write DIR/read.sh, which reads the state of a fleet with gcloud and kubectl, and DIR/role.yaml.

    gke-tpu itself never calls Google Cloud or a cluster. Someone with access runs the script; `gke-tpu status`,
    `gke-tpu doctor` and `gke-tpu inventory` then read the folder without access. The script only reads, and only what
    this plan needs. It never reads Secrets, environment variables of Pods, metadata of nodes, or keys of clusters.
    DIR/role.yaml is a custom IAM role with exactly the permissions that the script needs.
    """
    from pulumi_gke_tpu.cli.files.plan_arguments import read_one_plan
    from pulumi_gke_tpu.cli.files.writing import write_and_name
    from pulumi_gke_tpu.cli.shared import report_errors
    from pulumi_gke_tpu.core.rules import check_plan
    from pulumi_gke_tpu.core.text.findings import printable_path
    from pulumi_gke_tpu.features.status.requests import requests_of
    from pulumi_gke_tpu.features.status.script import snapshot_files

    catalog = load_catalog(overlays)
    checked = check_plan(read_one_plan(plan), catalog)
    if checked.fleet is None or checked.has_errors:
        return report_errors(checked.findings)
    files = snapshot_files(plan, requests_of(checked.fleet, catalog))
    if not write_and_name(folder, files, overwrite=force, may_exist=files):
        return 2
    (folder / "read.sh").chmod(0o755)
    script, at, of = (shlex.quote(printable_path(each)) for each in (folder / "read.sh", folder, plan))
    click.echo(
        f"next, with access to the project and its clusters:\n  bash {script}\n  gke-tpu status {of} --snapshot {at}"
    )
    return 0
