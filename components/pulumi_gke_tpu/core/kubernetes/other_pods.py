"""An example of other Pods on TPU hosts: small ones, such as agents for monitoring, beside the Pod with the chips."""

from collections.abc import Iterator

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet.scheduling import node_labels, pod_tolerations
from pulumi_gke_tpu.core.fleet.workloads import KubernetesObjects
from pulumi_gke_tpu.core.kinds.manifest import Manifest, manifest
from pulumi_gke_tpu.core.kinds.pods import toleration
from pulumi_gke_tpu.core.text.formats.quantity import quantities

_NAME = "example-agent"


def other_pods(objects: KubernetesObjects, catalog: Catalog) -> Iterator[Manifest]:
    """The example for a Standard cluster with workloads; on Autopilot, a TPU host has no other Pods.

    The Pod tolerates the taint of TPU nodes, requests little, and has a memory limit but no CPU limit. It has no
    priority class, so that a Pod with the chips and a priority class preempts it.
    """
    groups = list({item.group.key: item.group for item in objects.workloads if item.group.pools}.values())
    if objects.cluster.mode == "autopilot" or not groups:
        return
    facts, group = catalog.kubernetes.workloads.other_pods, groups[0]
    label = catalog.platform.names.node_labels.accelerator
    resources = {
        "requests": quantities({"cpu": facts.cpu, "memory": facts.memory}),
        "limits": quantities({"memory": facts.memory_limit}),
    }
    container = {"name": "agent", "image": facts.image, "resources": resources}
    spec = {
        "nodeSelector": {label: node_labels(group, catalog)[label]},
        "tolerations": [toleration(item) for item in pod_tolerations(group, catalog)],
        "containers": [container],
    }
    kind = catalog.kubernetes.kinds.objects["pod"]
    yield manifest("examples", kind, _NAME, group.path, {"spec": spec}, namespace=objects.namespace)
