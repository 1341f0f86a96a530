"""Keys whose value is copied: to a property of the provider, and to a field of a ComputeClass."""

import datetime
import functools
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic.fields import FieldInfo

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan.base import PlanModel
from pulumi_gke_tpu.core.plan.keys import inner_type, is_plan_model


@frozen
class CopiedKey:
    """A key whose value is copied as it is, or as another word."""

    names: tuple[str, ...]
    """The attributes that lead from a model to the value."""
    path: str
    """The property of the resource."""
    class_field: str
    """The field of a ComputeClass; empty if it has none, or code sets it."""
    type: Any
    """The type of the value, such as int."""
    least: int | None
    """The least number that the key takes."""
    values: Mapping[str, str] | None
    """Word of the plan -> value of the provider; None if they are the same."""

    @property
    def key(self) -> str:
        """The path of the key below the model."""
        return ".".join(self.names)

    def of(self, model: PlanModel) -> Any:
        """The value in a plan; None if it has none."""
        value: Any = model
        for name in self.names:
            value = getattr(value, name, None)
        return value


@functools.cache
def copied_keys(model: type[PlanModel]) -> tuple[CopiedKey, ...]:
    """The keys of a model, and of the mappings in it, that are copied to a property of its resource."""
    return tuple(_copied(model, ()))


def _copied(model: type[PlanModel], above: tuple[str, ...]) -> Iterator[CopiedKey]:
    for name, field in model.model_fields.items():
        stated = stated_effect(field)
        if stated.get("nothing") or stated.get("resource"):
            continue
        kind = inner_type(field.annotation)
        if stated.get("copies"):
            yield CopiedKey(
                names=(*above, name),
                path=stated["copies"],
                class_field=stated.get("class_field", ""),
                type=kind,
                least=next((mark.ge for mark in field.metadata if hasattr(mark, "ge")), None),
                values=stated.get("values"),
            )
        elif is_plan_model(kind):
            yield from _copied(kind, (*above, name))


def stated_effect(field: FieldInfo) -> Mapping[str, Any]:
    """What a key states about the properties that it sets."""
    extra = field.json_schema_extra
    stated: Any = extra.get("effect", {}) if isinstance(extra, dict) else {}
    return stated  # type: ignore[no-any-return]


def with_copied(properties: dict[str, Any], model: PlanModel) -> dict[str, Any]:
    """The properties of a resource, with those that are copied. Keys without a value are left out."""
    for key in copied_keys(type(model)):
        _copy(key, key.path, properties, model)
    return properties


def with_class_fields(fields: dict[str, Any], model: PlanModel, prefix: str) -> dict[str, Any]:
    """The fields of a ComputeClass below a prefix, with those that are copied. Keys without a value are left out."""
    for key in copied_keys(type(model)):
        if key.class_field.startswith(prefix):
            _copy(key, key.class_field.removeprefix(prefix), fields, model)
    return fields


def _copy(key: CopiedKey, path: str, target: dict[str, Any], model: PlanModel) -> None:
    value = key.of(model)
    if value is None:
        return
    *blocks, last = path.split(".")
    for step in blocks:
        if target.get(step) is None:
            target[step] = {}
        target = target[step]
    target[last] = key.values[value] if key.values is not None else _spelled(value)


def _spelled(value: Any) -> Any:
    return f"{int(value.total_seconds())}s" if isinstance(value, datetime.timedelta) else value
