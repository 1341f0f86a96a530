"""Checks of the kinds of workloads, and of what generations do not support: TPU350 and TPU360."""

from collections.abc import Iterable, Iterator
from datetime import timedelta
from fractions import Fraction

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.facts import note_by_id
from pulumi_gke_tpu.core.fleet import Cluster
from pulumi_gke_tpu.core.fleet.operators import operators_of
from pulumi_gke_tpu.core.fleet.scheduling import GIB, Room, claims_chips, head_pool, room, size
from pulumi_gke_tpu.core.fleet.settings import system_pool
from pulumi_gke_tpu.core.fleet.workloads import Workload, is_queued
from pulumi_gke_tpu.core.kinds import has_head, written_kind, written_kinds
from pulumi_gke_tpu.core.kinds.kind import HeadNeeds
from pulumi_gke_tpu.core.kinds.pods import requests_of
from pulumi_gke_tpu.core.plan.base import format_duration
from pulumi_gke_tpu.core.rules.engine.context import PlanContext
from pulumi_gke_tpu.core.rules.engine.rule import Hit, of_clusters, of_groups, of_workloads, rule, warning
from pulumi_gke_tpu.core.text.findings import SetKeys, Severity, listed, number, printable, quoted
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.features.workloads.rules.walk import workloads

_LOGIC = "gke-tpu: keys of each kind of workload"
_SINGLE = "mode: standard\nlocation: us-east5\nslices:\n  serve: {tpu: v6e, topology: 2x2, zone: us-east5-b}\n"
_MULTI = "mode: standard\nlocation: us-east5\nslices:\n  serve: {tpu: v6e, topology: 4x4, zone: us-east5-b}\n"
_WAITING = (
    "mode: standard\nlocation: us-east5\nslices:\n"
    "  serve: {tpu: v6e, topology: 4x4, zone: us-east5-b, count: {max: 1}, capacity: {queued: true}}\n"
)
_HEAD_POOL = "cpu_pools:\n  head: {machine_type: n2-standard-64, nodes: 1, zones: [us-east5-b]}\n"
_RAY = "addons: [ray_operator]\n"


def _workload(keys: str) -> str:
    return f"kubernetes: {{workloads: {{chat: {{slices: serve, image: vllm, {keys}}}}}}}"


@rule(
    "TPU711",
    about=of_workloads("containers"),
    title="Several containers cannot share the chips of this host",
    why="on most machine types, one container must request all chips of its host. Only some machine types can be "
    "divided between two containers",
    fix="Remove `containers`.",
    references=["about-tpus", "xpk-docker-resources"],
    failing=f"{_SINGLE}{_workload('containers: 2')}",
    passing=f"{_SINGLE}{_workload('containers: 1')}",
)
def unsupported_containers(context: PlanContext) -> Iterable[Hit]:
    facts = context.catalog.kubernetes.workloads.containers
    for workload in workloads(context):
        machine = workload.group.shape.machine_type
        claims = claims_chips(workload.group, context.catalog)
        if workload.plan.containers > 1 and claims:
            yield Hit.unsupported(
                (*workload.path, "containers"),
                f"`containers: {workload.plan.containers}`",
                "hosts with the TPU DRA driver",
                fact=context.catalog.kubernetes.pods.resource_claims,
                allowed=("containers: 1",),
                fix=SetKeys.of(containers=1),
            )
        elif workload.plan.containers > 1 and machine not in facts.split_machine_types:
            yield Hit.unsupported(
                (*workload.path, "containers"),
                f"`containers: {workload.plan.containers}`",
                machine,
                fact=facts,
                allowed=("containers: 1",),
                fix=SetKeys.of(containers=1),
            )


@rule(
    "TPU712",
    about=of_workloads("kind"),
    title="Kind of workload is not supported with these slices",
    why="the Pods of a Deployment do not know each other, so they cannot form a multi-host slice. Pathways has no "
    "server for some generations",
    fix="Use `kind: leaderworkerset` to serve on multi-host slices, and `kind: jobset` to train.",
    references=["gke-multislice", "pathways-job-api"],
    source=_LOGIC,
    otherwise={Severity.WARNING: "if Pathways is not known to support the generation"},
    failing=f"{_MULTI}{_workload('kind: deployment')}",
    passing=f"{_MULTI}{_workload('kind: leaderworkerset')}",
)
def unsupported_workload_kind(context: PlanContext) -> Iterable[Hit]:
    for workload in workloads(context):
        shape, kind, path = workload.group.shape, written_kind(workload), (*workload.path, "kind")
        instead = SetKeys.of(kind=kind.instead)
        generations = kind.generations(context.catalog) if kind.generations is not None else None
        if shape.multi_host and not kind.multi_host:
            where = f"the multi-host slices of {quoted(workload.group.key)}"
            yield Hit.unsupported(path, kind.title, where, allowed=(f"kind: {kind.instead}",), fix=instead)
        elif generations is not None and shape.generation not in generations:
            yield Hit.unsupported(
                path,
                kind.title,
                shape.generation,
                fact=kind.fact_in(context.catalog),
                severity=Severity.WARNING,
                allowed=tuple(generations),
                fix=instead,
            )


@rule(
    "TPU713",
    about=of_workloads(
        "autoscale",
        "deadline",
        "disruption_budget",
        "exit_codes",
        "gateway",
        "head",
        "init_containers",
        "max_restarts",
        "pathways",
        "port",
        "ports",
        "probes",
        "scratch",
        "serve_config",
        "sidecars",
        "ttl",
        "upgrade_strategy",
    ),
    title="Key has no effect on this kind of workload",
    why="a key describes a part that only some kinds have, such as a Pod without chips, a port for clients, an end, or "
    "servers of Pathways",
    fix="Remove the key, or use another kind.",
    source=_LOGIC,
    failing=f"{_SINGLE}{_workload('kind: job, port: 8000')}",
    passing=f"{_SINGLE}{_workload('kind: deployment, port: 8000')}",
)
def key_not_for_kind(context: PlanContext) -> Iterable[Hit]:
    for workload in workloads(context):
        for key in sorted({key for kind in written_kinds().values() for key in kind.keys}):
            kinds = [word for word, kind in written_kinds().items() if key in kind.keys]
            value = getattr(workload.plan, key)
            if workload.plan.written(key) and value is not None and workload.plan.kind not in kinds:
                given = {"given": f"{key}: {_written(value)}"} if isinstance(value, str | int | timedelta) else {}
                yield Hit(
                    (*workload.path, key),
                    f"`{key}` has no effect on kind {workload.plan.kind}: it is for {listed(kinds)}",
                    allowed=tuple(f"kind: {kind}" for kind in kinds),
                    **given,  # type: ignore[arg-type]
                )


def _written(value: str | int | timedelta) -> str:
    return format_duration(value) if isinstance(value, timedelta) else printable(value)


@warning(
    "TPU714",
    about=(*of_clusters("cpu_pools"), *of_workloads("kind")),
    title="No node pool fits the Pathways head",
    why="the head of Pathways runs on a node without TPUs. Without a node that is large enough, it stays Pending, and "
    "the workers wait for it",
    fix="Add a pool to `cpu_pools` with a larger machine type.",
    references=["xpk-pathways", "pathways-job-api"],
    failing=f"{_MULTI}{_workload('kind: pathways')}",
    passing=f"{_MULTI}{_HEAD_POOL}{_workload('kind: pathways')}",
)
def no_pool_for_pathways_head(context: PlanContext) -> Iterable[Hit]:
    for workload in workloads(context):
        cluster, kind = workload.cluster, written_kind(workload)
        if kind.head_needs is None or cluster.mode != "standard" or cluster.existing or _in_own_class(workload):
            continue
        needs, pools = kind.head_needs(context.catalog), list(_pool_sizes(cluster))
        if not any(_fits(machine, needs, context.catalog) for machine in pools):
            yield Hit(
                (*workload.path, "kind"),
                f"the {kind.title} head needs a node with {needs.vcpus} vCPUs and {needs.memory_gib} GiB of "
                f"memory, and the node pools without TPUs have {listed([*map(printable, pools)], most=4)}",
                fact=needs.fact,
            )


def _in_own_class(workload: Workload) -> bool:
    """Whether a ComputeClass of the plan creates the node of the head."""
    return workload.plan.head is not None and workload.plan.head.compute_class is not None


def _pool_sizes(cluster: Cluster) -> Iterator[str]:
    """The machine types of the node pools without TPUs."""
    system = system_pool(cluster)
    if system is not None:
        yield system.machine_type.value
    for pool in cluster.cpu_pools:
        if pool.nodes.maximum:
            yield pool.plan.machine_type


def _fits(machine: str, needs: HeadNeeds, catalog: Catalog) -> bool:
    """Whether a machine type is large enough; also true if its name does not tell its size."""
    whole = size(machine, catalog.kubernetes.workloads.cpu_nodes)
    return whole is None or whole.holds(Room(Fraction(needs.vcpus), Fraction(needs.memory_gib * GIB)))


@warning(
    "TPU324",
    about=(*of_clusters("cpu_pools", "system_pool.machine_type"), *of_workloads("head.cpu", "head.memory", "kind")),
    title="Head is larger than the nodes without TPUs",
    why="a head or leader runs on a node without TPUs: in the first CPU pool with large enough machines, or in the "
    "system pool if there is no CPU pool. On smaller nodes it stays Pending, and the slices wait for it",
    fix="Add a pool to `cpu_pools` with a larger machine type, or set lower `cpu` and `memory` of `head`.",
    references=["gke-node-sizes", "gke-ray-v6e-sample"],
    failing=f"{_SINGLE}{_RAY}{_workload('kind: raycluster')}",
    passing=f"{_SINGLE}{_RAY}{_HEAD_POOL}{_workload('kind: raycluster')}",
)
def head_larger_than_nodes(context: PlanContext) -> Iterable[Hit]:
    facts = context.catalog.kubernetes.workloads.cpu_nodes
    for workload in workloads(context):
        cluster, kind = workload.cluster, written_kind(workload)
        if kind.head is None or not has_head(workload) or cluster.mode != "standard" or cluster.existing:
            continue
        if _in_own_class(workload):
            continue  # GKE creates a node that is large enough
        needs = kind.head_needs(context.catalog) if kind.head_needs is not None else None
        if needs is not None and not any(_fits(machine, needs, context.catalog) for machine in _pool_sizes(cluster)):
            continue  # another rule reports it
        requests, machine = requests_of(kind.head(workload, context.catalog)), _machine_of_head(workload, context)
        left = room(machine, facts) if machine else None
        if left is not None and not left.holds(requests):
            keys = ("cpu", "memory") if workload.plan.head is not None else ()
            written = [key for key in keys if getattr(workload.plan.head, key) is not None]
            yield Hit(
                (*workload.path, "head", written[0]) if written else (*workload.path, "kind"),
                f"the head requests {_size(requests)}, and a node of {quoted(machine)} leaves {_size(left)} to Pods",
                fact=facts,
            )


def _machine_of_head(workload: Workload, context: PlanContext) -> str:
    """The machine type of the nodes where the head runs; empty if GKE creates a node for it."""
    cluster, kind = workload.cluster, written_kind(workload)
    assert kind.head is not None
    vcpus = kind.head_needs(context.catalog).vcpus if kind.head_needs is not None else 0
    pool = head_pool(cluster, requests_of(kind.head(workload, context.catalog)), context.catalog, vcpus)
    if pool is not None:
        return pool.plan.machine_type
    system = system_pool(cluster)
    return "" if system is None or cluster.plan.autoprovisioning is not None else system.machine_type.value


def _size(amount: Room) -> str:
    return f"{float(round(amount.cpus, 2)):g} vCPUs and {float(round(amount.memory / GIB, 1)):g} GiB of memory"


@warning(
    "TPU715",
    about=(*of_clusters("addons"), *of_workloads("kind")),
    title="Ray requires an operator",
    why="the add-on ray_operator installs KubeRay and the webhook that gives Ray workers the numbers of their hosts. "
    "Without them, Kubernetes rejects a Ray cluster, or its workers do not find each other",
    fix="Add ray_operator to `addons`. If you install KubeRay and its TPU webhook yourself, accept this warning.",
    references=["kuberay-trillium", "kuberay-tpu-webhook"],
    failing=f"{_SINGLE}{_HEAD_POOL}{_workload('kind: raycluster')}",
    passing=f"{_SINGLE}{_HEAD_POOL}{_RAY}{_workload('kind: raycluster')}",
)
def missing_ray_operator(context: PlanContext) -> Iterable[Hit]:
    for workload in workloads(context):
        cluster, kind = workload.cluster, written_kind(workload)
        addon = kind.addon(context.catalog) if kind.addon is not None else None
        if addon is None or cluster.existing or addon in cluster.plan.addons or operators_of(cluster) is not None:
            continue  # TPU660 is about the operators of the plan
        addons = ", ".join([*map(printable, cluster.plan.addons), addon])
        yield Hit(
            (*workload.path, "kind"),
            f"kind {workload.plan.kind} requires the add-on {addon}, which cluster {quoted(cluster.key)} does not have",
            fact=kind.fact_in(context.catalog),
            why=f"{_WHY_RAY}. Set `addons: [{addons}]` on the cluster",
        )


_WHY_RAY = "the add-on installs KubeRay and the webhook for TPUs"


@rule(
    "TPU718",
    about=(*of_workloads("port", "queue"), *of_groups("capacity")),
    title="Queued capacity requires a queue and one set of Pods with chips",
    why="only Kueue requests queued capacity, and GKE provisions it for one set of equal Pods. Pods without chips, "
    "such as a head, are not part of the request",
    fix="Set `queue`. For a LeaderWorkerSet that serves, add `head`: a leader without chips then answers the requests.",
    references=["gke-provisioning-request", "kueue-provisioning-api", "gke-samples-queued"],
    source="GKE: queued provisioning creates nodes for ProvisioningRequests only",
    failing=f"{_WAITING}{_workload('kind: jobset')}",
    passing=f"{_WAITING}"
    "kubernetes: {queues: {q: {}}, workloads: {chat: {slices: serve, image: vllm, kind: jobset, queue: q}}}",
)
def queued_kind(context: PlanContext) -> Iterable[Hit]:
    for workload in workloads(context):
        queued = next((group for group in workload.groups if group.plan.capacity.is_queued), None)
        if queued is None:
            continue
        what, second = f"the queued capacity of {quoted(queued.key)}", written_kind(workload).second_set(workload)
        if not is_queued(workload, context.catalog):
            yield Hit.missing(workload.path, "key `queue`", f"only Kueue requests {what}")
        elif second:
            yield Hit(
                (*workload.path, second),
                f"with `{second}`, the Pods of a slice are two sets, and {what} is provisioned for one set",
            )


_TWO = "image: train, kind: jobset, count: 2"
_TENSORFLOW = lazy_pattern(r"(?:^|[/_.-])(?:tensorflow|tf-tpu|tf2?)(?:[:@_.-]|$)")


def _plan(location: str, group: str, keys: str) -> str:
    return (
        f"mode: standard\nlocation: {location}\nnetwork: create\nslices: {{serve: {{{group}}}}}\n"
        f"kubernetes: {{workloads: {{train: {{slices: serve, {keys}}}}}}}"
    )


@warning(
    "TPU350",
    about=of_workloads("count"),
    title="Multislice is not supported with the slices",
    why="Multislice, one job on several slices, requires a later generation. Here, the Pods of each slice only run "
    "as a job of their own",
    fix="Use one larger slice, or a later generation. If the slices work independently, accept the warning.",
    references=["gke-multislice"],
    failing=_plan("us-east1", "tpu: v3, topology: 4x8, zone: us-east1-d, count: 2", _TWO),
    passing=_plan("us-east5", "tpu: v6e, topology: 4x4, zone: us-east5-b, count: 2", _TWO),
)
def multislice_not_supported(context: PlanContext) -> Iterable[Hit]:
    fact = note_by_id(context.catalog.platform.notes, "v3-multislice")
    for workload in workloads(context):
        generation = workload.group.shape.generation
        if fact and workload.slices > 1 and written_kind(workload).multislice and generation in fact.topics:
            path = (*workload.path, "count")
            yield Hit.unsupported(path, f"one job on {number(workload.slices, 'slice')}", generation, fact=fact)


@warning(
    "TPU360",
    about=of_workloads("image"),
    title="Framework is not supported with the generation",
    why="tpu7x supports JAX and PyTorch only",
    fix="Use an image with JAX or PyTorch, or another generation.",
    references=["tpu7x-page", "subslicing-news"],
    failing=_plan("us-central1", "tpu: tpu7x, topology: 2x2x1, zone: us-central1-c", "image: tensorflow/tensorflow"),
    passing=_plan("us-central1", "tpu: tpu7x, topology: 2x2x1, zone: us-central1-c", "image: jax/jax"),
)
def framework_not_supported(context: PlanContext) -> Iterable[Hit]:
    fact = note_by_id(context.catalog.platform.notes, "tpu7x-frameworks")
    for workload in workloads(context):
        generation, image = workload.group.shape.generation, workload.plan.image
        if fact and generation in fact.topics and isinstance(image, str) and _TENSORFLOW.search(image):
            what = "TensorFlow, which the name of the image contains,"
            yield Hit.unsupported((*workload.path, "image"), what, generation, fact=fact)
