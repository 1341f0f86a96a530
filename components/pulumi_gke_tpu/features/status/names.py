"""Names of a plan that something else in the project has: clusters, networks, node pools and workload policies."""

from collections.abc import Iterator

from pulumi_gke_tpu.core.fleet import Cluster
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.core.fleet.policy_uses import policy_uses
from pulumi_gke_tpu.core.objects.document import mapping, text
from pulumi_gke_tpu.core.resources.reported import reported
from pulumi_gke_tpu.core.text.findings import format_path, printable
from pulumi_gke_tpu.features.status.drift import replaced_clusters
from pulumi_gke_tpu.features.status.folder import Snapshot, referred
from pulumi_gke_tpu.features.status.model import Check


def name_checks(checked: CheckedPlan, snapshot: Snapshot) -> Iterator[Check]:
    """Names that are taken. What could be of an earlier update of the plan itself takes none."""
    assert checked.fleet is not None
    for name, differences in replaced_clusters(checked, snapshot):
        told = f"a cluster already has this name, with other settings that cannot be changed: {differences}"
        fix = "Set another `name`, or take the cluster over with `gke-tpu adopt`."
        yield Check(f"name of cluster {name}", False, told, fix)
    for cluster in checked.fleet.clusters:
        yield from _pools(cluster, snapshot)
        yield from _networks(cluster, snapshot)
    yield from _policies(checked, snapshot)


def _pools(cluster: Cluster, snapshot: Snapshot) -> Iterator[Check]:
    """Node pools that failed before and hold their names."""
    ours = {(cluster.name, cluster.location, pool.name) for group in cluster.groups for pool in group.pools}
    place = f"--cluster={cluster.name} --location={cluster.location} --project={cluster.project}"
    for pool, raw in snapshot.node_pools():
        if pool in ours and (status := reported(raw)).is_problem:
            told = f"a node pool in state {status.status} already has this name"
            delete = f"gcloud container node-pools delete {raw.name} {place}"
            yield Check(f"name of node pool {raw.name}", ok=False, found=told, fix=delete)


def _networks(cluster: Cluster, snapshot: Snapshot) -> Iterator[Check]:
    """Networks of the name of one that is created, as long as its cluster does not exist."""
    if cluster.predates_plan or any(True for _ in snapshot.clusters(cluster)):
        return
    create = cluster.plan.network.create if cluster.plan.network is not None else None
    wanted = [(item.name, item.plan.subnet, "another key") for item in cluster.additional_networks]
    wanted += [(cluster.name, create.subnet, "another `name` of the cluster")] if create is not None else []
    for name, subnet, other in wanted:
        inside = [
            (text(each.get("name")), referred(each, "region"), each.get("ipCidrRange"))
            for each in snapshot.entries("subnetworks", cluster.project)
            if referred(each, "network") == name
        ]
        if inside and (name, cluster.region, subnet) not in inside:
            told = "a network already has this name, with other subnetworks"
            yield Check(f"name of network {name}", False, told, f"Set {other}, or use the network that exists.")


def _policies(checked: CheckedPlan, snapshot: Snapshot) -> Iterator[Check]:
    """Workload policies of another topology than those that are created, or that a group names."""
    assert checked.fleet is not None
    for use in policy_uses(checked.fleet.clusters):
        project, region, name = use.policy
        for each in snapshot.entries("policies", project):
            if (text(each.get("name")), referred(each, "region")) != (name, region):
                continue
            topology = text(mapping(each.get("workloadPolicy")).get("acceleratorTopology"))
            if topology != use.topology:
                other = f"topology {printable(topology)}" if topology else "no topology"
                told = f"a policy already has this name, with {other}"
                fix = f"{format_path(use.path)} needs topology {use.topology}. Use another name, or delete the policy."
                yield Check(f"name of workload policy {name}", False, told, fix)
