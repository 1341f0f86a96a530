"""Lines for a terminal: how wide text is, where it wraps, how it is cut."""

import pytest

from pulumi_gke_tpu.core.text.document.terminal import (
    LineLayout,
    Word,
    cells,
    cut_end,
    cut_path,
    cut_start,
    no_command,
    no_mark,
    words,
)

PAGE = LineLayout(width=30, color=False)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        pytest.param("", ["lead:"], id="nothing to say"),
        pytest.param("exactly four and twenty.", ["lead: exactly four and twenty."], id="just fits"),
        pytest.param("exactly five and twenty x", ["lead: exactly five and twenty", "    x"], id="does not fit"),
        pytest.param("two  spaces", ["lead: two  spaces"], id="spaces within a line stay"),
        pytest.param(
            "exactly four and twenty.  x", ["lead: exactly four and twenty.", "    x"], id="at its end they go"
        ),
        pytest.param("a " + "x" * 40 + " b", ["lead: a", "    " + "x" * 40, "    b"], id="a wide word stays whole"),
        pytest.param("日本日本日本 日本日本日本", ["lead: 日本日本日本", "    日本日本日本"], id="wide characters"),
        pytest.param("x" * 24 + " ::error::", ["lead: " + "x" * 24, "    \\x3a:error::"], id="no command at a start"),
    ],
)
def test_words_flow_into_lines(text: str, lines: list[str]) -> None:
    assert PAGE.flow(words(text), lead="lead: ", hang=4) == lines


def test_color_takes_no_room() -> None:
    colored = [Word("x" * 14, "1"), Word("y" * 15, "2")]
    assert LineLayout(30, True).flow(colored) == [f"\x1b[1m{'x' * 14}\x1b[0m \x1b[2m{'y' * 15}\x1b[0m"]


@pytest.mark.parametrize(("text", "width"), [("", 0), ("tpu", 3), ("日本", 4), ("e\u0301", 1), ("…", 1), ("ｖ６", 4)])
def test_cells(text: str, width: int) -> None:
    assert cells(text) == width


@pytest.mark.parametrize(
    ("text", "room", "end", "start"),
    [
        ("abcdef", 6, "abcdef", "abcdef"),
        ("abcdef", 5, "abcd…", "…cdef"),
        ("abcdef", 1, "…", "…"),
        ("abcdef", 0, "", ""),
        ("", 0, "", ""),
        ("日本日", 4, "日…", "…日"),
    ],
)
def test_long_text_is_cut(text: str, room: int, end: str, start: str) -> None:
    assert cut_end(text, room) == end
    assert cut_start(text, room) == start


@pytest.mark.parametrize(
    ("path", "room", "shown"),
    [
        ("/a/b/plan.yaml", 14, "/a/b/plan.yaml"),
        ("/a/b/plan.yaml", 13, "…/b/plan.yaml"),
        ("/a/b/plan.yaml", 12, "…/plan.yaml"),
        ("/a/b/plan.yaml", 11, "…/plan.yaml"),
        ("/a/b/plan.yaml", 10, "…plan.yaml"),
        ("C:\\a b\\c\\plan.yaml", 13, "…\\c\\plan.yaml"),
        ("main...feature", 8, "…feature"),
        ("/a/plan.yaml", 0, ""),
    ],
)
def test_a_long_path_loses_its_first_folders(path: str, room: int, shown: str) -> None:
    assert cut_path(path, room) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [("##[error]x", "##\\x5berror]x"), ("a ##vso[b]", "a ##vso\\x5bb]"), ("## [a]", "## [a]"), ("#[a]", "#[a]")],
)
def test_marks_of_log_commands_are_escaped_anywhere(text: str, shown: str) -> None:
    assert no_mark(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [("::error::x", "\\x3a:error::x"), (" \u00a0::x", " \u00a0\\x3a:x"), (":x", ":x"), ("a::x", "a::x")],
)
def test_log_commands_are_escaped_at_a_start(text: str, shown: str) -> None:
    assert no_command(text) == shown
