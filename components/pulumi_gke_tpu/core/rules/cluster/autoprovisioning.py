"""Checks of node auto-provisioning: TPU220 to TPU226, and TPU594 about its boot disks."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.naming import resolve
from pulumi_gke_tpu.core.catalog.records.facts import note_by_id
from pulumi_gke_tpu.core.fleet import Cluster
from pulumi_gke_tpu.core.fleet.settings import system_pool
from pulumi_gke_tpu.core.fleet.shapes.shape import policy_generations
from pulumi_gke_tpu.core.plan.cpu_pools import AutoprovisioningSpec
from pulumi_gke_tpu.core.rules.engine.context import PlanContext, documented_in, is_placed
from pulumi_gke_tpu.core.rules.engine.rule import Hit, in_cluster, of_clusters, rule, warning
from pulumi_gke_tpu.core.text.findings import Path, SetKeys, did_you_mean, number, printable, quoted
from pulumi_gke_tpu.core.text.formats.names import is_zone, region_of
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_LIMITS = "GKE: resource limits of node auto-provisioning"
_VCPUS = lazy_pattern(r"[a-z0-9]+-(?:standard|highmem|highcpu)-([0-9]{1,4})\Z", re.ASCII)


def limited_labels(catalog: Catalog, word: str) -> Sequence[str]:
    """The accelerator labels that a key of ``autoprovisioning.tpu`` limits."""
    return catalog.generation(word).limit_labels if word in catalog.generation_names else [word]


def _limited_generation(catalog: Catalog, word: str) -> str | None:
    """The generation that a key of ``autoprovisioning.tpu`` names, or whose accelerator label it is."""
    if word in catalog.generation_names:
        return word
    return next((name for name in catalog.generation_names if word in _accelerator_labels(catalog, name)), None)


def _accelerator_labels(catalog: Catalog, generation: str) -> list[str]:
    return [family.accelerator_label for family in catalog.generation(generation).families.values()]


def limited_generations(catalog: Catalog, written: AutoprovisioningSpec) -> list[str]:
    """The generations for which auto-provisioning gets a limit, in the order of the plan."""
    known = (_limited_generation(catalog, word) for word in written.tpu)
    return list(dict.fromkeys(name for name in known if name is not None))


def autoprovisioned(context: PlanContext) -> Iterator[tuple[Cluster, AutoprovisioningSpec, Path]]:
    """The Standard clusters with auto-provisioning, and the path of the key."""
    for cluster in context.fleet.clusters:
        if cluster.mode == "standard" and cluster.plan.autoprovisioning is not None:
            yield cluster, cluster.plan.autoprovisioning, (*cluster.path, "autoprovisioning")


@warning(
    "TPU220",
    about=of_clusters("autoprovisioning.tpu", "workload_policies"),
    title="Missing workload policy for auto-provisioned slices",
    why="multi-host slices of this generation require a workload policy with their topology. Auto-provisioning does "
    "not create the policy, so the Pods of multi-host slices would stay Pending. Single-host slices do not require "
    "a policy",
    fix="Add a policy for each topology to `workload_policies` of the cluster, and select it in the Pods with the "
    "label cloud.google.com/placement-policy-name. Or define the slices as groups: gke-tpu then creates their "
    "policies.",
    fix_of_resources="Create a workload policy for each topology, and select it in the Pods with the label "
    "cloud.google.com/placement-policy-name.",
    references=["gke-ironwood", "cluster-toolkit-pr-6274", "autoscaler-placement"],
    failing=in_cluster("autoprovisioning: {cpu: 5000, memory_gib: 20000, tpu: {tpu7x: 128}}", location="us-central1"),
    edit=(
        "{cpu: 5000, memory_gib: 20000, tpu: {tpu7x: 128}}",
        "{cpu: 50000, memory_gib: 200000, tpu: {tpu7x: 128}}\nworkload_policies: {cubes: {topology: 4x4x4}}",
    ),
)
def missing_autoprovisioning_policy(context: PlanContext) -> Iterable[Hit]:
    with_policy = {
        (cluster.project, cluster.region, group.shape.generation)
        for cluster, group in context.fleet.groups()
        if group.policy_name is not None or group.plan.placement is not None
    }
    for cluster in context.fleet.clusters:
        for item in cluster.workload_policies:
            generations = policy_generations(context.catalog, cluster.mode, item.plan.topology or "")
            with_policy |= {(cluster.project, cluster.region, generation) for generation in generations}
    for cluster, written, path in autoprovisioned(context):
        for word in written.tpu:
            name = _limited_generation(context.catalog, word)
            if name is None or context.catalog.generation(name).multi_host_placement != "workload_policy":
                continue
            if (cluster.project, cluster.region, name) not in with_policy:
                yield Hit.missing(
                    (*path, "tpu", word),
                    f"workload policy for auto-provisioned slices of {name}",
                    fact=note_by_id(context.catalog.platform.notes, f"{name}-workload-policy"),
                )


@rule(
    "TPU221",
    about=of_clusters("autoprovisioning.tpu"),
    title="Resource limit for unknown hardware",
    why="node auto-provisioning creates nodes of a generation only if the generation has a limit, and a limit for an "
    "unknown TPU has no effect",
    fix="Name the hardware by its accelerator label, such as tpu-v6e-slice. A plan can also name the generation.",
    references=["autoscaler-errors", "autoscaler-requests"],
    basis="format",
    failing=in_cluster("autoprovisioning: {cpu: 1000, memory_gib: 4000, tpu: {trillium: 64}}"),
    edit=("trillium: 64", "v6e: 64"),
)
def unknown_tpu_limit(context: PlanContext) -> Iterable[Hit]:
    catalog = context.catalog
    for _, written, path in autoprovisioned(context):
        for word in written.tpu:
            by_label = context.of_resources  # only a plan can name a generation
            labels = [label for name in catalog.generation_names for label in _accelerator_labels(catalog, name)]
            if word in labels or (not by_label and word in catalog.generation_names):
                continue
            named = resolve(catalog, word)
            meant = named.generation if named and named.kind != "announced" else None
            near = meant or did_you_mean(word, [*catalog.generation_names, *labels])
            allowed = catalog.generation_names if not by_label else limited_labels(catalog, meant) if meant else labels
            yield Hit.unknown(
                (*path, "tpu", word),
                "TPU",
                word,
                f"use {'' if by_label else 'a generation or '}an accelerator label",
                allowed=tuple(allowed),
                fix=SetKeys.of({near: written.tpu[word]}) if near else None,
            )


@rule(
    "TPU222",
    about=of_clusters("autoprovisioning.tpu"),
    title="Resource limit is below 1",
    why="the provider rejects a limit of 0. If a generation has no limit, GKE does not create nodes of it",
    fix="Raise the limit. To get no nodes of the generation, remove the key.",
    references=["PROVIDER_GO_SOURCE", "provider-cluster"],
    note="limits-at-least-one",
    failing=in_cluster("autoprovisioning: {cpu: 1000, memory_gib: 4000, tpu: {v6e: 0}}"),
    edit=("v6e: 0", "v6e: 1"),
)
def limit_below_one(context: PlanContext) -> Iterable[Hit]:
    for _, written, path in autoprovisioned(context):
        for word, chips in written.tpu.items():
            if chips < 1:
                yield Hit(
                    (*path, "tpu", word),
                    f"the limit for {quoted(word)} is {chips:,} chips, which is below the minimum of 1",
                )


@warning(
    "TPU223",
    plans_only="limits of a cluster name accelerator labels",
    about=of_clusters("autoprovisioning.tpu"),
    title="Resource limit applies to several accelerator labels",
    why="GKE applies the limit to each accelerator label separately. This generation has several labels, so GKE "
    "could create several times the intended number of chips",
    fix="Set one limit for each accelerator label.",
    references=["autoscaler-requests", "autoscaler-errors"],
    failing=in_cluster("autoprovisioning: {cpu: 1000, memory_gib: 4000, tpu: {v3: 64}}", location="us-east1"),
    edit=("v3: 64", "tpu-v3-slice: 64"),
)
def ambiguous_limit(context: PlanContext) -> Iterable[Hit]:
    for _, written, path in autoprovisioned(context):
        for word, chips in written.tpu.items():
            labels = limited_labels(context.catalog, word)
            if len(labels) > 1:
                yield Hit(
                    (*path, "tpu", word),
                    f"{word} has {len(labels)} accelerator labels, and the limit of {number(chips, 'chip')} applies to "
                    "each label",
                    allowed=tuple(labels),
                    fix=SetKeys.of(dict.fromkeys(labels, chips)),
                )


@rule(
    "TPU224",
    plans_only="a described cluster has one limit for each name",
    about=of_clusters("autoprovisioning.tpu"),
    title="Duplicate resource limit",
    why="one key is the generation and another key is its accelerator label. Both limits apply to the same hardware, "
    "so GKE would use only the last limit",
    fix="Remove one of the two limits.",
    source=_LIMITS,
    failing=in_cluster("autoprovisioning: {cpu: 1000, memory_gib: 4000, tpu: {v6e: 64, tpu-v6e-slice: 128}}"),
    edit=("tpu-v6e-slice: 128", "tpu-v5p-slice: 128"),
)
def duplicate_limit(context: PlanContext) -> Iterable[Hit]:
    for _, written, path in autoprovisioned(context):
        owners: dict[str, str] = {}
        for word in written.tpu:
            for label in limited_labels(context.catalog, word):
                owner = owners.setdefault(label, word)
                if owner != word:
                    reason = f"both {quoted(owner)} and {quoted(word)} set this limit"
                    yield Hit.duplicate((*path, "tpu", word), "limit for", label, reason)


@warning(
    "TPU225",
    about=of_clusters("autoprovisioning.tpu"),
    title="Node pools of the plan exceed the resource limit",
    why="a limit counts all nodes of the cluster. When the node pools of the plan reach the limit, GKE creates no "
    "more nodes",
    fix="Raise the limit to at least the sum of all node pools.",
    references=["autoscaler-errors", "autoscaler-requests"],
    failing=in_cluster("""
autoprovisioning: {cpu: 5000, memory_gib: 20000, tpu: {v6e: 8}}
slices:
  pretrain: {tpu: v6e, topology: 4x4, zone: us-east5-b}
"""),
    edit=("v6e: 8", "v6e: 32"),
)
def limit_below_use(context: PlanContext) -> Iterable[Hit]:
    for cluster, written, path in autoprovisioned(context):
        chips: Counter[str] = Counter()
        vcpus, memory = _cpu_pool_vcpus(cluster), 0
        for group in cluster.groups:
            machine = context.catalog.generation(group.shape.generation).machine_types[group.shape.machine_type]
            chips[group.shape.accelerator_label] += group.chips.maximum
            vcpus += group.hosts.maximum * machine.vcpu
            memory += group.hosts.maximum * machine.memory_gib
        for word, limit in written.tpu.items():
            used = max((chips[label] for label in limited_labels(context.catalog, word)), default=0)
            if used > limit >= 1:
                yield _exceeded((*path, "tpu", word), f"chips of {quoted(word)}", used, limit)
        if vcpus > written.cpu:
            yield _exceeded((*path, "cpu"), "vCPUs", vcpus, written.cpu)
        if memory > written.memory_gib:
            yield _exceeded((*path, "memory_gib"), "GiB of memory on TPU hosts", memory, written.memory_gib)


def _exceeded(path: Path, what: str, used: int, limit: int) -> Hit:
    return Hit(
        path,
        f"the node pools of the plan use up to {used:,} {what}; the limit of the cluster is {limit:,}",
        fix=SetKeys.of({path[-1]: used}),
    )


def _cpu_pool_vcpus(cluster: Cluster) -> int:
    """The vCPUs of the nodes without TPUs at their maximum, as far as the names of machine types state them."""
    system = system_pool(cluster)
    sizes = [(system.max_nodes.value, system.machine_type.value)] if system is not None else []
    sizes += [(pool.nodes.maximum, pool.plan.machine_type) for pool in cluster.cpu_pools]
    return sum(nodes * int(match[1]) for nodes, machine in sizes if (match := _VCPUS.match(machine)))


@rule(
    "TPU226",
    about=of_clusters("autoprovisioning.zones"),
    title="Auto-provisioning zone is outside the region of the cluster",
    why="GKE creates the nodes of a cluster only in the region of the cluster",
    fix="Use zones of the region, or remove the key.",
    references=["provider-cluster", "provider-node-pool"],
    note="nodes-in-region",
    failing=in_cluster("autoprovisioning: {cpu: 1000, memory_gib: 4000, tpu: {v6e: 64}, zones: [us-central1-b]}"),
    edit=("zones: [us-central1-b]", "zones: [us-east5-b]"),
)
def autoprovisioning_zone_outside_region(context: PlanContext) -> Iterable[Hit]:
    for cluster, written, path in autoprovisioned(context):
        for index, zone in enumerate(written.zones or () if is_placed(cluster) else ()):
            if not is_zone(zone) or region_of(zone) != cluster.region:
                yield Hit(
                    (*path, "zones", index),
                    f"zone {quoted(zone)} is outside region {cluster.region}",
                    given=f"zones: {printable(zone)}",
                    allowed=tuple(_zones_for(context.catalog, written, cluster.region)),
                )


def _zones_for(catalog: Catalog, written: AutoprovisioningSpec, region: str) -> list[str]:
    generations = limited_generations(catalog, written)
    families = [family for name in generations for family in catalog.generation(name).families]
    return sorted({zone for family in families for zone in documented_in(catalog, family, region)})


@warning(
    "TPU594",
    silent_in={"gcloud": "GKE reports a type where a program sets nothing"},
    about=of_clusters("autoprovisioning.boot_disk_type", "autoprovisioning.tpu"),
    title="Boot disk type of auto-provisioning is not supported with a TPU machine family",
    why="Compute Engine rejects a VM that has this machine family and this type of boot disk, so GKE may be unable to "
    "create TPU nodes",
    fix="Use a type that all machine families of the TPU limits support, or remove `boot_disk_type`.",
    references=["autoscaler-machine-types", "pd-csi-labels", "gce-tpu-machines"],
    failing=in_cluster("autoprovisioning: {cpu: 1000, memory_gib: 4000, tpu: {v6e: 64}, boot_disk_type: pd-balanced}"),
    edit=("boot_disk_type: pd-balanced", "boot_disk_type: hyperdisk-balanced"),
)
def unsupported_autoprovisioning_disk(context: PlanContext) -> Iterable[Hit]:
    catalog = context.catalog
    for cluster in context.fleet.clusters:
        written = cluster.plan.autoprovisioning
        if cluster.mode != "standard" or written is None or written.boot_disk_type is None:
            continue
        labels = {label for word in written.tpu for label in limited_labels(catalog, word)}
        for name in limited_generations(catalog, written):
            for family, about in catalog.generation(name).families.items():
                disks = catalog.disks.families.get(family) if about.accelerator_label in labels else None
                if disks is not None and written.boot_disk_type not in (*disks.boot, *disks.confidential_only):
                    yield Hit.unsupported(
                        (*cluster.path, "autoprovisioning", "boot_disk_type"),
                        f"boot disk type {quoted(written.boot_disk_type)}",
                        f"{family} machines ({name})",
                        fact=disks.for_item("boot"),
                        allowed=disks.boot,
                    )
