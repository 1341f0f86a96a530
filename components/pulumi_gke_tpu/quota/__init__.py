"""Quota: which Compute Engine quota the slices of a plan are charged to, and with how many chips."""

from pulumi_gke_tpu.quota.compute import quota_needs
from pulumi_gke_tpu.quota.model import QuotaNeed, QuotaShare, how_sure

__all__ = ["QuotaNeed", "QuotaShare", "how_sure", "quota_needs"]
