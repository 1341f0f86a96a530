"""Expands the examples of rules into whole plans and inventories.

An example is a whole plan (it has ``version:``, or no key at all), a cluster body (it has ``mode:``), or the body of
a group. The last two become part of a Standard cluster ``train`` in us-east5; the group is named ``pretrain`` and is
in us-east5-b unless it sets a zone. If a rule checks more than one file, a line ``--- plan`` begins another plan, and a
line ``--- inventory`` the inventory, which may omit ``version:`` and ``as_of:``. A line ``--- organization`` begins the
organization file, which omits ``version:``.

The example of a rule about Kubernetes manifests is one file of manifests; a line ``--- plan`` begins the plan, and a
line ``--- standard`` or ``--- autopilot`` states the mode of the cluster.
"""

import textwrap
from typing import Literal

from pulumi_gke_tpu.core.frozen import frozen

_PLAN = "version: 1\nproject: acme-ml\nclusters:\n  train:\n{body}"
_CLUSTER = "mode: standard\nlocation: us-east5\nslices:\n  pretrain:\n{body}"
_GROUPS = "version: 1\nproject: acme-ml\nclusters:\n  train:\n    mode: standard\n    location: us-east5\n    slices:\n"
_PLAN_LINE = "--- plan"
_MODES: tuple[Literal["standard", "autopilot"], ...] = ("standard", "autopilot")
_MODE_LINES = tuple(f"--- {mode}" for mode in _MODES)
_INVENTORY = "version: 1\nas_of: 2026-11-20\n"

RESERVED = "tpu: v6e\ntopology: 8x8\ncapacity: {reservation: v6e-pretrain}"
"""The body of a group in reserved capacity, which is protected."""

RESERVED_MAIN = "main: {tpu: v6e, topology: 8x8, zone: us-east5-b, capacity: {reservation: v6e-pretrain}}"
"""The same with its key, for a plan."""

OTHER = "other: {tpu: v6e, topology: 2x2, zone: us-east5-b}"
"""A group beside it."""

TWO_SLICES = "main: {tpu: v6e, topology: 4x4, zone: us-east5-b, count: 2}"
"""A group of two slices with four hosts each."""

CUBES = """
mode: standard
location: us-central1
network: {create: {mtu: 8896}}
slices:
  cubes:
    tpu: tpu7x
    slicing: dynamic
    count: 4
    zone: us-central1-c
    capacity: {reservation: {name: ironwood, block: block-1}}
"""
"""A cluster with four cubes."""

SPOT = "{tpu: v6e, topology: 4x4, zone: us-east5-b, capacity: spot}"
"""A group without its key."""


_POD = """
apiVersion: v1
kind: Pod
metadata: {{name: trainer}}
spec:
{spec}  nodeSelector:
    cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
    cloud.google.com/gke-tpu-topology: {topology}
{selector}  containers:
    - name: jax
      image: trainer
{container}      resources: {{requests: {{google.com/tpu: {chips}}}, limits: {{google.com/tpu: {chips}}}}}
"""
_JOB = """
apiVersion: batch/v1
kind: Job
metadata: {{name: trainer}}
spec:
{job}  backoffLimit: 0
  template:
    spec:
{pod}      restartPolicy: Never
      nodeSelector:
        cloud.google.com/gke-nodepool: pretrain
        cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
        cloud.google.com/gke-tpu-topology: 4x4
{selector}      containers:
        - name: jax
          image: trainer
          resources: {{requests: {{google.com/tpu: 4}}, limits: {{google.com/tpu: 4}}}}
"""
_SERVER = """
apiVersion: apps/v1
kind: Deployment
metadata: {{name: serve}}
spec:
{spec}  selector: {{matchLabels: {{app: serve}}}}
  template:
    metadata: {{labels: {{app: serve}}}}
    spec:
      nodeSelector: {{cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, cloud.google.com/gke-tpu-topology: 2x2}}
      containers:
        - name: server
          image: server
{container}          resources: {{requests: {{google.com/tpu: 4}}, limits: {{google.com/tpu: 4}}}}
"""
QUEUED_REQUEST = """
apiVersion: v1
kind: PodTemplate
metadata: {name: train}
template:
  spec:
    restartPolicy: Never
    nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, cloud.google.com/gke-tpu-topology: 4x4}
    tolerations: [{key: cloud.google.com/gke-queued, operator: Exists, effect: NoSchedule}]
    containers:
      - name: jax
        image: trainer
        resources: {requests: {google.com/tpu: 4}, limits: {google.com/tpu: 4}}
---
apiVersion: autoscaling.x-k8s.io/v1
kind: ProvisioningRequest
metadata: {name: train}
spec:
  provisioningClassName: queued-provisioning.gke.io
  podSets: [{count: 4, podTemplateRef: {name: train}}]
"""
"""A ProvisioningRequest for a slice of four hosts."""
INDEXED = "completionMode: Indexed\nparallelism: 4\ncompletions: 4"
"""The counts of a Job on a slice of four hosts."""


OPERATOR = """
apiVersion: apps/v1
kind: Deployment
metadata: {{name: controller-manager, namespace: system}}
spec:
  selector: {{matchLabels: {{app: controller}}}}
  template:
    metadata: {{labels: {{app: controller}}}}
    spec:
      containers: [{{name: manager, image: "{image}"}}]
"""
"""A controller with an image, for ``format``."""


def tpu_pod(*, spec: str = "", selector: str = "", container: str = "", topology: str = "2x2", chips: int = 4) -> str:
    """A Pod on a slice of one host, with more keys of its specification, node selector and container."""
    parts = {"spec": _indented(spec, 2), "selector": _indented(selector, 4), "container": _indented(container, 6)}
    return _POD.format(topology=topology, chips=chips, **parts)


def tpu_job(*, job: str = INDEXED, pod: str = "", selector: str = "") -> str:
    """A Job on a slice of four hosts in a named pool, with these keys of the Job, its Pods and their node selector."""
    pod = pod if "subdomain" in pod else f"subdomain: trainer\n{pod}"
    return _JOB.format(job=_indented(job, 2), pod=_indented(pod, 6), selector=_indented(selector, 8))


def tpu_server(*, spec: str = "", container: str = "") -> str:
    """A Deployment on slices of one host, with more keys of its specification and of its container."""
    return _SERVER.format(spec=_indented(spec, 2), container=_indented(container, 10))


def _indented(text: str, spaces: int) -> str:
    return textwrap.indent(text.strip("\n") + "\n", " " * spaces) if text else ""


def plan_of(*groups: str) -> str:
    """A whole plan of one cluster, for examples with more than one group, or with keys beside the clusters."""
    return _GROUPS + "".join(f"      {group}\n" for group in groups)


@frozen
class ExampleFiles:
    """The files of an example, as YAML text."""

    plans: tuple[str, ...]
    inventory: str | None = None
    organization: str | None = None


def files_of(example: str) -> ExampleFiles:
    """The whole files that an example stands for."""
    plans: list[list[str]] = [[]]
    inventory: list[str] | None = None
    organization: list[str] | None = None
    part = plans[0]
    for line in example.splitlines():
        if line == _PLAN_LINE:
            plans.append(part := [])
        elif line == "--- inventory":
            inventory = part = []
        elif line == "--- organization":
            organization = part = []
        else:
            part.append(line)
    return ExampleFiles(
        tuple(whole_plan("\n".join(lines)) for lines in plans),
        None if inventory is None else whole_inventory("\n".join(inventory)),
        None if organization is None else "version: 1\n" + "\n".join(organization),
    )


@frozen
class ManifestFiles:
    """The files of an example of a rule about manifests, as YAML text, and the mode of the cluster, if it matters."""

    manifests: str
    plan: str | None = None
    mode: Literal["standard", "autopilot"] | None = None


def manifest_files_of(example: str) -> ManifestFiles:
    """The whole files that an example of a rule about manifests stands for."""
    lines = example.splitlines()
    modes = [mode for mode in _MODES if f"--- {mode}" in lines]
    kept = [line for line in lines if line not in _MODE_LINES]
    at = kept.index(_PLAN_LINE) if _PLAN_LINE in kept else len(kept)
    plan = whole_plan("\n".join(kept[at + 1 :])) if at < len(kept) else None
    return ManifestFiles("\n".join(kept[:at]) + "\n", plan, modes[0] if modes else None)


def whole_plan(example: str) -> str:
    """The YAML text of the plan that an example stands for."""
    keys = _keys(example)
    if not keys or "version" in keys or "project" in keys:
        return example
    if "mode" not in keys:
        if not keys & {"zone", "zones"}:
            example += "\nzone: us-east5-b"
        example = _CLUSTER.format(body=textwrap.indent(example, "    "))
    return _PLAN.format(body=textwrap.indent(example, "    "))


def whole_inventory(example: str) -> str:
    """The YAML text of the inventory that an example stands for."""
    return example if "version" in _keys(example) else _INVENTORY + example


def _keys(example: str) -> set[str]:
    return {line.split(":")[0] for line in example.splitlines() if line[:1] not in (" ", "#", "")}
