"""Slices that people write, against the cubes of the plan: TPU883."""

import math
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction

from pulumi_gke_tpu.core.catalog import Topology
from pulumi_gke_tpu.core.catalog.topologies import unformable
from pulumi_gke_tpu.core.objects.document import known_text
from pulumi_gke_tpu.core.rules.engine.examples import CUBES
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule
from pulumi_gke_tpu.core.text.findings import Severity, listed, number, quoted
from pulumi_gke_tpu.features.check.context import ManifestContext

_SLICE = """
apiVersion: accelerator.gke.io/v1beta1
kind: Slice
metadata: {name: research}
spec: {type: tpu7x, topology: 4x4x8, partitionIds: [p-1, p-2]}
"""
_MOST_NAMES = 3


_PLAN = "\n--- plan" + CUBES.replace("count: 4", "count: 1")


@rule(
    "TPU883",
    title="Slices of more cubes than the plan has",
    why="GKE forms a slice of cubes of one block, and a cube belongs to one slice. In a plan, slice groups with "
    "`slicing: dynamic` have the cubes of their block. A slice without cubes never becomes active, and its Pods stay "
    "Pending",
    fix="Use a smaller topology, or raise `count` of the slice group.",
    references=["gke-dynamic-slicing", "slicing-outcomes"],
    source="gke-tpu: the cubes of a group follow from the plan",
    otherwise={Severity.WARNING: "if a cluster exists already, with node pools outside the plan"},
    failing=_SLICE.strip("\n") + _PLAN,
    passing=_SLICE.strip("\n") + _PLAN.replace("count: 1", "count: 2"),
)
def slices_without_cubes(context: ManifestContext) -> Iterable[Hit]:
    """The cubes that the slices of the files have together."""
    facts, clusters = context.catalog.kubernetes.pods.dynamic_slices, context.clusters()
    groups = [group for cluster in clusters for group in cluster.groups if group.dynamic]
    severity = Severity.WARNING if any(cluster.existing for cluster in clusters) else None
    each = max(_blocks(context).values(), default=0)
    every = sum(group.slices.maximum for group in groups)
    names = listed([quoted(group.key) for group in groups], most=_MOST_NAMES)
    used = Fraction(0)
    for owner in context.slices() if clusters else ():
        topology, place = known_text(owner.spec.get("topology")), owner.at("spec", "topology")
        if known_text(owner.spec.get("type")) not in facts.generations or not topology or unformable(facts, topology):
            continue
        cubes = Fraction(Topology.parse(topology).chips, facts.cube_chips)
        used += cubes
        needs = f"a slice of {topology} has {number(math.ceil(cubes), 'cube')}"
        if not groups:
            yield Hit(place, f"{needs}, and no slice group of the plan has `slicing: dynamic`", severity=severity)
        elif cubes > each:
            yield Hit(place, f"{needs}, and the largest block has {each:,} ({names})", severity=severity)
        elif used > every:
            whole = number(math.ceil(used), "cube")
            yield Hit(place, f"the slices up to this one have {whole}, and {names} {every:,}", severity=severity)
            return


def _blocks(context: ManifestContext) -> Counter[tuple[str, ...]]:
    """The cubes of each block of each cluster."""
    found = Counter[tuple[str, ...]]()
    for cluster in context.clusters():
        for group in cluster.groups:
            key = (cluster.key, *group.block)
            found[key] += group.slices.maximum if group.dynamic else 0
    return found
