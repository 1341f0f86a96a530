"""Groups of cubes, and the workload policies that connect no chips: TPU139 and TPU145 to TPU147."""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.catalog.records.facts import note_by_id
from pulumi_gke_tpu.core.fleet import Cluster, SliceGroup
from pulumi_gke_tpu.core.fleet.settings import SLICE_CONTROLLER, ClusterSettings
from pulumi_gke_tpu.core.rules.engine.context import PlanContext
from pulumi_gke_tpu.core.rules.engine.rule import Hit, in_cluster, of_clusters, of_groups, rule, warning
from pulumi_gke_tpu.core.text.findings import SetKeys, Severity, number, quoted

_LATER = "provision_only"
"""The topology mode of policies whose hosts dynamic slicing connects."""
_NOTE = "tpu7x-dynamic-slicing"
_CUBES = """
mode: standard
location: us-central1
network: {create: {mtu: 8896}}
workload_policies: {cubes: {topology: 4x4x4, topology_mode: provision_only}}
slices:
  cubes:
    tpu: tpu7x
    slicing: dynamic
    count: 4
    zone: us-central1-c
    capacity: {reservation: {name: ironwood, block: block-0001}}
    placement: {workload_policy: cubes}
"""


@warning(
    "TPU139",
    about=of_clusters("addons", "workload_policies.*.topology_mode"),
    title="Requirements of dynamic slicing are not met",
    why="with `topology_mode: provision_only`, the hosts get no connections between their chips until dynamic slicing "
    "combines them",
    fix_of_resources="Enable the slice controller of a Standard cluster. Or remove `topology_mode`: Compute Engine "
    "then connects the chips when it creates the VMs.",
    fix="Use the policy in a group with `slicing: dynamic` on a Standard cluster: gke-tpu then enables the add-on. Or "
    "remove `topology_mode`: Compute Engine then connects the chips when it creates the VMs.",
    references=["gke-dynamic-slicing", "gke-dynamic-slicing-concept"],
    failing=in_cluster(
        "workload_policies: {cubes: {topology: 4x4x4, topology_mode: provision_only}}", location="us-central1"
    ),
    passing=_CUBES,
)
def unusable_dynamic_slicing(context: PlanContext) -> Iterable[Hit]:
    note = note_by_id(context.catalog.platform.notes, _NOTE)
    for cluster in context.fleet.clusters:
        for item in cluster.workload_policies:
            path = (*item.path, "topology_mode")
            if item.plan.topology_mode != _LATER:
                continue
            if cluster.mode != "standard":
                yield Hit.unsupported(path, "`provision_only`", "Autopilot clusters", fact=note)
            elif not cluster.existing and SLICE_CONTROLLER not in ClusterSettings(cluster).addons:
                yield Hit.missing(path, "add-on slice_controller", "`provision_only` requires it", fact=note)


@rule(
    "TPU145",
    about=(
        *of_groups("placement.workload_policy", "slicing"),
        *of_clusters("workload_policies.*.topology", "workload_policies.*.topology_mode"),
    ),
    title="Workload policy for another kind of slicing",
    why="the workload policy decides whether Compute Engine connects the chips of the hosts when it creates them, as "
    "static slices require, or leaves that to the slice controller of GKE. The hosts of static slices with "
    "`topology_mode: provision_only` are never connected, and cubes of other hosts are never combined",
    fix="Set `slicing: dynamic` for a policy with the topology of a cube and `topology_mode: provision_only`. Or "
    "remove `placement`: gke-tpu then creates the policy.",
    fix_of_resources="Use a policy of the mode PROVISION_ONLY only for node pools without a topology, the cubes of "
    "dynamic slicing. For other node pools, use a policy with the topology of the slice and without a mode.",
    references=["gke-dynamic-slicing", "gke-dynamic-slicing-scheduler"],
    note=_NOTE,
    failing=_CUBES.replace("slicing: dynamic", "topology: 4x4x8")
    .replace("{topology: 4x4x4", "{topology: 4x4x8")
    .replace("network:", "release_channel: rapid\naddons: [slice_controller]\nnetwork:"),
    passing=_CUBES,
)
def policy_of_other_slicing(context: PlanContext) -> Iterable[Hit]:
    for cluster in context.fleet.clusters:
        modes = {item.name: item.plan.topology_mode == _LATER for item in cluster.workload_policies}
        for group in cluster.groups:
            placement = group.plan.placement
            written = placement.workload_policy if placement is not None else None
            policy = written.rpartition("/")[2] if isinstance(written, str) else ""
            if cluster.mode != "standard" or modes.get(policy, group.dynamic) == group.dynamic:
                continue
            what = "cubes require" if group.dynamic else "static slices do not support"
            yield Hit(
                (*group.path, "placement", "workload_policy"),
                f"{what} a policy with `topology_mode: provision_only`: {quoted(policy)}",
            )


def _dynamic(context: PlanContext) -> Iterator[tuple[Cluster, SliceGroup]]:
    """The groups of cubes."""
    return ((cluster, group) for cluster, group in context.fleet.groups() if group.dynamic)


@rule(
    "TPU146",
    about=of_groups("capacity", "fallback", "max", "min", "slicing"),
    title="Cubes that are not reserved, that are autoscaled, or in an Autopilot cluster",
    why="GKE forms slices only on Standard clusters. Compute Engine provides hosts without connected chips only from a "
    "specific reservation. Reserved hosts are there all the time, and GKE combines them when a workload asks for a "
    "slice",
    fix="Set `capacity` to a reservation with its block, and `count` to the number of cubes. Or set `slicing: static` "
    "and a topology.",
    references=["gke-dynamic-slicing", "cluster-toolkit-node-pool"],
    otherwise={Severity.WARNING: "if the cubes are autoscaled"},
    failing=_CUBES.replace("{reservation: {name: ironwood, block: block-0001}}", "on_demand"),
    passing=_CUBES,
)
def cubes_without_reservation(context: PlanContext) -> Iterable[Hit]:
    fact = note_by_id(context.catalog.capacity.notes, "provision-only")
    for cluster, group in _dynamic(context):
        plan = group.plan
        if cluster.mode != "standard":
            note = note_by_id(context.catalog.platform.notes, _NOTE)
            yield Hit.unsupported((*group.path, "slicing"), "`slicing: dynamic`", "Autopilot clusters", fact=note)
        elif plan.fallback:
            yield Hit.conflict((*group.path, "fallback"), "`fallback`", "`slicing: dynamic`", fact=fact)
        elif plan.capacity.mode != "reservation":
            path = (*group.path, "capacity")
            yield Hit.unsupported(path, "`slicing: dynamic`", f"capacity {plan.capacity.mode}", fact=fact)
        elif plan.autoscaled:
            path = (*group.path, "max" if plan.max is not None else "min")
            message = "no source shows autoscaled cubes; the slice controller combines cubes that exist"
            yield Hit(path, message, fact=fact, severity=Severity.WARNING, fix=SetKeys.of(count=group.slices.maximum))


@warning(
    "TPU147",
    about=of_groups("capacity.reservation.block", "slicing"),
    title="Cubes without the block of their reservation",
    why="all cubes of a slice are in one block. Without a block, Compute Engine can take the cubes of a group from "
    "several blocks, and a slice of several cubes may never be formed",
    fix="Set `block` of the reservation; the cubes of another block are another group. `gcloud compute reservations "
    "blocks list RESERVATION` shows the blocks.",
    fix_of_resources="Name the block too: RESERVATION/reservationBlocks/BLOCK. The cubes of another block are another "
    "node pool. `gcloud compute reservations blocks list RESERVATION` shows the blocks.",
    references=["gke-dynamic-slicing", "gke-dynamic-slicing-scheduler", "gke-all-capacity-mode"],
    note=_NOTE,
    failing=_CUBES.replace("{name: ironwood, block: block-0001}", "ironwood"),
    passing=_CUBES,
)
def cubes_without_block(context: PlanContext) -> Iterable[Hit]:
    for _, group in _dynamic(context):
        reservation = group.plan.capacity.reservation
        if reservation is not None and reservation.block is None and group.slices.maximum > 1:
            place = (*group.path, "capacity", "reservation")
            yield Hit.missing(
                place,
                "block of the reservation",
                f"the {number(group.slices.maximum, 'cube')} of a group are one block",
            )
