"""Plans with workloads, and the Kubernetes objects that follow from them."""

from typing import Any

from pulumi_gke_tpu.catalog import read_catalog
from pulumi_gke_tpu.fleet.checked import CheckedPlan
from pulumi_gke_tpu.plan import parse_plan
from pulumi_gke_tpu.rules import check_plan
from pulumi_gke_tpu.workflows.manifests import manifests_of

IMAGE = "us-docker.pkg.dev/acme-ml/train/image:1"
TRAIN = {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b"}
HEADS = {"machine_type": "n2-standard-64", "min_nodes": 0, "max_nodes": 2}


def workload_plan(
    slices: dict[str, Any], workloads: dict[str, Any], *, mode: str = "standard", **cluster: Any
) -> dict[str, Any]:
    """A plan with one cluster; ``kubernetes`` among the keys of the cluster is merged with the workloads."""
    kubernetes = {
        **cluster.pop("kubernetes", {}),
        "workloads": {name: with_image(item) for name, item in workloads.items()},
    }
    keys = {"mode": mode, "location": "us-east5", "network": "create", **cluster, "slices": slices}
    return {"version": 1, "project": "acme-ml", "clusters": {"c": {**keys, "kubernetes": kubernetes}}}


def with_image(workload: dict[str, Any]) -> dict[str, Any]:
    """The workload, with an image if it names none."""
    return {"image": IMAGE, **workload}


def checked(plan: dict[str, Any]) -> CheckedPlan:
    """The plan, read and derived; its findings are those of its form."""
    return check_plan(parse_plan(plan), read_catalog(), None, rules=())


def objects_of(plan: dict[str, Any], concern: str | None = None) -> list[dict[str, Any]]:
    """The objects that follow from a plan, those of one concern or all."""
    result = checked(plan)
    assert result.findings == ()
    every = [item for cluster in manifests_of(result) for item in cluster.manifests]
    return [item.object for item in every if concern in (None, item.concern)]


def only(objects: list[dict[str, Any]], kind: str) -> dict[str, Any]:
    """The one object of a kind."""
    (found,) = (item for item in objects if item["kind"] == kind)
    return found
