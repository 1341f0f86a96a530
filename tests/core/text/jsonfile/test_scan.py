"""Walking a JSON document finds what ``json.loads`` finds, and where it is."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulumi_gke_tpu.core.text.jsonfile.parsing import JsonError
from pulumi_gke_tpu.core.text.jsonfile.scan import JsonPart, check_end, document

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**12), 10**12) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=25,
)


def walked(part: JsonPart) -> Any:
    """The value, put together from its parts."""
    if part.first == "{":
        return {key: walked(value) for key, value in part.members()}
    return [walked(value) for value in part.elements()] if part.first == "[" else part.value()


@given(VALUES, st.sampled_from([None, 0, 3]), st.booleans())
def test_the_parts_make_the_whole(value: Any, indent: int | None, ascii_only: bool) -> None:
    content = json.dumps(value, indent=indent, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    try:
        content.decode()
    except UnicodeDecodeError:
        return  # a lone surrogate, which no file in UTF-8 can contain
    root = document(content)
    assert walked(root) == value
    assert document(content).value() == value
    skipped = document(content)
    assert skipped.end == len(content.decode())
    check_end(skipped)


@given(VALUES)
def test_every_beginning_of_a_document_is_an_error(value: Any) -> None:
    content = json.dumps({"key": [value]}).encode()
    for length in range(len(content)):
        with pytest.raises(JsonError):
            walked(document(content[:length]))


def test_a_path_leads_to_the_place_of_the_value() -> None:
    content = b'{\n  "a": [\n    {"b": "\xc3\xa9"},\n    {"b": 2}\n  ]\n}\n'
    place = document(content).at("a", 1, "b").position("plan.json")
    assert (place.file, place.line, place.column) == ("plan.json", 4, 11)
    assert document(content).at("a", 1, "missing", "x").position("plan.json").line == 4


@pytest.mark.parametrize(
    "content", [b"", b"  ", b"\xff", b"{", b"[1,]", b'{"a" 1}', b'{"a":1,}', b"{a:1}", b'{"a":"\n"}']
)
def test_what_is_not_json_is_an_error(content: bytes) -> None:
    with pytest.raises(JsonError):
        walked(document(content))


@pytest.mark.parametrize("content", [b"[" * 100_000, b'{"a":' * 50_000, b"[" * 300 + b"]" * 300])
def test_a_document_that_is_nested_too_deeply_is_an_error(content: bytes) -> None:
    with pytest.raises(JsonError):
        check_end(document(content))


def test_brackets_in_strings_are_text() -> None:
    value = {"skip": 'a}{][\\"]', "next": {"deep": ["\\", '"', "}"]}, "last": 1}
    (*_, last) = document(json.dumps(value).encode()).members()
    assert (last[0], last[1].value()) == ("last", 1)


def test_something_behind_the_document_is_found() -> None:
    with pytest.raises(JsonError, match="something follows"):
        check_end(document(b"[1] 2"))
