"""Whether clusters and node pools still are what a plan describes."""

from collections.abc import Iterable, Sequence

from pulumi_gke_tpu.core.against_plan.comparison import Drift, against_plan
from pulumi_gke_tpu.core.against_plan.live import ClusterPlace, LivePool, live_clusters, live_pools
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.resources.model import RawResource
from pulumi_gke_tpu.features.adopt.adoption import LeftAlone, adopt_fleets


@frozen(eq=False)
class Compared:
    """The node pools and adopted clusters of a plan, compared with those that were read."""

    same: tuple[str, ...]
    different: tuple[Drift, ...]
    missing: tuple[str, ...]
    """In the plan only."""
    unplanned: tuple[str, ...]
    """Node pools in clusters of the plan that the plan does not have, although it could: those with TPUs, in adopted
    clusters also those without."""
    alone: tuple[LeftAlone, ...]
    """The others of these node pools that the plan does not have. They do not count as a difference."""
    clusters: tuple[str, ...] = ()
    """The adopted clusters that are the same."""

    @property
    def differs(self) -> bool:
        """Whether the node pools are others than those of the plan."""
        return bool(self.different or self.missing or self.unplanned)


def compare_with_plan(found: Iterable[RawResource], checked: CheckedPlan) -> Compared:
    """Compare each adopted cluster and each node pool with that of the plan, and find the others that it could have."""
    resources = tuple(found)
    compared = against_plan(resources, checked)
    unplanned, alone = _not_planned(compared.others, resources, checked)
    return Compared(
        same=tuple(item.name for item in compared.pools if not item.differs),
        different=tuple(item for item in (*compared.clusters, *compared.pools) if item.differs),
        missing=compared.missing,
        unplanned=unplanned,
        alone=alone,
        clusters=tuple(item.live.name for item in compared.clusters if not item.differs),
    )


def _not_planned(
    pools: Sequence[LivePool], found: Iterable[RawResource], checked: CheckedPlan
) -> tuple[tuple[str, ...], tuple[LeftAlone, ...]]:
    """The names of those that the plan could have, and the others with the reason, as an adoption finds it.

    An adopted cluster is adopted again with all of its node pools, and those without TPUs could be in the plan too.
    """
    assert checked.fleet is not None
    if not pools:
        return (), ()
    resources, catalog = tuple(found), checked.catalog
    planned = {ClusterPlace(item.project, item.location, item.name): item for item in checked.fleet.clusters}
    clusters = [item.raw for place, item in live_clusters(resources, catalog).items() if place in planned]
    outside = [pool for pool in pools if pool.place not in planned]
    near = [pool for pool in pools if pool.place in planned]
    whole = {pool.place for pool in near if pool.place is not None and planned[pool.place].adopted}
    inside = [pool.raw for pool in live_pools(resources, catalog) if pool.place in whole]
    others = [pool.raw for pool in near if pool.place not in whole]
    adoptions = [
        adoption
        for raws, slices_only in ((inside, False), (others, True))
        for adoption in adopt_fleets([*clusters, *raws] if raws else (), catalog, slices_only=slices_only)
    ]
    names = {(pool.place, pool.name) for pool in pools}
    alone = [LeftAlone(pool, "not in a cluster of the plan") for pool in outside]
    alone += [left for adoption in adoptions for left in adoption.alone if _place(left.pool) in names]
    every = (item.pool for adoption in adoptions for item in adoption.pools)
    return tuple(pool.name for pool in every if _place(pool) in names), tuple(alone)


def _place(pool: LivePool) -> tuple[ClusterPlace | None, str]:
    return pool.place, pool.name
