"""What the forms share: text that is safe stays as it is, and equal findings come in one order."""

from dataclasses import replace

import pytest
from hypothesis import given
from support.findings_samples import ACCEPTED, ERROR, HOSTILE, HOSTILE_FINDINGS, MULTI_LINE, NOTE, WARNING, disturbing

from pulumi_gke_tpu.core.output.parts import Counts, count, detail_lines, fix_lines, in_order
from pulumi_gke_tpu.core.text.findings import Finding, Verbatim, one_line, safe


@given(text=HOSTILE)
def test_safe_text_is_not_escaped_again(text: str) -> None:
    assert safe(safe(text)) == safe(text)
    assert one_line(one_line(text)) == one_line(text)
    fix = fix_lines(replace(WARNING, change=Verbatim(text)))
    assert fix_lines(replace(WARNING, change=Verbatim("\n".join(fix)))) == fix


def test_long_text_is_not_cut() -> None:
    assert one_line("x" * 1000) == "x" * 1000


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("one\ntwo\r\nthree\rfour", "one two three four"),
        ("  one  \n\n  two  ", "one two"),
        ("two  spaces", "two  spaces"),
        ("a\ttab\x1b[31m", "a\\x09tab\\x1b[31m"),
    ],
)
def test_one_line(text: str, line: str) -> None:
    assert one_line(text) == line


@pytest.mark.parametrize(
    ("fix", "lines"),
    [
        ("", ()),
        ("\n \n", ()),
        ("tpu: v5e", ("tpu: v5e",)),
        ("\n  a:\r\n    b: c  \n\n  d:\n", ("  a:", "    b: c", "", "  d:")),
        ("a: \x1b[2J", ("a: \\x1b[2J",)),
    ],
)
def test_a_fix_keeps_its_lines_and_their_indentation(fix: str, lines: tuple[str, ...]) -> None:
    assert fix_lines(replace(WARNING, change=Verbatim(fix))) == lines


@pytest.mark.parametrize(
    ("finding", "lines"),
    [
        (NOTE, ()),
        (
            replace(WARNING, allowed=("a", "b"), change=Verbatim("c"), why="d", source="e"),
            ("allowed: a, b", "try: c", "why: d", "source: e"),
        ),
        (replace(MULTI_LINE, change=Verbatim("a:\n\n  b")), ("try:", "    a:", "", "      b")),
        (replace(ACCEPTED, why="not shown"), ("reason: confirmed by support, until 2026-12-01",)),
    ],
)
def test_details(finding: Finding, lines: tuple[str, ...]) -> None:
    assert detail_lines(finding) == lines


def test_every_finding_is_counted_once() -> None:
    findings = [ERROR, WARNING, WARNING, NOTE, ACCEPTED, replace(NOTE, accepted="x"), replace(ERROR, accepted="x")]
    assert count(findings) == Counts(errors=2, warnings=2, notes=1, accepted=2)


@given(findings=HOSTILE_FINDINGS)
def test_the_order_is_that_of_the_findings_and_not_that_of_their_coming(findings: list[Finding]) -> None:
    assert in_order(findings) == in_order(findings[::-1])
    assert sorted(map(repr, in_order(findings))) == sorted(map(repr, findings))


@given(text=HOSTILE)
def test_nothing_in_safe_text_disturbs_a_terminal(text: str) -> None:
    assert disturbing(safe(text)) == []
