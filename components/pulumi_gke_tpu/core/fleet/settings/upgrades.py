"""Upgrades and repair of the nodes of a slice group."""

from typing import Literal

from pulumi_gke_tpu.core.fleet.model import SliceGroup
from pulumi_gke_tpu.core.fleet.settings.derived import DEFAULT, FROM_PLAN, Derived, written_or
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan.capacity import SHORT_LIVED
from pulumi_gke_tpu.core.plan.upgrades import BlueGreen, Upgrade

Strategy = Literal["surge", "blue_green", "short_lived"]
"""short_lived: GKE never replaces running nodes."""


@frozen
class UpgradeSettings:
    """Upgrades and repair of a group's nodes. On Autopilot, where rules reject the key, they have no effect."""

    strategy: Derived[Strategy | None]
    """None if the ComputeClass that serves the group leaves it to GKE."""
    max_surge: Derived[int]
    """Of the strategy surge, as ``max_unavailable``."""
    max_unavailable: Derived[int]
    blue_green: BlueGreen
    """Of the strategy blue_green; GKE decides what the plan does not set."""
    auto_repair: Derived[bool | None]
    """None if GKE decides, as ``auto_upgrade``: only for a group that a ComputeClass serves."""
    auto_upgrade: Derived[bool | None]
    short_lived: bool
    """Whether GKE replaces no running node, in whichever capacity mode it creates the nodes."""

    @property
    def upgrades_running_nodes(self) -> bool:
        """Whether GKE upgrades running nodes automatically."""
        return not self.short_lived and self.auto_upgrade.value is not False


def upgrade_settings(group: SliceGroup) -> UpgradeSettings:
    """The effective settings of a group."""
    written = group.plan.upgrade or Upgrade()
    short_lived = is_short_lived(group)
    surge, unavailable = _surge(written)
    return UpgradeSettings(
        strategy=_strategy(group, written, short_lived=short_lived),
        max_surge=surge,
        max_unavailable=unavailable,
        blue_green=written.blue_green or BlueGreen(),
        auto_repair=written_or(written.auto_repair, _auto_repair(group, short_lived=short_lived)),
        auto_upgrade=written_or(written.auto_upgrade, _auto_upgrade(group)),
        short_lived=short_lived,
    )


def is_short_lived(group: SliceGroup) -> bool:
    """Whether all nodes of a group are flex-start or queued nodes, which GKE does not upgrade while they run."""
    return SHORT_LIVED.issuperset(group.capacity_modes)


def _strategy(group: SliceGroup, written: Upgrade, *, short_lived: bool) -> Derived[Strategy | None]:
    if group.compute_class is not None:
        return Derived(None, "fact", _created_by(group))
    if short_lived:
        return Derived("short_lived", "fact", f"GKE sets the strategy of {group.plan.capacity.mode} node pools")
    if written.written("strategy"):
        return Derived(written.strategy, "plan", FROM_PLAN)
    return Derived(written.strategy, "default", DEFAULT)


def _surge(written: Upgrade) -> tuple[Derived[int], Derived[int]]:
    """The most additional and the most unavailable nodes: by default none and one, with additional nodes none."""
    if written.max_surge is None and written.max_unavailable is None:
        note = f"{DEFAULT}, which requires no additional capacity"
        return Derived(0, "default", note), Derived(1, "default", note)
    surge = written_or(written.max_surge, Derived(0, "default", DEFAULT))
    unavailable = Derived(0 if surge.value else 1, "default", DEFAULT)
    return surge, written_or(written.max_unavailable, unavailable)


def _auto_repair(group: SliceGroup, *, short_lived: bool) -> Derived[bool | None]:
    if group.compute_class is not None:
        return Derived(None, "fact", _created_by(group))
    if short_lived:
        return Derived(False, "capacity_mode", f"disabled by default with {group.plan.capacity.mode} capacity")
    return Derived(True, "default", DEFAULT)


def _auto_upgrade(group: SliceGroup) -> Derived[bool | None]:
    if group.compute_class is not None:
        return Derived(None, "fact", _created_by(group))
    return Derived(True, "default", DEFAULT)


def _created_by(group: SliceGroup) -> str:
    return f"ComputeClass {group.compute_class} creates the nodes"
