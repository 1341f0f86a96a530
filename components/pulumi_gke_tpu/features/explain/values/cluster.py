"""Explains a cluster: its plan keys, the derived values, its versions, and the requirements of its slice groups."""

import dataclasses
from collections.abc import Iterable, Iterator, Sequence

from pulumi_gke_tpu.core.catalog import Catalog, Fact, GkeVersion, VersionRange
from pulumi_gke_tpu.core.estimate import cost_of
from pulumi_gke_tpu.core.fleet import Cluster, CpuPool, Fleet, Range, SliceGroup, WorkloadPolicy
from pulumi_gke_tpu.core.fleet.features import features_of
from pulumi_gke_tpu.core.fleet.settings import (
    STAYS,
    ClusterSettings,
    autoscaler_settings,
    security_settings,
    system_pool,
)
from pulumi_gke_tpu.core.fleet.workloads import resource_labels, uses_fleet
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan.slices import Taint
from pulumi_gke_tpu.core.text.findings import listed, number
from pulumi_gke_tpu.features.explain.steps import Evidence, Step, evidence, note_evidence, note_named
from pulumi_gke_tpu.features.explain.values.maintenance import cluster_maintenance, runs_of
from pulumi_gke_tpu.features.explain.values.price import cluster_price
from pulumi_gke_tpu.features.explain.values.quota import cluster_quota, headroom_step
from pulumi_gke_tpu.features.explain.values.surroundings import Surroundings, account_step, show


@frozen
class VersionNeed:
    """A minimum version and the feature that requires it. ``alternatives`` are minimums on older minor versions."""

    what: str
    version: GkeVersion
    text: str
    """The version in the notation of the catalog."""
    fact: Fact
    alternatives: tuple[str, ...] = ()
    field: str = ""
    """The field of the fact with the version."""

    def evidence(self, catalog: Catalog) -> tuple[Evidence, ...]:
        """The evidence of the version."""
        return evidence(catalog, self.fact, self.field)


def version_needs(catalog: Catalog, cluster: Cluster, group: SliceGroup) -> tuple[VersionNeed, ...]:
    """All known minimums of a group, highest first."""
    return tuple(sorted(_needs(catalog, cluster, group), key=lambda need: (need.version, need.what), reverse=True))


def _needs(catalog: Catalog, cluster: Cluster, group: SliceGroup) -> Iterator[VersionNeed]:
    shape = group.shape
    family = catalog.generation(shape.generation).families[shape.family]
    least = family.minimum_version.get(cluster.mode)
    if least is not None:
        yield VersionNeed(shape.generation, GkeVersion.parse(least), least, family, field="minimum_version")
    for name in features_of(group, catalog.platform.names.node_labels):
        feature = catalog.versions.features.get(name)
        version = getattr(feature, cluster.mode) if feature else None
        if feature is not None and version is not None:
            yield VersionNeed(
                feature.title, GkeVersion.parse(version), version, feature, feature.alternatives, cluster.mode
            )


def cluster_steps(catalog: Catalog, cluster: Cluster, around: Surroundings) -> Iterable[Step]:
    """Every value of a cluster with its reason."""
    yield _name(cluster)
    yield Step(
        "mode",
        cluster.mode,
        "from the plan; on Standard, slices are node pools; on Autopilot, GKE creates slices for workloads",
    )
    yield _location(cluster)
    yield _release_channel(cluster)
    yield _minimum_version(catalog, cluster)
    if cluster.existing:
        yield from _facts_of_existing(catalog, cluster)
    else:
        yield _network(catalog, cluster)
        yield _private_nodes(cluster)
        yield _control_plane(cluster)
        yield account_step(catalog, cluster)
        yield _system_pool(catalog, cluster)
        yield from (_cpu_pool(catalog, pool) for pool in cluster.cpu_pools)
        yield _autoprovisioning(catalog, cluster)
        yield _addons(catalog, cluster)
        yield _security(cluster)
        yield _protection(cluster)
        yield _resource_labels(catalog, cluster)
    yield from cluster_maintenance(catalog, cluster)
    yield from _runs(catalog, cluster)
    yield from (_workload_policy(catalog, policy) for policy in cluster.workload_policies)
    yield _totals(catalog, cluster, around)
    yield cluster_quota(catalog, cluster)
    yield headroom_step(around, cluster)
    yield cluster_price(catalog, cluster, around)


def _runs(catalog: Catalog, cluster: Cluster) -> Iterable[Step]:
    """The planned runs, each with the automatic upgrades that can interrupt it."""
    if cluster.plan.runs:
        lines = tuple(line for group in cluster.groups for line in runs_of(catalog, cluster, group))
        reason = "from the plan; gke-tpu calendar shows what can interrupt them"
        yield Step("runs", number(len(cluster.plan.runs), "run"), reason, topics=("maintenance",), details=lines)


def _origin(cluster: Cluster, key: str) -> str:
    if cluster.adopted and not cluster.plan.written(key):
        return STAYS
    return "from the plan" if cluster.plan.written(key) else "the default, which gke-tpu always sends"


def _release_channel(cluster: Cluster) -> Step:
    channel = ClusterSettings(cluster).release_channel
    return Step("release_channel", channel.value or "unknown", channel.note)


def _unknown(key: str) -> Step:
    return Step(key, "unknown", f"the plan does not state {key} of the existing cluster")


def _facts_of_existing(catalog: Catalog, cluster: Cluster) -> Iterable[Step]:
    """What the plan states about an existing cluster, and the settings of the node pools that it creates there."""
    yield Step("existing", str(cluster.plan.existing), "from the plan; gke-tpu creates only node pools in the cluster")
    network = cluster.plan.network.existing if cluster.plan.network else None
    if network is None:
        yield _unknown("network")
    else:
        yield Step(
            "network", f"{network.network}, subnetwork {network.subnetwork}", "from the plan", topics=("network",)
        )
    yield _private_nodes(cluster)
    yield account_step(catalog, cluster)
    yield from (_cpu_pool(catalog, pool) for pool in cluster.cpu_pools)
    yield _security(cluster)
    yield _resource_labels(catalog, cluster)


def _name(cluster: Cluster) -> Step:
    if cluster.existing:
        return Step("name", cluster.name, "the reference to the existing cluster")
    if cluster.plan.name is not None:
        return Step("name", cluster.name, "the name key in the plan")
    if cluster.name != cluster.key:
        return Step("name", cluster.name, f"the name before the cluster was renamed to {cluster.key}", keys=("moved",))
    return Step("name", cluster.name, "the key of the cluster in the plan")


def _location(cluster: Cluster) -> Step:
    if cluster.existing:
        return Step("location", cluster.location, "the reference to the existing cluster", topics=("zones",))
    if cluster.zonal:
        reason = f"from the plan; a zone, so the control plane is in one zone of {cluster.region}"
    else:
        reason = "from the plan; a region, so the control plane is in several zones"
    return Step("location", cluster.location, reason, topics=("zones",))


def _minimum_version(catalog: Catalog, cluster: Cluster) -> Step:
    keys, topics = (cluster.version_key,), ("versions",)
    needs = [(need, group.key) for group in cluster.groups for need in version_needs(catalog, cluster, group)]
    written, stated = cluster.version, _written_version(cluster)
    if not needs:
        reason = "no slice group requires a version" if not cluster.groups else "no source lists a minimum"
        return Step("minimum_version", show(written), f"{stated}; {reason}", keys=keys, topics=topics)
    highest, group = max(needs, key=lambda entry: (entry[0].version, entry[1]))
    reason = f"{highest.what} of {group} requires it; {stated}"
    if written is not None:
        try:
            reason += "" if VersionRange.parse(written).highest >= highest.version else ", which is too low"
        except ValueError:
            reason += ", which is not a GKE version"
    return Step("minimum_version", highest.text, reason, highest.evidence(catalog), keys, topics)


def _written_version(cluster: Cluster) -> str:
    if cluster.version is not None:
        return f"the plan has {cluster.version_key} {cluster.version}"
    return f"the plan has no {cluster.version_key}"


def _network(catalog: Catalog, cluster: Cluster) -> Step:
    facts, written = catalog.platform.network, cluster.plan.network
    jumbo = sorted(
        {group.shape.generation for group in cluster.groups if catalog.generation(group.shape.generation).jumbo_frames}
    )
    recommended = f"; MTU {facts.jumbo_mtu} is recommended for {listed(jumbo)}" if jumbo else ""
    proof, topics = evidence(catalog, facts), ("network",)
    if written is None and cluster.adopted:
        return Step("network", "unknown", STAYS, topics=topics)
    if written is None:
        value = f"the project's network default, MTU {facts.default_mtu}"
        return Step("network", value, f"the plan has no network{recommended}", proof, topics=topics)
    if written.existing is not None:
        value = f"{written.existing.network}, subnetwork {written.existing.subnetwork}"
        return Step("network", value, f"from the plan; an existing network{recommended}", proof, topics=topics)
    assert written.create is not None
    create = written.create
    ranges = f"nodes {create.subnet}, pods {create.pods}, services {create.services}"
    value = f"created as {cluster.name}, MTU {create.mtu}, {ranges}"
    reason = f"from the plan; {'with' if create.nat else 'without'} Cloud NAT, with Private Google Access{recommended}"
    return Step("network", value, reason, proof, topics=topics)


def _private_nodes(cluster: Cluster) -> Step:
    private = ClusterSettings(cluster).private_nodes
    return Step("private_nodes", "unknown" if private.value is None else show(private.value), private.note)


def _control_plane(cluster: Cluster) -> Step:
    settings, networks = ClusterSettings(cluster), cluster.plan.control_plane.authorized_networks
    private = "private " if settings.private_endpoint.value else ""
    parts = ["DNS endpoint"] if settings.dns_endpoint.sent else []
    parts += [f"{private}IP endpoint"] if settings.ip_endpoint.sent else []
    reason = settings.ip_endpoint.note
    if networks:
        reason = f"authorized networks that can use the IP endpoint: {listed(sorted(networks))}"
    return Step(
        "control_plane",
        listed(parts) or "unknown",
        reason,
        keys=("authorized_networks", "dns_endpoint"),
        topics=("hardening",),
    )


def _system_pool(catalog: Catalog, cluster: Cluster) -> Step:
    pool = system_pool(cluster)
    if pool is None and cluster.adopted and cluster.mode == "standard":
        return Step("system_pool", "none", "the cluster has nodes for system Pods already")
    if pool is None:
        return Step("system_pool", "none", "Autopilot creates the nodes for system Pods")
    value = f"{pool.min_nodes.value}..{pool.max_nodes.value} x {pool.machine_type.value}"
    zones = f"zones {listed(pool.zones.value)}" if pool.zones.value else "zones chosen by GKE"
    reason = f"{pool.note}; number of nodes in all zones together; {zones}{_taints(pool.taints.value)}"
    return Step("system_pool", value, reason, note_evidence(catalog, "taint-tolerance"))


def _taints(taints: Sequence[Taint]) -> str:
    found = [f"{taint.key}={taint.value}:{taint.written_effect}" for taint in taints]
    return f"; only for Pods that tolerate {listed(found)}" if found else ""


def _cpu_pool(catalog: Catalog, pool: CpuPool) -> Step:
    plan, count = pool.plan, len(pool.zones)
    value = f"{pool.nodes} x {plan.machine_type}{', Spot VMs' if plan.spot else ''}"
    zones = f"zones {listed(pool.zones)}" if pool.zones else "zones chosen by GKE"
    if plan.autoscaled:
        total = autoscaler_settings(pool).limits.value == "total"
        scaled = "total number of nodes" if total else "number of nodes in each zone"
        size = f"GKE scales the {scaled} between the limits"
    elif plan.keeps_size:
        size = "number of nodes at creation; the node pool keeps the present one"
    else:
        size = f"fixed number of nodes, {pool.nodes.maximum // max(count, 1):,} per zone"
    own = plan.node_service_account
    account = "" if own is None else f"; service account {pool.account_id if own == 'create' else own}"
    reason = f"from the plan; {size}; {zones}{_taints(plan.taints)}{account}"
    return Step(
        f"cpu_pools.{pool.path[-1]}", value, reason, note_evidence(catalog, "node-count-per-zone"), keys=("cpu_pools",)
    )


def _workload_policy(catalog: Catalog, policy: WorkloadPolicy) -> Step:
    plan = policy.plan
    parts = [plan.type.upper()]
    parts += [f"topology {plan.topology}"] if plan.topology else []
    parts += [plan.topology_mode.upper()] if plan.topology_mode else []
    parts += [f"within one {plan.max_topology_distance}"] if plan.max_topology_distance else []
    note = note_named(catalog, "workload-policy-selector")
    reason = f"created; slice groups name it in placement. {note.text if note else ''}".rstrip()
    proof = note_evidence(catalog, "workload-policy-selector")
    return Step(f"workload_policies.{policy.name}", ", ".join(parts), reason, proof, keys=("workload_policies",))


def _autoprovisioning(catalog: Catalog, cluster: Cluster) -> Step:
    if cluster.mode == "autopilot":
        return Step("autoprovisioning", "by Autopilot", "Autopilot has no limits to set", topics=("scaling",))
    written = cluster.plan.autoprovisioning
    if written is None and cluster.adopted:
        return Step("autoprovisioning", "unknown", STAYS, topics=("scaling",))
    if written is None:
        return Step(
            "autoprovisioning", "disabled", "the plan has no limits; gke-tpu always sends this", topics=("scaling",)
        )
    tpu = "".join(f", {number(chips, 'chip')} of {word}" for word, chips in written.tpu.items())
    value = f"up to {written.cpu:,} vCPUs, {written.memory_gib:,} GiB{tpu}"
    account = written.node_service_account
    if account == "create" and cluster.autoprovisioning is not None:
        account = cluster.autoprovisioning.account_id
    reason = "from the plan; limits for all node pools of the cluster together"
    reason += f"; nodes run as {account}" if account is not None else ""
    return Step(
        "autoprovisioning", value, reason, note_evidence(catalog, "autoprovisioning-limits"), topics=("scaling",)
    )


def _addons(catalog: Catalog, cluster: Cluster) -> Step:
    always = [addon.title for addon in catalog.platform.addons.values() if cluster.mode in addon.always_on]
    if cluster.adopted and not cluster.plan.addons:
        return Step("addons", "unknown", STAYS)
    reason = _origin(cluster, "addons") if cluster.plan.addons else "the plan has no add-ons"
    reason += f"; always enabled: {listed(always)}" if always else ""
    chosen = [name for name in cluster.plan.addons if name in catalog.platform.addons]
    facts = tuple(fact for name in chosen for fact in evidence(catalog, catalog.platform.addons[name]))
    return Step("addons", listed(cluster.plan.addons) or "none", reason, facts)


def _security(cluster: Cluster) -> Step:
    if cluster.mode == "autopilot":
        return Step("security", "built in", "Autopilot hardens its nodes", topics=("hardening",))
    security = security_settings(cluster)
    fields = tuple(item.name for item in dataclasses.fields(security))
    if cluster.existing:
        fields = (*(["secure_boot"] if cluster.cpu_pools else []), "tpu_secure_boot", "workload_identity")
    elif cluster.adopted:
        fields = tuple(name for name in fields if getattr(security, name).written)
        if not fields:
            return Step("security", "unknown", STAYS, topics=("hardening",))
    on = [name for name in fields if getattr(security, name).value]
    off = [name for name in fields if not getattr(security, name).value]
    reason = f"{_origin(cluster, 'security')}; disabled: {listed(off) or 'none'}"
    return Step("security", listed(on) or "none", reason, topics=("hardening",))


def _protection(cluster: Cluster) -> Step:
    keys = ("deletion_protection",)
    if cluster.deletion_protection:
        reason = "from the plan" if cluster.plan.written("deletion_protection") else "the default"
        return Step("protection", "enabled", reason, keys=keys)
    lifted = "the plan has deletion_protection: false"
    if cluster.plan.deletion_protection:
        lifted = "lifted by an acknowledge entry of the plan"
    return Step("protection", "disabled", lifted, keys=keys)


def _resource_labels(catalog: Catalog, cluster: Cluster) -> Step:
    labels = resource_labels(cluster, catalog)
    if cluster.adopted and not labels:
        return Step("resource_labels", "unknown", STAYS)
    shown = ", ".join(f"{name}: {value}" for name, value in sorted(labels.items()))
    reason = "the labels of the plan and of the cluster"
    if uses_fleet(cluster):
        reason += ", and those for which the fleet writes ClusterProfiles"
    return Step("resource_labels", shown or "none", reason)


def _totals(catalog: Catalog, cluster: Cluster, around: Surroundings) -> Step:
    cost = cost_of(Fleet(cluster.project, (cluster,)), catalog, around.owned)
    total, shared = cost.total, (item.text for item in cost.shared)
    reason = "; ".join([f"the sum of {number(len(cluster.groups), 'slice group')}", *shared])
    lines = tuple(f"{group.key}: {_sizes(group.slices, group.hosts, group.chips)}" for group in cluster.groups)
    return Step("total", _sizes(total.slices, total.hosts, total.chips), reason, keys=("slices",), details=lines)


def _sizes(slices: Range, hosts: Range, chips: Range) -> str:
    return f"{slices.counted('slice')}, {hosts.counted('host')}, {chips.counted('chip')}"
