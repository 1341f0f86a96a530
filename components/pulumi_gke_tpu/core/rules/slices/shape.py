"""Checks of generations, machine types and topologies: TPU101 to TPU119."""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.catalog import Topology
from pulumi_gke_tpu.core.catalog.records.generation import CustomTopologies
from pulumi_gke_tpu.core.catalog.topologies import custom_doubt, custom_shapes
from pulumi_gke_tpu.core.fleet import Shape
from pulumi_gke_tpu.core.fleet.model import ShapeProblem
from pulumi_gke_tpu.core.rules.engine.context import PlanContext, configured_groups
from pulumi_gke_tpu.core.rules.engine.examples import CUBES
from pulumi_gke_tpu.core.rules.engine.rule import Hit, in_group, of_groups, rule, warning
from pulumi_gke_tpu.core.text.findings import EntryText, Fix, SetKeys, Severity

_FORM = "gke-tpu: format of a plan"


def _unresolved(context: PlanContext, id: str) -> Iterator[Hit]:
    """The problems of a rule that the search for the shapes of the groups found.

    They are errors regardless of the confidence of a fact: a plan names shapes that the catalog has, and
    gke-tpu would otherwise ignore a group without a shape.
    """
    for unresolved in context.fleet.unresolved:
        problem: ShapeProblem | None = unresolved.problem
        if problem and problem.behind and problem.rule != id:
            problem = problem.behind
        if problem and problem.rule == id:
            path = (*unresolved.path, problem.key)
            yield Hit(
                path,
                problem.message,
                allowed=problem.allowed,
                fix=problem.change,
                why=problem.why,
            )


@rule(
    "TPU101",
    plans_only="the machine type of a node pool names the generation",
    about=of_groups("tpu"),
    title="Unknown TPU generation",
    why="a plan requires a generation. The accelerator type and the machine type follow from the generation and the "
    "topology",
    fix="Set the generation and the topology. `gke-tpu explain v5p-128` shows the generation and topology of an "
    "accelerator type or machine type.",
    references=["plan-tpus"],
    basis="format",
    failing="tpu: v5p-128\nzone: us-east5-a",
    passing=in_group(tpu="v5p", topology="4x4x4", zone="us-east5-a"),
)
def unknown_generation(context: PlanContext) -> Iterable[Hit]:
    return _unresolved(context, "TPU101")


@rule(
    "TPU102",
    plans_only="the machine type of a node pool names the generation",
    about=of_groups("tpu"),
    title="TPU generation not available on GKE",
    why="GKE has no machine type, accelerator label or zone for this generation, so GKE cannot create nodes",
    fix="Use a generation that GKE offers.",
    references=["next-26-posts", "kuberay-validator", "autoscaler-tpu-config", "jax-tpu-info"],
    basis="format",
    failing=in_group(tpu="v8t"),
    edit=("tpu: v8t", "tpu: v6e"),
)
def unavailable_generation(context: PlanContext) -> Iterable[Hit]:
    return _unresolved(context, "TPU102")


@rule(
    "TPU103",
    about=of_groups("machine_type"),
    title="Unknown machine type for the generation",
    why="GKE rejects a node pool whose machine type does not exist or belongs to another generation",
    fix="Remove `machine_type`: gke-tpu then selects it by the topology. Or set a machine type of the generation.",
    references=["plan-tpus", "gce-tpu-machines"],
    basis="format",
    failing=in_group("machine_type: ct6e-standard-2t", topology="2x2"),
    edit=("machine_type: ct6e-standard-2t", "machine_type: ct6e-standard-4t"),
)
def unknown_machine_type(context: PlanContext) -> Iterable[Hit]:
    return _unresolved(context, "TPU103")


@rule(
    "TPU104",
    plans_only="a node pool has a machine type and a topology",
    about=of_groups("chips", "topology"),
    title="`topology` and `chips`: exactly one is required",
    why="both keys determine the shape of a slice, so together they could contradict each other",
    fix="Set `topology`. Or set `chips`, if only one topology has this number of chips.",
    source=_FORM,
    failing=in_group("chips: 16"),
    passing=in_group(),
)
def invalid_slice_size(context: PlanContext) -> Iterable[Hit]:
    return _unresolved(context, "TPU104")


@rule(
    "TPU106",
    plans_only="a node pool has no key for dynamic slicing",
    about=of_groups("slicing"),
    title="Generation without dynamic slicing",
    why="the slice controller of GKE combines only the hosts of some generations",
    fix="Set `slicing: static` and a topology, or use a generation with dynamic slicing.",
    references=["gke-dynamic-slicing"],
    basis="format",
    failing="tpu: v6e\nslicing: dynamic\nzone: us-east5-b\ncapacity: {reservation: {name: r, block: b}}",
    passing=in_group("""
slicing: static
zone: us-east5-b
capacity: {reservation: {name: r, block: b}}
"""),
)
def unsupported_dynamic_slicing(context: PlanContext) -> Iterable[Hit]:
    return _unresolved(context, "TPU106")


_CUBES = CUBES.replace("    count: 4\n", "")


@rule(
    "TPU107",
    plans_only="the topology of such a node pool is that of its workload policy",
    about=of_groups("slicing", "topology", "chips"),
    title="Topology of a group with dynamic slicing",
    why="the node pools of the group are cubes, whose topology is fixed. Workloads set the topology of the slices that "
    "GKE forms of the cubes",
    fix="Remove `topology` and `chips`, and set `topology` in the workloads. Or set `slicing: static`.",
    references=["gke-dynamic-slicing"],
    basis="format",
    failing=_CUBES.replace("dynamic\n", "dynamic\n    topology: 4x4x8\n"),
    passing=_CUBES,
)
def topology_of_cubes(context: PlanContext) -> Iterable[Hit]:
    return _unresolved(context, "TPU107")


@rule(
    "TPU111",
    about=of_groups("topology"),
    title="Malformed topology",
    why="a topology has two or three dimensions, depending on the generation, and GKE rejects any other form",
    fix="Write AxB for a generation with 2D topologies or AxBxC for a generation with 3D topologies. Use a "
    "lower-case x and no spaces.",
    references=["plan-tpus"],
    basis="format",
    failing=in_group(topology="4x4x1"),
    edit=("topology: 4x4x1", "topology: 4x4"),
)
def malformed_topology(context: PlanContext) -> Iterable[Hit]:
    return _unresolved(context, "TPU111")


@rule(
    "TPU112",
    about=of_groups("topology"),
    title="Unknown topology",
    why="GKE supports a fixed list of topologies for each generation, and it rejects a node pool with any other "
    "topology",
    fix="Use a topology of the generation. `gke-tpu catalog v6e` lists the topologies of v6e.",
    references=["plan-tpus"],
    basis="format",
    failing=in_group(topology="4x3"),
    edit=("topology: 4x3", "topology: 4x4"),
)
def unknown_topology(context: PlanContext) -> Iterable[Hit]:
    return _unresolved(context, "TPU112")


@rule(
    "TPU113",
    about=of_groups("topology"),
    otherwise={Severity.WARNING: "if sources disagree on the largest shapes"},
    title="Invalid custom topology",
    why="GKE accepts a custom topology AxBxC only if A <= B <= C and each dimension is a multiple of 4. The topology "
    "must not have more chips than the largest slice",
    fix="Round each dimension up to the next multiple of 4 and sort the dimensions in ascending order.",
    references=["plan-tpus"],
    basis="format",
    failing=in_group(tpu="v5p", topology="4x6x8", zone="us-east5-a"),
    edit=("topology: 4x6x8", "topology: 4x8x8"),
)
def invalid_custom_topology(context: PlanContext) -> Iterable[Hit]:
    """An error for a shape that all sources exclude, and a warning for a shape that some source lists."""
    yield from _unresolved(context, "TPU113")
    for _, group in context.fleet.groups():
        custom = context.catalog.generation(group.shape.generation).custom_topologies
        doubt = custom_doubt(custom, group.shape.topology) if group.shape.custom and custom else ""
        if custom and doubt:
            yield Hit(
                (*group.path, "topology" if group.plan.topology is not None else "chips"),
                f"the GKE documentation does not list {group.shape.topology} for {group.shape.generation}: {doubt}",
                fact=custom.for_item("disputed_chips"),
                severity=Severity.WARNING,
                why="other sources list the topology, so GKE may accept or reject it",
                fix=_undoubted(custom, group.shape.topology),
            )


def _undoubted(custom: CustomTopologies, topology: Topology) -> Fix | None:
    """The same dimensions in ascending order if no source disputes that, or else the largest documented shape."""
    ordered, largest = Topology(tuple(sorted(topology.dimensions))), Topology.parse(custom.largest_documented)
    if not custom_doubt(custom, ordered):
        return SetKeys.of(topology=str(ordered))
    remark = f"{largest.chips:,} chips; {topology} would be {topology.chips:,}"
    return SetKeys((EntryText("topology", str(largest), remark),))


@rule(
    "TPU114",
    plans_only="a node pool has a machine type and a topology",
    about=of_groups("chips_per_host", "topology"),
    title="Ambiguous topology",
    why="some topologies exist in two forms: 2x4 is either one host with 8 chips or two hosts with 4 chips each. The "
    "two forms require different machine types and suit different workloads",
    fix="Set `chips_per_host`.",
    references=["plan-tpus"],
    basis="format",
    failing=in_group(topology="2x4"),
    passing=in_group("chips_per_host: 8", topology="2x4"),
)
def ambiguous_topology(context: PlanContext) -> Iterable[Hit]:
    return _unresolved(context, "TPU114")


@rule(
    "TPU115",
    about=of_groups("chips_per_host", "machine_type"),
    title="Host conflicts with the topology",
    why="each topology is available only with certain machine types, and each machine type has a fixed number of chips",
    fix="Remove `chips_per_host` and `machine_type`, or set them to values that are available with the topology.",
    references=["plan-tpus", "gce-tpu-machines"],
    basis="format",
    failing=in_group("chips_per_host: 8"),
    edit=("chips_per_host: 8", "chips_per_host: 4"),
)
def host_topology_mismatch(context: PlanContext) -> Iterable[Hit]:
    return _unresolved(context, "TPU115")


@rule(
    "TPU116",
    plans_only="a node pool has a machine type and a topology",
    about=of_groups("chips"),
    title="`chips` does not determine a topology",
    why="gke-tpu can create a slice from `chips` only if exactly one topology has this number of chips",
    fix="Set `topology` instead of `chips`.",
    references=["plan-tpus"],
    basis="format",
    failing="tpu: v6e\nchips: 12",
    edit=("chips: 12", "chips: 16"),
)
def ambiguous_chip_count(context: PlanContext) -> Iterable[Hit]:
    return _unresolved(context, "TPU116")


@rule(
    "TPU119",
    plans_only="each multi-host slice is a node pool of its own",
    about=of_groups("count"),
    title="Too many slices in one group",
    why="each multi-host slice is a separate node pool, and a number this high is probably a typing error",
    fix="Reduce the number of slices, or use larger slices.",
    source="gke-tpu: limit of 1,000 multi-host slices in one group",
    failing=in_group("count: 20000"),
    edit=("count: 20000", "count: 20"),
)
def too_many_slices(context: PlanContext) -> Iterable[Hit]:
    return _unresolved(context, "TPU119")


@warning(
    "TPU105",
    about=of_groups("machine_type", "topology"),
    title="Undocumented or legacy machine type",
    why="the GKE documentation does not list this machine type for this cluster mode, so GKE may reject it now or "
    "withdraw it later",
    fix="Use a documented machine type, or accept this warning in the plan.",
    references=["plan-tpus"],
    failing="""
mode: standard
location: us-central1
slices:
  serve: {tpu: v5e, topology: 2x2, machine_type: ct5l-hightpu-4t, zone: us-central1-a}
""",
    edit=("machine_type: ct5l-hightpu-4t", "machine_type: ct5lp-hightpu-4t"),
)
def undocumented_machine_type(context: PlanContext) -> Iterable[Hit]:
    for _, group in configured_groups(context):
        generation = context.catalog.generation(group.shape.generation)
        machine, family = generation.machine_types[group.shape.machine_type], generation.families[group.shape.family]
        if (machine.documented or machine.in_use) and family.documented and not family.legacy:
            continue
        yield Hit(
            (*group.path, "machine_type" if group.plan.machine_type is not None else "topology"),
            f"machine type {group.shape.machine_type} is "
            f"{'a legacy machine type' if family.legacy else 'not in the GKE documentation'}",
            fact=machine,
            allowed=tuple(
                name
                for name, other in generation.machine_types.items()
                if other.documented and other.chips == machine.chips and not generation.families[other.family].legacy
            ),
            why=machine.note.rstrip("."),
        )


@warning(
    "TPU117",
    about=of_groups("topology"),
    title="Custom topology exceeds the largest documented shape",
    why="sources disagree on the limit: it may apply only to the number of chips or also to each dimension. If the "
    "limit applies to each dimension, GKE rejects the topology",
    fix="Use a topology whose dimensions do not exceed those of the largest documented topology.",
    references=["plan-tpus"],
    failing=in_group(tpu="v5p", topology="4x4x32", zone="us-east5-a"),
    edit=("topology: 4x4x32", "topology: 4x4x24"),
)
def undocumented_custom_topology(context: PlanContext) -> Iterable[Hit]:
    for _, group in context.fleet.groups():
        custom = context.catalog.generation(group.shape.generation).custom_topologies
        if not group.shape.custom or custom is None or _within(group.shape.topology, custom.largest_documented):
            continue
        if custom_doubt(custom, group.shape.topology):
            continue  # reported for its size or order
        sizes = custom_shapes(custom, group.shape.chips)
        smaller = [str(shape) for shape in sizes if _within(shape, custom.largest_documented)]
        key = "topology" if group.plan.topology is not None else "chips"
        longest = max(group.shape.topology.dimensions)
        doubt = (
            f"; no documentation lists a dimension larger than {custom.max_dimension}"
            if longest > custom.max_dimension
            else ""
        )
        yield Hit(
            (*group.path, key),
            f"topology {group.shape.topology} exceeds the dimensions of {custom.largest_documented}, the largest "
            f"documented shape of {group.shape.generation}{doubt}",
            fact=custom,
            allowed=tuple(smaller),
            fix=SetKeys.of(topology=smaller[-1]) if smaller else None,
        )


def _within(topology: Topology, largest: str) -> bool:
    return all(side <= most for side, most in zip(topology.dimensions, Topology.parse(largest).dimensions, strict=True))


@warning(
    "TPU118",
    silent_in={"gcloud": "an answer has the number of nodes at creation only"},
    about=of_groups("count"),
    title="Too many hosts for one node pool",
    why="a node pool in one zone is one managed instance group, and Compute Engine limits the size of a managed "
    "instance group",
    fix="Reduce the size of the slices, or distribute single-host slices over several groups.",
    references=["autoscaler-provider"],
    failing=in_group("count: 2500", topology="2x2"),
    edit=("count: 2500", "count: 1500"),
)
def too_many_hosts(context: PlanContext) -> Iterable[Hit]:
    nodes = context.catalog.platform.nodes
    for cluster, group in context.fleet.groups():
        hosts = group.shape.hosts if group.shape.multi_host else group.slices.maximum
        if hosts <= nodes.max_hosts_per_pool or (cluster.mode == "autopilot" and not group.shape.multi_host):
            continue
        yield Hit.exceeds(
            (*group.path, _size_key(group.shape, group.plan.topology, group.plan.max)),
            f"a node pool of {hosts:,} hosts",
            f"the limit of {nodes.max_hosts_per_pool:,}",
            fact=nodes.for_item("max_hosts_per_pool"),
            allowed=(f"at most {nodes.max_hosts_per_pool:,} hosts in a node pool",),
        )


def _size_key(shape: Shape, topology: str | None, most: int | None) -> str:
    if shape.multi_host:
        return "topology" if topology is not None else "chips"
    return "max" if most is not None else "count"
