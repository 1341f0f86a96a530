"""The nodes that an upgrade of a node pool adds."""

from pulumi_gke_tpu.core.fleet import SliceGroup
from pulumi_gke_tpu.core.fleet.settings import upgrade_settings


def added_hosts(group: SliceGroup) -> int:
    """The most hosts that an upgrade adds to a group, until it deletes the old ones.

    ``max_surge`` is per zone. A blue-green upgrade creates a second set of nodes. GKE re-creates multi-host slices in
    place, and never replaces flex-start and queued nodes. What it adds on Autopilot is unknown; it is not counted.
    """
    if not group.pools or group.shape.multi_host:
        return 0
    upgrade, most = upgrade_settings(group), group.hosts.maximum
    if upgrade.strategy.value == "surge":
        return min(upgrade.max_surge.value * max(len(group.zones), 1), most)
    return most if upgrade.strategy.value == "blue_green" else 0
