"""All objects of a cluster: each concern once, in the order in which the objects are created."""

from typing import get_args

from support.rendered import STANDARD, cluster_of

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.kinds.manifest import Concern
from pulumi_gke_tpu.core.kubernetes.fleet import manifests

GROUP = "slices: {pretrain: {tpu: v6e, topology: 2x2, zone: us-east5-b, fallback: [spot]}}\n"
KUBERNETES = """
kubernetes:
  namespace: research
  queues: {research: {}}
  priority_classes: {urgent: {value: 10}}
  workloads:
    train:
      slices: pretrain
      image: train
      queue: research
      volumes: {data: {mount: /data, disk: {type: hyperdisk-balanced, size_gib: 10}}}
"""


def kinds(text: str) -> list[tuple[str, str]]:
    return list(
        dict.fromkeys((item.concern, item.kind) for item in manifests(cluster_of(STANDARD + text), read_catalog()))
    )


def test_an_object_is_created_after_those_that_it_refers_to() -> None:
    found = kinds(GROUP + KUBERNETES)
    assert [pair for pair in found if pair[0] != "examples"] == [
        ("namespaces", "Namespace"),
        ("priority-classes", "PriorityClass"),
        ("priority-classes", "WorkloadPriorityClass"),
        ("compute-classes", "ComputeClass"),
        ("storage", "StorageClass"),
        ("storage", "PersistentVolumeClaim"),
        ("queues", "ResourceFlavor"),
        ("queues", "ClusterQueue"),
        ("queues", "LocalQueue"),
        ("workloads", "Job"),
    ]
    assert sorted(found, key=lambda pair: get_args(Concern).index(pair[0])) == found


def test_a_class_needs_no_key_but_fallback() -> None:
    assert kinds(GROUP) == [("compute-classes", "ComputeClass")]
