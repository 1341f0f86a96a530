"""The node selector of a group: on Autopilot, it also requests the capacity."""

from typing import Any

import pytest

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.fleet import derive
from pulumi_gke_tpu.core.plan import parse_plan

HARDWARE = {
    "cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice",
    "cloud.google.com/gke-tpu-topology": "4x4",
}
SPOT = {"cloud.google.com/gke-spot": "true"}
FLEX_START = {"cloud.google.com/gke-flex-start": "true"}
RESERVATION = {
    "cloud.google.com/reservation-name": "v6e-pretrain",
    "cloud.google.com/reservation-affinity": "specific",
}
CAPACITIES: list[tuple[Any, dict[str, str]]] = [
    ("on_demand", {}),
    ("spot", SPOT),
    ("flex_start", FLEX_START),
    ({"flex_start": {"max_run_duration": "3d"}}, FLEX_START),
    ({"reservation": "v6e-pretrain"}, RESERVATION),
    (
        {"reservation": {"name": "v6e-pretrain", "project": "acme-capacity"}},
        {**RESERVATION, "cloud.google.com/reservation-project": "acme-capacity"},
    ),
    (
        {"reservation": {"name": "v6e-pretrain", "block": "b1", "sub_block": "s1"}},
        {
            **RESERVATION,
            "cloud.google.com/reservation-blocks": "b1",
            "cloud.google.com/reservation-subblocks": "s1",
        },
    ),
]


def selector_of(mode: str, capacity: object) -> dict[str, str]:
    group = {"tpu": "v6e", "topology": "4x4", "capacity": capacity}
    if mode == "standard":
        group["zone"] = "us-east5-b"
    cluster = {"mode": mode, "location": "us-east5", "slices": {"train": group}}
    document = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"dev": cluster}})
    assert document.content is not None, document.findings
    (derived,) = derive(document.content, read_catalog()).clusters[0].groups
    return dict(derived.node_selector)


@pytest.mark.parametrize(("capacity", "labels"), CAPACITIES)
def test_on_autopilot_the_selector_requests_the_capacity(capacity: object, labels: dict[str, str]) -> None:
    """A Pod without these labels gets on-demand nodes, at their price."""
    assert selector_of("autopilot", capacity) == {**HARDWARE, **labels}


@pytest.mark.parametrize(("capacity", "labels"), CAPACITIES)
def test_on_standard_the_node_pools_determine_the_capacity(capacity: object, labels: dict[str, str]) -> None:
    assert selector_of("standard", capacity) == HARDWARE
