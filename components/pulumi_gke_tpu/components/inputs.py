"""From a component's arguments to plan data."""

from collections.abc import Mapping, Sequence
from typing import Any

import pulumi

from pulumi_gke_tpu.plan import Unknown


def to_plan(value: object) -> Any:
    """Component arguments as plan data: outputs become values known later, containers plain ones."""
    if isinstance(value, pulumi.Output) or hasattr(value, "__await__"):
        return Unknown(output=value)
    if isinstance(value, Mapping):
        return {key: to_plan(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [to_plan(item) for item in value]
    return value
