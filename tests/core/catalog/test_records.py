"""Catalog records: frozen dataclasses with their methods in one place."""

import dataclasses

import pytest
from pydantic import TypeAdapter, ValidationError

from pulumi_gke_tpu.core.catalog.records.facts import Note, Source

NOTE = {"source": ("a",), "as_of": "2026", "confidence": "low", "id": "n", "text": "Something."}


def test_a_record_has_what_it_is_given_and_defaults_for_the_rest() -> None:
    note = Note(**NOTE, topics=("v6e",))
    assert (note.text, note.topics, note.note, note.by_item) == ("Something.", ("v6e",), "", {})


def test_defaults_that_are_made_are_not_shared() -> None:
    assert Note(**NOTE).by_item is not Note(**NOTE).by_item


@pytest.mark.parametrize("values", [{}, {"url": ""}, {"title": "a", "uri": "b"}])
def test_missing_and_unknown_fields_are_refused(values: dict[str, str]) -> None:
    with pytest.raises(TypeError, match="missing, unknown or repeated"):
        Source(**values)


def test_a_record_cannot_be_changed() -> None:
    source = Source(title="a")
    with pytest.raises(dataclasses.FrozenInstanceError):
        source.title = "b"  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        del source.title
    assert source.title == "a"


def test_a_copy_can_differ() -> None:
    assert dataclasses.replace(Note(**NOTE), confidence="high").confidence == "high"


def test_a_record_shows_its_fields() -> None:
    assert repr(Source(title="a")) == "Source(title='a', url='')"


def test_pydantic_reads_records_strictly() -> None:
    adapter = TypeAdapter(Source)
    assert adapter.validate_python({"title": "a"}).url == ""
    with pytest.raises(ValidationError):
        adapter.validate_python({"title": "a", "uri": "b"})
