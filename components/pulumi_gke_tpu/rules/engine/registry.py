"""Every rule, in the order of its id."""

from pulumi_gke_tpu.change.rules import files, transitions
from pulumi_gke_tpu.rules.capacity import modes as capacity
from pulumi_gke_tpu.rules.capacity import reserved
from pulumi_gke_tpu.rules.cluster import (
    access,
    addons,
    autopilot,
    autoprovisioning,
    cluster_reference,
    identities,
    mtu,
    network,
    place,
    subnetworks,
    versions,
    zones,
)
from pulumi_gke_tpu.rules.cluster import (
    control_plane as cluster,
)
from pulumi_gke_tpu.rules.engine.rule import Rule
from pulumi_gke_tpu.rules.entries import acceptances as policy
from pulumi_gke_tpu.rules.entries import moves
from pulumi_gke_tpu.rules.files import extra, extra_values, reading, reserved_keys
from pulumi_gke_tpu.rules.inventory import fleet_wide
from pulumi_gke_tpu.rules.inventory import together as inventory
from pulumi_gke_tpu.rules.maintenance import exclusions
from pulumi_gke_tpu.rules.maintenance import windows as maintenance
from pulumi_gke_tpu.rules.nodes import disks, interfaces, labels, taints
from pulumi_gke_tpu.rules.nodes import hosts as nodes
from pulumi_gke_tpu.rules.pools import raw, raw_relations
from pulumi_gke_tpu.rules.scaling import counts as scaling
from pulumi_gke_tpu.rules.scaling import upgrade
from pulumi_gke_tpu.rules.slices import names, placement, workload_policies
from pulumi_gke_tpu.rules.slices import shape as slices

_MODULES = (
    access,
    addons,
    autopilot,
    autoprovisioning,
    capacity,
    cluster,
    cluster_reference,
    disks,
    exclusions,
    extra,
    extra_values,
    files,
    fleet_wide,
    identities,
    interfaces,
    inventory,
    labels,
    maintenance,
    moves,
    mtu,
    names,
    network,
    nodes,
    place,
    placement,
    policy,
    raw,
    raw_relations,
    reading,
    reserved,
    reserved_keys,
    scaling,
    slices,
    subnetworks,
    taints,
    transitions,
    upgrade,
    versions,
    workload_policies,
    zones,
)

RULES: tuple[Rule, ...] = tuple(
    sorted((rule for module in _MODULES for rule in module.RULES), key=lambda rule: rule.id)
)
