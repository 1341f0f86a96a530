"""What `pulumi up` makes of the node pools of a plan, as the API of GKE answers it afterwards.

The provider's requests are written here anew, without the code that reads answers; the stand-in of the API adds what
GKE adds.
"""

from collections.abc import Mapping
from typing import Any

from support.gke.values import ANSWERS
from support.google_apis.compute import Compute
from support.google_apis.container import Container, Knobs

from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.core.graph.builders.standard import fleet_graph
from pulumi_gke_tpu.core.graph.model import Graph
from pulumi_gke_tpu.core.graph.resource_types import ACCOUNT, CLUSTER, NODE_POOL, RESOURCE_POLICY
from pulumi_gke_tpu.core.plan.base import Unknown

Json = dict[str, Any]

_CLUSTER = {"status": "RUNNING", "currentMasterVersion": ANSWERS["versions"]["default"]}
_ONLY_OF_PROVIDER = ("cluster", "project", "location", "nodeCount", "ignoreNodeCountChanges", "deletionPolicy")


def answer_of(checked: CheckedPlan) -> list[Json]:
    """The clusters with their node pools, as `gcloud container clusters list --format=json` writes them."""
    assert checked.fleet is not None
    assert checked.document.yaml is not None
    graph = fleet_graph(checked.document.yaml.data, checked.fleet, checked.catalog)
    compute = Compute()
    gke = Container(Knobs(), compute)
    clusters = [item for item in checked.fleet.clusters if item.mode == "standard"]
    for cluster in clusters:
        project, location, name = cluster.project, cluster.location, cluster.name
        link = f"https://container.googleapis.com/v1/projects/{project}/locations/{location}/clusters/{name}"
        channel = cluster.plan.release_channel or "regular"
        stated = {} if channel == "none" else {"releaseChannel": {"channel": channel.upper()}}
        gke.put({"name": name, "selfLink": link, "location": location, **_CLUSTER, **stated, "nodePools": []})
    for item in graph.of_type(RESOURCE_POLICY):
        parent = f"projects/{item.inputs['project']}/regions/{item.inputs['region']}"
        compute.answer("POST", f"{parent}/resourcePolicies", dict(item.inputs))
    names = _names(graph)
    for item in graph.of_type(NODE_POOL):
        inputs = _resolved(item.inputs, names)
        path = f"projects/{inputs['project']}/locations/{inputs['location']}/clusters/{inputs['cluster']}/nodePools"
        gke.answer("POST", path, {"nodePool": _request(inputs)})
    return [gke.show(gke.clusters[item.project, item.location, item.name]) for item in clusters]


def _names(graph: Graph) -> Mapping[str, str]:
    """What a resource gives to those that refer to it."""
    accounts = {
        item.urn: f"{item.inputs['accountId']}@{item.inputs['project']}.iam.gserviceaccount.com"
        for item in graph.of_type(ACCOUNT)
    }
    return {**{item.urn: item.inputs["name"] for item in graph.of_type(CLUSTER)}, **accounts}


def _resolved(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, Unknown):
        return names[value.urns[0]]
    if isinstance(value, Mapping):
        return {key: _resolved(item, names) for key, item in value.items()}
    return [_resolved(item, names) for item in value] if isinstance(value, list) else value


def _request(inputs: Mapping[str, Any]) -> Json:
    """The body that the provider sends to create a node pool."""
    body = {key: value for key, value in inputs.items() if key not in _ONLY_OF_PROVIDER}
    config = body.pop("nodeConfig")
    kubelet = config.get("kubeletConfig", {})
    port = {name: value == "TRUE" for name, value in kubelet.items() if name.startswith("insecure")}
    body["config"] = {**config, "kubeletConfig": {**kubelet, **port}}
    variant = config.get("loggingVariant")
    if variant is not None:
        body["config"]["loggingConfig"] = {"variantConfig": {"variant": body["config"].pop("loggingVariant")}}
    body["locations"] = body.pop("nodeLocations", None)
    body["initialNodeCount"] = inputs.get("nodeCount", inputs.get("initialNodeCount", 0))
    if "autoscaling" in body:
        body["autoscaling"] = {"enabled": True, **body["autoscaling"]}
    if "maxPodsPerNode" in body:
        body["maxPodsConstraint"] = {"maxPodsPerNode": str(body.pop("maxPodsPerNode"))}
    for policy in body.pop("maintenancePolicies", []):
        (exclusion,) = policy["exclusionUntilEndOfSupports"]
        body["maintenancePolicy"] = {"exclusionUntilEndOfSupport": exclusion}
    return {key: _without_zeros(value) for key, value in body.items() if value is not None}


def _without_zeros(value: Any) -> Any:
    """What the API leaves out of its answers: false, zero and empty text, but for what has a presence of its own."""
    if not isinstance(value, dict):
        return value
    kept = {key: _without_zeros(item) for key, item in value.items()}
    return {
        key: item
        for key, item in kept.items()
        if item or isinstance(item, dict | list) or key.startswith(("insecure", "enablePrivateNodes"))
    }
