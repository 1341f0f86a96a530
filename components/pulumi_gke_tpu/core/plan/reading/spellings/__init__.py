"""Names of plan keys and values in other tools."""

from pulumi_gke_tpu.core.plan.reading.spellings.keys import OTHER_KEYS
from pulumi_gke_tpu.core.plan.reading.spellings.other_places import (
    INNER_KEYS,
    KEYS_BY_VALUE,
    NO_KEYS,
    TOP_LEVEL,
    TRUE_KEYS,
)
from pulumi_gke_tpu.core.plan.reading.spellings.words import COUNTED, OTHER_CHOICES, OTHER_WORDS, plain, several_choices

__all__ = [
    "COUNTED",
    "INNER_KEYS",
    "KEYS_BY_VALUE",
    "NO_KEYS",
    "OTHER_CHOICES",
    "OTHER_KEYS",
    "OTHER_WORDS",
    "TOP_LEVEL",
    "TRUE_KEYS",
    "plain",
    "several_choices",
]
