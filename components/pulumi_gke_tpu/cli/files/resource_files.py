"""Reads the files in which other tools describe resources that exist, and Kubernetes objects beside them."""

from collections.abc import Mapping, Sequence

import click

from pulumi_gke_tpu.cli.files.manifest_files import read_manifest_files
from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.objects import KubernetesObject, read_manifests
from pulumi_gke_tpu.core.resources.model import RawResource, Resources
from pulumi_gke_tpu.core.resources.object_sources.read import resources_of
from pulumi_gke_tpu.core.resources.read import ResourceReader
from pulumi_gke_tpu.core.text.findings import printable, printable_path
from pulumi_gke_tpu.core.text.jsonfile.parsing import JsonError

_RESOURCES = "a description of resources that gke-tpu reads"


def read_resources(sources: Sequence[str], catalog: Catalog) -> list[RawResource]:
    """The resources in files, in folders, and in standard input for ``-``.

    Raises:
        click.UsageError: a file cannot be read, or is of no tool that is read here.
    """
    found, others = _sorted(sources, catalog)
    described = resources_of(read_manifests(others.items()).objects, catalog)
    for name in others:
        if name not in described:
            raise click.UsageError(f"{printable_path(name)} is not {_RESOURCES}.")
    return found + _all(described)


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
    described = resources_of(manifests.objects, catalog)
    places = {(each.origin.file, each.origin.locate(())) for file in described.values() for each in file.found}
    objects = tuple(each for each in manifests.objects if (each.file.name, each.file.position(each.base)) not in places)
    return found + _all(described), objects


def _all(described: Mapping[str, Resources]) -> list[RawResource]:
    return [resource for resources in described.values() for resource in resources.found]


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
