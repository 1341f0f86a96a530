"""Groups of a LeaderWorkerSet, each of which is one slice: TPU769 to TPU771."""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.kinds.written.leaderworkerset import KIND as LEADER_WORKER_SET
from pulumi_gke_tpu.core.kinds.written.leaderworkerset import WORKERS
from pulumi_gke_tpu.core.objects import PodTemplate, is_open
from pulumi_gke_tpu.core.objects.document import count, known_text, mapping
from pulumi_gke_tpu.core.objects.open_values import has_open_key
from pulumi_gke_tpu.core.objects.scheduling import tolerates
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule, warning
from pulumi_gke_tpu.core.text.findings import Rename, SetKeys, Severity, number, quoted
from pulumi_gke_tpu.features.check.context import ManifestContext
from pulumi_gke_tpu.features.check.forms import SlicePods
from pulumi_gke_tpu.features.check.rules.operators.examples import changed, head, pod
from pulumi_gke_tpu.features.check.rules.operators.exclusive_placement import exclusive_topologies
from pulumi_gke_tpu.features.check.rules.operators.parts import pods_of, spec_of

_SET = """
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata:
  name: serve
  annotations: {leaderworkerset.sigs.k8s.io/exclusive-topology: cloud.google.com/gke-nodepool}
spec:
  replicas: 2
  leaderWorkerTemplate:
    size: 4
    workerTemplate:
      spec:
""" + pod(8)
_WITH_LEADER = changed(
    _SET, ("size: 4\n", "size: 5\n    leaderTemplate:\n      spec:\n" + head(8)), ("name: serve\n", "name: chat\n")
)
_GROUP = "spec", "leaderWorkerTemplate"


def _templates(context: ManifestContext, workers: PodTemplate) -> tuple[PodTemplate | None, int | None]:
    """The leader of the workers, if it has a template of its own, and its chips."""
    resource = context.catalog.kubernetes.pods.resource.name
    leader = next((item for item in pods_of(context, workers.owner) if item.traits.leader), None)
    if leader is None:
        return None, None
    chips = leader.chips(resource)
    return leader, None if chips is None else int(chips)


@rule(
    "TPU769",
    title="Size of a LeaderWorkerSet that does not match the hosts of a slice",
    why="each group is one slice, and each host of the slice runs one Pod with chips. A leader without chips is one "
    "Pod more",
    fix="Set `size` to the hosts of the slice, or to one more if the leader requests no chips. For several slices in a "
    "group, set `subGroupSize` to the hosts of a slice.",
    references=["lws-api", "lws-tpu-example"],
    failing=changed(_SET, ("size: 4", "size: 2")),
    passing=_SET,
)
def leaderworkerset_size(context: ManifestContext) -> Iterable[Hit]:
    for found in context.slice_pods:
        workers = found.pod
        if workers.traits != WORKERS or found.form.hosts == 1:
            continue
        leader, chips = _templates(context, workers)
        size = count(spec_of(workers).get("size"), 1)
        if size is None or size < 1 or (leader is not None and chips is None):
            continue  # a size below 1 is outside the range of the field
        without_chips = leader is not None and chips == 0
        subgroup = mapping(spec_of(workers).get("subGroupPolicy")).get("subGroupSize")
        if subgroup is not None:
            yield from _wrong_subgroup(context, found, subgroup)
            continue
        if leader is not None and chips:
            yield from _other_slice(context, found, leader)
        expected = found.form.hosts + without_chips
        if size == expected:
            continue
        reason = f"a slice {found.topology} has {number(found.form.hosts, 'host')}"
        if without_chips:
            reason += ", and the leader requests no chips"
        path = (*_GROUP, "size") if "size" in spec_of(workers) else _GROUP
        message = f"{workers.owner.title} has groups of {number(size, 'Pod')}, but {reason}"
        yield Hit(
            workers.owner.at(*path),
            message,
            fact=context.catalog.kubernetes.leaderworkerset,
            fix=SetKeys.of(size=expected),
        )


def _other_slice(context: ManifestContext, found: SlicePods, leader: PodTemplate) -> Iterable[Hit]:
    """The selector of a leader with chips that is on another slice than its workers."""
    shape, label = context.shape(leader), context.catalog.platform.names.node_labels.topology
    selected = leader.selection(label)
    if shape.form is not None and selected is not None and shape.topology != found.topology:
        message = f"the leader selects {shape.topology}, and the workers of its slice {found.topology}"
        fact = context.catalog.kubernetes.leaderworkerset
        yield Hit(leader.hit_path(selected.path), message, fact=fact, fix=SetKeys.of({label: found.topology}))


def _wrong_subgroup(context: ManifestContext, found: SlicePods, size: object) -> Iterable[Hit]:
    """The size of subgroups, each of which is one slice of a group of several slices."""
    hosts, owner = found.form.hosts, found.pod.owner
    if isinstance(size, int) and size != hosts:
        message = (
            f"{owner.title} has subgroups of {number(size, 'Pod')}, but a slice {found.topology} has {hosts} hosts"
        )
        path = owner.at(*_GROUP, "subGroupPolicy", "subGroupSize")
        yield Hit(path, message, fact=context.catalog.kubernetes.leaderworkerset, fix=SetKeys.of(subGroupSize=hosts))


@rule(
    "TPU770",
    title="Exclusive topology with a leader outside the slice",
    why="exclusive topology puts the workers into the node pool of their leader. A leader on a node pool without "
    "TPUs pulls the workers there, so they stay Pending",
    fix="Set `subGroupPolicyType: LeaderExcluded`. Without subgroups, remove the annotation, and select the node pool "
    "of the slice in the workers. Or let the leader select the same accelerator and topology as the workers.",
    references=["lws-api", "lws-tpu-example", "lws-leader-subgroup"],
    failing=_WITH_LEADER,
    passing=changed(
        _WITH_LEADER,
        ("  annotations: {leaderworkerset.sigs.k8s.io/exclusive-topology: cloud.google.com/gke-nodepool}\n", ""),
        ("replicas: 2", "replicas: 1"),
        ("nodeSelector: {", "nodeSelector: {cloud.google.com/gke-nodepool: chat-0, "),
    ),
)
def leader_outside_slice(context: ManifestContext) -> Iterable[Hit]:
    pool = context.catalog.kubernetes.workloads.nodes.pool
    for found in context.slice_pods:
        workers = found.pod
        if workers.traits != WORKERS:
            continue
        leader, chips = _templates(context, workers)
        exclusive = next(exclusive_topologies(context, workers), None)
        if leader is None or chips != 0 or exclusive is None or exclusive[1] != pool or leader.is_open:
            continue
        if _may_be_in_slice(context, leader, workers):
            continue
        message = (
            f"the leader of {workers.owner.title} does not select the nodes of the workers, and the workers follow "
            "the leader"
        )
        fact = context.catalog.kubernetes.leaderworkerset
        kind = workers.owner.value("spec", "leaderWorkerTemplate", "subGroupPolicy", "subGroupPolicyType")
        fix = Rename.to(fact.subgroup_topology) if kind == fact.leader_excluded else None
        yield Hit(workers.owner.at(*exclusive[0]), message, fact=fact, fix=fix)
    yield from _in_first_subgroup(context)


def _in_first_subgroup(context: ManifestContext) -> Iterator[Hit]:
    """A leader outside the slice that shares a subgroup, and thereby its topology, with the first workers."""
    fact, pool = context.catalog.kubernetes.leaderworkerset, context.catalog.kubernetes.workloads.nodes.pool
    for workers in (each for each in context.tpu_pods if each.traits == WORKERS):
        leader, chips = _templates(context, workers)
        policy = workers.owner.value("spec", "leaderWorkerTemplate", "subGroupPolicy")
        if leader is None or chips != 0 or leader.is_open or not isinstance(policy, dict) or has_open_key(policy):
            continue
        kind = policy.get("subGroupPolicyType")
        if (
            workers.owner.annotations.get(fact.subgroup_topology) != pool
            or is_open(kind)
            or kind == fact.leader_excluded
        ):
            continue
        if not _may_be_in_slice(context, leader, workers):
            message = f"the leader of {workers.owner.title} is in the subgroup of the first workers, on their node pool"
            fix = SetKeys.of(subGroupPolicyType=fact.leader_excluded)
            yield Hit(workers.owner.at("spec", "leaderWorkerTemplate", "subGroupPolicy"), message, fact=fact, fix=fix)


def _may_be_in_slice(context: ManifestContext, leader: PodTemplate, workers: PodTemplate) -> bool:
    """Whether a leader without chips can be on a host of the slice: by its labels, or in a node pool with TPUs."""
    labels, pool = context.catalog.platform.names, context.catalog.kubernetes.workloads.nodes.pool
    if all(_equal(leader, workers, label) for label in (labels.node_labels.accelerator, labels.node_labels.topology)):
        return True
    selected = leader.selection(pool)
    if selected is None:
        return False
    if selected.open or _equal(leader, workers, pool):
        return True
    cpu_pools = {item.name for cluster in context.clusters() for item in cluster.cpu_pools}
    tolerated = tolerates(leader, labels.labels.tpu_taint, context.catalog.kubernetes.pods.taint.value)
    return tolerated and not cpu_pools.issuperset(selected.values)


def _equal(one: PodTemplate, other: PodTemplate, label: str) -> bool:
    first, second = one.selection(label), other.selection(label)
    return first is not None and second is not None and (first.open or first.values == second.values)


@warning(
    "TPU771",
    otherwise={Severity.ERROR: "if the policy does not exist"},
    title="Restart policy that does not restart the slice as a whole",
    why="all hosts of a slice run one program, so one new Pod cannot join the others",
    fix="Use RecreateGroupOnPodRestart, which is the default.",
    references=["lws-api"],
    failing=changed(_SET, ("size: 4", "size: 4\n    restartPolicy: None")),
    passing=_SET,
)
def leaderworkerset_restart_policy(context: ManifestContext) -> Iterable[Hit]:
    facts = context.catalog.kubernetes.leaderworkerset
    several = {found.pod.owner.index for found in context.slice_pods if found.form.hosts > 1}
    fix = SetKeys.of(restartPolicy=facts.restart_as_one)
    for owner in context.of(LEADER_WORKER_SET):
        policy = known_text(mapping(owner.spec.get("leaderWorkerTemplate")).get("restartPolicy"))
        path = owner.at(*_GROUP, "restartPolicy")
        if policy in facts.deprecated_restart_policies:
            yield Hit(path, f"restart policy {quoted(policy)} is deprecated", fact=facts, fix=fix)
        elif policy and policy not in facts.restart_policies:
            allowed, severity = facts.restart_policies, Severity.ERROR
            yield Hit.unknown(path, "restart policy", policy, fact=facts, severity=severity, allowed=allowed, fix=fix)
        elif policy == "None" and owner.index in several:
            message = f"{owner.title} restarts the Pods of a slice one by one"
            yield Hit(path, message, fact=facts, allowed=(facts.restart_as_one,), fix=fix)
