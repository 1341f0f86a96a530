"""The objects of a manager cluster of MultiKueue, beside those of its workers."""

import re
from typing import Any

import pytest
from support.multikueue import clusters_of, manager_plan
from support.workload_plans import checked, only

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.graph.builders.standard import fleet_graph
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER
from pulumi_gke_tpu.core.kubernetes.fleet import manifests
from pulumi_gke_tpu.core.text.formats.quantity import parse_quantity

CATALOG = read_catalog()
MODES = pytest.mark.parametrize("mode", ["standard", "autopilot"])
TPU = "google.com/tpu"
KINDS = ("job", "jobset", "raycluster", "rayjob")


def objects_of(plan: dict[str, Any], cluster: str) -> list[dict[str, Any]]:
    return [item.object for item in manifests(clusters_of(plan)[cluster], CATALOG)]


def quotas(objects: list[dict[str, Any]], queue: str = "research") -> dict[tuple[str, str], Any]:
    (found,) = (item for item in objects if (item["kind"], item["metadata"]["name"]) == ("ClusterQueue", queue))
    (group,) = found["spec"]["resourceGroups"]
    return {
        (flavor["name"], resource["name"]): parse_quantity(resource["nominalQuota"])
        for flavor in group["flavors"]
        for resource in flavor["resources"]
    }


@MODES
def test_a_manager_knows_its_workers_by_secrets_that_no_file_contains(mode: str) -> None:
    found = objects_of(manager_plan(mode), "hub")
    sources = {item["metadata"]["name"]: item["spec"] for item in found if item["kind"] == "MultiKueueCluster"}
    secrets = {"east": "east-kubeconfig", "west": "west-access"}
    assert sources == {
        name: {"clusterSource": {"kubeConfig": {"location": secret, "locationType": "Secret"}}}
        for name, secret in secrets.items()
    }
    config = only(found, "MultiKueueConfig")
    assert config["spec"] == {"clusters": ["east", "west"]}, "the order of the plan, in which Kueue can try them"
    check = only(found, "AdmissionCheck")
    assert check["spec"]["controllerName"] == "kueue.x-k8s.io/multikueue"
    assert check["spec"]["parameters"] == {
        "apiGroup": "kueue.x-k8s.io",
        "kind": config["kind"],
        "name": config["metadata"]["name"],
    }
    checks = only(found, "ClusterQueue")["spec"]["admissionChecksStrategy"]["admissionChecks"]
    assert checks == [{"name": check["metadata"]["name"]}], "for every flavor"
    assert not any(item["kind"] == "Secret" for item in found)


@MODES
def test_the_quota_of_a_manager_is_that_of_its_workers_together(mode: str) -> None:
    plan = manager_plan(mode)
    plan["clusters"]["west"]["kubernetes"]["queues"]["research"] = {"chips": {"pretrain": 48}}
    hub, east, west = (quotas(objects_of(plan, key)) for key in ("hub", "east", "west"))
    assert hub[("tpu-pretrain", TPU)] == east[("tpu-pretrain", TPU)] + west[("tpu-pretrain", TPU)] == 32 + 48
    assert hub.keys() == east.keys() == west.keys()
    assert all(hub[key] >= max(east[key], west[key]) for key in hub if key[1] != TPU)


@MODES
def test_a_manager_can_state_its_own_quota(mode: str) -> None:
    plan = manager_plan(mode, queues={"research": {"chips": {"pretrain": 16}}})
    assert quotas(objects_of(plan, "hub"))[("tpu-pretrain", TPU)] == 16


@MODES
def test_flavors_of_a_manager_are_those_of_its_workers(mode: str) -> None:
    """Otherwise Kueue admits a workload on the manager and on no worker, or the reverse."""
    plan = manager_plan(mode)
    hub, east, west = (
        {item["metadata"]["name"]: item["spec"] for item in objects_of(plan, key) if item["kind"] == "ResourceFlavor"}
        for key in ("hub", "east", "west")
    )
    assert hub == east == west


@MODES
@pytest.mark.parametrize("kind", KINDS)
def test_a_workload_of_a_manager_is_the_one_that_a_worker_would_have(kind: str, mode: str) -> None:
    """Kueue copies it without a change, so it must fit the flavors and the nodes of each worker."""
    run = {"slices": "pretrain", "kind": kind, "queue": "research", "image": "train", "command": ["run"]}
    plan = manager_plan(mode, {"run": run} if kind != "job" else {"run": {**run, "max_restarts": 1}})
    for key in ("east", "west"):
        plan["clusters"][key]["kubernetes"]["workloads"] = plan["clusters"]["hub"]["kubernetes"]["workloads"]
    hub, east, west = (
        [item for item in objects_of(plan, key) if item["metadata"]["name"] == "run"] for key in ("hub", "east", "west")
    )
    assert hub == east == west
    assert len(hub) == 1


@MODES
def test_the_objects_of_workers_do_not_change(mode: str) -> None:
    plan = manager_plan(mode)
    alone = {**plan, "clusters": {key: plan["clusters"][key] for key in ("east", "west")}}
    for key in ("east", "west"):
        assert objects_of(plan, key) == objects_of(alone, key)


def test_queued_capacity_is_requested_by_workers_only() -> None:
    plan = manager_plan()
    for key in ("east", "west"):
        group = plan["clusters"][key]["slices"]["pretrain"]
        group["capacity"] = {"flex_start": {"queued": True, "max_run_duration": "2d"}}
        group["count"] = {"max": 2}
    kinds = [{item["kind"] for item in objects_of(plan, key)} for key in ("hub", "east", "west")]
    assert ["ProvisioningRequestConfig" in found for found in kinds] == [False, True, True]


def test_credentials_from_the_fleet_are_in_no_object_and_no_property() -> None:
    """The profiles of the workers are in the namespace of Kueue, and nothing has a kubeconfig, Secret or token."""
    plan = manager_plan(multikueue={"workers": {"east": {}, "west": {}}, "credentials": "fleet"})
    for cluster in plan["clusters"].values():
        cluster["fleet"] = "acme-ml"
    found = objects_of(plan, "hub")
    sources = {item["metadata"]["name"]: item["spec"] for item in found if item["kind"] == "MultiKueueCluster"}
    places = {"east": "us-east5", "west": "us-central1"}
    assert sources == {
        name: {"clusterSource": {"clusterProfileRef": {"name": f"{name}-{place}"}}} for name, place in places.items()
    }
    assert [item for item in found if item["kind"] == "Secret"] == []
    assert re.findall(r"kubeconfig|token|password", str(found), re.IGNORECASE) == []
    resources = [*fleet_graph(plan, checked(plan).fleet, CATALOG).resources]
    (labels,) = (item.inputs["resourceLabels"] for item in resources if (item.type, item.name) == (CLUSTER, "hub"))
    assert labels["fleet-clusterinventory-management-cluster"] == "true"
    assert labels["fleet-clusterinventory-namespace"] == "kueue-system"
    written = str([item.inputs for item in resources])
    assert re.findall(r"kubeconfig|token|password", written, re.IGNORECASE) == []
