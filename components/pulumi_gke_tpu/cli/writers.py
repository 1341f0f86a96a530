"""The output formats: those of pages, data and findings are here, and a command adds those that only it has.

A writer is imported when it writes.
"""

import io
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any

import click

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings import MOST_SHOWN, Finding, Replacement, printable_path

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.output.read_sources import ReadSources
    from pulumi_gke_tpu.core.text.document.model import Page

_FIRST = "text"
"""The default format of every command that has it."""
_MOST_REPLACEMENTS = 100


@frozen
class Screen:
    """Where text is shown: the number of columns, and whether colors are wanted."""

    width: int
    color: bool


@frozen
class ShownFindings:
    """The findings, how many of them a format for people shows, and the files by name in which fixes are described."""

    findings: tuple[Finding, ...]
    max_findings: int = MOST_SHOWN
    """0 shows all of them."""
    texts: Mapping[str, str] = field(default_factory=dict)
    read: "ReadSources | None" = None
    """What was read of the files of a command; None for plans."""


def _page(output_format: str, page: "Page", screen: Screen) -> str:
    if output_format == "markdown":
        from pulumi_gke_tpu.core.text.document.markdown_writer import write_markdown

        return write_markdown(page.in_markdown)
    from pulumi_gke_tpu.core.text.document.text_writer import write_text

    return write_text(page.in_terminal, width=screen.width, color=screen.color)


def _data(_: str, data: object, __: Screen) -> str:
    from pulumi_gke_tpu.core.text.jsonfile.parsing import json_text

    return json_text(data)


def _findings(output_format: str, shown: ShownFindings, screen: Screen) -> str:
    match output_format:
        case "json":
            from pulumi_gke_tpu.core.output.json import findings_json

            return _data("", findings_json(shown.findings, shown.read), screen)
        case "github":
            from pulumi_gke_tpu.core.output.github import findings_github

            return findings_github(shown.findings, shown.max_findings, shown.read)
        case "gitlab":
            from pulumi_gke_tpu.core.output.gitlab import findings_gitlab

            return findings_gitlab(shown.findings, shown.read)
        case "junit":
            from pulumi_gke_tpu.core.output.junit import findings_junit

            return findings_junit(shown.findings, shown.read)
        case "sarif":
            from pulumi_gke_tpu._version import __version__
            from pulumi_gke_tpu.core.output.sarif import findings_sarif
            from pulumi_gke_tpu.core.rules import all_rules

            changes = _replacements(shown)
            sarif = findings_sarif(
                shown.findings, version=__version__, rules=all_rules(), replacements=changes, read=shown.read
            )
            return _data("", sarif, screen)
        case _:
            from pulumi_gke_tpu.core.output.text import findings_text

            return findings_text(
                shown.findings, width=screen.width, color=screen.color, most=shown.max_findings, read=shown.read
            )


def _replacements(shown: ShownFindings) -> dict[Finding, Replacement]:
    """What the first fixes without an alternative change in the files."""
    from pulumi_gke_tpu.core.workflows.fixing import replacements

    by_name = {printable_path(name): text for name, text in shown.texts.items()}
    fixes = [(finding, finding.position) for finding in shown.findings if finding.only_fix and finding.position]
    by_file: dict[str, list[Finding]] = {}
    for finding, place in fixes[:_MOST_REPLACEMENTS]:
        by_file.setdefault(place.file, []).append(finding)
    found: dict[Finding, Replacement] = {}
    for name, findings in by_file.items():
        if name in by_name:
            found |= replacements(by_name[name], findings)
    return found


_KINDS: Mapping[str, tuple[tuple[str, ...], Callable[[str, Any, Screen], str]]] = {
    "page": (("text", "markdown"), _page),
    "data": (("json",), _data),
    "findings": (("text", "github", "gitlab", "json", "junit", "sarif"), _findings),
}
"""Kind of content -> its formats, and what writes them. A new format of findings is a case and an entry here."""


def formats_of(*names: str) -> Sequence[str]:
    """The formats of kinds of content, and formats by their own name: text first, the default; the others sorted."""
    found = {each for name in names for each in (_KINDS[name][0] if name in _KINDS else (name,))}
    return sorted(found, key=lambda each: (each != _FIRST, each))


def written(output_format: str, screen: Screen, **offered: Callable[..., Any]) -> str | bytes:
    """What a format writes. ``offered`` are kinds of content, each computed only if used, and formats of the command.

    Raises:
        KeyError: nothing has this format.
    """
    if output_format in offered:
        own: str | bytes = offered[output_format](screen)
        return own
    kind = next((name for name in offered if name in _KINDS and output_format in _KINDS[name][0]), None)
    if kind is None:
        raise KeyError(output_format)
    return _KINDS[kind][1](output_format, offered[kind](), screen)


def echo(text: str | bytes, *, err: bool = False) -> None:
    """Write the result of :func:`written`: text with one line break at its end, bytes as they are in any locale."""
    if isinstance(text, str):
        click.echo(text.rstrip("\n"), color=True, err=err)
        return
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", newline="")
    click.echo(text.decode("utf-8"), nl=False, color=True)
