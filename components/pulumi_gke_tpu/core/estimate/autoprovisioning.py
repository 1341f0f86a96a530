"""The TPU chips that GKE may create when workloads request them: their quota and prices. No sum of a plan has them."""

import dataclasses
from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.capacity import CapacityMode, Price, QuotaMetric
from pulumi_gke_tpu.core.estimate.cost import FleetCost
from pulumi_gke_tpu.core.estimate.prices import PriceList, Usd, price_model
from pulumi_gke_tpu.core.fleet import Cluster, Fleet, Range
from pulumi_gke_tpu.core.fleet.model import tpu_limits
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings import Path
from pulumi_gke_tpu.core.text.formats.names import region_of

MODES: tuple[CapacityMode, ...] = ("spot", "on_demand")
"""The capacity modes between which workloads choose; a reservation that they name has its own price and quota."""


@frozen
class AutoChips:
    """Chips of one kind of TPU that node auto-provisioning may create in a cluster when workloads request them."""

    cluster: str
    """The key of the cluster."""
    path: Path
    """The path of ``autoprovisioning`` in the plan."""
    generation: str
    label: str
    """The accelerator label that the limit counts."""
    family: str
    region: str
    zones: tuple[str, ...]
    """Zones of the plan, or of the region, in which GKE documents the machine family."""
    limit: int
    """The limit of the cluster in chips, with those of its node pools."""
    in_pools: Range
    """Chips in the node pools of the plan."""
    quotas: tuple[QuotaMetric, ...]
    """The quotas, one of which the chips use."""

    @property
    def key(self) -> str:
        """cluster/autoprovisioning."""
        return f"{self.cluster}/autoprovisioning"

    @property
    def chips(self) -> Range:
        """Chips in addition to those in the node pools, which count against the limit."""
        return self.beside(Range.ZERO)

    def beside(self, pools: Range) -> Range:
        """Chips in addition to the largest size of these node pools, and to the smallest size of all others."""
        return Range(0, max(self.limit - self.in_pools.minimum + pools.minimum - pools.maximum, 0))


def auto_chips(cluster: Cluster, catalog: Catalog) -> Iterator[AutoChips]:
    """What node auto-provisioning may create in a cluster, by accelerator label."""
    limits = tpu_limits(cluster, catalog)
    if not limits:
        return
    known = {
        family.accelerator_label: (name, key)
        for name in catalog.generation_names
        for key, family in catalog.generation(name).families.items()
    }
    for label, limit in limits.items():
        if label not in known:
            continue  # a rule reports an unknown label (TPU221)
        generation, family = known[label]
        in_pools = Range.ZERO
        for group in cluster.groups:
            if group.shape.accelerator_label == label:
                in_pools = in_pools.plus(group.chips)
        yield AutoChips(
            cluster=cluster.key,
            path=(*cluster.path, "autoprovisioning"),
            generation=generation,
            label=label,
            family=family,
            region=cluster.region,
            zones=_zones(cluster, catalog, family),
            limit=limit,
            in_pools=in_pools,
            quotas=_quotas(catalog, family),
        )


def _zones(cluster: Cluster, catalog: Catalog, family: str) -> tuple[str, ...]:
    documented = catalog.zones.families[family].documented.zones if family in catalog.zones.families else ()
    written = cluster.plan.autoprovisioning.zones if cluster.plan.autoprovisioning else None
    if written is None:
        written = (
            [cluster.location] if cluster.zonal else [zone for zone in documented if region_of(zone) == cluster.region]
        )
    return tuple(zone for zone in written if zone in documented)


def _quotas(catalog: Catalog, family: str) -> tuple[QuotaMetric, ...]:
    found = {
        id(item): item
        for mode in MODES
        for item in catalog.quota.metrics
        if family in item.families and mode in item.modes
    }
    return tuple(found.values())


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
