"""What a preview notes about a plan: every note of small clusters, and none besides."""

import datetime
from typing import Any

import pytest

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.fleet import derive
from pulumi_gke_tpu.core.graph.registered import joined_notes, preview_notes
from pulumi_gke_tpu.core.plan import parse_plan

GROUP = {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b"}
RESERVED = {"reservation": "r"}
WAITING = "a TPU node pool is not complete after 10 hours"
ADDRESSES = "nodes get public addresses"
DEFAULT = "GKE uses the project's default network with MTU 1460"
EXISTING = {"existing": "projects/p/locations/us-east5/clusters/c"}
JOBSET = {"workloads": {"w": {"kind": "jobset", "slices": "a", "image": "us-docker.pkg.dev/p/i/x:1"}}}
OPERATOR = "c: the cluster needs JobSet 0.12.0"
OWN: dict[str, Any] = {"network": {"create": True}}


def slices(count: Any = 1, **more: Any) -> dict[str, Any]:
    return OWN | {"slices": {"a": GROUP | {"count": count} | more}}


def autopilot(count: int) -> dict[str, Any]:
    group = {"tpu": "v6e", "topology": "4x4", "count": count}
    return OWN | {"mode": "autopilot", "slices": {"a": group}, "kubernetes": JOBSET}


def idle(idle: str, window: str, nodes: int) -> dict[str, Any]:
    opportunistic = {"idle": idle, "window": window, "min_nodes": nodes}
    return {"interval": "periodic", "opportunistic": opportunistic}


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({}, [f"c: the plan sets no network, so {DEFAULT}", f"c: {ADDRESSES}"]),
        (OWN, []),
        ({"private_nodes": False}, [DEFAULT]),
        ({"slices": {"a": GROUP}}, [f"{DEFAULT}; 8896 is recommended for its slices", ADDRESSES]),
        (slices(), []),
        (slices({"max": 2}), [f"c/a: if {WAITING}"]),
        (slices({"max": 2}, capacity=RESERVED), []),
        (slices({"max": 2}, topology="2x2"), []),
        (slices(fallback=["spot"]), ["c/a: a ComputeClass serves the group", WAITING]),
        (
            slices(host_maintenance=idle("1h", "2d", 1)),
            ["1h in the last 2d before the announced date, and keeps 1 node of"],
        ),
        (slices(extra={"nodeConfig": {"minCpuPlatform": "x"}}), ["c/a: extra nodeConfig.minCpuPlatform: changing it"]),
        (OWN | {"extra": {"enable_legacy_abac": True, "initial_node_count": 2}}, ["c: extra initialNodeCount: "]),
        (EXISTING, ["does not state version, release_channel and private_nodes of the existing cluster"]),
        (EXISTING | {"version": "1.34", "release_channel": "regular", "private_nodes": True}, []),
        (EXISTING | {"mode": "autopilot"}, ["does not state version and release_channel of the existing cluster"]),
        ({"adopted": True, "version": "1.34"}, ["does not state release_channel and private_nodes of the adopted"]),
        (autopilot(1), [OPERATOR]),
        (autopilot(2), ["c/a: the workloads of the plan ask for 1 of 2 slices", OPERATOR]),
    ],
)
def test_every_note_of_a_cluster(keys: dict[str, Any], expected: list[str]) -> None:
    cluster = {"mode": "standard", "location": "us-east5"} | keys
    read = parse_plan({"version": 1, "project": "p", "clusters": {"c": cluster}})
    assert read.content is not None, read.findings
    fleet = derive(read.content, read_catalog(), datetime.date(2026, 11, 20))
    found = joined_notes(preview_notes(fleet, read_catalog()))
    assert len(found) == len(expected), found
    assert [text for text, note in zip(expected, found, strict=True) if text not in note] == [], found
