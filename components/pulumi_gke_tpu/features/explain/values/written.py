"""Explains a plan key without derived values: its value or default, and its meaning."""

from collections.abc import Mapping

from pulumi_gke_tpu.core.plan.base import PlanModel
from pulumi_gke_tpu.core.plan.keys import field_of
from pulumi_gke_tpu.features.explain.steps import Step


def written_step(part: object, name: str) -> tuple[Step, ...]:
    """One step for a key of a plan model; nothing if the model has no such key."""
    field = field_of(type(part), name) if isinstance(part, PlanModel) else None
    if field is None or not isinstance(part, PlanModel):
        return ()
    origin = "from the plan" if part.written(name) else "the default"
    return (Step(name, show(getattr(part, name)), f"{origin}; {(field.description or '').rstrip('.')}"),)


def show(value: object) -> str:
    """A value of a plan in YAML flow style."""
    if isinstance(value, PlanModel):
        return show({name: getattr(value, name) for name in type(value).model_fields if value.written(name)})
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key}: {show(item)}' for key, item in value.items())}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(show, value))}]"
    if isinstance(value, bool):
        return str(value).lower()
    return "none" if value is None else str(value)
