"""TPU51x: Pods per node, and properties of TPU nodes in ``extra``."""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.catalog.records.facts import note_by_id
from pulumi_gke_tpu.core.fleet import SliceGroup
from pulumi_gke_tpu.core.graph.resource_types import NODE_POOL
from pulumi_gke_tpu.core.rules.engine.context import PlanContext, plan_groups, reaches_nodes, standard_groups
from pulumi_gke_tpu.core.rules.engine.extra import ExtraProperty, blocks, is_any_reservation, written_properties
from pulumi_gke_tpu.core.rules.engine.rule import Hit, in_group, of_groups, rule
from pulumi_gke_tpu.core.text.findings import SetKeys, printable, quoted


@rule(
    "TPU511",
    about=of_groups("max_pods_per_node"),
    title="Invalid number of Pods per node",
    why="GKE limits the number of Pods per node, and it rejects a node pool with a smaller or larger number",
    fix="Set a number within the limits. A TPU host needs only a few Pods.",
    references=["plan-tpus"],
    failing=in_group("max_pods_per_node: 300"),
    edit=("max_pods_per_node: 300", "max_pods_per_node: 256"),
)
def invalid_max_pods(context: PlanContext) -> Iterable[Hit]:
    facts = context.catalog.platform.nodes
    for cluster, path, group in plan_groups(context):
        pods = group.max_pods_per_node
        if pods is None or not reaches_nodes(cluster, group):
            continue
        if not facts.min_pods_per_node <= pods <= facts.max_pods_per_node:
            limit = "max_pods_per_node" if pods > facts.max_pods_per_node else "min_pods_per_node"
            yield Hit(
                (*path, "max_pods_per_node"),
                f"invalid number of Pods per node {pods:,}: allowed {facts.min_pods_per_node} to "
                f"{facts.max_pods_per_node}",
                fact=facts.for_item(limit),
                fix=SetKeys.of(max_pods_per_node=getattr(facts, limit)),
            )


def _extras(context: PlanContext) -> Iterator[tuple[SliceGroup, ExtraProperty]]:
    """Every property that a group sets under ``extra``."""
    writing = [group for _, group in standard_groups(context) if group.plan.extra]
    parents = blocks(context.catalog.provider.resources[NODE_POOL].properties) if writing else frozenset()
    for group in writing:
        for written in written_properties(group.plan.extra, (*group.path, "extra"), parents):
            yield group, written


@rule(
    "TPU512",
    plans_only="TPU591 reports it for node pools",
    about=of_groups("extra"),
    title="Image type is not supported with TPU nodes",
    why="GKE supports TPU nodes only with Container-Optimized OS",
    fix="Remove the image type.",
    references=["plan-tpus"],
    failing=in_group("extra: {node_config: {image_type: UBUNTU_CONTAINERD}}"),
    edit=("image_type: UBUNTU_CONTAINERD", "image_type: COS_CONTAINERD"),
)
def unsupported_image_type(context: PlanContext) -> Iterable[Hit]:
    facts = context.catalog.platform.nodes
    for _, written in _extras(context):
        if written.name != "nodeConfig.imageType" or not isinstance(written.value, str):
            continue
        if written.value.upper() != facts.image:
            yield Hit.unsupported(
                written.path,
                f"image type {quoted(written.value)}",
                "TPU nodes",
                fact=facts.for_item("image"),
                allowed=(facts.image,),
                fix=SetKeys.of({written.path[-1]: facts.image}),
            )


@rule(
    "TPU513",
    plans_only="TPU592 reports it for node pools",
    about=of_groups("extra"),
    title="Threads per core are fixed for the machine type",
    why="GKE runs this machine type with a fixed number of threads per core, and it rejects any other number",
    fix="Remove `threads_per_core`.",
    references=["plan-tpus", "autoscaler-manager"],
    failing="""
tpu: v6e
topology: 2x4
chips_per_host: 8
extra: {node_config: {advanced_machine_features: {threads_per_core: 2}}}
""",
    edit=("threads_per_core: 2", "threads_per_core: 1"),
)
def unsupported_threads_per_core(context: PlanContext) -> Iterable[Hit]:
    for group, written in _extras(context):
        if written.name != "nodeConfig.advancedMachineFeatures.threadsPerCore":
            continue
        machine = context.catalog.generation(group.shape.generation).machine_types[group.shape.machine_type]
        if machine.threads_per_core is not None and written.value != machine.threads_per_core:
            yield Hit(
                written.path,
                f"machine type {group.shape.machine_type} requires {machine.threads_per_core} thread per core",
                fact=machine.for_item("threads_per_core"),
                given=f"{printable(written.path[-1])}: {printable(written.value)}",
                fix=SetKeys.of({written.path[-1]: machine.threads_per_core}),
            )


@rule(
    "TPU514",
    plans_only="TPU361 reports it for node pools",
    about=of_groups("capacity", "extra"),
    title="Reservation affinity ANY in `extra`",
    why="a TPU node pool uses a reservation only by name, so GKE rejects the affinity ANY",
    fix="Remove the affinity from `extra`, and set `capacity: {reservation: NAME}`.",
    references=["autoscaler-injection", "plan-tpus"],
    note="reservation-affinity",
    failing=in_group("extra: {node_config: {reservation_affinity: {consume_reservation_type: ANY_RESERVATION}}}"),
    edit=(
        "extra: {node_config: {reservation_affinity: {consume_reservation_type: ANY_RESERVATION}}}",
        "capacity: {reservation: v6e-pretrain}",
    ),
)
def any_reservation(context: PlanContext) -> Iterable[Hit]:
    for _, written in _extras(context):
        if is_any_reservation(written):
            yield Hit.unsupported(
                written.path,
                "reservation affinity ANY",
                "TPU node pools",
                given=printable(written.path[-1]),
            )


@rule(
    "TPU515",
    about=of_groups("extra"),
    title="Property is not supported with TPU machines",
    why="TPU machines have a fixed configuration. They have no local SSD, no sole tenancy and no nested virtualization",
    fix="Remove the property from `extra`.",
    references=["gce-tpu-machines"],
    failing=in_group("extra: {node_config: {local_ssd_count: 1}}"),
    edit=("extra: {node_config: {local_ssd_count: 1}}", "boot_disk: {type: hyperdisk-balanced, size_gib: 500}"),
)
def unsupported_machine_property(context: PlanContext) -> Iterable[Hit]:
    unavailable = frozenset(context.catalog.platform.nodes.unavailable)
    for _, written in _extras(context):
        if written.name in unavailable and written.value:
            yield Hit.unsupported(
                written.path,
                f"property {quoted(written.name)}",
                "TPU machines",
                fact=note_by_id(context.catalog.platform.notes, "machine-limits"),
                given=printable(written.path[-1]),
            )
