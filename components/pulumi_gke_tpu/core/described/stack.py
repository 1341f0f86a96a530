"""The resources of a program, or of what exists, as one: which cluster and which policy a node pool refers to."""

import functools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.resource_types import (
    CLUSTER,
    NETWORK,
    NODE_POOL,
    RESOURCE_POLICY,
    ROUTER_NAT,
    SUBNETWORK,
)
from pulumi_gke_tpu.core.resources.pools import CheckedResource, Machines, TpuPool, cluster_id
from pulumi_gke_tpu.core.resources.values import Values

_POLICY_NAME = "placementPolicy.policyName"


@frozen
class StackResource:
    """A resource of a stack: its inputs, its stored properties, and the resources that it refers to."""

    urn: str
    asked: CheckedResource
    stored: Values
    refers_to: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Property -> URNs of the resources that it is made of."""
    reported: bool = False
    """Whether the properties are those that GKE reports, which contain what GKE itself has set."""
    exists: bool = False
    """Whether it existed before the program ran, and is not replaced."""
    folder: str = ""
    """The folder of a file that people write. Those of two environments have resources with the same names."""
    with_pools: bool = False
    """Whether it is a cluster whose node pools are all in the source, as resources or in the cluster."""
    whole: bool = False
    """Whether the source has every resource of its program."""


class Stack:
    """All resources of a program."""

    def __init__(self, members: Iterable[StackResource]) -> None:
        self.members = {member.urn: member for member in members}

    def pools(self, machines: Machines) -> Iterator[tuple[StackResource, TpuPool]]:
        """Every TPU node pool that is a separate resource, with its cluster if the program contains it."""
        for member in self.members.values():
            if member.asked.type == NODE_POOL:
                cluster = self.cluster_of(member)
                for pool in machines.pools(member.asked, cluster.asked.values if cluster else None):
                    yield member, pool

    def cluster_of(self, member: StackResource) -> StackResource | None:
        """The cluster of a node pool: the one that it refers to, or the only one with that name."""
        return self._referred(member, "cluster", CLUSTER) or self._cluster_named(member)

    def refers_to_cluster(self, member: StackResource) -> bool:
        """Whether a node pool refers to a cluster of the program, not only by name."""
        return self._referred(member, "cluster", CLUSTER) is not None

    def policy_of(self, member: StackResource) -> StackResource | None:
        """The workload policy of a node pool, if the program contains it."""
        return self._referred(member, "placementPolicy", RESOURCE_POLICY) or self.policy_in(member.asked.values)

    def policy_in(self, pool: Values) -> StackResource | None:
        """The workload policy that the properties of a node pool name, alone or with its address."""
        return self._named(RESOURCE_POLICY, pool.known_text(_POLICY_NAME).rpartition("/")[2])

    def network_of(self, member: StackResource) -> StackResource | None:
        """The network of a cluster or a subnetwork, if the program contains it."""
        return self._referred(member, "network", NETWORK) or self._by_path(NETWORK, member, "network")

    def subnetwork_of(self, member: StackResource) -> StackResource | None:
        """The subnetwork of a cluster, if the program contains it."""
        return self._referred(member, "subnetwork", SUBNETWORK) or self._by_path(SUBNETWORK, member, "subnetwork")

    def nat_in(self, network: StackResource) -> StackResource | None:
        """A Cloud NAT in the project of a network."""
        project = network.asked.values.known_text("project")
        nats = (member for member in self.members.values() if member.asked.type == ROUTER_NAT)
        return next((each for each in nats if each.asked.values.known_text("project") in ("", project)), None)

    def _by_path(self, kind: str, member: StackResource, name: str) -> StackResource | None:
        """The resource that a property names, alone or with its address."""
        return self._named(kind, member.asked.values.known_text(name).rpartition("/")[2])

    def _cluster_named(self, member: StackResource) -> StackResource | None:
        """The cluster with the name that a node pool has, the one in its location if there are several."""
        location, name = cluster_id(member.asked.values)
        name = name or cluster_id(member.stored)[1]
        found = self._by_name.get((CLUSTER, name), ()) if name else ()
        if len(found) > 1:
            location = location or member.asked.values.known_text("location")
            found = [item for item in found if item.asked.values.known_text("location") == location]
        return found[0] if len(found) == 1 else None

    def _referred(self, member: StackResource, name: str, kind: str) -> StackResource | None:
        urns = dict.fromkeys(member.refers_to.get(name, ()))
        found = [self.members[urn] for urn in urns if urn in self.members and self.members[urn].asked.type == kind]
        return found[0] if len(found) == 1 else None

    def _named(self, kind: str, name: str) -> StackResource | None:
        found = self._by_name.get((kind, name), ()) if name else ()
        return found[0] if len(found) == 1 else None

    @functools.cached_property
    def _by_name(self) -> dict[tuple[str, str], list[StackResource]]:
        found: dict[tuple[str, str], list[StackResource]] = {}
        for member in self.members.values():
            found.setdefault((member.asked.type, member.asked.values.known_text("name")), []).append(member)
        return found
