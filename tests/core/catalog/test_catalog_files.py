"""The files have the form that the records and the published JSON Schema describe."""

import datetime
import functools
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator
from pydantic import TypeAdapter

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.catalog import FOLDERS
from pulumi_gke_tpu.core.catalog.document import CatalogFile, json_schema
from pulumi_gke_tpu.core.catalog.shipped import catalog_folder

SECTIONS = [item.name for item in fields(CatalogFile)]
VALIDATOR = functools.cache(lambda: Draft202012Validator(json_schema()))
ADAPTER = functools.cache(lambda: TypeAdapter(CatalogFile))
FILES = sorted(path.relative_to(catalog_folder()).as_posix() for path in catalog_folder().rglob("*.yaml"))
FLOATS = {
    "usd",
    "hbm_gib",
    "hbm_gbps",
    "bf16_tflops",
    "fp8_tflops",
    "int8_tops",
    "ici_gbps_bidirectional",
    "default",
    "cpu_percents",
    "n1-highcpu",
    "n1-highmem",
    "n1-standard",
}


class OnceLoader(yaml.SafeLoader):
    """Refuses a key that is written twice, which YAML would let pass in silence."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = [self.construct_object(key) for key, _ in node.value]
        twice = {key for key in keys if keys.count(key) > 1}
        assert not twice, f"{node.start_mark}: written twice: {twice}"
        return super().construct_mapping(node, deep)


NONE_YET = "evidence"
"""The section that can be empty: no run on GKE has to be known."""


def leaves(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Every scalar with the way to it."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield from leaves(value, (*path, key))
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from leaves(value, (*path, index))
    else:
        yield path, data


def test_there_is_a_file_for_every_section_and_no_other() -> None:
    expected = {f"{name}.yaml" for name in SECTIONS if name not in FOLDERS}
    assert {name for name in FILES if "/" not in name} == expected
    assert {name.partition("/")[0] for name in FILES if "/" in name} | {NONE_YET} == set(FOLDERS)


@pytest.mark.parametrize("section", SECTIONS)
def test_a_section_is_valid_for_editors(section: str, document: dict[str, Any]) -> None:
    assert [error.message for error in VALIDATOR().iter_errors({section: document[section]})] == []


@pytest.mark.parametrize("section", SECTIONS)
def test_a_section_is_valid_for_overlays(section: str, document: dict[str, Any]) -> None:
    checked = ADAPTER().validate_python({section: document[section]})
    assert getattr(checked, section) or section == NONE_YET


@pytest.mark.parametrize("section", sorted(set(SECTIONS) - {"generations"}))
def test_a_section_builds_without_checks(section: str, catalog: Catalog) -> None:
    assert getattr(catalog, section) or section == NONE_YET


def test_every_generation_builds_without_checks(catalog: Catalog) -> None:
    assert [catalog.generation(name).title for name in catalog.generation_names]


@pytest.mark.parametrize("name", FILES)
def test_no_key_is_written_twice(name: str) -> None:
    yaml.load((catalog_folder() / name).read_text(encoding="utf-8"), OnceLoader)


@pytest.mark.parametrize("name", FILES)
def test_a_file_says_first_what_it_holds(name: str) -> None:
    assert Path(catalog_folder() / name).read_text(encoding="utf-8").startswith("# ")


@pytest.mark.parametrize("name", FILES)
def test_yaml_made_nothing_else_of_a_string(name: str) -> None:
    content = yaml.safe_load((catalog_folder() / name).read_text(encoding="utf-8"))
    for path, value in leaves(content):
        assert not isinstance(value, datetime.date), path
        key = next(step for step in reversed(path) if isinstance(step, str))
        assert not isinstance(value, float) or key in FLOATS, path
        assert all(isinstance(step, (str, int)) and not isinstance(step, bool) for step in path), path
        if isinstance(value, str):
            assert value.isprintable(), path
            assert value == value.strip(), path
            assert value or path[-1] in ("note", "conflict"), path
