"""Pods that claim the chips of their host, on the real server and with the real scheduler.

The TPU DRA driver publishes a device for each chip of a node and has a device class; here a test publishes them. The
nodes have no resource of chips, because the label of the node pool disables the device plugin.
"""

import copy
from collections import Counter
from collections.abc import Iterator
from typing import Any, get_args

import pytest
from support.control_plane.client import Object
from support.control_plane.expansion import expand
from support.control_plane.nodes import nodes_of, pools_of
from support.control_plane.testbed import Testbed
from support.workload_plans import HEADS, checked, objects_of, workload_plan

from pulumi_gke_tpu.core.plan.kubernetes import Kind

pytestmark = pytest.mark.usefixtures("crds")

DRIVER, TPU = "tpu.google.com", "google.com/tpu"
DYNAMIC = {"driver_mode": "dynamic_resource_allocation"}
ONE_HOST = {"tpu": "v6e", "topology": "2x2", "zone": "us-east5-b", "count": 2, **DYNAMIC}
SLICE = {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b", **DYNAMIC}
KINDS = get_args(Kind)


def plan(kind: str, group: dict[str, Any], **kubernetes: Any) -> dict[str, Any]:
    work = {"slices": "g", "kind": kind, "command": ["run"], "count": group.get("count", 1)}
    queue = {"queue": "team"} if kubernetes else {}
    more = {"cpu_pools": {"heads": HEADS}, "addons": ["ray_operator"], "min_version": "1.35"}
    return workload_plan({"g": group}, {"w": {**work, **queue}}, kubernetes=kubernetes, **more)


def parts(objects: list[Object], namespace: str) -> list[Object]:
    """The core objects and the templates of claims that a plan leads to."""
    every = [item for item in objects if item["metadata"]["name"] in ("w", "tpu-host", "tpu-host-4")]
    own = [item for item in every if item["kind"] == "ResourceClaimTemplate"]
    return [*own, *(part for item in every if item not in own for part in expand(item, namespace))]


def containers(value: Any) -> Iterator[Object]:
    if isinstance(value, dict):
        yield from value.get("containers", ())
        for one in value.values():
            yield from containers(one)
    elif isinstance(value, list):
        for one in value:
            yield from containers(one)


def publish(bed: Testbed, nodes: list[Object]) -> None:
    """What the driver publishes: its class, and for each TPU host a device for each chip.

    The devices of each test have another pool, because claims of the test before may still be about to be deleted.
    """
    selector = {"cel": {"expression": f"device.driver == '{DRIVER}'"}}
    api = "resource.k8s.io/v1"
    device_class = {"apiVersion": api, "kind": "DeviceClass", "metadata": {"name": DRIVER}}
    bed.create({**device_class, "spec": {"selectors": [selector]}})
    for node in nodes:
        name, chips = node["metadata"]["name"], int(node["metadata"]["labels"].get("chips", 0))
        if chips:
            spec = {
                "driver": DRIVER,
                "nodeName": name,
                "pool": {"name": f"{bed.namespace}-{name}", "generation": 1, "resourceSliceCount": 1},
                "devices": [{"name": f"chip-{number}"} for number in range(chips)],
            }
            bed.create({"apiVersion": api, "kind": "ResourceSlice", "metadata": {"name": f"{name}-tpu"}, "spec": spec})


def hosts(written: dict[str, Any]) -> list[Object]:
    """The nodes of a plan as they are with the driver: without the resource, and their chips in a label."""
    fleet = checked(written).fleet
    assert fleet is not None
    nodes = copy.deepcopy(nodes_of(pools_of(fleet.clusters[0])))
    for node in nodes:
        allocatable = node["status"]["allocatable"]
        node["metadata"]["labels"]["chips"] = allocatable.pop(TPU, "0")
        node["status"]["capacity"] = allocatable
    return nodes


@pytest.mark.parametrize("queued", [False, True], ids=["all chips", "a number of chips"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_pods_of_every_kind_claim_whole_hosts(scheduling: Testbed, kind: str, queued: bool) -> None:
    """Each on a host of its own. Kueue, which is not here, counts claims of a number of chips only."""
    written = plan(kind, ONE_HOST, **({"queues": {"team": {}}} if queued else {}))
    nodes = hosts(written)
    publish(scheduling, nodes)
    # The scheduler knows the devices when it knows the nodes, which it has to learn before the Pods.
    scheduling.create(*nodes, *parts(objects_of(written), scheduling.namespace))
    pods = 2 + {"pathways": 1, "raycluster": 1, "rayjob": 2, "rayservice": 1}.get(
        kind, 0
    )  # heads, and what submits a RayJob
    placements = scheduling.placements_on_nodes(pods)
    used = Counter(found.node for found in placements if found.node.startswith("gke-g"))
    assert (len(used), set(used.values())) == (2, {1})


@pytest.mark.parametrize("group", [ONE_HOST, SLICE], ids=["one host", "several hosts"])
@pytest.mark.parametrize("kind", KINDS)
def test_no_pod_requests_chips_and_the_server_accepts_the_objects(
    bed: Testbed, kind: str, group: dict[str, Any]
) -> None:
    if kind == "deployment" and group is SLICE:
        return
    objects = objects_of(plan(kind, group))
    for item in objects:
        if item["metadata"]["name"] != "example-agent":
            bed.dry_run(item)
    workload = next(item for item in objects if item["metadata"]["name"] == "w" and item["kind"] != "Service")
    resources = [one.get("resources", {}) for one in containers(workload)]
    assert TPU not in str(resources)
    assert [one["claims"] for one in resources if "claims" in one] == [[{"name": "tpus"}]]


def test_without_the_driver_pods_request_chips_as_before() -> None:
    group = {key: value for key, value in ONE_HOST.items() if key not in DYNAMIC}
    objects = objects_of(plan("job", group))
    assert "resourceClaims" not in str(objects)
    assert "ResourceClaimTemplate" not in {item["kind"] for item in objects}
