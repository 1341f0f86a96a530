"""``gke-tpu adopt``: write the plan of what exists, and the file with which Pulumi imports it."""

import pathlib
import shlex
from typing import TYPE_CHECKING

import click

from pulumi_gke_tpu.cli.commands import CommandWithExamples
from pulumi_gke_tpu.cli.options import catalog_option, format_option, load_catalog, show

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pulumi_gke_tpu.core.catalog import Catalog
    from pulumi_gke_tpu.core.objects import KubernetesObject
    from pulumi_gke_tpu.core.resources.model import RawResource
    from pulumi_gke_tpu.core.text.document.model import Page
    from pulumi_gke_tpu.features.adopt.adoption import Adoption
    from pulumi_gke_tpu.features.adopt.objects.fleet import ClusterOfObjects


@click.command(
    "adopt",
    cls=CommandWithExamples,
    short_help="Write the plan of clusters and node pools that exist, without changing them.",
    examples=(
        "gke-tpu adopt clusters.json -o my-stack",
        "gke-tpu adopt clusters.json --check my-stack/plan.yaml",
        "gke-tpu adopt --from xpk create.sh -o training",
    ),
)
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...", type=click.Path(allow_dash=True))
@click.option(
    "-o",
    "--output",
    "folder",
    type=click.Path(path_type=pathlib.Path),
    metavar="DIR",
    help="Folder for the plan, the program and the import file.",
)
@click.option(
    "--stack",
    default="dev",
    show_default=True,
    metavar="NAME",
    help="Name of the Pulumi stack that imports the resources.",
)
@click.option("--check", "plan", type=click.Path(), metavar="PLAN", help="Compare with this plan and write nothing.")
@click.option("--force", is_flag=True, help="Overwrite existing files.")
@click.option(
    "--with-commands",
    "commands",
    is_flag=True,
    help="Also adopt workloads with commands, arguments or environment variables, which can hold secrets.",
)
@click.option(
    "--slices-only", is_flag=True, help="Adopt TPU node pools only. The clusters stay with the tool that manages them."
)
@click.option(
    "--from",
    "tool",
    type=click.Choice(["gcloud", "xpk", "gcluster"]),
    help="Tool whose commands SOURCE has; with gcluster, SOURCE is a blueprint.",
)
@click.option("--project", default="", metavar="PROJECT", help="With --from, project of commands without --project.")
@click.option("--zone", default="", metavar="ZONE", help="With --from, zone of commands without --zone.")
@catalog_option
@format_option("page", "data")
def command(
    sources: tuple[str, ...],
    folder: pathlib.Path | None,
    stack: str,
    plan: str | None,
    force: bool,
    commands: bool,
    slices_only: bool,
    tool: str | None,
    project: str,
    zone: str,
    overlays: tuple[pathlib.Path, ...],
    output_format: str,
) -> int:
    """Write a plan that describes clusters and node pools as they are, and an import file for Pulumi.

    SOURCE is a file, a folder, or - for standard input, with the output of `gcloud container clusters describe
    --format=json` (also of `list`, and of `node-pools`), `terraform show -json`, or `pulumi stack export`. Beside
    these, it can have Kubernetes objects, as `kubectl get -o yaml` writes them: those that the plan can render
    unchanged become entries of its key `kubernetes`.

    gke-tpu first compares the plan with the clusters and node pools, property by property. It does not
    adopt what the plan would change, and shows the reason. A cluster that is not adopted, and with --slices-only every
    cluster, stays with the tool that manages it, and the plan names it with `existing`.

    With --from, SOURCE is a script with commands such as `gcloud container node-pools create` or `xpk cluster create`,
    or a blueprint of gcluster, and the output shows which key each option became. gke-tpu does not run the script.

    The exit code is 1 if nothing can be adopted, with --check if the node pools or objects differ from the plan, and
    with --from if the plan has errors.
    """
    if tool is None and (project or zone):
        raise click.UsageError("--project and --zone are for --from.")
    if commands and (tool is not None or plan is not None):
        raise click.UsageError("--with-commands is for -o DIR without --from.")
    if tool is not None and slices_only:
        raise click.UsageError("--slices-only does not go with --from.")
    if tool is not None:
        return _translate(tool, sources, folder, plan, force, project, zone, overlays, output_format)
    if (folder is None) == (plan is None):
        raise click.UsageError("State either -o DIR or --check PLAN.")
    if slices_only and plan is not None:
        raise click.UsageError("--slices-only does not go with --check: the plan says which clusters it has.")
    catalog = load_catalog(overlays)
    from pulumi_gke_tpu.cli.files.resource_files import read_resources_and_objects

    resources, objects = read_resources_and_objects(sources, catalog)
    if plan is not None:
        return _compare(resources, objects, plan, catalog, output_format)
    assert folder is not None
    return _write(resources, objects, folder, stack, force, commands, slices_only, catalog, output_format)


def _translate(
    tool: str,
    sources: tuple[str, ...],
    folder: pathlib.Path | None,
    plan: str | None,
    force: bool,
    project: str,
    zone: str,
    overlays: tuple[pathlib.Path, ...],
    output_format: str,
) -> int:
    from pulumi_gke_tpu.cli.files.plan_files import read_input
    from pulumi_gke_tpu.cli.files.writing import write_and_name
    from pulumi_gke_tpu.core.text.findings import printable_path
    from pulumi_gke_tpu.core.text.shell import LARGEST
    from pulumi_gke_tpu.features.adopt.command_lines.page import problem_lines, translation_data, translation_page
    from pulumi_gke_tpu.features.adopt.command_lines.translation import translated
    from pulumi_gke_tpu.features.adopt.files import translated_files

    if plan is not None or folder is None:
        raise click.UsageError("--from requires -o DIR, and does not go with --check.")
    files = []
    for source in sources:
        shown = "<stdin>" if source == "-" else printable_path(source)
        content = read_input(source, LARGEST + 1)
        if len(content) > LARGEST:
            raise click.UsageError(f"{shown} exceeds the limit of {LARGEST // 1_000_000} MB.")
        files.append((shown, content.decode("utf-8", "replace")))
    catalog = load_catalog(overlays)
    result = translated(tool, files, catalog, project=project, zone=zone)
    if result.translation.problems:
        for line in problem_lines(result.translation.problems):
            click.echo(f"error: {line}", err=True)
        click.echo("Nothing was written.", err=True)
        return 2
    written = translated_files(result.translation.plan, catalog)
    if not write_and_name(folder, written, overwrite=force, may_exist=written, quiet=True):
        return 2
    commands = [f"gke-tpu validate {shlex.quote(printable_path(folder))}"]
    rows, findings = result.translation.rows, result.findings
    show(
        output_format,
        page=lambda: translation_page(rows, findings, commands),
        data=lambda: translation_data(rows, findings),
    )
    return 1 if result.has_errors else 0


def _write(
    resources: "list[RawResource]",
    objects: "tuple[KubernetesObject, ...]",
    folder: pathlib.Path,
    stack: str,
    force: bool,
    with_commands: bool,
    slices_only: bool,
    catalog: "Catalog",
    output_format: str,
) -> int:
    from pulumi_gke_tpu.cli.files.writing import write_and_name
    from pulumi_gke_tpu.core.graph.resource_types import NODE_POOL
    from pulumi_gke_tpu.features.adopt.adoption import adopt_fleets
    from pulumi_gke_tpu.features.adopt.files import files_of
    from pulumi_gke_tpu.features.adopt.objects.fleet import adopt_objects

    found = adopt_fleets(resources, catalog, slices_only=slices_only)
    adoptions, clusters = adopt_objects(found, objects, catalog, commands=with_commands)
    usable = [item for item in adoptions if item.graph is not None]
    files: dict[str, str] = {}
    for item in usable:
        below = f"{item.project}/" if len(usable) > 1 else ""
        files |= {f"{below}{name}": text for name, text in files_of(item, catalog, stack).items()}
    if not write_and_name(folder, files, overwrite=force, may_exist=files, quiet=True):
        return 2

    def page() -> "Page":
        from pulumi_gke_tpu.features.adopt.output.document import adoption_page

        return adoption_page(adoptions, _next_commands(folder, stack, usable, clusters), clusters)

    def data() -> dict[str, object]:
        from pulumi_gke_tpu.features.adopt.output.json import adoption_json

        return adoption_json(adoptions, clusters, files)

    show(output_format, page=page, data=data)
    if not usable and any(each.type == NODE_POOL and each.existing is None for each in resources):
        click.echo(
            "The plan creates node pools. Apply it first, and adopt what `terraform show -json` then writes.", err=True
        )
    return 0 if usable else 1


def _next_commands(
    folder: pathlib.Path, stack: str, adoptions: "Sequence[Adoption]", clusters: "Sequence[ClusterOfObjects]"
) -> list[str]:
    """The commands that import what was written: in its folder, or in the folder of each project."""
    from pulumi_gke_tpu.core.text.findings import printable_path

    several, stack = len(adoptions) > 1, shlex.quote(stack)
    commands = [] if several or not adoptions else [f"cd {shlex.quote(printable_path(folder))}"]
    for item in adoptions:
        place = folder / item.project if several else pathlib.Path()
        pulumi = f"pulumi -C {shlex.quote(printable_path(place))}" if several else "pulumi"
        commands += [
            f"{pulumi} stack init {stack}",
            f"{pulumi} import --stack {stack} --file import.json --protect=true --generate-code=false",
            f"{pulumi} preview --stack {stack}",
        ]
        commands += [
            f"gke-tpu manifests {shlex.quote(printable_path(place / 'plan.yaml'))} --cluster {shlex.quote(each.key)}"
            " | kubectl apply --server-side -f -"
            for each in clusters
            if each.adopted and each.project == item.project
        ]
    return commands


def _compare(
    resources: "list[RawResource]",
    objects: "tuple[KubernetesObject, ...]",
    plan: str,
    catalog: "Catalog",
    output_format: str,
) -> int:
    from pulumi_gke_tpu.cli.files.plan_arguments import read_one_plan
    from pulumi_gke_tpu.cli.shared import report_errors
    from pulumi_gke_tpu.core.rules import check_plan
    from pulumi_gke_tpu.features.adopt.comparison import compare_with_plan
    from pulumi_gke_tpu.features.adopt.objects.check import compare_objects

    checked = check_plan(read_one_plan(plan), catalog)
    if checked.fleet is None or checked.has_errors:
        return report_errors(checked.findings)
    compared = compare_with_plan(resources, checked)
    of_clusters = compare_objects(objects, checked) if objects else None

    def page() -> "Page":
        from pulumi_gke_tpu.features.adopt.output.document import comparison_page

        return comparison_page(compared, of_clusters)

    def data() -> dict[str, object]:
        from pulumi_gke_tpu.features.adopt.output.json import drift_json

        return drift_json(compared, of_clusters)

    show(output_format, page=page, data=data)
    return 1 if compared.differs or (of_clusters is not None and of_clusters.differs) else 0
