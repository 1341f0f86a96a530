"""The TPU chips that GKE may create on demand, with their cost and quota. No sum of a plan contains them."""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.catalog import Catalog
from pulumi_gke_tpu.catalog.records.capacity import CapacityMode, QuotaMetric
from pulumi_gke_tpu.catalog.records.prices import Price
from pulumi_gke_tpu.estimate.cost_model import FleetCost
from pulumi_gke_tpu.estimate.money import Usd
from pulumi_gke_tpu.estimate.prices import PriceList, price_model
from pulumi_gke_tpu.findings import Path
from pulumi_gke_tpu.fleet import Cluster, Fleet, Range
from pulumi_gke_tpu.fleet.autoprovisioning import tpu_limits
from pulumi_gke_tpu.fleet.model import NOTHING
from pulumi_gke_tpu.formats.location import region_of
from pulumi_gke_tpu.frozen import frozen

_MODES: tuple[CapacityMode, ...] = ("spot", "on_demand")
"""The capacity modes between which workloads choose; a reservation that they name has its own price and quota."""


@frozen
class AutoProvisioned:
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
    prices: tuple[Price, ...]
    """The known prices, the lowest first."""
    unknown: str
    """The reason if a price is not known; empty otherwise."""
    quotas: tuple[QuotaMetric, ...]
    """The quotas, one of which the chips use."""

    @property
    def chips(self) -> Range:
        """Chips in addition to those in the node pools, which count against the limit."""
        return Range(0, max(self.limit - self.in_pools.minimum, 0))

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
    return tuple(item for cluster in fleet.clusters for item in _of_cluster(cluster, catalog))


def used_prices(cost: FleetCost, auto: Iterable[AutoProvisioned]) -> tuple[Price, ...]:
    """Every price that the amounts use, once: those of the groups, then those of auto-provisioned chips."""
    prices = (*cost.prices, *(price for item in auto for price in item.prices))
    return tuple({id(price): price for price in prices}.values())


def _of_cluster(cluster: Cluster, catalog: Catalog) -> Iterator[AutoProvisioned]:
    known = {
        family.accelerator_label: (name, key)
        for name in catalog.generation_names
        for key, family in catalog.generation(name).families.items()
    }
    prices = PriceList(catalog.prices)
    for label, limit in tpu_limits(cluster, catalog).items():
        if label not in known:
            continue  # a rule reports an unknown label (TPU221)
        generation, family = known[label]
        models = tuple(map(price_model, _MODES))
        found = [price for model in models if (price := prices.find(family, cluster.region, model))]
        missing = [reason for model in models if (reason := prices.missing(family, cluster.region, model))]
        in_pools = NOTHING
        for group in cluster.groups:
            if group.shape.accelerator_label == label:
                in_pools = in_pools.plus(group.chips)
        yield AutoProvisioned(
            cluster=cluster.key,
            path=(*cluster.path, "autoprovisioning"),
            generation=generation,
            label=label,
            family=family,
            region=cluster.region,
            zones=_zones(cluster, catalog, family),
            limit=limit,
            in_pools=in_pools,
            prices=tuple(sorted(found, key=lambda price: price.usd or 0)),
            unknown="; ".join(missing),
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
        for mode in _MODES
        for item in catalog.quota.metrics
        if family in item.families and mode in item.modes
    }
    return tuple(found.values())
