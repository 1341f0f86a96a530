"""Groups of cubes: what the combination with other keys forbids, and what is derived for them."""

import pytest
from support.fixtures.checks import Check

RESERVED = "{reservation: {name: ironwood, block: block-1}}"
ADDON = "addons: [slice_controller]\n"
POLICIES = "workload_policies: {later: {topology: 4x4x4, topology_mode: provision_only}, now: {topology: 4x4x4}}\n"


def cluster(group: str, *, keys: str = "", capacity: str = RESERVED) -> str:
    return (
        f"mode: standard\nlocation: us-central1\nnetwork: {{create: {{mtu: 8896}}}}\n{keys}"
        f"slices:\n  cubes: {{tpu: tpu7x, zone: us-central1-c, capacity: {capacity}, {group}}}\n"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (cluster("slicing: dynamic"), []),
        (cluster("slicing: dynamic, count: 20"), []),
        (cluster("slicing: dynamic, indices: [0, 3]"), []),
        (cluster("slicing: dynamic", capacity="{reservation: {name: r, block: b, sub_block: s}}"), []),
        (cluster("slicing: dynamic, placement: {workload_policy: later}", keys=POLICIES), []),
        (cluster("slicing: dynamic, placement: {workload_policy: elsewhere}"), []),
        (cluster("slicing: dynamic", capacity="{reservation: ironwood}"), []),
        (cluster("slicing: dynamic, count: 2", capacity="{reservation: ironwood}"), ["TPU147 warning"]),
        (cluster("slicing: dynamic, topology: 4x4x8"), ["TPU107 error"]),
        (cluster("slicing: dynamic, chips: 64"), ["TPU107 error"]),
        (cluster("slicing: dynamic", capacity="on_demand"), ["TPU146 error"]),
        (cluster("slicing: dynamic, count: {min: 0, max: 4}"), ["TPU146 warning"]),
        (cluster("slicing: dynamic, placement: {workload_policy: now}", keys=POLICIES), ["TPU145 error"]),
        (cluster("topology: 4x4x4, placement: {workload_policy: later}", keys=f"{ADDON}{POLICIES}"),
         ["TPU145 error", "TPU234 warning"]),
        (cluster("slicing: dynamic", keys="release_channel: regular\n"), ["TPU234 warning"]),
        (cluster("slicing: dynamic", keys='min_version: "1.35.1"\n'), ["TPU233 warning"]),
        (cluster("slicing: dynamic", keys='min_version: "1.34"\n'), ["TPU233 error"]),
        (cluster("slicing: dynamic, count: 2", capacity="{reservation: {name: r, block: b, sub_block: s}}"),
         ["TPU323 error"]),
        (cluster("slicing: dynamic, extra: {node_config: {image_type: UBUNTU_CONTAINERD}}"), ["TPU512 error"]),
        (cluster("slicing: dynamic").replace("standard", "autopilot"), ["TPU146 error"]),
        (cluster("slicing: dynamic").replace("tpu7x", "v6e").replace("us-central1", "us-east5"), ["TPU106 error"]),
    ],
)  # fmt: skip
def test_what_a_group_of_cubes_allows(check: Check, text: str, expected: list[str]) -> None:
    assert sorted(f"{item.rule} {item.severity.name.lower()}" for item in check(text)) == sorted(expected)
