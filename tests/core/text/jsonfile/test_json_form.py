"""The JSON form of dataclasses: values are read back unchanged, match their schema, and are not converted."""

import json
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Annotated, Any, Literal

import pytest
from jsonschema import Draft202012Validator
from pydantic import Field

from pulumi_gke_tpu.core.text.jsonfile.fields import LARGEST_NUMBER, Amount, Count
from pulumi_gke_tpu.core.text.jsonfile.form import check_same, from_data, schema_of, to_data
from pulumi_gke_tpu.core.text.jsonfile.parsing import JsonError


@dataclass(frozen=True, slots=True)
class Part:
    """A part ``x``.

    More about it.
    """

    amount: Amount
    label: str = ""
    """What it is called. None
    where it has no name.
    """


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole."""

    kind: Literal["a", "b"]
    parts: tuple[Part, ...]
    number: Annotated[Count, Field(alias="count")] = 0
    switch: bool | None = None
    labels: dict[str, str] = field(default_factory=dict)
    hidden: Annotated[int, Field(exclude=True)] = 7


WHOLE = Whole("a", (Part(Decimal("1.20"), "x"),), 3, True, {"k": "v"})
DATA: dict[str, Any] = {
    "kind": "a",
    "parts": [{"amount": "1.20", "label": "x"}],
    "count": 3,
    "switch": True,
    "labels": {"k": "v"},
}
SCHEMA = schema_of(Whole, title="T", description="D", optional=("switch",), longest_text=5, most_entries=2)


def test_a_value_is_written_and_comes_back() -> None:
    assert to_data(WHOLE) == DATA
    assert from_data(Whole, DATA) == WHOLE


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"kind": "c"}, "kind: input should be 'a' or 'b'"),
        ({"kind": None}, "kind:"),
        ({"parts": {}}, "parts:"),
        ({"parts": [{"label": 1, "amount": "1"}]}, r"parts\[0\].label: input should be a valid string"),
        ({"parts": [{"amount": "1e9999999"}]}, r"parts\[0\].amount: an amount such as 691.20"),
        ({"parts": [{"amount": "\u0661"}]}, "amount"),
        ({"parts": [{"amount": 1}]}, "amount"),
        ({"count": -1}, "count: input should be greater than or equal to 0"),
        ({"count": LARGEST_NUMBER + 1}, "count"),
        ({"count": True}, "count"),
        ({"count": 1.0}, "count"),
        ({"count": "1"}, "count"),
        ({"switch": 1}, "switch"),
        ({"labels": {"\u202e": 1}}, "labels"),
        ({"labels": {"a": "\ud800"}}, "surrogate"),
    ],
)
def test_nothing_is_converted(change: dict[str, Any], problem: str) -> None:
    with pytest.raises(JsonError, match=problem) as refused:
        from_data(Whole, {**DATA, **change})
    assert str(refused.value).isprintable()


def test_a_required_key_is_missed_and_others_have_defaults() -> None:
    assert from_data(Whole, {"kind": "b", "parts": [], "unknown": 1}) == Whole("b", ())
    with pytest.raises(JsonError, match="parts: missing key"):
        from_data(Whole, {"kind": "b"})


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"a": [1, {"b": True}]}, None),
        ({"a": [1, {"b": 1}]}, r"a\[1\].b: the value does not agree"),
        ({"a": [1]}, "a: the value does not agree"),
        ({"a": [1, {}]}, r"a\[1\].b: missing key"),
        ({"a": [1, {"b": True, "c": 1}]}, r"a\[1\].c: unknown key"),
        ({"a": [1.0, {"b": True}]}, r"a\[0\]: the value does not agree"),
        ([], "the document: the value does not agree"),
    ],
)
def test_a_document_is_compared_with_what_would_be_written(given: Any, problem: str | None) -> None:
    written = {"a": [1, {"b": True}]}
    if problem is None:
        check_same(written, given)
        return
    with pytest.raises(JsonError, match=problem):
        check_same(written, given)


@pytest.mark.parametrize(
    ("change", "valid"),
    [
        ({}, True),
        ({"kind": "c"}, False),
        ({"count": -1}, False),
        ({"unknown": 1}, False),
        ({"parts": [{"amount": "1"}]}, False),
        ({"parts": [{"amount": "1e5", "label": "x"}]}, False),
        ({"parts": [{"amount": "1", "label": "sixsix"}]}, False),
        ({"parts": DATA["parts"] * 3}, False),
        ({"labels": {"k": "sixsix"}}, False),
        ({"switch": None}, True),
    ],
)
def test_the_schema_accepts_only_written_values(change: dict[str, Any], valid: bool) -> None:
    assert Draft202012Validator(SCHEMA).is_valid({**DATA, **change}) is valid


def test_the_schema_describes_records_in_one_plain_line() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert (SCHEMA["title"], SCHEMA["description"]) == ("T", "D")
    assert SCHEMA["required"] == ["kind", "parts", "count", "labels"]
    part = SCHEMA["$defs"]["Part"]
    assert part["description"] == "A part `x`."
    assert part["properties"]["label"]["description"] == "What it is called. null where it has no name."
    assert "hidden" not in json.dumps(SCHEMA)
    assert '"default"' not in json.dumps(SCHEMA)
