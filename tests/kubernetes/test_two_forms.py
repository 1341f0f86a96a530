"""2x4 has two forms with the same accelerator and topology labels: the chips that a Pod requests select the form."""

from collections import Counter

import pytest
from support.control_plane.manifests import job, pod, pod_spec, selector
from support.control_plane.nodes import nodes_of, pools_of
from support.control_plane.placement import cluster_of, pools_used
from support.control_plane.testbed import Testbed

from pulumi_gke_tpu.core.fleet import Cluster

LABELS = {"v5e": "tpu-v5-lite-podslice", "v6e": "tpu-v6e-slice"}


def both_forms(generation: str, mode: str) -> Cluster:
    """One slice of each form; Autopilot has the form with two hosts for v5e only."""
    slices: dict[str, dict[str, object]] = {"one": {"tpu": generation, "topology": "2x4", "chips_per_host": 8}}
    if (generation, mode) != ("v6e", "autopilot"):
        slices["two"] = {"tpu": generation, "topology": "2x4", "chips_per_host": 4}
    if mode == "standard":
        slices = {name: {**group, "zone": "us-east5-b"} for name, group in slices.items()}
    return cluster_of(slices, mode=mode)


@pytest.mark.parametrize("mode", ["standard", "autopilot"])
@pytest.mark.parametrize("generation", LABELS)
def test_a_pod_with_8_chips_runs_on_the_host_with_8(scheduling: Testbed, generation: str, mode: str) -> None:
    pools = pools_of(both_forms(generation, mode))
    scheduling.create(*nodes_of(pools), pod("serve", pod_spec(8, selector(LABELS[generation], "2x4"))))
    (used,) = pools_used(scheduling.placements(1), pools)
    assert used in ("one", "nap-one-0")


@pytest.mark.parametrize(("generation", "mode"), [("v5e", "standard"), ("v6e", "standard"), ("v5e", "autopilot")])
def test_pods_with_4_chips_and_the_label_for_the_chips_of_a_host_run_on_two_hosts(
    scheduling: Testbed, generation: str, mode: str
) -> None:
    pools = pools_of(both_forms(generation, mode))
    spec = pod_spec(4, selector(LABELS[generation], "2x4", gke_accelerator_count="4"))
    scheduling.create(*nodes_of(pools), job("train", spec, 2), job("more", spec, 2))
    placements = scheduling.placements(4)
    assert sum(not found.node for found in placements) == 2, "the host with 8 chips stays free"
    (used,) = pools_used([found for found in placements if found.node], pools)
    assert used in ("two-0", "nap-two-0")


@pytest.mark.parametrize("generation", LABELS)
def test_without_that_label_pods_with_4_chips_also_take_the_host_with_8(scheduling: Testbed, generation: str) -> None:
    pools = pools_of(both_forms(generation, "standard"))
    spec = pod_spec(4, selector(LABELS[generation], "2x4"))
    scheduling.create(*nodes_of(pools), job("train", spec, 2), job("more", spec, 2))
    by_node = Counter(found.node for found in scheduling.placements(4))
    assert sorted(by_node.values()) == [1, 1, 2], "two Pods share the host with 8 chips"


@pytest.mark.parametrize("generation", LABELS)
def test_a_pod_with_8_chips_does_not_run_where_hosts_have_4(scheduling: Testbed, generation: str) -> None:
    group = {"tpu": generation, "topology": "2x4", "chips_per_host": 4, "zone": "us-east5-b"}
    pools = pools_of(cluster_of({"two": group}))
    scheduling.create(*nodes_of(pools), pod("serve", pod_spec(8, selector(LABELS[generation], "2x4"))))
    (found,) = scheduling.placements(1)
    assert "2 Insufficient google.com/tpu" in found.reason
