"""The nodes that an upgrade of a node pool adds."""

from pulumi_gke_tpu.fleet import SliceGroup

_WITHOUT_SURGE = ("flex_start", "queued")
"""Capacity modes of node pools whose running nodes GKE never replaces."""


def added_hosts(group: SliceGroup) -> int:
    """The most hosts that an upgrade adds to a group, until it deletes the old ones.

    ``max_surge`` is per zone. A blue-green upgrade creates a second set of nodes. GKE re-creates multi-host slices in
    place. What it adds on Autopilot is unknown; it is not counted.
    """
    upgrade = group.plan.upgrade
    if upgrade is None or not group.pools or group.shape.multi_host or group.plan.capacity.mode in _WITHOUT_SURGE:
        return 0
    most = group.hosts.maximum
    if upgrade.strategy == "blue_green":
        return most
    return min((upgrade.max_surge or 0) * max(len(group.zones), 1), most)
