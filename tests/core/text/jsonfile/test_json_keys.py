"""Keys of JSON objects that are not the fields of a dataclass: their order, values, types and descriptions."""

import datetime
import functools
from dataclasses import dataclass
from typing import Annotated, Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel, Field

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings import Path
from pulumi_gke_tpu.core.text.jsonfile.fields import OptionalText
from pulumi_gke_tpu.core.text.jsonfile.form import from_data, schema_of, to_data
from pulumi_gke_tpu.core.text.jsonfile.keys import Key, Keys


class Model(BaseModel):
    """A model of a plan."""

    size: int = Field(description="How large it is.")


@frozen
class Inner:
    """A part."""

    amount: int
    """The amount of the part."""
    unit: str


@frozen(slots=False)
class Value:
    """A value.

    More about it.
    """

    label: str
    inner: Inner | None
    path: Path
    start: datetime.datetime
    day: datetime.date
    length: datetime.timedelta | None
    model: Annotated[Model, "of a plan"]
    secret: object
    """What is not written."""

    @property
    def twice(self) -> int | None:
        """Two times the amount; None if it is unknown."""
        return None if self.inner is None else 2 * self.inner.amount

    @functools.cached_property
    def thrice(self) -> tuple[Inner, ...]:
        """Three parts."""
        return () if self.inner is None else (self.inner,) * 3


UnitJson = Annotated[Inner, Keys("Unit", Key("name", "unit", text="The name of the unit."), text="A unit.")]
ValueJson = Annotated[
    Value,
    Keys(
        "Written",
        "twice",
        Key("title", "label", OptionalText),
        Key("amount", "inner.amount"),
        "path",
        "start",
        "day",
        Key("seconds", "length"),
        Key("size", "model.size"),
        Key("unit", "inner", UnitJson | None),
        Key("units", "thrice", tuple[UnitJson, ...]),
        "thrice",
    ),
]


@dataclass(frozen=True)
class Document:
    """A document."""

    first: ValueJson
    others: tuple[ValueJson, ...]


def value(inner: Inner | None, length: datetime.timedelta | None) -> Value:
    """A value with a part and a length, or without."""
    start = datetime.datetime(2026, 1, 2, 3, tzinfo=datetime.timezone.utc)
    return Value("", inner, ("a", 0), start, start.date(), length, Model(size=3), object())


DOCUMENT = Document(value(Inner(4, "kg"), datetime.timedelta(minutes=1)), (value(None, None),))
FIRST: dict[str, Any] = {
    "twice": 8,
    "title": None,
    "amount": 4,
    "path": "a[0]",
    "start": "2026-01-02T03:00:00Z",
    "day": "2026-01-02",
    "seconds": 60,
    "size": 3,
    "unit": {"name": "kg"},
    "units": [{"name": "kg"}] * 3,
    "thrice": [{"amount": 4, "unit": "kg"}] * 3,
}
UNKNOWN = {"twice": None, "amount": None, "seconds": None, "unit": None, "units": [], "thrice": []}
SCHEMA = schema_of(Document, title="T", description="D")


def test_an_object_has_the_keys_in_their_order() -> None:
    data = to_data(DOCUMENT)
    assert data == {"first": FIRST, "others": [FIRST | UNKNOWN]}
    assert list(data["first"]) == list(FIRST)


def test_the_schema_accepts_the_object_and_no_other_type() -> None:
    validator = Draft202012Validator(SCHEMA)
    assert validator.is_valid(to_data(DOCUMENT))
    for key, wrong in {
        "twice": "8",
        "path": ["a"],
        "day": 1,
        "seconds": 1.5,
        "unit": {"name": 1},
        "size": None,
    }.items():
        assert not validator.is_valid({"first": FIRST | {key: wrong}, "others": []}), key
    assert not validator.is_valid({"first": FIRST | {"label": ""}, "others": []})


def test_descriptions_are_those_of_attributes_unless_stated() -> None:
    written = SCHEMA["$defs"]["Written"]
    texts = {key: part.get("description") for key, part in written["properties"].items()}
    assert written["description"] == "A value."
    assert texts["twice"] == "Two times the amount; null if it is unknown."
    assert texts["amount"] == "The amount of the part."
    assert texts["size"] == "How large it is."
    assert texts["thrice"] == "Three parts."
    assert texts["title"] is None
    assert SCHEMA["$defs"]["Unit"]["description"] == "A unit."
    assert SCHEMA["$defs"]["Unit"]["properties"]["name"]["description"] == "The name of the unit."


def test_one_class_can_have_two_forms() -> None:
    assert set(SCHEMA["$defs"]) == {"Unit", "Inner", "Written"}


def test_an_object_with_keys_is_not_read() -> None:
    with pytest.raises(TypeError, match="only written"):
        from_data(Document, to_data(DOCUMENT))


def test_an_unknown_attribute_is_an_error() -> None:
    with pytest.raises(AttributeError, match="Inner has no field or property color"):
        schema_of(_Misspelled, title="T", description="D")


@dataclass(frozen=True)
class _Misspelled:
    unit: Annotated[Inner, Keys("Colored", "color")]
