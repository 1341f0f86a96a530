"""Single changes of the prod plan, each with what the engine must plan for every resource that it touches."""

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from support.engine.stack_run import DELETE_FIRST
from support.shipped import Plan, shipped_plan

Edit = Callable[[Any], object]
"""Changes the plan's only cluster."""

PRETRAIN = ("NodePool train-east/pretrain/pretrain-0", "NodePool train-east/pretrain/pretrain-1")
SWEEP, ABLATION = "NodePool train-east/sweep/sweep", "NodePool train-east/ablation/ablation-0"
CHAT, SYSTEM = "NodePool train-east/chat/chat", "NodePool train-east/system"
CLUSTER = "Cluster train-east"


@dataclass(frozen=True)
class PlanChange:
    """One change: ``ops`` as the engine plans them, nothing for resources that stay as they are."""

    what: str
    edit: Edit
    ops: dict[str, str]

    def __str__(self) -> str:
        return self.what


def base() -> Plan:
    """The prod plan, and a group with a collection."""
    plan = shipped_plan("prod")
    added("chat", **_CHAT)(plan["clusters"]["train-east"])
    return plan


def edited(edit: Edit, plan: Plan | None = None) -> Plan:
    """A plan after one change."""
    changed = copy.deepcopy(base() if plan is None else plan)
    edit(changed["clusters"]["train-east"])
    return changed


def group(name: str, **values: Any) -> Edit:
    """Other values for some keys of a group; None takes a key out."""

    def edit(cluster: Any) -> None:
        cluster["slices"][name].update(values)
        cluster["slices"][name] = {key: value for key, value in cluster["slices"][name].items() if value is not None}

    return edit


def cluster(**values: Any) -> Edit:
    return lambda written: written.update(values)


def added(name: str, **item: Any) -> Edit:
    return lambda written: written["slices"].update({name: item})


def removed(name: str) -> Edit:
    return lambda written: written["slices"].pop(name)


def renamed(old: str, new: str) -> Edit:
    return lambda written: written["slices"].update({new: written["slices"].pop(old)})


def moved_to(region: str, first: str, second: str) -> Edit:
    """Another region, with zones that have the same machines."""

    def edit(written: Any) -> None:
        written["location"] = region
        for item in written["slices"].values():
            item["zone"] = second if item["tpu"] == "v5p" else first

    return edit


def _exclusion(end: str) -> Edit:
    return lambda written: written["maintenance"]["exclusions"]["frontier-run"].update(end=end)


def _all(op: str, *names: str) -> dict[str, str]:
    return dict.fromkeys(names, op)


_CHAT = {
    "tpu": "v6e",
    "topology": "2x2",
    "count": {"min": 2, "max": 6},
    "zone": "us-east5-b",
    "collection": {"name": "chat", "workload": "high_availability"},
}
_LARGER_DISK = {"type": "hyperdisk-balanced", "size_gib": 300}

FREE = (
    PlanChange("nothing", cluster(), {}),
    PlanChange("machine type", group("sweep", topology="2x2", chips_per_host=None), {SWEEP: DELETE_FIRST}),
    PlanChange("topology", group("ablation", topology="4x4x8"), {ABLATION: DELETE_FIRST}),
    PlanChange("flex-start to spot", group("ablation", capacity="spot"), {ABLATION: DELETE_FIRST}),
    PlanChange("spot to on demand", group("sweep", capacity="on_demand"), {SWEEP: DELETE_FIRST}),
    PlanChange("on demand to reserved", group("chat", capacity={"reservation": "r"}), {CHAT: DELETE_FIRST}),
    PlanChange("zone", group("sweep", zone="us-east5-a"), {SWEEP: DELETE_FIRST}),
    PlanChange("max pods", group("sweep", max_pods_per_node=64), {SWEEP: DELETE_FIRST}),
    PlanChange("collection", group("chat", collection={**_CHAT["collection"], "name": "talk"}), {CHAT: DELETE_FIRST}),
    PlanChange("one slice more", group("pretrain", count=3), {"NodePool train-east/pretrain/pretrain-2": "create"}),
    PlanChange("larger maximum", group("sweep", count={"min": 0, "max": 10}), {SWEEP: "update"}),
    PlanChange("single-host: autoscaled to static", group("sweep", count=4), {SWEEP: "update"}),
    PlanChange("exclusion", _exclusion("2026-12-24T00:00:00Z"), {CLUSTER: "update"}),
    PlanChange("release channel", cluster(release_channel="rapid"), {CLUSTER: "update"}),
    PlanChange("add-on", cluster(addons=["gcs_fuse", "ray_operator", "lustre"]), {CLUSTER: "update"}),
    PlanChange("node label", group("sweep", node_labels={"team": "ml"}), {SWEEP: "update"}),
    PlanChange("taint", group("sweep", taints=[{"key": "a", "value": "b", "effect": "NO_EXECUTE"}]), {SWEEP: "update"}),
    PlanChange("boot disk", group("pretrain", boot_disk=_LARGER_DISK), _all("update", *PRETRAIN)),
    PlanChange(
        "group added",
        added("extra", tpu="v6e", topology="2x2", zone="us-east5-b"),
        {"NodePool train-east/extra/extra": "create"},
    ),
    PlanChange("group removed", removed("sweep"), {SWEEP: "delete"}),
    PlanChange(
        "group renamed", renamed("sweep", "trials"), {SWEEP: "delete", "NodePool train-east/trials/trials": "create"}
    ),
)
"""Changes that no protection prevents."""

SWALLOWED = (
    PlanChange("boot disk gone", group("pretrain", boot_disk=None), {}),
    PlanChange("collection gone", group("chat", collection=None), {}),
)
"""Left out of the plan, and nothing happens: the provider keeps what GKE reports."""

UNGUARDED = (
    PlanChange("reserved to spot", group("pretrain", capacity="spot"), _all(DELETE_FIRST, *PRETRAIN)),
    PlanChange("reserved to on demand", group("pretrain", capacity="on_demand"), _all(DELETE_FIRST, *PRETRAIN)),
    PlanChange("protect: false", group("pretrain", protect=False, topology="8x16"), _all(DELETE_FIRST, *PRETRAIN)),
)
"""Replacements of protected pools that succeed in one update: a pool without a reservation is not protected."""

REPLACING = (
    PlanChange("topology", group("pretrain", topology="8x16"), _all(DELETE_FIRST, *PRETRAIN)),
    PlanChange("reservation", group("pretrain", capacity={"reservation": "other"}), _all(DELETE_FIRST, *PRETRAIN)),
    PlanChange("zone", group("pretrain", zone="us-east5-a"), _all(DELETE_FIRST, *PRETRAIN)),
    PlanChange(
        "secure boot",
        cluster(security={"tpu_secure_boot": True}),
        _all(DELETE_FIRST, *PRETRAIN, SWEEP, ABLATION, CHAT),
    ),
)
"""Replacements of protected pools: refused, and planned once they are acknowledged."""

DELETING = (
    PlanChange("last slice deleted", group("pretrain", count=1), {PRETRAIN[1]: "delete"}),
    PlanChange("first slice deleted", group("pretrain", count=None, indices=[1]), {PRETRAIN[0]: "delete"}),
    PlanChange("group deleted", removed("pretrain"), _all("delete", *PRETRAIN)),
)
"""Deletions of protected pools: refused, also in the update that acknowledges them, planned in the one after it."""
