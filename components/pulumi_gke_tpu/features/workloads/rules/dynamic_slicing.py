"""Checks of workloads on cubes, of which GKE forms slices: TPU884 to TPU889 and TPU897."""

import math
from collections.abc import Iterable, Iterator
from fractions import Fraction

from pulumi_gke_tpu.core.catalog.records.workloads import DynamicSlices
from pulumi_gke_tpu.core.catalog.topologies import unformable
from pulumi_gke_tpu.core.fleet import SliceGroup
from pulumi_gke_tpu.core.fleet.scheduling import Room, indistinct_from, room
from pulumi_gke_tpu.core.fleet.settings import system_pool
from pulumi_gke_tpu.core.fleet.workloads import Workload, is_queued
from pulumi_gke_tpu.core.kinds import has_head, written_kind, written_kinds
from pulumi_gke_tpu.core.plan.kubernetes import WorkloadSpec
from pulumi_gke_tpu.core.rules.engine.context import PlanContext
from pulumi_gke_tpu.core.rules.engine.examples import CUBES
from pulumi_gke_tpu.core.rules.engine.rule import Hit, of_clusters, of_groups, of_workloads, rule, warning
from pulumi_gke_tpu.core.text.findings import Path, Rename, SetKeys, Severity, listed, number, quoted
from pulumi_gke_tpu.core.text.formats.names import is_label_value
from pulumi_gke_tpu.core.text.formats.quantity import parse_quantity
from pulumi_gke_tpu.features.workloads.rules.walk import clusters_with_objects, workloads

_CLUSTER = CUBES.replace(
    "slices:", "cpu_pools: {controllers: {machine_type: n2-standard-16, nodes: 1, zones: [us-central1-c]}}\nslices:"
)
_CLUSTER += "kubernetes:\n  queues: {team: {}}\n"


_TWO_BLOCKS = _CLUSTER.replace(
    "kubernetes:",
    "  more: {tpu: tpu7x, slicing: dynamic, zone: us-central1-c, "
    "capacity: {reservation: {name: ironwood, block: block-2}}}\nkubernetes:",
)


def _run(keys: str) -> str:
    return f"{_CLUSTER}  workloads: {{run: {{slices: cubes, image: train, {keys}}}}}"


def _written(context: PlanContext) -> Iterator[tuple[SliceGroup, Path, WorkloadSpec]]:
    """Every workload of the plan whose slice group exists, also without a shape, with its group and path."""
    for found in clusters_with_objects(context):
        places = found.cluster.workers or (found.cluster,)
        groups = {group.path[-1]: group for place in places for group in place.groups}
        for name, item in found.cluster.plan.kubernetes.workloads.items() if found.cluster.plan.kubernetes else ():
            if item.slices in groups:
                yield groups[item.slices], (*found.cluster.path, "kubernetes", "workloads", name), item


@rule(
    "TPU884",
    about=(*of_workloads("slices", "topology"), *of_groups("slicing")),
    title="Topology of a workload that its slice group does not have",
    why="a group with `slicing: dynamic` consists of cubes. Each workload sets the topology of the slices that GKE "
    "forms of them: parts of a cube, or several cubes with dimensions that do not decrease. The slices of other groups "
    "have a fixed topology",
    fix="Set `topology` of a workload on cubes to a part of a cube, such as 2x4x4, or to AxBxC with multiples of 4 "
    "that do not decrease, such as 4x4x8. Remove it from other workloads.",
    references=["gke-dynamic-slicing", "subslicing-news"],
    failing=_run("topology: 4x4x6, queue: team"),
    passing=_run("topology: 4x4x8, queue: team"),
)
def topology_of_workload(context: PlanContext) -> Iterable[Hit]:
    facts = context.catalog.kubernetes.pods.dynamic_slices
    for group, path, item in _written(context):
        if not group.dynamic:
            if item.topology is not None:
                message = f"the slices of {quoted(group.key)} have topology {group.shape.topology}"
                yield Hit.conflict((*path, "topology"), "`topology`", f"`slices: {item.slices}`", message, fact=facts)
        elif item.topology is None:
            allowed = (*facts.parts, facts.cube_topology, "AxBxC of multiples of 4")
            what = f"the cubes of {quoted(group.key)} have no slices before a workload asks for them"
            fix = SetKeys.of(topology=facts.cube_topology)
            yield Hit.missing((*path, "slices"), "key `topology`", what, fact=facts, allowed=allowed, fix=fix)
        elif reason := unformable(facts, item.topology):
            yield Hit.invalid((*path, "topology"), "slice topology", item.topology, reason, fact=facts)


def _on_cubes(context: PlanContext) -> Iterator[Workload]:
    return (workload for workload in workloads(context) if workload.dynamic)


@rule(
    "TPU885",
    about=of_workloads("partitions", "queue", "slices"),
    title="Nothing forms the slices of a workload on cubes",
    why="Kueue and its slice controller form the slices of queued workloads. Without a queue, the plan makes them "
    "and names their partitions. Pods without a slice wait, or run on hosts whose chips are not connected",
    fix="Set `queue`. Or list the partitions of each slice: `kubectl get nodes -L "
    "cloud.google.com/gke-tpu-partition-4x4x4-id -L cloud.google.com/gce-topology-block` shows those of your nodes.",
    references=["gke-dynamic-slicing", "gke-dynamic-slicing-scheduler"],
    source="gke-tpu: keys of workloads on cubes",
    failing=_run("topology: 4x4x8"),
    passing=_run("topology: 4x4x8, queue: team"),
)
def unformed_slices(context: PlanContext) -> Iterable[Hit]:
    for group, path, item in _written(context):
        if item.partitions and not group.dynamic:
            yield Hit.conflict((*path, "partitions"), "`partitions`", f"static slices of {quoted(group.key)}")
    for workload in _on_cubes(context):
        queued, place = is_queued(workload, context.catalog), (*workload.path, "partitions")
        if queued and workload.plan.partitions:
            yield Hit.conflict(place, "`partitions`", "a queue", "Kueue chooses the partitions of queued workloads")
        elif not queued and not workload.plan.partitions:
            what = "no controller forms slices of a workload without a queue"
            yield Hit.missing((*workload.path, "slices"), "key `queue` or `partitions`", what)


@rule(
    "TPU886",
    about=(*of_workloads("count", "partitions", "topology"), *of_groups("count")),
    title="Partitions that do not form the slices of a workload",
    why="a slice has one partition for each of its cubes, and a part of a cube is one partition. A partition belongs "
    "to one slice, and a group has one for each of its cubes. The API server accepts any list, and GKE then fails to "
    "form the slice",
    fix="List the partitions of each slice: one ID for each cube, and each ID once.",
    references=["gke-dynamic-slicing-scheduler", "slicing-outcomes"],
    otherwise={Severity.WARNING: "if the cluster exists already, with cubes outside the plan"},
    failing=_run("topology: 4x4x8, partitions: [[p1]]"),
    passing=_run("topology: 4x4x8, partitions: [[p1, p2]]"),
)
def partitions_that_form_no_slice(context: PlanContext) -> Iterable[Hit]:
    fact = context.catalog.kubernetes.pods.dynamic_slices
    seen: dict[tuple[str, str], str] = {}
    used: dict[Path, Fraction] = {}
    for workload in _on_cubes(context):
        written, path = workload.plan.partitions, (*workload.path, "partitions")
        each = -(-workload.shape.chips // workload.group.shape.chips)
        if written and len(written) != workload.slices:
            given = number(len(written), "list")
            yield Hit(path, f"{given} of partitions for {number(workload.slices, 'slice')}", fact=fact)
        yield from _beyond_cubes(workload, used, fact)
        for index, partitions in enumerate(written):
            if len(partitions) != each:
                topology, has = workload.shape.topology, number(len(partitions), "partition")
                yield Hit(
                    (*path, index), f"a slice of {topology} has {number(each, 'partition')}, not {has}", fact=fact
                )
            for place, name in enumerate(partitions):
                at, key = (*path, index, place), (workload.cluster.key, name)
                if key in seen:
                    yield Hit.duplicate(at, "partition", name, f"already used in {seen[key]}", fact=fact)
                elif not name or not is_label_value(name):
                    yield Hit.invalid(at, "partition ID", name, "nodes have it as the value of a label", fact=fact)
                seen.setdefault(key, f"slice {index + 1} of {quoted(workload.name)}")


def _beyond_cubes(workload: Workload, used: dict[Path, Fraction], fact: DynamicSlices) -> Iterator[Hit]:
    """The first workload whose slices need more cubes than its group has, with those of the workloads before it."""
    group = workload.group
    before = used.get(group.path, Fraction(0))
    slices = len(workload.plan.partitions)
    used[group.path] = total = before + Fraction(workload.shape.chips * slices, group.shape.chips)
    if before <= group.slices.maximum < total:
        has = number(group.slices.maximum, "cube")
        whole = number(math.ceil(total), "cube")
        message = f"the slices up to this workload have {whole}, and {quoted(group.key)} has {has}"
        weaker = Severity.WARNING if workload.cluster.existing else None
        yield Hit((*workload.path, "partitions"), message, fact=fact, severity=weaker)


@rule(
    "TPU887",
    about=of_workloads("head", "kind", "topology"),
    title="Kind of workload that gets no slices of cubes",
    why="the slice controller for Kueue asks for slices only for Jobs, JobSets and LeaderWorkerSets. It "
    "treats a group of a LeaderWorkerSet as one cube or a part of one, so a larger group waits forever. It asks "
    "for no slice if the leader has no chips",
    fix="Use `kind: job` or `kind: jobset`. Or `kind: leaderworkerset` on one cube or a part of one, without `head`.",
    references=["gke-samples-slice-queues", "xpk-slice-controller", "slicing-outcomes"],
    failing=_run("topology: 4x4x8, queue: team, kind: leaderworkerset"),
    edit=("4x4x8", "4x4x4"),
)
def kind_on_cubes(context: PlanContext) -> Iterable[Hit]:
    fact = context.catalog.kubernetes.kueue.slices.for_item("kinds")
    for workload in _on_cubes(context):
        kind, path = written_kind(workload), workload.path
        if kind.on_cubes == "no":
            allowed = [f"kind: {word}" for word, other in written_kinds().items() if other.on_cubes != "no"]
            yield Hit.unsupported((*path, "kind"), kind.title, "slices of cubes", fact=fact, allowed=tuple(allowed))
            continue
        if has_head(workload):
            yield Hit.unsupported((*path, "head"), "a head without chips", f"{kind.title} on cubes", fact=fact)
        if kind.on_cubes == "one" and workload.shape.chips > workload.group.shape.chips:
            cubes = number(workload.shape.chips // workload.group.shape.chips, "cube")
            message = f"a slice of {workload.shape.topology} has {cubes}, and {kind.title} on cubes can use one only"
            fix = SetKeys.of(topology=str(workload.group.shape.topology))
            yield Hit((*path, "topology"), message, fact=fact, fix=fix)


@rule(
    "TPU888",
    about=(*of_workloads("partitions"), "clusters.*.kubernetes.workloads"),
    title="Name of a slice is too long",
    why="GKE appends a hash to the name of a slice, in names of Compute Engine with at most 63 characters, and nodes "
    "have the name in a label",
    fix="Use a shorter name of the workload.",
    references=["gke-slice-reference", "slicing-outcomes"],
    otherwise={Severity.WARNING: "if versions of the documentation disagree about the length"},
    failing=_run("topology: 4x4x8, partitions: [[p1, p2]]").replace("run:", f"{'pretraining-' * 4}ab:"),
    passing=_run("topology: 4x4x8, partitions: [[p1, p2]]"),
)
def long_slice_name(context: PlanContext) -> Iterable[Hit]:
    facts = context.catalog.kubernetes.pods.slice_names
    for workload in _on_cubes(context):
        name = max(workload.slice_names, key=len, default="")
        if len(name) > facts.longest:
            yield Hit(
                workload.path,
                f"the slice {quoted(name)} has a name of {len(name)} characters, and {facts.longest} are allowed",
                fact=facts.about_length(len(name)),
                fix=Rename.to(workload.name[: facts.longest - len(name) + len(workload.name)].rstrip("-")),
            )


@rule(
    "TPU889",
    about=of_groups("node_labels", "slicing"),
    title="Groups of cubes of a queue have no distinct labels",
    why="Kueue places slices on all nodes with the labels of a flavor, and counts their free hosts for each flavor "
    "apart. If the cubes of two groups have the same labels, it admits more slices than there are hosts",
    fix="Add a label of its own to `node_labels` of each group.",
    references=["kueue-topology-api", "kueue-flavor-api"],
    source="gke-tpu: labels of slice groups",
    failing=_TWO_BLOCKS,
    passing=_TWO_BLOCKS.replace("block-1}", "block-1}}\n    node_labels: {block: one").replace(
        "block-2}}", "block-2}}, node_labels: {block: two}"
    ),
)
def indistinct_cubes(context: PlanContext) -> Iterable[Hit]:
    for found in clusters_with_objects(context):
        flavors = {quota.flavor.key: quota.flavor for queue in found.queues for quota in queue.quotas}
        for flavor in (flavor for flavor in flavors.values() if flavor.dynamic):
            group = flavor.groups[0]
            others = indistinct_from(flavor.cluster, group, found.together(group) or (group,), context.catalog)
            alike = next((other for other in others if other.dynamic), None)
            if alike is not None:
                message = f"the cubes of {quoted(alike.key)} have all labels of the flavor of {quoted(group.key)}"
                fix = SetKeys.of(node_labels={**group.plan.node_labels, "slice-group": group.path[-1]})
                yield Hit(group.path, message, fix=fix)


@warning(
    "TPU897",
    about=(*of_clusters("cpu_pools", "system_pool.machine_type"), *of_groups("slicing")),
    title="No node holds the slice controller for Kueue",
    why="queued workloads on cubes need the slice controller for Kueue. Its Pod runs on a node without TPUs, and while "
    "it is Pending, its webhook rejects all Jobs, JobSets and LeaderWorkerSets",
    fix="Add a pool to `cpu_pools` with a larger machine type, such as n2-standard-16. Or lower the requests of the "
    "controller when you install it.",
    references=["gke-samples-slice-queues", "xpk-slice-controller", "gke-node-sizes"],
    failing=_run("topology: 4x4x8, queue: team").replace("n2-standard-16", "n2-standard-8"),
    passing=_run("topology: 4x4x8, queue: team"),
)
def no_node_for_slice_controller(context: PlanContext) -> Iterable[Hit]:
    slices, nodes = context.catalog.kubernetes.kueue.slices, context.catalog.kubernetes.workloads.cpu_nodes
    needs = Room(parse_quantity(slices.cpu) or Fraction(0), parse_quantity(slices.memory) or Fraction(0))
    for found in clusters_with_objects(context):
        cluster, system = found.cluster, system_pool(found.cluster)
        groups = (quota.flavor.groups[0] for queue in found.queues for quota in queue.quotas)
        used = next((group for group in groups if group.dynamic), None)
        if used is None or cluster.workers or system is None or cluster.plan.autoprovisioning is not None:
            continue
        machines = [system.machine_type.value, *(pool.plan.machine_type for pool in cluster.cpu_pools)]
        left = [room(machine, nodes) for machine in machines]
        if all(one is not None and not one.holds(needs) for one in left):
            yield Hit(
                used.path,
                f"the slice controller for Kueue requests {slices.cpu} vCPUs and {slices.memory}, and no node of "
                f"{listed([quoted(machine) for machine in dict.fromkeys(machines)], 'or')} leaves that to a Pod",
                fact=slices.for_item("cpu"),
            )
