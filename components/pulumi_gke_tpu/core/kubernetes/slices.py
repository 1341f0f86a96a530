"""Slices of partitions that a plan names, for clusters without Kueue."""

from collections.abc import Iterator

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet.workloads import Workload
from pulumi_gke_tpu.core.kinds.manifest import Manifest, manifest


def slices(workload: Workload, catalog: Catalog) -> Iterator[Manifest]:
    """The Slices of a workload; with a queue, the slice controller makes them."""
    kind, shape = catalog.kubernetes.kinds.objects["slice"], workload.shape
    for name, partitions in zip(workload.slice_names, workload.plan.partitions, strict=False):
        spec = {"type": shape.accelerator_label, "topology": str(shape.topology), "partitionIds": list(partitions)}
        yield manifest("workloads", kind, name, (*workload.path, "partitions"), {"spec": spec})
