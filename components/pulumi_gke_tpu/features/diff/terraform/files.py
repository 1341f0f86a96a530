"""Reads plan files of Terraform and OpenTofu."""

import click

from pulumi_gke_tpu.cli.files.plan_files import read_input
from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.resources.model import Resources
from pulumi_gke_tpu.core.resources.read import ResourceReader
from pulumi_gke_tpu.core.text.findings import number, printable_path
from pulumi_gke_tpu.core.text.jsonfile.parsing import JsonError
from pulumi_gke_tpu.features.diff.terraform.estate import TerraformPlan

LARGEST = 256_000_000
"""Bytes of the largest plan file."""
_HOW = "use the output of `terraform show -json PLAN`, where PLAN is a file of `terraform plan -out PLAN`"


def read_plans(paths: tuple[str, ...], catalog: Catalog) -> list[TerraformPlan]:
    """Read plan files; ``-`` is standard input.

    Raises:
        click.UsageError: a file cannot be read, or is not a plan of Terraform.
    """
    if len(set(paths)) < len(paths):
        raise click.UsageError("--terraform: duplicate file")
    reader = ResourceReader(catalog)
    return [TerraformPlan(path, _plan(path, reader)) for path in paths]


def _plan(path: str, reader: ResourceReader) -> Resources:
    name = "standard input" if path == "-" else printable_path(path)
    content = read_input(path, LARGEST + 1)
    if len(content) > LARGEST:
        raise click.UsageError(f"--terraform {name}: larger than {number(LARGEST, 'byte')}")
    try:
        found = reader.read(path, content)
    except JsonError as error:
        raise click.UsageError(f"--terraform {name}: {error}; {_HOW}") from None
    if found is None or found.plan is None:
        sources = found.found[:1] if found is not None else ()
        what = f"a {sources[0].origin.source.value}, not a plan" if sources else "not a plan"
        raise click.UsageError(f"--terraform {name}: it is {what} of Terraform; {_HOW}")
    return found
