"""Judges a resource, or a whole stack, by every rule of the pack at once."""

from collections.abc import Callable, Iterable, Iterator

from pulumi_gke_tpu.catalog import Catalog
from pulumi_gke_tpu.integrations.crossguard import lifted, option_checks, pool_checks
from pulumi_gke_tpu.integrations.crossguard.pools import Machines, Resource, TpuPool
from pulumi_gke_tpu.integrations.crossguard.together import (
    Member,
    Stack,
    not_applied,
    topology_of_the_policy,
    zones_of_the_cluster,
)
from pulumi_gke_tpu.integrations.crossguard.values import NotKnownError
from pulumi_gke_tpu.integrations.crossguard.verdict import Broken, Verdict, in_cluster, verdict
from pulumi_gke_tpu.rules.engine.registry import RULES
from pulumi_gke_tpu.rules.engine.rule import Rule
from pulumi_gke_tpu.rules.files.extra import CLUSTER

_BY_ID = {rule.id: rule for rule in RULES}
_CHECKS = {**pool_checks.CHECKS, **option_checks.CHECKS}
_PLACE = ("TPU205", "TPU206")
_VERSION = ("TPU232", "TPU233")
_TOGETHER = ("TPU165", "TPU168", "TPU464")


def _rules(ids: Iterable[str]) -> tuple[Rule, ...]:
    return tuple(_BY_ID[id] for id in sorted(set(ids)))


RESOURCE_RULES = _rules((*_CHECKS, *lifted.NEEDS, *lifted.CLUSTER_NEEDS))
"""The rules that one resource can break."""

STACK_RULES = _rules((*_PLACE, *_VERSION, *_TOGETHER))
"""The rules that several resources can break together."""


class Judge:
    """Judges with one catalog."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self.machines = Machines(catalog)

    def resource(self, resource: Resource) -> tuple[Verdict, ...]:
        """Every verdict on one resource, by itself."""
        found: list[Verdict] = []
        for pool in self.machines.pools(resource):
            found += [in_cluster(item, pool.place) for item in self._pool(pool)]
        if resource.type == CLUSTER:
            found += lifted.judge_cluster(resource, _rules(lifted.CLUSTER_NEEDS), self.catalog)
        return tuple(found)

    def stack(self, members: Iterable[Member]) -> tuple[tuple[str, Verdict], ...]:
        """Every verdict on resources together, each with the URN of the resource that it is about."""
        stack = Stack(members)
        return tuple(
            (member.urn, item)
            for member, pool in stack.pools(self.machines)
            for item in self._together(stack, member, pool)
        )

    def _pool(self, pool: TpuPool) -> Iterator[Verdict]:
        for id, check in _CHECKS.items():
            yield from self._verdicts(id, lambda check=check: check(pool, self.catalog))  # type: ignore[misc]
        yield from lifted.judge_pool(pool, _rules(lifted.NEEDS), self.catalog, by_cluster=bool(pool.place))

    def _together(self, stack: Stack, member: Member, pool: TpuPool) -> Iterator[Verdict]:
        policy = stack.policy_of(member)
        if policy is not None:
            placed = policy.asked
            yield from self._verdicts("TPU165", lambda: topology_of_the_policy(pool, placed, self.catalog))
        yield from self._verdicts("TPU168", lambda: not_applied(pool, member.stored, self.catalog))
        yield from self._verdicts("TPU464", lambda: zones_of_the_cluster(pool, self.catalog))
        if pool.cluster is not None:
            new = _rules(_told_by_the_cluster(pool))
            yield from lifted.judge_pool(pool, new, self.catalog, by_cluster=True)

    def _verdicts(self, id: str, check: Callable[[], Iterable[Broken]]) -> list[Verdict]:
        """The verdicts up to the first value that is not known yet."""
        found: list[Verdict] = []
        try:
            for broken in check():
                found.append(verdict(_BY_ID[id], broken, self.catalog))
        except NotKnownError:
            pass
        return found


def _told_by_the_cluster(pool: TpuPool) -> Iterator[str]:
    """The rules that need the cluster: what the pool itself tells was judged by itself."""
    try:
        if not pool.own_location:
            yield from _PLACE
        if not pool.values.text("version"):
            yield from _VERSION
    except NotKnownError:
        return
