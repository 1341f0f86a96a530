"""The node labels that keys of a slice group set, and those with which its workloads select nodes."""

from pulumi_gke_tpu.core.catalog.records.platform import CapacityLabels, NodeLabels
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan import Capacity, SliceGroupSpec

_ON = "true"
_SPECIFIC = "specific"


@frozen
class KeyLabel:
    """A label that a key sets: the name of the key, and the value of the label."""

    key: str
    value: str


def labels_of_keys(group: SliceGroupSpec, known: NodeLabels) -> dict[str, KeyLabel]:
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


def capacity_selector(capacity: Capacity, known: CapacityLabels) -> dict[str, str]:
    """The labels that a Pod selects on Autopilot to get the capacity of its group; empty for on-demand capacity.

    Autopilot has no node pools that could fix the capacity: GKE creates on-demand nodes for a Pod without these labels.
    """
    if capacity.spot:
        return {known.spot: _ON}
    if capacity.flex_start is not None:
        return {known.flex_start: _ON}
    reservation = capacity.reservation
    if reservation is None:
        return {}
    labels = {
        known.reservation: reservation.name,
        known.reservation_project: reservation.project,
        known.reservation_affinity: _SPECIFIC,
        known.reservation_block: reservation.block,
        known.reservation_sub_block: reservation.sub_block,
    }
    return {label: value for label, value in labels.items() if value is not None}


def uses_dynamic_allocation(group: SliceGroupSpec, known: NodeLabels) -> bool:
    """Whether the DRA driver manages the TPUs of a group, by ``driver_mode`` or by its label in ``node_labels``."""
    driver = known.tpu_dra_driver
    return driver in labels_of_keys(group, known) or group.node_labels.get(driver) == _ON
