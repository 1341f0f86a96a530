"""TPU525, TPU526: the values of provider properties under ``extra``."""

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pulumi_gke_tpu.core.catalog.records.provider import ITEM_TYPES, PropertyType, converted
from pulumi_gke_tpu.core.plan.base import Unknown
from pulumi_gke_tpu.core.rules.engine.context import PlanContext
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule
from pulumi_gke_tpu.core.rules.files.extra import written_extras
from pulumi_gke_tpu.core.text.findings import Path, Replace, SetKeys, Severity, printable, quoted

_ALLOWED: dict[PropertyType, str] = {
    "string": "a string",
    "boolean": "true or false",
    "integer": "an integer",
    "number": "a number",
    "map": "a mapping of strings, such as {key: value}",
    "strings": "a list of strings, such as [a, b]",
    "block": "a mapping of properties, such as {property: value}",
    "blocks": "a list of mappings, such as [{property: value}]",
}


@rule(
    "TPU525",
    "wrong-property-type",
    about=("clusters.*.slices.*.extra",),
    otherwise={Severity.WARNING: "if the provider converts the value"},
    title="Property value of the wrong type",
    why="each property has one type. `pulumi up` fails with a value of another type, unless the provider can convert "
    "the value",
    fix="Use a value of the type that pulumi-gcp defines for the property.",
    references=["PULUMI_GCP_SDK", "OBSERVED_2026_11_20", "provider-cluster", "provider-node-pool"],
    basis="observed",
    failing="""
tpu: v6e
topology: 4x4
extra: {node_config: {tags: tpu}}
""",
    edit=("tags: tpu", "tags: [tpu]"),
)
def wrong_property_type(context: PlanContext) -> Iterable[Hit]:
    for _, known, properties in written_extras(context):
        for written in properties:
            if written.name in known:
                yield from _misfits(known[written.name].type, written.value, written.name, written.path)


def _misfits(kind: PropertyType, value: Any, name: str, path: Path) -> Iterator[Hit]:
    """Every path in a value with another type; properties inside blocks are checked separately."""
    if value is None or isinstance(value, Unknown):
        return
    if kind in ("map", "block"):
        if not isinstance(value, Mapping):
            yield _wrong(kind, value, name, path)
        elif kind == "map":
            for key, item in value.items():
                yield from _misfits("string", item, f'{name}["{printable(key, 100)}"]', (*path, key))
    elif kind in ("strings", "blocks"):
        yield from _misfits_in_list(kind, value, name, path)
    else:
        found = converted(kind, value)
        if found is None:
            yield _wrong(kind, value, name, path)
        elif isinstance(found, bool) != isinstance(value, bool) or isinstance(found, str) != isinstance(value, str):
            yield _wrong(kind, value, name, path, found)


def _misfits_in_list(kind: PropertyType, value: Any, name: str, path: Path) -> Iterator[Hit]:
    if not isinstance(value, list):
        yield _wrong(kind, value, name, path)
        return
    for index, item in enumerate(value):
        if kind == "strings" or not isinstance(item, Mapping):
            yield from _misfits(ITEM_TYPES[kind], item, f"{name}[{index}]", (*path, index))


def _wrong(kind: PropertyType, value: Any, name: str, path: Path, found: Any = None) -> Hit:
    """The hit for one value; ``found`` is the result of the provider's conversion."""
    key, right = path[-1], _right(kind, value, found)
    return Hit(
        path,
        f"{quoted(name)} must be {_ALLOWED[kind].split(',')[0]}, not {_type_in_words(value)}",
        severity=None if found is None else Severity.WARNING,
        given=_given(key, value),
        allowed=(_ALLOWED[kind],),
        why="" if found is None else _conversion(value, found),
        fix=Replace.value(right) if isinstance(key, int) else SetKeys.of({key: right}),
    )


def _conversion(value: Any, found: Any) -> str:
    shown = printable(json.dumps(found, ensure_ascii=False), 100)
    trap = "; only a quoted number keeps its spelling" if isinstance(value, float) else ""
    return f"the provider converts it to {shown}{trap}"


def _right(kind: PropertyType, value: Any, found: Any) -> Any:
    """The value with the right type, if the written value determines it; else None."""
    if isinstance(found, str) and isinstance(value, float):
        return None  # YAML has already lost how a float was written: 1.30 is 1.3 here
    return [value] if found is None and kind == "strings" and isinstance(value, str) else found


def _given(key: Any, value: Any) -> str:
    shown = "{...}" if isinstance(value, Mapping) else "[...]" if isinstance(value, list) else _scalar(value)
    return f"{printable(key, 100)}: {shown}" if isinstance(key, str) else shown


def _scalar(value: Any) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else printable(value, 100)


def _type_in_words(value: Any) -> str:
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, int):
        return "an integer"
    if isinstance(value, float):
        return "a number" if math.isfinite(value) else "not a finite number"
    if isinstance(value, str):
        return "a string"
    if isinstance(value, Mapping):
        return "a mapping"
    return "a list" if isinstance(value, list) else "another type"


@rule(
    "TPU526",
    "duplicate-property",
    about=("clusters.*.slices.*.extra",),
    title="Duplicate property",
    why="the camelCase name and the snake_case name refer to the same property, so Pulumi would send only one of the "
    "two values",
    fix="Remove one of the two names.",
    references=["PULUMI_GCP_SDK", "OBSERVED_2026_11_20", "provider-cluster", "provider-node-pool"],
    basis="observed",
    failing="""
tpu: v6e
topology: 4x4
extra: {node_config: {imageType: COS_CONTAINERD, image_type: COS_CONTAINERD}}
""",
    edit=("imageType: COS_CONTAINERD, image_type: COS_CONTAINERD", "image_type: COS_CONTAINERD"),
)
def duplicate_property(context: PlanContext) -> Iterable[Hit]:
    for _, _, properties in written_extras(context):
        first: dict[tuple[Path, str], Path] = {}
        for written in properties:
            other = first.setdefault((written.path[:-1], written.name), written.path)
            if other != written.path:
                yield Hit.duplicate(
                    written.path,
                    "property",
                    written.path[-1],
                    f"it is the same property as {quoted(other[-1])}",
                    given=printable(written.path[-1], 100),
                )
