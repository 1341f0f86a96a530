"""A plan with everything that follows from it before resources exist, computed once."""

import datetime
from collections.abc import Mapping
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet.model import Fleet
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan import Document, Plan
from pulumi_gke_tpu.core.text.findings import Finding, Severity


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
