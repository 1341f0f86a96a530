"""Reads the files in which other tools describe resources that exist, and Kubernetes objects beside them."""

from collections.abc import Sequence

import click

from pulumi_gke_tpu.cli.files.manifest_files import read_manifest_files
from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.objects import KubernetesObject, read_manifests
from pulumi_gke_tpu.core.resources.model import RawResource
from pulumi_gke_tpu.core.resources.read import ResourceReader
from pulumi_gke_tpu.core.text.findings import printable, printable_path
from pulumi_gke_tpu.core.text.jsonfile.parsing import JsonError

_RESOURCES = "an output of gcloud, Terraform or Pulumi that gke-tpu reads"


def read_resources(sources: Sequence[str], catalog: Catalog) -> list[RawResource]:
    """The resources in files, in folders, and in standard input for ``-``.

    Raises:
        click.UsageError: a file cannot be read, or is of no tool that is read here.
    """
    found, others = _sorted(sources, catalog)
    for name in others:
        raise click.UsageError(f"{printable_path(name)} is not {_RESOURCES}.")
    return found


def read_resources_and_objects(
    sources: Sequence[str], catalog: Catalog
) -> tuple[list[RawResource], tuple[KubernetesObject, ...]]:
    """The resources, and the Kubernetes objects in the other files.

    Raises:
        click.UsageError: a file cannot be read, or has neither.
    """
    found, others = _sorted(sources, catalog)
    manifests = read_manifests(others.items())
    for finding in manifests.findings:
        place = finding.position
        at = f"{printable_path(place.file)}:{place.line}:{place.column}: " if place is not None else ""
        raise click.UsageError(f"{at}{printable(finding.message, 1000)}")
    known = {item.file.name for item in manifests.objects}
    for name in others:
        if name not in known:
            raise click.UsageError(f"{printable_path(name)} is neither {_RESOURCES}, nor a file of Kubernetes objects.")
    return found, manifests.objects


def _sorted(sources: Sequence[str], catalog: Catalog) -> tuple[list[RawResource], dict[str, bytes]]:
    """The resources, and the content of the files that have none by name."""
    reader = ResourceReader(catalog)
    found: list[RawResource] = []
    others: dict[str, bytes] = {}
    for file in read_manifest_files(sources):
        shown = printable_path(file.name)
        if file.findings:
            raise click.UsageError(f"{shown}: {file.findings[0].message}")
        try:
            resources = reader.read(file.name, file.content)
        except JsonError as error:
            raise click.UsageError(f"{shown}: {printable(error, 1000)}") from None
        if resources is None:
            others[file.name] = file.content
        else:
            found += resources.found
    return found, others
