"""What a queue can get with the help of its cohort: the quota that Kueue computes along the tree of cohorts."""

from collections.abc import Iterator

from pulumi_gke_tpu.core.fleet.workloads import Cohort, Flavor, KubernetesObjects, Queue, QueueQuota


def parents_of(objects: KubernetesObjects, cohort: str | None) -> tuple[str, ...]:
    """A cohort and those that it is a part of, from the nearest on; each once, also if they are circular."""
    parents = {item.name: item.plan.parent for item in objects.cohorts}
    found: dict[str, None] = {}
    while cohort is not None and cohort not in found:
        found[cohort] = None
        cohort = parents.get(cohort)
    return tuple(found)


def most_chips(objects: KubernetesObjects, queue: Queue, flavor: Flavor) -> int:
    """The most chips of a flavor that workloads of a queue can have, if all other queues are idle.

    A queue or cohort keeps what it does not lend. It adds to this what its own cohort has, up to what it can borrow.
    """
    cohorts = {item.name: item for item in objects.cohorts}
    names = parents_of(objects, queue.plan.cohort)
    if not names or (names[-1] in cohorts and cohorts[names[-1]].plan.parent is not None):
        return _all(objects, queue, flavor)  # without a cohort, or with circular ones, which a rule reports
    total = _of_tree(objects, names[-1], flavor)
    owners: list[Queue | Cohort] = [*(cohorts[name] for name in reversed(names) if name in cohorts), queue]
    for owner in owners:
        if parent_of(owner) is None:
            continue
        quota, all_chips = _quota(owner, flavor), _all(objects, owner, flavor)
        total += _kept(objects, owner, flavor)
        if quota is not None and quota.borrow is not None:
            total = min(total, all_chips + quota.borrow)
    return total


def parent_of(owner: Queue | Cohort) -> str | None:
    """The cohort of a queue, or the parent of a cohort."""
    return owner.plan.cohort if isinstance(owner, Queue) else owner.plan.parent


def _of_tree(objects: KubernetesObjects, cohort: str, flavor: Flavor) -> int:
    """The quota of a cohort, and what its parts lend to it."""
    own = next((item for item in objects.cohorts if item.name == cohort), None)
    quota = _quota(own, flavor) if own is not None else None
    return (quota.nominal if quota is not None else 0) + sum(
        _all(objects, part, flavor) - _kept(objects, part, flavor) for part in _parts(objects, cohort)
    )


def _parts(objects: KubernetesObjects, cohort: str) -> Iterator[Queue | Cohort]:
    for owner in objects.quota_owners:
        if parent_of(owner) == cohort:
            yield owner


def _all(objects: KubernetesObjects, owner: Queue | Cohort, flavor: Flavor) -> int:
    """The quota of a queue, or of a cohort with what its parts lend to it."""
    if isinstance(owner, Cohort):
        return _of_tree(objects, owner.name, flavor)
    quota = _quota(owner, flavor)
    return quota.nominal if quota is not None else 0


def _kept(objects: KubernetesObjects, owner: Queue | Cohort, flavor: Flavor) -> int:
    """What a queue or cohort never lends."""
    quota = _quota(owner, flavor)
    return max(0, _all(objects, owner, flavor) - quota.lend) if quota is not None and quota.lend is not None else 0


def _quota(owner: Queue | Cohort, flavor: Flavor) -> QueueQuota | None:
    return next((quota for quota in owner.quotas if quota.flavor.key == flavor.key), None)
