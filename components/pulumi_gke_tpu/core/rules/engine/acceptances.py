"""The warnings that a plan accepts, and what an entry of a plan can name to cover a place."""

import dataclasses
import datetime

from pulumi_gke_tpu.core.plan import Plan
from pulumi_gke_tpu.core.text.findings import Finding, Path, Severity


class Acceptances:
    """The warnings that a plan accepts on a day; none where no day is known."""

    def __init__(self, plan: Plan, today: datetime.date | None) -> None:
        self._reasons: dict[tuple[str, str | None], tuple[int, str]] = {}
        for index, entry in enumerate(plan.accept):
            if today is not None and today <= entry.until:
                self._reasons.setdefault((entry.rule, entry.of), (index, entry.reason))

    def applied(self, finding: Finding) -> Finding:
        """The finding, marked with the reason of the first entry that accepts it. An error cannot be accepted."""
        if finding.severity is Severity.ERROR:
            return finding
        entries = [self._reasons.get((finding.rule, item)) for item in items_around(finding.path)]
        first = min((entry for entry in entries if entry), default=None)
        return dataclasses.replace(finding, accepted=first[1]) if first else finding


def items_around(path: Path) -> tuple[str | None, ...]:
    """What an entry of a plan may name to cover a path: the whole plan (None), CLUSTER, CLUSTER/GROUP."""
    match path:
        case ("clusters", cluster, "slices", group, *_):
            return (None, f"{cluster}", f"{cluster}/{group}")
        case ("clusters", cluster, *_):
            return (None, f"{cluster}")
        case _:
            return (None,)
