"""Makes checked plans of resources that other tools wrote: the plan that describes them, and what rules find in them.

Such a plan shows what its source shows: it has no workloads, planned runs and standards.
"""

import dataclasses
import datetime
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.described.describe import describe
from pulumi_gke_tpu.core.described.model import DescribedPlan
from pulumi_gke_tpu.core.fleet import Fleet
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan import Document, Plan
from pulumi_gke_tpu.core.resource_rules.files import check_resources, members_of
from pulumi_gke_tpu.core.resource_rules.in_error import findings_in_error, not_running
from pulumi_gke_tpu.core.resources.model import RawResource
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Finding, Path, Position, listed, printable, printable_path, sort_findings
from pulumi_gke_tpu.core.text.yamlfile import YamlFile

_MOST_FILES, _LONGEST = 2, 300


@frozen(eq=False)
class DescribedDocument(Document[Plan]):
    """The plan that describes resources. Its positions are those in the files of the resources."""

    resources: tuple[RawResource, ...] = field(default=(), repr=False)
    origins: Mapping[str, RawResource] = field(default_factory=dict, repr=False)
    """URN in the description -> the resource."""
    described: DescribedPlan | None = field(default=None, repr=False)
    only_running: bool = False
    """Whether the plan leaves node pools out of which nothing runs. Rules check them nevertheless."""

    def locate(self, findings: Iterable[Finding]) -> tuple[Finding, ...]:
        """Add the position in the file of the resource to each finding that has none."""
        return sort_findings(
            item if item.position else dataclasses.replace(item, position=self.position_of(item.path))
            for item in findings
        )

    def position_of(self, path: Path) -> Position | None:
        """The position of what an entry of the plan describes; None if no source has it."""
        for resource, property, inside in self._located(path):
            return resource.position_of(property, inside)
        return None

    def written_as(self, path: Path) -> str:
        """The resource and the property that an entry of the plan describes, in the spelling of the source."""
        for resource, property, _ in self._located(path):
            written = resource.spelling.written(property) if property else ""
            return ": ".join(filter(None, (printable(resource.origin.address, _LONGEST), written)))
        return ""

    def _located(self, path: Path) -> Iterator[tuple[RawResource, str, Path]]:
        assert self.described is not None
        for place in self.described.located(path):
            yield self.origins[place.source.urn], f"{place.source.place}{place.property}".rstrip("."), place.inside

    @property
    def source(self) -> str:
        """What it describes, as a noun: ``Terraform plan``, or ``files`` if several tools wrote them."""
        found = {raw.origin.source.value for raw in self.resources}
        return found.pop() if len(found) == 1 else "files"

    def left_out(self, fleet: Fleet) -> Iterator[str]:
        """Each resource that is in no sum, with the reason: ``ADDRESS (its machine type is not known)``."""
        assert self.described is not None
        for urn, reason in self.described.left_out.items():
            yield f"{printable(self.origins[urn].origin.address, _LONGEST)} ({reason})"
        for item in fleet.unresolved:
            for place in self.described.located(item.path):
                yield f"{printable(self.origins[place.source.urn].origin.address, _LONGEST)} (its slices are not known)"


def described_documents(resources: Iterable[RawResource], catalog: Catalog) -> tuple[DescribedDocument, ...]:
    """The plans that describe resources, one for each project. Resources that a plan of Terraform deletes are left out.

    Several files are read together, because one may have the clusters, and another their node pools.
    """
    resources = tuple(resources)
    projects = {(raw.origin.scope, raw.origin.address): raw.effective_project for raw in resources}
    by_project: dict[str, list[RawResource]] = {}
    for raw in resources:
        clusters = (projects.get((raw.origin.scope, each), "") for each in raw.refers_to.get("cluster", ()))
        by_project.setdefault(raw.effective_project or next(filter(None, clusters), ""), []).append(raw)
    unknown = by_project.pop("", [])
    if unknown:  # a provider sets the project, which most sources do not contain
        first = next(iter(by_project), "")
        by_project[first] = [*by_project.get(first, []), *unknown]
    found = (_document(each, catalog, several=len(by_project) > 1) for each in by_project.values())
    return tuple(document for document in found if document is not None)


def that_runs(document: Document[Plan], catalog: Catalog) -> Document[Plan]:
    """The plan without the node pools that GKE could not create: they cost nothing and take no quota."""
    if isinstance(document, DescribedDocument):
        failed = {urn: reason for urn, raw in document.origins.items() if (reason := not_running(raw))}
        if failed:
            described = describe([member for member, _ in members_of(document.resources)], catalog, without=failed)
            return dataclasses.replace(document, **_content(described, document.name), only_running=True)
    return document


def _content(described: DescribedPlan, name: str | None) -> dict[str, Any]:
    """What a document has of the plan that it contains."""
    plan = described.document
    data = plan.repaired.data if plan.repaired is not None else None
    return {
        "content": plan.content,
        "findings": plan.findings,
        "yaml": dataclasses.replace(YamlFile.empty(name or ""), data=data),
        "describes_resources": plan.describes_resources,
        "described": described,
    }


def _document(resources: list[RawResource], catalog: Catalog, *, several: bool) -> DescribedDocument | None:
    members = members_of(resources)
    described = describe([member for member, _ in members], catalog)
    plan = described.document
    data = plan.repaired.data if plan.repaired is not None else None
    if not isinstance(data, dict) or not data.get("clusters"):
        return None
    files = [printable_path(name) for name in dict.fromkeys(raw.origin.file for raw in resources)]
    name = listed(files, "and", most=_MOST_FILES)
    if several:
        name = f"{name} ({printable(resources[0].effective_project)})"
    return DescribedDocument(
        **_content(described, name),
        name=name,
        resources=tuple(resources),
        origins={member.urn: raw for member, raw in members},
    )


def check_described(document: Document[Plan], catalog: Catalog, today: datetime.date | None) -> CheckedPlan:
    """Check the resources that a plan describes as ``gke-tpu check`` checks them, in the spelling of their source."""
    assert isinstance(document, DescribedDocument)
    assert document.described is not None
    checked = check_plan(document, catalog, today, rules=())
    described = None if document.only_running else dataclasses.replace(document.described, fleet=checked.fleet)
    found = (
        *check_resources(document.resources, catalog, today, described),
        *findings_in_error(document.resources, catalog),
    )
    return dataclasses.replace(checked, findings=sort_findings(found if checked.fleet else (*checked.findings, *found)))
