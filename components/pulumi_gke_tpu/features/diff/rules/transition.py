"""The subject of rules about a change of a plan: two valid plans, and the change from one to the other."""

import datetime
import functools
from collections.abc import Collection, Iterator, Mapping
from typing import Literal

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet import Cluster
from pulumi_gke_tpu.core.fleet.names import PossibleRename, find_renames
from pulumi_gke_tpu.core.fleet.pairs import ClusterPair, GroupPair
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan import Plan
from pulumi_gke_tpu.core.plan.entries import REASON_TO_WRITE
from pulumi_gke_tpu.core.rules.engine.discovery import rules_of
from pulumi_gke_tpu.core.rules.engine.rule import Scope
from pulumi_gke_tpu.core.rules.engine.run import Acceptances, findings_of
from pulumi_gke_tpu.core.text.findings import Append, Finding, Path, sort_findings
from pulumi_gke_tpu.core.text.findings.emit import flow
from pulumi_gke_tpu.features.diff.consent import days_to_go_ahead
from pulumi_gke_tpu.features.diff.model import Fix, Overlap

MOST_HOSTS = 100
"""How many hosts one change may delete or restart by default."""


@frozen
class Planned:
    """The effect of a change on one item, from a comparison of the resources of both plans."""

    hosts_gone: int = 0
    """Hosts that are deleted or replaced."""
    hosts_restarted: int = 0
    """Hosts that stay, and are drained or re-created."""
    replaced_for: frozenset[str] = frozenset()
    """The properties whose change replaces the cluster, or node pools of the group."""
    refused: Literal["", "protection", "update"] = ""
    """Why ``pulumi up`` will fail: protection or another reason; empty if it will not."""
    reason: str = ""
    """The reason of the failure, if it is not protection."""
    certain: bool = True
    """Whether the failure is certain, not only expected."""
    fix: Fix | None = None
    """What to add to the plan after the change so that it succeeds."""
    updates: int = 1
    """How many runs of ``pulumi up`` that requires."""
    overlap: Overlap | None = None
    """The temporary need of a reservation that is too small for it."""


@frozen(slots=False)
class Transition:
    """A plan before and after a change. Paths of hits are those in the plan after it.

    ``planned`` is the result of comparing the graphs, by item. ``today`` decides which acknowledgements are valid,
    and which exclusions are active.
    """

    base: Plan
    head: Plan
    catalog: Catalog
    today: datetime.date | None
    pairs: tuple[ClusterPair, ...]
    planned: Mapping[str, Planned]
    most_hosts: int
    renames: tuple[PossibleRename, ...] = ()
    """Renames that ``moved`` does not declare."""

    def hosts_gone(self, item: str) -> int:
        """How many hosts of an item the change deletes, as far as that is known."""
        found = self.planned.get(item)
        return found.hosts_gone if found else 0

    def replaced_for(self, item: str) -> frozenset[str]:
        """The properties whose change replaces a cluster, or node pools of a group, as far as that is known."""
        found = self.planned.get(item)
        return found.replaced_for if found else frozenset()

    def way_ahead(self, item: str) -> Append | None:
        """What to add to the plan so that a failing change succeeds; None if it does not fail, or this is unknown."""
        found = self.planned.get(item)
        return self.adding(found.fix.key, *found.fix.entries) if found and found.fix else None

    def adding(self, key: Literal["acknowledge", "moved"], *entries: str) -> Append:
        """Entries to add to the plan after the change, each as YAML on one line."""
        return Append(key, entries, is_there=bool(getattr(self.head, key)))

    def is_renamed(self, item: str) -> bool:
        """Whether a removed or new item appears to be another one that was renamed."""
        return item in self._renamed

    def acknowledgement(self, change: Literal["replace", "delete"], item: str) -> Append:
        """An entry of ``acknowledge`` to add to the plan after the change."""
        until: datetime.date | str = "YYYY-MM-DD" if self.today is None else days_to_go_ahead(self.today)
        entry = {"change": change, "of": item, "reason": REASON_TO_WRITE, "until": until}
        return self.adding("acknowledge", flow(entry))

    @functools.cached_property
    def _renamed(self) -> frozenset[str]:
        after = (candidate.after for rename in self.renames for candidate in rename.candidates)
        return frozenset((*after, *(rename.before for rename in self.renames)))

    def stops(self, item: str) -> bool:
        """Whether `pulumi up` will fail at an item."""
        found = self.planned.get(item)
        return found is not None and bool(found.refused)

    def groups(self) -> Iterator[tuple[ClusterPair, GroupPair]]:
        """Every group with its cluster."""
        for cluster in self.pairs:
            for group in cluster.groups:
                yield cluster, group

    def acknowledged(self, plan: Plan, item: str) -> frozenset[str]:
        """The kinds of change that a plan acknowledges for an item or for its cluster."""
        kinds = self._acknowledged[plan is self.head]
        return frozenset(kinds.get(item, set()) | kinds.get(item.partition("/")[0], set()))

    @functools.cached_property
    def _acknowledged(self) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
        """The same by item as written, for the plan before and the plan after."""
        before: dict[str, set[str]] = {}
        after: dict[str, set[str]] = {}
        for plan, kinds in ((self.base, before), (self.head, after)):
            for entry in plan.acknowledge:
                if self.today is not None and self.today <= entry.until:
                    kinds.setdefault(entry.of, set()).add(entry.change)
        return before, after


def validate_change(
    base: Plan,
    head: Plan,
    pairs: tuple[ClusterPair, ...],
    catalog: Catalog,
    *,
    today: datetime.date | None = None,
    planned: Mapping[str, Planned] | None = None,
    most_hosts: int | None = None,
    only: Collection[str] = (),
) -> tuple[Finding, ...]:
    """Every finding about a change of one plan, sorted. Paths are those in ``head``, whose document has the positions.

    Both plans are assumed to be valid; ``pairs`` are those of their fleets. ``planned`` (by item) comes
    from a comparison of their resources; rules that need it check nothing without it. ``most_hosts`` is how many hosts
    one change may delete or restart (``MOST_HOSTS``).
    ``head`` can accept warnings. ``only`` are the rules to check, all of them if it is empty.
    """
    transition = Transition(
        base=base,
        head=head,
        catalog=catalog,
        today=today,
        pairs=pairs,
        planned=planned or {},
        most_hosts=MOST_HOSTS if most_hosts is None else most_hosts,
        renames=find_renames(pairs, head.moved),
    )
    acceptances = Acceptances(head, today)
    rules = [rule for rule in rules_of(Scope.CHANGE) if not only or rule.id in only]
    found = findings_of(rules, transition, catalog, head)
    return sort_findings(acceptances.applied(finding) for finding in found)


def lost_pools(pair: GroupPair) -> list[str]:
    """The node pools of a group that the change deletes, by name."""
    after = {pool.key.rpartition("/")[2] for pool in (pair.head.pools if pair.head else ())}
    return [pool.name for pool in (pair.base.pools if pair.base else ()) if pool.key.rpartition("/")[2] not in after]


def place_of_gone(plan: Plan, cluster: str) -> Path:
    """The path at which an item is missing: the groups of its cluster, or the clusters, as far as they exist."""
    found = plan.clusters.get(cluster)
    if found is None:
        return ("clusters",)
    return ("clusters", cluster, "slices") if found.written("slices") else ("clusters", cluster)


def identity(cluster: Cluster) -> dict[str, str]:
    """What GKE cannot change of a cluster."""
    return {key: getattr(cluster, key) for key in ("project", "location", "name", "mode")}


def count_path(pair: GroupPair) -> Path:
    """The path of the key that sets the number of slices; that of the group if no key does."""
    group = pair.item
    for key in ("indices", "count", "max", "min"):
        if group.plan.written(key):
            return (*group.path, key)
    return group.path
