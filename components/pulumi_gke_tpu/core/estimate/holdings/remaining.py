"""What plans leave of an inventory: the same inventory, in which their use counts as use by others."""

import dataclasses
from collections.abc import Sequence
from typing import Literal

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.estimate.holdings import quota_holdings, reservation_holdings
from pulumi_gke_tpu.core.estimate.reservations import OwnedReservations
from pulumi_gke_tpu.core.fleet.plans import PlanInFleet
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan import Document, Inventory
from pulumi_gke_tpu.core.plan.inventory import OwnedQuota, OwnedReservation
from pulumi_gke_tpu.core.text.jsonfile.fields import Count


@frozen
class Subtracted:
    """What plans use of a reservation (VMs) or of a quota (chips), at the largest size of all slice groups."""

    kind: Literal["reservation", "quota"]
    name: str
    project: str
    location: str
    amount: Count


def remaining(
    inventory: Document[Inventory], plans: Sequence[PlanInFleet], catalog: Catalog
) -> tuple[Document[Inventory], tuple[Subtracted, ...]]:
    """The inventory after plans, and what they use of it. The use is that of ``gke-tpu quota`` at the largest size."""
    content = inventory.content
    if content is None:
        return inventory, ()
    owned = OwnedReservations.of(content)
    used: dict[int, int] = {}
    found: list[Subtracted] = []
    for held in reservation_holdings(owned.uses(plans), owned):
        amount = held.vms.total.maximum
        if isinstance(held.entry, OwnedReservation) and amount:
            used[id(held.entry)] = amount
            found.append(Subtracted("reservation", held.name, held.project, held.zone, amount))
    for quota in quota_holdings(plans, content, catalog):
        amount = quota.chips.total.maximum
        if quota.entry is not None and amount:
            used[id(quota.entry)] = used.get(id(quota.entry), 0) + amount
            found.append(Subtracted("quota", quota.metric.label, quota.project, quota.location, amount))

    def left(entry: OwnedReservation | OwnedQuota) -> OwnedReservation | OwnedQuota:
        return entry.model_copy(update={"in_use": entry.in_use + used.get(id(entry), 0)})

    lists = {"reservations": list(map(left, content.reservations)), "quotas": list(map(left, content.quotas))}
    return dataclasses.replace(inventory, content=content.model_copy(update=lists)), tuple(found)
