"""The nodes that an upgrade of a node pool adds."""

from pulumi_gke_tpu.fleet import SliceGroup


def added_hosts(group: SliceGroup) -> int:
    """The most hosts that an upgrade adds to a group, until it deletes the old ones.

    ``max_surge`` is per zone. A blue-green upgrade creates a second set of nodes. GKE re-creates multi-host slices in
    place. Rules reject an upgrade strategy for flex-start and queued capacity, whose nodes GKE never replaces. What it
    adds on Autopilot is unknown; it is not counted.
    """
    upgrade = group.plan.upgrade
    if upgrade is None or not group.pools or group.shape.multi_host:
        return 0
    most = group.hosts.maximum
    if upgrade.strategy == "blue_green":
        return most
    return min((upgrade.max_surge or 0) * max(len(group.zones), 1), most)
