"""Explains a name from Cloud TPU, GKE, a price list or gke-tpu."""

from collections.abc import Callable

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.features.explain.steps import Explanation
from pulumi_gke_tpu.features.explain.words.capacity import explain_capacity
from pulumi_gke_tpu.features.explain.words.controllers import explain_controller
from pulumi_gke_tpu.features.explain.words.keys import explain_addon, explain_disk, explain_feature
from pulumi_gke_tpu.features.explain.words.places import explain_region, explain_zone
from pulumi_gke_tpu.features.explain.words.plan_keys import explain_key
from pulumi_gke_tpu.features.explain.words.slices import explain_pair, explain_topology
from pulumi_gke_tpu.features.explain.words.tpu import explain_name

_LONGEST = 100

_READINGS: tuple[Callable[[Catalog, str], Explanation | None], ...] = (
    explain_name,
    explain_topology,
    explain_zone,
    explain_region,
    explain_capacity,
    explain_feature,
    explain_addon,
    explain_disk,
    explain_controller,
    explain_key,
)


def explain_word(catalog: Catalog, word: str) -> Explanation | None:
    """The explanation of a name, case-insensitive; None if it is unknown.

    Two names with a colon between them, ``v5p:4x4x8``, are a generation and a topology, a zone or a capacity mode.
    """
    word = word.strip().lower()
    if len(word) > _LONGEST:
        return None
    if ":" in word:
        first, second = (part.strip() for part in word.split(":", 1))
        return explain_pair(catalog, first, second)
    return next((found for found in (reading(catalog, word) for reading in _READINGS) if found is not None), None)
