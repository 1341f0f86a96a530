"""What the flavor assigner and the preemptor of the real Kueue decide about workloads of rendered objects."""

import json
import pathlib
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from support.control_plane.client import Object
from support.kubernetes_model.units import QueuedWorkload

_SECONDS = 120
_KINDS = {"Flavors": "ResourceFlavor", "Cohorts": "Cohort", "Queues": "ClusterQueue"}


@dataclass(frozen=True)
class Decision:
    """What Kueue decides about one workload."""

    flavors: tuple[tuple[str, str], ...] | None
    """Pod set -> flavor; None if it waits."""
    ended: frozenset[str]
    """The workloads that end for it."""
    message: str


def decisions(
    program: pathlib.Path, objects: Sequence[Object], orders: Iterable[Sequence[QueuedWorkload]]
) -> list[list[Decision]]:
    """The decisions for each order in which workloads come."""
    local = {item["metadata"]["name"]: item["spec"]["clusterQueue"] for item in objects if item["kind"] == "LocalQueue"}
    state = {key: [item for item in objects if item["kind"] == kind] for key, kind in _KINDS.items()}
    cases, names = [], []
    for order in orders:
        given = {f"w{index}": one.name for index, one in enumerate(order)}
        arrivals = [
            {"Queue": local[one.queue], "Workload": _workload(name, one)}
            for name, one in zip(given, order, strict=True)
        ]
        cases.append(json.dumps({**state, "Workloads": arrivals}))
        names.append(given)
    done = subprocess.run(
        [program], input="\n".join(cases), capture_output=True, text=True, check=False, timeout=_SECONDS
    )
    assert done.returncode == 0, done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    return [[_decision(one, given) for one in answer] for answer, given in zip(answers, names, strict=True)]


def _workload(name: str, one: QueuedWorkload) -> Object:
    sets = [{"name": part.pod_set, "count": part.count, "template": {"spec": part.spec}} for part in one.pod_sets]
    metadata = {"name": name, "namespace": one.namespace, "uid": name}
    return {"metadata": metadata, "spec": {"queueName": one.queue, "podSets": sets}}


def _decision(answer: Object, names: dict[str, str]) -> Decision:
    parts = answer["flavors"]
    chosen = [(part, flavor) for part, each in (parts or {}).items() for flavor in sorted(set(each.values()))]
    ended = frozenset(names[name] for name in answer["ended"])
    return Decision(tuple(chosen) if parts is not None else None, ended, answer["message"])
