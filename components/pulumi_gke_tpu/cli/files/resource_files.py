"""Reads the files in which other tools describe resources that exist."""

from collections.abc import Sequence

import click

from pulumi_gke_tpu.cli.files.manifest_files import read_manifest_files
from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.resources.model import RawResource
from pulumi_gke_tpu.core.resources.read import ResourceReader
from pulumi_gke_tpu.core.text.findings import printable, printable_path
from pulumi_gke_tpu.core.text.jsonfile.parsing import JsonError


def read_resources(sources: Sequence[str], catalog: Catalog) -> list[RawResource]:
    """The resources in files, in folders, and in standard input for ``-``.

    Raises:
        click.UsageError: a file cannot be read, or is of no tool that is read here.
    """
    reader = ResourceReader(catalog)
    found: list[RawResource] = []
    for file in read_manifest_files(sources):
        shown = printable_path(file.name)
        if file.findings:
            raise click.UsageError(f"{shown}: {file.findings[0].message}")
        try:
            resources = reader.read(file.name, file.content)
        except JsonError as error:
            raise click.UsageError(f"{shown}: {printable(error, 1000)}") from None
        if resources is None:
            raise click.UsageError(f"{shown} is not an output of gcloud, Terraform or Pulumi that gke-tpu reads.")
        found += resources.found
    return found
