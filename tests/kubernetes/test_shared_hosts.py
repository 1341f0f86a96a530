"""Pods without chips on the hosts of TPU slices: Kubernetes places them there if they tolerate the taint."""

from support.control_plane.manifests import ACCELERATOR, TPU_TOLERATION, pod, pod_spec, selector, with_resources
from support.control_plane.nodes import nodes_of, pools_of
from support.control_plane.placement import cluster_of
from support.control_plane.testbed import Testbed

POOLS = pools_of(cluster_of({"one": {"tpu": "v6e", "topology": "2x2", "zone": "us-east5-b"}}))
LABELS = selector("tpu-v6e-slice", "2x2")
TRAINING = with_resources(pod_spec(4, LABELS), requests_cpu="150", requests_memory="600Gi")
HELPER = pod_spec(0, {ACCELERATOR: "tpu-v6e-slice"}, tolerations=[TPU_TOLERATION])


def test_a_pod_with_the_toleration_runs_beside_the_pod_with_chips(scheduling: Testbed) -> None:
    scheduling.create(*nodes_of(POOLS), pod("training", TRAINING), pod("helper", HELPER))
    assert len({found.node for found in scheduling.placements(2)}) == 1
    assert scheduling.placements(2)[0].node.startswith("gke-one-")


def test_without_the_toleration_it_is_refused(scheduling: Testbed) -> None:
    helper = {name: value for name, value in HELPER.items() if name != "tolerations"}
    scheduling.create(*nodes_of(POOLS), pod("training", TRAINING), pod("helper", helper))
    refused, running = scheduling.placements(2)
    assert running.node
    assert "1 node(s) had untolerated taint(s)" in refused.reason


def test_a_pod_that_requests_much_keeps_the_pod_with_chips_out(scheduling: Testbed) -> None:
    scheduling.create(*nodes_of(POOLS), pod("helper", with_resources(HELPER, requests_cpu="40")))
    scheduling.placements(1)
    scheduling.create(pod("training", TRAINING))
    _, training = scheduling.placements(2)
    assert "1 Insufficient cpu" in training.reason
