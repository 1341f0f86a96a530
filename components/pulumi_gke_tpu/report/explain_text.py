"""Explanations as text for people: each value, why it is that, and where the fact was read."""

from collections.abc import Iterable

from pulumi_gke_tpu.advice.steps import Evidence, Explanation, Remark, Step
from pulumi_gke_tpu.report import findings_layout as layout
from pulumi_gke_tpu.report.findings_layout import Page, Word, cells, words
from pulumi_gke_tpu.report.findings_parts import one_line, safe

_WIDEST_LABEL = 20
_GAP = 2


def explain_text(explanation: Explanation, *, width: int, colour: bool) -> str:
    """Show an explanation. One value alone is told in full, with what its sources do not agree on.

    Lines are at most ``width`` columns wide, apart from single words that are wider and YAML to paste. The text has
    no final line break and no control characters but line breaks and, with ``colour``, the codes of colours.
    """
    page = Page(width, colour)
    in_full = len(explanation.steps) == 1
    indent = min(max((cells(step.name) for step in explanation.steps), default=0), _WIDEST_LABEL) + _GAP
    blocks = [_head(explanation, page)]
    blocks += [_step(step, page, indent, in_full) for step in explanation.steps]
    if explanation.problem:
        blocks.append(page.flow(words(_said(explanation.problem), layout.RED), lead="  ", hang=2))
    if explanation.paste:
        blocks.append(_paste(explanation.paste, page))
    if explanation.remarks:
        blocks.append(_remarks(explanation.remarks, page))
    return "\n\n".join("\n".join(block) for block in blocks)


def _head(explanation: Explanation, page: Page) -> list[str]:
    head = [Word(f"{_said(explanation.item)}:", layout.BOLD), *words(_said(explanation.summary))]
    return page.flow([*head, *words(f"(catalog {_said(explanation.catalog)})", layout.DIM)], hang=2)


def _step(step: Step, page: Page, indent: int, in_full: bool) -> list[str]:
    label = _said(step.name)
    lead = f"{label:<{indent}}" if cells(label) < indent else f"{label}  "
    left = " " * indent
    lines = page.flow(words(_said(step.value), layout.BOLD), lead=lead, hang=indent)
    lines += page.flow(words(_said(step.because)), lead=left, hang=indent)
    for detail in step.details:
        lines += page.flow(words(_said(detail)), lead=f"{left}- ", hang=indent + 2)
    for fact in step.evidence:
        lines += _evidence(fact, page, left, in_full)
    return lines


def _evidence(fact: Evidence, page: Page, left: str, in_full: bool) -> list[str]:
    rows = [("source", fact.text)]
    if in_full:
        rows += [("note", fact.note), ("but", fact.conflict)]
    lines: list[str] = []
    for label, text in rows:
        if text:
            lead = f"{left}{label}: "
            lines += page.flow(words(_said(text), layout.DIM), lead=lead, hang=len(left) + 2)
    return lines


def _paste(text: str, page: Page) -> list[str]:
    return ["in a plan", *(f"  {page.paint(safe(line), layout.GREEN)}" for line in text.splitlines())]


def _remarks(remarks: Iterable[Remark], page: Page) -> list[str]:
    lines = ["notes"]
    for remark in remarks:
        said = [*words(_said(remark.text)), *words(f"({_said(remark.evidence.text)})", layout.DIM)]
        lines += page.flow(said, lead="- ", hang=2)
    return lines


def _said(text: str) -> str:
    return layout.no_mark(one_line(text))
