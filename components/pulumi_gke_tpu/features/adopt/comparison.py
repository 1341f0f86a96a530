"""Whether clusters and node pools still are what a plan describes."""

from collections.abc import Callable, Iterable, Sequence

from pulumi_gke_tpu.core.against_plan.live import ClusterPlace, LivePool, live_clusters, live_pools
from pulumi_gke_tpu.core.against_plan.outcome import ResourceComparer
from pulumi_gke_tpu.core.against_plan.places import clusters_by_place, resources_by_place
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.builders.standard import fleet_graph
from pulumi_gke_tpu.core.graph.differences import PropertyDiff
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER
from pulumi_gke_tpu.core.resources.model import RawResource
from pulumi_gke_tpu.core.resources.pools import Machines
from pulumi_gke_tpu.features.adopt.adoption import LeftAlone, adopt_fleets

_SECRET = "nodeConfig.metadata"


@frozen(eq=False)
class PoolDifference:
    """A cluster or node pool that a plan would change, or that has another status than a working one."""

    name: str
    differences: tuple[PropertyDiff, ...]
    status: str = ""
    written: Callable[[str], str] = str
    """The path of a property as the source of the node pool spells it."""

    @staticmethod
    def hides(item: PropertyDiff) -> bool:
        """Whether the values of a property are not shown: metadata of nodes can be secret."""
        return item.plain_path.startswith(_SECRET)


@frozen(eq=False)
class Compared:
    """The node pools and adopted clusters of a plan, compared with those that were read."""

    same: tuple[str, ...]
    different: tuple[PoolDifference, ...]
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
    """Compare each adopted cluster and each node pool with that of the plan with the same place and name."""
    assert checked.fleet is not None
    assert checked.document.yaml is not None
    catalog, resources = checked.catalog, tuple(found)
    graph = fleet_graph(checked.document.yaml.data, checked.fleet, catalog)
    planned = dict(resources_by_place(graph))
    comparer, machines = ResourceComparer(catalog), Machines(catalog)
    same: list[str] = []
    different: list[PoolDifference] = []
    others: list[LivePool] = []
    missing: list[str] = []
    same_clusters: list[str] = []
    clusters, cluster_comparer = live_clusters(resources, catalog), ResourceComparer(catalog, CLUSTER)
    wanted = clusters_by_place(graph)
    adopted = {
        ClusterPlace(item.project, item.location, item.name): item for item in checked.fleet.clusters if item.adopted
    }
    for at, cluster in adopted.items():
        name, live = f"cluster {cluster.name}", clusters.get(at)
        if live is None:
            missing.append(name)
            continue
        drift = cluster_comparer.drift(live, wanted[cluster.location, cluster.name])
        if drift or not live.works:
            status = "" if live.works else live.status
            different.append(PoolDifference(name, drift, status, live.raw.spelling.written))
        else:
            same_clusters.append(cluster.name)
    for pool in live_pools(resources, catalog):
        place = pool.place
        resource = planned.pop((place.name, place.location, pool.name), None) if place is not None else None
        if resource is None:
            others += [pool] if place in adopted or any(machines.pools(pool.raw.asked)) else []
            continue
        drift = comparer.drift(pool, resource)
        if drift or not pool.works:
            status = "" if pool.works else pool.status
            different.append(PoolDifference(pool.name, drift, status, pool.raw.spelling.written))
        else:
            same.append(pool.name)
    unplanned, alone = _not_planned(others, resources, checked)
    missing += [name for *_, name in planned]
    return Compared(tuple(same), tuple(different), tuple(missing), unplanned, alone, tuple(same_clusters))


def _not_planned(
    pools: Sequence[LivePool], found: Iterable[RawResource], checked: CheckedPlan
) -> tuple[tuple[str, ...], tuple[LeftAlone, ...]]:
    """The names of those that the plan could have, and the others with the reason, as an adoption finds it.

    An adopted cluster is adopted again with all of its node pools, and those without TPUs could be in the plan too.
    """
    assert checked.fleet is not None
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
    alone = [LeftAlone(pool, "its cluster is not in the plan") for pool in outside]
    alone += [left for adoption in adoptions for left in adoption.alone if _place(left.pool) in names]
    every = (item.pool for adoption in adoptions for item in adoption.pools)
    return tuple(pool.name for pool in every if _place(pool) in names), tuple(alone)


def _place(pool: LivePool) -> tuple[ClusterPlace | None, str]:
    return pool.place, pool.name
