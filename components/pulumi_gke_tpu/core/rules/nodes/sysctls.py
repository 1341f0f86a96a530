"""Kernel settings of nodes: TPU588."""

from collections.abc import Iterable

from pulumi_gke_tpu.core.plan import CpuPoolSpec
from pulumi_gke_tpu.core.rules.engine.context import PlanContext, compute_classes, cpu_pools
from pulumi_gke_tpu.core.rules.engine.rule import Hit, of_clusters, of_groups, warning
from pulumi_gke_tpu.core.rules.nodes.labels import pool_groups
from pulumi_gke_tpu.core.text.findings import Rename, did_you_mean, quoted

_GROUP = "tpu: v6e\ntopology: 4x4\nsysctls: {vm.max_map_count: %s}\n"


@warning(
    "TPU588",
    about=(*of_groups("sysctls"), *of_clusters("cpu_pools.*.sysctls", "kubernetes.compute_classes.*.sysctls")),
    title="Kernel setting that GKE does not set",
    why="GKE sets only some kernel settings of nodes, each within a range, and rejects node pools with others",
    fix="Use a name and a value that GKE allows. Set other kernel settings with a DaemonSet.",
    references=["compute-class-api", "gke-compute-class-reference"],
    failing=_GROUP % '"1024"',
    passing=_GROUP % '"1048576"',
)
def invalid_sysctl(context: PlanContext) -> Iterable[Hit]:
    facts = context.catalog.platform.sysctls
    settings = [(path, group.sysctls) for path, group in pool_groups(context)]
    settings += [(path, pool.sysctls) for _, path, pool in cpu_pools(context) if isinstance(pool, CpuPoolSpec)]
    settings += [(path, plan.sysctls) for _, path, plan in compute_classes(context)]
    for path, sysctls in settings:
        for name, value in (sysctls or {}).items():
            place, allowed = (*path, "sysctls", name), facts.numbers.get(name)
            if name not in facts.names:
                near = did_you_mean(name, facts.names)
                yield Hit.unknown(place, "kernel setting", name, fact=facts, fix=Rename.to(near) if near else None)
            elif allowed is not None and isinstance(value, str):
                (low, high), written = allowed, facts.number(value)
                if written is None or not low <= written <= high:
                    reason = f"{quoted(name)} has a value from {low:,} to {high:,}"
                    yield Hit.invalid(place, "value of a kernel setting", value, reason, fact=facts)
            elif name in facts.booleans and value not in facts.switches:
                reason = f"{quoted(name)} is on or off"
                yield Hit.invalid(
                    place, "value of a kernel setting", value, reason, fact=facts, allowed=tuple(facts.switches)
                )
