"""Checks of the names of groups, node pools, workload policies and collections: TPU291 to TPU297."""

import re
from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.fleet import Cluster, CpuPool, SliceGroup, WorkloadPolicy
from pulumi_gke_tpu.core.rules.engine.context import PlanContext, is_moved, plan_groups
from pulumi_gke_tpu.core.rules.engine.rule import Hit, in_cluster, in_group, of_clusters, of_groups, rule
from pulumi_gke_tpu.core.text.findings import Rename, SetKeys, Severity, printable, quoted
from pulumi_gke_tpu.core.text.formats.names import gke_name_form, gke_name_like, is_gke_name, is_label_value
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_KEY = lazy_pattern(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}\Z", re.ASCII)
_POLICY = lazy_pattern(r"[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?\Z", re.ASCII)
_LABEL = lazy_pattern(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\Z", re.ASCII)
_SYSTEM_POOL = "system"


def _key_like(key: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", key[:100]).strip("-._")


@rule(
    "TPU291",
    plans_only="it is about the text of a plan",
    about=of_clusters("name"),
    title="Invalid characters in a key",
    why="keys are parts of Pulumi names and of addresses such as train/pretrain, where characters such as / have a "
    "special meaning",
    fix="Use only letters, digits, hyphens, dots and underscores. To use another name in GKE, set `name`.",
    source="gke-tpu: a group has the address CLUSTER/GROUP",
    failing="""
version: 1
project: acme-ml
clusters:
  train/east: {mode: standard, location: us-east5, name: train-east}
""",
    edit=(
        "train/east: {mode: standard, location: us-east5, name: train-east}",
        "train_east: {mode: standard, location: us-east5, name: train-east}",
    ),
)
def invalid_key_characters(context: PlanContext) -> Iterable[Hit]:
    """Keys of entries with a `name`; other keys are names themselves, which the rules about names check."""
    for cluster in context.fleet.clusters:
        if not _KEY.match(cluster.key) and cluster.plan.name is not None:
            yield _invalid_key(cluster.path, cluster.key)
    for _, path, group in plan_groups(context):
        if not _KEY.match(str(path[-1])) and group.name is not None:
            yield _invalid_key(path, str(path[-1]))


def _invalid_key(path: tuple[str | int, ...], key: str) -> Hit:
    near = _key_like(key)
    return Hit.invalid(
        path,
        "key",
        key or "(empty)",
        "use at most 100 letters, digits, hyphens, dots and underscores",
        given=printable(key, 60),
        fix=Rename.to(near),
    )


@rule(
    "TPU292",
    about=of_groups("name"),
    title="Invalid name of a slice group or CPU pool",
    why="GKE requires a node pool name of lower-case letters, digits and hyphens that starts with a letter and does "
    "not end with a hyphen. On Autopilot, only Kubernetes objects have the name, and it can also start with a digit",
    fix="Change the key of the group or CPU pool. For a group, you can also keep the key and set `name`.",
    references=["node-pool-name-error", "OBSERVED_2026_11_20"],
    source="observed in tests: a preview does not check node pool names",
    note="node-pool-name-form",
    failing=in_group("name: Pretrain_A"),
    edit=("name: Pretrain_A", "name: pretrain-a"),
)
def invalid_group_name(context: PlanContext) -> Iterable[Hit]:
    derived = {group.path: group.name for _, group in context.fleet.groups()}
    for cluster, path, group in plan_groups(context):
        name = group.name if group.name is not None else derived.get(path, str(path[-1]))
        standard = cluster.mode == "standard"
        if not (is_gke_name(name) if standard else _LABEL.match(name)):
            near = gke_name_like(name)
            yield Hit.invalid(
                (*path, "name") if group.name is not None else path,
                f"{'node pool' if standard else 'slice group'} name",
                name or "(empty)",
                gke_name_form(name, "a letter" if standard else "a letter or a digit"),
                fix=SetKeys.of(name=near),
            )
    for cluster in context.fleet.clusters:
        for pool in cluster.cpu_pools:
            key = str(pool.path[-1])
            if not is_gke_name(key):
                near = gke_name_like(key)
                reason = gke_name_form(key)
                yield Hit.invalid(pool.path, "node pool name", key or "(empty)", reason, fix=Rename.to(near))


@rule(
    "TPU297",
    plans_only="the name of a node pool is the one that it has",
    about=of_groups("name"),
    title="Node pool name is truncated",
    why="a node pool name has at most 40 characters. gke-tpu truncates a longer name and adds a hash to keep the "
    "name unique",
    fix="Set a shorter `name`.",
    references=["node-pool-name-error", "OBSERVED_2026_11_20"],
    severity=Severity.NOTE,
    failing=in_group("name: pretraining-of-the-large-model-in-september"),
    edit=("name: pretraining-of-the-large-model-in-september", "name: pretraining-of-the-large-model"),
)
def truncated_node_pool_name(context: PlanContext) -> Iterable[Hit]:
    """Only for a `name` in the plan: gke-tpu chooses how it derives a name from a key in any case."""
    for _, group in context.fleet.groups():
        if group.plan.name is None:
            continue
        cut = [pool.name for pool in group.pools if not pool.name.startswith(group.plan.name)]
        if cut:
            message = f"the name is too long for a node pool, so gke-tpu truncates it to {quoted(cut[0])}"
            yield Hit((*group.path, "name"), message)


@rule(
    "TPU293",
    silent_in={"gcloud": "node pools with the same full name are one"},
    about=of_clusters("slices"),
    title="Duplicate node pool name",
    why="a node pool name is unique in a cluster. The node pools of a group of multi-host slices have the names "
    "GROUP-0, GROUP-1 and so on. A CPU pool has the name of its key, and the system pool has the name `system`",
    fix="Rename one of the groups or CPU pools.",
    references=["container-api-discovery", "OBSERVED_2026_11_20"],
    note="name-identity",
    failing=in_cluster("""
slices:
  serve: {tpu: v6e, topology: 4x4, zone: us-east5-b}
  serve-0: {tpu: v6e, topology: 2x2, zone: us-east5-b}
"""),
    edit=(
        "serve-0: {tpu: v6e, topology: 2x2, zone: us-east5-b}",
        "serve-one: {tpu: v6e, topology: 2x2, zone: us-east5-b}",
    ),
)
def duplicate_node_pool_name(context: PlanContext) -> Iterable[Hit]:
    for cluster in context.fleet.clusters:
        if cluster.mode == "standard":
            yield from _pool_collisions(cluster)


def _pool_collisions(cluster: Cluster) -> Iterable[Hit]:
    owners: dict[str, SliceGroup | CpuPool | None] = {_SYSTEM_POOL: None} if cluster.has_system_pool else {}
    for cpu_pool in cluster.cpu_pools:
        if cpu_pool.name in owners:
            reason = "it is also the name of the node pool for system workloads"
            yield Hit.duplicate(cpu_pool.path, "node pool name", cpu_pool.name, reason)
        owners.setdefault(cpu_pool.name, cpu_pool)
    for group in cluster.groups:
        reported: set[str] = set()
        for pool in group.pools:
            owner = owners.setdefault(pool.name, group)
            if owner is group or (isinstance(owner, SliceGroup) and is_moved(group, owner)):
                continue
            other = _owned(owner)
            if other not in reported:
                yield Hit.duplicate(
                    group.path,
                    "node pool name",
                    pool.name,
                    f"this is already the name of the node pool {other}",
                )
            reported.add(other)


def _owned(owner: SliceGroup | CpuPool | None) -> str:
    if owner is None:
        return "for system workloads"
    return f"{'of group' if isinstance(owner, SliceGroup) else 'in cpu_pools'} {quoted(owner.path[-1])}"


@rule(
    "TPU294",
    plans_only="workload policies with the same name are one",
    about=of_clusters("slices", "workload_policies"),
    title="Duplicate workload policy name",
    why="a policy name is unique in a project and region, so the second policy cannot be created. gke-tpu names the "
    "policy of a slice group after its cluster, group and topology; policies in `workload_policies` have their key as "
    "their name",
    fix="Rename one of the groups, clusters or policies.",
    references=["container-api-discovery", "OBSERVED_2026_11_20"],
    note="name-identity",
    failing="""
version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    location: us-central1
    slices:
      east-main: {tpu: tpu7x, topology: 4x4x4, zone: us-central1-c}
  train-east:
    mode: standard
    location: us-central1
    slices:
      main: {tpu: tpu7x, topology: 4x4x4, zone: us-central1-c}
""",
    edit=(
        "east-main: {tpu: tpu7x, topology: 4x4x4, zone: us-central1-c}",
        "east: {tpu: tpu7x, topology: 4x4x4, zone: us-central1-c}",
    ),
)
def duplicate_policy_name(context: PlanContext) -> Iterable[Hit]:
    owners: dict[tuple[str, str], SliceGroup | WorkloadPolicy] = {}
    for region, name, item in _created_policies(context):
        owner = owners.setdefault((region, name), item)
        if owner is item or (isinstance(item, SliceGroup) and isinstance(owner, SliceGroup) and is_moved(item, owner)):
            continue
        yield Hit.duplicate(item.path, "workload policy name", name, f"{_creator(owner)} also creates it")


def _created_policies(context: PlanContext) -> Iterator[tuple[str, str, SliceGroup | WorkloadPolicy]]:
    """The policies that a plan creates: region, name, and what creates each of them."""
    for cluster in context.fleet.clusters:
        yield from ((cluster.region, item.name, item) for item in cluster.workload_policies)
        for group in cluster.groups:
            if group.policy_name is not None:
                yield cluster.region, group.policy_name, group


def _creator(item: SliceGroup | WorkloadPolicy) -> str:
    if isinstance(item, SliceGroup):
        return f"group {quoted(item.key)}"
    return f"`workload_policies` of {quoted(item.path[1])}"


@rule(
    "TPU295",
    about=of_clusters("slices.*.placement.workload_policy", "workload_policies"),
    title="Invalid workload policy name",
    why="a plan refers to a policy by its short name, and gke-tpu adds the project and region of the node pool. The "
    "name has at most 63 lower-case letters, digits and hyphens, starts with a letter, and does not end with a hyphen",
    fix="Use such a name. If it is a path, write only its last part.",
    references=["container-api-discovery"],
    note="compute-name-form",
    failing="""
mode: standard
location: us-central1
workload_policies: {Pairs: {topology: 2x2x2}}
slices:
  pretrain:
    tpu: tpu7x
    topology: 4x4x4
    zone: us-central1-c
    placement: {workload_policy: projects/acme-ml/regions/us-central1/resourcePolicies/cube}
""",
    passing="""
mode: standard
location: us-central1
slices:
  pretrain: {tpu: tpu7x, topology: 4x4x4, zone: us-central1-c, placement: {workload_policy: cube}}
""",
)
def invalid_policy_name(context: PlanContext) -> Iterable[Hit]:
    for cluster in context.fleet.clusters:
        for item in cluster.workload_policies:
            if not _POLICY.match(item.name):
                near = re.sub(r"[^a-z0-9]+", "-", item.name[:63].lower()).strip("-")
                yield Hit.invalid(
                    item.path,
                    "workload policy name",
                    item.name or "(empty)",
                    "use lower-case letters, digits and hyphens, starting with a letter",
                    fix=Rename.to(near) if _POLICY.match(near) else None,
                )
    for _, path, group in plan_groups(context):
        written = group.placement.workload_policy if group.placement is not None else None
        if isinstance(written, str) and not _POLICY.match(written):
            near = written.rsplit("/", 1)[-1]
            yield Hit.invalid(
                (*path, "placement", "workload_policy"),
                "workload policy name",
                written,
                "use only its last part",
                fix=SetKeys.of(workload_policy=near) if _POLICY.match(near) else None,
            )


@rule(
    "TPU296",
    about=of_groups("collection.name"),
    title="Invalid collection name",
    why="the collection name becomes the value of a node label, and Kubernetes limits label values to 63 letters, "
    "digits, hyphens, dots and underscores",
    fix="Use at most 63 letters, digits, hyphens, dots and underscores.",
    references=["kubernetes-label-validation", "container-api-discovery"],
    note="label-syntax",
    failing=in_group("collection: {name: chat models}"),
    edit=("name: chat models", "name: chat-models"),
)
def invalid_collection_name(context: PlanContext) -> Iterable[Hit]:
    for _, path, group in plan_groups(context):
        if group.collection is not None and (not group.collection.name or not is_label_value(group.collection.name)):
            near = _key_like(group.collection.name)[:63].strip("-._")
            yield Hit.invalid(
                (*path, "collection", "name"),
                "collection name",
                group.collection.name or "(empty)",
                "use at most 63 letters, digits, hyphens, dots and underscores",
                fix=SetKeys.of(name=near),
            )
