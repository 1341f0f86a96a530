"""How Pods reach the nodes of a slice group: labels of nodes, selectors, tolerations, and node pools."""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.platform import CapacityLabels, NodeLabels
from pulumi_gke_tpu.core.fleet.model import Cluster, CpuPool, SliceGroup, tpu_limits
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan import Capacity, SliceGroupSpec
from pulumi_gke_tpu.core.plan.slices import Taint
from pulumi_gke_tpu.core.text.formats.names import taint_effect

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


_SOFT = "PreferNoSchedule"


@frozen
class Toleration:
    """A taint that Pods tolerate: with this value, or with every value if there is none."""

    key: str
    effect: str
    value: str | None = None


def pod_selector(cluster: Cluster, group: SliceGroup, catalog: Catalog) -> dict[str, str]:
    """The node labels that Pods on the slices of a group select.

    A ComputeClass stands for all other labels: GKE rejects Pods that select both. On Standard, further labels tell the
    group from others of the same cluster; if no label does, the Pods select their node pool, or one of several
    (``pool_choice``).
    """
    facts = catalog.kubernetes
    if group.compute_class is not None:
        return {facts.compute_classes.form.selector: group.compute_class}
    selector = _basic_selector(cluster, group, catalog)
    if cluster.mode == "autopilot":
        return selector
    selector = _distinct_selector(cluster, group, selector, catalog)
    if len(group.pools) == 1 and _serves_other_nodes(cluster, group, selector, catalog):
        selector[facts.workloads.nodes.pool] = group.pools[0].name
    return selector


def pool_choice(cluster: Cluster, group: SliceGroup, catalog: Catalog) -> tuple[str, ...]:
    """The node pools, if the labels also select nodes of others and the group has several; otherwise empty."""
    if cluster.mode == "autopilot" or len(group.pools) < 2:  # noqa: PLR2004 - one pool is selected by its label
        return ()
    selector = pod_selector(cluster, group, catalog)
    return tuple(pool.name for pool in group.pools) if _serves_other_nodes(cluster, group, selector, catalog) else ()


def pod_tolerations(group: SliceGroup, catalog: Catalog) -> tuple[Toleration, ...]:
    """The taints that Pods on the slices of a group tolerate: those of GKE, then those of the plan."""
    pods, nodes = catalog.kubernetes.pods, catalog.kubernetes.workloads.nodes
    tolerations = [Toleration(pods.resource.name, pods.taint.effect)]
    if group.plan.capacity.is_queued:
        tolerations.append(Toleration(catalog.platform.names.node_labels.queued, nodes.queued_taint_effect))
    return tuple(dict.fromkeys((*tolerations, *taint_tolerations(group.plan.taints))))


def flavor_taint(group: SliceGroup, catalog: Catalog) -> Toleration:
    """The taint of the flavor of a group, which no node has: Pods tolerate it to get this flavor and no other.

    Labels do not keep Kueue from another flavor: it ignores those that a Pod does not select.
    """
    facts = catalog.kubernetes.kueue.flavors
    return Toleration(facts.taint_key, facts.taint_effect, group.name)


def taint_tolerations(taints: Iterable[Taint]) -> Iterator[Toleration]:
    """Tolerations of the taints of a plan. The scheduler only avoids the soft ones."""
    for taint in taints:
        effect = taint_effect(taint.effect)
        if effect != _SOFT:
            yield Toleration(taint.key, effect)


def head_pool(cluster: Cluster, vcpus: int) -> CpuPool | None:
    """The CPU pool for Pods without chips: the first one with enough vCPUs, else the first one; None without any."""
    fitting = (pool for pool in cluster.cpu_pools if _vcpus(pool.plan.machine_type) >= vcpus)
    return next(fitting, next(iter(cluster.cpu_pools), None))


def node_labels(group: SliceGroup, catalog: Catalog) -> dict[str, str]:
    """The labels of the nodes of a group on Standard that do not depend on the node pool, as far as they are known."""
    names = catalog.platform.names
    written = {key: value for key, value in group.plan.node_labels.items() if isinstance(value, str)}
    return {
        names.node_labels.accelerator: group.shape.accelerator_label,
        names.node_labels.topology: str(group.shape.topology),
        names.node_labels.accelerator_count: str(group.shape.chips_per_host),
        **_capacity_labels(group, catalog),
        **_policy_label(group, catalog),
        **written,
        **{key: label.value for key, label in labels_of_keys(group.plan, names.node_labels).items()},
    }


def _basic_selector(cluster: Cluster, group: SliceGroup, catalog: Catalog) -> dict[str, str]:
    """Accelerator, topology and capacity, and what else the keys of the group mean for its Pods."""
    labels = catalog.platform.names.node_labels
    selected = {labels.collection, labels.workload}
    if cluster.mode == "standard":  # Autopilot rejects this label
        selected.add(labels.queued)
    by_keys = labels_of_keys(group.plan, labels)
    return {
        **group.node_selector,
        **(_capacity_labels(group, catalog) if cluster.mode == "standard" else {}),
        **_policy_label(group, catalog),
        **{key: label.value for key, label in by_keys.items() if key in selected},
    }


def _capacity_labels(group: SliceGroup, catalog: Catalog) -> dict[str, str]:
    """The labels that nodes of a capacity mode have on Standard: none for a reservation, which its node pool sets."""
    capacity = group.plan.capacity
    return {} if capacity.reservation else capacity_selector(capacity, catalog.platform.names.capacity_labels)


def _policy_label(group: SliceGroup, catalog: Catalog) -> dict[str, str]:
    """The workload policy by its name, for slices that need one."""
    shape = group.shape
    if not shape.multi_host or shape.placement != "workload_policy":
        return {}
    policy = group.plan.placement.workload_policy if group.plan.placement else group.policy_name
    return {catalog.kubernetes.workloads.nodes.workload_policy: policy} if isinstance(policy, str) else {}


def _distinct_selector(
    cluster: Cluster, group: SliceGroup, selector: dict[str, str], catalog: Catalog
) -> dict[str, str]:
    """The selector with the labels that exclude nodes of other groups.

    The first is that of the chips per host, wherever the cluster has both forms of a topology; then those of the plan.
    """
    own = node_labels(group, catalog)
    forms = {
        other.shape.chips_per_host
        for other in cluster.groups
        if (other.shape.accelerator_label, other.shape.topology)
        == (group.shape.accelerator_label, group.shape.topology)
    }
    count = catalog.platform.names.node_labels.accelerator_count
    distinct = {**selector, count: own[count]} if len(forms) > 1 else dict(selector)
    others = [node_labels(other, catalog) for other in _rivals(cluster, group, distinct, catalog)]
    for key in (key for key in own if key in group.plan.node_labels):
        if any(labels.get(key) != own[key] for labels in others):
            distinct[key] = own[key]
            others = [labels for labels in others if labels.get(key) == own[key]]
    return distinct


def _serves_other_nodes(cluster: Cluster, group: SliceGroup, selector: dict[str, str], catalog: Catalog) -> bool:
    """Whether nodes that the group does not have match: those of another group, or auto-provisioned ones."""
    provisioned = tpu_limits(cluster, catalog).get(group.shape.accelerator_label, 0) > 0
    return provisioned or any(True for _ in _rivals(cluster, group, selector, catalog))


def _rivals(cluster: Cluster, group: SliceGroup, selector: dict[str, str], catalog: Catalog) -> Iterator[SliceGroup]:
    """The other groups whose nodes match a selector and have only taints that the Pods of the group tolerate."""
    tolerated = set(pod_tolerations(group, catalog))
    for other in cluster.groups:
        if other.key == group.key or other.compute_class is not None:
            continue
        unknown = {key for key, value in other.plan.node_labels.items() if not isinstance(value, str)}
        labels = node_labels(other, catalog)
        matches = all(key in unknown or labels.get(key) == value for key, value in selector.items())
        if matches and set(pod_tolerations(other, catalog)) <= tolerated:
            yield other


def _vcpus(machine_type: str) -> int:
    """The vCPUs of a predefined CPU machine type, which its name ends with; 0 for others."""
    digits = machine_type.rpartition("-")[2]
    return int(digits) if digits.isascii() and digits.isdigit() else 0
