"""How Pods reach the nodes of a slice group, and what nodes without TPUs leave to Pods."""

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.platform import CapacityLabels, NodeLabels
from pulumi_gke_tpu.core.catalog.records.workloads import CpuNodes
from pulumi_gke_tpu.core.fleet.model import ChipBudget, Cluster, CpuPool, SliceGroup, tpu_limits
from pulumi_gke_tpu.core.fleet.settings import keys_of_system_pool
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan import Capacity, SliceGroupSpec
from pulumi_gke_tpu.core.plan.slices import Taint
from pulumi_gke_tpu.core.text.formats.names import taint_effect
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

GIB = 1 << 30
_MIB = 1 << 20
_NAME = lazy_pattern(r"([a-z0-9]+)-([a-z]+)-([0-9]{1,4})\Z", re.ASCII)


@frozen
class Room:
    """CPUs, and bytes of memory: what a node has, or what a Pod requests."""

    cpus: Fraction
    memory: Fraction

    def holds(self, other: "Room") -> bool:
        """Whether both are enough."""
        return self.cpus >= other.cpus and self.memory >= other.memory


def size(machine_type: str, facts: CpuNodes) -> Room | None:
    """The size of a predefined machine type; None if its name does not tell it."""
    match = _NAME.match(machine_type)
    if match is None:
        return None
    family, kind, vcpus = match[1], match[2], int(match[3])
    ratio = facts.gib_per_vcpu.get(f"{family}-{kind}", facts.gib_per_vcpu.get(kind))
    return Room(Fraction(vcpus), vcpus * Fraction(str(ratio)) * GIB) if ratio is not None else None


def room(machine_type: str, facts: CpuNodes) -> Room | None:
    """What a node leaves to Pods at most; None if the name of its machine type does not tell its size."""
    whole = size(machine_type, facts)
    if whole is None:
        return None
    memory = _left(whole.memory / GIB, facts.memory_steps_gib, facts.memory_percents) * GIB
    return Room(_left(whole.cpus, facts.cpu_steps, facts.cpu_percents), memory - facts.eviction_mib * _MIB)


def _left(amount: Fraction, steps: Sequence[int], percents: Sequence[float]) -> Fraction:
    """An amount without the parts that GKE reserves."""
    rest, reserved = amount, Fraction(0)
    for step, percent in zip((*map(Fraction, steps), amount), percents, strict=True):
        part = min(rest, step)
        reserved += part * Fraction(str(percent)) / 100
        rest -= part
    return amount - reserved


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


def claims_chips(group: SliceGroup, catalog: Catalog) -> bool:
    """Whether Pods on the hosts of a group claim their chips from the DRA driver, instead of requesting them."""
    return uses_dynamic_allocation(group.plan, catalog.platform.names.node_labels)


_SOFT = "PreferNoSchedule"


@frozen
class Toleration:
    """A taint that Pods tolerate: with this value, or with every value if there is none."""

    key: str
    effect: str
    value: str | None = None


def pod_selector(
    cluster: Cluster, group: SliceGroup, catalog: Catalog, *, tolerated: Iterable[Toleration] = ()
) -> dict[str, str]:
    """The node labels that Pods on the slices of a group select.

    A ComputeClass stands for all other labels: GKE rejects Pods that select both. On Standard, further labels tell the
    group from others of the same cluster; if no label does, the Pods select their node pool, or one of several
    (``pool_choice``). ``tolerated`` are taints that the Pods tolerate besides those of the nodes of the group.
    """
    facts = catalog.kubernetes
    if group.compute_class is not None:
        return {facts.compute_classes.form.selector: group.compute_class}
    selector = _basic_selector(cluster, group, catalog)
    if cluster.mode == "autopilot":
        return selector
    every = frozenset((*pod_tolerations(group, catalog), *tolerated))
    selector = _distinct_selector(cluster, group, selector, every, catalog)
    if len(group.pools) == 1 and _serves_other_nodes(cluster, group, selector, every, catalog):
        selector[facts.workloads.nodes.pool] = group.pools[0].name
    return selector


def pool_choice(cluster: Cluster, group: SliceGroup, catalog: Catalog) -> tuple[str, ...]:
    """The node pools, if the labels also select nodes of others and the group has several; otherwise empty."""
    if cluster.mode == "autopilot" or len(group.pools) < 2:  # noqa: PLR2004 - one pool is selected by its label
        return ()
    selector, tolerated = pod_selector(cluster, group, catalog), frozenset(pod_tolerations(group, catalog))
    others = _serves_other_nodes(cluster, group, selector, tolerated, catalog)
    return tuple(pool.name for pool in group.pools) if others else ()


def shared_selector(cluster: Cluster, groups: Sequence[SliceGroup], catalog: Catalog) -> dict[str, str]:
    """The node labels that Pods select if each of several groups may serve them: those that all groups have."""
    tolerated = shared_tolerations(groups, catalog)
    first, *others = (pod_selector(cluster, group, catalog, tolerated=tolerated) for group in groups)
    return {key: value for key, value in first.items() if all(other.get(key) == value for other in others)}


def shared_tolerations(groups: Iterable[SliceGroup], catalog: Catalog) -> tuple[Toleration, ...]:
    """The taints of the nodes of several groups."""
    return tuple(dict.fromkeys(item for group in groups for item in pod_tolerations(group, catalog)))


def flavor_labels(
    cluster: Cluster, group: SliceGroup, together: Sequence[SliceGroup], catalog: Catalog
) -> dict[str, str]:
    """The node labels of the flavor of a group, which Kueue adds to the Pods that it admits to the flavor.

    ``together`` are the groups among which Kueue chooses for some workloads, this one included; empty if there are no
    such workloads. Their Pods select only what these groups share, and tolerate the taints of all of them, so that the
    labels of the flavor alone keep them from the nodes of other groups. The flavor of a budget serves groups of several
    shapes, so it has labels only for such workloads: those that Pods on each of its groups select or may select.
    """
    if group.budget is not None:
        return _budget_labels(cluster, group.budget, together, catalog)
    labels = pod_selector(cluster, group, catalog, tolerated=shared_tolerations(together, catalog))
    if together and _could_be_on_others(cluster, group, labels, together, catalog):
        labels |= _own_labels(group)
    shared = shared_selector(cluster, together, catalog) if together else {}
    kept = labels if len(labels) <= catalog.kubernetes.kueue.limits.flavor_labels else _last(labels, shared)
    return dict(itertools.islice(kept.items(), catalog.kubernetes.kueue.limits.flavor_labels))


def indistinct_from(
    cluster: Cluster, group: SliceGroup, together: Sequence[SliceGroup], catalog: Catalog
) -> tuple[SliceGroup, ...]:
    """The groups on whose nodes Pods could start that Kueue admits to the flavor of a group (``flavor_labels``).

    On Autopilot, GKE makes nodes for what Pods select: only groups with the same labels are the same.
    """
    labels = {**shared_selector(cluster, together, catalog), **flavor_labels(cluster, group, together, catalog)}
    if cluster.mode == "autopilot":
        others = (other for other in together if other.key != group.key)
        return tuple(other for other in others if flavor_labels(cluster, other, together, catalog) == labels)
    tolerated = frozenset((*pod_tolerations(group, catalog), *shared_tolerations(together, catalog)))
    return () if _names_pool(labels, catalog) else tuple(_rivals(cluster, group, labels, tolerated, catalog))


def could_be_on_provisioned(
    cluster: Cluster, group: SliceGroup, together: Sequence[SliceGroup], catalog: Catalog
) -> bool:
    """Whether auto-provisioned nodes could have all labels of the flavor of a group (``flavor_labels``)."""
    labels = flavor_labels(cluster, group, together, catalog)
    own = _own_labels(group).keys() & labels.keys()
    return not own and not _names_pool(labels, catalog) and _is_provisioned(cluster, group, catalog)


def pod_tolerations(group: SliceGroup, catalog: Catalog) -> tuple[Toleration, ...]:
    """The taints that Pods on the slices of a group tolerate: those of GKE, then those of the plan."""
    pods, nodes = catalog.kubernetes.pods, catalog.kubernetes.workloads.nodes
    tolerations = [Toleration(pods.resource.name, pods.taint.effect)]
    if group.plan.capacity.is_queued:
        tolerations.append(Toleration(catalog.platform.names.node_labels.queued, nodes.queued_taint_effect))
    return tuple(dict.fromkeys((*tolerations, *taint_tolerations(group.plan.taints))))


def flavor_taint(group: SliceGroup, catalog: Catalog) -> Toleration:
    """The taint of the flavor of a group, which no node has: Pods tolerate it to get this flavor and no other.

    Labels do not keep Kueue from another flavor: it ignores those that a Pod does not select. Groups of one budget have
    one flavor.
    """
    facts = catalog.kubernetes.kueue.flavors
    if group.budget is not None:
        return Toleration(facts.budget_taint_key, facts.taint_effect, group.budget.name)
    return Toleration(facts.taint_key, facts.taint_effect, group.name)


def taint_tolerations(taints: Iterable[Taint]) -> Iterator[Toleration]:
    """Tolerations of the taints of a plan. The scheduler only avoids the soft ones."""
    for taint in taints:
        effect = taint_effect(taint.effect)
        if effect != _SOFT:
            yield Toleration(taint.key, effect)


def head_pool(cluster: Cluster, requests: Room, catalog: Catalog, vcpus: int = 0) -> CpuPool | None:
    """The CPU pool for a Pod without chips: the first one on whose nodes it fits, else the first one; None without any.

    ``vcpus`` are those that the machines have at least. A machine whose name does not tell its size fits.
    """
    facts = catalog.kubernetes.workloads.cpu_nodes

    def fits(machine_type: str) -> bool:
        left = room(machine_type, facts)
        return _vcpus(machine_type) >= vcpus and (left is None or left.holds(requests))

    fitting = (pool for pool in cluster.cpu_pools if fits(pool.plan.machine_type))
    return next(fitting, next(iter(cluster.cpu_pools), None))


def needed_tolerations(cluster: Cluster) -> tuple[Toleration, ...]:
    """What a small Pod without chips has to tolerate: the taints of the CPU pools, if no node is without taints.

    An existing cluster can have nodes that are not in the plan, with or without taints.
    """
    pools = [tuple(taint_tolerations(pool.plan.taints)) for pool in cluster.cpu_pools]
    system = tuple(taint_tolerations(keys_of_system_pool(cluster).taints)) if cluster.has_system_pool else ()
    if not all(pools) or not (system or cluster.existing):
        return ()
    return tuple(dict.fromkeys(taint for pool in pools for taint in pool))


def node_labels(group: SliceGroup, catalog: Catalog) -> dict[str, str]:
    """The labels of the nodes of a group on Standard that do not depend on the node pool, as far as they are known."""
    names = catalog.platform.names
    written = {key: value for key, value in group.plan.node_labels.items() if isinstance(value, str)}
    cubes = catalog.kubernetes.pods.dynamic_slices
    return {
        names.node_labels.accelerator: group.shape.accelerator_label,
        **(
            {cubes.mode_label: cubes.mode} if group.dynamic else {names.node_labels.topology: str(group.shape.topology)}
        ),
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
    """The workload policy by its name, for slices that need one. No source has the label on cubes."""
    shape = group.shape
    if not shape.multi_host or shape.placement != "workload_policy" or group.dynamic:
        return {}
    policy = group.plan.placement.workload_policy if group.plan.placement else group.policy_name
    return {catalog.kubernetes.workloads.nodes.workload_policy: policy} if isinstance(policy, str) else {}


def _could_be_on_others(
    cluster: Cluster, group: SliceGroup, labels: dict[str, str], together: Sequence[SliceGroup], catalog: Catalog
) -> bool:
    """Whether labels that do not name a node pool also match nodes that the group does not have."""
    if cluster.mode == "autopilot" or _names_pool(labels, catalog):
        return False
    tolerated = frozenset((*pod_tolerations(group, catalog), *shared_tolerations(together, catalog)))
    return _serves_other_nodes(cluster, group, labels, tolerated, catalog)


def _names_pool(labels: Mapping[str, str], catalog: Catalog) -> bool:
    return catalog.kubernetes.workloads.nodes.pool in labels


def _budget_labels(
    cluster: Cluster, budget: ChipBudget, together: Sequence[SliceGroup], catalog: Catalog
) -> dict[str, str]:
    """The labels that all groups of a budget have, if Kueue chooses between some of them and other groups."""
    if all(group.budget == budget for group in together):
        return {}
    tolerated = shared_tolerations(together, catalog)
    first, *others = (
        {**pod_selector(cluster, group, catalog, tolerated=tolerated), **_own_labels(group)}
        for group in cluster.groups
        if group.budget == budget
    )
    shared = {key: value for key, value in first.items() if all(other.get(key) == value for other in others)}
    return dict(itertools.islice(shared.items(), catalog.kubernetes.kueue.limits.flavor_labels))


def _own_labels(group: SliceGroup) -> dict[str, str]:
    """The labels in ``node_labels`` whose values are known: no other nodes have them by chance."""
    return {key: value for key, value in group.plan.node_labels.items() if isinstance(value, str)}


def _last(labels: Mapping[str, str], shared: Mapping[str, str]) -> dict[str, str]:
    """The labels, those last that the Pods select themselves."""
    return dict(sorted(labels.items(), key=lambda item: item[0] in shared))


def _is_provisioned(cluster: Cluster, group: SliceGroup, catalog: Catalog) -> bool:
    """Whether node auto-provisioning can create nodes with the accelerator of a group."""
    return tpu_limits(cluster, catalog).get(group.shape.accelerator_label, 0) > 0


def _distinct_selector(
    cluster: Cluster, group: SliceGroup, selector: dict[str, str], tolerated: frozenset[Toleration], catalog: Catalog
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
    others = [node_labels(other, catalog) for other in _rivals(cluster, group, distinct, tolerated, catalog)]
    for key in (key for key in own if key in group.plan.node_labels):
        if any(labels.get(key) != own[key] for labels in others):
            distinct[key] = own[key]
            others = [labels for labels in others if labels.get(key) == own[key]]
    return distinct


def _serves_other_nodes(
    cluster: Cluster, group: SliceGroup, selector: dict[str, str], tolerated: frozenset[Toleration], catalog: Catalog
) -> bool:
    """Whether nodes that the group does not have match: those of another group, or auto-provisioned ones."""
    rivals = _rivals(cluster, group, selector, tolerated, catalog)
    return _is_provisioned(cluster, group, catalog) or any(True for _ in rivals)


def _rivals(
    cluster: Cluster, group: SliceGroup, selector: dict[str, str], tolerated: frozenset[Toleration], catalog: Catalog
) -> Iterator[SliceGroup]:
    """The other groups whose nodes match a selector and have only taints that Pods tolerate."""
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
