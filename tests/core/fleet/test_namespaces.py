"""The namespaces of queues and workloads."""

import yaml

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.fleet import derive
from pulumi_gke_tpu.core.fleet.workloads import kubernetes_objects
from pulumi_gke_tpu.core.plan import parse_plan

PLAN = """
version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    location: us-east5
    slices: {pretrain: {tpu: v6e, topology: 4x4, zone: us-east5-b}}
    kubernetes:
      namespace: shared
      queues: {research: {namespace: research}, serving: {}}
      workloads:
        a: {slices: pretrain, image: a, queue: research}
        b: {slices: pretrain, image: b, queue: serving}
        c: {slices: pretrain, image: c, queue: unknown}
        d: {slices: pretrain, image: d}
"""


def test_a_workload_is_in_the_namespace_of_its_queue() -> None:
    """Kueue ignores a workload whose namespace does not have the queue: its Pods never start."""
    document = parse_plan(yaml.safe_load(PLAN))
    assert document.content is not None, document.findings
    objects = kubernetes_objects(derive(document.content, read_catalog()).clusters[0])
    assert objects is not None
    places = {workload.name: workload.namespace for workload in objects.workloads}
    assert places == {"a": "research", "b": "shared", "c": "shared", "d": "shared"}
