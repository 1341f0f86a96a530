"""Crosses between the component's Inputs and the plan's values that are known later; merges ``extra`` properties."""

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

import pulumi

from pulumi_gke_tpu.catalog.records.property_values import converted_inside
from pulumi_gke_tpu.catalog.records.provider import Provider
from pulumi_gke_tpu.catalog.spelling import camel_case, snake_case
from pulumi_gke_tpu.plan import Later


def to_plan(value: Any) -> Any:
    """Component arguments as plan data: outputs become values known later, containers plain ones."""
    if isinstance(value, pulumi.Output) or hasattr(value, "__await__"):
        return Later(value)
    if isinstance(value, Mapping):
        return {key: to_plan(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [to_plan(item) for item in value]
    return value


def to_input(value: Any) -> Any:
    """The inverse of :func:`to_plan`, for anything that goes into a property."""
    if isinstance(value, Later):
        return value.value
    if isinstance(value, Mapping):
        return {key: to_input(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_input(item) for item in value]
    return value


def component_props(args: Mapping[str, Any]) -> dict[str, Any]:
    """A component's arguments as its own inputs; the day is left out, or every day would show a change."""
    return {name: _sendable(value) for name, value in args.items() if name != "today"}


def _sendable(value: Any) -> Any:
    """A value as Pulumi can send it: YAML readers make dates of what looks like one."""
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {key: _sendable(item) for key, item in value.items()}
    return [_sendable(item) for item in value] if isinstance(value, list | tuple) else value


def given(**properties: Any) -> dict[str, Any]:
    """The properties that have a value."""
    return {name: to_input(value) for name, value in properties.items() if value is not None}


def merge_extra(
    properties: dict[str, Any], extra: Mapping[str, Any], provider: Provider, resource_type: str
) -> dict[str, Any]:
    """Lay the plan's ``extra`` properties over our own, key by key; camelCase and snake_case keys are both understood.

    Keys below a property of type map, such as a label, are kept as they are written. Scalars are converted to the
    property's type as the provider converts them, so that a preview shows what is sent.
    """
    return _merge(properties, extra, provider, resource_type, "")


def _merge(
    properties: Mapping[str, Any], extra: Mapping[str, Any], provider: Provider, resource_type: str, prefix: str
) -> dict[str, Any]:
    merged = dict(properties)
    for key, value in extra.items():
        path = f"{prefix}{camel_case(key)}"
        known = provider.resources[resource_type].properties.get(path)
        name = snake_case(key) if known else key
        if known is not None:
            value = converted_inside(known.type, value)
        nested = _nested(provider, resource_type, path)
        if isinstance(value, Mapping):
            below = merged.get(name)
            inner = below if isinstance(below, Mapping) else {}
            value = _merge(inner, value, provider, resource_type, f"{path}.") if nested else {**inner, **value}
        elif isinstance(value, list) and nested:
            value = [
                _merge({}, item, provider, resource_type, f"{path}.") if isinstance(item, Mapping) else item
                for item in value
            ]
        merged[name] = to_input(value)
    return merged


def _nested(provider: Provider, resource_type: str, path: str) -> bool:
    """Whether a property has known properties inside."""
    return any(name.startswith(f"{path}.") for name in provider.resources[resource_type].properties)
