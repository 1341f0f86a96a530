"""The finding, its severity and its location."""

import dataclasses
import enum
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import field
from typing import Literal, get_args

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings.fixes import Fix, Rename, SetKeys, as_only
from pulumi_gke_tpu.core.text.findings.suggestions import is_misspelled
from pulumi_gke_tpu.core.text.findings.wording import number
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

SeverityWord = Literal["note", "warning", "error"]
"""A severity in output, in ascending order."""

_SEVERITY_WORDS: tuple[SeverityWord, ...] = get_args(SeverityWord)

Path = tuple[str | int, ...]
"""The path of a value in a plan: keys and list indices from the root, e.g. ``("clusters", "dev", "slices")``."""

_LISTED = 2
"""From this number of allowed values on, they are a list to choose from, not the requirement itself."""
_PLAIN_KEY = lazy_pattern(r"[A-Za-z_][A-Za-z0-9_-]*\Z")
_STEP = lazy_pattern(r'\.?([A-Za-z_][A-Za-z0-9_-]*)|\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]')


class Severity(enum.IntEnum):
    """The severity of a finding. Only a fact of high confidence can cause an ``ERROR``."""

    NOTE = 1
    WARNING = 2
    ERROR = 3

    @property
    def word(self) -> SeverityWord:
        """The severity in output: note, warning or error."""
        return _SEVERITY_WORDS[self - 1]


@frozen
class Position:
    """A location in a file. Lines and columns start at 1; ``end_column`` is exclusive; ``text`` is the whole line."""

    file: str
    line: int
    column: int
    end_column: int
    text: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@frozen
class Replacement:
    """A part of a file, with lines and columns from 1 and an exclusive end, and the text that replaces it."""

    line: int
    column: int
    end_line: int
    end_column: int
    text: str


@frozen
class Related:
    """Another place that a finding is about, such as the standard that a plan breaks; ``text`` names it."""

    text: str
    position: Position


@frozen
class Finding:
    """An error, a warning or a note about a plan.

    ``rule`` is a stable ID such as ``TPU112``; ``path`` the path in the plan; ``message`` one sentence without a final
    period; ``given`` the value in the plan; ``allowed`` the allowed values; ``why`` the reason; ``change`` the fix;
    ``source`` the sources of the fact; ``position`` is None for a plan that is not a file.
    """

    rule: str
    severity: Severity
    path: Path
    message: str
    given: str = ""
    allowed: tuple[str, ...] = ()
    why: str = ""
    change: Fix | None = None
    source: str = ""
    position: Position | None = None
    accepted: str = field(default="")
    """The reason in the ``accept`` entry of the plan; empty without an entry."""
    links: tuple[str, ...] = ()
    """The URLs of the sources, if they have one."""
    related: Related | None = None
    """Where the requirement is set, if that is another file of the user."""
    advice: str = ""
    """What to do, in words; empty with a fix."""

    @property
    def fix(self) -> str:
        """The fix as YAML to paste; empty without a fix."""
        return self.change.text if self.change is not None else ""

    @property
    def only_fix(self) -> bool:
        """Whether only one reading of the plan is possible, so that a program may apply ``change`` without asking."""
        return self.change is not None and self.change.is_only

    @property
    def choices(self) -> tuple[str, ...]:
        """The allowed values to show to a person: none if the fix is obviously the one that the plan means.

        This is the case if the only fix replaces an unknown key, if the fix renames a key, or if the value in the plan
        is a misspelling of the value in the fix and of no other allowed value.
        """
        if self.only_fix and self.rule == "TPU020":
            return ()
        names = [choice.removesuffix(":") for choice in self.allowed]
        if len(names) < _LISTED:
            return self.allowed
        if isinstance(self.change, Rename):
            return () if self.change.key in names else self.allowed
        entry = self.change.single if isinstance(self.change, SetKeys) else None
        if entry is None:
            return self.allowed
        meant = str(entry.value)
        obvious = meant in names and is_misspelled(self.given.rpartition(": ")[2], meant, names)
        return () if obvious else self.allowed


MOST_SHOWN = 100
"""The default number of findings in text output and GitHub annotations; JSON and SARIF contain all findings."""


class FindingsError(Exception):
    """Raised if a plan has errors. ``findings`` contains all findings, including warnings.

    ``subject`` is what has the errors; its first word stands for the empty path. ``spelled`` writes a fix, which is
    YAML, in the language of the reader.
    """

    def __init__(self, findings: Iterable[Finding], subject: str = "plan", spelled: Callable[[str], str] = str) -> None:
        self.findings = sort_findings(findings)
        errors = [finding for finding in self.findings if finding.severity is Severity.ERROR]
        lines = [f"{number(len(errors), 'error')} in the {subject}"]
        root = subject.split(maxsplit=1)[0]
        for finding in errors[:MOST_SHOWN]:
            place = finding.position
            where = f"{place}: " if place else ""
            lines.append(f"{where}{finding.rule} {format_path(finding.path) or root}: {finding.message}")
            if finding.choices:
                lines.append(f"    allowed: {', '.join(finding.choices)}")
            for label, text in (("try", spelled(finding.fix)), ("fix", finding.advice), ("why", finding.why)):
                if text:
                    lines.append(f"    {label + ':':<8} {text}".replace("\n", "\n             "))
        if len(errors) > MOST_SHOWN:
            lines.append(f"and {len(errors) - MOST_SHOWN:,} more errors")
        super().__init__("\n".join(lines))


def sort_findings(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Sort findings by file and location, then severity and rule, so that output is deterministic."""

    def key(finding: Finding) -> tuple[str, int, int, int, str, str, str]:
        place = finding.position
        return (
            place.file if place else "",
            place.line if place else 0,
            place.column if place else 0,
            -finding.severity,
            finding.rule,
            format_path(finding.path),
            finding.message,
        )

    return tuple(sorted(findings, key=key))


def with_one_reading(findings: Iterable[Finding]) -> Iterator[Finding]:
    """The findings, where no fix leaves an error in the value that it writes as the only possible one.

    ``min_version: 1.3`` needs quotes, but may also be a shortened ``1.30``: if that version is an error too, a person
    has to decide. An error about an item is one about its list. A value with several readings is right for its key.
    """
    found = tuple(findings)
    open_errors = {
        (finding.position.file if finding.position else "", path)
        for finding in found
        if finding.severity is Severity.ERROR and not finding.only_fix and not getattr(finding.change, "readings", ())
        for path in _entries_of(finding.path)
    }
    for finding in found:
        place = finding.position.file if finding.position else "", finding.path
        yield _undecided(finding) if finding.only_fix and place in open_errors else finding


def _undecided(finding: Finding) -> Finding:
    return dataclasses.replace(finding, change=as_only(finding.change, is_only=False))


def _entries_of(path: Path) -> tuple[Path, ...]:
    """The entries that an error at a path is about: an item is in its list, and limits can be in ``count``."""
    match path:
        case [*above, "min" | "max"]:
            return path, (*above, "count")
        case [*above, int()]:
            return path, tuple(above)
    return (path,)


def format_path(path: Path) -> str:
    """Format a path: ``clusters.dev.slices["my group"].taints[0]``."""
    out = ""
    for step in path:
        if isinstance(step, int):
            out += f"[{step}]"
        elif _PLAIN_KEY.match(step):
            out += f".{step}" if out else step
        else:
            escaped = step.replace("\\", "\\\\").replace('"', '\\"')
            out += f'["{escaped}"]'
    return out


def parse_path(text: str) -> Path:
    """Parse the output of :func:`format_path`; ``/`` is also a separator.

    Raises:
        ValueError: the text is not a path.
    """
    steps: list[str | int] = []
    text = text.strip().replace("/", ".")
    at = 0
    while at < len(text):
        match = _STEP.match(text, at)
        if not match:
            raise ValueError(f"invalid path at character {at + 1}: {text[at:]}")
        key, index, quoted = match.groups()
        if index is not None:
            steps.append(int(index))
        else:
            steps.append(key if key is not None else re.sub(r"\\(.)", r"\1", quoted))
        at = match.end()
    return tuple(steps)
