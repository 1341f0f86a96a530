"""Checks a resource, or a whole stack, by every rule of the pack at once."""

from collections.abc import Iterable, Iterator
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.graph.types import CLUSTER
from pulumi_gke_tpu.core.rules.engine.discovery import rules_of
from pulumi_gke_tpu.core.rules.engine.rule import Rule, Scope
from pulumi_gke_tpu.features.policy_pack import lifted
from pulumi_gke_tpu.features.policy_pack.rules.context import InStack, PoolContext
from pulumi_gke_tpu.features.policy_pack.rules.tpu_pools import CheckedResource, Machines, TpuPool
from pulumi_gke_tpu.features.policy_pack.rules.values import NotKnownError
from pulumi_gke_tpu.features.policy_pack.together import Stack, StackResource
from pulumi_gke_tpu.features.policy_pack.violation import Violation, in_cluster, violation

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
