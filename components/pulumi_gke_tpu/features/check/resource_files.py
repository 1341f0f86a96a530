"""Tells the files of other tools from manifests: answers of gcloud, Terraform plans and states, Pulumi states."""

import functools
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.objects import ManifestFile, Manifests
from pulumi_gke_tpu.core.resources.recognition import may_describe_resources, may_have_resources
from pulumi_gke_tpu.core.rules.files.reading import incomplete_plan
from pulumi_gke_tpu.core.text.findings import Finding, number, printable_path
from pulumi_gke_tpu.core.text.jsonfile.parsing import JsonError
from pulumi_gke_tpu.core.text.yamlfile.file import unreadable
from pulumi_gke_tpu.features.check.manifest_check import read_files

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.resources.model import RawResource, Resources


@frozen(eq=False, slots=False)
class CheckedFiles:
    """The files of a command: manifests, and resources by file."""

    manifests: Manifests
    resources: "dict[str, Resources]"

    @functools.cached_property
    def found(self) -> "list[RawResource]":
        """The resources of all files."""
        return [resource for file in self.resources.values() for resource in file.found]

    @property
    def has_manifests(self) -> bool:
        """Whether there are documents of manifests, or files that could not be read."""
        return bool(self.manifests.documents or self.manifests.findings)

    @property
    def not_checked(self) -> tuple[str, ...]:
        """What was not checked in each file, as sentences."""
        return tuple(self._not_checked())

    def _not_checked(self) -> Iterator[str]:
        for name, found in self.resources.items():
            file = printable_path(name)
            if found.skipped:
                yield f"{file}: {number(sum(found.skipped.values()), 'resource')} of other types not checked"
            if found.plan is not None and found.plan.deferred:
                yield f"{file}: {number(len(found.plan.deferred), 'resource')} that Terraform defers not checked"

    @property
    def incomplete(self) -> tuple[Finding, ...]:
        """The findings about plans that an error ended."""
        plans = ((name, found.plan) for name, found in self.resources.items())
        return tuple(incomplete_plan(name) for name, plan in plans if plan is not None and plan.errored)


def sorted_files(files: Iterable[ManifestFile], catalog: Catalog) -> CheckedFiles:
    """Read the resources of other tools, and the documents of all other files, which can describe resources too."""
    files = tuple(files)
    manifests = files
    resources: dict[str, Resources] = {}
    if any(may_have_resources(file.content) for file in files):
        manifests, resources = _of_other_tools(files, catalog)
    read = read_files(manifests)
    if any(may_describe_resources(owner.group) for owner in read.objects):
        from pulumi_gke_tpu.core.resources.object_sources.read import resources_of

        resources |= resources_of(read.objects, catalog)
    return CheckedFiles(read, resources)


def _of_other_tools(
    files: Iterable[ManifestFile], catalog: Catalog
) -> "tuple[tuple[ManifestFile, ...], dict[str, Resources]]":
    """The files that are of no other tool, and the resources of the others."""
    from pulumi_gke_tpu.core.resources.read import ResourceReader  # most files are manifests

    reader, manifests, resources = ResourceReader(catalog), [], {}
    for file in files:
        found = None
        try:
            found = reader.read(file.name, file.content) if not file.findings else None
        except JsonError as error:
            manifests.append(ManifestFile(file.name, b"", unreadable(file.name, str(error)).findings))
            continue
        if found is None:
            manifests.append(file)
        else:
            resources[file.name] = found
    return tuple(manifests), resources
