"""The error for an unusable file, and the collection of its findings."""

from collections.abc import Iterable

from pulumi_gke_tpu.core.text.findings import Finding, Fix, Path, Severity, as_only, printable, sort_findings
from pulumi_gke_tpu.core.text.yamlfile.content import YamlFile
from pulumi_gke_tpu.core.text.yamlfile.source import SourceText

_MOST = 100


class YamlProblem(Exception):  # noqa: N818 - people read it as a problem of their file
    """Raised for a file that cannot be used. ``findings`` holds everything that was found, in order of place.

    ``partial`` is the file if it was read to its end: what the findings are about is text or None there, and of two
    equal keys the first one counts. As text the error is one line ``file:line:column: message`` for each finding, safe
    to print.
    """

    def __init__(self, findings: Iterable[Finding], partial: YamlFile | None = None) -> None:
        self.findings = sort_findings(findings)
        self.partial = partial
        super().__init__("\n".join(_line(finding) for finding in self.findings))


class StopReading(Exception):  # noqa: N818 - a signal inside this package
    """Reading cannot continue; the findings are in :class:`Problems`."""


class Problems:
    """The findings in one file so far."""

    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.findings: list[Finding] = []

    def add(
        self,
        rule: str,
        start: int,
        end: int,
        message: str,
        *,
        path: Path = (),
        given: str = "",
        allowed: tuple[str, ...] = (),
        why: str = "",
        fix: Fix | None = None,
    ) -> None:
        """Note an error at the place from ``start`` to ``end``, offsets into the text.

        Raises:
            StopReading: so much is wrong that more findings would not help.
        """
        full = len(self.findings) == _MOST
        if full:
            message = f"stopped after {_MOST} problems"
            given, allowed, why, fix = "", (), "", None
        self.findings.append(
            Finding(
                rule,
                Severity.ERROR,
                path,
                message,
                given=printable(given),
                allowed=allowed,
                why=why,
                change=as_only(fix),
                position=self.source.position(start, end),
            )
        )
        if full:
            raise StopReading

    def stop(
        self, rule: str, start: int, end: int, message: str, *, why: str = "", fix: Fix | None = None
    ) -> StopReading:
        """Note an error after which nothing more can be read; the caller raises what this returns."""
        try:
            self.add(rule, start, end, message, why=why, fix=fix)
        except StopReading as stop:
            return stop
        return StopReading()


def _line(finding: Finding) -> str:
    place = finding.position
    where = f"{place.file}:{place.line}:{place.column}: " if place else ""
    return where + finding.message
