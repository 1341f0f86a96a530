"""What several plans use together of each limit: reservations with their blocks in VMs, quotas in chips."""

from pulumi_gke_tpu.core.estimate.holdings.model import (
    Holding,
    HoldingPart,
    QuotaHolding,
    ReservationHolding,
    names_of,
    total_of,
)
from pulumi_gke_tpu.core.estimate.holdings.quotas import quota_holdings
from pulumi_gke_tpu.core.estimate.holdings.reservations import reservation_holdings

__all__ = [
    "Holding",
    "HoldingPart",
    "QuotaHolding",
    "ReservationHolding",
    "names_of",
    "quota_holdings",
    "reservation_holdings",
    "total_of",
]
