"""Names of plan keys and values in other tools."""

from pulumi_gke_tpu.core.plan.reading.spellings.arranged import ARRANGED, Arranged
from pulumi_gke_tpu.core.plan.reading.spellings.keys import OTHER_ADDONS, OTHER_KEYS, SEVERAL_KEYS
from pulumi_gke_tpu.core.plan.reading.spellings.other_places import (
    INNER_KEYS,
    INSTALLED,
    KEYS_BY_VALUE,
    NO_KEYS,
    NO_VALUES,
    TOP_LEVEL,
    TRUE_KEYS,
)
from pulumi_gke_tpu.core.plan.reading.spellings.words import (
    COUNTED,
    ONLY_VALUES,
    OTHER_CHOICES,
    OTHER_WORDS,
    SEVERAL_MODES,
    WRITTEN_AS,
    plain,
    several_choices,
    without_release,
)

__all__ = [
    "ARRANGED",
    "COUNTED",
    "INNER_KEYS",
    "INSTALLED",
    "KEYS_BY_VALUE",
    "NO_KEYS",
    "NO_VALUES",
    "ONLY_VALUES",
    "OTHER_ADDONS",
    "OTHER_CHOICES",
    "OTHER_KEYS",
    "OTHER_WORDS",
    "SEVERAL_KEYS",
    "SEVERAL_MODES",
    "TOP_LEVEL",
    "TRUE_KEYS",
    "WRITTEN_AS",
    "Arranged",
    "plain",
    "several_choices",
    "without_release",
]
