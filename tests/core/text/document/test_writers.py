"""One document, two writers: each block as text and as Markdown."""

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.markdown_structure import automatic, structure

from pulumi_gke_tpu.core.text.document.markdown_writer import write_markdown
from pulumi_gke_tpu.core.text.document.model import (
    Alert,
    Block,
    Branch,
    Bullets,
    Code,
    Column,
    Document,
    Entries,
    Entry,
    Fields,
    Folded,
    Group,
    Heading,
    Limited,
    Lines,
    Link,
    Name,
    Paragraph,
    Piece,
    Prose,
    Series,
    Table,
    Toned,
    Tree,
)
from pulumi_gke_tpu.core.text.document.text_writer import write_text

ENTRY = Entry(
    Toned("REPLACE", "bad"), "train/a", ("x: 1 → 2",), Prose("`a-0` is deleted."), (("engine", Prose("`a` agrees")),)
)
COLUMNS = (Column("name"), Column("chips", right=True))

BLOCKS: dict[str, tuple[Block, str, str]] = {
    "heading": (Heading("A *title*", 2), "A *title*", "## A \\*title\\*"),
    "marker": (Heading("T", 3, "<!-- m -->"), "T", "<!-- m -->\n### T"),
    "paragraph": (
        Paragraph(("See ", Name("a|b"), ", ", Toned("now", "strong"), Prose(" or `x`"), ".")),
        "See a|b, now or `x`.",
        "See `a|b`, **now** or `x`.",
    ),
    "link": (
        Paragraph(("In ", Link("the docs", "https://example.com/a"), ".")),
        "In the docs (https://example.com/a).",
        "In [the docs](https://example.com/a).",
    ),
    "bullets": (Bullets(["one", Prose("`two`")], title="List:"), "List:\n- one\n- `two`", "List:\n\n- one\n- `two`"),
    "labeled": (
        Bullets(["one", "two"], title="Notes:", label="note"),
        "note: one\nnote: two",
        "Notes:\n\n- one\n- two",
    ),
    "table": (
        Table(COLUMNS, [("a|b", "4"), (Lines(("c", Name("d"))), "16")]),
        "name  chips\na|b       4\nc        16\nd",
        "| name | chips |\n| --- | --: |\n| a\\|b | 4 |\n| c<br>`d` | 16 |",
    ),
    "code": (Code("a: 1\n  b: *"), "a: 1\n  b: *", "```yaml\na: 1\n  b: *\n```"),
    "labeled code": (Code("a: 1\nb: 2", label="try"), "  try:     a: 1\n           b: 2", "```yaml\na: 1\nb: 2\n```"),
    "entries": (
        Entries([ENTRY], title="Changes:"),
        "REPLACE   train/a\n  x: 1 → 2\n  `a-0` is deleted.\n  engine:  `a` agrees",
        "Changes:\n\n- **REPLACE** train/a: x: 1 → 2 · `a-0` is deleted. · engine: `a` agrees",
    ),
    "list of entries": (
        Entries([Entry(Toned("NOTE", "good"), "a", text="why")]),
        "NOTE      a\n  why",
        "- NOTE a: why",
    ),
    "alert": (
        Alert("caution", [Paragraph(Toned("No", "strong")), Bullets(["a", "b"], title="Lost:")]),
        "No\nLost:\n- a\n- b",
        "> [!CAUTION]\n> **No**\n>\n> Lost:\n>\n> - a\n> - b",
    ),
    "fields": (
        Fields((("why", Paragraph("because")), ("example", Code("a: 1")))),
        "why  because\n\nexample\n    a: 1",
        "## why\n\nbecause\n\n## example\n\n```yaml\na: 1\n```",
    ),
    "group": (Group([Paragraph("a"), Bullets([]), Paragraph("b")]), "a\nb", "a\n\nb"),
    "series": (Series([Paragraph("a"), Bullets([]), Paragraph("b")]), "a\n\nb", "a\n\nb"),
    "folded": (
        Folded("More <b>", Paragraph("a")),
        "a",
        "<details><summary>More &lt;b&gt;</summary>\n\na\n\n</details>",
    ),
    "tree": (
        Tree("east", "Standard", (Branch(("a", "x", "1"), (Branch(("a-0", "y")),)), Branch(("long", "z")))),
        "east   Standard\n├─ a     x  1\n│  └─ a-0  y\n└─ long  z",
        "- **east** Standard\n  - a, x, 1\n    - a-0, y\n  - long, z",
    ),
}


@pytest.mark.parametrize("name", BLOCKS)
def test_a_block_in_both_forms(name: str) -> None:
    block, text, markdown = BLOCKS[name]
    assert write_text([block], width=80, color=False) == text
    assert write_markdown([block]) == f"{markdown}\n"


@pytest.mark.parametrize("block", [Bullets([]), Table(COLUMNS, []), Entries([]), Series([]), Folded("x", Bullets([]))])
def test_a_block_without_content_leaves_nothing(block: Block) -> None:
    around = [Paragraph("a"), block, Limited(block, "x"), Paragraph("b")]
    assert write_text(around, width=80, color=False) == "a\n\nb"
    assert write_markdown(around) == "a\n\nb\n"


@pytest.mark.parametrize(("tone", "code"), [("strong", "1"), ("bad", "1;31"), ("good", "32"), ("", None)])
def test_tones_are_colors_where_they_are_wanted(tone: str, code: str | None) -> None:
    block = Paragraph(("is ", Toned("x", tone)))  # type: ignore[arg-type]
    assert write_text([block], width=80, color=True) == (f"is \x1b[{code}mx\x1b[0m" if code else "is x")
    assert write_text([block], width=80, color=False) == "is x"


WIDE = Table(
    (Column("name", whole=True), Column("what it means"), Column("amount", right=True)),
    [("a-name-of-20-columns", "words " * 12 + "end", "1,000,000.00"), ("b", "short", "2")],
)


@pytest.mark.parametrize("width", [60, 80, 100])
def test_a_table_is_as_wide_as_the_terminal_and_keeps_names_and_numbers_whole(width: int) -> None:
    lines = write_text([WIDE], width=width, color=False).splitlines()
    assert max(map(len, lines)) <= width
    assert any("a-name-of-20-columns" in line and "1,000,000.00" in line for line in lines)
    assert " ".join(lines).count("words") == 12


def test_a_table_that_does_not_fit_loses_its_spare_columns_from_the_right() -> None:
    columns = (Column("kept", right=True), *(Column(name, right=True, spare=True) for name in ("first", "second")))
    table = Table(columns, [("1" * 20, "2" * 20, "3" * 20)])
    shown = {width: write_text([table], width=width, color=False).splitlines()[0].split() for width in (64, 63, 42, 41)}
    assert shown == {64: ["kept", "first", "second"], 63: ["kept", "first"], 42: ["kept", "first"], 41: ["kept"]}


def test_names_are_wrapped_before_a_table_becomes_a_list() -> None:
    table = Table((Column("name", whole=True), Column("n", right=True)), [("a name of words", "1" * 25)])
    assert write_text([table], width=34, color=False).splitlines()[1:] == [
        f"a name   {'1' * 25}",
        "of",
        "words",
    ]


def test_a_table_that_cannot_be_that_narrow_becomes_a_list() -> None:
    text = write_text([WIDE], width=30, color=False)
    assert "b: what it means short, amount\n  2" in text
    assert "1,000,000.00" in text


def test_a_word_that_is_longer_than_its_cell_is_broken() -> None:
    table = Table((Column("a"), Column("b")), [("x" * 50, "y " * 30)])
    lines = write_text([table], width=40, color=False).splitlines()
    assert max(map(len, lines)) <= 40
    assert "".join(lines).count("x") == 50


def test_wide_characters_take_two_columns() -> None:
    table = Table(COLUMNS, [("日本", "1"), ("abcd", "22")])
    assert write_text([table], width=40, color=False) == "name  chips\n日本      1\nabcd     22"


@pytest.mark.parametrize("width", [40, 60])
def test_a_tree_stays_within_its_width(width: int) -> None:
    branch = Branch(("group", "v6e 16x16", "2 slices, multi-host", "us-east5-b", "reserved in a place"), ())
    tree = Tree("train", "Standard, " * 8, (Branch(("m", "words " * 20)), Branch(branch.cells, (branch,))))
    lines = write_text([tree], width=width, color=False).splitlines()
    assert max(map(len, lines)) <= width
    assert sum(line.count("reserved in a place") for line in lines) == 2
    assert all(line[0] in "t ├│└" for line in lines)


def everywhere(text: str) -> Document:
    """A document in which everything is this text."""
    entry = Entry(Toned(text, "bad"), text, (text,), Prose(text), (("why", text),), (Paragraph(text),))
    return [
        Heading(text),
        Paragraph((text, Toned(text, "strong"), Name(text), Prose(text))),
        Bullets([text, Prose(text)], title=text),
        Bullets([text], label="note"),
        Table(COLUMNS, [(text, Lines((text, Prose(text), Name(text))))]),
        Code(text),
        Entries([entry], ("", "where", "change", "effect")),
        Entries([entry]),
        Fields((("why", Paragraph(text)), ("example", Code(text)))),
        Folded(text, Paragraph(text)),
        Tree(text, text, (Branch((text, text), (Branch((text,)),)),)),
    ]


TEXTS = st.one_of(
    st.text(min_size=1),
    st.text(alphabet="`|\\<>&@#:/-_*~[]()!$ \n\tab1.x=+", min_size=1),
    st.sampled_from(
        ["::error::x", "##[error]x", "##vso[x]y", "\x1b[31m", "</details>", "a\n::warning::c", "https://x"]
    ),
)


@given(TEXTS, st.integers(30, 120))
def test_no_text_disturbs_a_terminal_or_a_build_log(text: str, width: int) -> None:
    written = write_text(everywhere(text), width=width, color=False)
    assert not [char for char in written if unicodedata.category(char)[0] == "C" and char != "\n"]
    assert not any(line.lstrip().startswith("::") for line in written.splitlines())
    assert "##[" not in written
    assert "##vso[" not in written


@pytest.mark.parametrize("line", [("x", Toned("(y)", "strong")), (Toned("(y)", "strong"), "x"), ("x", Name("y"))])
def test_what_is_emphasized_or_code_stays_so_beside_a_letter(line: tuple[Piece, ...]) -> None:
    (inline,) = structure(write_markdown([Paragraph(line)])).inline
    assert inline == (("strong_open", "strong_close") if any(isinstance(piece, Toned) for piece in line) else ())


@given(TEXTS)
@example("@`0")
@example("](x) **")
def test_no_text_changes_the_structure_of_markdown(text: str) -> None:
    written = write_markdown(everywhere(f"x{text}"))
    assert structure(written) == structure(write_markdown(everywhere("plain")))
    assert automatic(written) == {}


def test_sentences_are_narrowed_before_names() -> None:
    table = Table(
        (Column("name", whole=True), Column("text")), [("a name of thirty columns, whole", "seven words " * 2)]
    )
    assert "a name of thirty columns, whole" in write_text([table], width=50, color=False)
    long = Table(table.columns, [("n" * 20 + " " + "m" * 9, "word " * 5)])
    assert "n" * 20 + " " + "m" * 9 in write_text([long], width=45, color=False)


def test_the_text_of_a_branch_begins_beside_its_name() -> None:
    tree = Tree("a", "", (Branch(("name", "words " * 20)),))
    assert write_text([tree], width=40, color=False).splitlines()[1] == "└─ name  words words words words words"


def test_pieces_do_not_make_a_log_command_together() -> None:
    assert write_text([Paragraph(("x ##", "[error]y"))], width=80, color=False) == "x ##\\x5berror]y"
