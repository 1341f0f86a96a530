"""Checks of workloads on several slice groups: TPU332 to TPU338."""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet import SliceGroup
from pulumi_gke_tpu.core.fleet.scheduling import claims_chips, could_be_on_provisioned, indistinct_from
from pulumi_gke_tpu.core.fleet.workloads import KubernetesObjects, Workload
from pulumi_gke_tpu.core.kinds import written_kind
from pulumi_gke_tpu.core.plan.base import format_duration
from pulumi_gke_tpu.core.rules.engine.context import PlanContext
from pulumi_gke_tpu.core.rules.engine.rule import Hit, in_cluster, of_groups, of_workloads, rule, warning
from pulumi_gke_tpu.core.text.findings import SetKeys, listed, quoted
from pulumi_gke_tpu.features.workloads.rules.walk import clusters_with_objects, place_of, workloads

_LOGIC = "gke-tpu: flavors of the slice groups of a workload"
_ABOUT = "clusters.*.kubernetes.workloads.*.fallback"

_CLUSTER = in_cluster("""
slices:
  ours: {tpu: v6e, topology: 4x4, count: 2, zone: us-east5-b, capacity: {reservation: ours}, node_labels: {pool: ours}}
  theirs: {tpu: v6e, topology: 4x4, count: 2, zone: us-east5-b, capacity: {reservation: theirs}, node_labels: {pool: b}}
  spot: {tpu: v6e, topology: 4x4, count: {max: 2}, zone: us-east5-b, capacity: spot}
  more: {tpu: v6e, topology: 4x8, count: 2, zone: us-east5-b}
kubernetes:
  queues: {team: {}}
""")


def _run(keys: str) -> str:
    return f"{_CLUSTER}  workloads: {{run: {{slices: ours, image: train, {keys}}}}}\n"


def _in_order(context: PlanContext) -> Iterator[Workload]:
    """The workloads on several slice groups."""
    return (workload for workload in workloads(context) if workload.fallback)


@rule(
    "TPU332",
    about=(_ABOUT, "clusters.*.kubernetes.workloads.*.queue"),
    title="Several slice groups without a queue",
    why="Kueue chooses the slice group by quota. Without a queue, nothing chooses: Kubernetes starts the Pods on any "
    "node that they select",
    fix="Set `queue`. Without Kueue, use one slice group, and list capacity modes in its `fallback`: a ComputeClass "
    "then tries them in order.",
    references=["kueue-clusterqueue-api"],
    source=_LOGIC,
    failing=_run("fallback: [spot]"),
    passing=_run("fallback: [spot], queue: team"),
)
def fallback_without_queue(context: PlanContext) -> Iterable[Hit]:
    for workload in _in_order(context):
        if workload.plan.queue is None:
            queues = workload.cluster.plan.kubernetes.queues if workload.cluster.plan.kubernetes else {}
            fix = SetKeys.of(queue=next(iter(queues))) if len(queues) == 1 else None
            yield Hit.missing(
                (*workload.path, "fallback"), "key `queue`", "only Kueue tries slice groups in order", fix=fix
            )


@rule(
    "TPU333",
    about=(_ABOUT, "clusters.*.slices.*.fallback"),
    title="Slice group cannot take over a workload",
    why="the Pods of a workload are the same on each of its slice groups: they need the same generation, topology, "
    "machine type and driver mode. With a ComputeClass, Pods select only the class, and the run duration of queued "
    "capacity is an annotation of the whole workload",
    fix="Remove the group from `fallback`, or give it the shape of the others. For other workers of a manager, use the "
    "same names of slice groups on each worker.",
    source=_LOGIC,
    failing=_run("fallback: [more], queue: team"),
    passing=_run("fallback: [spot], queue: team"),
)
def unsuitable_fallback_group(context: PlanContext) -> Iterable[Hit]:
    for found in clusters_with_objects(context):
        for workload in found.workloads if found.cluster.workers else ():
            yield from _on_other_workers(found, workload)
    for workload in _in_order(context):
        seen: dict[str, str] = {}
        for index, group in enumerate(workload.groups):
            path = place_of(workload, index)
            if group.key in seen:
                yield Hit.duplicate(path, "slice group", group.path[-1], seen[group.key])
                continue
            seen[group.key] = "`slices` has it" if index == 0 else f"entry {index} has it"
            if group.compute_class is not None:
                yield Hit.unsupported(
                    path,
                    f"slice group {quoted(group.key)}, which a ComputeClass serves because of its `fallback`,",
                    "a workload with several slice groups",
                )
            differences = [*_differences(workload.group, group, context.catalog)] if index else []
            if differences:
                yield Hit(
                    path,
                    f"{quoted(group.key)} cannot take over from {quoted(workload.group.key)}: it has "
                    f"{listed(differences)}",
                )
        yield from _durations(workload)


def _on_other_workers(found: KubernetesObjects, workload: Workload) -> Iterator[Hit]:
    """Groups that only other workers of a manager have: Kueue copies a workload to one worker."""
    home, first = workload.cluster, quoted(workload.group.key)
    known = {group.path[-1] for group in home.groups}
    for index, name in enumerate(workload.plan.fallback):
        others = [group for worker in found.cluster.workers for group in worker.groups if group.path[-1] == name]
        if name not in known and others:
            yield Hit(
                (*workload.path, "fallback", index),
                f"{quoted(others[0].key)} cannot take over from {first}: worker {quoted(home.key)} has no slice "
                f"group {quoted(name)}",
            )


def _differences(first: SliceGroup, other: SliceGroup, catalog: Catalog) -> Iterator[str]:
    """What differs in the shape of two groups, and in how their Pods get chips."""
    parts = (
        ("", first.shape.generation, other.shape.generation),
        ("topology ", str(first.shape.topology), str(other.shape.topology)),
        ("machine type ", first.shape.machine_type, other.shape.machine_type),
        ("slicing ", first.plan.slicing, other.plan.slicing),
        ("driver mode ", _driver(first, catalog), _driver(other, catalog)),
    )
    for name, wanted, given in parts:
        if wanted != given:
            yield f"{name}{given}, not {wanted}"


def _driver(group: SliceGroup, catalog: Catalog) -> str:
    return "dynamic_resource_allocation" if claims_chips(group, catalog) else "device_plugin"


def _durations(workload: Workload) -> Iterator[Hit]:
    """Groups with queued capacity and different run durations."""
    durations = {
        index: group.plan.capacity.flex_start.max_run_duration
        for index, group in enumerate(workload.groups)
        if group.plan.capacity.is_queued and group.plan.capacity.flex_start is not None
    }
    first = next(iter(durations), 0)
    for index, duration in durations.items():
        if duration != durations[first]:
            texts = [format_duration(value) if value else "no duration" for value in (durations[first], duration)]
            yield Hit.conflict(
                place_of(workload, index),
                f"`max_run_duration` of {quoted(workload.groups[index].key)} ({texts[1]})",
                f"that of {quoted(workload.groups[first].key)} ({texts[0]})",
                "Kueue requests both with one annotation of the workload",
            )


@rule(
    "TPU334",
    about=(_ABOUT, "clusters.*.kubernetes.workloads.*.queue"),
    title="Workloads of a queue need contradictory orders of slice groups",
    why="a queue has one order of flavors, in which Kueue tries them for all of its workloads",
    fix="Use the same order in all workloads of the queue. Or set another queue in one workload.",
    references=["kueue-clusterqueue-api"],
    source=_LOGIC,
    failing=f"{_CLUSTER}  workloads:\n"
    "    run: {slices: ours, image: train, fallback: [theirs], queue: team}\n"
    "    try: {slices: theirs, image: train, fallback: [ours], queue: team}\n",
    edit=("slices: theirs, image: train, fallback: [ours]", "slices: ours, image: train, fallback: [theirs]"),
)
def contradictory_group_order(context: PlanContext) -> Iterable[Hit]:
    for found in clusters_with_objects(context):
        after: dict[str, dict[str, dict[str, Workload]]] = {}
        """Queue -> group -> the groups that come directly after it, with the first workload that needs it."""
        for workload in found.workloads:
            queue = workload.plan.queue
            if queue is None or not workload.fallback or len({group.key for group in workload.groups}) == 1:
                continue
            edges = after.setdefault(queue, {})
            contradicted = _contradicted(edges, workload)
            if contradicted is not None:
                index, other = contradicted
                yield Hit(
                    place_of(workload, index),
                    f"workload {quoted(workload.name)} needs {_order(workload)}, and workload {quoted(other.name)} of "
                    f"the same queue {_order(other)}",
                )
                continue
            for first, then in _steps(workload):
                edges.setdefault(first.key, {}).setdefault(then.key, workload)


def _steps(workload: Workload) -> Iterator[tuple[SliceGroup, SliceGroup]]:
    """Each group with the next one; a group that is listed twice has no order."""
    yield from zip(workload.groups, workload.groups[1:], strict=False)


def _order(workload: Workload) -> str:
    return " before ".join(quoted(group.path[-1]) for group in workload.groups)


def _contradicted(edges: dict[str, dict[str, Workload]], workload: Workload) -> tuple[int, Workload] | None:
    """The place in the order of a workload that contradicts the workloads before, and one of these; None if none."""
    for index, (first, then) in enumerate(_steps(workload)):
        reached: dict[str, Workload] = {}
        left = [then.key]
        while left:
            for key, owner in edges.get(left.pop(), {}).items():
                if key not in reached:
                    reached[key] = owner
                    left.append(key)
        if first.key in reached:
            return index + 1, reached[first.key]
    return None


@rule(
    "TPU335",
    about=(_ABOUT, "clusters.*.slices.*.node_labels"),
    title="Slice groups of a workload have no distinct labels",
    why="the Pods select only labels that all of its slice groups have, and Kueue adds the labels of the chosen group. "
    "If the nodes of another group have these labels too, the Pods can start there, beyond its quota",
    fix="Add a label to `node_labels` of the slice group. GKE adds it to existing nodes, without a replacement.",
    source=_LOGIC,
    references=["kueue-flavor-api"],
    failing=_run("fallback: [spot], queue: team").replace(", node_labels: {pool: ours}", ""),
    passing=_run("fallback: [spot], queue: team"),
)
def indistinct_fallback_groups(context: PlanContext) -> Iterable[Hit]:
    for found in clusters_with_objects(context):
        reported: set[str] = set()
        for workload in found.workloads:
            if not workload.fallback or not _is_suitable(workload, context.catalog):
                continue
            for index, group in enumerate(workload.groups):
                if group.key not in reported:
                    reported.add(group.key)
                    yield from _indistinct(context, workload, index, found.together(group))


def _indistinct(
    context: PlanContext, workload: Workload, index: int, together: tuple[SliceGroup, ...]
) -> Iterator[Hit]:
    cluster, group = workload.cluster, workload.groups[index]
    others = indistinct_from(cluster, group, together, context.catalog)
    standard = cluster.mode == "standard"
    if others:
        fix = SetKeys.of(node_labels={**group.plan.node_labels, "slice-group": group.path[-1]}) if standard else None
        yield Hit(
            group.path if standard else place_of(workload, index),
            f"the nodes of {quoted(group.key)}, a slice group of workload {quoted(workload.name)}, have no label that "
            f"those of {listed([quoted(other.key) for other in others], 'and', most=3)} do not have",
            fix=fix,
            why="" if standard else "on Autopilot, only the capacity mode and the reservation tell nodes apart",
        )
    elif standard and could_be_on_provisioned(cluster, group, together, context.catalog):
        yield Hit(
            group.path,
            f"auto-provisioned nodes have all labels of {quoted(group.key)}, a slice group of workload "
            f"{quoted(workload.name)}",
            fix=SetKeys.of(node_labels={**group.plan.node_labels, "slice-group": group.path[-1]}),
        )


def _is_suitable(workload: Workload, catalog: Catalog) -> bool:
    """Whether its slice groups can have the same Pods: otherwise TPU333 reports it."""
    return not any(
        group.compute_class is not None or [*_differences(workload.group, group, catalog)] for group in workload.groups
    ) and len({group.key for group in workload.groups}) == len(workload.groups)


@warning(
    "TPU336",
    about=(*of_workloads("slices"), *of_groups("capacity"), _ABOUT),
    title="Kueue does not try the next slice group if nodes do not come",
    why="Kueue looks at quota, not at nodes. If Google has no capacity for the nodes of a slice group with free quota, "
    "Kueue admits the workload to this group again after each timeout",
    fix="List groups whose nodes exist or are reserved first, and the others last. For capacity modes that take over "
    "from each other when nodes do not come, use `fallback` of one slice group. Or accept this warning.",
    references=["kueue-flavor-assigner", "kueue-flavor-fallback"],
    failing=_run("fallback: [spot], queue: team").replace("slices: ours", "slices: spot").replace("[spot]", "[ours]"),
    passing=_run("fallback: [spot], queue: team"),
)
def next_group_only_by_quota(context: PlanContext) -> Iterable[Hit]:
    for workload in _in_order(context):
        for index, group in enumerate(workload.groups[:-1]):
            reason = _may_lack_nodes(workload, group)
            if reason:
                following = workload.groups[index + 1]
                yield Hit(
                    place_of(workload, index),
                    f"{quoted(following.key)} is tried only when the quota of {quoted(group.key)} is used up, not when "
                    f"{reason}",
                    fact=context.catalog.kubernetes.kueue.order,
                )


def _may_lack_nodes(workload: Workload, group: SliceGroup) -> str:
    """Why the nodes of a group may not come although its quota is free; empty if they exist or are reserved."""
    capacity = group.plan.capacity
    if capacity.reservation is not None:
        return ""
    if capacity.is_queued:
        return "its queued request waits"
    if capacity.spot:
        return "Google has no Spot VMs for it"
    if capacity.flex_start is not None:
        return "Google has no flex-start capacity for it"
    exists = workload.cluster.mode == "standard" and group.slices.minimum == group.slices.maximum
    return "" if exists else "Google has no capacity for more of its nodes"


@rule(
    "TPU337",
    about=(*of_workloads("volumes.*.disk"), *of_groups("zone"), _ABOUT),
    title="Disk of a workload is not in the zone of each of its slice groups",
    why="a disk is created in the zone of the first Pod that uses it, and attaches only there. On the nodes of a slice "
    "group in another zone, the Pods stay Pending",
    fix="Use slice groups in one zone, or data in Cloud Storage instead of the disk.",
    references=["pd-csi-labels"],
    failing=_run(
        "fallback: [spot], queue: team, volumes: {d: {mount: /d, disk: {type: hyperdisk-ml, size_gib: 100, "
        "access: read_only_many}}}"
    ).replace("zone: us-east5-b, capacity: spot", "zone: us-east5-a, capacity: spot"),
    edit=("zone: us-east5-a", "zone: us-east5-b"),
)
def disk_not_in_zone_of_group(context: PlanContext) -> Iterable[Hit]:
    for workload in _in_order(context):
        zones = {group.key: group.zones for group in workload.groups}
        other = next((key for key, own in zones.items() if set(own) != set(workload.group.zones)), None)
        for name, volume in workload.plan.volumes.items():
            if volume.disk is not None and other is not None:
                first = workload.group
                yield Hit(
                    (*workload.path, "volumes", name, "disk"),
                    f"the disk is in one zone, and {quoted(first.key)} is in {_zones(first.zones)}, {quoted(other)} in "
                    f"{_zones(zones[other])}",
                    fact=context.catalog.kubernetes.storage.classes,
                )


def _zones(zones: tuple[str, ...]) -> str:
    return listed([quoted(zone) for zone in zones], "or") or "any zone"


_AUTOPILOT = """
mode: autopilot
location: us-east5
slices:
  ours: {tpu: v6e, topology: 2x2, count: 2, capacity: {reservation: ours}}
  spot: {tpu: v6e, topology: 2x2, count: {max: 2}, capacity: spot}
kubernetes:
  queues: {team: {}}
  workloads: {run: {slices: ours, fallback: [spot], queue: team, image: train, kind: deployment}}
"""


@warning(
    "TPU338",
    about=(_ABOUT, "clusters.*.kubernetes.workloads.*.kind"),
    title="Autopilot may not give these Pods their capacity",
    why="on Autopilot, a Pod requests its capacity with labels. Kueue adds these labels to existing Pods of servers. "
    "No public page states whether Autopilot then lets the Pods use the nodes",
    fix="Use one slice group, or a Standard cluster. Or try the workload before you depend on it.",
    references=["kueue-plain-pods", "gke-workload-separation"],
    failing=_AUTOPILOT,
    edit=("kind: deployment", "kind: jobset"),
)
def capacity_chosen_after_pods(context: PlanContext) -> Iterable[Hit]:
    for workload in _in_order(context):
        kind = written_kind(workload)
        if kind.slices_apart and workload.cluster.mode == "autopilot":
            yield Hit(
                (*workload.path, "fallback"),
                f"the Pods of {kind.title} exist before Kueue chooses their slice group",
                fact=context.catalog.kubernetes.kueue.order.for_item("admitted_by_pod"),
            )
