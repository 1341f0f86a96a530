"""Parts of the examples of these rules: whole workloads, so that an example breaks its own rule only."""

import textwrap

_POD = """
nodeSelector: {{cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, cloud.google.com/gke-tpu-topology: {topology}}}
tolerations: [{{key: google.com/tpu, operator: Exists, effect: NoSchedule}}]
containers:
  - name: train
    image: train
    resources: {{requests: {{google.com/tpu: 4}}, limits: {{google.com/tpu: 4}}}}
"""
_HEAD = """
containers:
  - name: head
    image: head
    resources: {requests: {cpu: 4, memory: 16Gi}}
"""
_JOB_SET = """
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata:
  name: train
  annotations: {{alpha.jobset.sigs.k8s.io/exclusive-topology: cloud.google.com/gke-nodepool}}{labels}
spec:
  failurePolicy: {{maxRestarts: 3}}
  replicatedJobs:
    - name: slice
      replicas: 1
      template:
        spec:
          parallelism: 4
          completions: 4
          backoffLimit: 0
          podFailurePolicy: {{rules: [{{action: FailJob, onPodConditions: [{{type: DisruptionTarget}}]}}]}}
          template:
            spec:
              restartPolicy: Never
"""
_RAY_CLUSTER = """
apiVersion: ray.io/v1
kind: RayCluster
metadata: {{name: tune{labels}}}
spec:
  headGroupSpec:
    rayStartParams: {{}}
    template:
      spec:
        containers: [{{name: head, image: ray, resources: {{requests: {{cpu: 4, memory: 16Gi}}}}}}]
  workerGroupSpecs:
    - groupName: tpu
      replicas: 1
      minReplicas: 0
      maxReplicas: 2
      rayStartParams: {{}}
      template:
        spec:
"""
_QUEUES = """
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: v6e}
spec:
  nodeLabels: {cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, cloud.google.com/gke-tpu-topology: 4x4}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: training}
spec:
  namespaceSelector: {}
  resourceGroups:
    - coveredResources: [google.com/tpu]
      flavors:
        - name: v6e
          resources: [{name: google.com/tpu, nominalQuota: 32}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: training}
spec: {clusterQueue: training}
"""
_COMPUTE_CLASS = """
apiVersion: cloud.google.com/v1
kind: ComputeClass
metadata: {name: v6e}
spec:
  whenUnsatisfiable: DoNotScaleUp
  nodePoolAutoCreation: {enabled: true}
  # specification
  priorities:
    - tpu: {type: tpu-v6e-slice, count: 4, topology: 4x4}
      # more
"""


def pod(indent: int, topology: str = "4x4") -> str:
    """The specification of a Pod with 4 chips of v6e, indented."""
    return textwrap.indent(_POD.format(topology=topology).lstrip("\n"), " " * indent)


def head(indent: int) -> str:
    """The specification of a Pod without chips, indented."""
    return textwrap.indent(_HEAD.lstrip("\n"), " " * indent)


def job_set(queue: str = "") -> str:
    """A JobSet whose Jobs are slices of four hosts."""
    labels = f"\n  labels: {{kueue.x-k8s.io/queue-name: {queue}}}" if queue else ""
    return _JOB_SET.format(labels=labels) + pod(14)


def ray_cluster(queue: str = "") -> str:
    """A Ray cluster with a group of single hosts."""
    labels = f", labels: {{kueue.x-k8s.io/queue-name: {queue}}}" if queue else ""
    return _RAY_CLUSTER.format(labels=labels) + pod(10, "2x2")


def queues() -> str:
    """A flavor of v6e slices of four hosts, and a queue for two of them."""
    return _QUEUES


def compute_class(*priorities: str, spec: str = "") -> str:
    """A ComputeClass of v6e slices of four hosts, with more lines of its specification and of each priority."""
    before, _, priority = _COMPUTE_CLASS.replace("  # specification\n", _lines(spec, 2)).partition("    - tpu")
    return before + "".join(
        ("    - tpu" + priority).replace("      # more\n", _lines(more, 6)) for more in priorities or ("",)
    )


def _lines(text: str, indent: int) -> str:
    return textwrap.indent(text + "\n", " " * indent) if text else ""


def changed(example: str, *changes: tuple[str, str]) -> str:
    """An example with texts replaced, each of which occurs in it."""
    for old, new in changes:
        if old not in example:
            raise ValueError(f"the example does not contain {old!r}")
        example = example.replace(old, new)
    return example
