"""Containers with chips, and resources that are not those of TPUs: TPU729 and TPU730."""

import fnmatch
from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.objects import Container, PodTemplate
from pulumi_gke_tpu.core.objects.document import mapping
from pulumi_gke_tpu.core.rules.engine.examples import tpu_pod
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule
from pulumi_gke_tpu.core.text.findings import number, quoted
from pulumi_gke_tpu.core.text.formats.quantity import parse_quantity
from pulumi_gke_tpu.features.check.context import ManifestContext


@rule(
    "TPU729",
    "several-containers-with-chips",
    title="Several containers of a pod with chips",
    why="one container uses all chips of a host, except on tpu7x-standard-4t, where two containers can share them",
    fix="Request all chips of the host in one container.",
    references=["about-tpus", "xpk-characteristics"],
    basis="catalog",
    failing="""
apiVersion: v1
kind: Pod
metadata: {name: trainer}
spec:
  nodeSelector:
    cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
    cloud.google.com/gke-tpu-topology: 2x2
  containers:
    - name: left
      image: trainer
      resources: {requests: {google.com/tpu: 2}, limits: {google.com/tpu: 2}}
    - name: right
      image: trainer
      resources: {requests: {google.com/tpu: 2}, limits: {google.com/tpu: 2}}
""",
    passing=tpu_pod(),
)
def several_containers_with_chips(context: ManifestContext) -> Iterable[Hit]:
    resource = context.catalog.kubernetes.pods.resource.name
    fact = context.catalog.kubernetes.workloads.containers
    for pod in context.tpu_pods:
        family = context.shape(pod).family
        if family is None:
            continue
        machines = [name for name, machine in family.generation.machine_types.items() if machine.family == family.name]
        most = 2 if any(name in fact.split_machine_types for name in machines) else 1
        with_chips = [container for container in pod.containers() if _has_chips(container, resource)]
        if len(with_chips) > most:
            place = pod.hit_path(with_chips[most].amount_path("limits", resource))
            yield Hit(
                place,
                f"{number(len(with_chips), 'container')} of a pod request chips, and a host of "
                f"{family.generation_name} gives chips to {number(most, 'container')}",
                fact=fact.for_item("split_machine_types" if most > 1 else "one"),
            )


def _has_chips(container: Container, resource: str) -> bool:
    return any((parse_quantity(container.amount(kind, resource)) or 0) > 0 for kind in ("limits", "requests"))


@rule(
    "TPU730",
    "resource-of-another-accelerator",
    title="Resource that TPU nodes do not have",
    why="the chips of a TPU node are the resource `google.com/tpu`; a pod that requests another resource stays Pending",
    fix="Request `google.com/tpu`.",
    references=["about-tpus", "device-plugin"],
    basis="catalog",
    failing="""
apiVersion: v1
kind: Pod
metadata: {name: trainer}
spec:
  containers:
    - name: jax
      image: trainer
      resources: {limits: {cloud-tpus.google.com/v3: 8}}
""",
    passing=tpu_pod(),
)
def resource_of_another_accelerator(context: ManifestContext) -> Iterable[Hit]:
    fact = context.catalog.kubernetes.pods.resource
    on_tpus = {id(pod) for pod in context.tpu_pods}
    for pod in context.pods:
        for container, kind, name in _resources(pod):
            if any(fnmatch.fnmatchcase(name, pattern) for pattern in fact.former):
                reason, weight = "it belonged to the TPU Node architecture", fact
            elif any(fnmatch.fnmatchcase(name, pattern) for pattern in fact.misspelt):
                reason, weight = f"the resource of chips is {fact.name}", fact.for_item("misspelt")
            elif name in fact.gpus and id(pod) in on_tpus:
                reason, weight = "TPU nodes have no GPUs", fact
            else:
                continue
            place = pod.hit_path((*container.path, "resources", kind, name))
            message = f"container {quoted(container.name)} requests {quoted(name)}: {reason}"
            yield Hit(place, message, fact=weight, given=name, allowed=(fact.name,))


def _resources(pod: PodTemplate) -> Iterator[tuple[Container, str, str]]:
    """Every container with the first place of each resource that it requests."""
    for container in pod.containers(init=True):
        found: dict[str, str] = {}
        for kind in ("limits", "requests"):
            for name in mapping(mapping(container.data.get("resources")).get(kind)):
                found.setdefault(name, kind)
        yield from ((container, kind, name) for name, kind in found.items())
