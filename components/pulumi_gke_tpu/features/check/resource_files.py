"""Tells the files of other tools from manifests: answers of gcloud, Terraform plans and states, Pulumi states."""

from collections.abc import Iterable

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.objects import ManifestFile
from pulumi_gke_tpu.core.resources.model import Resources
from pulumi_gke_tpu.core.resources.read import ResourceReader
from pulumi_gke_tpu.core.text.findings import number, printable_path
from pulumi_gke_tpu.core.text.jsonfile.parsing import JsonError
from pulumi_gke_tpu.core.text.yamlfile.file import unreadable


@frozen(eq=False)
class CheckedFiles:
    """The files of a command: manifests, and resources by file."""

    manifests: tuple[ManifestFile, ...]
    resources: dict[str, Resources]

    @property
    def not_checked(self) -> tuple[str, ...]:
        """What was not checked in each file, as sentences."""
        return tuple(
            f"{printable_path(name)}: {number(sum(found.skipped.values()), 'resource')} of other types not checked"
            for name, found in self.resources.items()
            if found.skipped
        )


def sorted_files(files: Iterable[ManifestFile], catalog: Catalog) -> CheckedFiles:
    """Read the resources of other tools, and leave the other files for the reader of manifests."""
    reader, manifests, resources = ResourceReader(catalog.provider), [], {}
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
    return CheckedFiles(tuple(manifests), resources)
