"""Checks a resource, or a whole stack, by every rule of the pack at once."""

import datetime
from collections.abc import Iterable, Iterator
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.described.describe import describe
from pulumi_gke_tpu.core.described.model import DescribedPlan
from pulumi_gke_tpu.core.described.stack import Stack, StackResource
from pulumi_gke_tpu.core.resource_rules.planned import PLANNED, check_described
from pulumi_gke_tpu.core.resource_rules.violation import Violation, in_place, violation
from pulumi_gke_tpu.core.resources.pools import CheckedResource, InStack, Machines, PoolContext
from pulumi_gke_tpu.core.resources.values import NotKnownError
from pulumi_gke_tpu.core.rules.engine.discovery import rules_of
from pulumi_gke_tpu.core.rules.engine.rule import Rule, Scope

_POOL = rules_of(Scope.POOL)
_STACK = tuple(rule for rule in rules_of(Scope.POOL, Scope.STACK) if rule.scope is Scope.STACK or rule.in_stacks)


def _sorted(*rules: Rule[Any]) -> tuple[Rule[Any], ...]:
    return tuple(sorted(rules, key=lambda rule: rule.id))


RESOURCE_RULES = _sorted(*_POOL, *PLANNED)
"""The rules that one resource can break."""

STACK_RULES = _sorted(*_STACK, *PLANNED)
"""The rules that several resources can break together."""


class Checker:
    """Checks resources with one catalog. Without a date, rules about dates report nothing."""

    def __init__(self, catalog: Catalog, today: datetime.date | None = None) -> None:
        self.catalog = catalog
        self.today = today
        self.machines = Machines(catalog)

    def resource(self, resource: CheckedResource) -> tuple[Violation, ...]:
        """Every violation of one resource."""
        alone = StackResource("", resource, resource.values)
        found = (item for _, item in self._planned([alone]))
        return (*self._pools(resource), *found)

    def stack(self, members: Iterable[StackResource]) -> tuple[tuple[str, Violation], ...]:
        """Every violation of several resources together that none has alone, each with the URN of its resource."""
        members = tuple(members)
        alone = {(member.urn, item) for member in members for _, item in self._planned([member])}
        return (
            *self._together(members),
            *(found for found in self._planned(members) if found not in alone),
        )

    def fleet(
        self, members: Iterable[StackResource], described: DescribedPlan | None = None
    ) -> tuple[tuple[str, Violation], ...]:
        """Every violation of resources, alone and together, each with the URN of its resource.

        ``described`` is the plan that describes them, if it was made already.
        """
        members = tuple(members)
        pools = ((member.urn, item) for member in members for item in self._pools(member.asked))
        return (*pools, *self._planned(members, described), *self._together(members))

    def _pools(self, resource: CheckedResource) -> Iterator[Violation]:
        """What only rules about node pools find."""
        for pool in self.machines.pools(resource):
            context = PoolContext(pool, self.catalog)
            yield from (in_place(item, pool.place) for item in self._violations(_POOL, context))

    def _planned(
        self, members: Iterable[StackResource], described: DescribedPlan | None = None
    ) -> Iterator[tuple[str, Violation]]:
        """What the rules about plans find."""
        for plan in (described or describe(members, self.catalog)).by_rules:
            yield from check_described(plan, self.catalog, self.today)

    def _together(self, members: tuple[StackResource, ...]) -> Iterator[tuple[str, Violation]]:
        stack = Stack(members)
        for member, pool in stack.pools(self.machines):
            policy = stack.policy_of(member)
            asked = policy.asked if policy is not None else None
            shown = InStack(member.stored, asked, stack.refers_to_cluster(member))
            for item in self._violations(_STACK, PoolContext(pool, self.catalog, shown)):
                yield member.urn, item

    def _violations(self, rules: Iterable[Rule[Any]], context: PoolContext) -> Iterator[Violation]:
        """The violations of each rule, up to the first unknown value."""
        for rule in rules:
            try:
                for hit in rule.check(context) if rule.check is not None else ():
                    yield violation(rule, hit, self.catalog)
            except NotKnownError:
                continue
