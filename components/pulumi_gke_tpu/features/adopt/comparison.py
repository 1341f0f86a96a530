"""Whether node pools still are what a plan describes."""

from collections.abc import Iterable

from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.builders.standard import fleet_graph
from pulumi_gke_tpu.core.graph.differences import PropertyDiff
from pulumi_gke_tpu.core.resources.model import RawResource
from pulumi_gke_tpu.core.resources.pools import Machines
from pulumi_gke_tpu.features.adopt.adoption import resources_by_place
from pulumi_gke_tpu.features.adopt.live import live_pools
from pulumi_gke_tpu.features.adopt.proof import Prover


@frozen(eq=False)
class PoolDifference:
    """A node pool that a plan would change, or that has another status than a working one."""

    name: str
    differences: tuple[PropertyDiff, ...]
    status: str = ""


@frozen(eq=False)
class Compared:
    """The node pools of a plan, compared with those that were read."""

    same: tuple[str, ...]
    different: tuple[PoolDifference, ...]
    missing: tuple[str, ...]
    """In the plan only."""
    unplanned: tuple[str, ...]
    """TPU node pools that the plan does not have. They do not count as a difference."""

    @property
    def differs(self) -> bool:
        """Whether the plan would change or create anything."""
        return bool(self.different or self.missing)


def compare_with_plan(found: Iterable[RawResource], checked: CheckedPlan) -> Compared:
    """Compare each TPU node pool with that of the plan with the same cluster and name."""
    assert checked.fleet is not None
    assert checked.document.yaml is not None
    catalog = checked.catalog
    planned = dict(resources_by_place(fleet_graph(checked.document.yaml.data, checked.fleet, catalog)))
    prover, machines = Prover(catalog), Machines(catalog)
    same: list[str] = []
    different: list[PoolDifference] = []
    unplanned: list[str] = []
    for pool in live_pools(found, catalog.provider):
        place = pool.place
        resource = planned.pop((place.name, place.location, pool.name), None) if place is not None else None
        if resource is None:
            unplanned += [pool.name] if any(machines.pools(pool.raw.asked)) else []
            continue
        outcome = prover.outcome(pool.values, resource)
        if outcome.planned or not pool.works:
            different.append(PoolDifference(pool.name, outcome.planned, "" if pool.works else pool.status))
        else:
            same.append(pool.name)
    return Compared(tuple(same), tuple(different), tuple(name for *_, name in planned), tuple(unplanned))
