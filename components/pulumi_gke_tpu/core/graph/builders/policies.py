"""The workload policies of a cluster: for slice groups that name them, and for auto-provisioned nodes."""

from collections.abc import Iterator, Mapping

from pulumi_gke_tpu.core.fleet import Cluster
from pulumi_gke_tpu.core.graph.builders.properties import former_names, without_none
from pulumi_gke_tpu.core.graph.declared import Declared, DeclaredOptions, Key, Ref, key_of
from pulumi_gke_tpu.core.graph.types import RESOURCE_POLICY
from pulumi_gke_tpu.core.text.findings import format_path


def workload_policies(cluster: Cluster, parent: Key) -> Iterator[Declared]:
    """The policies in ``workload_policies``."""
    for item in cluster.workload_policies:
        plan = item.plan
        yield Declared(
            RESOURCE_POLICY,
            item.key,
            parent,
            {
                "name": item.name,
                "project": cluster.project,
                "region": cluster.region,
                "workloadPolicy": {
                    "type": plan.type.upper(),
                    **without_none(
                        acceleratorTopology=plan.topology,
                        acceleratorTopologyMode=plan.topology_mode and plan.topology_mode.upper(),
                        maxTopologyDistance=plan.max_topology_distance and plan.max_topology_distance.upper(),
                    ),
                },
            },
            # The name stays when a policy is replaced, so the engine deletes the policy and its node pools first.
            DeclaredOptions(aliases=former_names(item.former_keys)),
            format_path(cluster.path),
        )


def policy_names(cluster: Cluster) -> Mapping[str, Ref]:
    """Name in ``workload_policies`` -> the name as a reference, so that node pools follow their policy."""
    return {item.name: Ref(key_of(RESOURCE_POLICY, item.key), "name") for item in cluster.workload_policies}
