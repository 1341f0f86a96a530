"""HCL as ``terraform fmt`` formats it: alignment, lists, maps and texts."""

import json

import pytest

from pulumi_gke_tpu.features.export.terraform.hcl import hcl
from pulumi_gke_tpu.features.export.terraform.json_syntax import terraform_json
from pulumi_gke_tpu.features.export.terraform.syntax import (
    Attribute,
    Block,
    Comment,
    Expression,
    Gap,
    StaticReference,
    TextTemplate,
)


def test_neighbors_have_their_equals_signs_in_one_column() -> None:
    body = (
        Attribute("name", "a"),
        Attribute("location", "b"),
        Gap(),
        Attribute("x", 1),
        Comment("A comment."),
        Attribute("longer", True),
        Block("inner", (), (Attribute("y", None),)),
        Attribute("z", 1.5),
    )
    assert hcl([Block("resource", ("kind", "name"), body)]) == (
        'resource "kind" "name" {\n'
        '  name     = "a"\n'
        '  location = "b"\n'
        "\n"
        "  x = 1\n"
        "  # A comment.\n"
        "  longer = true\n"
        "  inner {\n"
        "    y = null\n"
        "  }\n"
        "  z = 1.5\n"
        "}\n"
    )


def test_what_has_several_lines_is_in_no_column() -> None:
    values = {"a": "x", "long_name": {"b": 1, "cc": [], "d": {}}, "e": "y"}
    assert hcl([Attribute("value", values)]) == (
        'value = {\n  a = "x"\n  long_name = {\n    b  = 1\n    cc = []\n    d  = {}\n  }\n  e = "y"\n}\n'
    )


def test_long_lists_have_a_line_for_each_item() -> None:
    assert hcl([Attribute("short", ["a", "b"])]) == 'short = ["a", "b"]\n'
    assert hcl([Attribute("long", ["a" * 60, "b" * 60])]) == (f'long = [\n  "{"a" * 60}",\n  "{"b" * 60}",\n]\n')
    assert hcl([Attribute("maps", [{"a": 1}, {"b": [2]}])]) == (
        "maps = [\n  {\n    a = 1\n  },\n  {\n    b = [2]\n  },\n]\n"
    )


def test_expressions_and_references_are_not_quoted() -> None:
    items = [
        Attribute("a", Expression("x.y.id")),
        Attribute("b", [StaticReference("x.y")]),
        Attribute("c", TextTemplate(("p-", Expression("var.x"), '-"'))),
    ]
    assert hcl(items) == 'a = x.y.id\nb = [x.y]\nc = "p-${var.x}-\\""\n'


@pytest.mark.parametrize(
    ("key", "written"),
    [("team", "team"), ("a-b", "a-b"), ("for", '"for"'), ("a.b/c", '"a.b/c"'), ("", '""'), ("1a", '"1a"')],
)
def test_keys_are_quoted_where_they_have_to_be(key: str, written: str) -> None:
    assert hcl([Attribute("labels", {key: "x"})]) == f'labels = {{\n  {written} = "x"\n}}\n'


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ('say "x"', r'"say \"x\""'),
        ("back\\slash", r'"back\\slash"'),
        ("two\nlines\r\ttab", r'"two\nlines\r\ttab"'),
        ("${var.x}", '"$${var.x}"'),
        ("%{if true}", '"%%{if true}"'),
        ("$${x}", r'"$\u0024{x}"'),
        ("$ % { $x }", '"$ % { $x }"'),
        ("\x00\x1b[31m\x7f", r'"\u0000\u001b[31m\u007f"'),
        ("\u202eü\U0001f600", r'"\u202e\u00fc\U0001f600"'),
    ],
)
def test_every_text_stays_a_text(text: str, written: str) -> None:
    assert hcl([Attribute("a", text)]) == f"a = {written}\n"


def test_numbers_have_no_exponent() -> None:
    assert hcl([Attribute("a", [10**20, 1e20, 0.0000001, 2.0, False])]) == (
        "a = [100000000000000000000, 100000000000000000000, 0.0000001, 2, false]\n"
    )


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("${x} %{x}", "$${x} %%{x}"),
        ("$ % { $x }$", "$ % { $x }$"),
        ("$${x}", '${"$$"}{x}'),
        ("%%%{x}", '${"%%%"}{x}'),
        ("$%{x}%${y}", '${"$%"}{x}${"%$"}{y}'),
    ],
)
def test_every_text_stays_a_text_in_json(text: str, written: str) -> None:
    assert json.loads(terraform_json([Attribute("a", text)])) == {"a": written}
