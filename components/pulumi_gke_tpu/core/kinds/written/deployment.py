"""Deployment: Pods that replace each other. A plan serves on single-host slices with it, one Pod on each."""

from collections.abc import Iterator

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet.workloads import Workload
from pulumi_gke_tpu.core.kinds.kind import Endpoint, Kind, RollingUpdate, Written
from pulumi_gke_tpu.core.kinds.manifest import Manifest
from pulumi_gke_tpu.core.kinds.pods import server, tpu_pod
from pulumi_gke_tpu.core.kinds.serving import KEYS, replicas, serving
from pulumi_gke_tpu.core.kinds.templates import HAS_SELECTOR, SERVERS, replicated
from pulumi_gke_tpu.core.kinds.workload import run_duration, service, workload_manifest

_NAME = "app.kubernetes.io/name"


def _objects(workload: Workload, catalog: Catalog) -> Iterator[Manifest]:
    """The Deployment, a Service if the plan names a port, and what serving needs beside them.

    An update deletes a Pod before it creates its replacement, because no host has chips for both, and waits until the
    replacement is ready. Kueue admits each Pod apart, so the Pods have what it reads.
    """
    labels = _labels(workload)
    template = tpu_pod(
        workload, catalog, container=server(workload), labels=labels, annotations=run_duration(workload, catalog)
    )
    spec = {
        **replicas(workload),
        "selector": {"matchLabels": labels},
        "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}},
        "template": template,
    }
    yield workload_manifest(workload, "deployment", spec, catalog, admitted=SERVERS.duration_at)
    if (endpoint := _endpoint(workload, catalog)) is not None:
        yield service(
            workload, endpoint.service, endpoint.selector, catalog, port=endpoint.port, others=workload.plan.ports
        )
    yield from serving(workload, "deployment", labels, 1, catalog)


def _labels(workload: Workload) -> dict[str, str]:
    return {_NAME: workload.name}


def _endpoint(workload: Workload, _: Catalog) -> Endpoint | None:
    port = workload.plan.port
    return None if port is None else Endpoint(workload.name, port, _labels(workload))


KIND = Kind(
    "apps",
    "Deployment",
    replicated(SERVERS),
    whole=HAS_SELECTOR,
    rolling_update=RollingUpdate(
        ("spec", "strategy", "rollingUpdate"), surge="25%", unavailable="25%", of="pods", always_waits=False
    ),
    written=Written(
        _objects,
        title="a Deployment",
        keys=("init_containers", "sidecars", *KEYS),
        multi_host=False,
        slices_apart=True,
        endpoint=_endpoint,
        instead="leaderworkerset",
    ),
)
