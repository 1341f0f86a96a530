"""Plans with everything that follows from them before resources exist, computed once."""

import dataclasses
import datetime
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet.model import Cluster, Fleet, SliceGroup
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan import Document, Plan, parse_plan
from pulumi_gke_tpu.core.text.findings import Finding, Path, Severity, printable_path


@frozen(eq=False)
class CheckedPlan:
    """A plan that ``rules.check_plan`` read, derived and validated; nothing else creates this value.

    ``catalog`` and ``today`` are those of the check.
    """

    document: Document[Plan]
    catalog: Catalog
    today: datetime.date | None
    fleet: Fleet | None
    """The fleet of the plan; None if the document has no content."""
    findings: tuple[Finding, ...]
    """The findings of reading and of the rules, sorted, with positions if the document has positions."""

    @property
    def plan(self) -> Plan | None:
        """The content of the document."""
        return self.document.content

    @property
    def has_errors(self) -> bool:
        """Whether any finding is an error."""
        return any(finding.severity is Severity.ERROR for finding in self.findings)

    @property
    def is_usable(self) -> bool:
        """Whether the fleet can be shown: a plan has no errors; what exists can have some and is shown anyway."""
        return self.fleet is not None and (self.document.describes_resources or not self.has_errors)

    def __deepcopy__(self, memo: object) -> "CheckedPlan":
        return self  # immutable


class LoadedPlan(dict[str, Any]):
    """A plan as plain data, which ``load_plan`` returns: a dictionary that programs can change, with its check.

    The check is valid until a value or the order of the keys changes; ``1`` and ``true`` are different values.
    """

    def __init__(self, data: Mapping[str, Any], checked: CheckedPlan) -> None:
        super().__init__(data)
        self._checked = checked
        self._as_read = repr(dict(self))

    def checked(self, catalog: Catalog) -> CheckedPlan | None:
        """The result of the check; None if the data has changed since, or if the check used another catalog."""
        same = self._checked.catalog is catalog and repr(dict(self)) == self._as_read
        return self._checked if same else None


@frozen
class PlanInFleet:
    """One of several plans, and what was derived from it."""

    document: Document[Plan]
    plan: Plan
    fleet: Fleet

    @property
    def name(self) -> str:
        """The name of the plan in messages: its file, else its project."""
        return printable_path(self.document.name or self.plan.project)


def plans_in_fleet(plans: Iterable[CheckedPlan]) -> tuple[PlanInFleet, ...]:
    """The plans that could be read, in their order."""
    return tuple(
        PlanInFleet(checked.document, checked.document.content, checked.fleet)
        for checked in plans
        if checked.document.content is not None and checked.fleet is not None
    )


def groups_of(plans: Iterable[PlanInFleet]) -> Iterator[tuple[PlanInFleet, Cluster, SliceGroup]]:
    """Every slice group of every plan, in order."""
    for plan in plans:
        for cluster, group in plan.fleet.groups():
            yield plan, cluster, group


WHOLE = ""
"""Represents the whole plan among items."""

_HARMLESS = "accept"
"""The only top-level key that creates nothing."""


def missing_items(document: Document[Plan], fleet: Fleet) -> frozenset[str]:
    """The items, as ``cluster`` or ``cluster/group``, that a plan has but its fleet does not have or has only in part.

    These are malformed items and slice groups without a possible shape. The fleet has all other items, even if rules
    report errors in them.
    """
    return touched_items(document.findings) | frozenset(_item(item.path) for item in fleet.unresolved)


def touched_items(findings: Iterable[Finding]) -> frozenset[str]:
    """The items with errors; ``WHOLE`` for an error that belongs to no item."""
    wrong = (finding.path for finding in findings if finding.severity is Severity.ERROR)
    return frozenset(_item(path) for path in wrong if path[:1] != (_HARMLESS,))


def _item(path: Path) -> str:
    match path:
        case ("clusters", cluster, "slices", group, *_):
            return f"{cluster}/{group}"
        case ("clusters", cluster, *_):
            return str(cluster)
        case _:
            return WHOLE


def items_from(fleet: Fleet, items: Collection[str]) -> frozenset[str]:
    """The items of a fleet that are among some items, by their key or by a former one."""
    found = set()
    for cluster in fleet.clusters:
        if not {cluster.key, *cluster.former_keys}.isdisjoint(items):
            found.add(cluster.key)
        found.update(group.key for group in cluster.groups if not {group.key, *group.former_keys}.isdisjoint(items))
    return frozenset(found)


def without(document: Document[Plan], items: Collection[str]) -> Document[Plan] | None:
    """A plan from a file without some of its items; None if no cluster is left."""
    assert document.yaml is not None
    data: dict[str, Any] = dict(document.yaml.data)
    clusters = {key: cluster for key, cluster in data["clusters"].items() if key not in items}
    for key, cluster in clusters.items():
        if isinstance(cluster, dict) and isinstance(cluster.get("slices"), dict):
            kept = {name: group for name, group in cluster["slices"].items() if f"{key}/{name}" not in items}
            clusters[key] = {**cluster, "slices": kept}
    if not clusters:
        return None
    data["clusters"] = clusters
    return Document(
        parse_plan(data).content, document.name, document.findings, dataclasses.replace(document.yaml, data=data)
    )
