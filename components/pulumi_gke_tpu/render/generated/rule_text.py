"""Rules as text for people."""

from collections.abc import Iterable, Mapping
from typing import Any

from pulumi_gke_tpu.catalog.records.facts import Source
from pulumi_gke_tpu.document import terminal
from pulumi_gke_tpu.document.terminal import Page, Word, words
from pulumi_gke_tpu.findings import Severity, one_line, safe
from pulumi_gke_tpu.render.generated.rule_page import severity_words
from pulumi_gke_tpu.rules import Rule
from pulumi_gke_tpu.rules.engine.sources import rule_source

_COLOURS = {Severity.ERROR: terminal.RED, Severity.WARNING: terminal.YELLOW, Severity.NOTE: terminal.CYAN}


def rule_text(rule: Rule[Any], sources: Mapping[str, Source], *, width: int, colour: bool) -> str:
    """One rule: title, why, the failing and the passing example, fix and source."""
    page = Page(width, colour)
    severity = Word(rule.severity.word, _COLOURS[rule.severity])
    blocks = [
        page.flow([Word(rule.id, terminal.BOLD), severity, *words(one_line(rule.title), terminal.BOLD)], hang=2),
        page.flow(words(f"{rule.name}, since {rule.since}"), lead="name     ", hang=9),
        page.flow(words(one_line(severity_words(rule))), lead="severity ", hang=9),
        page.flow(words(one_line(rule.why)), lead="why      ", hang=9),
        ["example", *_code(rule.failing, page, terminal.RED)],
        ["use instead", *_code(rule.passing, page, terminal.GREEN)],
        page.flow(words(one_line(rule.fix)), lead="fix      ", hang=9),
        page.flow(words(one_line(rule_source(rule, sources)), terminal.DIM), lead="source   ", hang=9),
        *_links(rule, sources, page),
    ]
    if rule.today:
        blocks[4].insert(1, f"  (judged on {rule.today})")
    return "\n\n".join("\n".join(block) for block in blocks)


def _links(rule: Rule[Any], sources: Mapping[str, Source], page: Page) -> list[list[str]]:
    """One line for each address: a terminal makes it a link."""
    links = [sources[name].link for name in rule.references if name in sources]
    shown = [page.paint(safe(link), terminal.DIM) for link in links if link]
    return (
        [[f"{'see':<9}{link}" if number == 0 else f"{'':<9}{link}" for number, link in enumerate(shown)]]
        if shown
        else []
    )


def _code(block: str, page: Page, colour: str) -> list[str]:
    return [f"    {page.paint(safe(line), colour)}".rstrip() for line in block.splitlines()]


def rules_text(rules: Iterable[Rule[Any]], *, width: int, colour: bool) -> str:
    """All rules in one line each: id, severities, title."""
    page = Page(width, colour)
    lines: list[str] = []
    shown = [(rule, "/".join(severity.word for severity in rule.severities)) for rule in rules]
    widest = max((len(severities) for _, severities in shown), default=0)
    for rule, severities in shown:
        severity = page.paint(f"{severities:<{widest}}", _COLOURS[rule.severity])
        lines += page.flow(words(one_line(rule.title)), lead=f"{rule.id}  {severity} ", hang=9 + widest)
    return "\n".join(lines)
