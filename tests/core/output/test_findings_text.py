"""Findings as text: what people see, at the widths they have, and what no plan may make them see."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.each import each
from support.findings_samples import ACCEPTED, ERROR, HOSTILE_FINDINGS, MULTI_LINE, NAMELESS, NOTE, WARNING, disturbing

from pulumi_gke_tpu.core.output.text import findings_text
from pulumi_gke_tpu.core.text.findings import Finding, Position, Severity, Verbatim, printable

ERROR_80 = """\
stacks/prod/plan.yaml:31:19: error TPU112: v6e has no topology 4x3
  | topology: 4x3
  |           ^^^
  allowed: 1x1, 2x2, 2x4, 4x4, 4x8, 8x8, 8x16, 16x16
  try:     topology: 4x4      # 4x4 has 16 chips; 4x3 would have 12
  why:     GKE refuses the node pool; there are no custom 2D topologies
  source:  Plan TPUs in GKE, read 2026-11-20

1 error"""

ERROR_40 = """\
stacks/prod/plan.yaml:31:19: error TPU112: v6e
    has no topology 4x3
  | topology: 4x3
  |           ^^^
  allowed: 1x1, 2x2, 2x4, 4x4, 4x8, 8x8,
           8x16, 16x16
  try:     topology: 4x4      # 4x4 has 16 chips; 4x3 would have 12
  why:     GKE refuses the node pool;
           there are no custom 2D
           topologies
  source:  Plan TPUs in GKE, read
           2026-11-20

1 error"""

WARNING_80 = """\
clusters.train-east.slices["my group"].zone: warning TPU205: no list names zone
    us-east5-c for v6e
  given:   zone: us-east5-c

1 warning"""

WARNING_140 = """\
clusters.train-east.slices["my group"].zone: warning TPU205: no list names zone us-east5-c for v6e
  given:   zone: us-east5-c

1 warning"""

NAMELESS_80 = """\
clusters.train-east.slices["my group"].zone: warning TPU205: no list names zone
    us-east5-c for v6e
  | zone: us-east5-c
  |    ^

1 warning"""

MULTI_LINE_40 = """\
clusters.train-east.slices["my group"].zone: warning TPU205: no
    list names zone us-east5-c for v6e
  given:   zone: us-east5-c
  try:
      acknowledge:
        - change: replace

          of: train-east/pretrain # a line that is wider than forty columns

1 warning"""

ACCEPTED_80 = """\
clusters.train-east.slices["my group"].zone: accepted TPU205: no list names zone
    us-east5-c for v6e
  reason:  confirmed by support, until 2026-12-01

1 accepted"""

NOTE_80 = """\
stacks/prod/plan.yaml:1:1: note TPU401: the plan has no slices

1 note"""


def test_the_first_link_of_the_source_is_shown_in_one_piece() -> None:
    link = "https://example.com/a-page-with-an-address-that-is-wider-than-forty-columns"
    shown = findings_text([replace(ERROR, links=(link, "https://example.com/b"))], width=40, color=False)
    assert f"  see:     {link}\n" in shown or f"\n           {link}\n" in shown
    assert "example.com/b" not in shown


@pytest.mark.parametrize(
    ("finding", "width", "shown"),
    [
        pytest.param(ERROR, 80, ERROR_80, id="an error in a file"),
        pytest.param(ERROR, 140, ERROR_80, id="what fits stays as it is"),
        pytest.param(ERROR, 40, ERROR_40, id="a narrow terminal"),
        pytest.param(WARNING, 80, WARNING_80, id="a path where there is no file"),
        pytest.param(WARNING, 140, WARNING_140, id="a wide terminal"),
        pytest.param(NAMELESS, 80, NAMELESS_80, id="a path where the file has no name"),
        pytest.param(MULTI_LINE, 40, MULTI_LINE_40, id="a fix of several lines is never wrapped"),
        pytest.param(ACCEPTED, 80, ACCEPTED_80, id="an accepted warning is short"),
        pytest.param(NOTE, 80, NOTE_80, id="a line without text is not quoted"),
    ],
)
def test_one_finding(finding: Finding, width: int, shown: str) -> None:
    assert findings_text([finding], width=width, color=False) == shown


@pytest.mark.parametrize(
    ("findings", "summary"),
    [
        ([], "no findings"),
        ([ERROR, ERROR, WARNING], "2 errors, 1 warning"),
        ([WARNING, WARNING, NOTE, NOTE], "2 warnings, 2 notes"),
        ([ERROR, ACCEPTED, ACCEPTED], "1 error, 2 accepted"),
        ([ACCEPTED], "1 accepted"),
        ([replace(ERROR, accepted="an error cannot be accepted")], "1 error"),
    ],
)
def test_the_last_line_is_a_summary(findings: list[Finding], summary: str) -> None:
    assert findings_text(findings, width=80, color=False).splitlines()[-1] == summary


def test_a_note_is_one_line_and_its_fix() -> None:
    note = replace(NOTE, given="count: 1", why="because", source="a page", links=("https://example.com",))
    assert findings_text([note], width=80, color=False) == NOTE_80
    text = findings_text([replace(note, change=Verbatim("count: 2"))], width=80, color=False)
    assert text.splitlines() == [NOTE_80.splitlines()[0], "  try:     count: 2", "", "1 note"]


def test_findings_are_separated_and_sorted_by_position() -> None:
    text = findings_text([ERROR, NOTE, WARNING], width=80, color=False)
    assert [part.split()[1:3] for part in text.split("\n\n")[:-1]] == [
        ['group"].zone:', "warning"],
        ["note", "TPU401:"],
        ["error", "TPU112:"],
    ]


def _quoted(line: str, column: int, end_column: int, width: int = 80) -> list[str]:
    finding = replace(ERROR, position=Position("plan.yaml", 1, column, end_column, line))
    shown = findings_text([finding], width=width, color=False).splitlines()
    return [part.removeprefix("  |").removeprefix(" ") for part in shown if part.startswith("  |")]


@pytest.mark.parametrize(
    ("line", "column", "end_column", "shown"),
    [
        pytest.param("    tpu: v6e", 10, 13, ["tpu: v6e", "     ^^^"], id="without its indentation"),
        pytest.param("    tpu: v6e", 2, 3, ["   tpu: v6e", "^"], id="a place within the indentation"),
        pytest.param("tpu:", 5, 6, ["tpu:", "    ^"], id="a place after the last character"),
        pytest.param("tpu: v6e", 6, 99, ["tpu: v6e", "     ^^^"], id="an end beyond the line"),
        pytest.param("日本: v6e", 5, 8, ["日本: v6e", "      ^^^"], id="wide characters take two columns"),
        pytest.param("e\u0301: v6e", 5, 8, ["e\u0301: v6e", "   ^^^"], id="a combining character takes none"),
        pytest.param("a\x1b: v6e", 5, 8, ["a\\x1b: v6e", "       ^^^"], id="an escaped character takes four"),
        pytest.param("##[x]: v6e", 8, 11, ["##�x]: v6e", "       ^^^"], id="no log command, and no shift"),
        pytest.param("tpu: v6e", 10, 11, [], id="a place beyond the text"),
        pytest.param("   ", 1, 2, [], id="a blank line"),
    ],
)
def test_carets_are_under_the_value(line: str, column: int, end_column: int, shown: list[str]) -> None:
    assert _quoted(line, column, end_column) == shown


@pytest.mark.parametrize(
    ("line", "column", "end_column", "marked"),
    [
        pytest.param("x" * 300 + " needle " + "y" * 300, 302, 308, "needle", id="in the middle"),
        pytest.param("needle " + "y" * 300, 1, 7, "needle", id="at the start"),
        pytest.param("x" * 300 + " needle", 302, 308, "needle", id="at the end"),
        pytest.param("x " + "n" * 300, 3, 303, "n" * 33 + "…", id="a value that is wider than the terminal"),
        pytest.param("x" * 300, 301, 302, "", id="after the last character"),
    ],
)
def test_of_a_long_line_the_part_with_the_value_is_shown(line: str, column: int, end_column: int, marked: str) -> None:
    text, carets = _quoted(line, column, end_column, width=40)
    assert len(text) <= 36
    assert len(carets) <= 36
    assert text[carets.find("^") : carets.rfind("^") + 1].rstrip() == marked


@given(words=st.lists(st.text("abc", min_size=1, max_size=12), min_size=1, max_size=60), width=st.integers(40, 140))
def test_lines_keep_to_the_width(words: list[str], width: int) -> None:
    text = " ".join(words)
    finding = Finding("TPU112", Severity.ERROR, ("clusters",), text, text, tuple(words), text, None, text)
    lines = findings_text([finding], width=width, color=False).splitlines()
    assert len(lines[0]) <= max(width, len(f"clusters: error TPU112: {words[0]}"))
    assert max(map(len, lines[1:])) <= width
    assert " ".join(" ".join(lines).split()) == (
        f"clusters: error TPU112: {text} given: {text} allowed: {', '.join(words)} why: {text} source: {text} 1 error"
    )


@each("length", range(20, 161))
def test_location_severity_rule_and_the_start_of_the_message_are_on_one_line(length: int) -> None:
    finding = replace(ERROR, position=Position("p" * length, 31, 19, 22, "        topology: 4x3"))
    first, *others = findings_text([finding], width=100, color=False).splitlines()
    assert first.startswith(f"{'p' * length}:31:19: error TPU112: v6e")
    assert max(map(len, others)) <= 100


@pytest.mark.parametrize("width", [-1, 0, 1, 29])
def test_a_width_that_cannot_be_is_taken_for_thirty(width: int) -> None:
    assert findings_text([ERROR], width=width, color=False) == findings_text([ERROR], width=30, color=False)


def test_a_long_entry_of_what_is_allowed_wraps_between_its_words() -> None:
    finding = replace(WARNING, given="", allowed=("4 (two hosts, each of four chips)", "8"))
    assert findings_text([finding], width=40, color=False).splitlines()[2:4] == [
        "  allowed: 4 (two hosts, each of four",
        "           chips), 8",
    ]


@pytest.mark.parametrize("text", ["\x1b[2Jx", "\u202etpu", "a\x00b", "\ud800"])
def test_what_is_escaped_already_is_not_escaped_again(text: str) -> None:
    escaped = printable(text)
    finding = replace(
        WARNING, message=escaped, given=escaped, why=escaped, change=Verbatim(escaped), allowed=(escaped,)
    )
    assert findings_text([finding], width=80, color=False).count(escaped) == 5
    assert findings_text([replace(WARNING, message=text)], width=80, color=False) == findings_text(
        [replace(WARNING, message=escaped)], width=80, color=False
    )


@given(findings=HOSTILE_FINDINGS, width=st.integers(0, 160))
def test_nothing_that_a_plan_contains_disturbs_a_terminal_or_commands_a_build(
    findings: list[Finding], width: int
) -> None:
    text = findings_text(findings, width=width, color=False)
    assert disturbing(text.replace("\n", "")) == []
    assert [line for line in text.split("\n") if line.strip().startswith("::")] == []
    assert re.findall(r"##\w*\[", text) == []


@pytest.mark.parametrize(
    "finding",
    [
        pytest.param(replace(ERROR, position=Position("::error::x", 1, 1, 2)), id="file"),
        pytest.param(replace(ERROR, position=None, path=(), message="\u00a0 ::error::x " * 9), id="message"),
        pytest.param(replace(ERROR, allowed=("::error::x",) * 9), id="allowed"),
        pytest.param(replace(ERROR, why="::error::x " * 9), id="why"),
        pytest.param(replace(ERROR, change=Verbatim("a:\n::error::x\n  ::error::x")), id="fix"),
        pytest.param(replace(ACCEPTED, accepted="::error::x " * 9), id="accepted"),
    ],
)
@pytest.mark.parametrize("color", [False, True])
def test_no_line_is_a_command_to_a_build(finding: Finding, color: bool) -> None:
    lines = findings_text([finding], width=30, color=color).splitlines()
    assert any("error::x" in line for line in lines)
    assert [line for line in lines if line.strip().startswith("::")] == []


@given(findings=HOSTILE_FINDINGS, width=st.integers(0, 160))
def test_color_adds_codes_and_nothing_else(findings: list[Finding], width: int) -> None:
    colored = findings_text(findings, width=width, color=True)
    assert re.sub(r"\x1b\[(1;3[136]|32|1|2|0)m", "", colored) == findings_text(findings, width=width, color=False)


@pytest.mark.parametrize(
    ("finding", "shown"),
    [
        (ERROR, "\x1b[1;31merror\x1b[0m \x1b[1mTPU112:\x1b[0m v6e"),
        (ERROR, "\x1b[32mtopology: 4x4      # 4x4 has 16 chips; 4x3 would have 12\x1b[0m"),
        (ERROR, "\x1b[1;31m^^^\x1b[0m"),
        (WARNING, "\x1b[1;33mwarning\x1b[0m"),
        (NOTE, "\x1b[1;36mnote\x1b[0m"),
        (ACCEPTED, "\x1b[2maccepted\x1b[0m"),
    ],
)
def test_colors(finding: Finding, shown: str) -> None:
    assert shown in findings_text([finding], width=140, color=True)


@given(findings=HOSTILE_FINDINGS)
def test_the_order_in_which_findings_come_does_not_matter(findings: list[Finding]) -> None:
    assert findings_text(findings, width=80, color=False) == findings_text(findings[::-1], width=80, color=False)
