"""Values of fields: their types, their ranges, the values that exist, and missing fields: TPU368 to TPU370."""

import functools
import re
from collections.abc import Iterable, Iterator
from fractions import Fraction

from pulumi_gke_tpu.core.objects.fields import ObjectPart
from pulumi_gke_tpu.core.objects.open_values import has_open_key, is_open
from pulumi_gke_tpu.core.rules.engine.examples import tpu_job
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule
from pulumi_gke_tpu.core.text.findings import Fix, Path, Replace, SetKeys, did_you_mean, quoted
from pulumi_gke_tpu.core.text.formats.quantity import parse_quantity
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.features.check.context import ManifestContext
from pulumi_gke_tpu.features.check.texts import values_that_are_not_text

_SOURCES = [
    "kubernetes-api-server",
    "jobset-api",
    "jobset-webhook",
    "lws-api",
    "lws-webhook",
    "kuberay-validation",
    "compute-class-api",
    "kueue-clusterqueue-webhook",
]
_ITEMS, _MAP = "[]", "{}"
_BOOLEANS = ("true", "false")
_INTEGER = lazy_pattern(r"-?\d{1,18}\Z", re.ASCII)
_RANGE = lazy_pattern(r"(?P<type>[a-z ]+) (?P<least>-?\d*)\.\.(?P<most>\d*)\Z", re.ASCII)
_PERCENT = lazy_pattern(r"(-?\d{1,18})%\Z", re.ASCII)
_PLAIN: dict[str, type] = {"boolean": bool, "integer": int, "mapping": dict, "string": str}
"""The type of the values of a field without a range."""
_TITLES = {
    "boolean": "a boolean",
    "integer": "an integer",
    "number": "a number",
    "string": "a string",
    "quantity": "a quantity",
    "integer or string": "an integer or a string",
    "mapping": "a mapping",
}


@rule(
    "TPU368",
    title="Value of a field that has another type or is outside its range",
    why="the API server rejects the object. Controllers such as JobSet can accept a Pod template that is wrong, and "
    "then create no Pods from it",
    fix="Write a value of the type that the message names: numbers and booleans without quotes, texts with them.",
    references=_SOURCES,
    failing=tpu_job().replace("parallelism: 4", 'parallelism: "4"'),
    passing=tpu_job(),
)
def wrong_field_type(context: ManifestContext) -> Iterable[Hit]:
    """Another rule reports numbers, booleans and mappings in labels and variables."""
    for item in (*context.described, *context.outlined):
        found = [problem for part in item.parts for problem in _wrong(part, context)]
        pods = context.pods_by_owner.get(item.owner.index, ()) if found else ()
        reported = {path for path, _, _ in values_that_are_not_text(item.owner, pods)} if found else set()
        for path, message, allowed, fix in found:
            if path not in reported:
                yield Hit(item.owner.at(*path), message, fact=item.fact, allowed=allowed, fix=fix)


_Problem = tuple[Path, str, tuple[str, ...], Fix | None]
"""The place, the message, what is allowed, and a fix."""


def _wrong(part: ObjectPart, context: ManifestContext) -> Iterator[_Problem]:
    """The problems of the fields of a mapping. Most values have the only type that their fields have."""
    for key, value in part.data.items():
        wanted = part.fields.get(key)
        if isinstance(wanted, str) and _PLAIN.get(wanted) is not type(value):
            yield from _problems((*part.path, key), value, wanted, context)


def _problems(path: Path, value: object, wanted: str, context: ManifestContext) -> Iterator[_Problem]:
    """Why a value does not have a type: the place, the message, what is allowed, and a fix."""
    if value is None or is_open(value):
        return
    if wanted.endswith(_ITEMS):
        if isinstance(value, list):
            for index, entry in enumerate(value):
                yield from _problems((*path, index), entry, wanted.removesuffix(_ITEMS), context)
        else:
            yield path, f"{quoted(path[-1])} must be a list, and the value is {_kind(value)}", (), None
    elif wanted.endswith(_MAP):
        if isinstance(value, dict):
            for key, entry in value.items():
                yield from _problems((*path, key), entry, wanted.removesuffix(_MAP), context)
        else:
            yield path, f"{quoted(path[-1])} must be a mapping, and the value is {_kind(value)}", (), None
    elif wanted.partition(" ")[0] == "quantity":
        if path[-1] != context.catalog.kubernetes.pods.resource.name:  # a rule about chips reports these
            yield from _quantity_problems(path, value, wanted)
    else:
        yield from _scalar_problems(path, value, wanted)


def _quantity_problems(path: Path, value: object, wanted: str) -> Iterator[_Problem]:
    number = parse_quantity(value)
    if number is None:
        yield from _no_quantity(path, value)
    else:
        yield from _outside_range(path, value, number, _limits(wanted))


@functools.cache
def _limits(wanted: str) -> re.Match[str] | None:
    """The type and the range of a field; None without a range. The catalog has a few dozen."""
    return _RANGE.match(wanted)


def _no_quantity(path: Path, value: object) -> Iterator[_Problem]:
    near = re.sub(r"\s+", "", value) if isinstance(value, str) else ""
    near = near if parse_quantity(near) is not None else near.removesuffix("B").removesuffix("b")
    fix = SetKeys.of({path[-1]: near}) if near and parse_quantity(near) is not None else None
    yield path, f"{quoted(path[-1])} must be a quantity, and the value is {_kind(value)}", ("8", "500m", "16Gi"), fix


def _scalar_problems(path: Path, value: object, wanted: str) -> Iterator[_Problem]:
    limits = _limits(wanted)
    name = limits["type"] if limits else wanted
    if name not in _TITLES:
        return
    if not _has_type(value, name):
        right = _in_type(value, name)
        fix = Replace.value(right) if isinstance(path[-1], int) else SetKeys.of({path[-1]: right})
        what = f"entry {path[-1] + 1} of {quoted(path[-2])}" if isinstance(path[-1], int) else quoted(path[-1])
        yield path, f"{what} must be {_TITLES[name]}, and the value is {_kind(value)}", (), fix
    else:
        percent = _PERCENT.match(value) if isinstance(value, str) else None
        number = int(percent[1]) if percent else value
        if isinstance(number, int | float):
            yield from _outside_range(path, value, number, limits)


def _outside_range(
    path: Path, value: object, number: Fraction | float, limits: re.Match[str] | None
) -> Iterator[_Problem]:
    least, most = (limits["least"], limits["most"]) if limits else ("", "")
    if (least and number < int(least)) or (most and number > int(most)):
        allowed = f"{least} to {most}" if most else f"at least {least}"
        yield path, f"{quoted(path[-1])} is {value}, which is outside its range", (allowed,), None


def _has_type(value: object, name: str) -> bool:
    number = isinstance(value, int) and not isinstance(value, bool)
    match name:
        case "boolean":
            return isinstance(value, bool)
        case "integer":
            return number or (isinstance(value, float) and value.is_integer())
        case "number":
            return number or isinstance(value, float)
        case "string":
            return isinstance(value, str)
        case "integer or string":
            return number or isinstance(value, str)
        case _:
            return isinstance(value, dict)


def _kind(value: object) -> str:
    """What YAML reads a value as, with scalars as they are."""
    match value:
        case bool():
            return f"the boolean {quoted(str(value).lower())}"
        case int() | float():
            return f"the number {quoted(str(value))}"
        case str():
            return f"the string {quoted(value)}"
        case list():
            return "a list"
        case _:
            return "a mapping"


def _in_type(value: object, name: str) -> str | int | None:
    """The value in another type; None if the value has no meaning in it."""
    if name == "string" and isinstance(value, bool | int | float):
        return str(value).lower()
    if name == "boolean" and isinstance(value, str) and value.lower() in _BOOLEANS:
        return value.lower() == "true"
    if name in ("integer", "number") and isinstance(value, str) and _INTEGER.match(value):
        return int(value)
    return None


@rule(
    "TPU369",
    title="Value that a field does not have",
    why="the field has a fixed list of values, and the API server rejects others. Controllers such as JobSet can "
    "accept a Pod template that is wrong, and then create no Pods from it",
    fix="Use a value that the message lists. Upper and lower case matter.",
    references=_SOURCES,
    failing=tpu_job().replace("restartPolicy: Never", "restartPolicy: never"),
    passing=tpu_job(),
)
def unknown_field_value(context: ManifestContext) -> Iterable[Hit]:
    """An empty text is a missing value in the kinds of Kubernetes itself, which have a version in the catalog."""
    kinds = context.catalog.object_fields.kinds
    for item in context.described:
        for part in item.parts:
            for key, allowed in part.fields.items():
                value = part.data.get(key)
                if isinstance(allowed, str) or value is None or is_open(value) or value in allowed:
                    continue
                if value == "" and kinds[part.kind].version and key not in part.required:
                    continue
                path = item.owner.at(*part.path, key)
                same = (each for each in allowed if each.lower() == str(value).lower())
                near = next(same, "") or did_you_mean(str(value), allowed) or ""
                fix = SetKeys.of({key: near})
                message = f"unknown value {quoted(value)} of `{key}`"
                yield Hit(path, message, fact=item.fact, given=str(value), allowed=tuple(allowed), fix=fix)


@rule(
    "TPU370",
    title="Field that the API server requires",
    why="the field has no default. The API server rejects the object, or the controller cannot create Pods from it",
    fix="Add the field.",
    references=_SOURCES,
    failing=tpu_job().replace("- name: jax\n          image", "- image"),
    passing=tpu_job(),
)
def missing_field(context: ManifestContext) -> Iterable[Hit]:
    """An object whose containers have no image is a patch, which Kustomize merges with a whole object."""
    patches = {index for index, pods in context.pods_by_owner.items() if not any(pod.has_image for pod in pods)}
    for item in context.described:
        for part in item.parts if item.owner.index not in patches else ():
            for key in part.required:
                if part.data.get(key) is None and not has_open_key(part.data) and not _is_misspelled(part, key):
                    where = f"in {_place(part)}"
                    yield Hit.missing(item.owner.at(*part.path), f"key `{key}` {where}", fact=item.fact)


def _is_misspelled(part: ObjectPart, key: str) -> bool:
    """Whether another key stands for a missing one, which the rule about unknown fields reports."""
    return any(did_you_mean(str(other), (key,)) for other in part.data if other not in part.fields)


def _place(part: ObjectPart) -> str:
    """The mapping in words: the name of its key, or the entry of its list."""
    last = part.path[-1]
    return f"entry {last + 1} of `{part.path[-2]}`" if isinstance(last, int) else f"`{last}`"
