"""``gke-tpu manifests``: write the Kubernetes objects of a plan."""

import pathlib
from collections.abc import Collection
from typing import TYPE_CHECKING

import click

from pulumi_gke_tpu.cli.commands import CommandWithExamples
from pulumi_gke_tpu.cli.options import (
    PlanningInputs,
    format_option,
    has_errors,
    plan_argument,
    planning_options,
    show,
    strict_option,
)
from pulumi_gke_tpu.cli.shared import complain
from pulumi_gke_tpu.cli.writers import ShownFindings

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.catalog import Catalog
    from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
    from pulumi_gke_tpu.core.objects import ManifestFile
    from pulumi_gke_tpu.features.workloads.manifests import ClusterManifests

_LONGEST_NAME = 60
_LONGEST_COMMAND = 1000


@click.command(
    "manifests",
    cls=CommandWithExamples,
    short_help="Write the Kubernetes objects of a plan.",
    examples=(
        "gke-tpu manifests plan.yaml -o manifests",
        "gke-tpu manifests plan.yaml --check manifests",
    ),
)
@plan_argument
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=pathlib.Path),
    metavar="DIR",
    help="Folder for the files, one for each concern, and examples.",
)
@click.option(
    "--check",
    "checked_folder",
    type=click.Path(path_type=pathlib.Path),
    metavar="DIR",
    help="Compare the files in DIR with the objects of the plan, and write nothing.",
)
@click.option(
    "--skip-others",
    is_flag=True,
    help="With --check, do nothing if the plan is missing or belongs to another tool, and DIR has no files of gke-tpu.",
)
@click.option("--cluster", "key", metavar="KEY", help="Write only the objects of this cluster of the plan.")
@click.option("--force", is_flag=True, help="Overwrite existing files.")
@strict_option
@format_option("findings")
@planning_options(organization=False)
def command(
    plan: str | None,
    output: pathlib.Path | None,
    checked_folder: pathlib.Path | None,
    skip_others: bool,
    key: str | None,
    force: bool,
    inputs: PlanningInputs,
    strict: bool,
    output_format: str,
) -> int:
    """Write the Kubernetes objects of a plan as YAML: namespaces, priority classes, queues, storage and workloads.

    PLAN is a file, a folder with one plan, or - for standard input; without PLAN, gke-tpu reads plan.yaml or
    gke-tpu.yaml in this folder.

    Without -o, the objects are on standard output: `gke-tpu manifests | kubectl apply -f -`. With -o, each cluster of
    a plan with several clusters has a folder of its own in DIR. The operators and endpoint pickers of the plan are only
    in files: each has a folder with a Kustomization in DIR/operators or DIR/endpoint-pickers, which begins with the
    commands that install it.

    With --check, gke-tpu compares the files that an earlier run wrote to DIR with the plan, prints each object and
    field that differs, and exits with 1 if there are any: in CI, `gke-tpu manifests --check DIR --format github`.

    With -o, gke-tpu also names the files and objects of an earlier run that the plan no longer has, with the commands
    that delete these objects from the cluster.

    If the plan has errors, gke-tpu prints them to stderr and exits with 1. It also prints warnings to stderr.
    """
    _require_fitting_options(checked_folder, output_format, writes=output is not None or force, skip_others=skip_others)
    if checked_folder is not None and skip_others and _is_of_others(plan, checked_folder):
        return 0
    from pulumi_gke_tpu.cli.files.plan_arguments import read_inventory_file, read_one_plan
    from pulumi_gke_tpu.core.workflows.check import check_documents

    document, owned = read_one_plan(plan), read_inventory_file(inputs.inventory)
    checked = check_documents([document], owned, inputs.catalog(), inputs.day)
    if checked.findings:
        complain(checked.findings)
    if has_errors(checked.findings, strict):
        return 1
    from pulumi_gke_tpu.features.workloads.manifests import manifests_of

    every = manifests_of(checked.plans[0])
    clusters = _chosen(every, key)
    if checked_folder is not None:
        return _compare(checked.plans[0], clusters, checked_folder, output_format)
    if not clusters:
        click.echo("No Kubernetes objects: no cluster has `kubernetes`, and no slice group has `fallback`.", err=True)
    for note in dict.fromkeys(note for item in clusters for note in item.notes):
        click.echo(f"note: {note}", err=True)
    if output is not None:
        return _write(clusters, every, output, checked.plans[0].catalog, force=force)
    return _print(clusters) if clusters else 0


def _require_fitting_options(
    checked_folder: pathlib.Path | None, output_format: str, *, writes: bool, skip_others: bool
) -> None:
    if checked_folder is None:
        if output_format != "text" or skip_others:
            option = "--skip-others" if skip_others else "--format"
            raise click.UsageError(f"{option} requires --check; the objects themselves are YAML.")
    elif writes:
        raise click.UsageError("--check writes no files; omit -o and --force.")
    elif not skip_others and not checked_folder.is_dir():
        raise _no_folder(checked_folder)


def _is_of_others(plan: str | None, folder: pathlib.Path) -> bool:
    """Whether there is no plan of gke-tpu, and a folder has nothing that it wrote."""
    from pulumi_gke_tpu.cli.files.plan_arguments import has_own_plan
    from pulumi_gke_tpu.features.workloads.text import NAMES_TO_APPLY

    if has_own_plan(plan):
        return False
    places = _places(folder) if folder.is_dir() else ()
    return not any(_is_generated(folder / place / name) for place in places for name in NAMES_TO_APPLY)


def _no_folder(folder: pathlib.Path) -> click.UsageError:
    from pulumi_gke_tpu.core.text.findings import printable_path

    name = printable_path(folder)
    return click.UsageError(f"No folder {name}: write the objects of the plan with `gke-tpu manifests -o {name}`.")


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
    if clusters[0].operators:
        click.echo(
            "note: the operators are not in this stream; write files with -o DIR, and install them first", err=True
        )
    if clusters[0].pickers:
        click.echo(
            "note: the endpoint pickers are not in this stream; write files with -o DIR, and install them afterwards",
            err=True,
        )
    return 0


def _compare(
    checked: "CheckedPlan", clusters: "tuple[ClusterManifests, ...]", folder: pathlib.Path, output_format: str
) -> int:
    """Compare the files of each cluster, and of folders without a cluster, with what the plan renders."""
    from pulumi_gke_tpu.cli.files.manifest_files import manifest_files_below
    from pulumi_gke_tpu.features.workloads.rendered import compare_files

    if not folder.is_dir():
        if clusters:
            raise _no_folder(folder)
        return 0

    expected = {folder / item.cluster if len(clusters) > 1 else folder: item.rendered for item in clusters}
    files: dict[pathlib.Path, list[ManifestFile]] = {place: [] for place in (*expected, folder)}
    for file in manifest_files_below(folder):
        place = next(place for place in files if pathlib.Path(file.name).is_relative_to(place))
        files[place].append(file)
    findings = tuple(
        finding
        for place, found in files.items()
        for finding in compare_files(checked.document, expected.get(place, ()), found, checked.catalog)
    )
    show(output_format, findings=lambda: ShownFindings(findings))
    if findings:
        click.echo("To write the objects of the plan, run `gke-tpu manifests` with -o and --force.", err=True)
    return 1 if findings else 0


def _write(
    clusters: "tuple[ClusterManifests, ...]",
    every: "tuple[ClusterManifests, ...]",
    folder: pathlib.Path,
    catalog: "Catalog",
    *,
    force: bool,
) -> int:
    """Write the files of clusters, and name what an earlier run wrote and the plan no longer has in any of them."""
    from pulumi_gke_tpu.cli.files.writing import write_and_name
    from pulumi_gke_tpu.features.workloads.text import files_of

    files = files_of(clusters)
    before = _generated_files(folder) if folder.is_dir() else []
    if files and not write_and_name(folder, files, overwrite=force, may_exist=files):
        return 2
    if folder.is_dir():
        _name_deletions(before, every)
        _name_unwritten(folder, files, catalog)
    return 0


def _generated_files(folder: pathlib.Path) -> "list[ManifestFile]":
    """The files of objects that an earlier run wrote, which ``kubectl apply`` reads."""
    from pulumi_gke_tpu.cli.files.manifest_files import manifest_files_below
    from pulumi_gke_tpu.features.workloads.text import HEADER, NAMES_TO_APPLY

    names = {folder / place / name for place in _places(folder) for name in NAMES_TO_APPLY}
    files = (file for file in manifest_files_below(folder) if pathlib.Path(file.name) in names)
    return [file for file in files if file.content.startswith(HEADER.encode())]


def _places(folder: pathlib.Path) -> tuple[str, ...]:
    """The folders that can contain the files of a cluster, below a folder."""
    return ("", *(f"{place.name}/" for place in sorted(folder.iterdir()) if place.is_dir()))


def _name_deletions(before: "list[ManifestFile]", clusters: "tuple[ClusterManifests, ...]") -> None:
    """Name the commands that delete objects of an earlier run from the cluster: applying the new files does not."""
    from pulumi_gke_tpu.core.kinds.manifest import delete_command
    from pulumi_gke_tpu.core.text.findings import printable
    from pulumi_gke_tpu.features.workloads.rendered import no_longer_rendered

    gone = no_longer_rendered(before, (item for cluster in clusters for item in cluster.rendered))
    every = (delete_command(item.kind, item.name, item.namespace, item.group) for item in gone)
    commands = tuple(filter(None, every))
    if commands:
        click.echo("The plan no longer has these objects. They stay in the cluster until you delete them:", err=True)
        for command in commands:
            click.echo(f"  {printable(command, _LONGEST_COMMAND)}", err=True)


def _name_unwritten(folder: pathlib.Path, files: Collection[str], catalog: "Catalog") -> None:
    """Name files of an earlier run that this run does not write, because GitOps reads them."""
    from pulumi_gke_tpu.core.text.findings import printable_path
    from pulumi_gke_tpu.features.workloads.text import FILE_NAMES, PICKERS, operator_file_names

    places = _places(folder)
    written_before = [f"{place}{name}" for place in places for name in (*FILE_NAMES, *operator_file_names(catalog))]
    for place in places:
        found = (folder / place / PICKERS).glob("*/*.yaml")
        written_before += (file.relative_to(folder).as_posix() for file in sorted(found))
    for name in written_before:
        if name not in files and _is_generated(folder / name):
            click.echo(f"{printable_path(folder / name)}: no object of the plan; delete the file", err=True)


def _is_generated(file: pathlib.Path) -> bool:
    """Whether an earlier run wrote a file, perhaps for another number of clusters."""
    from pulumi_gke_tpu.features.workloads.text import HEADER

    try:
        with file.open("rb") as opened:
            return opened.read(len(HEADER)) == HEADER.encode()
    except OSError:
        return False
