"""Leads to the functions of the policy pack, which are public under this name."""

from pulumi_gke_tpu.features.policy_pack.pack import serve, tpu_policies

__all__ = ["serve", "tpu_policies"]
