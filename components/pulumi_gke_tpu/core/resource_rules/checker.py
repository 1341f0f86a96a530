"""Checks a resource, or a whole stack, by every rule of the pack at once."""

import functools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NODE_POOL, RESOURCE_POLICY
from pulumi_gke_tpu.core.resource_rules import lifted
from pulumi_gke_tpu.core.resource_rules.violation import Violation, in_cluster, violation
from pulumi_gke_tpu.core.resources.pools import CheckedResource, InStack, Machines, PoolContext, TpuPool, cluster_id
from pulumi_gke_tpu.core.resources.values import NotKnownError, Values
from pulumi_gke_tpu.core.rules.engine.discovery import rules_of
from pulumi_gke_tpu.core.rules.engine.rule import Rule, Scope

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
        found = self._by_name.get((kind, name), ()) if name else ()
        return found[0] if len(found) == 1 else None

    @functools.cached_property
    def _by_name(self) -> dict[tuple[str, str], list[StackResource]]:
        found: dict[tuple[str, str], list[StackResource]] = {}
        for member in self.members.values():
            found.setdefault((member.asked.type, _name(member)), []).append(member)
        return found


def _name(member: StackResource) -> str:
    try:
        return member.asked.values.text("name")
    except NotKnownError:
        return ""


_ON_PLANS = rules_of(Scope.PLAN)
_ON_POOLS = tuple(rule for rule in _ON_PLANS if rule.on_pools is not None)
_ON_CLUSTERS = tuple(rule for rule in _ON_PLANS if rule.on_clusters is not None)
_POOL = rules_of(Scope.POOL)
_STACK = tuple(rule for rule in rules_of(Scope.POOL, Scope.STACK) if rule.scope is Scope.STACK or rule.in_stacks)
_BY_LOCATION = tuple(rule for rule in _ON_POOLS if "location" in (rule.on_pools or ()))
_BY_VERSION = tuple(rule for rule in _ON_POOLS if "version" in (rule.on_pools or ()))


def _sorted(*rules: Rule[Any]) -> tuple[Rule[Any], ...]:
    return tuple(sorted(rules, key=lambda rule: rule.id))


RESOURCE_RULES = _sorted(*_POOL, *_ON_POOLS, *_ON_CLUSTERS)
"""The rules that one resource can break."""

STACK_RULES = _sorted(*_STACK, *_BY_LOCATION, *_BY_VERSION)
"""The rules that several resources can break together."""


class Checker:
    """Checks resources with one catalog."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self.machines = Machines(catalog)

    def resource(self, resource: CheckedResource) -> tuple[Violation, ...]:
        """Every violation of one resource."""
        found: list[Violation] = []
        for pool in self.machines.pools(resource):
            found += [in_cluster(item, pool.place) for item in self._pool(pool)]
        if resource.type == CLUSTER:
            found += lifted.check_cluster(resource, _ON_CLUSTERS, self.catalog)
        return tuple(found)

    def stack(self, members: Iterable[StackResource]) -> tuple[tuple[str, Violation], ...]:
        """Every violation of several resources together, each with the URN of its resource."""
        stack = Stack(members)
        return tuple(
            (member.urn, item)
            for member, pool in stack.pools(self.machines)
            for item in self._together(stack, member, pool)
        )

    def _pool(self, pool: TpuPool) -> Iterator[Violation]:
        yield from self._violations(_POOL, PoolContext(pool, self.catalog))
        yield from lifted.check_pool(pool, _ON_POOLS, self.catalog, by_cluster=bool(pool.place))

    def _together(self, stack: Stack, member: StackResource, pool: TpuPool) -> Iterator[Violation]:
        policy = stack.policy_of(member)
        shown = InStack(member.stored, policy.asked if policy is not None else None)
        yield from self._violations(_STACK, PoolContext(pool, self.catalog, shown))
        if pool.cluster is not None:
            yield from lifted.check_pool(pool, _sorted(*_decided_by_cluster(pool)), self.catalog, by_cluster=True)

    def _violations(self, rules: Iterable[Rule[Any]], context: PoolContext) -> Iterator[Violation]:
        """The violations of each rule, up to the first unknown value."""
        for rule in rules:
            try:
                for hit in rule.check(context) if rule.check is not None else ():
                    yield violation(rule, hit, self.catalog)
            except NotKnownError:
                continue


def _decided_by_cluster(pool: TpuPool) -> Iterator[Rule[Any]]:
    """The rules that need the cluster, because the node pool itself does not set the property."""
    try:
        if not pool.own_location:
            yield from _BY_LOCATION
        if not pool.values.text("version"):
            yield from _BY_VERSION
    except NotKnownError:
        return
