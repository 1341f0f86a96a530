"""The cost of the slices of a plan per hour, and the Compute Engine quotas that they use."""

from pulumi_gke_tpu.core.estimate.autoprovisioning import AutoProvisioned, autoprovisioned, used_prices
from pulumi_gke_tpu.core.estimate.cost import NOT_INCLUDED, CostLine, FleetCost, GroupCost, cost_of
from pulumi_gke_tpu.core.estimate.prices import HOURS_PER_MONTH, NO_MONEY, PriceList, Usd, price_model, shown_usd
from pulumi_gke_tpu.core.estimate.quota import QuotaNeed, QuotaShare, quota_needs
