"""What several plans use of reservations and quota, what is left, and what to request."""

import datetime
from collections.abc import Sequence

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.estimate.holdings import QuotaHolding, ReservationHolding, quota_holdings, reservation_holdings
from pulumi_gke_tpu.core.estimate.quota import quota_needs
from pulumi_gke_tpu.core.estimate.quota_model import QuotaNeed
from pulumi_gke_tpu.core.estimate.quota_requests import QuotaRequest, quota_requests
from pulumi_gke_tpu.core.estimate.reservations import OwnedReservations
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.core.fleet.plans import plans_in_fleet
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan import Inventory


@frozen
class Headroom:
    """The use of every reservation and quota by several plans."""

    plans: tuple[str, ...]
    """The names of the plans."""
    catalog_version: str
    as_of: datetime.date | None
    """The date of the inventory; None without one."""
    reservations: tuple[ReservationHolding, ...]
    quotas: tuple[QuotaHolding, ...]
    requests: tuple[QuotaRequest, ...]
    unknown: tuple[QuotaNeed, ...]
    """Chips whose quota no source names."""


def headroom(plans: Sequence[CheckedPlan], inventory: Inventory | None, catalog: Catalog) -> Headroom:
    """The use by plans with content, in the order of project, place and name."""
    members = plans_in_fleet(plans)
    owned = OwnedReservations.of(inventory)
    quotas = quota_holdings(members, inventory, catalog)
    needs = (need for member in members for need in quota_needs(member.fleet, catalog))
    return Headroom(
        plans=tuple(member.name for member in members),
        catalog_version=catalog.about.version,
        as_of=inventory.as_of if inventory else None,
        reservations=reservation_holdings(owned.uses(members), owned),
        quotas=quotas,
        requests=tuple(quota_requests(quotas, catalog)),
        unknown=tuple(need for need in needs if need.metric is None),
    )
