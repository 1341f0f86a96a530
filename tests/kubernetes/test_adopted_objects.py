"""What `gke-tpu adopt` finds for objects on the real server: applying the plan changes nothing but the label."""

import copy
from typing import Any

import pytest
from support.adopted_objects import found_for, rendered, with_objects, without_objects
from support.control_plane.admission import admit
from support.control_plane.client import Object
from support.control_plane.testbed import Testbed
from support.workload_plans import every_option

from pulumi_gke_tpu.core.kinds.manifest import MANAGED

pytestmark = pytest.mark.usefixtures("crds")

KINDS = {"Job", "JobSet", "Deployment", "LeaderWorkerSet", "Service", "HorizontalPodAutoscaler", "PodDisruptionBudget"}
KINDS |= {"ClusterQueue", "LocalQueue", "ResourceFlavor", "Cohort", "AdmissionCheck", "ProvisioningRequestConfig"}
KINDS |= {"Namespace", "PriorityClass", "WorkloadPriorityClass", "ResourceQuota", "RoleBinding"}
WRITTEN_BY_SERVER = ("uid", "resourceVersion", "creationTimestamp", "managedFields")


def plan_in(namespace: str) -> dict[str, Any]:
    """A plan with every kind of object that is adopted, all in one namespace."""
    plan = every_option("standard")
    kubernetes = plan["clusters"]["c"]["kubernetes"]
    kubernetes["namespace"] = namespace
    kubernetes["namespaces"] = {namespace: {"chips": 4096, "editors": ["group:authors@acme.example"]}}
    del kubernetes["queues"]["team"]["namespaces"]
    return plan


def made_by_others(item: Object) -> Object:
    """The object without the label of gke-tpu."""
    changed = copy.deepcopy(item)
    for key in MANAGED:
        del changed["metadata"]["labels"][key]
    return changed


def kept(item: Object) -> Object:
    """The object without its status and what every write changes, and without the label of gke-tpu."""
    metadata = {key: value for key, value in item["metadata"].items() if key not in WRITTEN_BY_SERVER}
    labels = {key: value for key, value in metadata.pop("labels", {}).items() if key not in MANAGED}
    return {**item, "metadata": {**metadata, "labels": labels}, "status": None}


def test_applying_the_adopted_objects_changes_nothing(scheduling: Testbed) -> None:
    client, plan = scheduling.client, plan_in(scheduling.namespace)
    objects = [item for item in rendered(plan, "c") if item["kind"] in KINDS]
    scheduling.create(*(made_by_others(item) for item in objects if item["kind"] != "Namespace"))
    flavors = {item["metadata"]["name"]: item for item in objects if item["kind"] == "ResourceFlavor"}
    (queued,) = (item for item in objects if item["metadata"]["name"] == "jobset")
    admit(client, client.get(queued), flavors["tpu-train"]["spec"]["nodeLabels"])
    before = [client.get(item) for item in objects]
    assert [item["kind"] for item in before if "uid" not in item["metadata"]] == []
    found = found_for(plan, "c", before)
    adopted = {(item.object.kind, item.object.name) for item in found.adopted}
    # Those of operators have several kinds of Pods.
    left = {(item["kind"], item["metadata"]["name"]) for item in objects} - adopted
    assert left == {("JobSet", "pathways")}
    after = rendered(with_objects(without_objects(plan), "c", found.keys), "c")
    applied = [item for item in after if (item["kind"], item["metadata"]["name"]) in adopted]
    assert len(applied) == len(adopted)
    for item in applied:
        live = client.get(item)
        again = client.apply(item, "kubectl", dry_run=True)
        assert kept(again) == kept(live), item["kind"]
        assert again["metadata"].get("generation") == live["metadata"].get("generation")
        assert MANAGED.items() <= again["metadata"]["labels"].items()


@pytest.mark.parametrize(
    ("kind", "path", "value"),
    [
        ("ClusterQueue", ("spec", "queueingStrategy"), "StrictFIFO"),
        ("LocalQueue", ("spec", "stopPolicy"), "Hold"),
        ("PriorityClass", ("value",), 11),
        ("Deployment", ("spec", "revisionHistoryLimit"), 3),
        ("ResourceFlavor", ("spec", "nodeLabels", "team"), "a"),
    ],
)
def test_a_value_that_no_key_sets_leaves_the_object_alone(
    scheduling: Testbed, kind: str, path: tuple[str, ...], value: Any
) -> None:
    """Of an object that the plan does not render: a priority class has its own value, so that it is adopted."""
    plan = plan_in(scheduling.namespace)
    objects = [item for item in rendered(plan, "c") if item["kind"] in KINDS]
    changed = next(item for item in objects if item["kind"] == kind and item["metadata"]["name"] != "cpu")
    scheduling.create(*(item for item in objects if item["kind"] != "Namespace" and item is not changed))
    target: Any = changed
    for step in path[:-1]:
        target = target[step]
    target[path[-1]] = value
    scheduling.create(changed)
    found = found_for(plan, "c", [scheduling.client.get(item) for item in objects])
    reasons = {(item.object.kind, item.object.name): item.reason for item in found.alone}
    own = (kind, changed["metadata"]["name"])
    if kind == "PriorityClass":  # Kueue compares by the other class, which has the former value
        assert "WorkloadPriorityClass" in reasons[own]
    else:
        assert path[-1] in reasons[own]
    assert found.adopted
