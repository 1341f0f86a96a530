"""Groups of cubes: what the combination with other keys forbids, and what is derived for them."""

import pytest
import yaml
from support.fixtures.checks import Check

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet.workloads import kubernetes_objects
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.rules.engine.examples import plan_of

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


@pytest.mark.parametrize(("chips", "expected"), [(336, []), (320, ["TPU874"]), (300, ["TPU874"])])
def test_cubes_and_static_slices_of_a_reservation_share_its_budget(
    chips: int, expected: list[str], catalog: Catalog
) -> None:
    """Cubes keep their chips all the time, so that the queues of other shapes share the rest."""
    groups = (
        "cubes: {tpu: tpu7x, slicing: dynamic, count: 5, zone: us-central1-c, "
        "capacity: {reservation: {name: r, block: b}}}",
        "pairs: {tpu: tpu7x, topology: 2x2x2, count: 2, zone: us-central1-c, capacity: {reservation: r}}",
    )
    data = yaml.safe_load(plan_of(*groups))
    (cluster,) = data["clusters"].values()
    cluster |= {"location": "us-central1", "network": {"create": {"mtu": 8896}}, "kubernetes": {"queues": {"team": {}}}}
    data["budgets"] = {"ironwood": {"chips": chips, "reservation": "r"}}
    cluster["cpu_pools"] = {"controllers": {"machine_type": "n2-standard-16", "nodes": 1, "zones": ["us-central1-c"]}}
    checked = check_plan(parse_plan(data), catalog, None)
    assert [item.rule for item in checked.findings if item.severity.name == "ERROR"] == expected
    assert checked.fleet is not None
    objects = kubernetes_objects(checked.fleet.clusters[0])
    assert objects is not None
    assert {item.flavor.key: item.nominal for item in objects.queues[0].quotas} == {
        "cubes": 320,
        "ironwood": max(0, min(16, chips - 320)),
    }
