"""``gke-tpu init``: write a first plan and a stack for it."""

import pathlib
import re
import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import click

from pulumi_gke_tpu.cli.commands import CommandWithExamples
from pulumi_gke_tpu.cli.options import catalog_option, clock, load_catalog
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.catalog import Catalog
    from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
    from pulumi_gke_tpu.core.text.findings import Finding

_STACK = lazy_pattern(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,99}\Z", re.ASCII)


@click.command(
    "init",
    cls=CommandWithExamples,
    short_help="Create a commented starter plan and a Pulumi program.",
    examples=(
        "gke-tpu init my-stack",
        "gke-tpu init training --mode standard --tpu v6e --topology 4x4 --with-workload",
    ),
)
@click.argument("directory", default=".", type=click.Path(path_type=pathlib.Path))
@click.option("--project", default="my-project", show_default=True, metavar="PROJECT", help="Google Cloud project ID.")
@click.option(
    "--mode",
    type=click.Choice(["standard", "autopilot"]),
    show_default="autopilot, or standard if LOCATION is a zone",
    help="Cluster mode.",
)
@click.option("--location", metavar="LOCATION", help="Region or zone of the cluster.")
@click.option("--tpu", metavar="GENERATION", help="TPU generation, such as v5e.")
@click.option("--topology", metavar="TOPOLOGY", help="Topology of a slice, such as 2x2.")
@click.option(
    "--stack", metavar="NAME", help="Write the plan to a folder with this name, so that you can add more stacks."
)
@click.option("--with-workload", "workload", is_flag=True, help="Add a first job, which prints the number of chips.")
@click.option("--force", is_flag=True, help="Overwrite existing files.")
@catalog_option
def command(
    directory: pathlib.Path,
    project: str,
    mode: Literal["standard", "autopilot"],
    location: str | None,
    tpu: str | None,
    topology: str | None,
    stack: str | None,
    workload: bool,
    force: bool,
    overlays: tuple[pathlib.Path, ...],
) -> int:
    """Create a plan, a Pulumi program and a schema for editors in DIRECTORY.

    plan.yaml contains further options as comments.

    gke-tpu checks the plan first. If the check has findings, gke-tpu writes nothing and exits with 1.
    """
    from pulumi_gke_tpu.cli.files.writing import write_and_name
    from pulumi_gke_tpu.core.catalog.naming import resolve, stated
    from pulumi_gke_tpu.core.plan.schema import plan_schema
    from pulumi_gke_tpu.core.text.findings import printable_path, quoted
    from pulumi_gke_tpu.core.text.jsonfile.parsing import json_text
    from pulumi_gke_tpu.features.plan.requirement import direct_url, names_a_commit, requirements_text
    from pulumi_gke_tpu.features.plan.starter import (
        SCHEMA_FILE,
        choose_starter,
        plan_text,
        program_text,
        project_text,
    )

    if stack is not None and not _STACK.match(stack):
        raise click.UsageError("Invalid --stack: use letters, digits, hyphens, underscores and periods.")
    catalog = load_catalog(overlays)
    name = resolve(catalog, tpu) if tpu else None
    if tpu and name and name.kind == "slice" and name.topology and topology in (None, str(name.topology)):
        options = f"--tpu {name.generation} --topology {name.topology}"
        raise click.UsageError(f"--tpu: {stated(catalog, name, quoted(tpu), 'a generation')}. Use {options}.")
    tpu = name.generation if name and name.kind == "generation" else tpu
    starter = choose_starter(
        catalog,
        project=project,
        mode=mode,
        location=location,
        tpu=tpu,
        topology=topology,
        stack=stack,
        workload=workload,
    )
    plan_file = f"{stack}/plan.yaml" if stack else "plan.yaml"
    shown = shlex.quote(printable_path(directory / plan_file))
    text = plan_text(starter, plan_file)
    checked = _check(text, plan_file, catalog)
    if checked.findings:
        from pulumi_gke_tpu.cli.shared import complain

        chosen = [name for name, value in (("--tpu", tpu), ("--topology", topology), ("--location", location)) if value]
        complain(tuple(_about_an_option(finding, chosen) for finding in checked.findings))
        click.echo("Nothing was written.", err=True)
        return 1
    requirements = requirements_text(direct_url())
    schema = json_text(plan_schema(catalog)) + "\n"
    shared = {"__main__.py": program_text(stack), "requirements.txt": requirements, SCHEMA_FILE: schema}
    files = {plan_file: text, **shared}
    if not (directory / "Pulumi.yaml").exists():
        files["Pulumi.yaml"] = project_text(project)
    if not write_and_name(directory, files, overwrite=force, may_exist=shared):
        return 2
    if not names_a_commit(requirements):
        click.echo("Edit requirements.txt before other people use it: it does not name a commit of gke-tpu.")
    click.echo(f"next:\n  gke-tpu validate {shown}\n  gke-tpu preview {shown}")
    if workload:
        click.echo(_first_job(checked, shown))
    return 0


_OPTIONS = {
    "location": "--location",
    "mode": "--mode",
    "project": "--project",
    "topology": "--topology",
    "tpu": "--tpu",
    "zone": "--location",
}
"""Key of the plan -> option that sets it."""


def _about_an_option(finding: "Finding", chosen: Sequence[str]) -> "Finding":
    """A finding about the option that sets a key: the file with the key is not written.

    ``chosen`` are the options about the slice that are given; gke-tpu chooses the values of the others to fit.
    """
    import dataclasses

    from pulumi_gke_tpu.core.text.findings import SetKeys, Verbatim

    option = _OPTIONS.get(str(finding.path[-1]) if finding.path else "", "")
    if chosen and option in ("--tpu", "--topology", "--location") and option not in chosen:
        option = chosen[0]
    message = f"{option}: {finding.message}" if option else finding.message
    entry = finding.change.single if isinstance(finding.change, SetKeys) else None
    sets = _OPTIONS.get(entry.key) if entry is not None else None
    change = Verbatim(f"{sets} {entry.value}") if entry is not None and sets and entry.value else None
    return dataclasses.replace(finding, message=message, change=change, given="", position=None, path=())


def _first_job(checked: "CheckedPlan", shown: str) -> str:
    """How to start the job of the plan, when its cluster exists."""
    from pulumi_gke_tpu.core.kubernetes.fleet import manifests

    clusters = checked.fleet.clusters if checked.fleet else ()
    every = [item for cluster in clusters for item in manifests(cluster, checked.catalog)]
    job = [item for item in every if item.concern == "workloads"][-1]  # after its Service, if it has one
    kind, group = job.kind.lower(), job.object["apiVersion"].partition("/")[0]
    built_in = group == "batch"
    operator = "" if built_in else f"\n  kubectl get crd {kind}s.{group}  # exists if the operator is installed"
    return (
        "after `pulumi up`, with kubectl configured by a command of `pulumi stack output kubeconfig_commands`:"
        f"{operator}\n"
        f"  gke-tpu manifests {shown} | kubectl apply --server-side -f -\n"
        f"  kubectl get {kind}/{job.name} --watch"
    )


def _check(text: str, name: str, catalog: "Catalog") -> "CheckedPlan":
    """The plan before it is written, with its findings."""
    from pulumi_gke_tpu.core.plan import read_plan_content
    from pulumi_gke_tpu.core.rules import check_plan

    return check_plan(read_plan_content(text.encode(errors="replace"), name), catalog, clock(None))
