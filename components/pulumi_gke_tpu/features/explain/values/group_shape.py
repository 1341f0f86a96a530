"""Explains the shape of a slice group: generation, topology, machine type and hosts."""

from collections.abc import Iterable

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.generation import Generation, MachineType
from pulumi_gke_tpu.core.catalog.topologies import custom_rule, selectable_rows
from pulumi_gke_tpu.core.fleet import Cluster, SliceGroup
from pulumi_gke_tpu.core.fleet.settings import AutoscalerSettings
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings import listed, number
from pulumi_gke_tpu.features.explain.steps import Evidence, Step, evidence, note_named


@frozen
class GroupView:
    """A derived group with the catalog and its cluster."""

    catalog: Catalog
    cluster: Cluster
    group: SliceGroup

    @property
    def generation(self) -> Generation:
        """The group's generation in the catalog."""
        return self.catalog.generation(self.group.shape.generation)

    @property
    def machine(self) -> MachineType:
        """The machine type of the hosts."""
        return self.generation.machine_types[self.group.shape.machine_type]

    @property
    def standard(self) -> bool:
        """Whether gke-tpu creates the node pools of the group."""
        return self.cluster.mode == "standard" and self.group.compute_class is None

    @property
    def mode_word(self) -> str:
        """Standard or Autopilot."""
        return self.cluster.mode.title()

    def note_text(self, note: str) -> str:
        """The text of a note of the catalog, as a reason; empty if the catalog has no such note."""
        found = note_named(self.catalog, note)
        return found.text.rstrip(".") if found else ""

    def proof(self, note: str) -> tuple[Evidence, ...]:
        """The evidence of a note of the catalog, for the machine family of the group."""
        return evidence(self.catalog, note_named(self.catalog, note), self.group.shape.family)


def shape_steps(view: GroupView) -> Iterable[Step]:
    """The steps from the generation to the number of hosts."""
    shape = view.group.shape
    yield _generation(view)
    yield _topology(view)
    yield Step(
        "chips",
        number(shape.chips, "chip"),
        f"{' x '.join(map(str, shape.topology.dimensions))} in one {view.group.unit}",
        follows_from=("topology",),
    )
    yield _machine_type(view)
    yield _chips_per_host(view)
    yield _hosts(view)
    yield _kind(view)


def _generation(view: GroupView) -> Step:
    generation = view.generation
    return Step(
        "generation",
        view.group.shape.generation,
        f"tpu: {view.group.plan.tpu} in the plan; {generation.title}; interconnect: {generation.interconnect}",
        evidence(view.catalog, generation.status),
        keys=("tpu",),
    )


def _topology(view: GroupView) -> Step:
    shape, plan, generation = view.group.shape, view.group.plan, view.generation
    if view.group.dynamic:
        reason = "slicing: dynamic; workloads set the topology of the slices that GKE forms of the cubes"
        facts = evidence(view.catalog, view.catalog.kubernetes.pods.dynamic_slices)
        return Step("topology", str(shape.topology), reason, facts, keys=("chips", "slicing"))
    origin = (
        "from the plan"
        if plan.topology is not None
        else f"the only topology of {shape.generation} with chips: {plan.chips} from the plan"
    )
    if shape.custom and generation.custom_topologies:
        rule = custom_rule(generation.custom_topologies)
        reason = (
            f"{origin}; not in the table of {shape.generation}, but the rule for custom topologies allows it: {rule}"
        )
        facts = evidence(view.catalog, generation.custom_topologies)
    else:
        reason = f"{origin}; in the topology table of {shape.generation} for {view.mode_word}"
        facts = evidence(view.catalog, generation.topologies, str(shape.topology))
    return Step("topology", str(shape.topology), reason, facts, keys=("chips",))


def _machine_type(view: GroupView) -> Step:
    shape, plan = view.group.shape, view.group.plan
    forms = sorted(
        {
            row.machine_type
            for row in selectable_rows(view.generation, view.cluster.mode)
            if row.topology == str(shape.topology) and row.machine_type != shape.machine_type
        }
    )
    others = f"; alternative: {listed([_form(view, name) for name in forms])}" if forms else ""
    if plan.machine_type is not None:
        reason = f"machine_type: {plan.machine_type} in the plan{others}"
    elif shape.custom:
        reason = f"every custom topology of {shape.generation} uses it"
    elif forms:
        reason = f"selected by chips_per_host: {plan.chips_per_host}{others}"
    else:
        reason = f"the only machine type of {shape.generation} for {shape.topology} on {view.mode_word}"
    return Step("machine_type", shape.machine_type, reason, evidence(view.catalog, view.machine, "family"))


def _form(view: GroupView, machine_type: str) -> str:
    hosts = view.group.shape.chips // view.generation.machine_types[machine_type].chips
    return f"{number(hosts, 'host')} of {machine_type}"


def _chips_per_host(view: GroupView) -> Step:
    machine = view.machine
    parts = [f"{machine.vcpu} vCPUs", f"{machine.memory_gib:,} GiB of memory"]
    if machine.hbm_gib is not None:
        parts.append(f"{machine.hbm_gib:,} GiB of HBM")
    reason = f"{view.group.shape.machine_type} also has {listed(parts)}"
    facts, containers = evidence(view.catalog, machine), view.catalog.kubernetes.workloads.containers
    if view.group.shape.machine_type in containers.split_machine_types:
        reason += "; two containers of a Pod can share the chips, half of them each"
        facts += evidence(view.catalog, containers, "split_machine_types")
    return Step("chips_per_host", str(machine.chips), reason, facts)


def _hosts(view: GroupView) -> Step:
    shape = view.group.shape
    return Step(
        "hosts",
        f"{number(shape.hosts, 'host')} per {view.group.unit}",
        f"{number(shape.chips, 'chip')} / {number(shape.chips_per_host, 'chip')} per host",
        follows_from=("chips", "chips_per_host"),
    )


def _kind(view: GroupView) -> Step:
    shape, keys, from_ = view.group.shape, ("single_host", "multi_host"), ("hosts",)
    if shape.multi_host:
        unit = view.group.unit
        pools = (
            f"each {unit} is a separate node pool" if view.standard else "a slice has either all of its hosts or none"
        )
        reason = f"{shape.hosts:,} hosts form one {unit}, so {pools}"
        return Step("kind", "multi-host", reason, view.proof("multi-host-one-pool"), keys, follows_from=from_)
    reason = "one host is a whole slice, so each node is a slice"
    return Step("kind", "single-host", reason, view.proof("single-host-no-topology"), keys, follows_from=from_)


def location_policy(autoscaler: AutoscalerSettings) -> str:
    """Where the autoscaler adds nodes."""
    policy = autoscaler.location_policy.sent
    return f"location policy {policy.upper()}" if policy is not None else "the location policy that the node pools have"
