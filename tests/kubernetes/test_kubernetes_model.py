"""What no recorded outcome shows of the model of Kueue and of the scheduler: rules written in their documentation."""

from typing import Any

import pytest
from support.control_plane.manifests import TPU_TOLERATION, pod_spec, selector
from support.kubernetes_model import places
from support.kubernetes_model.matching import NODE_POOL, REQUIRED, NodePool, tolerates
from support.kubernetes_model.places import PARTIAL, PENDING, SPLIT, WHOLE, TooManyStatesError, placements
from support.kubernetes_model.queues import Kueue
from support.kubernetes_model.units import Pods, QueuedWorkload, Unit

LABELS = selector("tpu-v6e-slice", "4x4")
HOST = {"cpu": "100", "memory": "500Gi", "google.com/tpu": "4"}
LEFT, RIGHT = (NodePool(name, 4, {**LABELS, NODE_POOL: name}, (), HOST) for name in ("left", "right"))


def slice_of(name: str, affinity: dict[str, Any] | None = None, *, namespace: str = "default", hosts: int = 4) -> Unit:
    spec = {**pod_spec(4, LABELS), "affinity": affinity or {}}
    return Unit(name, namespace, name, (Pods("main", hosts, {"slice": name}, spec),))


def term(operator: str, *values: str, **more: Any) -> dict[str, Any]:
    expression = {"key": "slice", "operator": operator, **({"values": list(values)} if values else {})}
    return {"labelSelector": {"matchExpressions": [expression]}, "topologyKey": NODE_POOL, **more}


def alone(**more: Any) -> dict[str, Any]:
    """Affinity of a slice to itself, and anti-affinity to every other."""
    return {
        "podAffinity": {REQUIRED: [term("Exists", matchLabelKeys=["slice"], **more)]},
        "podAntiAffinity": {REQUIRED: [term("Exists", mismatchLabelKeys=["slice"], **more)]},
    }


def ends(*units: Unit) -> list[set[str]]:
    return [set(found.ends) for found in placements(units, [LEFT, RIGHT])]


def test_a_slice_that_nothing_holds_is_whole_only_by_luck() -> None:
    assert ends(slice_of("one")) == [{WHOLE, SPLIT}]
    assert ends(slice_of("one", alone())) == [{WHOLE}]


def test_bound_pods_keep_others_away() -> None:
    """Only one of two slices has rules; the scheduler also applies those of Pods that are bound already."""
    held = {"podAffinity": alone()["podAffinity"]}
    assert ends(slice_of("one", alone()), slice_of("two", held)) == [{WHOLE}, {WHOLE}]
    assert ends(slice_of("one", held), slice_of("two", held)) == [{WHOLE, PARTIAL}, {WHOLE, PARTIAL}]


def test_rules_without_a_namespace_hold_for_one_namespace() -> None:
    elsewhere = slice_of("two", alone(), namespace="other")
    assert ends(slice_of("one", alone()), elsewhere) == [{WHOLE, PARTIAL}, {WHOLE, PARTIAL}]
    everywhere = alone(namespaceSelector={})
    assert ends(slice_of("one", everywhere), slice_of("two", everywhere, namespace="other")) == [{WHOLE}, {WHOLE}]
    named = alone(namespaces=["default", "other"])
    assert ends(slice_of("one", named), slice_of("two", named, namespace="other")) == [{WHOLE}, {WHOLE}]


def test_a_third_slice_waits() -> None:
    units = [slice_of(name, alone()) for name in ("one", "two", "three")]
    assert ends(*units) == [{WHOLE, PENDING}] * 3


def test_a_search_that_is_too_large_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "LIMIT", 10)
    with pytest.raises(TooManyStatesError):
        ends(slice_of("one"), slice_of("two"))


@pytest.mark.parametrize(
    ("toleration", "expected"),
    [
        ({"key": "group", "operator": "Equal", "value": "a"}, True),
        ({"key": "group", "value": "a", "effect": "NoSchedule"}, True),
        ({"key": "group", "operator": "Exists"}, True),
        ({"operator": "Exists"}, True),
        ({"key": "group", "operator": "Equal", "value": "b"}, False),
        ({"key": "group", "operator": "Exists", "effect": "NoExecute"}, False),
        ({"key": "other", "operator": "Exists"}, False),
    ],
)
def test_tolerations(toleration: dict[str, str], expected: bool) -> None:
    taint = {"key": "group", "value": "a", "effect": "NoSchedule"}
    assert tolerates({"tolerations": [TPU_TOLERATION, toleration]}, [taint]) is expected
    assert tolerates({}, [{**taint, "effect": "PreferNoSchedule"}])


@pytest.mark.parametrize(("limit", "admitted"), [({}, 2), ({"borrowingLimit": 15}, 1), ({"borrowingLimit": 16}, 2)])
def test_a_queue_borrows_up_to_its_limit(limit: dict[str, int], admitted: int) -> None:
    def queue(name: str, **more: int) -> dict[str, Any]:
        amounts = {
            "google.com/tpu": {"nominalQuota": 16, **more},
            "cpu": {"nominalQuota": 99},
            "memory": {"nominalQuota": "1Ti"},
        }
        resources = [{"name": name, **amount} for name, amount in amounts.items()]
        groups = [{"coveredResources": list(amounts), "flavors": [{"name": "tpu", "resources": resources}]}]
        spec = {"cohortName": "all", "namespaceSelector": {}, "resourceGroups": groups}
        return {"kind": "ClusterQueue", "metadata": {"name": name}, "spec": spec}

    local = {"kind": "LocalQueue", "metadata": {"name": "q"}, "spec": {"clusterQueue": "mine"}}
    flavor = {"kind": "ResourceFlavor", "metadata": {"name": "tpu"}, "spec": {"nodeLabels": LABELS}}
    kueue = Kueue([flavor, queue("mine", **limit), queue("theirs"), local])
    workloads = [QueuedWorkload(name, name, "default", "q", slice_of(name).pods) for name in ("Job/one", "Job/two")]
    counts = {sum(flavors is not None for flavors in found.values()) for found in kueue.admissions(workloads)}
    assert counts == {admitted}
