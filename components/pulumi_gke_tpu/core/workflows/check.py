"""Reads and checks plans for a command."""

import datetime
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan import Document, Plan, read_plan_content, unreadable_plan
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.rules.engine.discovery import together
from pulumi_gke_tpu.core.rules.engine.rule import Scope
from pulumi_gke_tpu.core.rules.files.reading import folder_of
from pulumi_gke_tpu.core.rules.fleet.together import validate_fleet
from pulumi_gke_tpu.core.text.findings import Finding, printable_path, sort_findings, with_one_reading

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.plan.inventory import Inventory
    from pulumi_gke_tpu.core.plan.organization import Organization


@frozen
class CheckedPlans:
    """Plans that were checked together, and every finding about them, sorted."""

    plans: tuple[CheckedPlan, ...]
    inventory: "Document[Inventory] | None"
    findings: tuple[Finding, ...]
    organization: "Document[Organization] | None" = None


def check_documents(
    documents: Sequence[Document[Plan]],
    inventory: "Document[Inventory] | None",
    catalog: Catalog,
    today: datetime.date | None,
    organization: "Document[Organization] | None" = None,
) -> CheckedPlans:
    """Check each plan once, then all together and against inventory and standards. Every problem is a finding."""
    plans = tuple(check_document(document, catalog, today) for document in documents)
    alone = (finding for plan in plans for finding in plan.findings)
    across = findings_across(plans, inventory, catalog, today, organization)
    return CheckedPlans(plans, inventory, sort_findings(with_one_reading((*alone, *across))), organization)


def check_document(document: Document[Plan], catalog: Catalog, today: datetime.date | None) -> CheckedPlan:
    """Check a plan, or the resources that it describes."""
    if not document.describes_resources:
        return check_plan(document, catalog, today)
    from pulumi_gke_tpu.core.workflows.described import check_described  # most commands get plans

    return check_described(document, catalog, today)


def findings_across(
    plans: Sequence[CheckedPlan],
    inventory: "Document[Inventory] | None",
    catalog: Catalog,
    today: datetime.date | None,
    organization: "Document[Organization] | None",
) -> Iterator[Finding]:
    """The findings about several plans together: what they use of an inventory, and broken standards."""
    yield from validate_fleet(plans, catalog, today=today)
    if organization is not None:
        yield from findings_about_standards(plans, organization, inventory, catalog, today)
    if inventory is not None:
        validate_inventory = together(Scope.INVENTORY).validate_inventory

        found = (*inventory.findings, *validate_inventory(plans, inventory, catalog, today=today))
        yield from found
        if inventory.wrong:
            from pulumi_gke_tpu.core.rules.engine.masked_findings import (
                masked_findings,  # only inventories with errors need it
            )

            def check(possible: "Document[Inventory]") -> Iterator[Finding]:
                """The findings about the inventory itself; what plans take from it depends on the wrong entry."""
                every = validate_inventory(plans, possible, catalog, today=today)
                return (
                    each for each in every if each.position and each.position.file == printable_path(inventory.name)
                )

            yield from masked_findings(inventory, check, found).findings


def findings_about_standards(
    plans: Sequence[CheckedPlan],
    organization: "Document[Organization]",
    inventory: "Document[Inventory] | None",
    catalog: Catalog,
    today: datetime.date | None,
) -> Iterator[Finding]:
    """The findings about standards. A wrong entry does not hide violations that do not depend on it."""
    validate_organization: Callable[..., tuple[Finding, ...]] = together(Scope.ORGANIZATION).validate_organization

    owned = inventory.content if inventory is not None else None

    def check(possible: "Document[Organization]") -> tuple[Finding, ...]:
        return validate_organization(plans, possible, catalog, inventory=owned, today=today)

    found = (*organization.findings, *check(organization))
    yield from found
    if organization.wrong:
        from pulumi_gke_tpu.core.rules.engine.masked_findings import masked_findings  # only files with errors need it

        yield from masked_findings(organization, check, found).findings


STORED_ENDING = ".json"


@frozen
class PlanFile:
    """A file of one side, and its name there: a plan, or a stored preview if its name ends so."""

    name: str
    content: bytes
    problem: str = ""
    """Why it cannot be read; ``content`` then distinguishes it from other unreadable files."""
    described: Document[Plan] | None = field(default=None, compare=False, repr=False)
    """The plan that describes the resources in it, if another tool wrote it."""

    @property
    def stored(self) -> bool:
        """Whether it is a stored preview."""
        return self.name.endswith(STORED_ENDING) and not self.problem and self.described is None

    def same(self, other: "PlanFile") -> bool:
        """Whether the other file has the same content."""
        return (self.content, self.problem) == (other.content, other.problem)

    def read(self, name: str) -> Document[Plan]:
        """The plan in it. Findings use ``name`` as its file name."""
        if self.problem:
            return unreadable_plan(name, self.problem)
        if self.described is not None:
            return self.described
        return read_plan_content(self.content, name)


@frozen
class FilePair:
    """A plan file before and after. One of both is there."""

    base: PlanFile | None
    head: PlanFile | None
    moved: bool = False
    """Whether the two were paired by their content alone, because the path changed."""

    @property
    def same(self) -> bool:
        """Whether the content did not change."""
        return self.base is not None and self.head is not None and self.base.same(self.head)

    @property
    def name(self) -> str:
        """The name after the change if the file is there."""
        file = self.head or self.base
        assert file is not None
        return file.name


def pair_files(base: Mapping[str, PlanFile], head: Mapping[str, PlanFile]) -> Iterator[FilePair]:
    """Pair files by key, and the rest by content: those that only moved."""
    gone = {key: file for key, file in base.items() if key not in head}
    moved_from = _by_content(gone)
    for key, file in head.items():
        if key in base:
            yield FilePair(base[key], file)
            continue
        same = moved_from.get((file.content, file.problem))
        if not same:
            yield FilePair(None, file)
            continue
        folder = folder_of(file.name)
        folder = folder if folder in same else next(iter(same))
        former = same[folder].popleft()
        if not same[folder]:
            del same[folder]
        yield FilePair(gone.pop(former), file, moved=True)
    for file in gone.values():
        yield FilePair(file, None)


def _by_content(files: Mapping[str, PlanFile]) -> dict[tuple[bytes, str], dict[str, deque[str]]]:
    """The keys of files by their content, and then by the name of their folder."""
    found: dict[tuple[bytes, str], dict[str, deque[str]]] = {}
    for key, file in files.items():
        folders = found.setdefault((file.content, file.problem), {})
        folders.setdefault(folder_of(file.name), deque()).append(key)
    return found
