"""The node labels that keys of a slice group set."""

from pulumi_gke_tpu.catalog.records.platform import NodeLabels
from pulumi_gke_tpu.frozen import frozen
from pulumi_gke_tpu.plan import SliceGroup

_ON = "true"


@frozen
class KeyLabel:
    """A label that a key sets: the name of the key, and the value of the label."""

    key: str
    value: str


def labels_of_keys(group: SliceGroup, known: NodeLabels) -> dict[str, KeyLabel]:
    """The labels that the keys of a group set, other than ``node_labels``, by label key."""
    labels: dict[str, KeyLabel] = {}
    if group.collection is not None:
        labels[known.collection] = KeyLabel("collection", group.collection.name)
        labels[known.workload] = KeyLabel("collection", group.collection.workload.upper())
    if group.capacity.is_queued:
        labels[known.queued] = KeyLabel("capacity", _ON)  # GKE adds only the taint
    if group.network_profile is not None:
        labels[known.network_dra_driver] = KeyLabel("network_profile", _ON)
    if group.driver_mode == "dynamic_resource_allocation":
        labels[known.tpu_dra_driver] = KeyLabel("driver_mode", _ON)
    return labels


def uses_dynamic_allocation(group: SliceGroup, known: NodeLabels) -> bool:
    """Whether the DRA driver manages the TPUs of a group, by ``driver_mode`` or by its label in ``node_labels``."""
    driver = known.tpu_dra_driver
    return driver in labels_of_keys(group, known) or group.node_labels.get(driver) == _ON
