"""Positions of values: lines and columns from 1, and a line with the correct place for a caret."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulumi_gke_tpu.core.text.findings import Path, Position, is_visible
from pulumi_gke_tpu.core.text.yamlfile import YamlFile, YamlProblem, parse_yaml

TEXT = """\
# a comment
base: &base {tpu: v6e, "size": 1.30}
merged:
  <<: *base
  tpu: v4
list:
  - *base
  - text: |
      first
      second
    none:
  -
  - &anchor !!str
    12
folded: one
  two
quoted: 'it''s'
flow: {recurrence: FREQ=WEEKLY;BYDAY=SA,SU}
"ä 日本": [é, "ü"]  # wide
"""
FILE = parse_yaml(TEXT.encode(), "plan.yaml")


def place(position: Position) -> tuple[int, int, int]:
    return position.line, position.column, position.end_column


@pytest.mark.parametrize(
    ("path", "value", "key", "written"),
    [
        ((), (1, 1, 2), (1, 1, 2), None),
        (("base",), (2, 13, 37), (2, 1, 5), None),
        (("base", "size"), (2, 32, 36), (2, 24, 30), "1.30"),
        # a mapping in block style, or no text at all: the key
        (("merged",), (3, 1, 7), (3, 1, 7), None),
        (("list", 1, "none"), (11, 5, 9), (11, 5, 9), ""),
        (("flow", "SU"), (18, 41, 43), (18, 41, 43), ""),
        # a merged entry has its position at the anchor, an own entry has its own
        (("merged", "size"), (2, 32, 36), (2, 24, 30), "1.30"),
        (("merged", "tpu"), (5, 8, 10), (5, 3, 6), "v4"),
        # an alias has its own position, the values in it are at the anchor
        (("list", 0), (7, 5, 10), (7, 5, 10), None),
        (("list", 0, "tpu"), (2, 19, 22), (2, 14, 17), "v6e"),
        (("list", 1, "text"), (8, 11, 12), (8, 5, 9), "|\n      first\n      second"),
        (("list", 2), (12, 4, 5), (12, 4, 5), ""),
        # tags and anchors do not belong to the text
        (("list", 3), (14, 5, 7), (14, 5, 7), "12"),
        (("folded",), (15, 9, 12), (15, 1, 7), "one\n  two"),
        (("quoted",), (17, 9, 16), (17, 1, 7), "'it''s'"),
        (("ä 日本", 1), (19, 13, 16), (19, 13, 16), '"ü"'),
        # what does not exist: the key of the deepest level that does
        (("merged", "zone"), (3, 1, 7), (3, 1, 7), None),
        (("base", "size", "x"), (2, 24, 30), (2, 24, 30), None),
        (("list", 9), (6, 1, 5), (6, 1, 5), None),
        (("list", "x"), (6, 1, 5), (6, 1, 5), None),
        (("list", 1, "zone"), (8, 5, 12), (8, 5, 12), None),
        (("nothing", "here"), (1, 1, 2), (1, 1, 2), None),
    ],
)
def test_place(path: Path, value: tuple[int, int, int], key: tuple[int, int, int], written: str | None) -> None:
    assert place(FILE.position(path)) == value
    assert place(FILE.position(path, key=True)) == key
    assert FILE.written(path) == written


def test_position_names_the_file_and_shows_the_line() -> None:
    assert FILE.position(("quoted",)) == Position("plan.yaml", 17, 9, 16, "quoted: 'it''s'")


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_line_ends_and_byte_order_mark_do_not_shift(line_end: str) -> None:
    file = parse_yaml(("\ufeffa: 1" + line_end + "b:" + line_end + "  c: x" + line_end).encode(), "")
    assert file.position(("a",)) == Position("", 1, 4, 5, "a: 1")
    assert file.position(("b", "c")) == Position("", 3, 6, 7, "  c: x")


def pointed_at(position: Position) -> str:
    return position.text[position.column - 1 : position.end_column - 1]


@pytest.mark.parametrize("before", [0, 150, 190, 250, 900])
def test_wide_line_is_shown_as_far_as_the_place(before: int) -> None:
    file = parse_yaml(f"{{a: {'x' * before}, key: value, b: {'y' * 2000}}}".encode(), "")
    position = file.position(("key",))
    assert position.column == before + 12
    assert pointed_at(position) == "value"
    assert len(position.text) <= max(200, position.end_column) + 1


def test_place_beyond_any_terminal_has_no_text() -> None:
    file = parse_yaml(f"{{a: {'x' * 5000}, key: value}}".encode(), "")
    assert file.position(("key",)) == Position("", 1, 5012, 5017, "")


def test_what_disturbs_a_terminal_takes_one_column() -> None:
    file = parse_yaml('# \u202e\n{a: "\t", key: value}  # \u202e\n'.encode(), "")
    position = file.position(("key",))
    assert pointed_at(position) == "value"
    assert position.text.isprintable()


def test_name_is_safe_to_print() -> None:
    with pytest.raises(YamlProblem) as caught:
        parse_yaml(b"a: yes", "\x1b[31m\u202e.yaml")
    assert str(caught.value).isprintable()
    assert parse_yaml(b"a: 1", "\x1b.yaml").name == "\x1b.yaml"


scalars = st.text(st.characters(codec="utf-8"), max_size=20).filter(is_visible) | st.integers(-99, 99)
keys = st.text(st.sampled_from("abcdé日🙂-_. "), min_size=1, max_size=8)
documents = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=15,
).filter(lambda data: isinstance(data, (dict, list)))


def as_text(data: object) -> str:
    """A scalar as in a file: numbers as such, text in single quotes."""
    return str(data) if isinstance(data, int) else "'" + str(data).replace("'", "''") + "'"


def in_block(data: object, indent: int) -> str:
    """A document in block style, or flow style where it is empty."""
    if isinstance(data, dict) and data:
        lines = (f"\n{' ' * indent}{as_text(key)}: {in_block(value, indent + 2)}" for key, value in data.items())
    elif isinstance(data, list) and data:
        lines = (f"\n{' ' * indent}- {in_block(value, indent + 2)}" for value in data)
    else:
        return in_flow(data)
    return "".join(lines)


def in_flow(data: object) -> str:
    if isinstance(data, dict):
        return "{" + ", ".join(f"{as_text(key)}: {in_flow(value)}" for key, value in data.items()) + "}"
    if isinstance(data, list):
        return "[" + ", ".join(in_flow(value) for value in data) + "]"
    return as_text(data)


def leaves(data: object, path: Path = ()) -> list[tuple[Path, object]]:
    if isinstance(data, dict):
        return [leaf for key, value in data.items() for leaf in leaves(value, (*path, key))]
    if isinstance(data, list):
        return [leaf for index, value in enumerate(data) for leaf in leaves(value, (*path, index))]
    return [(path, data)]


def at(text: str, position: Position) -> str:
    return text.split("\n")[position.line - 1][position.column - 1 : position.end_column - 1]


@given(documents, st.sampled_from([lambda data: in_block(data, 0), in_flow]))
def test_every_scalar_and_key_has_its_position(data: object, write: object) -> None:
    text = write(data)  # type: ignore[operator]
    file: YamlFile = parse_yaml(text.encode(), "plan.yaml")
    assert file.data == data
    for path, value in leaves(data):
        assert at(text, file.position(path)) == as_text(value)
        assert file.written(path) == as_text(value)
        if isinstance(path[-1], str):
            assert at(text, file.position(path, key=True)) == as_text(path[-1])
