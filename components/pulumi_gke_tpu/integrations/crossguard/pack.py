"""Exports the functions of the policy pack under their public import path."""

from pulumi_gke_tpu.features.policy_pack.pack import serve, tpu_policies

__all__ = ["serve", "tpu_policies"]
