"""TPU1xx: generations, machine types and topologies."""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.catalog import Topology
from pulumi_gke_tpu.catalog.records.generation import CustomTopologies
from pulumi_gke_tpu.catalog.topologies import custom_doubt, custom_shapes
from pulumi_gke_tpu.findings import Severity
from pulumi_gke_tpu.fleet import Shape
from pulumi_gke_tpu.rules.engine.context import PlanContext
from pulumi_gke_tpu.rules.engine.hit import Hit
from pulumi_gke_tpu.rules.engine.rule import Scope, rule
from pulumi_gke_tpu.rules.engine.walk import standard_groups

_FORM = "The form of a plan (docs of this project)"


def _unresolved(context: PlanContext, id: str) -> Iterator[Hit]:
    """What the search for a group's shape reports under a rule.

    An error by the plan's format, whatever the weight of a fact: a plan names shapes that the catalog has, and a group
    without a shape would otherwise be left out without a word.
    """
    for unresolved in context.fleet.unresolved:
        problem = unresolved.problem
        if problem.rule == id:
            path = (*unresolved.path, problem.key)
            yield Hit(path, problem.message, allowed=problem.allowed, fix=problem.fix, why=problem.why)


@rule(
    "TPU101",
    "unknown-generation",
    scope=Scope.PLAN,
    since="0.1",
    title="Unknown TPU generation",
    why="a plan names the generation; accelerator types such as v5p-128, machine types and labels follow from it",
    fix="Write the generation and the topology; `gke-tpu explain v5p-128` translates names from elsewhere.",
    references=["plan-tpus"],
    basis="format",
    failing="tpu: v5p-128\nzone: us-east5-a",
    passing="tpu: v5p\ntopology: 4x4x4\nzone: us-east5-a",
)
def unknown_generation(context: PlanContext) -> Iterable[Hit]:
    return _unresolved(context, "TPU101")


@rule(
    "TPU102",
    "unavailable-generation",
    scope=Scope.PLAN,
    since="0.1",
    title="Generation that GKE does not offer yet",
    why="there is no machine type, accelerator label or zone for it, so nothing could be created",
    fix="Choose a generation that GKE offers.",
    references=["next-26-posts", "kuberay-validator", "autoscaler-tpu-config", "jax-tpu-info"],
    basis="format",
    failing="tpu: v8t\ntopology: 4x4",
    passing="tpu: v6e\ntopology: 4x4",
)
def announced_only(context: PlanContext) -> Iterable[Hit]:
    return _unresolved(context, "TPU102")


@rule(
    "TPU103",
    "unknown-machine-type",
    scope=Scope.PLAN,
    since="0.1",
    title="Machine type is not one of the generation",
    why="GKE refuses a node pool with a machine type that does not exist, and another generation has other chips",
    fix="Leave machine_type out, it follows from the topology; or name one of the generation.",
    references=["plan-tpus", "gce-tpu-machines"],
    basis="format",
    on_pools=(),
    failing="tpu: v6e\ntopology: 2x2\nmachine_type: ct6e-standard-2t",
    passing="tpu: v6e\ntopology: 2x2\nmachine_type: ct6e-standard-4t",
)
def unknown_machine_type(context: PlanContext) -> Iterable[Hit]:
    return _unresolved(context, "TPU103")


@rule(
    "TPU104",
    "invalid-slice-size",
    scope=Scope.PLAN,
    since="0.1",
    title="Not exactly one of topology and chips",
    why="one of them decides the shape of a slice, two can disagree",
    fix="Write topology, or chips where only one topology has that many.",
    source=_FORM,
    basis="format",
    failing="tpu: v6e\ntopology: 4x4\nchips: 16",
    passing="tpu: v6e\ntopology: 4x4",
)
def topology_or_chips(context: PlanContext) -> Iterable[Hit]:
    return _unresolved(context, "TPU104")


@rule(
    "TPU111",
    "malformed-topology",
    scope=Scope.PLAN,
    since="0.1",
    title="Topology of another form",
    why="the slices of a generation have two dimensions or three, and GKE takes no other number",
    fix="Write AxB for a 2D generation and AxBxC for a 3D one, in small letters and without spaces.",
    references=["plan-tpus"],
    basis="format",
    on_pools=(),
    failing="tpu: v6e\ntopology: 4x4x1",
    passing="tpu: v6e\ntopology: 4x4",
)
def malformed_topology(context: PlanContext) -> Iterable[Hit]:
    return _unresolved(context, "TPU111")


@rule(
    "TPU112",
    "unknown-topology",
    scope=Scope.PLAN,
    since="0.1",
    title="Topology does not exist",
    why="GKE refuses a node pool whose topology is not in its table",
    fix="Choose a topology of the generation; `gke-tpu catalog v6e` lists them.",
    references=["plan-tpus"],
    basis="format",
    on_pools=(),
    failing="tpu: v6e\ntopology: 4x3",
    passing="tpu: v6e\ntopology: 4x4",
)
def no_such_topology(context: PlanContext) -> Iterable[Hit]:
    return _unresolved(context, "TPU112")


@rule(
    "TPU113",
    "invalid-custom-topology",
    scope=Scope.PLAN,
    since="0.1",
    otherwise={Severity.WARNING: "where sources disagree on the largest shapes"},
    title="Custom topology against the rule",
    why="outside its table GKE takes AxBxC with A <= B <= C, each a multiple of the same number, up to a largest slice",
    fix="Round each dimension up to the next multiple and put them in order.",
    references=["plan-tpus"],
    basis="format",
    on_pools=(),
    failing="tpu: v5p\ntopology: 4x6x8\nzone: us-east5-a",
    passing="tpu: v5p\ntopology: 4x8x8\nzone: us-east5-a",
)
def against_custom_rule(context: PlanContext) -> Iterable[Hit]:
    """An error for a shape that every source excludes, and a warning for one that some source lists."""
    yield from _unresolved(context, "TPU113")
    for _, group in context.fleet.groups():
        custom = context.catalog.generation(group.shape.generation).custom_topologies
        doubt = custom_doubt(custom, group.shape.topology) if group.shape.custom and custom else ""
        if custom and doubt:
            yield Hit(
                (*group.path, "topology" if group.plan.topology is not None else "chips"),
                f"GKE's planning page does not list {group.shape.topology} for {group.shape.generation}: {doubt}",
                fact=custom.for_item("disputed_chips"),
                severity=Severity.WARNING,
                why="other sources list the shape, so GKE may accept or refuse it",
                fix=_undoubted(custom, group.shape.topology),
            )


def _undoubted(custom: CustomTopologies, topology: Topology) -> str:
    """The same dimensions in order, or else the largest documented shape."""
    ordered, largest = Topology(tuple(sorted(topology.dimensions))), Topology.parse(custom.largest_documented)
    if not custom_doubt(custom, ordered):
        return f"topology: {ordered}"
    return f"topology: {largest}      # {largest.chips:,} chips; {topology} would be {topology.chips:,}"


@rule(
    "TPU114",
    "ambiguous-topology",
    scope=Scope.PLAN,
    since="0.1",
    title="Topology exists in two forms",
    why="a topology such as 2x4 is one large host or a slice of smaller ones: other nodes, for other workloads",
    fix="Say which with chips_per_host.",
    references=["plan-tpus"],
    basis="format",
    failing="tpu: v6e\ntopology: 2x4",
    passing="tpu: v6e\ntopology: 2x4\nchips_per_host: 8",
)
def ambiguous_topology(context: PlanContext) -> Iterable[Hit]:
    return _unresolved(context, "TPU114")


@rule(
    "TPU115",
    "host-topology-mismatch",
    scope=Scope.PLAN,
    since="0.1",
    title="Topology and host contradict each other",
    why="only certain machine types form a topology, each with a fixed number of chips",
    fix="Leave chips_per_host and machine_type out, or name a host that forms the topology.",
    references=["plan-tpus", "gce-tpu-machines"],
    basis="format",
    on_pools=(),
    failing="tpu: v6e\ntopology: 4x4\nchips_per_host: 8",
    passing="tpu: v6e\ntopology: 4x4\nchips_per_host: 4",
)
def contradiction(context: PlanContext) -> Iterable[Hit]:
    return _unresolved(context, "TPU115")


@rule(
    "TPU116",
    "ambiguous-chip-count",
    scope=Scope.PLAN,
    since="0.1",
    title="Chips fit no topology, or several",
    why="chips stands for the one topology with that many; none or several leave nothing to create",
    fix="Write the topology.",
    references=["plan-tpus"],
    basis="format",
    failing="tpu: v6e\nchips: 12",
    passing="tpu: v6e\nchips: 16",
)
def chips_fit_no_topology(context: PlanContext) -> Iterable[Hit]:
    return _unresolved(context, "TPU116")


@rule(
    "TPU119",
    "too-many-slices",
    scope=Scope.PLAN,
    since="0.1",
    title="More slices than a group holds",
    why="each slice of several hosts is a node pool of its own; such a number is a typing error",
    fix="Ask for fewer slices, or for larger ones.",
    source="A limit of this tool: 1,000 slices of several hosts in one group",
    basis="format",
    failing="tpu: v6e\ntopology: 4x4\ncount: 20000",
    passing="tpu: v6e\ntopology: 4x4\ncount: 20",
)
def too_many_slices(context: PlanContext) -> Iterable[Hit]:
    return _unresolved(context, "TPU119")


@rule(
    "TPU105",
    "undocumented-machine-type",
    scope=Scope.PLAN,
    since="0.1",
    severity=Severity.WARNING,
    title="Undocumented or legacy machine type",
    why="GKE's documentation does not offer it on this kind of cluster; it can be refused or disappear",
    fix="Use a documented machine type, or accept the warning.",
    references=["plan-tpus"],
    on_pools=(),
    failing="""
mode: standard
location: us-central1
slices:
  serve: {tpu: v5e, topology: 2x2, machine_type: ct5l-hightpu-4t, zone: us-central1-a}
""",
    passing="""
mode: standard
location: us-central1
slices:
  serve: {tpu: v5e, topology: 2x2, machine_type: ct5lp-hightpu-4t, zone: us-central1-a}
""",
)
def doubtful_machine_type(context: PlanContext) -> Iterable[Hit]:
    for _, group in standard_groups(context):
        if group.plan.machine_type is None:
            continue
        generation = context.catalog.generation(group.shape.generation)
        machine, family = generation.machine_types[group.shape.machine_type], generation.families[group.shape.family]
        if machine.documented and family.documented and not family.legacy:
            continue
        yield Hit(
            (*group.path, "machine_type"),
            f"{group.shape.machine_type} is {'legacy' if family.legacy else 'in no documentation of GKE'}",
            fact=machine,
            allowed=tuple(
                name
                for name, other in generation.machine_types.items()
                if other.documented and other.chips == machine.chips and not generation.families[other.family].legacy
            ),
            why=machine.note.rstrip("."),
        )


@rule(
    "TPU117",
    "undocumented-custom-topology",
    scope=Scope.PLAN,
    since="0.1",
    severity=Severity.WARNING,
    title="Custom topology beyond the largest documented shape",
    why="sources disagree whether only the number of chips is limited or each dimension too, so GKE may refuse it",
    fix="Choose a shape that fits into the largest documented one.",
    references=["plan-tpus"],
    on_pools=(),
    failing="tpu: v5p\ntopology: 4x4x32\nzone: us-east5-a",
    passing="tpu: v5p\ntopology: 4x4x24\nzone: us-east5-a",
)
def beyond_documented(context: PlanContext) -> Iterable[Hit]:
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
        doubt = f"; no source has a dimension over {custom.max_dimension}" if longest > custom.max_dimension else ""
        yield Hit(
            (*group.path, key),
            f"{group.shape.topology} reaches beyond {custom.largest_documented}, the largest documented shape of "
            f"{group.shape.generation}{doubt}",
            fact=custom,
            allowed=tuple(smaller),
            fix=f"topology: {smaller[-1]}" if smaller else "",
        )


def _within(topology: Topology, largest: str) -> bool:
    return all(side <= most for side, most in zip(topology.dimensions, Topology.parse(largest).dimensions, strict=True))


@rule(
    "TPU118",
    "too-many-hosts",
    scope=Scope.PLAN,
    since="0.1",
    title="More hosts than one node pool holds",
    why="a node pool in one zone is one managed instance group, which holds no more machines",
    fix="Ask for smaller slices, or spread single hosts over several groups.",
    severity=Severity.WARNING,
    references=["autoscaler-provider"],
    on_pools=("size",),
    failing="tpu: v6e\ntopology: 2x2\ncount: 2500",
    passing="tpu: v6e\ntopology: 2x2\ncount: 1500",
)
def too_many_hosts(context: PlanContext) -> Iterable[Hit]:
    nodes = context.catalog.platform.nodes
    for cluster, group in context.fleet.groups():
        hosts = group.shape.hosts if group.shape.multi_host else group.slices.maximum
        if hosts <= nodes.max_hosts_per_pool or (cluster.mode == "autopilot" and not group.shape.multi_host):
            continue
        yield Hit(
            (*group.path, _size_key(group.shape, group.plan.topology, group.plan.max)),
            f"a node pool of {hosts:,} hosts, and one holds {nodes.max_hosts_per_pool:,}",
            fact=nodes.for_item("max_hosts_per_pool"),
            allowed=(f"at most {nodes.max_hosts_per_pool:,} hosts in a node pool",),
        )


def _size_key(shape: Shape, topology: str | None, most: int | None) -> str:
    if shape.multi_host:
        return "topology" if topology is not None else "chips"
    return "max" if most is not None else "count"
