"""The plans that standards apply to, with the estimates that several kinds of standards need."""

import functools

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.estimate.autoprovisioning import AutoProvisioned, autoprovisioned
from pulumi_gke_tpu.core.estimate.cost import cost_of
from pulumi_gke_tpu.core.estimate.cost_model import GroupCost
from pulumi_gke_tpu.core.estimate.reservations import OwnedReservations
from pulumi_gke_tpu.core.fleet.plans import PlanInFleet
from pulumi_gke_tpu.core.frozen import frozen


@frozen(slots=False, eq=False)
class EstimatedPlan:
    """One plan."""

    plan: PlanInFleet
    catalog: Catalog
    owned: OwnedReservations
    """The reservations of the inventory, with the prices of their contracts; empty without an inventory."""

    @functools.cached_property
    def provisioned(self) -> dict[str, tuple[AutoProvisioned, ...]]:
        """What node auto-provisioning may create, by the key of the cluster."""
        found: dict[str, tuple[AutoProvisioned, ...]] = {}
        if any(cluster.plan.autoprovisioning is not None for cluster in self.plan.fleet.clusters):
            for item in autoprovisioned(self.plan.fleet, self.catalog):
                found[item.cluster] = (*found.get(item.cluster, ()), item)
        return found

    @functools.cached_property
    def costs(self) -> dict[str, GroupCost]:
        """The cost of each slice group, by its key."""
        return {cost.group: cost for cost in cost_of(self.plan.fleet, self.catalog, self.owned).groups}
