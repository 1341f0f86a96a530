"""Every fact states its source, the date of the source and its confidence."""

import datetime
import re
from collections.abc import Iterator
from typing import Any

from pulumi_gke_tpu.core.catalog.records.facts import Fact

SOURCES = ("source", "conflict_source")
"""The keys with the sources of a fact, and with the sources that contradict it."""


def facts(data: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every mapping that carries a source."""
    if isinstance(data, dict):
        if isinstance(data.get("source"), list):
            yield path, data
        for key, value in data.items():
            yield from facts(value, f"{path}.{key}")
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from facts(value, f"{path}[{index}]")


def notes(document: dict[str, Any]) -> list[dict[str, Any]]:
    sections = [content for content in document.values() if "notes" in content]
    return [note for content in sections for note in content["notes"]]


def offers(document: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """The facts about what Google offers: all but those about the providers, which come from experiments."""
    return list(facts({name: content for name, content in document.items() if name not in ("provider", "gke_adds")}))


def test_every_fact_names_sources_that_exist(document: dict[str, Any]) -> None:
    named = [(path, name) for path, fact in facts(document) for key in SOURCES for name in fact.get(key, ())]
    assert [(path, name) for path, name in named if name not in document["sources"]] == []
    assert all(fact["source"] for _, fact in facts(document))


def test_no_fact_names_a_source_twice(document: dict[str, Any]) -> None:
    lists = [(path, fact.get(key, ())) for path, fact in facts(document) for key in SOURCES]
    assert [path for path, names in lists if len(set(names)) < len(names)] == []


def test_both_positions_of_a_conflict_have_sources(document: dict[str, Any]) -> None:
    lacking = [
        path for path, fact in facts(document) if bool(fact.get("conflict")) != bool(fact.get("conflict_source"))
    ]
    assert lacking == []


def test_every_source_is_used(document: dict[str, Any]) -> None:
    used = {name for _, fact in facts(document) for key in SOURCES for name in fact.get(key, ())}
    assert set(document["sources"]) - used == set()


def test_sources_are_sorted_and_told_apart(document: dict[str, Any]) -> None:
    sources = document["sources"]
    assert list(sources) == sorted(sources)
    assert all(re.fullmatch(r"[A-Za-z0-9]+([-_][A-Za-z0-9]+)*", name) for name in sources)
    titles = [source["title"] for source in sources.values()]
    assert len(set(titles)) == len(titles)


def test_an_address_is_a_page_or_a_file_at_a_commit(document: dict[str, Any]) -> None:
    form = re.compile(r"https://\S+|github\.com/[\w.-]+/[\w.-]+@[0-9a-f]{40}:\S+")
    urls = [source["url"] for source in document["sources"].values() if "url" in source]
    assert urls
    assert [url for url in urls if not form.fullmatch(url)] == []


def test_dates_exist_and_are_not_after_the_catalog(document: dict[str, Any]) -> None:
    version = document["about"]["version"]
    for path, fact in facts(document):
        date = fact["as_of"]
        if date == "unverified":
            assert fact["confidence"] == "low", path
        else:
            assert datetime.date.fromisoformat((date + "-01-01")[:10]), path
            assert date <= version[: len(date)], path


def test_the_newest_evidence_is_in_the_catalog(document: dict[str, Any]) -> None:
    newest = max(fact["as_of"] for _, fact in offers(document) if fact["as_of"] != "unverified")
    assert newest == document["about"]["newest_evidence"]
    assert newest <= document["about"]["version"]


def test_what_is_only_remembered_is_never_sure(document: dict[str, Any]) -> None:
    remembered = {path: fact for path, fact in offers(document) if "unverified" in fact["source"]}
    assert remembered
    for path, fact in remembered.items():
        assert fact["confidence"] == "low" or "low" in fact.get("by_item", {}).values(), path


def test_a_confidence_of_its_own_is_for_something_in_the_fact(document: dict[str, Any]) -> None:
    for path, fact in facts(document):
        members = {
            item for value in fact.values() if isinstance(value, list) for item in value if isinstance(item, str)
        }
        rows = {row["topology"] for row in fact.get("rows", [])}
        assert set(fact.get("by_item", {})) <= set(fact) | members | rows, path


def test_what_is_contested_is_in_the_fact_or_named_by_its_conflict(document: dict[str, Any]) -> None:
    contested = {path: fact for path, fact in facts(document) if fact.get("contested")}
    assert contested
    for path, fact in contested.items():
        lists = [value for key, value in fact.items() if key != "contested" and isinstance(value, list)]
        members = {item for value in lists for item in value if isinstance(item, str)}
        rows = {row["topology"] for row in fact.get("rows", [])}
        text = fact["conflict"]
        assert [
            item for item in fact["contested"] if item not in {*fact, *members, *rows} and item not in text
        ] == [], path


def test_confidence_in_an_item() -> None:
    fact = Fact(source=("a",), as_of="2026", confidence="medium", by_item={"e2": "high"})
    assert fact.confidence_in("e2") == "high"
    assert fact.confidence_in("n2") == "medium"


def test_notes_have_ids_of_their_own_and_are_whole_sentences(document: dict[str, Any]) -> None:
    ids = [note["id"] for note in notes(document)]
    assert len(set(ids)) == len(ids)
    for note in notes(document):
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", note["id"])
        assert note["topics"]
        assert note["text"].endswith(".")
