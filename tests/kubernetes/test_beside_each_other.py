"""Every kind of workload beside every other kind, on each of two slice groups or on the same: nothing is luck.

A plan with one queue over all groups is rendered, and the model of Kueue and of the scheduler follows every order in
which workloads can come and every node that the scheduler can choose. Each workload is admitted to the flavor of its
own group, and each slice of it ends whole on the nodes of that group, with no other slice in its node pool. The model
agrees with the recorded outcomes of the real controllers (``test_recorded_outcomes.py``).

On Autopilot and for ComputeClasses, GKE creates nodes for Pods: here they exist, as many as the group has slices. GKE
writes requests into Pods, taints nodes of special capacity, and lets the Pods that select the capacity tolerate it; it
documents this for Spot Pods and ComputeClasses, and it is assumed here for reservations and flex-start.
"""

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
from support.autopilot_pods import as_on_autopilot
from support.control_plane.expansion import RayWebhook
from support.kubernetes_model.fleets import KINDS, group_of_pool, kinds_of, node_pools
from support.kubernetes_model.outcomes import Outcome, outcomes
from support.kubernetes_model.places import SPLIT, WHOLE
from support.sampling import sample
from support.workload_plans import HEADS, checked, workload_plan

from pulumi_gke_tpu.core.fleet import Cluster
from pulumi_gke_tpu.features.workloads.manifests import manifests_of

_SLICE = {"tpu": "v6e", "topology": "4x4"}
_HOST = {"tpu": "v6e", "topology": "2x2"}
_FALLBACK = {"capacity": "spot", "fallback": ["flex_start"]}
_QUEUED = {"capacity": {"flex_start": {"queued": True, "max_run_duration": "3d"}}}
PAIRS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "spot, on demand": ({**_SLICE, "capacity": "spot"}, _SLICE),
    "two reservations": ({**_SLICE, "capacity": {"reservation": "a"}}, {**_SLICE, "capacity": {"reservation": "b"}}),
    "node labels": ({**_SLICE, "node_labels": {"team": "a"}}, {**_SLICE, "node_labels": {"team": "b"}}),
    "node labels of one": ({**_SLICE, "node_labels": {"team": "a"}}, _SLICE),
    "same in all": (_SLICE, _SLICE),
    "other shape": ({**_SLICE, "topology": "4x8"}, _SLICE),
    "one host, several hosts": (_HOST, _SLICE),
    "one host, spot, on demand": ({**_HOST, "capacity": "spot"}, _HOST),
    "other generation": ({"tpu": "v5e", "topology": "4x4"}, _SLICE),
    "fallback": ({**_SLICE, **_FALLBACK}, _SLICE),
    "two with fallback": ({**_SLICE, **_FALLBACK}, {**_SLICE, **_FALLBACK, "topology": "4x8"}),
    "queued": ({**_SLICE, **_QUEUED}, _SLICE),
}
ONLY_STANDARD = ("node labels", "node labels of one", "same in all")
"""Nothing tells such groups apart on Autopilot."""
ALONE: dict[str, dict[str, Any]] = {
    "on demand": _SLICE,
    "one host": _HOST,
    "spot": {**_SLICE, "capacity": "spot"},
    "fallback": {**_SLICE, **_FALLBACK},
    "queued": {**_SLICE, **_QUEUED},
}
FORMS: dict[str, dict[str, Any]] = {
    "pathways without a program": {"kind": "pathways", "pathways": {"headless": True}},
    "pathways with a sidecar": {"kind": "pathways", "pathways": {"python_sidecar": {"image": "sidecar"}}},
}
"""Forms of a kind whose Pods have other containers."""
MODES = ("standard", "autopilot")


@pytest.mark.parametrize(
    ("pair", "mode"),
    [(pair, mode) for pair in PAIRS for mode in MODES if mode == "standard" or pair not in ONLY_STANDARD],
)
def test_workloads_on_two_groups_do_not_meet(pair: str, mode: str) -> None:
    first, second = PAIRS[pair]
    failing = {
        f"{one} beside {other}{', second group first' if swapped else ''}": problems
        for one, other, swapped in sample(
            itertools.product(kinds_of(first), kinds_of(second), (False, True)), 24, of=f"{pair} {mode}"
        )
        if (problems := problems_of({"first": (first, [one]), "second": (second, [other])}, mode, swapped=swapped))
    }
    assert failing == {}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ALONE)
def test_workloads_on_one_group_do_not_meet(name: str, mode: str) -> None:
    group = ALONE[name]
    failing = {
        f"{one} beside {other}": problems
        for one, other in sample(itertools.product(kinds_of(group), repeat=2), 24, of=f"{name} {mode}")
        if (problems := problems_of({"first": (group, [one, other])}, mode))
    }
    assert failing == {}


@pytest.mark.parametrize("mode", MODES)
def test_workloads_in_two_namespaces_do_not_meet(mode: str) -> None:
    failing = {
        f"{one} beside {other}": problems
        for one, other in sample(itertools.product(kinds_of(_SLICE), repeat=2), 24, of=mode)
        if (problems := problems_of({"first": (_SLICE, [one, other])}, mode, namespaces=("default", "others")))
    }
    assert failing == {}


RAY_KINDS = ("raycluster", "rayjob", "rayservice")


@pytest.mark.parametrize("mode", MODES)
def test_the_webhook_of_ray_adds_to_the_rules(mode: str) -> None:
    failing = {
        f"{one} beside {other}": problems
        for one, other in itertools.product(RAY_KINDS, kinds_of(_SLICE))
        if (problems := problems_of({"first": (_SLICE, [one, other])}, mode, ray_webhook="adds"))
    }
    assert failing == {}


def test_an_older_webhook_of_ray_takes_two_rules_away() -> None:
    """It replaces the affinity of Ray workers, as ``slice_affinity`` in ``catalog/kubernetes.yaml`` says.

    Then nothing keeps them from the slices of a JobSet on Standard, where JobSets have no rule about Ray, and from the
    nodes of groups that only the name of a node pool tells apart. Every other workload keeps them away itself.
    """
    of_jobset = {"job", "jobset", "pathways"}
    for mode in MODES:
        met = {
            (one, other)
            for one, other in itertools.product(RAY_KINDS, kinds_of(_SLICE))
            if problems_of({"first": (_SLICE, [one, other])}, mode, ray_webhook="replaces")
        }
        assert met == (set(itertools.product(RAY_KINDS, of_jobset)) if mode == "standard" else set())
    for pair in ("same in all", "node labels"):
        one, other = PAIRS[pair]
        groups = {"first": (one, ["raycluster"]), "second": (other, ["leaderworkerset"])}
        assert bool(problems_of(groups, "standard", ray_webhook="replaces")) is (pair == "same in all")


@pytest.mark.parametrize("mode", MODES)
def test_servers_of_pathways_do_not_change_where_its_pods_are(mode: str) -> None:
    failing = {
        f"{form} beside {other}": problems
        for form in FORMS
        for other in ("pathways", "jobset", "rayjob")
        if (problems := problems_of({"first": (_SLICE, [form, other])}, mode))
    }
    assert failing == {}


def problems_of(
    groups: dict[str, tuple[dict[str, Any], list[str]]],
    mode: str,
    *,
    swapped: bool = False,
    namespaces: tuple[str, ...] = ("default",),
    ray_webhook: RayWebhook = "absent",
) -> set[str]:
    """What can go wrong with workloads of these kinds on these groups; empty if nothing can.

    ``namespaces``: there is a queue in each, and the workloads of a group are in one after the other.
    """
    order = list(groups.items())[:: -1 if swapped else 1]
    slices, workloads = {}, {}
    for name, (group, kinds) in order:
        counts = [1 if kind == "job" else 2 for kind in kinds]
        varying = "fallback" in group or "capacity" in group
        zone = {"zone": "us-east5-b"} if mode == "standard" else {}
        slices[name] = {**group, **zone, "count": {"max": sum(counts)} if varying else sum(counts)}
        for index, (kind, count) in enumerate(zip(kinds, counts, strict=True)):
            queue = f"in-{namespaces[index % len(namespaces)]}"
            workloads[f"{name}-{index}"] = {"slices": name, "count": count, "queue": queue, **(KINDS | FORMS)[kind]}
    pools = {"cpu_pools": {"heads": {**HEADS, "max_nodes": 8}}} if mode == "standard" else {}
    queues = {f"in-{name}": {"namespace": name} for name in namespaces}
    result = checked(workload_plan(slices, workloads, mode=mode, kubernetes={"queues": queues}, **pools))
    assert (result.findings, result.fleet.unresolved) == ((), ())
    (cluster,) = result.fleet.clusters
    (rendered,) = manifests_of(result)
    objects = [item.object for item in rendered.manifests]
    if mode == "autopilot":
        objects = as_on_autopilot(objects)
    possible = list(outcomes(objects, node_pools(cluster), ray_webhook=ray_webhook))
    assert all({group_of(unit.name) for unit, _ in outcome.slices} == set(groups) for outcome in possible)
    return {problem for outcome in possible for problem in problems_in(outcome, cluster)}


def problems_in(outcome: Outcome, cluster: Cluster) -> Iterator[str]:
    hosts = {group.name: group.shape.hosts for group in cluster.groups}
    for workload, flavors in outcome.flavors:
        own = f"tpu-{group_of(workload.owner)}"
        chips = {pods.pod_set for pods in workload.pod_sets if pods.chips and pods.count}
        if flavors is None:
            yield f"{workload.name} waits for quota"
        elif wrong := {flavor for pod_set, flavor in flavors if flavor != (own if pod_set in chips else "cpu")}:
            yield f"{workload.name} is admitted to {', '.join(sorted(wrong))}"
    for unit, placement in outcome.slices:
        group = group_of(unit.name)
        if placement is None:
            continue
        if not placement.ends <= ({WHOLE} if hosts[group] > 1 else {WHOLE, SPLIT}):
            yield f"{unit.name} ends {', '.join(sorted(placement.ends))}"
        if foreign := {pool for pool in placement.pools if group_of_pool(pool) != group}:
            yield f"{unit.name} can be in {', '.join(sorted(foreign))}"
    yield from (f"{unit.name} fits no node" for unit, pools in outcome.other_pods if not pools)


def group_of(name: str) -> str:
    """The group of a workload, or of one of its slices, by its name."""
    return name.split("/")[1].partition("-")[0]
