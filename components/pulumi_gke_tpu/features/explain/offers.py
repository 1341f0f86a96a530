"""Renders whether a machine family is offered in a capacity mode."""

from pulumi_gke_tpu.core.catalog.records.capacity import Offering
from pulumi_gke_tpu.features.explain.steps import doubt

_OFFERED = {
    "yes": "offered",
    "no": "not offered",
    "allowlist": "requires an allowlist entry",
    "unverified": "not confirmed",
}


def offer_text(offering: Offering) -> str:
    """Whether a mode is offered, with the confidence if it is not high."""
    return f"{_OFFERED[offering.offer]}{doubt(offering.confidence)}"
