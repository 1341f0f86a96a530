"""``gke-tpu export``: write the resources of a plan in the language of another tool."""

import pathlib
from typing import TYPE_CHECKING

import click

from pulumi_gke_tpu.cli.commands import CommandWithExamples
from pulumi_gke_tpu.cli.options import (
    PlanningInputs,
    fleets_argument,
    has_errors,
    planning_options,
    project_option,
    strict_option,
)
from pulumi_gke_tpu.cli.shared import complain

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.catalog import Catalog
    from pulumi_gke_tpu.features.export.terraform.imports import Existing

TARGETS = ("terraform", "rego", "alerts")
"""The languages."""


@click.command(
    "export",
    cls=CommandWithExamples,
    short_help="Write a Terraform module, alerts, or a policy for OPA.",
    examples=(
        "gke-tpu export terraform plan.yaml -o module",
        "gke-tpu export alerts plan.yaml -o alerts",
        "gke-tpu export rego -o policy",
    ),
)
@click.argument("target", metavar="terraform|rego|alerts", type=click.Choice(TARGETS))
@fleets_argument
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=pathlib.Path),
    metavar="DIR",
    required=True,
    help="Folder for the files.",
)
@click.option("--json", "as_json", is_flag=True, help="Write main.tf.json instead of HCL.")
@click.option(
    "--module", "as_module", is_flag=True, help="Write a module for other modules to call, with variables and defaults."
)
@click.option("--standalone", is_flag=True, help="Also write the configuration of the provider.")
@click.option(
    "--import", "importing", is_flag=True, help="Also write import blocks for all resources, which exist already."
)
@click.option(
    "--existing",
    "sources",
    multiple=True,
    type=click.Path(allow_dash=True),
    metavar="SOURCE",
    help="Also write import blocks for what this file has: an output of gcloud, Terraform or Pulumi; may be repeated.",
)
@click.option(
    "--data-sources",
    is_flag=True,
    help="Read existing clusters and networks with data sources; `terraform plan` then needs their APIs.",
)
@click.option("--force", is_flag=True, help="Overwrite files of an earlier run that were not edited.")
@project_option
@strict_option
@planning_options()
def command(
    target: str,
    plans: tuple[str, ...],
    output: pathlib.Path,
    as_json: bool,
    as_module: bool,
    standalone: bool,
    data_sources: bool,
    importing: bool,
    sources: tuple[str, ...],
    force: bool,
    project: str | None,
    inputs: PlanningInputs,
    strict: bool,
) -> int:
    """Write the resources of a plan for Terraform, alerts about its slices, or a policy for OPA.

    `gke-tpu export terraform PLAN -o DIR` writes a module for Terraform and OpenTofu, with the same properties as with
    Pulumi. The Kubernetes objects of the plan are YAML files in DIR/manifests.

    With --existing, SOURCE is a file or a folder as `gke-tpu adopt` reads it. gke-tpu writes import blocks for the
    resources in SOURCE, and lists those that Terraform will create.

    The same plan gives the same files. --force overwrites files that an earlier run wrote; files that were edited stay,
    and gke-tpu then writes nothing and exits with 2.

    If the plan has errors, gke-tpu prints them to stderr and exits with 1. It also prints warnings to stderr.

    `gke-tpu export alerts PLAN -o DIR` writes rules of Prometheus, and policies of Cloud Monitoring with the same
    queries, for each slice group and queue. Of the options, it accepts only -o, --force, and those about the plan.

    `gke-tpu export rego -o DIR` writes the facts as JSON, and a policy for plans of Terraform that conftest and OPA
    evaluate. It accepts no PLAN, and of the options only -o, --force and --catalog.
    """
    of_terraform = (as_json, as_module, standalone, importing, data_sources, sources, project)
    if target == "rego":
        return _rego((plans, strict, *of_terraform), output, inputs, force=force)
    if target == "alerts":
        if any(of_terraform):
            raise click.UsageError("`export alerts` takes no options of `export terraform`.")
        return _alerts(plans, output, inputs, force=force, strict=strict)
    problem = _conflict(
        plans, sources, as_module=as_module, in_root=standalone or importing or data_sources, importing=importing
    )
    if problem:
        raise click.UsageError(problem)
    from pulumi_gke_tpu.cli.files.described_plans import read_one_fleet
    from pulumi_gke_tpu.cli.files.plan_arguments import read_inventory_file, read_organization_file
    from pulumi_gke_tpu.core.workflows.check import check_documents

    catalog = inputs.catalog()
    document, owned = read_one_fleet(plans, catalog, project=project), read_inventory_file(inputs.inventory)
    standards = read_organization_file(inputs.organization)
    checked = check_documents([document], owned, catalog, inputs.day, standards)
    if checked.findings:
        complain(checked.findings)
    if has_errors(checked.findings, strict):
        return 1
    from pulumi_gke_tpu.core.text.findings import printable
    from pulumi_gke_tpu.features.export.manifests import manifest_files_of
    from pulumi_gke_tpu.features.export.terraform.module import Wanted, import_notes, module_files

    plan_of, fleet = checked.plans[0], checked.plans[0].fleet
    assert fleet is not None
    assert document.yaml is not None
    existing = _existing(sources, plan_of.catalog) if sources else None
    wanted = Wanted(
        json=as_json,
        standalone=standalone,
        importing=importing or bool(sources),
        existing=existing,
        as_module=as_module,
        data_sources=data_sources,
    )
    files = module_files(fleet, document.yaml.data, plan_of.catalog, wanted)
    files |= manifest_files_of(plan_of)
    status = _write(output, files, force=force)
    if status == 0:
        _name_obsolete(output, files)
    if existing is not None and status == 0:
        for note in import_notes(fleet, document.yaml.data, plan_of.catalog, existing):
            click.echo(printable(note, 1000), err=True)
    return status


def _rego(given: tuple[object, ...], output: pathlib.Path, inputs: PlanningInputs, *, force: bool) -> int:
    if any((*given, inputs.inventory, inputs.organization)):
        raise click.UsageError("`export rego` takes no PLAN, and only the options -o, --force and --catalog.")
    from pulumi_gke_tpu.features.export.rego.files import policy_files

    return _write(output, policy_files(inputs.catalog()), force=force)


def _alerts(plans: tuple[str, ...], output: pathlib.Path, inputs: PlanningInputs, *, force: bool, strict: bool) -> int:
    from pulumi_gke_tpu.cli.shared import usable_plans
    from pulumi_gke_tpu.features.export.alerts.files import alert_files

    catalog = inputs.catalog()
    checked, _ = usable_plans(plans, inputs, catalog)
    if checked.findings:
        complain(checked.findings)
    if has_errors(checked.findings, strict):
        return 1
    files: dict[str, str] = {}
    several = len(checked.plans) > 1
    for plan in checked.plans:
        assert plan.fleet is not None
        below = f"{plan.fleet.project}/" if several else ""
        files |= {f"{below}{name}": text for name, text in alert_files(plan.fleet, catalog).items()}
    return _write(output, files, force=force)


def _conflict(
    plans: tuple[str, ...], sources: tuple[str, ...], *, as_module: bool, in_root: bool, importing: bool
) -> str:
    """Why options cannot be combined; empty if they can."""
    if as_module and (in_root or sources):
        return "--module cannot be combined with --standalone, --import, --existing or --data-sources."
    if importing and sources:
        return "State either --import, if all resources exist, or --existing SOURCE."
    return "PLAN and SOURCE cannot both be standard input." if "-" in plans and "-" in sources else ""


def _existing(sources: tuple[str, ...], catalog: "Catalog") -> "Existing":
    from pulumi_gke_tpu.cli.files.resource_files import read_resources
    from pulumi_gke_tpu.features.export.terraform.imports import existing_resources

    return existing_resources(read_resources(sources, catalog), catalog)


def _name_obsolete(folder: pathlib.Path, files: dict[str, str]) -> None:
    from pulumi_gke_tpu.core.text.findings import printable_path
    from pulumi_gke_tpu.features.export.marked_files import obsolete_files

    for name in obsolete_files(folder, files):
        click.echo(f"{printable_path(folder / name)}: not a part of the module any more; delete the file", err=True)


def _write(folder: pathlib.Path, files: dict[str, str], *, force: bool) -> int:
    from pulumi_gke_tpu.cli.files.writing import write_and_name
    from pulumi_gke_tpu.core.text.findings import listed
    from pulumi_gke_tpu.features.export.marked_files import changed_by_hand

    edited = changed_by_hand(folder, files) if force else ()
    if edited:
        click.echo(
            f"Nothing was written. Edited since gke-tpu wrote it: {listed(edited)}. Move your changes to a file of "
            "your own, and delete this one.",
            err=True,
        )
        return 2
    return 0 if write_and_name(folder, files, overwrite=force, may_exist=files) else 2
