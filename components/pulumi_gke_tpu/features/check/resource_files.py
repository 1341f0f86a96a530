"""Tells the files of other tools from manifests: answers of gcloud, Terraform plans and states, Pulumi states."""

import dataclasses
import datetime
from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.objects import ManifestFile
from pulumi_gke_tpu.core.plan import Document
from pulumi_gke_tpu.core.plan.inventory import Inventory
from pulumi_gke_tpu.core.resource_rules.fleet import FleetOfFiles
from pulumi_gke_tpu.core.resources.model import Resources
from pulumi_gke_tpu.core.resources.read import ResourceReader
from pulumi_gke_tpu.core.rules.files.reading import incomplete_plan
from pulumi_gke_tpu.core.text.findings import Finding, number, printable, printable_path
from pulumi_gke_tpu.core.text.jsonfile.parsing import JsonError
from pulumi_gke_tpu.core.text.yamlfile.file import unreadable
from pulumi_gke_tpu.core.workflows.check import findings_across
from pulumi_gke_tpu.features.check.manifest_check import ClusterMode, check_manifests


@frozen(eq=False)
class CheckedFiles:
    """The files of a command: manifests, and resources by file."""

    manifests: tuple[ManifestFile, ...]
    resources: dict[str, Resources]

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
    """Read the resources of other tools, and leave the other files for the reader of manifests."""
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
    return CheckedFiles(tuple(manifests), resources)


def check_beside(
    files: Iterable[ManifestFile], fleet: FleetOfFiles, catalog: Catalog, mode: ClusterMode | None
) -> tuple[Finding, ...]:
    """The findings about manifests, also compared with the node pools of the other files if all of those are known."""
    findings = check_manifests(files, catalog, None if fleet.left_out else fleet.checked, mode)
    return tuple(map(_about_files, findings))


def check_sums(
    fleet: FleetOfFiles, inventory: Document[Inventory], catalog: Catalog, today: datetime.date | None
) -> Iterator[Finding]:
    """What the node pools of the files together take of an inventory."""
    plans = () if fleet.checked is None else (fleet.checked,)
    for finding in findings_across(plans, inventory, catalog, today, None):
        pool = None
        if finding.position is None and tuple(finding.path[::2][:2]) == ("clusters", "slices"):
            pool = fleet.pools.get((str(finding.path[1]), str(finding.path[3])))
        found = _about_files(finding)
        if pool is not None:
            message = f"{printable(pool.origin.address, _LONGEST_ADDRESS)}: {found.message}"
            found = dataclasses.replace(found, message=message, position=pool.origin.locate(()))
        yield found


_LONGEST_ADDRESS = 300
_WORDS = (
    ("slice group of the plan", "TPU node pool of the files"),
    ("slice groups of the plan", "TPU node pools of the files"),
    ("the plan has", "the files have"),
    ("the plan", "the files"),
)


def _of_files(text: str) -> str:
    """A sentence about a plan as one about the files that the plan was made of."""
    for written, instead in _WORDS:
        text = text.replace(written, instead)
    return text


def _about_files(finding: Finding) -> Finding:
    message, why, source = map(_of_files, (finding.message, finding.why, finding.source))
    return dataclasses.replace(finding, message=message, why=why, source=source)
