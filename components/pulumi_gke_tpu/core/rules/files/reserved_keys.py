"""TPU027: keys that Pulumi reserves."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pulumi_gke_tpu.core.plan.base import PlanModel
from pulumi_gke_tpu.core.rules.engine.context import PlanContext
from pulumi_gke_tpu.core.rules.engine.rule import Hit, in_group, of_groups, rule
from pulumi_gke_tpu.core.text.findings import Path

_SIGNATURE = "4dabf18193072939515e22adb298388d"
"""Marks secrets, assets and outputs in what a program sends to the engine (``pulumi.runtime.rpc``)."""


def _places(value: Any, path: Path) -> Iterator[Path]:
    """Every path in a part of a plan at which a mapping has the key."""
    if isinstance(value, PlanModel):
        for name, field in type(value).model_fields.items():
            if name in value.model_fields_set:
                yield from _places(getattr(value, name), (*path, field.alias or name))
    elif isinstance(value, Mapping):
        for key, item in value.items():
            if key == _SIGNATURE:
                yield (*path, key)
            yield from _places(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _places(item, (*path, index))


@rule(
    "TPU027",
    plans_only="it is about the text of a plan",
    about=of_groups("node_labels"),
    title="Key reserved by Pulumi",
    why="Pulumi uses this key to mark secrets and assets, so it rejects any other mapping that contains the key",
    fix="Use another key.",
    source="Pulumi SDK: serialization of properties (`pulumi.runtime.rpc`). Observed in a test run of the Pulumi "
    "engine",
    basis="observed",
    failing=f"""
tpu: v6e
topology: 4x4
node_labels: {{{_SIGNATURE}: pretrain}}
""",
    passing=in_group("node_labels: {job: pretrain}"),
)
def reserved_key(context: PlanContext) -> Iterable[Hit]:
    for path in _places(context.plan, ()):
        yield Hit(path, f"Pulumi reserves the key `{_SIGNATURE}`", given=_SIGNATURE)
