"""``gke-tpu manifests``: write the Kubernetes objects of a plan."""

import pathlib
from typing import TYPE_CHECKING

import click

from pulumi_gke_tpu.cli.options import PlanningInputs, has_errors, plan_argument, planning_options, strict_option
from pulumi_gke_tpu.cli.shared import complain

if TYPE_CHECKING:
    from pulumi_gke_tpu.features.workloads.manifests import ClusterManifests

_LONGEST_NAME = 60


@click.command("manifests", short_help="Write the Kubernetes objects of a plan.")
@plan_argument
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=pathlib.Path),
    metavar="DIR",
    help="Write files to DIR, one for each concern, and examples.",
)
@click.option("--cluster", "key", metavar="KEY", help="Only the objects of this cluster of the plan.")
@click.option("--force", is_flag=True, help="Overwrite existing files.")
@strict_option
@planning_options(organization=False)
def command(
    plan: str | None,
    output: pathlib.Path | None,
    key: str | None,
    force: bool,
    inputs: PlanningInputs,
    strict: bool,
) -> int:
    """Write the Kubernetes objects of a plan as YAML: namespaces, priority classes, queues, storage and workloads.

    PLAN is a file, a folder with one plan, or - for standard input; without PLAN, gke-tpu reads plan.yaml in this
    folder.

    Without -o, the objects are on standard output: `gke-tpu manifests | kubectl apply -f -`. With -o, each cluster of
    a plan with several clusters has a folder of its own in DIR.

    If the plan has errors, gke-tpu prints them to stderr and exits with 1. It also prints warnings to stderr.
    """
    from pulumi_gke_tpu.cli.files.plan_arguments import read_inventory_file, read_one_plan
    from pulumi_gke_tpu.core.workflows.check import check_documents

    document, owned = read_one_plan(plan), read_inventory_file(inputs.inventory)
    checked = check_documents([document], owned, inputs.catalog(), inputs.day)
    if checked.findings:
        complain(checked.findings)
    if has_errors(checked.findings, strict):
        return 1
    from pulumi_gke_tpu.features.workloads.manifests import manifests_of

    clusters = _chosen(manifests_of(checked.plans[0]), key)
    if not clusters:
        click.echo("No Kubernetes objects: no cluster has `kubernetes`, and no slice group has `fallback`.", err=True)
        return 0
    for note in dict.fromkeys(note for item in clusters for note in item.notes):
        click.echo(f"note: {note}", err=True)
    return _print(clusters) if output is None else _write(clusters, output, force=force)


def _chosen(clusters: "tuple[ClusterManifests, ...]", key: str | None) -> "tuple[ClusterManifests, ...]":
    if key is None or not clusters:
        return clusters
    chosen = tuple(item for item in clusters if item.cluster == key)
    if not chosen:
        from pulumi_gke_tpu.core.text.findings import printable

        known = ", ".join(printable(item.cluster) for item in clusters)
        raise click.UsageError(
            f"Cluster {printable(key, _LONGEST_NAME)} has no Kubernetes objects. Use one of: {known}."
        )
    return chosen


def _print(clusters: "tuple[ClusterManifests, ...]") -> int:
    from pulumi_gke_tpu.features.workloads.text import manifest_stream

    if len(clusters) > 1:
        from pulumi_gke_tpu.core.text.findings import printable

        known = ", ".join(printable(item.cluster) for item in clusters)
        raise click.UsageError(
            f"Several clusters have Kubernetes objects: {known}. Select one with --cluster, or write files with -o DIR."
        )
    click.echo(manifest_stream(clusters[0].manifests).rstrip("\n"))
    return 0


def _write(clusters: "tuple[ClusterManifests, ...]", folder: pathlib.Path, *, force: bool) -> int:
    """Write the files. Files of an earlier run that this run does not write are reported, because GitOps reads them."""
    from pulumi_gke_tpu.cli.files.writing import CannotWriteError, write_files
    from pulumi_gke_tpu.core.text.findings import printable, printable_path
    from pulumi_gke_tpu.features.workloads.text import FILE_NAMES, manifest_files

    files: dict[str, str] = {}
    possible: list[str] = []
    for item in clusters:
        below = f"{item.cluster}/" if len(clusters) > 1 else ""
        files |= {f"{below}{name}": text for name, text in manifest_files(item.manifests).items()}
        possible += [f"{below}{name}" for name in FILE_NAMES]
    try:
        written = write_files(folder, files, overwrite=force, may_exist=files)
    except CannotWriteError as error:
        click.echo(f"Nothing was written. {printable(error, 1000)}", err=True)
        return 2
    for name in written:
        click.echo(f"wrote {printable_path(folder / name)}")
    for name in possible:
        if name not in files and (folder / name).is_file():
            click.echo(f"{printable_path(folder / name)}: no object of the plan; delete the file", err=True)
    return 0
