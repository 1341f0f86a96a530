"""TPU535 to TPU537, TPU539 to TPU541: taints."""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.plan import CpuPoolSpec, SliceGroupSpec
from pulumi_gke_tpu.core.plan.cpu_pools import SystemPool
from pulumi_gke_tpu.core.plan.slices import Taint
from pulumi_gke_tpu.core.rules.engine.context import PlanContext, cpu_pools
from pulumi_gke_tpu.core.rules.engine.rule import Hit, in_cluster, in_group, of_clusters, of_groups, rule, warning
from pulumi_gke_tpu.core.rules.nodes.labels import labeled_pools, pool_groups
from pulumi_gke_tpu.core.text.findings import Path, SetKeys, printable
from pulumi_gke_tpu.core.text.formats.names import is_label_key, is_label_value


def _taints(context: PlanContext) -> Iterator[tuple[Path, Taint]]:
    """Every taint with its path."""
    for path, pool in labeled_pools(context):
        yield from _taints_of(path, pool)


def _taints_of(path: Path, pool: SliceGroupSpec | SystemPool | CpuPoolSpec) -> Iterator[tuple[Path, Taint]]:
    for index, taint in enumerate(pool.taints):
        yield (*path, "taints", index), taint


@warning(
    "TPU535",
    silent_in={"gcloud": "GKE sets such taints itself"},
    about=of_groups("taints[].key"),
    title="GKE sets the taint itself",
    why="GKE adds this taint to every TPU node. No documentation states whether GKE merges or rejects the same taint "
    "from a plan",
    fix="Remove the taint.",
    references=["plan-tpus", "google-skills-class-gotchas"],
    failing=in_group("taints: [{key: google.com/tpu, value: present, effect: NoSchedule}]"),
    edit=("key: google.com/tpu, value: present", "key: example.com/team, value: research"),
)
def redundant_tpu_taint(context: PlanContext) -> Iterable[Hit]:
    facts = context.catalog.platform.names.labels
    for path, group in pool_groups(context):
        for place, taint in _taints_of(path, group):
            if taint.key == facts.tpu_taint:
                yield Hit(
                    (*place, "key"),
                    f"GKE already adds the taint {facts.tpu_taint} to TPU nodes",
                    fact=facts.for_item("tpu_taint"),
                )


@warning(
    "TPU540",
    silent_in={"gcloud": "GKE sets such taints itself"},
    about=of_clusters("cpu_pools.*.taints[].key", "system_pool.taints[].key"),
    title="TPU taint on nodes without TPUs",
    why="GKE adds a toleration of this taint only to Pods that request TPUs, and Pods that request TPUs cannot run "
    "on these nodes. Every other Pod would need a toleration in its manifest",
    fix="Use another taint, or remove the taint.",
    references=["plan-tpus", "about-tpus"],
    failing=in_cluster("""
cpu_pools:
  head:
    machine_type: n2-standard-64
    nodes: 1
    zones: [us-east5-b]
    taints: [{key: google.com/tpu, value: present, effect: NoSchedule}]
"""),
    edit=("key: google.com/tpu, value: present", "key: pathways, value: head"),
)
def tpu_taint_without_tpus(context: PlanContext) -> Iterable[Hit]:
    facts = context.catalog.platform.names.labels
    for _, path, pool in cpu_pools(context):
        for place, taint in _taints_of(path, pool):
            if taint.key == facts.tpu_taint:
                message = f"taint {facts.tpu_taint} on nodes without TPUs"
                yield Hit((*place, "key"), message, fact=facts.for_item("tpu_taint"))


@warning(
    "TPU541",
    silent_in={"objects": "the node pools of a cluster can be in several files"},
    about=of_clusters("system_pool.taints"),
    needs=of_clusters("autoprovisioning", "cpu_pools.*.taints"),
    title="No node pool for Pods without tolerations",
    why="system Pods, such as those of cluster DNS, do not tolerate the taints of a plan, and every TPU node has a "
    "taint. A Pod that does not tolerate the taint of any node pool stays Pending",
    fix="Leave one node pool without TPUs and without taints. If the system pool has the taint "
    "components.gke.io/gke-managed-components, which system Pods tolerate, add a CPU pool without taints.",
    references=["gke-dedicated-nodes", "about-tpus", "cluster-toolkit-gke-cluster", "gmp-managed-components"],
    failing=in_cluster("""
system_pool:
  taints: [{key: dedicated, value: system, effect: NoSchedule}]
"""),
    passing=in_cluster("""
system_pool:
  taints: [{key: components.gke.io/gke-managed-components, value: "true", effect: NoSchedule}]
cpu_pools:
  controllers: {machine_type: n2-standard-4, max_nodes: 3}
"""),
)
def no_node_pool_without_taint(context: PlanContext) -> Iterable[Hit]:
    """Check clusters of which every node pool is known."""
    facts = context.catalog.platform.names.labels
    for cluster in context.fleet.clusters:
        plan, system = cluster.plan, cluster.plan.system_pool
        if cluster.mode != "standard" or plan.autoprovisioning is not None or not plan.has_every_pool:
            continue
        pools: list[SystemPool | CpuPoolSpec] = [pool.plan for pool in cluster.cpu_pools]
        pools = pools if system is None else [system, *pools]
        keys = [{taint.key for taint in pool.taints if taint.effect != "PREFER_NO_SCHEDULE"} for pool in pools]
        if not all(keys) or not (keys or plan.slices):
            continue
        for_system = any(found == {facts.system_taint} for found in keys)
        taint = printable(next(iter(sorted(keys[0]))), 80) if keys else ""
        every = "every node pool without TPUs has a taint" if keys else "every node pool has TPUs and their taint"
        yield Hit(
            cluster.path if system is None else (*cluster.path, "system_pool", "taints"),
            f"{every}, so {'' if for_system else 'system Pods and other '}Pods without tolerations have no node",
            fact=facts.for_item("system_taint"),
            given=f"taints: {taint}" if system is not None else "",
            why="" if for_system else f"system Pods tolerate the taint {facts.system_taint}, but no other taint",
        )


@rule(
    "TPU536",
    about=of_clusters("cpu_pools.*.taints[].key", "slices.*.taints[].key", "system_pool.taints[].key"),
    title="Malformed taint",
    why="Kubernetes rejects the taint, so GKE cannot create the node pool",
    fix="Use at most 63 letters, digits, hyphens, dots and underscores for the key and for the value. The key can "
    "also have a prefix such as example.com/, and the value can be empty.",
    references=["kubernetes-label-validation", "container-api-discovery"],
    note="label-syntax",
    failing=in_group("taints: [{key: research team, effect: NoSchedule}]"),
    edit=("key: research team", "key: research-team"),
)
def malformed_taint(context: PlanContext) -> Iterable[Hit]:
    for path, taint in _taints(context):
        if not is_label_key(taint.key):
            yield Hit.invalid((*path, "key"), "taint key", printable(taint.key, 80) or "(empty)")
        elif not is_label_value(taint.value):
            yield Hit.invalid((*path, "value"), "taint value", taint.value)


@rule(
    "TPU537",
    about=of_clusters("cpu_pools.*.taints", "slices.*.taints", "system_pool.taints"),
    title="Duplicate taint",
    why="Kubernetes identifies a taint by its key and effect, and it rejects duplicates",
    fix="Remove one of the two taints.",
    references=["kubernetes-taint-validation"],
    note="taints-unique",
    failing=in_group("""
taints:
  - {key: team, value: research, effect: NoSchedule}
  - {key: team, value: serving, effect: NoSchedule}
"""),
    edit=("value: serving, effect: NoSchedule", "value: research, effect: NoExecute"),
)
def duplicate_taint(context: PlanContext) -> Iterable[Hit]:
    for path, group in labeled_pools(context):
        first: dict[tuple[str, str], int] = {}
        for index, taint in enumerate(group.taints):
            before = first.setdefault((taint.key, taint.effect), index)
            if before != index:
                yield Hit.duplicate(
                    (*path, "taints", index),
                    "taint",
                    f"{taint.key}:{taint.written_effect}",
                    f"entry {before + 1} of the list already defines this taint",
                    given=f"key: {printable(taint.key, 80)}",
                )


@warning(
    "TPU539",
    silent_in={"gcloud": "GKE sets such taints itself"},
    about=of_clusters("cpu_pools.*.taints[].key", "slices.*.taints[].key", "system_pool.taints[].key"),
    title="Taint is reserved by Kubernetes",
    why="GKE rejects taints under the domains of Kubernetes, such as kubernetes.io, unless Kubernetes sets them",
    fix="Use another prefix, or no prefix.",
    references=["google-skills-class-gotchas"],
    failing=in_group("taints: [{key: node-role.kubernetes.io/training, value: present, effect: NoSchedule}]"),
    edit=("key: node-role.kubernetes.io/training", "key: training"),
)
def reserved_taint(context: PlanContext) -> Iterable[Hit]:
    facts = context.catalog.platform.names.labels
    for path, taint in _taints(context):
        prefix, _, name = taint.key.rpartition("/")
        domain = next((domain for domain in facts.taint_domains if _is_in(prefix, domain)), None)
        if domain is not None:
            yield Hit(
                (*path, "key"),
                f"Kubernetes reserves taints under {domain}",
                fact=facts.for_item("taint_domains"),
                fix=SetKeys.of(key=name) if is_label_key(name) else None,
            )


def _is_in(prefix: str, domain: str) -> bool:
    return prefix == domain or prefix.endswith(f".{domain}")
