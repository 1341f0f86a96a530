"""Everything that ``gke-tpu diff`` shows: the changes, the findings and the failed gates."""

import dataclasses
import math
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.messages.pages import FailurePage, failure_pages, words_of
from pulumi_gke_tpu.core.output.json import ShownFinding, findings_document
from pulumi_gke_tpu.core.text.findings import Finding, is_visible, printable
from pulumi_gke_tpu.features.diff.engine.model import Report
from pulumi_gke_tpu.features.diff.model import ChangeReport

LONGEST_TEXT = 4_000
"""Characters of the longest text on a page."""

DEEPEST_VALUE = 40
"""Levels of the deepest property value on a page."""

_T = TypeVar("_T")


@frozen
class ChangePage:
    """One page. Every text in it is printable and of limited length, so that it is the same if read from JSON."""

    report: Report
    findings: tuple[ShownFinding, ...]
    """The findings about the plans after the change, and about the change itself."""
    failed: tuple[str, ...]
    """The gates that failed, as texts."""
    if_it_fails: tuple[FailurePage, ...] = ()
    """What to read if the update ends as this report expects."""

    @property
    def errors(self) -> int:
        """The number of errors; a plan with an error is not compared."""
        return sum(finding.severity == "error" for finding in self.findings)


def change_page(
    report: Report, findings: Iterable[Finding], failed: Iterable[str] = (), catalog: Catalog | None = None
) -> ChangePage:
    """The page of a report. The catalog has the pages about failures."""
    findings = tuple(findings)
    pages = failure_pages(_ends(report.change, findings, catalog), catalog) if catalog is not None else ()
    return settled(ChangePage(report, findings_document(findings).findings, tuple(failed), pages))


def _ends(change: ChangeReport, findings: Iterable[Finding], catalog: Catalog) -> set[str]:
    """The pages about what the change does to jobs, about missing capacity for its new hosts, and those of findings."""
    found = words_of(findings, catalog)
    if any(item.hosts_gone.maximum or item.hosts_restarted.maximum for item in change.items):
        found.add("stopped")
    if any(item.hosts_gone.maximum and item.hosts_new.maximum for item in change.items):
        reserved = any(use.kind == "reservation" for use in change.totals.uses)
        found |= {"stockout", "reservation-errors"} if reserved else {"stockout"}
    return found


def settled_text(text: str) -> str:
    """The text with escaped control characters and with its line breaks, cut if it is too long.

    A text that came out of here stays as it is.
    """
    if len(text) <= LONGEST_TEXT and is_visible(text):
        return text
    safe = "\n".join(printable(line, LONGEST_TEXT) for line in text[: 2 * LONGEST_TEXT].split("\n"))
    return safe if len(safe) <= LONGEST_TEXT else f"{safe[: LONGEST_TEXT - 1]}…"


def is_settled(text: str) -> bool:
    """Whether a page can contain the text unchanged."""
    return settled_text(text) == text


def settled(value: _T) -> _T:
    """A copy in which every text is printable and of limited length, and no value is too deep."""
    return _settle(value, 0)  # type: ignore[no-any-return]


def _settle_entries(value: list[Any] | Mapping[Any, Any], depth: int) -> Any:
    if isinstance(value, list):
        return [_settle(item, depth) for item in value]
    return {settled_text(str(key)): _settle(item, depth) for key, item in value.items()}


def _settle(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        return settled_text(value)
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, tuple):
        return tuple(_settle(item, depth) for item in value)
    if isinstance(value, list | Mapping):
        return "…" if depth >= DEEPEST_VALUE else _settle_entries(value, depth + 1)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value)]
        return dataclasses.replace(value, **{name: _settle(getattr(value, name), depth) for name in names})
    return value
