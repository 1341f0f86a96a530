"""Values of other tools, and how names are compared."""

import re
from collections.abc import Mapping

_ODD = re.compile(r"[^a-z0-9]+")

OTHER_WORDS: Mapping[str, str] = {
    "preemptible": "spot",
    "usespot": "spot",
    "spotvm": "spot",
    "spotvms": "spot",
    "ondemand": "on_demand",
    "standard": "on_demand",
    "flex": "flex_start",
    "dws": "flex_start",
    "dwsflex": "flex_start",
    "queuedprovisioning": "queued",
    "reserved": "reservation",
    "specificreservation": "reservation",
}
"""Name in another tool -> value or boolean key of ``capacity``."""


OTHER_CHOICES: Mapping[str, str] = {
    "lws": "leaderworkerset",
    "ray": "raycluster",
    "dra": "dynamic_resource_allocation",
    "nonodeupgrades": "no_minor_or_node_upgrades",
}
"""Short name -> value of a key with fixed values."""

WORDS_FOR_LISTS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("weekend", "weekends"), ("SAT", "SUN")),
    **dict.fromkeys(("weekday", "weekdays", "workdays"), ("MON", "TUE", "WED", "THU", "FRI")),
}
"""Word for several days of the week -> the days."""


def plain(word: str) -> str:
    """A name without capitals, hyphens and underscores."""
    return _ODD.sub("", word.lower())
