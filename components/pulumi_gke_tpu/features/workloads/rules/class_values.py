"""Check of values that a ComputeClass does not accept although a node pool does: TPU348."""

import re
from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.catalog.records.kubernetes import ComputeClassValues
from pulumi_gke_tpu.core.fleet.settings import boot_disk
from pulumi_gke_tpu.core.plan import SliceGroupSpec
from pulumi_gke_tpu.core.rules.engine.context import PlanContext, plan_groups
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule
from pulumi_gke_tpu.core.text.findings import Path, SetKeys, quoted

_GROUP = "tpu: v6e\ntopology: 4x4\nfallback: [spot]\n"


@rule(
    "TPU348",
    "value-not-in-compute-class",
    about=("clusters.*.slices.*.boot_disk.iops", "clusters.*.slices.*.fallback"),
    title="Value is not supported in a ComputeClass",
    why="a ComputeClass serves a group with `fallback`, and its definition accepts fewer values than the API of node "
    "pools, so the API server rejects the manifest",
    fix="Use a value that the message allows, or remove `fallback`.",
    references=["compute-class-api"],
    basis="catalog",
    failing=f"{_GROUP}boot_disk: {{type: hyperdisk-balanced, iops: 4000}}",
    passing=f"{_GROUP}boot_disk: {{type: hyperdisk-balanced, iops: 4000, throughput_mbps: 200}}",
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
