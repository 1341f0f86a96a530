"""What a plan adds to a Pod template: fields that no key has. Nothing of the template is replaced."""

from collections.abc import Mapping
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.text.findings import Path

_ITEMS = "[]"


def extended(template: dict[str, Any], addition: Mapping[str, Any], catalog: Catalog) -> dict[str, Any]:
    """The template with the fields of an addition. What contradicts the template is left out: a rule reports it."""
    if not addition:
        return template
    result = _Merge(catalog).mapping(template, addition, (), "")
    return {key: result[key] for key in ("metadata", *result) if key in result}


def contradictions(template: Mapping[str, Any], addition: Mapping[str, Any], catalog: Catalog) -> Mapping[Path, Any]:
    """The places in an addition that would replace something, each with what the template has there."""
    merge = _Merge(catalog)
    merge.mapping(template, addition, (), "")
    return merge.contradictions


class _Merge:
    def __init__(self, catalog: Catalog) -> None:
        facts = catalog.kubernetes.pods.merging
        self.keys = {**dict.fromkeys(facts.appended, ""), **facts.keys}
        self.contradictions: dict[Path, Any] = {}

    def mapping(self, base: Mapping[str, Any], more: Mapping[str, Any], path: Path, place: str) -> dict[str, Any]:
        result = dict(base)
        for key, value in more.items():
            here, below = (*path, key), f"{place}.{key}" if place else key
            result[key] = self.value(base[key], value, here, below) if key in base else value
        return result

    def value(self, base: object, more: object, path: Path, place: str) -> object:
        if isinstance(base, Mapping) and isinstance(more, Mapping):
            return self.mapping(base, more, path, place)
        if isinstance(base, list) and isinstance(more, list) and place in self.keys:
            return self.items(base, more, path, place)
        if base != more or type(base) is not type(more):
            self.contradictions[path] = base
        return base

    def items(self, base: list[Any], more: list[Any], path: Path, place: str) -> list[Any]:
        """The entries of both lists: those with the same name become one."""
        key, result = self.keys[place], list(base)
        for index, entry in enumerate(more):
            name = entry.get(key) if key and isinstance(entry, Mapping) else None
            at = next((i for i, item in enumerate(base) if name is not None and item.get(key) == name), None)
            if at is None:
                result.append(entry)
            else:
                result[at] = self.value(base[at], entry, (*path, index), place + _ITEMS)
        return result
