"""Edits of a plan: the edited plans, and the functions that describe edits.

A plan is the arguments that a plan file gives (see ``shipped``).
"""

import copy
import functools
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from support.shipped import STACKS, TODAY, Plan, acknowledged, shipped_plan

from pulumi_gke_tpu import load_plan
from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.features.diff.model import ChangeClass
from pulumi_gke_tpu.preview import Graph, preview_plan

Change = Callable[[Plan], object]
Item = str
"""``cluster`` or ``cluster/group``."""
DELETE_FIRST, CREATE_FIRST = "replace, delete first", "replace, create first"
EAST, WEST = "train-east", "train-west"
PRETRAIN, SWEEP, ABLATION = "train-east/pretrain", "train-east/sweep", "train-east/ablation"
CHAT, TRIAL, PAIR, SCORE = "train-east/chat", "train-east/trial", "train-east/pair", "train-east/score"
FLEXIBLE = "train-east/flexible"
ALL_GROUPS = (PRETRAIN, SWEEP, ABLATION, CHAT, TRIAL, PAIR, SCORE)


@dataclass(frozen=True, eq=False)
class Edit:
    """One edit. ``classes`` has every item that changes; items that are not there stay as they are."""

    name: str
    base: str
    change: Change
    classes: Mapping[Item, ChangeClass] = field(default_factory=dict)
    ops: Mapping[str, str] = field(default_factory=dict)
    """Some resources, by type and name, with what the engine plans for them."""
    refused: Literal["", "engine", "provider", "GKE"] = ""
    """Who stops the run first: the engine in preview already, the others only in ``pulumi up``."""

    def __str__(self) -> str:
        return f"{self.base}: {self.name}"


def full() -> Plan:
    """The prod plan, and groups for what it does not have."""
    plan = shipped_plan("prod")
    plan["clusters"][EAST]["slices"].update(
        chat={
            "tpu": "v6e",
            "topology": "2x2",
            "count": {"min": 2, "max": 6},
            "zone": "us-east5-b",
            "collection": {"name": "chat", "workload": "high_availability"},
        },
        trial={"tpu": "v6e", "topology": "4x4", "count": {"min": 0, "max": 1}, "zone": "us-east5-b"},
        pair={"tpu": "v6e", "topology": "4x4", "count": 2, "zone": "us-east5-b"},
        score={
            "tpu": "v6e",
            "topology": "2x2",
            "count": 4,
            "zone": "us-east5-b",
            "node_labels": {"team": "ml"},
            "resource_labels": {"budget": "research"},
            "taints": [{"key": "dedicated", "value": "score", "effect": "NO_SCHEDULE"}],
            "max_pods_per_node": 32,
        },
    )
    return plan


def lifted() -> Plan:
    """The same with everything acknowledged: the step before something is taken down."""
    plan = acknowledged(full(), "delete", EAST)
    plan["clusters"][EAST].update(deletion_protection=False, resource_labels={"cost": "shared"})
    return plan


def blue_green() -> Plan:
    """The lifted plan with blue-green upgrades of one group, in a fleet, and without auto-provisioning."""
    plan = lifted()
    plan["clusters"][EAST]["fleet"] = "acme-fleet"
    del plan["clusters"][EAST]["autoprovisioning"]
    plan["clusters"][EAST]["slices"]["chat"]["upgrade"] = "blue_green"
    return plan


def cpu_pools() -> Plan:
    """The prod plan with CPU pools: one of fixed size, and one that is autoscaled."""
    plan = shipped_plan("prod")
    plan["clusters"][EAST]["cpu_pools"] = {
        "head": {
            "machine_type": "n2-standard-64",
            "nodes": 1,
            "zones": ["us-east5-b"],
            "node_labels": {"role": "head"},
        },
        "loaders": {
            "machine_type": "n2-standard-16",
            "min_nodes": 1,
            "max_nodes": 10,
            "zones": ["us-east5-a", "us-east5-b"],
        },
    }
    return plan


def flexible() -> Plan:
    """The prod plan with a group that a ComputeClass serves."""
    plan = shipped_plan("prod")
    plan["clusters"][EAST]["slices"]["flexible"] = {
        "tpu": "v6e",
        "topology": "4x4",
        "count": 2,
        "zone": "us-east5-b",
        "fallback": ["flex_start", "on_demand"],
        "capacity": {"reservation": "v6e-pretrain"},
    }
    return plan


def networks() -> Plan:
    """The prod plan with a network for a second interface of the hosts of one group."""
    plan = shipped_plan("prod")
    plan["clusters"][EAST]["additional_networks"] = {"data": {"subnet": "10.64.0.0/20"}}
    plan["clusters"][EAST]["slices"]["pair"] = {
        "tpu": "v6e",
        "topology": "4x4",
        "count": 2,
        "zone": "us-east5-b",
        "additional_networks": [{"name": "data"}],
    }
    return plan


def guarded() -> Plan:
    """The development plan, with a cluster that must not be deleted."""
    plan = shipped_plan("dev")
    plan["clusters"]["dev"]["deletion_protection"] = True
    return plan


def clusters() -> Plan:
    """The development plan with a second cluster of the same kind."""
    plan = shipped_plan("dev")
    plan["clusters"]["lab"] = copy.deepcopy(plan["clusters"]["dev"])
    return plan


def buckets() -> Plan:
    """The prod plan with a workload that reads one bucket and writes another."""
    plan = full()
    volumes = {
        "tokens": {"mount": "/tokens", "bucket": {"name": "acme-tokens"}, "read_only": True},
        "runs": {"mount": "/runs", "bucket": {"name": "acme-runs"}},
    }
    run = {"slices": "pair", "image": "train", "service_account": "trainer", "volumes": volumes}
    plan["clusters"][EAST]["kubernetes"] = {
        "service_accounts": {"trainer": {"google": "create"}},
        "workloads": {"run": run},
    }
    return plan


def planned() -> Plan:
    """The development plan with two planned runs."""
    plan = shipped_plan("dev")
    plan["clusters"]["dev"]["runs"] = {
        "trial": {"slices": "batch", "start": "2026-12-01T08:00:00Z", "duration": "6h"},
        "sweep": {"slices": "notebook", "start": "2026-12-02T08:00:00Z", "duration": "2d"},
    }
    return plan


def policies() -> Plan:
    """The Ironwood plan without protection, with workload policies of the cluster; a group names one of them."""
    plan = shipped_plan("ironwood")
    written = plan["clusters"]["ironwood"]
    written["workload_policies"] = {
        "cubes": {"topology": "4x4x8"},
        "spare": {"max_topology_distance": "block"},
        "apart": {"type": "high_throughput"},
    }
    written["slices"]["train"].update(topology="4x4x8", protect=False, placement={"workload_policy": "cubes"})
    return plan


def unprotected() -> Plan:
    """The Ironwood plan after a replacement of its reserved slices was acknowledged."""
    return acknowledged(shipped_plan("ironwood"), "replace", "ironwood/train")


BASES: Mapping[str, Callable[[], Plan]] = {
    "full": full,
    "buckets": buckets,
    "lifted": lifted,
    "blue-green": blue_green,
    "cpu pools": cpu_pools,
    "flexible": flexible,
    "networks": networks,
    "dev": lambda: shipped_plan("dev"),
    "two clusters": clusters,
    "guarded": guarded,
    "ironwood": lambda: shipped_plan("ironwood"),
    "planned": planned,
    "policies": policies,
    "unprotected": unprotected,
    "shared": lambda: shipped_plan("shared"),
}
FLEETS = {
    "full": "prod",
    "buckets": "prod",
    "lifted": "prod",
    "flexible": "prod",
    "blue-green": "prod",
    "cpu pools": "prod",
    "networks": "prod",
    "dev": "dev",
    "two clusters": "dev",
    "guarded": "dev",
    "ironwood": "ironwood",
    "planned": "dev",
    "policies": "ironwood",
    "unprotected": "ironwood",
    "shared": "shared",
}
"""The name of the fleet's component for each base."""


def edited(edit: Edit) -> Plan:
    """The plan after an edit."""
    plan = copy.deepcopy(BASES[edit.base]())
    changed = edit.change(plan)
    return changed if isinstance(changed, dict) and "clusters" in changed else plan


@functools.cache
def graph_before(base: str) -> Graph:
    """The graph of a base."""
    return _graph(BASES[base](), base)


@functools.cache
def graph_after(edit: Edit) -> Graph:
    """The graph of an edited plan."""
    return _graph(edited(edit), edit.base)


def _graph(plan: Plan, base: str) -> Graph:
    args: Any = plan
    return preview_plan(args, name=FLEETS[base], catalog=read_catalog())


# Edits


def group(item: Item, **values: Any) -> Change:
    """Other values for some keys of a group; None takes a key out."""

    def change(plan: Plan) -> None:
        name, key = item.split("/")
        _update(plan["clusters"][name]["slices"][key], values)

    return change


def cluster(key: str = EAST, /, **values: Any) -> Change:
    """Other values for some keys of a cluster; None takes a key out."""
    return lambda plan: _update(plan["clusters"][key], values)


def inside(*path: str, **values: Any) -> Change:
    """Other values for some keys of a block in the first cluster."""

    def change(plan: Plan) -> None:
        block = next(iter(plan["clusters"].values()))
        for step in path:
            block = block.setdefault(step, {})
        _update(block, values)

    return change


def top(**values: Any) -> Change:
    """Other values for some keys of the plan."""
    return lambda plan: _update(plan, values)


def both(*changes: Change) -> Change:
    """Several changes as one."""

    def change(plan: Plan) -> None:
        for each in changes:
            each(plan)

    return change


def renamed(item: Item, new: str, *, moved: bool = False) -> Change:
    """Another key for a cluster or a group."""

    def change(plan: Plan) -> None:
        name, _, key = item.partition("/")
        items = plan["clusters"][name]["slices"] if key else plan["clusters"]
        items[new] = items.pop(key or name)
        if moved:
            plan["moved"] = [{"from": item, "to": f"{name}/{new}" if key else new}]

    return change


def copied(item: Item, new: str) -> Change:
    """A group once more, under another key."""

    def change(plan: Plan) -> None:
        name, key = item.split("/")
        slices = plan["clusters"][name]["slices"]
        slices[new] = copy.deepcopy(slices[key])

    return change


def acknowledge(what: str, of: str, *changes: Change) -> Change:
    """Changes with an acknowledgement beside them."""

    def change(plan: Plan) -> Plan:
        both(*changes)(plan)
        return acknowledged(plan, what, of)

    return change


def rewritten(stack: str, *replacements: tuple[str, str]) -> Change:
    """A shipped plan with other text in it."""

    def change(plan: Plan) -> Plan:
        text = (STACKS / stack / "plan.yaml").read_text()
        for old, new in replacements:
            assert old in text, old
            text = text.replace(old, new)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "plan.yaml"
            path.write_text(text)
            written: Any = load_plan(path, today=TODAY)
        return copy.deepcopy(dict(written))

    return change


def in_reverse(plan: Plan) -> Plan:
    """Every key in the opposite order."""

    def turned(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: turned(inner) for key, inner in reversed(value.items())}
        return value

    result: Plan = turned(plan)
    return result


def _update(target: dict[str, Any], values: Mapping[str, Any]) -> None:
    target.update(copy.deepcopy(dict(values)))  # another edit of the same plan may change them
    for key in [key for key, value in values.items() if value is None]:
        del target[key]


def moved_to(region: str, first: str, second: str) -> Change:
    """Another region, with zones that have the same machines."""

    def change(plan: Plan) -> None:
        written = plan["clusters"][EAST]
        written["location"] = region
        for item in written["slices"].values():
            item["zone"] = second if item["tpu"] == "v5p" else first

    return change


def every(what: ChangeClass, *items: Item) -> dict[Item, ChangeClass]:
    return dict.fromkeys(items, what)


def pools(op: str, *names: str) -> dict[str, str]:
    return dict.fromkeys((f"NodePool {name}" for name in names), op)
