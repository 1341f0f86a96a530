"""What queues can get with the help of their cohorts: the quota that Kueue computes along the tree of cohorts."""

from collections.abc import Mapping, Sequence

from pulumi_gke_tpu.core.fleet.workloads import Cohort, Flavor, KubernetesObjects, Queue, QueueQuota


def parents_of(objects: KubernetesObjects, cohort: str | None) -> tuple[str, ...]:
    """A cohort and those that it is a part of, from the nearest on; each once, also if they are circular."""
    return _chain(_parents(objects), cohort)


def _parents(objects: KubernetesObjects) -> dict[str, str | None]:
    return {item.name: item.plan.parent for item in objects.cohorts}


def _chain(parents: Mapping[str, str | None], cohort: str | None) -> tuple[str, ...]:
    found: dict[str, None] = {}
    while cohort is not None and cohort not in found:
        found[cohort] = None
        cohort = parents.get(cohort)
    return tuple(found)


def most_chips(objects: KubernetesObjects, queue: Queue, flavor: Flavor) -> int:
    """The most chips of a flavor that workloads of a queue can have, if all other queues are idle."""
    return _Shares(objects, flavor).free(_node(queue))


def most_together(objects: KubernetesObjects, queues: Sequence[Queue], flavor: Flavor, each: int) -> int:
    """The most chips of a flavor that slices with so many chips can have in several queues together.

    Kueue admits a slice as a whole. Each queue first takes what it does not lend, then one slice of which it has the
    largest part, so that the cohort has the most left for others.
    """
    shares = _Shares(objects, flavor)
    nodes = sorted(map(_node, queues), key=lambda node: shares.kept(node) % each, reverse=True)
    steps = [(node, shares.kept(node) // each) for node in nodes] + [(node, 1) for node in nodes]
    return sum(shares.take(node, each, slices) for node, slices in (*steps, *((node, None) for node in nodes)))


def parent_of(owner: Queue | Cohort) -> str | None:
    """The cohort of a queue, or the parent of a cohort."""
    return owner.plan.cohort if isinstance(owner, Queue) else owner.plan.parent


_Node = tuple[bool, str]
"""Whether it is a queue, and its name: a queue and a cohort can have the same one, and a cohort needs no definition."""


def _node(owner: Queue | Cohort) -> _Node:
    return isinstance(owner, Queue), owner.name


class _Shares:
    """The chips of one flavor that queues and cohorts have, keep and use.

    A queue or cohort keeps what it does not lend. It adds to this what its own cohort has left, up to what it can
    borrow.
    """

    def __init__(self, objects: KubernetesObjects, flavor: Flavor) -> None:
        self._quotas: dict[_Node, QueueQuota] = {}
        self._parents: dict[_Node, _Node] = {}
        self._parts: dict[_Node, list[_Node]] = {}
        self._used: dict[_Node, int] = {}
        self._all: dict[_Node, int] = {}
        parents = _parents(objects)
        for owner in objects.quota_owners:
            node, above = _node(owner), _chain(parents, parent_of(owner))
            quota = next((quota for quota in owner.quotas if quota.flavor.key == flavor.key), None)
            if quota is not None:
                self._quotas[node] = quota
            if above and parents.get(above[-1]) is None:
                self._parents[node] = (False, above[0])  # not in circular cohorts, which a rule reports
                self._parts.setdefault((False, above[0]), []).append(node)

    def all(self, node: _Node) -> int:
        """The quota of a queue, or of a cohort with what its parts lend to it."""
        if node not in self._all:
            quota = self._quotas.get(node)
            lent = (self.all(part) - self.kept(part) for part in self._parts.get(node, ()))
            self._all[node] = (quota.nominal if quota is not None else 0) + sum(lent)
        return self._all[node]

    def kept(self, node: _Node) -> int:
        """What a queue or cohort never lends."""
        quota = self._quotas.get(node)
        return max(0, self.all(node) - quota.lend) if quota is not None and quota.lend is not None else 0

    def free(self, node: _Node) -> int:
        """What a queue or cohort can still use."""
        used, parent = self._used.get(node, 0), self._parents.get(node)
        if parent is None:
            return self.all(node) - used
        free, quota = max(0, self.kept(node) - used) + self.free(parent), self._quotas.get(node)
        if quota is not None and quota.borrow is not None:
            free = min(free, self.all(node) + quota.borrow - used)
        return free

    def take(self, node: _Node, each: int, most: int | None) -> int:
        """Use chips for whole slices, for no more than so many if there is a limit."""
        slices = self.free(node) // each
        chips = (slices if most is None else min(slices, most)) * each
        self._use(node, chips)
        return chips

    def _use(self, node: _Node, chips: int) -> None:
        used, parent = self._used.get(node, 0), self._parents.get(node)
        self._used[node] = used + chips
        if parent is not None:
            kept = self.kept(node)
            self._use(parent, max(0, used + chips - kept) - max(0, used - kept))
