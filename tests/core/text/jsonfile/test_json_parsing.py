"""JSON from untrusted files: what is refused before anything is read from it."""

import pytest

from pulumi_gke_tpu.core.text.jsonfile.parsing import JsonError, Limits, parse_json

LIMITS = Limits(size=10_000, depth=5, entries=3, is_text=str.isascii)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "the document: it is not valid JSON"),
        (b"\xff\xfe", "not valid JSON"),
        (b"[" * 9_000, "nested too deeply|nested more than"),
        (b"[[[[[1]]]]]", "nested more than 5 levels"),
        (b'{"a": 1, "a": 1}', "duplicate key"),
        (b'{"a": NaN}', "NaN is not a number"),
        (b'{"a": -Infinity}', "-Infinity is not a number"),
        (b'{"a": [1e999]}', r"a\[0\]: the number is too large"),
        (b'{"a": 1' + b"0" * 400 + b"}", "a: the number has more than 400 digits"),
        (b'{"a": 1' + b"0" * 5_000 + b"}", "not valid JSON"),
        (b'{"a": {"b": [1, 2, 3, 4]}}', "a.b: more than 3 entries"),
        (b'{"a": 1, "b": 1, "c": 1, "d": 1}', "the document: more than 3 entries"),
        ('{"a": ["é"]}'.encode(), r"a\[0\]: the text"),
        ('{"a": {"é": 1}}'.encode(), "a: a key"),
        (b" " * 10_001, "larger than"),
    ],
)
def test_content_that_is_not_acceptable_is_refused_with_its_place(content: bytes, problem: str) -> None:
    with pytest.raises(JsonError, match=problem) as refused:
        parse_json(content, LIMITS)
    assert str(refused.value).isprintable()


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_any_utf_is_read(codec: str) -> None:
    content = '{"a": [1, "b", null, true]}'.encode(codec)
    assert parse_json(content, Limits(1_000, 3)) == {"a": [1, "b", None, True]}


def test_limits_are_inclusive() -> None:
    assert parse_json(b"[[[[1, 2, 3]]]]", LIMITS) == [[[[1, 2, 3]]]]
    number = b"9" * 400
    assert parse_json(number, LIMITS) == int(number)
