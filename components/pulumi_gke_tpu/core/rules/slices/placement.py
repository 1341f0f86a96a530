"""Checks of placement and of collections: TPU131 to TPU144."""

from collections.abc import Iterable

from pulumi_gke_tpu.core.catalog.records.facts import note_by_id
from pulumi_gke_tpu.core.fleet import SliceGroup
from pulumi_gke_tpu.core.rules.engine.context import PlanContext, configured_groups
from pulumi_gke_tpu.core.rules.engine.rule import Hit, in_cluster, in_group, of_groups, rule, warning
from pulumi_gke_tpu.core.text.findings import SetKeys, quoted


@warning(
    "TPU131",
    plans_only="TPU163 reports it for node pools",
    about=of_groups("placement"),
    title="Placement is not supported with single-host slices",
    why="`placement` applies to the hosts of a multi-host slice. A single-host slice has only one host, and GKE "
    "rejected a topology for such a node pool of tpu7x",
    fix="Remove `placement`.",
    references=["xpk-pr-825", "plan-tpus"],
    note="single-host-no-topology",
    failing=in_group("placement: {workload_policy: v6e-policy}", topology="2x2"),
    edit=("topology: 2x2", "topology: 4x4"),
)
def single_host_placement(context: PlanContext) -> Iterable[Hit]:
    for _, group in configured_groups(context):
        if group.plan.placement is not None and not group.shape.multi_host:
            yield Hit.unsupported(
                (*group.path, "placement"),
                "placement",
                f"{group.shape.generation} {group.shape.topology}, which is a single-host slice",
            )


@warning(
    "TPU132",
    about=of_groups("placement"),
    title="Unconfirmed use of a workload policy",
    why="GKE already places slices of this generation compactly, based on their topology. No documentation or "
    "example combines this generation with a workload policy, so GKE may reject the node pool",
    fix="Remove `placement`.",
    references=["autoscaler-placement", "xpk-node-pool"],
    failing="tpu: v5p\ntopology: 2x2x2\nzone: us-east5-a\nplacement: {workload_policy: v5p-policy}",
    passing=in_group(tpu="v5p", topology="2x2x2", zone="us-east5-a"),
)
def unconfirmed_workload_policy(context: PlanContext) -> Iterable[Hit]:
    for _, group in configured_groups(context):
        if group.plan.placement is None or not group.shape.multi_host or group.shape.placement == "workload_policy":
            continue
        if not context.catalog.generation(group.shape.generation).named_policy:
            yield Hit(
                (*group.path, "placement"),
                f"no documentation or example shows a workload policy with {group.shape.generation} slices",
                fact=note_by_id(context.catalog.platform.notes, "placement-compact"),
            )


@rule(
    "TPU141",
    about=of_groups("collection"),
    title="Collection is not supported with this generation",
    why="GKE supports collections with one generation only. On other generations, the labels of a collection have no "
    "effect",
    fix="Remove `collection`, or use a generation that supports collections.",
    references=["about-tpus"],
    failing=in_group("collection: {name: chat}", tpu="v5p", topology="2x2x2", zone="us-east5-a"),
    passing=in_group("collection: {name: chat}", topology="2x2"),
)
def unsupported_collection(context: PlanContext) -> Iterable[Hit]:
    for _, group in context.fleet.groups():
        catalog = context.catalog
        if group.plan.collection is None or catalog.generation(group.shape.generation).collections:
            continue
        yield Hit.unsupported(
            (*group.path, "collection"),
            "collection scheduling",
            group.shape.generation,
            fact=note_by_id(catalog.platform.notes, "v6e-collections"),
            allowed=tuple(name for name in catalog.generation_names if catalog.generation(name).collections),
        )


@rule(
    "TPU142",
    about=of_groups("capacity", "collection"),
    title="Collection is not supported with Spot VMs",
    why="a collection keeps nodes available, but Spot VMs can be preempted at any time, so GKE does not support the "
    "combination",
    fix="Use another capacity mode, or remove `collection`.",
    references=["about-tpus"],
    failing=in_group("capacity: spot\ncollection: {name: chat}", topology="2x2"),
    passing=in_group("collection: {name: chat}", topology="2x2"),
)
def spot_collection(context: PlanContext) -> Iterable[Hit]:
    for _, group in context.fleet.groups():
        has_collections = context.catalog.generation(group.shape.generation).collections
        if group.plan.collection is not None and has_collections and "spot" in group.capacity_modes:
            yield Hit.unsupported(
                (*group.path, "collection"),
                "a collection",
                "Spot VMs",
                fact=note_by_id(context.catalog.platform.notes, "v6e-collections"),
                allowed=("on_demand", "reservation", "flex_start"),
            )


@warning(
    "TPU143",
    about=of_groups("collection.workload"),
    title="`high_throughput` is not suitable for single-host slices",
    why="`high_throughput` keeps all node pools of a collection available together. A group of single-host slices is "
    "only one node pool, so the setting has no effect",
    fix="Set `workload: high_availability`, or remove `workload`: high_availability is the default.",
    fix_of_resources="Set the node label cloud.google.com/gke-workload-type to HIGH_AVAILABILITY, or remove it: "
    "HIGH_AVAILABILITY is the default.",
    references=["compute-class-api"],
    failing=in_group("collection: {name: chat, workload: high_throughput}", topology="2x2"),
    edit=("topology: 2x2", "topology: 4x4"),
)
def single_host_throughput_collection(context: PlanContext) -> Iterable[Hit]:
    for _, group in context.fleet.groups():
        collection = group.plan.collection
        if collection is None or group.shape.multi_host or collection.workload != "high_throughput":
            continue
        if context.catalog.generation(group.shape.generation).collections:
            yield Hit(
                (*group.path, "collection", "workload"),
                "`high_throughput` requires multi-host slices",
                fix=SetKeys.of(workload="high_availability"),
            )


@rule(
    "TPU144",
    about=of_groups("collection.name"),
    title="Node pools of one collection differ",
    why="GKE requires that all node pools of a collection have the same machine type, topology, version and workload "
    "type",
    fix="Put each group into its own collection, or give the groups the same machine type, topology and workload type.",
    references=["about-tpus"],
    failing=in_cluster("""
slices:
  small: {tpu: v6e, topology: 4x4, zone: us-east5-b, collection: {name: chat}}
  large: {tpu: v6e, topology: 4x8, zone: us-east5-b, collection: {name: chat}}
"""),
    passing=in_cluster("""
slices:
  small: {tpu: v6e, topology: 4x4, zone: us-east5-b, collection: {name: chat-small}}
  large: {tpu: v6e, topology: 4x8, zone: us-east5-b, collection: {name: chat-large}}
"""),
)
def unequal_collection(context: PlanContext) -> Iterable[Hit]:
    for cluster in context.fleet.clusters:
        first: dict[str, SliceGroup] = {}
        for group in cluster.groups:
            if group.plan.collection is None:
                continue
            other = first.setdefault(group.plan.collection.name, group)
            if _common_in_collection(group) != _common_in_collection(other):
                yield Hit(
                    (*group.path, "collection", "name"),
                    f"{quoted(group.key)} differs from {quoted(other.key)}, another group of collection "
                    f"{quoted(group.plan.collection.name)}",
                    fact=note_by_id(context.catalog.platform.notes, "v6e-collections"),
                    given=_terms(group),
                    allowed=(_terms(other),),
                )


def _terms(group: SliceGroup) -> str:
    machine_type, topology, workload = _common_in_collection(group)
    return f"machine type {machine_type} with topology {topology} and workload {workload}"


def _common_in_collection(group: SliceGroup) -> tuple[str, ...]:
    """What all node pools of a collection must have in common."""
    workload = group.plan.collection.workload if group.plan.collection else ""
    return group.shape.machine_type, str(group.shape.topology), workload
