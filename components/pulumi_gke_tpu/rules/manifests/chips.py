"""The chips that containers request: TPU724."""

from collections.abc import Iterable

from pulumi_gke_tpu.findings import quoted
from pulumi_gke_tpu.kubernetes.objects import Container, PodTemplate, is_open
from pulumi_gke_tpu.kubernetes.objects.quantity import parse_quantity
from pulumi_gke_tpu.rules.engine.hit import Hit
from pulumi_gke_tpu.rules.engine.manifests import ManifestContext
from pulumi_gke_tpu.rules.engine.rule import Scope, rule


@rule(
    "TPU724",
    "tpu-request-differs-from-limit",
    scope=Scope.MANIFESTS,
    since="0.1",
    title="Request of chips without an equal limit",
    why="Kubernetes does not overcommit extended resources: the API server rejects a request without an equal limit",
    fix="Set `requests` and `limits` to the same number of chips, or set `limits` only.",
    references=["about-tpus"],
    source="Kubernetes: the validation of extended resources requires a limit that equals the request",
    basis="format",
    failing="""
apiVersion: v1
kind: Pod
metadata: {name: trainer}
spec:
  nodeSelector:
    cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
    cloud.google.com/gke-tpu-topology: 2x2
  containers:
    - name: jax
      image: trainer
      resources: {requests: {google.com/tpu: 4}}
""",
    passing="""
apiVersion: v1
kind: Pod
metadata: {name: trainer}
spec:
  nodeSelector:
    cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
    cloud.google.com/gke-tpu-topology: 2x2
  containers:
    - name: jax
      image: trainer
      resources: {requests: {google.com/tpu: 4}, limits: {google.com/tpu: 4}}
""",
)
def tpu_request_differs_from_limit(context: ManifestContext) -> Iterable[Hit]:
    resource = context.catalog.kubernetes.pods.resource.name
    for pod in context.tpu_pods:
        for container in pod.containers(init=True):
            yield from _unequal(pod, container, resource)


def _unequal(pod: PodTemplate, container: Container, resource: str) -> Iterable[Hit]:
    request, limit = container.amount("requests", resource), container.amount("limits", resource)
    if request is None or is_open(request) or is_open(limit) or container.open_resources:
        return
    place = pod.hit_path(container.amount_path("requests", resource))
    fix = f"limits: {{{resource}: {request}}}" if parse_quantity(request) is not None else ""
    if limit is None:
        yield Hit.missing(place, f"limit of {resource} in container {quoted(container.name)}", fix=fix)
    elif parse_quantity(request) != parse_quantity(limit):
        amounts = f"requests {quoted(request)} of {resource}, and its limit is {quoted(limit)}"
        yield Hit(place, f"container {quoted(container.name)} {amounts}", fix=fix)
