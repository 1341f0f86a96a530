"""TPU84x: several plans that create the same resource."""

from collections.abc import Callable, Iterable, Iterator

from pulumi_gke_tpu.core.fleet import Cluster
from pulumi_gke_tpu.core.fleet.checked import PlanInFleet, groups_of
from pulumi_gke_tpu.core.fleet.policy_uses import policies_of, policy_uses, topology_mismatch
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.rules.engine.rule import Hit, in_cluster, of_clusters, of_groups, rule
from pulumi_gke_tpu.core.text.findings import Path, printable, quoted

_Plans = tuple[PlanInFleet, ...]


@frozen
class _Made:
    """Something that a plan creates. ``identity`` is unique in Google Cloud."""

    member: PlanInFleet
    path: Path
    item: str
    identity: tuple[str, ...]


def _shared(made: Iterable[_Made], message: Callable[[_Made, _Made], str]) -> Iterator[Hit]:
    """A hit for everything that an earlier plan creates as well; a rule about one plan reports duplicates in it."""
    first: dict[tuple[str, ...], _Made] = {}
    seen: set[tuple[int, tuple[str, ...]]] = set()
    for thing in made:
        before = first.setdefault(thing.identity, thing)
        place = (id(thing.member), thing.identity)
        if before.member is not thing.member and place not in seen:
            yield Hit(thing.path, message(thing, before)).within(thing.member.document)
        seen.add(place)


def _clusters(plans: _Plans, *, existing: bool = False) -> Iterator[tuple[PlanInFleet, Cluster]]:
    """The clusters that the plans create, or the existing ones that they use."""
    for member in plans:
        for cluster in member.fleet.clusters:
            if cluster.existing == existing:
                yield member, cluster


def _name_path(cluster: Cluster) -> Path:
    return (*cluster.path, "name") if cluster.plan.written("name") else cluster.path


def _identity(cluster: Cluster) -> tuple[str, ...]:
    return (cluster.project, cluster.location, cluster.name)


@rule(
    "TPU841",
    about=("clusters",),
    title="Two plans define the same cluster",
    why="two stacks would manage the same cluster. The second stack cannot create it, and each stack would revert "
    "the changes of the other",
    fix="Keep the cluster in one plan, or rename one of the clusters.",
    references=["container-api-discovery", "OBSERVED_2026_11_20"],
    note="name-identity",
    failing=in_cluster("""
--- plan
mode: standard
location: us-east5
"""),
    passing=in_cluster("""
--- plan
mode: standard
location: us-east5
name: train-2
"""),
)
def duplicate_cluster(plans: _Plans) -> Iterable[Hit]:
    made = (
        _Made(member, _name_path(cluster), cluster.name, _identity(cluster)) for member, cluster in _clusters(plans)
    )
    return _shared(
        made,
        lambda thing, before: (
            f"duplicate cluster {quoted(thing.item)} in {printable(thing.identity[1])} of project "
            f"{printable(thing.identity[0])}: {before.member.name} also defines this cluster"
        ),
    )


@rule(
    "TPU842",
    about=of_clusters("name", "network"),
    title="Two clusters create the same network",
    why="gke-tpu names a network after its cluster. A network name is unique in a project, so the second network "
    "cannot be created",
    fix="Set a different `name` for one of the clusters, or let one cluster use the network of the other.",
    references=["container-api-discovery", "OBSERVED_2026_11_20"],
    note="name-identity",
    failing=in_cluster("""
network: create
--- plan
mode: standard
location: us-east1
network: create
"""),
    edit=("location: us-east1", "location: us-east1\nname: train-2"),
)
def duplicate_network(plans: _Plans) -> Iterable[Hit]:
    told = list(_told_once(plans))
    own = (
        _Made(member, (*cluster.path, "network"), cluster.name, (cluster.project, cluster.name))
        for member, cluster in told
        if cluster.plan.network is not None and cluster.plan.network.create is not None
    )
    additional = (
        _Made(member, network.path, network.name, (cluster.project, network.name))
        for member, cluster in told
        for network in cluster.additional_networks
    )
    return _shared(
        (*own, *additional),
        lambda thing, before: (
            f"duplicate network {quoted(thing.item)} in project {printable(thing.identity[0])}: "
            f"cluster {quoted(before.path[1])} in {before.member.name} also creates it"
        ),
    )


@rule(
    "TPU843",
    about=of_clusters("name", "slices", "workload_policies"),
    title="Two plans create the same workload policy",
    why="a policy name is unique in a project and region, so the second policy cannot be created. gke-tpu names the "
    "policy of a slice group after its cluster, group and topology; policies in `workload_policies` have their key as "
    "their name",
    fix="Rename one of the groups, clusters or policies.",
    references=["container-api-discovery", "OBSERVED_2026_11_20"],
    note="name-identity",
    failing="""
mode: standard
location: us-central1
slices:
  pretrain-a: {tpu: tpu7x, topology: 4x4x4, zone: us-central1-c}
--- plan
mode: standard
location: us-central1
name: train-pretrain
slices:
  a: {tpu: tpu7x, topology: 4x4x4, zone: us-central1-c}
""",
    edit=("  a: {tpu", "  b: {tpu"),
)
def duplicate_workload_policy(plans: _Plans) -> Iterable[Hit]:
    told = {id(cluster) for _, cluster in (*_told_once(plans), *_clusters(plans, existing=True))}
    made = (
        _Made(member, use.path, use.policy[2], use.policy)
        for member in plans
        for use in policy_uses(cluster for cluster in member.fleet.clusters if id(cluster) in told)
        if use.created
    )
    return _shared(
        made,
        lambda thing, before: (
            f"duplicate workload policy {quoted(thing.item)} in {printable(thing.identity[1])}: "
            f"{_policy_owner(before)} also creates it"
        ),
    )


def _policy_owner(before: _Made) -> str:
    if before.path[2:3] == ("slices",):
        return f"group {quoted('/'.join(map(str, before.path[1::2])))} in {before.member.name}"
    return f"`workload_policies` of cluster {quoted(before.path[1])} in {before.member.name}"


def _told_once(plans: _Plans) -> Iterator[tuple[PlanInFleet, Cluster]]:
    """The clusters without duplicates: resources of a duplicate cluster collide for that reason."""
    first: dict[tuple[str, ...], PlanInFleet] = {}
    for member, cluster in _clusters(plans):
        if first.setdefault(_identity(cluster), member) is member:
            yield member, cluster


@rule(
    "TPU844",
    about=of_clusters("existing", "name", "slices"),
    title="Duplicate node pool of a cluster in two plans",
    why="node pool names are unique in a cluster, so the second node pool cannot be created",
    fix="Rename one of the groups, or set its `name`.",
    references=["container-api-discovery", "OBSERVED_2026_11_20"],
    note="name-identity",
    failing=in_cluster("""
name: shared
slices:
  sweep: {tpu: v6e, topology: 2x2, zone: us-east5-b}
--- plan
mode: standard
existing: projects/acme-ml/locations/us-east5/clusters/shared
node_service_account: create
slices:
  sweep: {tpu: v6e, topology: 2x2, zone: us-east5-b}
"""),
    edit=("create\nslices:\n  sweep:", "create\nslices:\n  tuning:"),
)
def duplicate_node_pool(plans: _Plans) -> Iterable[Hit]:
    clusters = (*_told_once(plans), *_clusters(plans, existing=True))
    told = {id(cluster) for _, cluster in clusters}
    of_groups = (
        _Made(member, group.path, pool.name, (*_identity(cluster), pool.name))
        for member, cluster, group in groups_of(plans)
        if id(cluster) in told
        for pool in group.pools
    )
    of_cpu_pools = (
        _Made(member, pool.path, pool.name, (*_identity(cluster), pool.name))
        for member, cluster in clusters
        for pool in cluster.cpu_pools
    )
    return _shared(
        (*of_groups, *of_cpu_pools),
        lambda thing, before: (
            f"duplicate node pool {quoted(thing.item)} in cluster {quoted(thing.identity[2])}: {before.member.name} "
            f"also creates it, for {'.'.join(printable(step) for step in before.path[1::2])}"
        ),
    )


@rule(
    "TPU845",
    about=of_groups("placement.workload_policy"),
    title="Another plan uses the workload policy with a different topology",
    why="a workload policy has exactly one topology, and GKE rejects node pools with a different topology. If an "
    "update replaces node pools, Pulumi deletes the old node pools before GKE rejects the new node pools",
    fix="Use a policy with the topology of the group. Or remove `placement`: gke-tpu then creates a policy.",
    references=["gke-ironwood", "vllm-ci-547", "autoscaler-placement", "provider-resource-policy"],
    note="tpu7x-workload-policy",
    failing="""
mode: standard
location: us-central1
slices:
  large: {tpu: tpu7x, topology: 4x4x4, zone: us-central1-c}
--- plan
mode: standard
location: us-central1
name: serve
slices:
  small: {tpu: tpu7x, topology: 2x2x2, zone: us-central1-c, placement: {workload_policy: train-large-4x4x4}}
""",
    edit=("zone: us-central1-c, placement: {workload_policy: train-large-4x4x4}", "zone: us-central1-c"),
)
def mismatched_policy_across_plans(plans: _Plans) -> Iterable[Hit]:
    uses = [(member, use) for member in plans for use in policy_uses(member.fleet.clusters)]
    known = policies_of(use for _, use in uses)
    owners = {id(use): member for member, use in uses}
    for member, use in uses:
        shown = known[use.policy]
        owner = owners[id(shown)]
        mismatch = topology_mismatch(use, shown, f" in {owner.name}") if owner is not member else ""
        if mismatch:
            yield Hit(use.path, mismatch).within(member.document)
