"""The prices of TPU chips that GKE may create when workloads request them. No sum of a plan contains them."""

import dataclasses
from collections.abc import Iterable

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.prices import Price
from pulumi_gke_tpu.core.estimate.auto_chips import MODES, AutoChips, auto_chips
from pulumi_gke_tpu.core.estimate.cost_model import FleetCost
from pulumi_gke_tpu.core.estimate.money import Usd
from pulumi_gke_tpu.core.estimate.prices import PriceList, price_model
from pulumi_gke_tpu.core.fleet import Fleet, Range
from pulumi_gke_tpu.core.frozen import frozen


@frozen
class AutoProvisioned(AutoChips):
    """Chips that node auto-provisioning may create, with their prices."""

    prices: tuple[Price, ...]
    """The known prices, the lowest first."""
    unknown: str
    """The reason if a price is not known; empty otherwise."""

    @property
    def usd(self) -> Usd | None:
        """USD per hour from no chips to all chips at the highest known price; None if no price is known."""
        return Usd.of(self.prices[-1].usd or 0, self.chips) if self.prices else None

    @property
    def all_usd(self) -> Usd | None:
        """USD per hour of all chips from the lowest to the highest known price; None if no price is known."""
        most = Range(self.chips.maximum, self.chips.maximum)
        if not self.prices:
            return None
        low, high = (Usd.of(price.usd or 0, most).maximum for price in (self.prices[0], self.prices[-1]))
        return Usd(low, high)


def autoprovisioned(fleet: Fleet, catalog: Catalog) -> tuple[AutoProvisioned, ...]:
    """What node auto-provisioning may create in each cluster of a fleet, by accelerator label."""
    found = [item for cluster in fleet.clusters for item in auto_chips(cluster, catalog)]
    if not found:
        return ()
    prices = PriceList(catalog.prices)
    return tuple(_priced(item, prices) for item in found)


def used_prices(cost: FleetCost, auto: Iterable[AutoProvisioned]) -> tuple[Price, ...]:
    """Every price that the amounts use, once: those of the groups, then those of auto-provisioned chips."""
    prices = (*cost.prices, *(price for item in auto for price in item.prices))
    return tuple({id(price): price for price in prices}.values())


def _priced(item: AutoChips, prices: PriceList) -> AutoProvisioned:
    models = tuple(map(price_model, MODES))
    found = [price for model in models if (price := prices.find(item.family, item.region, model))]
    missing = [reason for model in models if (reason := prices.missing(item.family, item.region, model))]
    return AutoProvisioned(
        **{field.name: getattr(item, field.name) for field in dataclasses.fields(item)},
        prices=tuple(sorted(found, key=lambda price: price.usd or 0)),
        unknown="; ".join(missing),
    )
