"""Kueue admits a workload to a flavor whose taints its Pods tolerate: that of its own slice group, and no other.

Labels do not decide: Kueue ignores the labels of a flavor that a Pod does not select, and then adds them to the Pod.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from support.each import each
from support.rendered import named, values_of
from support.workload_plans import HEADS, checked, objects_of, workload_plan

from pulumi_gke_tpu.core.kinds import pod_templates
from pulumi_gke_tpu.core.objects import PodTemplate, read_manifests
from pulumi_gke_tpu.features.workloads.manifests import manifests_of
from pulumi_gke_tpu.features.workloads.text import manifest_stream

KEY = "gke-tpu/slice-group"
TPU = "google.com/tpu"
MULTI_HOST_KINDS = ("job", "jobset", "leaderworkerset", "raycluster", "rayjob", "pathways")
SINGLE_HOST_KINDS = (*MULTI_HOST_KINDS, "deployment")
MODES = ("standard", "autopilot")

V6E = {"tpu": "v6e", "topology": "4x4"}
ONE_HOST = {"tpu": "v6e", "topology": "2x2"}
QUEUED = {"flex_start": {"queued": True, "max_run_duration": "3d"}}
PAIRS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "same shape, Spot": ({**V6E, "capacity": "spot", "count": {"max": 2}}, V6E),
    "same shape, two reservations": (
        {**V6E, "capacity": {"reservation": "a"}},
        {**V6E, "capacity": {"reservation": "b"}},
    ),
    "same shape, node labels": ({**V6E, "node_labels": {"team": "a"}}, {**V6E, "node_labels": {"team": "b"}}),
    "other shape": ({**V6E, "topology": "4x8"}, V6E),
    "other generation": ({"tpu": "v5e", "topology": "4x4"}, V6E),
    "fallback": ({**V6E, "capacity": "spot", "fallback": ["flex_start"], "count": {"max": 2}}, V6E),
    "two with fallback": (
        {**V6E, "capacity": "spot", "fallback": ["flex_start"], "count": {"max": 2}},
        {**V6E, "topology": "4x8", "capacity": "spot", "fallback": ["flex_start"], "count": {"max": 2}},
    ),
    "queued": ({**V6E, "capacity": QUEUED, "count": {"max": 2}}, V6E),
    "taints of the plan": ({**V6E, "taints": [{"key": "team", "value": "a", "effect": "NO_SCHEDULE"}]}, V6E),
    "one host, Spot": ({**ONE_HOST, "capacity": "spot", "count": {"max": 2}}, ONE_HOST),
    "one host, two pools": ({**ONE_HOST, "count": 2}, {**ONE_HOST, "count": 2}),
}


def two_groups(pair: str, mode: str, *, swapped: bool = False) -> dict[str, Any]:
    """The groups ``one`` and ``two`` of a pair, in this order or in the other."""
    groups = dict(zip(("one", "two"), PAIRS[pair], strict=True))
    zone = {"zone": "us-central1-b"} if mode == "standard" else {}
    if mode == "autopilot":
        groups = {
            name: {key: value for key, value in group.items() if key not in ("node_labels", "taints")}
            for name, group in groups.items()
        }
    ordered = reversed(groups.items()) if swapped else groups.items()
    return {name: {**group, **zone} for name, group in ordered}


def plan_with(pair: str, kind: str, mode: str, *, swapped: bool = False) -> dict[str, Any]:
    """A queue over two groups, and a workload of a kind on each of them."""
    workloads = {f"on-{name}": {"slices": name, "kind": kind, "queue": "team"} for name in ("one", "two")}
    return workload_plan(
        two_groups(pair, mode, swapped=swapped),
        workloads,
        mode=mode,
        location="us-central1",
        kubernetes={"queues": {"team": {}}},
        **({"cpu_pools": {"heads": HEADS}} if mode == "standard" else {}),
    )


def kinds_of(pair: str) -> tuple[str, ...]:
    return SINGLE_HOST_KINDS if pair.startswith("one host") else MULTI_HOST_KINDS


def cases() -> Iterator[tuple[str, str, str]]:
    for pair in PAIRS:
        for kind in kinds_of(pair):
            for mode in MODES:
                if not (mode == "autopilot" and pair in ("same shape, node labels", "taints of the plan")):
                    yield pair, kind, mode


def templates_of(plan: dict[str, Any]) -> dict[str, list[PodTemplate]]:
    """Workload -> its Pod templates, as they are written."""
    (cluster,) = manifests_of(checked(plan))
    documents = read_manifests([("a", manifest_stream(cluster.manifests).encode())]).objects
    found: dict[str, list[PodTemplate]] = {}
    for document in documents:
        for template in pod_templates(document):
            found.setdefault(document.name, []).append(template)
    return found


def has_chips(template: PodTemplate) -> bool:
    return any(container.amount("requests", TPU) for container in template.containers())


def tolerates(template: PodTemplate, taint: dict[str, str]) -> bool:
    """What ``ToleratesTaint`` of Kubernetes decides."""

    def covers(item: dict[str, Any]) -> bool:
        return (
            item.get("effect") in (None, taint["effect"])
            and item.get("key") in (None, taint["key"])
            and (item.get("operator") == "Exists" or item.get("value", "") == taint["value"])
        )

    return any(covers(item) for item in template.spec.get("tolerations", []))


def tolerated_flavors(template: PodTemplate, flavors: dict[str, dict[str, Any]]) -> set[str]:
    """The flavors whose taints the Pods tolerate."""
    return {
        name
        for name, flavor in flavors.items()
        if all(tolerates(template, taint) for taint in flavor["spec"].get("nodeTaints", []))
    }


@each("pair, kind, mode, swapped", [(*case, swapped) for case in cases() for swapped in (False, True)])
def test_pods_tolerate_the_flavor_of_their_own_group_and_no_other(
    pair: str, kind: str, mode: str, swapped: bool
) -> None:
    plan = plan_with(pair, kind, mode, swapped=swapped)
    flavors = named(objects_of(plan), "ResourceFlavor")
    assert flavors.keys() == {"cpu", "tpu-one", "tpu-two"}
    templates = templates_of(plan)
    for name in ("one", "two"):
        with_chips = [template for template in templates[f"on-{name}"] if has_chips(template)]
        assert with_chips
        for template in with_chips:
            assert tolerated_flavors(template, flavors) == {"cpu", f"tpu-{name}"}
        for template in templates[f"on-{name}"]:
            if not has_chips(template):
                assert tolerated_flavors(template, flavors) == {"cpu"}, "a head gets no flavor of a slice group"


def test_pods_without_chips_get_the_flavor_without_taints() -> None:
    flavors = named(objects_of(plan_with("other shape", "pathways", "standard")), "ResourceFlavor")
    assert flavors["cpu"]["spec"] == {}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("pair", PAIRS)
def test_no_pod_selects_the_key_and_no_node_has_it(pair: str, mode: str) -> None:
    """On Autopilot, a toleration and a selector of one key separate workloads: GKE makes nodes with this taint."""
    if mode == "autopilot" and pair in ("same shape, node labels", "taints of the plan"):
        pytest.skip("Autopilot rejects these keys")
    objects = objects_of(plan_with(pair, kinds_of(pair)[-1], mode))
    for key in ("nodeSelector", "nodeLabels", "nodeAffinity", "matchExpressions", "taints"):
        assert KEY not in str(values_of(objects, key)), key
    assert KEY in str(values_of(objects, "nodeTaints"))


@pytest.mark.parametrize("mode", MODES)
def test_a_workload_outside_of_queues_has_no_toleration_for_them(mode: str) -> None:
    """A first queue in a plan must change no Pod template of a workload that runs: it would be replaced."""
    plan = plan_with("other shape", "jobset", mode)
    kubernetes = plan["clusters"]["c"]["kubernetes"]
    del kubernetes["workloads"]["on-two"]["queue"]
    queued, alone = templates_of(plan), {}
    del kubernetes["workloads"]["on-one"]["queue"], kubernetes["queues"]
    alone = templates_of(plan)
    assert queued["on-two"][0].spec == alone["on-two"][0].spec
    assert KEY in str(queued["on-one"][0].spec["tolerations"])
    assert KEY not in str(alone)


@pytest.mark.parametrize(("namespace", "joined"), [(None, True), ("research", True), ("other", False)])
def test_workloads_without_a_queue_join_the_default_queue_of_their_namespace(
    namespace: str | None, joined: bool
) -> None:
    """Kueue puts them into the queue with the name ``default``, so they need the toleration too."""
    plan = plan_with("other shape", "jobset", "standard")
    kubernetes = plan["clusters"]["c"]["kubernetes"]
    for workload in kubernetes["workloads"].values():
        del workload["queue"]
    kubernetes |= {
        "namespace": "research",
        "queues": {"default": {} if namespace is None else {"namespace": namespace}},
    }
    assert (KEY in str(templates_of(plan)["on-one"][0].spec)) is joined
