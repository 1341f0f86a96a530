"""The Kubernetes labels of nodes that GKE acts on and that keys of a slice group set."""

from dataclasses import dataclass

from pulumi_gke_tpu.plan import SliceGroup

COLLECTION_LABEL = "cloud.google.com/gke-nodepool-group-name"
WORKLOAD_LABEL = "cloud.google.com/gke-workload-type"
DRA_LABEL = "cloud.google.com/gke-tpu-dra-driver"
_QUEUED_LABEL = "cloud.google.com/gke-queued"
_PROFILE_LABEL = "cloud.google.com/gke-networking-dra-driver"
_ON = "true"


@dataclass(frozen=True, slots=True)
class KeyLabel:
    """A label that a key sets: the name of the key, and the value of the label."""

    key: str
    value: str


def labels_of_keys(group: SliceGroup) -> dict[str, KeyLabel]:
    """The labels that the keys of a group set, other than ``node_labels``, by label key."""
    labels: dict[str, KeyLabel] = {}
    if group.collection is not None:
        labels[COLLECTION_LABEL] = KeyLabel("collection", group.collection.name)
        labels[WORKLOAD_LABEL] = KeyLabel("collection", group.collection.workload.upper())
    if group.capacity.is_queued:
        labels[_QUEUED_LABEL] = KeyLabel("capacity", _ON)  # GKE adds only the taint
    if group.network_profile is not None:
        labels[_PROFILE_LABEL] = KeyLabel("network_profile", _ON)
    if group.driver_mode == "dynamic_resource_allocation":
        labels[DRA_LABEL] = KeyLabel("driver_mode", _ON)
    return labels


def uses_dynamic_allocation(group: SliceGroup) -> bool:
    """Whether the DRA driver manages the TPUs of a group, by ``driver_mode`` or by its label in ``node_labels``."""
    return DRA_LABEL in labels_of_keys(group) or group.node_labels.get(DRA_LABEL) == _ON
