"""Paths of values in a plan as the table of keys has them."""

from typing import Any, get_args, get_origin

from pulumi_gke_tpu.core.plan import Plan
from pulumi_gke_tpu.core.plan.keys import field_of, inner_type, is_plan_model
from pulumi_gke_tpu.core.text.findings import Path


def pattern_of(path: Path) -> str:
    """The path of a value as ``documented_keys`` writes it."""
    kind: Any = Plan
    steps: list[str] = []
    for step in path:
        if is_plan_model(kind):
            field = field_of(kind, str(step))
            kind = inner_type(field.annotation) if field else None
            steps.append(str(step))
        elif get_origin(kind) is list and steps:
            kind = inner_type(get_args(kind)[0])
            steps[-1] += "[]"
        else:
            kind = inner_type(get_args(kind)[1]) if get_origin(kind) is dict else None
            steps.append("*")
    return ".".join(steps)
