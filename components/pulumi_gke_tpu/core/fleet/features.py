"""The GKE features that a slice group uses, by their names in the section ``versions`` of the catalog."""

from collections.abc import Iterator

from pulumi_gke_tpu.core.catalog.records.platform import NodeLabels
from pulumi_gke_tpu.core.fleet.model import SliceGroup
from pulumi_gke_tpu.core.fleet.scheduling import uses_dynamic_allocation
from pulumi_gke_tpu.core.fleet.settings import upgrade_settings


def features_of(group: SliceGroup, labels: NodeLabels) -> Iterator[str]:
    """The names of the features; the catalog does not have an entry for each."""
    plan = group.plan
    yield from _of_slices(group)
    if "flex_start" in group.capacity_modes:
        yield "flex_start"
    if group.compute_class is not None:
        yield "compute_class"
        yield f"auto_creation_{group.shape.generation}"
        if plan.collection is not None:
            yield "collections_compute_class"
        if upgrade_settings(group).auto_repair.written:
            yield "compute_class_auto_repair"
    if plan.capacity.is_queued:
        yield "queued_provisioning"
    if plan.collection is not None:
        yield "collections"
    if plan.network_profile is not None:
        yield "accelerator_network_profile"
    if uses_dynamic_allocation(plan, labels):
        yield "tpu_dra_driver"


def _of_slices(group: SliceGroup) -> Iterator[str]:
    if group.dynamic and group.pools:
        yield "dynamic_super_slicing"
    if group.autoscaled:
        yield f"autoscaling_{group.shape.generation}"
