"""Every rule, in the order of its id."""

from pulumi_gke_tpu.rules import (
    access,
    addons,
    autopilot,
    autoprovisioning,
    capacity,
    cluster,
    fleet_wide,
    identities,
    interfaces,
    inventory,
    moves,
    network,
    place,
    placement,
    policy,
    reading,
    reserved,
    scaling,
    slices,
    upgrade,
    versions,
    zones,
)
from pulumi_gke_tpu.rules.rule import Rule

_MODULES = (
    access,
    addons,
    autopilot,
    autoprovisioning,
    capacity,
    cluster,
    fleet_wide,
    identities,
    interfaces,
    inventory,
    moves,
    network,
    place,
    placement,
    policy,
    reading,
    reserved,
    scaling,
    slices,
    upgrade,
    versions,
    zones,
)

RULES: tuple[Rule, ...] = tuple(
    sorted((rule for module in _MODULES for rule in module.RULES), key=lambda rule: rule.id)
)
