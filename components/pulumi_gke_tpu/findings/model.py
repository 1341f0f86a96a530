"""The finding, its severity, and the place it points at."""

import enum
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, get_args

from pulumi_gke_tpu.findings.wording import number

SeverityWord = Literal["note", "warning", "error"]
"""A severity as people and machines read it, from the lightest to the heaviest."""

_SEVERITY_WORDS: tuple[SeverityWord, ...] = get_args(SeverityWord)

Path = tuple[str | int, ...]
"""Where a value stands in a plan: keys and list indices from the root, e.g. ``("clusters", "dev", "slices")``."""

_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*\Z")
_STEP = re.compile(r'\.?([A-Za-z_][A-Za-z0-9_-]*)|\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]')


class Severity(enum.IntEnum):
    """How much a finding weighs. Only a fact of high confidence may be an ``ERROR``."""

    NOTE = 1
    WARNING = 2
    ERROR = 3

    @property
    def word(self) -> SeverityWord:
        """The lower-case word that people and machines read: note, warning or error."""
        return _SEVERITY_WORDS[self - 1]


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a file. Lines and columns count from 1; ``end_column`` is exclusive; ``text`` is the whole line."""

    file: str
    line: int
    column: int
    end_column: int
    text: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong, doubtful or worth knowing about a plan.

    ``rule`` is a stable id such as ``TPU112``; ``path`` where in the plan; ``message`` one sentence without a final
    period; ``given`` the value as written; ``allowed`` what could stand there instead; ``why`` the reason; ``fix``
    text that can be pasted; ``source`` where the fact comes from; ``position`` is None for plans that are no file.
    """

    rule: str
    severity: Severity
    path: Path
    message: str
    given: str = ""
    allowed: tuple[str, ...] = ()
    why: str = ""
    fix: str = ""
    source: str = ""
    position: Position | None = None
    accepted: str = field(default="")
    """The reason under which the plan accepts this warning; empty when it does not."""
    links: tuple[str, ...] = ()
    """The addresses of the sources, where they have one."""


MOST_SHOWN = 100
"""How many findings people are shown at once unless they ask for more. What programs read is always complete."""


class FindingsError(Exception):
    """Raised where a plan is refused. ``findings`` holds everything that was found, warnings included."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.findings = sort_findings(findings)
        errors = [finding for finding in self.findings if finding.severity is Severity.ERROR]
        lines = [f"{number(len(errors), 'error')} in the plan"]
        for finding in errors[:MOST_SHOWN]:
            place = finding.position
            where = f"{place.file}:{place.line}:{place.column}: " if place else ""
            lines.append(f"{where}{finding.rule} {format_path(finding.path) or 'plan'}: {finding.message}")
            if finding.allowed:
                lines.append(f"    allowed: {', '.join(finding.allowed)}")
            for label, text in (("try", finding.fix), ("why", finding.why)):
                if text:
                    lines.append(f"    {label + ':':<8} {text}".replace("\n", "\n             "))
        if len(errors) > MOST_SHOWN:
            lines.append(f"and {len(errors) - MOST_SHOWN:,} more errors")
        super().__init__("\n".join(lines))


def sort_findings(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Order findings by file and place, then severity and rule, so that equal plans give equal output."""

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


def format_path(path: Path) -> str:
    """Write a path as people type it: ``clusters.dev.slices["my group"].taints[0]``."""
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
    """Read a path in the form that :func:`format_path` writes; ``/`` is accepted between keys too.

    Raises:
        ValueError: the text is no path.
    """
    steps: list[str | int] = []
    text = text.strip().replace("/", ".")
    at = 0
    while at < len(text):
        match = _STEP.match(text, at)
        if not match:
            raise ValueError(f"not a path at character {at + 1}: {text[at:]}")
        key, index, quoted = match.groups()
        if index is not None:
            steps.append(int(index))
        else:
            steps.append(key if key is not None else re.sub(r"\\(.)", r"\1", quoted))
        at = match.end()
    return tuple(steps)
