"""Whether a machine family is offered in a capacity mode, as people read it."""

from pulumi_gke_tpu.catalog.records.capacity import Offering
from pulumi_gke_tpu.explain.steps import doubt

_OFFERED = {"yes": "offered", "no": "not offered", "allowlist": "by allowlist only", "unverified": "not confirmed"}


def offer_text(offering: Offering) -> str:
    """Whether something is offered, as people read it, with the confidence where that is not high."""
    return f"{_OFFERED[offering.offer]}{doubt(offering.confidence)}"
