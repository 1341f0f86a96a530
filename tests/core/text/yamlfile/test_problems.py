"""What is refused: the rule, the place, and what the finding says."""

import pytest

from pulumi_gke_tpu.core.text.findings import Severity
from pulumi_gke_tpu.core.text.yamlfile import YamlProblem, parse_yaml


def problem(content: str | bytes) -> YamlProblem:
    content = content.encode() if isinstance(content, str) else content
    with pytest.raises(YamlProblem) as caught:
        parse_yaml(content, "plan.yaml")
    return caught.value


def places(content: str | bytes) -> list[str]:
    return [
        f"{found.rule} {found.position.line}:{found.position.column}"
        for found in problem(content).findings
        if found.position
    ]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"a: \xff", "TPU002 1:4"),
        (b"a: 1\nb: \xc3\xa9\xe9 c\n", "TPU002 2:5"),
        (b"\xef\xbb\xbfa: \x80", "TPU002 1:4"),
        (b"a: \xed\xa0\x80", "TPU002 1:4"),
        ("a: 1".encode("utf-16"), "TPU002 1:1"),
        ("a: 1".encode("utf-16-le"), "TPU002 1:1"),
        ("a: 1".encode("utf-16-be"), "TPU002 1:1"),
        ("a: 1".encode("utf-32"), "TPU002 1:1"),
        ("a: \x1b[31m", "TPU003 1:4"),
        ("a: 1\nb: \x00", "TPU003 2:4"),
        ("# \x7f", "TPU003 1:3"),
        ("a: \ufffe", "TPU003 1:4"),
        ("", "TPU006 1:1"),
        ("\ufeff", "TPU006 1:1"),
        ("# only a comment\n", "TPU006 1:1"),
        ("---\n", "TPU006 1:1"),
        ("---\n...\n", "TPU006 1:1"),
        ("a: 1\n---\nb: 2\n", "TPU005 2:1"),
        ("a: 1\n---\n", "TPU005 2:1"),
        ("a: 1\nb: 2\na: 3\n", "TPU004 3:1"),
        ("a: {b: 1, b: 2}", "TPU004 1:11"),
        ("a: 1\n'a': 2\n", "TPU004 2:1"),
        ("a: &x {}\nb: {<<: *x, <<: *x}\n", "TPU004 2:13"),
        ("a: *nowhere", "TPU007 1:4"),
        ("a: &x [1, *x]", "TPU007 1:11"),
        ("a: &x {b: {<<: *x}}", "TPU007 1:16"),
        ("a: {<<: 1}", "TPU007 1:9"),
        ("a: {<<: [1]}", "TPU007 1:10"),
        ("a: &x [1]\nb: {<<: *x}", "TPU007 1:8"),
        ("a: !custom 1", "TPU009 1:4"),
        ("a: !custom {b: 1}", "TPU009 1:4"),
        ("a: !!python/object/apply:os.system [x]", "TPU009 1:4"),
        ("a: !!timestamp 2026-01-01", "TPU009 1:4"),
        ("a: !!binary aGk=", "TPU009 1:4"),
        ("a: !!set {b}", "TPU009 1:4"),
        ("a: ! 12", "TPU009 1:4"),
        ("a: !e!x 12", "TPU003 1:4"),
        ("a: !!int x", "TPU009 1:4"),
        ("a: !!str [x]", "TPU009 1:4"),
        ("1: a", "TPU009 1:1"),
        ("1.5: a", "TPU009 1:1"),
        ("yes: a", "TPU009 1:1"),
        ("null: a", "TPU009 1:1"),
        ("0755: a", "TPU009 1:1"),
        ("02:00: a", "TPU009 1:1"),
        ("a: 1\n: b", "TPU003 2:1"),
        ("{: b}", "TPU003 1:2"),
        ("?\n", "TPU009 1:2"),
        ("[a]: b", "TPU009 1:1"),
        ("? {a: b}\n: c", "TPU009 1:3"),
        ("a: &x [b]\n*x : c", "TPU009 2:1"),
        ("a: {{ name }}", "TPU009 1:5"),
        ('a: "\\e[31m"', "TPU010 1:4"),
        ('a: "x\\u202ey"', "TPU010 1:4"),
        ("a: x\u202ey", "TPU010 1:5"),
        ("a: [b, x\u200by]", "TPU010 1:9"),
        ("k\u200e: b", "TPU010 1:2"),
        ('"a\\tb": c', "TPU010 1:1"),
        ("a: x\ty", "TPU010 1:5"),
        ("a: &x !!str\n  x\u202ey", "TPU010 2:4"),
        ("# c\u2028a: 1", "TPU010 1:4"),
        ("# c\x85a: 1", "TPU010 1:4"),
        ("# c\ra: 1", "TPU010 1:4"),
        ("a: b\ufeff", "TPU010 1:5"),
        ("a: yes", "TPU011 1:4"),
        ("a: NO", "TPU011 1:4"),
        ("a: oFF", "TPU011 1:4"),
        ("[on]", "TPU011 1:2"),
        ("a: 0755", "TPU011 1:4"),
        ("a: -010", "TPU011 1:4"),
        ("a: 08", "TPU011 1:4"),
        ("a: 00", "TPU011 1:4"),
        ("a: 1:30", "TPU011 1:4"),
        ("a: 02:00:00", "TPU011 1:4"),
        ("a: {start: 02:00}", "TPU011 1:12"),
        ("a: 1:30.5", "TPU011 1:4"),
        ("a: 1_000", "TPU011 1:4"),
        ("a: 1_0.5", "TPU011 1:4"),
        ("a: 0x_f", "TPU011 1:4"),
        ("a: 0b101", "TPU011 1:4"),
        ("a: -0x1f", "TPU011 1:4"),
        ("a: 9223372036854775808", "TPU011 1:4"),
        ("a: -9223372036854775809", "TPU011 1:4"),
        ("a: 1e999", "TPU011 1:4"),
        ("a: &x yes", "TPU011 1:7"),
        ("yes", "TPU011 1:1"),
    ],
)
def test_rule_and_place(content: str | bytes, expected: str) -> None:
    assert places(content) == [expected]


SYNTAX = [
    ("a:\n\tb: 1", "2:1", "tab in the indentation"),
    ("a: 1\n\tb: 2", "2:1", "tab in the indentation"),
    ("a:\n  - x\n  \t- y", "3:3", "tab in the indentation"),
    ("a: |\n  x\n\ty", "3:1", "tab in the indentation"),
    ("- \tx", "1:3", "unexpected tab"),
    ("a: [1, 2\n", "1:4", "unclosed ["),
    ("a: [1, 2\nb: 3\nc: 4", "1:4", "unclosed ["),
    ("a: [\n---\n]", "1:4", "unclosed ["),
    ("a: {b: [1, 2], c: 3\nd: 2\n", "1:4", "unclosed {"),
    ('{"a": 1, "b": {"c": "]}"}', "1:1", "unclosed {"),
    ("a: {b: 1 c: 2}", "1:11", "missing comma, or missing }"),
    ("a: [\n  b,\n  c\n  d: e\n]", "4:4", "missing comma, or missing ]"),
    ("a: [1, 2}", "1:9", "closes with ]"),
    ("a: {b: 1]", "1:9", "closes with }"),
    ("{a: [}", "1:6", "closes with ]"),
    ("[a, , b]", "1:5", "missing value before ,"),
    ("[: b]", "1:2", "missing key before :"),
    (": a", "1:1", "missing key before :"),
    ("[- a]", "1:2", "between braces a list is written [a, b]"),
    ("a: - b", "1:4", "a list begins on the line below its key"),
    ("a: ]", "1:4", "text that begins with ] needs quotes"),
    ("a: @b", "1:4", "text that begins with @ needs quotes"),
    ("a: `b`", "1:4", "text that begins with ` needs quotes"),
    ("a: {% b %}", "1:5", "text that begins with % needs quotes"),
    ("a: *.txt", "1:4", "text that begins with * needs quotes"),
    ("a: & b", "1:4", "text that begins with & needs quotes"),
    ("a: ? b", "1:4", "text that begins with ? needs quotes"),
    ('a: "b\nc: 2\n', "1:4", 'unclosed quote: "b'),
    ("a: 'b\nc: 2\n", "1:4", "unclosed quote: 'b"),
    ('a: "b\n---\nc"', "1:4", 'unclosed quote: "b'),
    ("a: 'it's'", "1:8", "unexpected text after a value: s'"),
    ('a: "b" c', "1:8", "unexpected text after a value: c"),
    ("a: [1]]", "1:7", "unexpected text after a value: ]"),
    ("[a]b", "1:4", "unexpected text after a value: b"),
    ("a: b: c", "1:5", "second colon"),
    ("a: 'b': c", "1:7", "second colon"),
    ("a:\n  b: 1\n   c: 2", "3:4", "the key at line 2 already has a value"),
    ("a:\n  b c\n  d: 2", "2:3", "missing colon after the key: b c"),
    ("a: 1\nfoo\nb: 2", "2:1", "missing colon after the key: foo"),
    ("'a\nb': c", "1:1", "missing colon after the key: 'a"),
    ("a:b\nc: d", "1:1", "missing space after the colon: a:b"),
    ("a:\n  b: 1\n c: 2", "3:2", "does not continue the mapping that begins at line 1, column 1"),
    ("a:\n    b: 1\n  c: 2", "3:3", "does not continue the mapping"),
    ("a:\n  - b\n - c", "3:2", "does not continue the mapping"),
    ("a: 1\n- b", "2:1", "does not continue the mapping"),
    ("- a\nb: 1", "2:1", "does not continue the list"),
    ("- a: 1\n b: 2", "2:2", "does not continue the list"),
    ("  a: 1\nb: 2", "2:1", "does not continue the document"),
    ("a: 1\n...\nb: 2", "3:1", "does not continue the document"),
    ("%YAML 1.2\na: 1", "2:1", "does not continue the document"),
    ("a: 1\n<<<<<<< HEAD\nb: 1\n=======\n", "2:1", "merge conflict marker"),
    ("a:\n  b: 1\n<<<<<<< HEAD\n  c: 1\n=======\n", "3:1", "merge conflict marker"),
    ('a: "C:\\dir"', "1:7", "invalid YAML: found unknown escape character"),
    ("a: |b\n  c", "1:5", "invalid YAML: "),
    ("a: !<x", "1:7", "invalid YAML: "),
    ("%YAML 2.0\n---\na: 1", "1:1", "invalid YAML: found incompatible YAML document"),
]


@pytest.mark.parametrize(("text", "place", "message"), SYNTAX)
def test_syntax(text: str, place: str, message: str) -> None:
    assert places(text) == [f"TPU003 {place}"]
    assert message in problem(text).findings[0].message


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        ("a: yes", '"yes"'),
        ("a: 0755", '"0755"'),
        ("1: a", '"1":'),
        ("a: !custom b", '"b"'),
        ("a: x\u202ey", '"xy"'),
        ("a: b: c # d", 'a: "b: c"'),
        ("a: @b  # c", '"@b"'),
        ("a: *.txt", '"*.txt"'),
        ("a: - b", "a:\n  - b"),
        ("a:\n\tb: 1", "  b: 1"),
        ("a: 1\nfoo bar\nb: 2", "foo: bar"),
        ("a:b\nc: d", "a: b"),
        ("a: [@b, c]", '"@b"'),
        ("a: {% if b %}", '"{% if b %}"'),
    ],
)
def test_fix_can_be_pasted(text: str, fix: str) -> None:
    assert problem(text).findings[0].fix == fix


def test_long_text_is_cut_in_the_message_and_offered_no_half_fix() -> None:
    found = problem("a: 1" + "_0" * 1000).findings[0]
    assert (len(found.message) < 200, found.fix, found.allowed) == (True, "", ())


@pytest.mark.parametrize(
    ("written", "instead"),
    [("yes", "true"), ("Off", "false"), ("0755", "755"), ("-010", "-10"), ("00", "0"), ("1_000", "1000")],
)
def test_trap_offers_the_value_without_the_doubt(written: str, instead: str) -> None:
    found = problem(f"a: {written}").findings[0]
    assert found.allowed == (f'"{written}"', instead)
    assert parse_yaml(f"a: {instead}".encode(), "").data["a"] is not None


def test_everything_is_found_at_once() -> None:
    text = "a: 1\na: yes\nb: [0755, !x y]\n1: c\nd: *e\nf: x\u202ey\ng: [\n"
    assert places(text) == [
        "TPU004 2:1",
        "TPU011 2:4",
        "TPU011 3:5",
        "TPU009 3:11",
        "TPU009 4:1",
        "TPU007 5:4",
        "TPU010 6:5",
        "TPU003 7:4",
    ]


def test_duplicate_key_says_where_the_first_is() -> None:
    found = problem("x:\n  tpu: v4\n  tpu: v5e\n").findings[0]
    assert found.path == ("x", "tpu")
    assert "line 2, column 3" in found.message


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("a:\n  b: [1, yes]", ("a", "b", 1)),
        ("- a\n- b: {c: yes}", (1, "b", "c")),
        ("a: {1: b}", ("a",)),
        ("- [[{a: !x b}]]", (0, 0, 0, "a")),
        ("a: [b, *c]", ("a", 1)),
    ],
)
def test_finding_knows_its_path(text: str, path: tuple[str | int, ...]) -> None:
    assert [found.path for found in problem(text).findings] == [path]


def test_all_findings_are_errors_and_the_text_names_each_place() -> None:
    raised = problem("a: yes\nb: no\n")
    assert [found.severity for found in raised.findings] == [Severity.ERROR] * 2
    assert [line.split(" ")[0] for line in str(raised).splitlines()] == ["plan.yaml:1:4:", "plan.yaml:2:4:"]


def test_reading_stops_after_a_hundred_findings() -> None:
    found = problem("- yes\n" * 1000).findings
    assert len(found) == 101
    assert "stopped" in found[-1].message


def test_encoding_is_named() -> None:
    assert "UTF-16" in problem("a: 1".encode("utf-16")).findings[0].message
    assert "UTF-32" in problem("a: 1".encode("utf-32")).findings[0].message
    assert "0xE9" in problem(b"a: \xe9").findings[0].message


def test_one_byte_is_not_taken_for_another_encoding() -> None:
    assert "UTF-16" not in problem(b"\0").findings[0].message


@pytest.mark.parametrize(
    ("allowed", "forbidden"),
    [
        ("\t\n\x20\x7e", "\x00\x08\x0b\x0c\r\x0e\x1f\x7f"),
        ("\xa0", "\x80\x84\x85\x86\x9f"),
        ("\u2027\u202a", "\u2028\u2029"),
        ("\ud7ff\ue000\ufefe\uff00\ufffd", "\ufeff\ufffe\uffff"),
        ("\U00010000\U0010ffff", ""),
    ],
)
def test_the_characters_of_a_file(allowed: str, forbidden: str) -> None:
    for char in allowed:
        assert parse_yaml(f"a: 1 # {char}#\n".encode(), "").data == {"a": 1}
    for char in forbidden:
        assert places(f"a: 1 # {char}#\n") == [f"{'TPU010' if char in AMBIGUOUS else 'TPU003'} 1:8"]


AMBIGUOUS = "\r\x85\u2028\u2029\ufeff"


def test_forbidden_characters_are_reported_in_the_order_of_the_file() -> None:
    assert places("# \x00\n# \x85 \x01\n# \u2028") == ["TPU003 1:3", "TPU010 2:3", "TPU003 2:5", "TPU010 3:3"]
