"""Claims of the chips of a host, where the DRA driver allocates them instead of GKE's device plugin."""

from collections.abc import Iterator
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet.scheduling import claims_chips
from pulumi_gke_tpu.core.fleet.workloads import KubernetesObjects, chips_to_claim, claim_template_name
from pulumi_gke_tpu.core.kinds.manifest import Manifest, manifest

_REQUEST = "tpus"


def claim_templates(objects: KubernetesObjects, catalog: Catalog) -> Iterator[Manifest]:
    """The templates of the claims of workloads, each once in a namespace.

    Kubernetes makes a claim from the template for each Pod. Until the template exists, the Pods are Pending.
    """
    facts, kind = catalog.kubernetes.pods.resource_claims, catalog.kubernetes.kinds.objects["resource_claim_template"]
    written: set[tuple[str, str]] = set()
    for workload in objects.workloads:
        name = claim_template_name(workload, catalog)
        if not claims_chips(workload.group, catalog) or (workload.namespace, name) in written:
            continue
        written.add((workload.namespace, name))
        chips = chips_to_claim(workload, catalog)
        amount: dict[str, Any] = {"allocationMode": facts.allocation_mode} if chips is None else {"count": chips}
        devices = {"requests": [{"name": _REQUEST, "exactly": {"deviceClassName": facts.device_class, **amount}}]}
        spec = {"spec": {"spec": {"devices": devices}}}
        yield manifest("workloads", kind, name, workload.path, spec, namespace=workload.namespace)
