"""The resources of a stack: a node pool with its cluster, its workload policy, and its stored properties."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.types import CLUSTER, NODE_POOL, RESOURCE_POLICY
from pulumi_gke_tpu.features.policy_pack.rules.tpu_pools import CheckedResource, Machines, TpuPool, cluster_id
from pulumi_gke_tpu.features.policy_pack.rules.values import NotKnownError, Values

_POLICY_NAME = "placementPolicy.policyName"


@frozen
class StackResource:
    """A resource of a stack: its inputs, its stored properties, and the resources that it refers to."""

    urn: str
    asked: CheckedResource
    stored: Values
    refers_to: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Property -> URNs of the resources that it is made of."""


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
        return self._referred(member, "cluster", CLUSTER) or self._named(
            CLUSTER, cluster_id(member.asked.values)[1] or cluster_id(member.stored)[1]
        )

    def policy_of(self, member: StackResource) -> StackResource | None:
        """The workload policy of a node pool, if the program contains it."""
        try:
            name = member.asked.values.text(_POLICY_NAME)
        except NotKnownError:
            name = ""
        return self._referred(member, "placementPolicy", RESOURCE_POLICY) or self._named(RESOURCE_POLICY, name)

    def _referred(self, member: StackResource, name: str, kind: str) -> StackResource | None:
        urns = dict.fromkeys(member.refers_to.get(name, ()))
        found = [self.members[urn] for urn in urns if urn in self.members and self.members[urn].asked.type == kind]
        return found[0] if len(found) == 1 else None

    def _named(self, kind: str, name: str) -> StackResource | None:
        if not name:
            return None
        found = [member for member in self.members.values() if member.asked.type == kind and _name(member) == name]
        return found[0] if len(found) == 1 else None


def _name(member: StackResource) -> str:
    try:
        return member.asked.values.text("name")
    except NotKnownError:
        return ""
