"""Updates that need more slices than the plan has: TPU397."""

from collections.abc import Iterable

from pulumi_gke_tpu.core.kinds import kind_of
from pulumi_gke_tpu.core.kinds.kind import RollingUpdate
from pulumi_gke_tpu.core.objects import PodTemplate
from pulumi_gke_tpu.core.objects.document import mapping
from pulumi_gke_tpu.core.rules.engine.examples import OTHER, plan_of
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule
from pulumi_gke_tpu.core.text.findings import Path, Severity, number
from pulumi_gke_tpu.core.text.formats.property_path import value_at
from pulumi_gke_tpu.features.check.context import ManifestContext
from pulumi_gke_tpu.features.check.rules.alignment.sizes import slices_needed

_SERVER = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: serve}
spec:
  replicas: 1
  strategy: {rollingUpdate: {maxSurge: SURGE, maxUnavailable: 1}}
  selector: {matchLabels: {app: serve}}
  template:
    metadata: {labels: {app: serve}}
    spec:
      nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, cloud.google.com/gke-tpu-topology: 2x2}
      containers:
        - name: server
          image: server
          resources: {requests: {google.com/tpu: 4}, limits: {google.com/tpu: 4}}
--- plan
"""


@rule(
    "TPU397",
    "update-without-spare-slice",
    severity=Severity.WARNING,
    title="Update that needs more slices than the plan has",
    why="an update with `maxSurge` creates new Pods before it deletes old ones. Without a spare slice, the new Pods "
    "stay Pending. If `maxUnavailable` is 0, the update never ends: a Deployment rounds its default of 25% down to 0 "
    "for 3 replicas and fewer",
    fix="Set `maxSurge: 0` and `maxUnavailable: 1`, or add a slice to the plan.",
    references=["lws-api", "kubernetes-api-server"],
    source="gke-tpu: the slices of a group follow from the plan",
    failing=_SERVER.replace("SURGE", "1").replace("maxUnavailable: 1", "maxUnavailable: 0").strip("\n")
    + "\n"
    + plan_of(OTHER),
    passing=_SERVER.replace("SURGE", "0").strip("\n") + "\n" + plan_of(OTHER),
)
def update_without_spare_slice(context: ManifestContext) -> Iterable[Hit]:
    for pod in context.tpu_pods if context.groups else ():
        surge = _additional(pod)
        shape, needed = context.shape(pod), slices_needed(context, pod)
        if not surge or not needed or pod.is_open or shape.dynamic or not shape.chips:
            continue
        served = context.groups.serving(pod, shape)
        if served.groups and not served.unlimited and needed <= served.slices < needed + surge:
            message = (
                f"an update of {pod.owner.title} needs {number(needed + surge, 'slice')}, and {served.names} has "
                f"{served.slices:,} at most"
            )
            yield Hit(pod.hit_path(_place(pod)), message)


def _additional(pod: PodTemplate) -> int:
    """The replicas that an update adds: of a Deployment, only if it waits for them before it deletes others."""
    update = _update(pod)
    if update is None or mapping(pod.owner.spec.get("strategy")).get("type") == "Recreate":
        return 0
    replicas = pod.groups if update.of == "groups" else pod.pods
    if not replicas:
        return 0
    limits = mapping(value_at(pod.owner.data, update.path))
    surge = limits.get("maxSurge", update.surge)
    unavailable = limits.get("maxUnavailable", update.unavailable)
    waits = update.always_waits or _replicas(unavailable, replicas, up=False) == 0
    return (_replicas(surge, replicas, up=True) or 0) if waits else 0


def _update(pod: PodTemplate) -> RollingUpdate | None:
    kind = kind_of(pod.owner)
    return kind.rolling_update if kind is not None else None


def _replicas(limit: object, replicas: int, *, up: bool) -> int | None:
    """A limit of an update in replicas: a number, or a percentage, which Kubernetes rounds; None for anything else."""
    written = str(limit).removesuffix("%")
    if not written.isascii() or not written.isdecimal():
        return None
    amount = int(written[:9])
    return amount if written == str(limit) else -(-amount * replicas // 100) if up else amount * replicas // 100


def _place(pod: PodTemplate) -> Path:
    """The innermost mapping on the way to `maxSurge` that the object has."""
    update = _update(pod)
    whole = (*update.path, "maxSurge") if update is not None else ("spec",)
    ends = range(len(whole), 0, -1)
    return next(whole[:end] for end in ends if value_at(pod.owner.data, whole[:end]) is not None)
