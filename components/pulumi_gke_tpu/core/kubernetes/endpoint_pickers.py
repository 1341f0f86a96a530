"""Endpoint pickers, which choose the server for each request: a Kustomization for each, and a Helm release for Pulumi.

The chart of the Gateway API Inference Extension installs a picker together with its InferencePool. The plan only gives
it the labels and the port of the servers.
"""

from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet.model import Cluster
from pulumi_gke_tpu.core.fleet.scheduling import taint_tolerations
from pulumi_gke_tpu.core.fleet.settings import system_pool
from pulumi_gke_tpu.core.fleet.workloads import Workload, kubernetes_objects
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.kinds import written_kind
from pulumi_gke_tpu.core.kinds.kind import Endpoint
from pulumi_gke_tpu.core.kinds.manifest import Manifest, manifest
from pulumi_gke_tpu.core.kinds.pods import toleration
from pulumi_gke_tpu.core.kubernetes.charts import KUSTOMIZATION_KIND, inflated, nested, released
from pulumi_gke_tpu.core.text.findings import Path
from pulumi_gke_tpu.core.text.yamlfile.write import write_yaml

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.plan.pods import InferencePool


@frozen
class EndpointPicker:
    """The endpoint picker of a workload. Its Helm release has the name of the workload, and so has its pool."""

    name: str
    namespace: str
    path: Path
    version: str
    title: str
    deployment: str
    kustomization: Manifest
    release: Mapping[str, Any] = field(hash=False)
    """The properties of the Helm release of the Kubernetes provider."""


def endpoint_pickers(cluster: Cluster, catalog: Catalog) -> Iterator[EndpointPicker]:
    """The endpoint pickers of a cluster, in the order of the workloads."""
    objects = kubernetes_objects(cluster)
    for workload in objects.workloads if objects is not None else ():
        pool = workload.plan.gateway.inference_pool if workload.plan.gateway is not None else None
        endpoint = written_kind(workload).endpoint(workload, catalog)
        if pool is not None and endpoint is not None and endpoint.selector:
            yield _picker(workload, pool, endpoint, catalog)


def picker_name(workload: Workload, catalog: Catalog) -> str:
    """The name of the picker, which some of its cluster-wide objects have too."""
    facts = catalog.kubernetes.gateways.pools
    return workload.name[: facts.longest_name] + facts.suffix


def _picker(workload: Workload, pool: "InferencePool", endpoint: Endpoint, catalog: Catalog) -> EndpointPicker:
    facts, path = catalog.kubernetes.gateways.pools, (*workload.path, "gateway", "inference_pool")
    version, namespace = pool.version or facts.version, workload.namespace
    values = nested(facts.chart.values)
    values["inferencePool"] = {
        "targetPorts": [{"number": endpoint.port}],
        "targetPortNumber": endpoint.port,
        "modelServers": {"matchLabels": dict(endpoint.selector)},
    }
    deployment = picker_name(workload, catalog)
    fields = {
        "helmCharts": [inflated(facts.chart, version, workload.name, namespace, values)],
        **_tolerations(workload.cluster, deployment, catalog),
    }
    name = f"{workload.name}-endpoint-picker"
    kustomization = manifest("operators", KUSTOMIZATION_KIND, name, path, fields, namespace=namespace)
    release = released(facts.chart, version, workload.name, namespace, values, create_namespace=False)
    return EndpointPicker(workload.name, namespace, path, version, facts.title, deployment, kustomization, release)


def _tolerations(cluster: Cluster, deployment: str, catalog: Catalog) -> dict[str, Any]:
    """A patch for the taints of the system pool, for which the chart has no value."""
    pool = system_pool(cluster)
    tolerated = [toleration(item) for item in taint_tolerations(pool.taints.value)] if pool is not None else []
    if not tolerated:
        return {}
    kind = catalog.kubernetes.kinds.objects["deployment"]
    patch = {
        "apiVersion": kind.api_version,
        "kind": kind.kind,
        "metadata": {"name": deployment},
        "spec": {"template": {"spec": {"tolerations": tolerated}}},
    }
    return {"patches": [{"patch": write_yaml(patch), "target": {"kind": kind.kind, "name": deployment}}]}
