"""What only several resources show together: a pool with its cluster, with its policy, and with what became of it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from pulumi_gke_tpu.catalog import Catalog
from pulumi_gke_tpu.findings import Severity, printable
from pulumi_gke_tpu.formats.location import is_region
from pulumi_gke_tpu.integrations.crossguard.pools import RESOURCE_POLICY, Machines, Resource, TpuPool, cluster_id
from pulumi_gke_tpu.integrations.crossguard.values import NotKnownError, Values
from pulumi_gke_tpu.integrations.crossguard.verdict import Broken
from pulumi_gke_tpu.rules.engine.rule import noted
from pulumi_gke_tpu.rules.files.extra import CLUSTER, NODE_POOL

_POLICY_NAME = "placementPolicy.policyName"
_TOPOLOGY = "placementPolicy.tpuTopology"


@dataclass(frozen=True, slots=True)
class Member:
    """A resource of a stack: as the program asks for it, as it is, and what its properties refer to."""

    urn: str
    asked: Resource
    stored: Values
    refers_to: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Property -> URNs of the resources that it is made of."""


class Stack:
    """All resources of a program."""

    def __init__(self, members: Iterable[Member]) -> None:
        self.members = {member.urn: member for member in members}

    def pools(self, machines: Machines) -> Iterator[tuple[Member, TpuPool]]:
        """Every TPU pool that is a resource of its own, with its cluster where that is in the program too."""
        for member in self.members.values():
            if member.asked.type == NODE_POOL:
                cluster = self.cluster_of(member)
                for pool in machines.pools(member.asked, cluster.asked.values if cluster else None):
                    yield member, pool

    def cluster_of(self, member: Member) -> Member | None:
        """The cluster of a pool: the one that it refers to, or the only one of its name."""
        return self._referred(member, "cluster", CLUSTER) or self._named(
            CLUSTER, cluster_id(member.asked.values)[1] or cluster_id(member.stored)[1]
        )

    def policy_of(self, member: Member) -> Member | None:
        """The workload policy of a pool, where it is in the program."""
        try:
            name = member.asked.values.text(_POLICY_NAME)
        except NotKnownError:
            name = ""
        return self._referred(member, "placementPolicy", RESOURCE_POLICY) or self._named(RESOURCE_POLICY, name)

    def _referred(self, member: Member, name: str, kind: str) -> Member | None:
        urns = dict.fromkeys(member.refers_to.get(name, ()))
        found = [self.members[urn] for urn in urns if urn in self.members and self.members[urn].asked.type == kind]
        return found[0] if len(found) == 1 else None

    def _named(self, kind: str, name: str) -> Member | None:
        if not name:
            return None
        found = [member for member in self.members.values() if member.asked.type == kind and _name(member) == name]
        return found[0] if len(found) == 1 else None


def _name(member: Member) -> str:
    try:
        return member.asked.values.text("name")
    except NotKnownError:
        return ""


def zones_of_the_cluster(pool: TpuPool, catalog: Catalog) -> Iterator[Broken]:
    """TPU464 of a pool that takes its zones from a cluster of several."""
    if pool.cluster is None or not pool.multi_host or pool.values.has("nodeLocations"):
        return
    fact = noted(catalog.platform.notes, "multi-host-one-zone")
    zones = pool.cluster.texts("nodeLocations")
    if len(set(zones)) > 1:
        yield Broken("nodeLocations", f"the slice takes the {len(set(zones))} zones of its cluster", fact=fact)
    elif not zones and is_region(pool.cluster.text("location")):
        message = f"the slice takes whatever zones GKE gives a cluster in {pool.cluster.text('location')}"
        yield Broken("nodeLocations", message, fact=fact, severity=Severity.WARNING)


def topology_of_the_policy(pool: TpuPool, policy: Resource, catalog: Catalog) -> Iterator[Broken]:
    """TPU165."""
    topology = pool.values.text(_TOPOLOGY)
    kind = policy.values.text("workloadPolicy.type")
    placed = policy.values.text("workloadPolicy.acceleratorTopology")
    if not topology or not kind:
        return
    name, fact = printable(policy.name), noted(catalog.platform.notes, "tpu7x-workload-policy")
    if placed and placed != topology:
        yield Broken(_TOPOLOGY, f"{printable(topology)}, and policy {name} places {printable(placed)}", fact=fact)
    elif kind == "HIGH_AVAILABILITY" and pool.generation.multi_host_placement == "workload_policy":
        yield Broken(_POLICY_NAME, f"policy {name} is of type {kind}", fact=fact)


def not_applied(pool: TpuPool, stored: Values, catalog: Catalog) -> Iterator[Broken]:
    """TPU168: what the program asks for against what the provider reports."""
    fixed = catalog.provider.resources[NODE_POOL].properties
    for path in sorted(path for path, item in fixed.items() if item.gke == "fixed" and item.change == "no-op"):
        asked, got = pool.values.text(path), stored.text(path)
        if asked and got and asked != got:
            yield Broken(path, f"the program asks for {printable(asked)}, and the pool still has {printable(got)}")
