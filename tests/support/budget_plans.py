"""Plans with one budget for slices of two shapes."""

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from support.kubernetes_model.units import QueuedWorkload, queued_workloads
from support.workload_plans import with_image

CHIPS = 8
SHAPES: dict[str, dict[str, Any]] = {
    "single": {"topology": "1x1"},
    "host": {"topology": "2x2"},
    "eight": {"topology": "2x4", "chips_per_host": 8},
    "hosts": {"topology": "2x4", "chips_per_host": 4},
}
SIZE = {"single": 1, "host": 4, "eight": 8, "hosts": 8}
MULTI_HOST = "hosts"
COUNTS: dict[str, Any] = {"scales": lambda most: {"min": 0, "max": most}, "static": lambda most: max(1, most // 2)}
FLOORS = {**COUNTS, "floor": lambda most: {"min": 1, "max": most}, "small": lambda most: {"min": 0, "max": 1}}
QUEUES = {
    "one": {"a": {"chips": {"shared": 8}}},
    "cohort": {name: {"chips": {"shared": 4}, "cohort": "all"} for name in ("a", "b")},
    "apart": {name: {"chips": {"shared": 4}} for name in ("a", "b")},
    "no borrowing": {name: {"chips": {"shared": 4}, "cohort": "all", "borrow": {"shared": 0}} for name in ("a", "b")},
    "of a cohort": {name: {"chips": {"shared": 2}, "cohort": "all", "borrow": {"shared": 2}} for name in ("a", "b")},
}
COHORTS = {"of a cohort": {"all": {"chips": {"shared": 4}}}}
"""The chips that a cohort has besides those of its queues."""


def plan_of(
    counts: Mapping[str, str], queues: str, workloads: Sequence[str] = (), mode: str = "standard"
) -> dict[str, Any]:
    """For each shape in ``workloads``, one workload in each queue that asks for all chips."""
    zone = {"zone": "us-east5-b"} if mode == "standard" else {}
    reserved = {"tpu": "v6e", **zone, "capacity": {"reservation": "ours"}}
    slices = {
        shape: {**reserved, **SHAPES[shape], "count": FLOORS[count](CHIPS // SIZE[shape])}
        for shape, count in counts.items()
    }
    run = {
        f"{shape}-{queue}": with_image(
            {
                "slices": shape,
                "kind": "leaderworkerset" if shape == MULTI_HOST else "deployment",
                "count": CHIPS // SIZE[shape],
                "queue": queue,
            }
        )
        for shape in workloads
        for queue in QUEUES[queues]
    }
    own = copy.deepcopy({"queues": QUEUES[queues], "cohorts": COHORTS.get(queues, {})})
    kubernetes = {**own, "workloads": run}
    cluster = {"mode": mode, "location": "us-east5", "slices": slices, "kubernetes": kubernetes}
    budgets = {"shared": {"chips": CHIPS, "reservation": "ours"}}
    return {"version": 1, "project": "acme-ml", "budgets": budgets, "clusters": {"c": cluster}}


def queued_of(objects: list[dict[str, Any]]) -> list[QueuedWorkload]:
    """The workloads of Kueue for the objects, in their order."""
    return [one for item in objects for one in queued_workloads(item)]
