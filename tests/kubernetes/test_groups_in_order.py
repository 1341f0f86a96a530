"""Workloads on several slice groups in order: each is on the first group with free quota, and on no other nodes.

The model of Kueue and of the scheduler follows every order in which workloads can come and every node that the
scheduler can choose (``test_beside_each_other.py``). Whatever it does, the Pods of a workload are on the nodes of the
group whose flavor Kueue chose for them.
"""

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
from support.autopilot_pods import as_on_autopilot
from support.control_plane.expansion import expand, sample_pods
from support.control_plane.testbed import Testbed
from support.kubernetes_model.fleets import KINDS, group_of_pool, kinds_of, node_pools
from support.kubernetes_model.outcomes import Outcome, outcomes
from support.kubernetes_model.places import SPLIT, WHOLE
from support.sampling import sample
from support.workload_plans import HEADS, checked, workload_plan

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.fleet import Cluster
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.features.workloads.manifests import manifests_of

_SLICE = {"tpu": "v6e", "topology": "4x4"}
_HOST = {"tpu": "v6e", "topology": "2x2"}
_SPOT = {"capacity": "spot"}
_QUEUED = {"capacity": {"flex_start": {"queued": True, "max_run_duration": "3d"}}}
_TAINT = {"taints": [{"key": "team", "value": "a", "effect": "NO_SCHEDULE"}]}


def _ours(name: str) -> dict[str, Any]:
    return {"capacity": {"reservation": name}, "node_labels": {"pool": name}}


ORDERS: dict[str, tuple[dict[str, Any], ...]] = {
    "reserved, spot": ({**_SLICE, **_ours("a")}, {**_SLICE, **_SPOT}),
    "reserved, on demand": ({**_SLICE, **_ours("a")}, {**_SLICE, "node_labels": {"pool": "more"}}),
    "two reservations": ({**_SLICE, **_ours("a")}, {**_SLICE, **_ours("b")}),
    "reserved, queued": ({**_SLICE, **_ours("a")}, {**_SLICE, **_QUEUED}),
    "queued, spot": ({**_SLICE, **_QUEUED}, {**_SLICE, **_SPOT}),
    "reserved, queued, spot": ({**_SLICE, **_ours("a")}, {**_SLICE, **_QUEUED}, {**_SLICE, **_SPOT}),
    "one host: reserved, spot": ({**_HOST, **_ours("a")}, {**_HOST, **_SPOT}),
    "one host: on demand, spot": ({**_HOST, "node_labels": {"pool": "more"}}, {**_HOST, **_SPOT}),
    "taints": ({**_SLICE, **_ours("a"), **_TAINT}, {**_SLICE, **_SPOT}),
}
MODES = ("standard", "autopilot")
CASES = [(order, mode) for order in ORDERS for mode in MODES if mode == "standard" or order != "taints"]
_NAMES = ("first", "second", "third")
_APART = ("deployment", "leaderworkerset", "leaderworkerset with a head")
"""The kinds of which Kueue admits each slice on its own."""


def plan_of(
    groups: dict[str, dict[str, Any]], workloads: dict[str, dict[str, Any]], mode: str, slices: dict[str, int]
) -> dict[str, Any]:
    """A plan with one queue over groups of some size; on Autopilot without the keys that it does not have."""
    sized = {}
    for name, group in groups.items():
        varying = "capacity" in group and "reservation" not in group["capacity"]
        own = {key: value for key, value in group.items() if mode == "standard" or key not in ("node_labels", "taints")}
        zone = {"zone": "us-east5-b"} if mode == "standard" else {}
        sized[name] = {**own, **zone, "count": {"max": slices[name]} if varying else slices[name]}
    pools = {"cpu_pools": {"heads": {**HEADS, "max_nodes": 8}}} if mode == "standard" else {}
    with_queue = {name: {**item, "queue": "team"} for name, item in workloads.items()}
    return workload_plan(sized, with_queue, mode=mode, kubernetes={"queues": {"team": {}}}, **pools)


def possible(plan: dict[str, Any]) -> tuple[Cluster, list[Outcome]]:
    """What can become of a plan without findings."""
    result = checked(plan)
    assert (result.findings, result.fleet.unresolved) == ((), ())
    (cluster,) = result.fleet.clusters
    (rendered,) = manifests_of(result)
    objects = [item.object for item in rendered.manifests]
    stored = as_on_autopilot(objects) if cluster.mode == "autopilot" else objects
    return cluster, list(outcomes(stored, node_pools(cluster)))


def problems_in(outcome: Outcome, cluster: Cluster) -> Iterator[str]:
    """Each slice that may not be whole, or not on the nodes of the flavor that Kueue chose for it."""
    multi_host = cluster.groups[0].shape.multi_host
    chosen = {f"{one.namespace}/{one.name}": dict(flavors or ()) for one, flavors in outcome.flavors}
    for unit, placement in outcome.slices:
        if placement is None:
            continue
        flavors = set(chosen[f"{unit.namespace}/{unit.admitted_as}"].values()) - {"cpu"}
        if not placement.ends <= ({WHOLE} if multi_host else {WHOLE, SPLIT}):
            yield f"{unit.name} ends {', '.join(sorted(placement.ends))}"
        if foreign := {pool for pool in placement.pools if f"tpu-{group_of_pool(pool)}" not in flavors}:
            yield f"{unit.name} with {', '.join(flavors)} can be in {', '.join(sorted(foreign))}"
    yield from (f"{unit.name} fits no node" for unit, pools in outcome.other_pods if not pools)


def groups_of(outcome: Outcome) -> dict[str, list[str]]:
    """Workload of the plan -> the group of each of its Workloads of Kueue, sorted; ``waits`` for those that wait."""
    found: dict[str, list[str]] = {}
    for one, flavors in outcome.flavors:
        names = {flavor.removeprefix("tpu-") for _, flavor in flavors or ()} - {"cpu"}
        assert len(names) <= 1, "the Pods with chips of a workload have one flavor"
        found.setdefault(one.owner.partition("/")[2], []).append(next(iter(names), "waits"))
    return {name: sorted(groups) for name, groups in found.items()}


def named(order: str, *, swapped: bool) -> tuple[dict[str, dict[str, Any]], dict[str, Any]]:
    """The groups of an order by name, as the plan lists them, and the keys of a workload that has this order."""
    groups = dict(zip(_NAMES, ORDERS[order], strict=False))
    names = list(groups)
    listed = dict(reversed(groups.items())) if swapped else groups
    return listed, {"slices": names[0], "fallback": names[1:]}


@pytest.mark.parametrize(("order", "mode"), CASES)
def test_a_workload_takes_the_first_group_with_free_quota(order: str, mode: str) -> None:
    """Equal workloads, one more than all groups have slices: each group is used before the next one."""
    failing = {}
    for kind, swapped in sample(itertools.product(kinds_of(ORDERS[order][0]), (False, True)), 6, of=f"{order} {mode}"):
        groups, keys = named(order, swapped=swapped)
        names = [f"run-{index}" for index in range(len(groups) + 1)]
        plan = plan_of(groups, {name: {**keys, **KINDS[kind]} for name in names}, mode, dict.fromkeys(groups, 1))
        cluster, found = possible(plan)
        problems = {problem for outcome in found for problem in problems_in(outcome, cluster)}
        taken = {tuple(sorted(group for places in groups_of(one).values() for group in places)) for one in found}
        if problems or taken != {tuple(sorted((*groups, "waits")))}:
            failing[kind, swapped] = (problems, taken)
    assert failing == {}


@pytest.mark.parametrize(("order", "mode"), CASES)
def test_with_free_quota_in_each_group_the_first_one_is_used(order: str, mode: str) -> None:
    for kind, swapped in sample(itertools.product(kinds_of(ORDERS[order][0]), (False, True)), 6, of=f"{mode} {order}"):
        groups, keys = named(order, swapped=swapped)
        cluster, found = possible(plan_of(groups, {"run": {**keys, **KINDS[kind]}}, mode, dict.fromkeys(groups, 2)))
        assert [*itertools.chain.from_iterable(problems_in(one, cluster) for one in found)] == []
        assert [groups_of(one) for one in found] == [{"run": ["first"]}], (kind, swapped)


@pytest.mark.parametrize(("order", "mode"), CASES)
def test_all_slices_of_a_job_are_in_one_group_and_replicas_of_servers_in_any(order: str, mode: str) -> None:
    """Two slices, and the first group has one: a job is in the second group, a server is in both."""
    for kind in sample(kinds_of(ORDERS[order][0]), 4, of=f"{order} {mode}"):
        groups, keys = named(order, swapped=False)
        sizes = {name: 1 if name == "first" else 2 for name in groups}
        cluster, found = possible(plan_of(groups, {"run": {**keys, **KINDS[kind], "count": 2}}, mode, sizes))
        assert [*itertools.chain.from_iterable(problems_in(one, cluster) for one in found)] == []
        expected = ["first", "second"] if kind in _APART else ["second"]
        assert [groups_of(one) for one in found] == [{"run": expected}], kind


@pytest.mark.parametrize(("order", "mode"), CASES)
def test_beside_workloads_of_one_group_each_is_where_it_may_be(order: str, mode: str) -> None:
    """A workload of any kind on each of the groups alone, and on another group of the same shape."""
    other = {**ORDERS[order][0], "capacity": {"reservation": "others"}, "node_labels": {"pool": "others"}}
    failing = {}
    kinds = kinds_of(ORDERS[order][0])
    tried = sample(itertools.product(kinds, kinds, (False, True)), 8, of=f"{order} {mode}")
    for kind, beside, swapped in tried:
        groups, keys = named(order, swapped=swapped)
        groups = {"other": other, **groups} if swapped else {**groups, "other": other}
        for alone in groups:
            workloads = {"run": {**keys, **KINDS[kind]}, "alone": {"slices": alone, **KINDS[beside]}}
            sizes = {name: 2 if name == alone and alone != "first" else 1 for name in groups}
            cluster, found = possible(plan_of(groups, workloads, mode, sizes))
            problems = {problem for outcome in found for problem in problems_in(outcome, cluster)}
            places = {(one["run"][0], one["alone"][0]) for one in map(groups_of, found)}
            expected = {("first", alone)}
            if alone == "first":
                expected = {("first", "waits"), ("second", "first")}
            if problems or places != expected:
                failing[kind, beside, alone, swapped] = (problems, places)
    assert failing == {}


VARIANTS: dict[str, dict[str, Any]] = {
    "one pool": {"count": 1},
    "two pools": {"count": 2},
    "labels a": {"count": 2, "node_labels": {"pool": "a"}},
    "labels a and b": {"count": 2, "node_labels": {"pool": "a", "team": "b"}},
    "labels c": {"count": 2, "node_labels": {"pool": "c"}},
    "reserved": {"count": 2, "capacity": {"reservation": "ours"}},
    "spot": {"count": {"max": 2}, "capacity": "spot"},
    "queued": {"count": {"max": 2}, **_QUEUED},
    "flex-start": {"count": {"max": 2}, "capacity": "flex_start"},
    "tainted": {"count": 2, **_TAINT},
    "one tainted pool": {"count": 1, **_TAINT},
}
_ONLY_STANDARD = ("labels", "tainted", "one tainted")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("first", VARIANTS)
def test_a_rule_reports_exactly_the_groups_whose_nodes_can_be_confused(first: str, mode: str) -> None:
    """Beside a third group, which the workload does not name: on its nodes, the Pods must not start either.

    On Autopilot, groups with the same selector are the same to GKE, also without ``fallback``.
    """
    failing = {}
    usable = [name for name in VARIANTS if mode == "standard" or not name.startswith(_ONLY_STANDARD)]
    others = itertools.permutations([name for name in usable if name != first], 2)
    for second, third in sample(others, 12, lambda pair: pair[0], of=f"{first} {mode}") if first in usable else ():
        zone = {"zone": "us-east5-b"} if mode == "standard" else {}
        slices = {
            name: {**_SLICE, **zone, **VARIANTS[variant]}
            for name, variant in zip(_NAMES, (first, second, third), strict=True)
        }
        run = {"slices": "first", "fallback": ["second"], "queue": "team", "kind": "jobset"}
        plan = workload_plan(
            slices, {"run-0": run, "run-1": run, "run-2": run}, mode=mode, kubernetes={"queues": {"team": {}}}
        )
        reported = any(item.rule == "TPU335" for item in check_plan(parse_plan(plan), read_catalog()).findings)
        cluster, found = possible(plan)
        *ordered, other = (group.node_selector for group in cluster.groups)
        if mode == "autopilot" and other in ordered:
            continue
        confused = any(problem for outcome in found for problem in problems_in(outcome, cluster))
        if reported is not confused:
            failing[second, third] = reported
    assert failing == {}


# The real server


@pytest.mark.usefixtures("crds")
@pytest.mark.parametrize(("order", "mode"), CASES)
def test_the_server_accepts_the_objects_and_what_kueue_makes_of_their_pods(bed: Testbed, order: str, mode: str) -> None:
    """Also the core objects with the selector of each flavor that Kueue can choose."""
    for kind in kinds_of(ORDERS[order][0]):
        groups, keys = named(order, swapped=True)
        result = checked(plan_of(groups, {"run": {**keys, **KINDS[kind], "count": 2}}, mode, dict.fromkeys(groups, 2)))
        (rendered,) = manifests_of(result)
        objects = [item.object for item in rendered.manifests]
        flavors = [item["spec"]["nodeLabels"] for item in objects if "nodeLabels" in item.get("spec", {})]
        assert len(flavors) == len(groups)
        core = [part for item in objects for part in expand(item, bed.namespace)]
        started = [_selecting(pod, labels) for pod in sample_pods(core) for labels in flavors]
        every = [*objects, *core, *started]
        assert {item["kind"]: words for item in every if (words := bed.refusal(item))} == {}, kind


def _selecting(pod: dict[str, Any], labels: dict[str, str]) -> dict[str, Any]:
    spec = pod["spec"]
    return {**pod, "spec": {**spec, "nodeSelector": {**spec.get("nodeSelector", {}), **labels}}}


@pytest.mark.usefixtures("crds")
def test_a_queue_gets_the_defaults_that_the_catalog_states(bed: Testbed) -> None:
    """They decide whether a workload borrows or preempts before Kueue tries the next group."""
    groups, keys = named("reserved, spot", swapped=False)
    (rendered,) = manifests_of(checked(plan_of(groups, {"run": keys}, "standard", dict.fromkeys(groups, 2))))
    (queue,) = (item.object for item in rendered.manifests if item.object["kind"] == "ClusterQueue")
    defaults = read_catalog().kubernetes.kueue.order.defaults
    fungible = {**queue, "spec": {**queue["spec"], "flavorFungibility": {}}}
    assert bed.client.create(fungible, "", dry_run=True)["spec"]["flavorFungibility"] == defaults
