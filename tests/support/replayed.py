"""The observed changes as programs: every base with a change applied, as resources of one stack."""

import copy
import pathlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import pulumi
import pulumi_gcp as gcp
import yaml

PROJECT, LOCATION = "test-project", "us-west4"
NOISE = "nodeConfig.resourceManagerTags"
"""The real provider lists this in every difference of a pool that was not refreshed yet; alone it does nothing."""

_CLASSES: dict[str, Any] = {
    **dict.fromkeys(("multi", "multi_fixed", "single", "single_auto", "tpu7x"), gcp.container.NodePool),
    **dict.fromkeys(("standard", "zonal", "autopilot"), gcp.container.Cluster),
    "workload_policy": gcp.compute.ResourcePolicy,
    "network": gcp.compute.Network,
    "subnetwork": gcp.compute.Subnetwork,
    "account": gcp.serviceaccount.Account,
    "iam_member": gcp.projects.IAMMember,
}


@dataclass(frozen=True)
class Change:
    """One observed change, and what was seen."""

    id: str
    base: str
    before: dict[str, Any]
    after: dict[str, Any]
    options: dict[str, Any]
    op: str
    diff: dict[str, str] = field(default_factory=dict)
    writes: tuple[str, ...] = ()
    fails: bool = False
    again: str = "same"


def observed_changes() -> list[Change]:
    """All of them, in the order of the file."""
    path = pathlib.Path(__file__).parents[1] / "engine" / "data" / "observed_changes.yaml"
    data = yaml.load(path.read_text(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return [
        _change(name, base, data["bases"][base], seen)
        for base, changes in data["changes"].items()
        for name, seen in changes.items()
    ]


def _change(name: str, base: str, inputs: dict[str, Any], seen: dict[str, Any]) -> Change:
    def with_values(values: dict[str, Any]) -> dict[str, Any]:
        result = copy.deepcopy(inputs)
        for path, value in {**seen.get("with", {}), **values}.items():
            _set(result, path.split("."), value)
        return _named(name, base, result, seen.get("options", {}))

    return Change(
        id=name,
        base=base,
        before=with_values(seen.get("from", {})),
        after=with_values(seen.get("to", {})),
        options={key: value for key, value in seen.get("options", {}).items() if key != "autoname"},
        op=seen["op"],
        diff=seen.get("diff", {}),
        writes=tuple(seen.get("writes", ())),
        fails=seen.get("fails", False),
        again=seen.get("again", "same"),
    )


def merged(inputs: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Inputs with others laid over them, block by block."""
    result = copy.deepcopy(inputs)
    for name, value in changes.items():
        below = result.get(name)
        result[name] = merged(below, value) if isinstance(value, dict) and isinstance(below, dict) else value
    return result


def _set(target: dict[str, Any], steps: list[str], value: Any) -> None:
    for step in steps[:-1]:
        if value is None and step not in target:
            return
        target = target.setdefault(step, {})
    if value is None:
        target.pop(steps[-1], None)
    else:
        target[steps[-1]] = copy.deepcopy(value)


def _named(name: str, base: str, inputs: dict[str, Any], options: dict[str, Any]) -> dict[str, Any]:
    """Names that are unique among all changes."""
    if base == "account":
        inputs["account_id"] = f"{name}-{inputs['account_id']}"
    elif base != "iam_member" and not options.get("autoname"):
        inputs["name"] = f"{name}-{inputs['name']}" if "name" in inputs else name
    if base == "iam_member":
        inputs["member"] = f"{inputs['member']}-{name}"
    return inputs


def program(changes: Iterable[Change], moment: str) -> Callable[[], None]:
    """The program of a stack with all resources, ``before`` or ``after`` their changes."""
    chosen = list(changes)

    def run() -> None:
        around = _surroundings()
        for change in chosen:
            options = pulumi.ResourceOptions(depends_on=around, **change.options)
            _CLASSES[change.base](change.id, **copy.deepcopy(getattr(change, moment)), opts=options)

    return run


def _surroundings() -> list[pulumi.Resource]:
    """Clusters and policies that the pools name."""
    clusters = [
        gcp.container.Cluster(
            name,
            name=name,
            location=LOCATION,
            initial_node_count=1,
            remove_default_node_pool=True,
            deletion_protection=False,
            release_channel={"channel": "RAPID"},
        )
        for name in ("base", "base2")
    ]
    policies = [
        gcp.compute.ResourcePolicy(
            name,
            name=name,
            region=LOCATION,
            workload_policy={"type": "HIGH_THROUGHPUT", "accelerator_topology": "2x2x2"},
        )
        for name in ("wp-a", "wp-b")
    ]
    return [*clusters, *policies]
