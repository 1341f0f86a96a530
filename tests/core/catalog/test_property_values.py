"""Types of provider properties: those of the installed provider package, and what the provider converts."""

import importlib.util
import pathlib
from types import ModuleType
from typing import Any

import pytest

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.catalog.property_values import converted, converted_inside
from pulumi_gke_tpu.core.catalog.records.provider import PropertyType

ROOT = pathlib.Path(__file__).parents[3]
RESOURCES = read_catalog().provider.resources


def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("property_types", ROOT / "tools" / "property_types.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("token", sorted(RESOURCES))
def test_types_are_those_of_the_installed_provider_package(token: str) -> None:
    installed = tool().property_types(token)
    properties = {path: item for path, item in RESOURCES[token].properties.items() if "[" not in path}
    assert {path: item.type for path, item in properties.items()} == {path: installed[path] for path in properties}


def test_every_property_with_others_inside_is_a_block() -> None:
    for resource in RESOURCES.values():
        outer = {path.rpartition(".")[0] for path in resource.properties if "." in path and "[" not in path}
        assert {resource.properties[path].type for path in outer} <= {"block", "blocks"}


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("string", "a", "a"),
        ("string", True, "true"),
        ("string", 3, "3"),
        ("string", 1.5, "1.5"),
        ("string", 3.0, "3"),  # numbers from other languages, and what the engine sends, are doubles
        ("string", 1e22, "10000000000000000000000"),
        ("string", 1e-7, "0.0000001"),
        ("string", float("inf"), None),
        ("boolean", False, False),
        ("boolean", "true", True),
        ("boolean", "false", False),
        ("boolean", "yes", None),
        ("boolean", 1, None),
        ("integer", 3, 3),
        ("integer", 2.0, 2),
        ("integer", 2.5, None),
        ("integer", "3", 3),
        ("integer", "3.5", None),
        ("integer", "three", None),
        ("integer", True, None),
        ("integer", 2**53, 2**53),
        ("integer", 2**53 + 1, None),
        ("number", 1, 1),
        ("number", 0.5, 0.5),
        ("number", "0.5", 0.5),
        ("number", float("nan"), None),
        ("number", False, None),
    ],
)
def test_scalars_are_converted_without_loss_or_refused(kind: PropertyType, value: Any, expected: Any) -> None:
    found = converted(kind, value)
    assert (type(found), found) == (type(expected), expected)


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("map", {"a": 1, "b": True}, {"a": "1", "b": "true"}),
        ("strings", [1, "b"], ["1", "b"]),
        ("boolean", "true", True),
        ("boolean", "maybe", "maybe"),
        ("block", {"a": 1}, {"a": 1}),
        ("strings", "a", "a"),
        ("integer", None, None),
        ("string", None, None),
        ("string", ["a"], ["a"]),
        ("boolean", ["true"], ["true"]),
        ("integer", {"3": 3}, {"3": 3}),
        ("map", [1], [1]),
        ("map", {"a": [1]}, {"a": [1]}),
        ("strings", {"a": 1}, {"a": 1}),
        ("block", "true", "true"),
        ("blocks", 3, 3),
    ],
)
def test_scalars_in_maps_and_lists_are_converted_too(kind: PropertyType, value: Any, expected: Any) -> None:
    assert converted_inside(kind, value) == expected
