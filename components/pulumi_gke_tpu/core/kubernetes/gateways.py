"""Gateways in front of workloads: the load balancer, the route to the servers, and what it asks and waits for.

With an endpoint picker, its chart writes the policies of the InferencePool, so that the two do not contradict each
other.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet.workloads import Workload
from pulumi_gke_tpu.core.kinds import written_kind
from pulumi_gke_tpu.core.kinds.kind import Endpoint
from pulumi_gke_tpu.core.kinds.manifest import Manifest, manifest
from pulumi_gke_tpu.core.kinds.pods import without_empty

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.plan.pods import Gateway


_POOL = "InferencePool"
_HTTP = {"name": "http", "port": 80, "protocol": "HTTP"}
_HTTPS = {"name": "https", "port": 443, "protocol": "HTTPS"}


def gateway(workload: Workload, catalog: Catalog) -> Iterator[Manifest]:
    """The objects of the gateway of a workload; nothing without the key, or without an address of the servers."""
    plan, endpoint = workload.plan.gateway, written_kind(workload).endpoint(workload, catalog)
    if plan is None or endpoint is None:
        return
    listener = {**_HTTP, **_namespaces()}
    if plan.tls_secret is not None:
        tls = {"mode": "Terminate", "certificateRefs": [{"name": plan.tls_secret}]}
        listener = {**_HTTPS, "tls": tls, **_namespaces()}
    spec = {"gatewayClassName": plan.class_name, "listeners": [listener]}
    yield _object(workload, "gateway", spec, catalog)
    route = {
        "parentRefs": [{"name": workload.name}],
        **without_empty(hostnames=list(plan.hosts)),
        "rules": [{"backendRefs": [_backend(workload, plan, endpoint, catalog)]}],
    }
    yield _object(workload, "http_route", route, catalog)
    if plan.inference_pool is None:
        yield from _policies(workload, plan, endpoint, catalog)


def health_check(workload: Workload, plan: "Gateway", endpoint: Endpoint) -> tuple[str, int] | None:
    """The path and the port that the load balancer asks; None if GKE decides.

    The path is that of the plan, or that of the readiness probe with its port.
    """
    if plan.health_path is not None:
        return plan.health_path, endpoint.port
    probe = workload.plan.probes.readiness if workload.plan.probes is not None else None
    if probe is None or probe.http_path is None:
        return None
    return probe.http_path, probe.port or endpoint.port


def _namespaces() -> dict[str, Any]:
    """Only routes of the same namespace: a route of another one could take requests from the servers."""
    return {"allowedRoutes": {"namespaces": {"from": "Same"}}}


def _backend(workload: Workload, plan: "Gateway", endpoint: Endpoint, catalog: Catalog) -> dict[str, Any]:
    if plan.inference_pool is not None:
        return {"group": catalog.kubernetes.gateways.pools.group, "kind": _POOL, "name": workload.name}
    return {"name": endpoint.service, "port": endpoint.port}


def _policies(workload: Workload, plan: "Gateway", endpoint: Endpoint, catalog: Catalog) -> Iterator[Manifest]:
    """What GKE's load balancer does differently for the Service."""
    target = {"group": "", "kind": catalog.kubernetes.kinds.objects["service"].kind, "name": endpoint.service}
    asked = health_check(workload, plan, endpoint)
    if asked is not None:
        path, port = asked
        config = {"type": "HTTP", "httpHealthCheck": {"requestPath": path, "port": port}}
        spec = {"targetRef": target, "default": {"config": config}}
        yield _object(workload, "health_check_policy", spec, catalog)
    if plan.timeout is not None:
        spec = {"targetRef": target, "default": {"timeoutSec": int(plan.timeout.total_seconds())}}
        yield _object(workload, "backend_policy", spec, catalog)


def _object(workload: Workload, kind: str, spec: Mapping[str, Any], catalog: Catalog) -> Manifest:
    found = catalog.kubernetes.kinds.objects[kind]
    path = (*workload.path, "gateway")
    return manifest("workloads", found, workload.name, path, {"spec": spec}, namespace=workload.namespace)
