"""Checks of slice groups that a ComputeClass serves: TPU341 to TPU348."""

import re
from collections.abc import Iterable, Iterator

from pydantic.fields import FieldInfo

from pulumi_gke_tpu.core.catalog import VersionRange
from pulumi_gke_tpu.core.catalog.records.kubernetes import ComputeClassValues
from pulumi_gke_tpu.core.fleet import Cluster
from pulumi_gke_tpu.core.fleet.model import tpu_limits
from pulumi_gke_tpu.core.fleet.settings import boot_disk
from pulumi_gke_tpu.core.plan import SliceGroupSpec
from pulumi_gke_tpu.core.plan.keys import alternative_with_class, field_of, meaning_on_autopilot
from pulumi_gke_tpu.core.rules.engine.context import PlanContext, compute_classes, plan_groups, written_keys
from pulumi_gke_tpu.core.rules.engine.rule import Hit, in_cluster, of_clusters, of_groups, rule, warning
from pulumi_gke_tpu.core.text.findings import Path, SetKeys, Severity, listed, quoted
from pulumi_gke_tpu.core.text.formats.versions import is_too_low

_LOGIC = "gke-tpu: keys of slice groups that a ComputeClass serves"
_GROUP = "tpu: v6e\ntopology: 4x4\n"
_CLASS_FIELDS = {
    "collection": "nodePoolGroup",
    "node_labels": "priorities.nodeLabels",
    "taints": "priorities.taints",
    "sysctls": "priorities.nodeSystemConfig",
    "transparent_hugepages": "priorities.nodeSystemConfig",
}
"""Key of a group -> the field of a ComputeClass that carries it, where GKE supports it only from a later version."""


def _served(context: PlanContext) -> Iterator[tuple[Cluster, Path, SliceGroupSpec]]:
    """Every group with `fallback`, with its cluster and path."""
    for cluster, path, group in plan_groups(context):
        if group.fallback:
            yield cluster, path, group


@rule(
    "TPU341",
    about=of_groups("capacity", "fallback"),
    title="Capacity mode is tried twice",
    why="GKE tries `capacity` first and then the modes of `fallback` in order, so a mode that it has tried already has "
    "no effect",
    fix="Remove the mode from `fallback`.",
    source=_LOGIC,
    failing=f"{_GROUP}capacity: spot\nfallback: [on_demand, spot]",
    passing=f"{_GROUP}capacity: spot\nfallback: [on_demand]",
)
def redundant_fallback_mode(context: PlanContext) -> Iterable[Hit]:
    for _, path, group in _served(context):
        first = {group.capacity.mode: "`capacity` has it"}
        for index, mode in enumerate(group.fallback):
            if mode in first:
                yield Hit.duplicate((*path, "fallback", index), "capacity mode", mode, first[mode])
            first.setdefault(mode, f"entry {index + 1} has it")


def _meaning(field: FieldInfo) -> str:
    """What a key means where a ComputeClass serves its group: nothing, where the class cannot carry it."""
    if not alternative_with_class(field):
        return "same"
    return "refused" if meaning_on_autopilot(field) == "refused" else "noted"


@rule(
    "TPU342",
    about=("clusters.*.slices.*.fallback", lambda field: _meaning(field) != "same"),
    title="Key is not supported with fallback",
    why="a ComputeClass serves the group: GKE creates and deletes its node pools, so settings of node pools that a "
    "ComputeClass does not have cannot take effect",
    fix="Remove the key, or remove `fallback`: gke-tpu then creates the node pools.",
    references=["compute-class-api"],
    source=_LOGIC,
    otherwise={Severity.NOTE: "if the key has no effect but changes nothing that the plan requires"},
    failing=f"{_GROUP}fallback: [spot]\nindices: [0]",
    passing=f"{_GROUP}fallback: [spot]\ncount: 1",
)
def key_not_with_fallback(context: PlanContext) -> Iterable[Hit]:
    for _, path, group in _served(context):
        for meaning, severity in (("refused", None), ("noted", Severity.NOTE)):
            for place, part in written_keys(group, path, _meaning, meaning):
                key = str(place[-1])
                field = field_of(type(part), key)
                if key == "min" and not group.min:
                    continue  # `count: {min: 0, max: 2}` is what a ComputeClass does
                if field is not None:
                    yield Hit(
                        place,
                        f"`{key}` is not supported with `fallback`: {alternative_with_class(field)}",
                        severity=severity,
                    )


@rule(
    "TPU343",
    about=of_groups("capacity.flex_start.queued", "fallback"),
    title="Queued capacity is not supported with fallback",
    why="a ComputeClass has no priority for queued capacity: only ProvisioningRequests create it",
    fix="Use `capacity: flex_start`, or remove `fallback`.",
    references=["compute-class-api"],
    source="ComputeClass API: fields of a priority",
    failing=f"{_GROUP}capacity: {{flex_start: {{queued: true}}}}\nfallback: [on_demand]",
    passing=f"{_GROUP}capacity: flex_start\nfallback: [on_demand]",
)
def queued_with_fallback(context: PlanContext) -> Iterable[Hit]:
    for _, path, group in _served(context):
        if group.capacity.is_queued:
            yield Hit.unsupported(
                (*path, "capacity"),
                "queued capacity",
                "`fallback`",
                fix=SetKeys.of(capacity="flex_start"),
                given="queued: true",
            )


@warning(
    "TPU344",
    about=of_groups("capacity.reservation.block", "fallback"),
    title="Blocks in a ComputeClass are not documented for TPUs",
    why="the ComputeClass API has fields for blocks and sub-blocks, but the GKE documentation describes them for GPU "
    "machines only",
    fix="Name only the reservation. Or try the block with one slice, and then accept this warning in the plan.",
    references=["compute-class-api", "gke-compute-class-concept"],
    failing=f"{_GROUP}capacity: {{reservation: {{name: shared, block: block-1}}}}\nfallback: [spot]",
    passing=f"{_GROUP}capacity: {{reservation: {{name: shared}}}}\nfallback: [spot]",
)
def block_with_fallback(context: PlanContext) -> Iterable[Hit]:
    for _, path, group in _served(context):
        reservation = group.capacity.reservation
        if reservation is not None and reservation.block is not None:
            yield Hit(
                (*path, "capacity", "reservation", "block"),
                f"block {quoted(reservation.block)} is a field of a ComputeClass that is not documented for TPUs",
                fact=context.catalog.kubernetes.compute_classes.form,
            )


@warning(
    "TPU345",
    about=of_clusters("autoprovisioning", "kubernetes.compute_classes", "min_version", "slices.*.fallback"),
    title="ComputeClass cannot create node pools without auto-provisioning",
    why="in older versions, a ComputeClass creates node pools only if node auto-provisioning is enabled with a limit "
    "for the TPU",
    fix="Raise `min_version`, or set `autoprovisioning`, with a limit for the generation.",
    references=["google-skills-provisioning", "autoscaler-class-conditions"],
    today="2025-09-01",
    failing=in_cluster("""
min_version: "1.33.2"
slices:
  pretrain: {tpu: v6e, topology: 4x4, zone: us-east5-b, fallback: [spot]}
"""),
    edit=('min_version: "1.33.2"', 'min_version: "1.34"'),
)
def fallback_needs_autoprovisioning(context: PlanContext) -> Iterable[Hit]:
    facts = context.catalog.kubernetes.compute_classes.versions
    for cluster in context.fleet.clusters:
        written = _version(cluster)
        if cluster.mode != "standard" or written is None or not is_too_low(written, facts.auto_creation):
            continue
        for name in cluster.compute_classes if cluster.autoprovisioning is None else ():
            yield Hit(
                (*cluster.path, "kubernetes", "compute_classes", name),
                f"with GKE {written.text}, a ComputeClass requires `autoprovisioning`; from {facts.auto_creation} "
                "on, it does not",
                fact=facts.for_item("auto_creation"),
            )
        limits = tpu_limits(cluster, context.catalog)
        for group in cluster.groups:
            if group.compute_class is not None and group.shape.accelerator_label not in limits:
                yield Hit(
                    (*group.path, "fallback"),
                    f"with GKE {written.text}, a ComputeClass requires `autoprovisioning` with a limit for "
                    f"{group.shape.generation}; from {facts.auto_creation} on, it does not",
                    fact=facts.for_item("auto_creation"),
                )


def _version(cluster: Cluster) -> VersionRange | None:
    """The versions that the cluster can have; None if the plan does not set a version, or if it is malformed."""
    try:
        return VersionRange.parse(cluster.version) if cluster.version is not None else None
    except ValueError:
        return None


@rule(
    "TPU346",
    about=of_groups("capacity", "fallback"),
    severity=Severity.NOTE,
    title="Order of capacity modes is not set",
    why="without a mode in `fallback`, gke-tpu creates node pools with `capacity` alone",
    fix="List the modes in the order in which GKE tries them, or remove `fallback`.",
    references=["google-skills-prioritization"],
    failing=f"{_GROUP}fallback: []",
    passing=f"{_GROUP}fallback: [flex_start, spot]",
)
def empty_fallback(context: PlanContext) -> Iterable[Hit]:
    facts = context.catalog.kubernetes.compute_classes.orders
    families = context.catalog.capacity.families
    derived = {group.path: group for _, group in context.fleet.groups()}
    for _, path, group in plan_groups(context):
        if group.fallback or not group.written("fallback") or path not in derived:
            continue
        offered = families.get(derived[path].shape.family, {})
        possible = [mode for mode, offering in offered.items() if offering.offer == "yes"]
        if len(possible) > 1:
            orders = {use: [mode for mode in order if mode in possible] for use, order in facts.orders.items()}
            texts = listed([f"{_in_order(order)} for {use}" for use, order in orders.items()], most=len(orders))
            rest = [mode for mode in next(iter(orders.values())) if mode not in (group.capacity.mode, "reservation")]
            yield Hit(
                (*path, "fallback"),
                f"several capacity modes are possible. Google suggests {texts}",
                fact=facts,
                fix=None if group.adopted is not None else SetKeys.of(fallback=rest),
            )


def _in_order(modes: Iterable[str]) -> str:
    """Several modes in words: ``reservation, flex-start, then spot``."""
    *first, last = (mode.replace("_", "-") for mode in modes)
    return f"{', '.join(first)}, then {last}"


@rule(
    "TPU347",
    about=(
        *of_clusters("kubernetes.compute_classes.*.sysctls", "min_version"),
        *of_groups("fallback", "node_labels", "sysctls", "taints"),
    ),
    title="GKE version is too low for a setting of the ComputeClass",
    why="older versions reject a ComputeClass with the field that carries the key, or ignore the field",
    fix="Raise `min_version`, or remove the key.",
    references=["gke-compute-class-concept"],
    today="2025-09-01",
    failing=in_cluster("""
min_version: "1.33.1"
autoprovisioning: {cpu: 10000, memory_gib: 50000, tpu: {v6e: 64}}
slices:
  pretrain: {tpu: v6e, topology: 4x4, zone: us-east5-b, fallback: [spot], node_labels: {team: research}}
"""),
    edit=(
        'min_version: "1.33.1"\nautoprovisioning: {cpu: 10000, memory_gib: 50000, tpu: {v6e: 64}}',
        'min_version: "1.34"',
    ),
)
def fallback_setting_needs_version(context: PlanContext) -> Iterable[Hit]:
    facts = context.catalog.kubernetes.compute_classes.versions
    for cluster, path, group in (*_served(context), *compute_classes(context)):
        written = _version(cluster)
        for key, field in _CLASS_FIELDS.items() if written is not None else ():
            minimum = facts.features.get(field)
            if written is None or minimum is None or not getattr(group, key, None) or not is_too_low(written, minimum):
                continue
            yield Hit(
                (*path, key),
                f"`{key}` requires GKE {minimum} in a ComputeClass ({field}), but `{cluster.version_key}` is "
                f"{written.text}",
                fact=facts.for_item("features"),
            )


_REJECTED = "tpu: v6e\ntopology: 4x4\nfallback: [spot]\n"


@rule(
    "TPU348",
    about=of_groups("boot_disk.iops", "fallback"),
    title="Value is not supported in a ComputeClass",
    why="a ComputeClass serves a group with `fallback`, and its definition accepts fewer values than the API of node "
    "pools, so the API server rejects the manifest",
    fix="Set what the message names, or remove `fallback`.",
    references=["compute-class-api"],
    failing=f"{_REJECTED}boot_disk: {{type: hyperdisk-balanced, iops: 4000}}",
    passing=f"{_REJECTED}boot_disk: {{type: hyperdisk-balanced, iops: 4000, throughput_mbps: 200}}",
)
def value_not_in_compute_class(context: PlanContext) -> Iterable[Hit]:
    values = context.catalog.kubernetes.compute_classes.values
    for _, path, group in plan_groups(context):
        if group.fallback:
            yield from _performance((*path, "boot_disk"), group, values)
            yield from _taints((*path, "taints"), group, values)


def _performance(path: Path, group: SliceGroupSpec, values: ComputeClassValues) -> Iterator[Hit]:
    disk = boot_disk(group.boot_disk)
    kind = disk.type.sent
    given = {
        key: (number, limits)
        for key, number, limits in (
            ("iops", disk.iops.sent, values.iops),
            ("throughput_mbps", disk.throughput_mbps.sent, values.throughput_mbps),
        )
        if number is not None
    }
    if not given:
        return
    if kind != values.performance_disk:
        key = next(iter(given))
        yield Hit.unsupported(
            (*path, key),
            f"`{key}`",
            f"a boot disk of type {quoted(kind)} in a ComputeClass" if kind else "a boot disk without `type`",
            fact=values.for_item("performance_disk"),
            allowed=(f"type: {values.performance_disk}",),
        )
    elif len(given) == 1:
        (key,) = given
        other = "throughput_mbps" if key == "iops" else "iops"
        yield Hit.missing(
            (*path, key),
            f"key `{other}`",
            f"a ComputeClass has `{key}` only together with it",
            fact=values.for_item("performance_disk"),
        )
    for key, (number, (least, most)) in given.items():
        nearest = min(max(number, least), most)
        if nearest != number:
            yield Hit.invalid(
                (*path, key),
                f"`{key}`",
                str(number),
                "the definition of the ComputeClass limits it",
                fact=values.for_item(key),
                allowed=(f"{least:,} to {most:,}",),
                fix=SetKeys.of({key: nearest}),
            )


def _taints(path: Path, group: SliceGroupSpec, values: ComputeClassValues) -> Iterator[Hit]:
    for index, taint in enumerate(group.taints):
        if taint.value and not re.fullmatch(values.taint_value, taint.value, re.ASCII):
            yield Hit.invalid(
                (*path, index, "value"),
                "taint value in a ComputeClass",
                taint.value,
                "it must have one character, or at least three, of which the first is a lower-case letter or a digit",
                fact=values.for_item("taint_value"),
            )
