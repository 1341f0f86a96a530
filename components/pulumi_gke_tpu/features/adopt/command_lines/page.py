"""A translation for people: the table of options, and what the plan still needs."""

from collections.abc import Iterator, Sequence

from pulumi_gke_tpu.core.text.document.model import Block, Bullets, Code, Column, Heading, Page, Paragraph, Table, Tone
from pulumi_gke_tpu.core.text.findings import Finding, Severity, number, printable
from pulumi_gke_tpu.features.adopt.command_lines.table import OptionRow, Problem

_LONGEST = 400


def translation_page(rows: Sequence[OptionRow], findings: Sequence[Finding], next_commands: Sequence[str]) -> Page:
    """What became of each option, and the findings about the plan."""
    left = sum(row.became in ("left out", "unknown") for row in rows)
    title = f"{number(len(rows), 'option')} read · {left} left out"
    return Page(title, list(_blocks(rows, findings, next_commands)), heading="Options and keys")


def _blocks(rows: Sequence[OptionRow], findings: Sequence[Finding], next_commands: Sequence[str]) -> Iterator[Block]:
    for command in dict.fromkeys((row.file, row.command) for row in rows):
        entries = [
            (row.option, row.value, _below_cluster(row.key) or row.became, row.reason)
            for row in rows
            if (row.file, row.command) == command
        ]
        yield Heading(command[1], level=2)
        yield Table((Column("option", whole=True), Column("value"), Column("key"), Column("reason")), entries)
    tones: tuple[tuple[Severity, Tone], ...] = ((Severity.ERROR, "bad"), (Severity.WARNING, "careful"))
    for severity, tone in tones:
        found = [f"{item.rule}: {printable(item.message, _LONGEST)}" for item in findings if item.severity is severity]
        if found:
            yield Bullets(found, label=severity.name.lower(), tone=tone)
    if next_commands:
        yield Paragraph("Next:")
        yield Code("\n".join(next_commands), language="bash", tone="")


def _below_cluster(key: str) -> str:
    """The key without the cluster, which is the same in all rows of most tables."""
    parts = key.split(".", 2)
    return parts[2] if len(parts) > 2 and parts[0] == "clusters" else key  # noqa: PLR2004 - clusters, NAME, the key


def problem_lines(problems: Sequence[Problem]) -> Iterator[str]:
    """Each problem with its place, as `FILE:LINE:COLUMN: message`."""
    for problem in problems:
        place = f"{problem.file}:{problem.line}:{problem.column}: " if problem.line else ""
        place = place or (f"{problem.file}: " if problem.file else "")
        fix = f" (fix: {problem.fix})" if problem.fix else ""
        yield printable(f"{place}{problem.message}{fix}", 1000)


def translation_data(rows: Sequence[OptionRow], findings: Sequence[Finding]) -> dict[str, object]:
    """The same for programs."""
    return {
        "options": [
            {
                "command": row.command,
                "option": row.option,
                "value": row.value,
                "became": row.became.replace(" ", "_"),
                **({"key": row.key} if row.key else {}),
                **({"reason": row.reason} if row.reason else {}),
                **({"file": row.file, "line": row.line} if row.line else {}),
            }
            for row in rows
        ],
        "findings": [
            {"rule": item.rule, "severity": item.severity.name.lower(), "message": item.message} for item in findings
        ],
    }
