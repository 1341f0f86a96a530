"""What happens to objects in queues that are applied again after Kueue has admitted them, on the real server.

Kueue 0.19 writes the result of admission into the Pod templates of the object (``pkg/podset``): the labels of the
flavor, a label with the pod set, one with each queue, and an annotation with the name of its Workload, which ends with
a hash of the uid of the object. Here a test writes them as the manager ``kueue``.
"""

import copy
from typing import Any

import pytest
from support.control_plane.admission import admit, templates
from support.control_plane.client import Object, Refused
from support.control_plane.testbed import Testbed
from support.workload_plans import HEADS, TRAIN, checked, objects_of, workload_plan

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.graph.builders.kubernetes import tpu_workloads

pytestmark = pytest.mark.usefixtures("crds")

FORCED = "pulumi.com/patchForce"
KINDS = ("job", "jobset", "pathways", "raycluster", "rayjob", "rayservice")
"""The kinds into whose templates Kueue writes; it reads those of a Deployment and a LeaderWorkerSet, and their Pods."""
ONLY_LISTS = ("RayCluster", "RayJob", "RayService")
OTHER_GROUPS: dict[str, dict[str, Any]] = {
    "none": {},
    "spot": {"spot": {"capacity": "spot"}},
    "two": {"spot": {"capacity": "spot"}, "labeled": {"node_labels": {"pool": "labeled"}}},
}
"""The slice groups after the first one, whose labels Kueue adds to those that all groups have."""


def plan(
    kind: str, others: str = "none", mode: str = "standard", topology: str = "4x4", queue: str = "team"
) -> dict[str, Any]:
    place = {**TRAIN, "topology": topology}
    groups = {"s": place, **{name: {**place, **keys} for name, keys in OTHER_GROUPS[others].items()}}
    run = {"serve_config": "applications: []"} if kind == "rayservice" else {"command": ["run"]}
    work = {"slices": "s", "kind": kind, **run, **({"queue": queue} if queue else {})}
    work |= {"fallback": list(OTHER_GROUPS[others])} if OTHER_GROUPS[others] else {}
    more: dict[str, Any] = {"kubernetes": {"queues": {"team": {}}}}
    if mode == "standard":
        more |= {"cpu_pools": {"heads": HEADS}, "addons": ["ray_operator"]}
    return workload_plan(groups, {"w": work}, mode=mode, **more)


def workload(kind: str, bed: Testbed, group: str = "s", **keys: str) -> tuple[Object, Object]:
    """The object of a workload in the namespace of a test, and the labels of the flavor of a group."""
    objects = objects_of(plan(kind, **keys))
    (item,) = (one for one in objects if one["metadata"]["name"] == "w" and one["kind"] != "Service")
    (flavor,) = (
        one for one in objects if one["kind"] == "ResourceFlavor" and one["metadata"]["name"] == f"tpu-{group}"
    )
    return {**item, "metadata": {**item["metadata"], "namespace": bed.namespace}}, flavor["spec"]["nodeLabels"]


def suspended(item: Object) -> Object:
    """An object as the webhook of Kueue stores it: it waits."""
    cluster = item["spec"].get("rayClusterConfig")
    if cluster is not None:
        return {**item, "spec": {**item["spec"], "rayClusterConfig": {**cluster, "suspend": True}}}
    return {**item, "spec": {**item["spec"], "suspend": True}}


@pytest.mark.parametrize("kind", KINDS)
def test_the_second_apply_conflicts_only_where_a_list_has_no_keys(scheduling: Testbed, kind: str) -> None:
    """And then ``TpuWorkloads`` forces its updates, as ``kubectl apply --force-conflicts`` does."""
    item, flavor = workload(kind, scheduling)
    live = scheduling.client.apply(suspended(item), "kubectl")
    admit(scheduling.client, live, flavor)
    assert forced(kind) is (item["kind"] in ONLY_LISTS)
    if item["kind"] not in ONLY_LISTS:
        assert scheduling.client.apply(item, "kubectl")["spec"]["suspend"] is False
        return
    with pytest.raises(Refused, match=r'409: .* conflict with "kueue".*workerGroupSpecs'):
        scheduling.client.apply(item, "kubectl")


@pytest.mark.parametrize("kind", KINDS)
def test_labels_of_the_flavor_alone_would_not_conflict(scheduling: Testbed, kind: str) -> None:
    """The Pods of gke-tpu select them already. But the name of the Workload is known to Kueue only."""
    item, flavor = workload(kind, scheduling)
    live = scheduling.client.apply(suspended(item), "kubectl")
    admit(scheduling.client, live, flavor, marks=False)
    again = scheduling.client.apply(item, "kubectl")
    assert again["spec"].get("rayClusterConfig", again["spec"])["suspend"] is False


@pytest.mark.parametrize("mode", ["standard", "autopilot"])
@pytest.mark.parametrize("others", ["spot", "two"])
@pytest.mark.parametrize(("kind", "topology"), [("job", "2x2"), ("job", "4x4"), ("jobset", "4x4"), ("pathways", "4x4")])
def test_a_workload_on_several_groups_is_applied_again_without_a_conflict(
    scheduling: Testbed, kind: str, topology: str, others: str, mode: str
) -> None:
    """The Pods keep the labels of the chosen flavor, also if a label of the object changes."""
    for group in ("s", *OTHER_GROUPS[others]):
        item, flavor = workload(kind, scheduling, group, others=others, mode=mode, topology=topology)
        live = scheduling.client.apply(suspended(item), "kubectl")
        admit(scheduling.client, live, flavor)
        renamed = {**item["metadata"], "labels": {**item["metadata"]["labels"], "team": "research"}}
        for again in (item, {**item, "metadata": renamed}, item):
            stored = scheduling.client.apply(again, "kubectl")
            selectors = [one["spec"].get("nodeSelector") for one in templates(stored["spec"])]
            assert flavor in selectors
        scheduling.client.delete(item)


@pytest.mark.parametrize("kind", ["raycluster", "rayjob", "rayservice"])
def test_kuberay_owns_the_workers_of_objects_that_it_writes_as_a_whole(scheduling: Testbed, kind: str) -> None:
    """It adds a finalizer to RayJobs and RayServices, and its Go types write fields that are empty.

    A forced apply takes the workers back, and changes nothing in them.
    """
    item, _ = workload(kind, scheduling, queue="")
    live = scheduling.client.apply(item, "kubectl")
    written = copy.deepcopy(live["spec"])
    for template in templates(written):
        template["spec"]["containers"][0].setdefault("resources", {}).setdefault("claims", [])
    if kind == "raycluster":
        assert not forced(kind, queue="")
        scheduling.client.apply(item, "kubectl")
        return
    scheduling.client.patch(live, {"spec": written}, manager="ray-operator")
    assert forced(kind, queue="")
    with pytest.raises(Refused, match=r'409: .* conflict with "ray-operator".*workerGroupSpecs'):
        scheduling.client.apply(item, "kubectl")
    again = scheduling.client.apply(item, "kubectl", force=True)
    assert [one["spec"]["nodeSelector"] for one in templates(again["spec"]) if "nodeSelector" in one["spec"]] == [
        one["spec"]["nodeSelector"] for one in templates(item["spec"]) if "nodeSelector" in one["spec"]
    ]


@pytest.mark.parametrize("kind", ["raycluster", "rayjob"])
def test_a_forced_apply_takes_the_workers_back_and_leaves_the_rest(scheduling: Testbed, kind: str) -> None:
    """The object stays admitted: it is not suspended, and its head keeps what Kueue wrote."""
    item, flavor = workload(kind, scheduling)
    live = scheduling.client.apply(suspended(item), "kubectl")
    admit(scheduling.client, live, flavor)
    again = scheduling.client.apply(item, "kubectl", force=True)
    assert again["spec"]["suspend"] is False
    head, worker = templates(again["spec"])
    assert head["metadata"]["labels"] == {"kueue.x-k8s.io/podset": "main"}
    (own,) = (one for one in templates(item["spec"]) if "google.com/tpu" in str(one["spec"]["containers"]))
    assert worker["spec"]["nodeSelector"] == own["spec"]["nodeSelector"]
    assert "labels" not in worker.get("metadata", {})
    scheduling.client.apply(item, "kubectl")  # until Kueue writes again, another apply has no conflict


def test_a_forced_apply_loses_the_group_that_kueue_chose(scheduling: Testbed) -> None:
    """The real Kueue 0.19.2 does not write the labels again: a worker that starts later can be on another group."""
    item, flavor = workload("raycluster", scheduling, "spot", others="spot")
    live = scheduling.client.apply(suspended(item), "kubectl")
    admit(scheduling.client, live, flavor)
    (_, admitted), (_, own) = (list(templates(one["spec"])) for one in (scheduling.client.get(live), item))
    (_, again) = templates(scheduling.client.apply(item, "kubectl", force=True)["spec"])
    assert admitted["spec"]["nodeSelector"] == {**own["spec"]["nodeSelector"], **flavor}
    assert again["spec"]["nodeSelector"] == own["spec"]["nodeSelector"]
    assert not flavor.items() <= own["spec"]["nodeSelector"].items()


def forced(kind: str, **keys: str) -> bool:
    """Whether ``TpuWorkloads`` forces the updates of a workload."""
    fleet = checked(plan(kind, **keys)).fleet
    assert fleet is not None
    found = [one for one in tpu_workloads(fleet.clusters[0], read_catalog(), "c") if one.name == "c/w"]
    return any(FORCED in one.properties["metadata"].get("annotations", {}) for one in found)
