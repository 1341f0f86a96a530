"""What follows from a plan beside its resources and objects, as lines of text: what rules and pages ask for."""

from collections.abc import Iterator

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet.addresses import node_count, pod_addresses, subnetwork_of
from pulumi_gke_tpu.core.fleet.budgets import unused_budgets
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.core.fleet.checkpoints import checkpointing
from pulumi_gke_tpu.core.fleet.cohorts import most_chips, most_together, parent_of, parents_of
from pulumi_gke_tpu.core.fleet.features import features_of
from pulumi_gke_tpu.core.fleet.file_systems import file_systems
from pulumi_gke_tpu.core.fleet.model import Cluster, SliceGroup
from pulumi_gke_tpu.core.fleet.operators import installed_operators
from pulumi_gke_tpu.core.fleet.policy_uses import policies_of, policy_uses, topology_mismatch
from pulumi_gke_tpu.core.fleet.scheduling import (
    claims_chips,
    could_be_on_provisioned,
    indistinct_from,
    node_labels,
    pool_choice,
)
from pulumi_gke_tpu.core.fleet.settings import (
    autoscaler_settings,
    is_short_lived,
    node_lifetime,
    surely_ends,
    system_pool,
    upgrade_settings,
)
from pulumi_gke_tpu.core.fleet.workloads import KubernetesObjects, is_queued, kubernetes_objects


def derived_lines(checked: CheckedPlan, catalog: Catalog) -> Iterator[str]:
    """The lines about the fleet, its clusters, groups, queues and workloads."""
    fleet = checked.fleet
    if fleet is None:
        return
    yield f"is usable: {checked.is_usable}, unused budgets: {sorted(unused_budgets(fleet))}"
    uses = [*policy_uses(fleet.clusters)]
    known = policies_of(uses)
    for use in uses:
        yield f"policy {use.policy} of {use.item}: {use.topology}, {use.made_for}"
        yield f"policy {use.policy} of {use.item}: {topology_mismatch(use, known[use.policy], ' there')}"
    for cluster in fleet.clusters:
        yield from (f"{cluster.key}: {line}" for line in _of_cluster(cluster, catalog))
        objects = kubernetes_objects(cluster)
        together = objects.together if objects is not None else lambda *_: ()
        for group in cluster.groups:
            yield from (f"{group.key}: {line}" for line in _of_group(cluster, group, together(group), catalog))
        if objects is not None:
            yield from (f"{cluster.key}: {line}" for line in _of_objects(objects, catalog))


def _of_cluster(cluster: Cluster, catalog: Catalog) -> Iterator[str]:
    found = subnetwork_of(cluster)
    yield f"subnetwork {found and found[0]}"
    yield f"{node_count(cluster)} nodes with {pod_addresses(cluster, catalog)} Pod addresses"
    system = system_pool(cluster)
    yield f"system pool: {system and (system.nodes, system.note)}, forms slices: {cluster.forms_slices}"
    kept = checkpointing(cluster)
    if kept is not None:
        machines = {machine: [group.key for group in groups] for machine, groups in kept.machines.items()}
        yield f"checkpoints: {kept.key}, {kept.former_keys}, {kept.account(catalog)}, {machines}"
    for item in installed_operators(cluster, catalog):
        tolerated = [each.key for each in item.tolerations]
        yield f"operator {item.key} {item.version}: tolerates {tolerated}, claims {item.claimed}, {item.profiles}"


def _of_group(cluster: Cluster, group: SliceGroup, together: tuple[SliceGroup, ...], catalog: Catalog) -> Iterator[str]:
    yield f"features {sorted(features_of(group, catalog.platform.names.node_labels))}"
    yield f"{group.counted}, {group.hosts} hosts, first {group.first_nodes} nodes, former keys {group.former_keys}"
    lifetime, upgrade = node_lifetime(group, catalog), upgrade_settings(group)
    yield f"lifetime {lifetime.value}, short {is_short_lived(group)}, surely ends {surely_ends(group)}"
    scaled = autoscaler_settings(group)
    yield f"limits {scaled.limits.value} ({scaled.limits.note}), location policy {scaled.location_policy.value}"
    yield f"upgrade {upgrade.strategy.value} ({upgrade.strategy.note}), running {upgrade.upgrades_running_nodes}"
    yield f"labels {node_labels(group, catalog)}, pools {pool_choice(cluster, group, catalog)}"
    others = [other.key for other in indistinct_from(cluster, group, together or (group,), catalog)]
    provisioned = could_be_on_provisioned(cluster, group, together, catalog)
    yield f"claims {claims_chips(group, catalog)}, also on {others}, on provisioned nodes {provisioned}"


def _of_objects(objects: KubernetesObjects, catalog: Catalog) -> Iterator[str]:
    for owner in objects.quota_owners:
        yield f"quotas of {owner.name}: {parents_of(objects, parent_of(owner))}"
    for flavor in objects.flavors:
        yield f"flavor {flavor.key} has {flavor.chips} chips"
        yield from (
            f"{queue.name} gets {most_chips(objects, queue, flavor)} of {flavor.key}" for queue in objects.queues
        )
        for each in (1, 8):
            yield f"all get {most_together(objects, objects.queues, flavor, each)} of {flavor.key} by {each}"
    for item in objects.workloads:
        yield f"{item.name}: {item.fewest} to {item.slices} slices of {item.hosts} hosts, {item.chips} chips"
        yield f"{item.name}: zones {item.zones}, names {item.slice_names}, queued {is_queued(item, catalog)}"
        pools = [pool.name for pool in item.pools]
        yield f"{item.name}: {item.cubes} cubes, dispatched {item.dispatched}, pools {pools}"
    for mounted in file_systems(objects, catalog):
        yield f"file system {mounted.claim}: {mounted.handle}, {mounted.attributes}, {mounted.mount_options}"
