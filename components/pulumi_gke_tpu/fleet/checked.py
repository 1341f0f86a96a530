"""A plan with everything that is known of it before resources exist, computed once."""

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pulumi_gke_tpu.catalog import Catalog
from pulumi_gke_tpu.findings import Finding, Severity
from pulumi_gke_tpu.fleet.model import Fleet
from pulumi_gke_tpu.plan import Document, Plan


@dataclass(frozen=True, eq=False)
class CheckedPlan:
    """A plan that was read, derived and validated: by ``rules.check_plan``, and by nothing else.

    ``catalog`` and ``today`` are those it was checked with.
    """

    document: Document[Plan]
    catalog: Catalog
    today: datetime.date | None
    fleet: Fleet | None
    """What follows from the plan; None where the document has no content."""
    findings: tuple[Finding, ...]
    """Of reading and of the rules, sorted, each with its position where the document has positions."""

    @property
    def plan(self) -> Plan | None:
        """The content of the document."""
        return self.document.content

    @property
    def has_errors(self) -> bool:
        """Whether any finding is an error."""
        return any(finding.severity is Severity.ERROR for finding in self.findings)

    def __deepcopy__(self, memo: object) -> "CheckedPlan":
        return self  # a value: nothing in it changes


class LoadedPlan(dict[str, Any]):
    """A plan as plain data, as ``load_plan`` returns it: a dictionary to change at will, with the check it passed.

    The check counts as long as the data is what was read, value by value and in its order; ``1`` is not ``true``.
    """

    def __init__(self, data: Mapping[str, Any], checked: CheckedPlan) -> None:
        super().__init__(data)
        self._checked = checked
        self._as_read = repr(dict(self))

    def checked(self, catalog: Catalog) -> CheckedPlan | None:
        """The result of the check; None where the data was changed since, or was checked with another catalog."""
        same = self._checked.catalog is catalog and repr(dict(self)) == self._as_read
        return self._checked if same else None
