"""Changes as JSON: documented, complete enough to render the comment from it alone, and read without any trust."""

import copy
import json
from collections.abc import Callable, Iterator
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.change_samples import EMPTY, REPORT, page_of, with_items, with_text

from pulumi_gke_tpu.core.graph.property_values import ABSENT
from pulumi_gke_tpu.core.plan.base import Unknown
from pulumi_gke_tpu.core.text.findings import Finding, Position, Severity
from pulumi_gke_tpu.core.text.jsonfile.parsing import JsonError
from pulumi_gke_tpu.features.diff.output.comment import change_markdown
from pulumi_gke_tpu.features.diff.output.json import change_json, change_page_from_json, change_schema
from pulumi_gke_tpu.features.diff.output.page import LONGEST_TEXT, ChangePage

FINDING = Finding(
    "TPU112",
    Severity.WARNING,
    ("clusters", "dev"),
    "message",
    allowed=("a", "b"),
    accepted="reason",
    position=Position("plan.yaml", 1, 2, 3),
)
PAGE = page_of(REPORT, [FINDING], ["replace: 1 item"])
VALIDATOR = jsonschema.Draft202012Validator(change_schema())


def written(page: ChangePage) -> bytes:
    return json.dumps(change_json(page)).encode()


@pytest.mark.parametrize(
    "make",
    [
        lambda: PAGE,
        lambda: page_of(EMPTY),
        lambda: page_of(with_items(50)),
        lambda: page_of(with_text("a\n\u202e\ud800`|" * 3000)),
    ],
    ids=["changes", "empty", "many", "odd"],
)
def test_a_page_comes_back_as_it_was_and_looks_the_same(make: Callable[[], ChangePage]) -> None:
    page = make()
    VALIDATOR.validate(json.loads(written(page)))
    back = change_page_from_json(written(page))
    assert back == page
    assert change_markdown(back) == change_markdown(page)


@given(st.text(max_size=50))
def test_so_it_does_whatever_a_plan_contains(text: str) -> None:
    page = page_of(with_text(text), [FINDING], [text])
    VALIDATOR.validate(json.loads(written(page)))
    assert change_page_from_json(written(page)) == page


def test_values_that_are_known_later_or_not_there_stay_so() -> None:
    difference = change_page_from_json(written(PAGE)).report.change.items[0].resources[0].differences[1]
    assert difference.was is ABSENT
    assert difference.will == {"team": "research", "id": Unknown(("urn:x",))}


def test_a_refusal_that_depends_on_the_order_of_operations_comes_back() -> None:
    data = json.loads(written(PAGE))
    data["items"][0]["resources"][0].update(refused="train is still in use", refused_by="GKE", racing=True)
    VALIDATOR.validate(data)
    found = change_page_from_json(json.dumps(data).encode())
    assert found.report.change.items[0].resources[0].racing
    assert change_json(found) == data


def test_programs_find_counts_without_counting() -> None:
    data = change_json(PAGE)
    assert data["dangerous"] is True
    assert {name: count for name, count in data["counts"].items() if count} == {"replace": 1, "in-place": 1}
    assert data["totals"]["cost"]["will"] == {"min": "1382.40", "max": "1382.40"}


def test_every_key_of_the_document_is_in_the_schema_and_most_are_described() -> None:
    schema = change_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    assert list(change_json(PAGE)) == list(schema["properties"]) == schema["required"]
    assert all(definition["description"] for definition in schema["$defs"].values())
    properties = [
        value for definition in schema["$defs"].values() for value in definition.get("properties", {}).values()
    ]
    assert sum("description" in value or "$ref" in value for value in properties) > len(properties) / 3


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "not valid JSON"),
        (b"\xff\xfe", "not valid JSON"),
        (b"[]", "must be an object"),
        (b"[" * 100_000, "not valid JSON"),
        (b'{"format": 2}', "format"),
        (b'{"format": true}', "format"),
        (b'{"format": 1, "format": 1}', "duplicate key"),
        (b'{"format": 1, "x": NaN}', "NaN"),
        (b'{"format": 1, "x": 1' + b"0" * 5000 + b"}", "not valid JSON"),
        (b'{"format": 1}', "missing key"),
        (b" " * 50_000_001, "larger than"),
    ],
    ids=["empty", "bytes", "list", "deep", "format", "bool", "twice", "nan", "huge", "nothing", "large"],
)
def test_an_invalid_page_is_rejected_with_a_message(content: bytes, said: str) -> None:
    with pytest.raises(JsonError, match=said):
        change_page_from_json(content)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("extra",), 1),
        (("dangerous",), False),
        (("counts", "replace"), 0),
        (("items",), {}),
        (("items", 0, "change"), "harmless"),
        (("items", 0, "item"), "a\u202eb"),
        (("items", 0, "item"), "a\x00b"),
        (("items", 0, "item"), "a" * (LONGEST_TEXT + 1)),
        (("items", 0, "item"), None),
        (("items", 0, "extra"), "x"),
        (("items", 0, "hosts_gone"), {"min": -1, "max": 1}),
        (("items", 0, "hosts_gone"), {"min": 0, "max": 10**30}),
        (("items", 0, "hosts_gone"), {"min": True, "max": True}),
        (("items", 0, "resources", 0, "delete_first"), "yes"),
        (("items", 0, "resources", 0, "differences", 0, "will"), "\x1b[31m"),
        (("items", 0, "resources", 0, "differences", 0, "will"), {"a\x00": 1}),
        (("items", 0, "resources", 0, "differences", 0, "will"), {"$unknown": ["\x00"]}),
        (("totals", "cost", "was"), {"min": "1e9999999", "max": "1"}),
        (("totals", "cost", "was"), {"min": "١", "max": "1"}),
        (("totals", "cost", "was"), "1"),
        (("findings", 0, "line"), 1.5),
        (("failed",), ["x"] * 100_001),
    ],
)
def test_any_other_form_is_refused(path: tuple[str | int, ...], value: Any) -> None:
    data: Any = copy.deepcopy(change_json(PAGE))
    place = data
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    with pytest.raises(JsonError) as refused:
        change_page_from_json(json.dumps(data).encode())
    assert str(refused.value).isprintable()


def places(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Every place in a document below its root."""
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in steps:
        yield (*path, step)
        yield from places(inner, (*path, step))


PLACES = list(places(change_json(PAGE)))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@given(st.sampled_from(PLACES), JSON)
def test_every_value_is_rejected_or_rendered(path: tuple[str | int, ...], value: Any) -> None:
    data: Any = copy.deepcopy(change_json(PAGE))
    place = data
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    try:
        page = change_page_from_json(json.dumps(data).encode())
    except JsonError:
        return
    assert len(change_markdown(page).encode()) <= 60_000
    VALIDATOR.validate(data)
