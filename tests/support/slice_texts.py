"""A LeaderWorkerSet whose Pods select slices."""

LEADER = """
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata:
  name: serve
  annotations: {leaderworkerset.sigs.k8s.io/exclusive-topology: cloud.google.com/gke-nodepool}
spec:
  leaderWorkerTemplate:
    size: 4
    leaderTemplate: {spec: {nodeSelector: LEADER, containers: CONTAINERS}}
    workerTemplate: {spec: {nodeSelector: WORKERS, containers: CONTAINERS}}
"""

CONTAINERS = "[{name: a, image: a, resources: {requests: {google.com/tpu: 4}, limits: {google.com/tpu: 4}}}]"


def selector(topology: str) -> str:
    return f"{{cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, cloud.google.com/gke-tpu-topology: {topology}}}"
