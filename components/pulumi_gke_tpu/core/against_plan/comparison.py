"""Clusters and node pools of any tool beside those of a plan that have the same place and name."""

from collections.abc import Iterable

from pulumi_gke_tpu.core.against_plan.live import ClusterPlace, LiveCluster, LivePool, live_clusters, live_pools
from pulumi_gke_tpu.core.against_plan.outcome import ResourceComparer
from pulumi_gke_tpu.core.against_plan.places import clusters_by_place, resources_by_place
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.builders.standard import fleet_graph
from pulumi_gke_tpu.core.graph.differences import PropertyDiff
from pulumi_gke_tpu.core.graph.model import Resource
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER
from pulumi_gke_tpu.core.resources.model import RawResource
from pulumi_gke_tpu.core.resources.pools import Machines

_SECRET = "nodeConfig.metadata"


@frozen(eq=False)
class Drift:
    """A cluster or node pool that exists and is in the plan."""

    live: LivePool | LiveCluster
    planned: Resource
    differences: tuple[PropertyDiff, ...]
    """What the plan would change."""

    @property
    def name(self) -> str:
        """As people read it."""
        return self.live.name if isinstance(self.live, LivePool) else f"cluster {self.live.name}"

    @property
    def status(self) -> str:
        """A status other than that of a working resource; empty if it works."""
        return "" if self.live.works else self.live.status

    @property
    def differs(self) -> bool:
        """Whether it is not as planned."""
        return bool(self.differences or self.status)

    @staticmethod
    def hides(item: PropertyDiff) -> bool:
        """Whether the values of a property are not shown: metadata of nodes can be secret."""
        return item.plain_path.startswith(_SECRET)


@frozen(eq=False)
class PlanComparison:
    """Adopted clusters and node pools, compared with those of a plan."""

    clusters: tuple[Drift, ...]
    pools: tuple[Drift, ...]
    missing: tuple[str, ...]
    """In the plan only."""
    others: tuple[LivePool, ...]
    """Node pools that the plan does not have: those with TPUs, in adopted clusters also those without."""


def against_plan(found: Iterable[RawResource], checked: CheckedPlan) -> PlanComparison:
    """Compare each adopted cluster and each node pool with that of the plan with the same place and name."""
    assert checked.fleet is not None
    assert checked.document.yaml is not None
    catalog, resources = checked.catalog, tuple(found)
    graph = fleet_graph(checked.document.yaml.data, checked.fleet, catalog)
    missing: list[str] = []
    clusters: list[Drift] = []
    live, wanted = live_clusters(resources, catalog), clusters_by_place(graph)
    of_clusters, of_pools = ResourceComparer(catalog, CLUSTER), ResourceComparer(catalog)
    places = (ClusterPlace(item.project, item.location, item.name) for item in checked.fleet.clusters if item.adopted)
    adopted = dict.fromkeys(places)
    for at in adopted:
        cluster, resource = live.get(at), wanted[at.location, at.name]
        if cluster is None:
            missing.append(f"cluster {at.name}")
        else:
            clusters.append(Drift(cluster, resource, of_clusters.drift(cluster, resource)))
    planned, machines = dict(resources_by_place(graph)), Machines(catalog)
    pools: list[Drift] = []
    others: list[LivePool] = []
    for pool in live_pools(resources, catalog):
        place = pool.place
        found_pool = planned.pop((place.name, place.location, pool.name), None) if place is not None else None
        if found_pool is not None:
            pools.append(Drift(pool, found_pool, of_pools.drift(pool, found_pool)))
        elif place in adopted or any(machines.pools(pool.raw.asked)):
            others.append(pool)
    missing += [name for *_, name in planned]
    return PlanComparison(tuple(clusters), tuple(pools), tuple(missing), tuple(others))
