"""Values of existing resources that no configuration set."""

from typing import Any

from pulumi_gke_tpu.core.catalog.records.provider import Provider
from pulumi_gke_tpu.core.graph.model import NODE_POOL
from pulumi_gke_tpu.core.text.formats.property_path import Steps, parse_path, value_at


def without_reported(values: dict[str, Any], existing: dict[str, Any], provider: Provider) -> dict[str, Any]:
    """The properties of a node pool without those that the provider reports without a configuration.

    These are the size at creation beside the present one, and the disk type of machines without TPUs: a TPU VM cannot
    have it. A value that differs from the existing one is what a program sets.
    """
    if "nodeCount" in values and values.get("initialNodeCount") == existing.get("initialNodeCount"):
        values = {key: value for key, value in values.items() if key != "initialNodeCount"}
    for path, item in provider.resources[NODE_POOL].properties.items():
        steps = parse_path(path)
        if item.reported_for_tpus and value_at(values, steps) == value_at(existing, steps) == item.reported:
            values = _without(values, steps)
    return values


def _without(values: dict[str, Any], steps: Steps) -> dict[str, Any]:
    first, rest = str(steps[0]), steps[1:]
    inner = values.get(first)
    if rest and isinstance(inner, dict):
        return {**values, first: _without(inner, rest)}
    return {key: value for key, value in values.items() if key != first}
