"""Disks in one zone for pods on slices in several: TPU326."""

from collections.abc import Iterable, Sequence

from pulumi_gke_tpu.core.fleet import SliceGroup
from pulumi_gke_tpu.core.rules.engine.examples import plan_of
from pulumi_gke_tpu.core.rules.engine.rule import Hit, warning
from pulumi_gke_tpu.core.text.findings import listed, number, quoted
from pulumi_gke_tpu.features.check.context import ManifestContext
from pulumi_gke_tpu.features.check.volumes import Volumes

_SERVER = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: serve}
spec:
  replicas: 4
  strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}
  selector: {matchLabels: {app: serve}}
  template:
    metadata: {labels: {app: serve}}
    spec:
      nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, cloud.google.com/gke-tpu-topology: 2x2}
      tolerations: [{key: google.com/tpu, operator: Exists, effect: NoSchedule}]
      containers:
        - name: server
          image: server
          resources: {requests: {google.com/tpu: 4}, limits: {google.com/tpu: 4}}
      volumes: [{name: data, persistentVolumeClaim: {claimName: data, readOnly: true}}]
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec:
  accessModes: [ReadOnlyMany]
  storageClassName: data
  resources: {requests: {storage: 100Gi}}
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: data}
provisioner: pd.csi.storage.gke.io
volumeBindingMode: WaitForFirstConsumer
parameters: {type: hyperdisk-ml}
--- plan
"""
_GROUP = "serve: {tpu: v6e, topology: 2x2, count: 4, zones: [ZONES]}"


@warning(
    "TPU326",
    title="Claim in one zone, Pods in several",
    why="a disk attaches only to nodes of its zone. Pods that only fit on nodes of other zones stay Pending",
    fix="Use a slice group with one zone, or a workload and a claim for each zone.",
    references=["gke-hyperdisk", "gke-volume-populator"],
    failing=_SERVER.strip("\n") + "\n" + plan_of(_GROUP.replace("ZONES", "us-east5-a, us-east5-b")),
    passing=_SERVER.strip("\n") + "\n" + plan_of(_GROUP.replace("ZONES", "us-east5-b")),
)
def claim_in_one_of_several_zones(context: ManifestContext) -> Iterable[Hit]:
    """Only for groups without autoscaling, which has nodes where their pods need them."""
    storage, zone_label = context.catalog.kubernetes.storage, context.catalog.kubernetes.pods.host_name.zone_label
    volumes = Volumes(context.objects, storage)
    for pod in context.tpu_pods if context.groups else ():
        if pod.is_open or pod.pods is None or pod.groups is None or pod.selection(zone_label) is not None:
            continue
        disks = [disk for disk in volumes.disks_of(pod) if disk.type and not disk.own]
        served = context.groups.serving(pod, context.shape(pod)).groups if disks else ()
        hosts = _hosts_by_zone([group for _, group in served])
        needed, most = pod.pods * pod.groups, max(hosts.values(), default=0)
        for disk in disks if most < needed <= sum(hosts.values()) else ():
            message = (
                f"{number(needed, 'Pod')} of {pod.owner.title} share the claim {quoted(disk.name)}, whose disk is in "
                f"one of {listed(sorted(hosts))}, and the plan has {number(most, 'host')} for them in one zone"
            )
            yield Hit(disk.path, message, fact=storage.classes)


def _hosts_by_zone(groups: Sequence[SliceGroup]) -> dict[str, int]:
    """The hosts of slice groups in each zone; empty if the autoscaler or GKE decides where they are."""
    if any(group.autoscaled or not group.pools or not group.zones for group in groups):
        return {}
    hosts: dict[str, int] = {}
    for group in groups:
        for zone in group.zones:
            hosts[zone] = hosts.get(zone, 0) + group.slices.maximum * group.shape.hosts // len(group.zones)
    return hosts
