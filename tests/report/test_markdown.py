"""Markdown: whatever a plan contains stays text."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulumi_gke_tpu.report.markdown import code, fenced, table, text

JOINER = "\u2060"


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("us-east5-b", "us-east5-b"),
        ("0..8", "0..8"),
        ("no_minor_upgrades", "no_minor_upgrades"),
        ("_emphasis_", r"\_emphasis\_"),
        ("a|b", r"a\|b"),
        ("`rm`", r"\`rm\`"),
        ("<script>", "&lt;script>"),
        ("[a](b)", r"\[a\](b)"),
        ("@someone", f"@{JOINER}someone"),
        ("https://example.com", f"https:{JOINER}//example.com"),
        ("www.example.com", f"www{JOINER}.example.com"),
        ("#1", rf"\#{JOINER}1"),
        ("- item", f"{JOINER}- item"),
        ("1. item", f"{JOINER}1. item"),
        ("$x$", r"\$x\$"),
        ("two\nlines", r"two\\x0alines"),
    ],
)
def test_text_keeps_its_meaning(value: str, written: str) -> None:
    assert text(value) == written


@given(st.text())
def test_text_is_one_line_without_html_mentions_or_cells(value: str) -> None:
    written = text(value)
    assert "\n" not in written
    assert "<" not in written
    assert not re.search(r"@\w", written)
    assert not re.search(r"(?<!\\)(?:\\\\)*\|", written)


@given(st.text(alphabet="`ab \\"))
def test_code_is_closed_by_its_own_fence_only(value: str) -> None:
    written = code(value)
    fence = re.match("`+", written)
    assert fence is not None
    inner = written[len(fence[0]) : -len(fence[0])]
    assert all(len(run) != len(fence[0]) for run in re.findall("`+", inner.strip(" ")))


def test_a_block_with_fences_gets_a_longer_fence() -> None:
    assert fenced("```\nx\n```", "yaml").splitlines()[0] == "````yaml"


def test_a_table_has_one_line_per_row_and_one_cell_per_heading() -> None:
    lines = table(["a", "b"], [["1|2", "x\ny"], ["", "z"]]).splitlines()
    assert len(lines) == 4
    assert all(len(re.findall(r"(?<!\\)\|", line)) == 3 for line in lines)
    assert table(["a"], []) == ""
