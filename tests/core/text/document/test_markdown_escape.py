"""Markdown: every name from a plan stays text."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.markdown_structure import automatic, words

from pulumi_gke_tpu.core.text.document.markdown_writer import code, fenced, prose, text


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
        ("@someone", "`@someone`"),
        ("ask (@someone).", "ask (`@someone`)."),
        ("https://example.com", "`https://example.com`"),
        ("www.example.com", "`www.example.com`"),
        ("#1", "`#1`"),
        ("main (merge base 0123456789ab)", "main (merge base `0123456789ab`)"),
        ("1.34.1-gke.1234567", "1.34.1-gke.1234567"),
        (":tada:", "`:tada:`"),
        ("see 0123abc: fixed", "see `0123abc`: fixed"),
        ("from 12:30:00", "from 12:30:00"),
        ("x|@someone|y", r"x\|`@someone`\|y"),
        ("`@someone`", r"\``@someone`\`"),
        ("- item", r"\- item"),
        ("1. item", r"1\. item"),
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
    assert automatic(written) == {}
    assert not re.search(r"(?<!\\)(?:\\\\)*\|", written)


@given(st.text(alphabet="ab1 .-:#@/`|\\()0123456789abcdef", max_size=60))
def test_what_is_copied_is_what_was_written(value: str) -> None:
    shown = words(text(f"x {value} x")).replace("\n", "")
    assert shown.split() == f"x {value} x".split()


@given(st.text(alphabet="`ab \\"))
def test_code_is_closed_by_its_own_fence_only(value: str) -> None:
    written = code(value)
    fence = re.match("`+", written)
    assert fence is not None
    inner = written[len(fence[0]) : -len(fence[0])]
    assert all(len(run) != len(fence[0]) for run in re.findall("`+", inner.strip(" ")))


@given(st.text(alphabet="ab1 @:`|\\", max_size=30))
@example("`a`@b`c`")
@example("`a|b`:x:")
def test_sentences_with_names_hold_no_links_either(value: str) -> None:
    for in_table in (True, False):
        assert automatic(f"x {prose(value, in_table=in_table)}") == {}


def test_names_in_sentences_are_code() -> None:
    assert prose("`a` was `b|c`") == r"`a` was `b|c`"
    assert prose("`a` was `b|c`", in_table=True) == r"`a` was b\|c"
    assert prose("`a`@someone") == "`a` `@someone`"


def test_a_block_with_fences_gets_a_longer_fence() -> None:
    assert fenced("```\nx\n```", "yaml").splitlines()[0] == "````yaml"
