"""Checks the resources of other tools, and manifests and an inventory beside them."""

import dataclasses
import datetime
import itertools
from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NODE_POOL
from pulumi_gke_tpu.core.kinds import pod_templates
from pulumi_gke_tpu.core.objects import Manifests
from pulumi_gke_tpu.core.plan import Document
from pulumi_gke_tpu.core.plan.inventory import Inventory
from pulumi_gke_tpu.core.resource_rules.files import check_resources
from pulumi_gke_tpu.core.resource_rules.fleet import FleetOfFiles, fleet_of
from pulumi_gke_tpu.core.resource_rules.in_error import findings_in_error
from pulumi_gke_tpu.core.resource_rules.providers import findings_of_providers
from pulumi_gke_tpu.core.resources.model import RawResource, SourceFormat
from pulumi_gke_tpu.core.text.findings import Finding, Position, printable
from pulumi_gke_tpu.core.workflows.check import findings_across
from pulumi_gke_tpu.features.check.environments import path_parts
from pulumi_gke_tpu.features.check.manifest_check import ClusterMode, check_objects
from pulumi_gke_tpu.features.check.resource_files import CheckedFiles


@frozen
class ResourceCheck:
    """The findings about resources, and what beside them was compared with them."""

    findings: tuple[Finding, ...]
    left_out: tuple[RawResource, ...]
    """The TPU node pools that were not compared: a part that decides is not known."""


def check_resource_files(
    given: CheckedFiles,
    checked: CheckedPlan | None,
    inventory: Document[Inventory] | None,
    catalog: Catalog,
    *,
    today: datetime.date | None,
    mode: ClusterMode | None,
) -> ResourceCheck:
    """Check the resources, also against a plan. Without one, the manifests are compared with their node pools."""
    resources = given.found
    fleet = fleet_of(resources if given.has_manifests or inventory is not None else (), catalog)
    findings: list[Finding] = []
    if checked is None and resources and given.has_manifests:
        beside = _check_beside(given.manifests, fleet, catalog, mode)
        findings += _without_other_projects(beside, given.manifests, resources, catalog)
    found = itertools.chain(check_resources(resources, catalog, today), _of_alternatives(given, catalog, today))
    found = itertools.chain(found, findings_of_providers(resources, catalog))
    findings += _once_per_place(found, resources)
    findings += findings_in_error(resources, catalog, checked)
    if checked is not None and resources:
        from pulumi_gke_tpu.features.check.planned_pools import check_against_plan

        findings += check_against_plan(resources, checked)
    if inventory is not None:
        findings += _check_sums(fleet, inventory, catalog, today)
    return ResourceCheck(tuple(findings), fleet.left_out)


def _of_alternatives(given: CheckedFiles, catalog: Catalog, today: datetime.date | None) -> Iterator[Finding]:
    """The findings about resources in one of several cases, of which a file does not say which it is."""
    seen: set[tuple[str, int, str]] = set()
    for each in given.alternatives[:_MOST_ALTERNATIVES]:
        place = (each.origin.file, each.origin.address)
        others = [other for other in given.found if (other.origin.file, other.origin.address) != place]
        for finding in check_resources([*others, each], catalog, today):
            line = finding.position.line if finding.position is not None else 0
            told = (finding.rule, line, finding.message)
            if finding.path[:1] == (each.origin.address,) and told not in seen:
                seen.add(told)
                yield finding


def _once_per_place(findings: Iterable[Finding], resources: Iterable[RawResource]) -> Iterator[Finding]:
    """The findings, each once for commands and blocks that a loop repeats: they are at the same place."""
    repeating = (SourceFormat.GCLOUD_SCRIPT, SourceFormat.TERRAFORM_CONFIGURATION)
    files = {each.origin.file for each in resources if each.origin.source in repeating}
    seen: set[tuple[str, Position, str]] = set()
    for finding in findings:
        position = finding.position
        if position is not None and position.file in files:
            place = (finding.rule, position, finding.message.partition(": ")[2])
            if place in seen:
                continue
            seen.add(place)
        yield finding


def _check_beside(
    manifests: Manifests, fleet: FleetOfFiles, catalog: Catalog, mode: ClusterMode | None
) -> tuple[Finding, ...]:
    """The findings about manifests, also compared with the node pools of the other files if all of those are known."""
    findings = check_objects(manifests, catalog, None if fleet.left_out else fleet.checked, mode)
    return tuple(map(_about_files, findings))


_ABOUT_NODES = ("TPU790", "TPU791")


def _without_other_projects(
    findings: Iterable[Finding], manifests: Manifests, resources: Iterable[RawResource], catalog: Catalog
) -> Iterator[Finding]:
    """The findings, without those that compare workloads with node pools of other projects in the same files.

    A workload runs on the node pools in the nearest folder that has some, also further down. A folder beside its own
    with node pools and with workloads on TPUs is a project of its own, such as another tutorial.
    """
    resource = catalog.kubernetes.pods.resource.name
    running = (each for each in manifests.objects if any(pod.chips(resource) for pod in pod_templates(each)))
    with_workloads = {above for each in running for above in _folders(each.file.name)}
    has_own: dict[tuple[str, ...], bool] = {}
    """Folder above node pools -> whether some of them are not those of a project in a folder directly below."""
    for name in {each.origin.file for each in resources if each.type in (CLUSTER, NODE_POOL)}:
        below: tuple[str, ...] | None = None
        for above in _folders(name):
            has_own[above] = has_own.get(above, False) or below not in with_workloads
            below = above
    for finding in findings:
        file = finding.position.file if finding.rule in _ABOUT_NODES and finding.position is not None else ""
        if next((has_own[above] for above in _folders(file) if above in has_own), True) or not file:
            yield finding


def _folders(name: str) -> Iterator[tuple[str, ...]]:
    """The folders above a file, the innermost first."""
    parts = path_parts(name)
    return (parts[:end] for end in range(len(parts) - 1, -1, -1))


def _check_sums(
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
_MOST_ALTERNATIVES = 50
_WORDS = (
    ("slice group of the plan", "TPU node pool of the files"),
    ("slice groups of the plan", "TPU node pools of the files"),
    ("a slice group to the plan", "a TPU node pool"),
    ("of the plan", "of the files"),
    ("the plan has", "the files have"),
    ("the plan does", "the files do"),
    ("the plan", "the files"),
)


def _of_files(text: str) -> str:
    """A sentence about a plan as one about the files that the plan was made of."""
    for written, instead in _WORDS:
        text = text.replace(written, instead)
    return text


def _about_files(finding: Finding) -> Finding:
    message, why, source, advice = map(_of_files, (finding.message, finding.why, finding.source, finding.advice))
    return dataclasses.replace(finding, message=message, why=why, source=source, advice=advice)
