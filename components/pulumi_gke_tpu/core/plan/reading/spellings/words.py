"""Values of other tools, and how names are compared."""

import re
from collections.abc import Mapping, Sequence

from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_TO = lazy_pattern(r"(?<!\s)\s*(?:-|\.\.+|\u2013|\bto\b)\s*")
_RELEASE = lazy_pattern(r"[vV]?(\d{1,3})(?:\.0)*\Z")
_ODD = lazy_pattern(r"[^a-z0-9]+")

FLAGS: Mapping[str, str] = {
    **dict.fromkeys(("preemptible", "interruptible", "usespot", "spotvm", "spotvms", "cloudgooglecomgkespot"), "spot"),
    "ondemand": "on_demand",
    **dict.fromkeys(("flex", "dwsflex", "cloudgooglecomgkeflexstart"), "flex_start"),
    "queuedprovisioning": "queued",
}
"""Key of another tool that is true or false -> capacity mode."""

SEVERAL_MODES: Mapping[str, Mapping[str, str]] = {
    "dws": {
        "flex_start": "flex-start, whose nodes come while Pods wait",
        "queued": "flex-start with queued provisioning, whose nodes come when a ProvisioningRequest has all of them",
    },
}
"""Name in another tool of several capacity modes -> each of them, and what it leads to."""

OTHER_WORDS: Mapping[str, str] = {
    **FLAGS,
    "standard": "on_demand",
    "reserved": "reservation",
    "specificreservation": "reservation",
}
"""Name in another tool -> value or boolean key of ``capacity``."""


OTHER_CHOICES: Mapping[str, str] = {
    "channelstandard": "standard",
    "channeldisabled": "disabled",
    "lws": "leaderworkerset",
    "ray": "raycluster",
    "dra": "dynamic_resource_allocation",
    "nonodeupgrades": "no_minor_or_node_upgrades",
}
"""Short name -> value of a key with fixed values."""

ONLY_VALUES: Mapping[str, tuple[tuple[re.Pattern[str], str], ...]] = {
    "BootDisk": (
        (lazy_pattern(r"(?:pd|hyperdisk)-[a-z-]+"), "type"),
        (lazy_pattern(r"[0-9]+\s*[A-Za-z]*"), "size_gib"),
    ),
}
"""Name of the model -> the form of a value that stands for the whole mapping, and the key for it."""

WRITTEN_AS: Mapping[str, str] = {
    "NO_SCHEDULE": "NoSchedule",
    "PREFER_NO_SCHEDULE": "PreferNoSchedule",
    "NO_EXECUTE": "NoExecute",
}
"""Value of a key that has two spellings -> the one that gke-tpu writes."""

WORDS_FOR_LISTS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("weekend", "weekends"), ("SAT", "SUN")),
    **dict.fromkeys(("weekday", "weekdays", "workdays"), ("MON", "TUE", "WED", "THU", "FRI")),
}
"""Word for several days of the week -> the days."""


COUNTED: Mapping[str, tuple[str, ...]] = {
    "chip": ("chips", "limit"),
    "slice": ("count", "min", "max", "slices"),
    "node": ("nodes", "surge", "unavailable"),
    "host": ("hosts", "nodes", "vms", "surge", "unavailable"),
    "vm": ("vms", "hosts", "nodes"),
    "pod": ("pods",),
}
"""What a number counts -> words in the names of keys that count it: ``count: 16 chips`` is not 16 slices."""


def several_choices(choices: Sequence[str], text: str) -> tuple[str, ...]:
    """The days that one text means, such as ``weekend`` or ``Sat-Mon``; empty if it means no more than one."""
    if plain(text) in WORDS_FOR_LISTS:
        return WORDS_FOR_LISTS[plain(text)]
    ends = [[choice for choice in choices if _begins(plain(choice), plain(end))] for end in _TO.split(text.strip())]
    match ends:
        case [[first], [last]] if first != last:
            start, end = choices.index(first), choices.index(last)
            return tuple(choices[start : end + 1] if start < end else (*choices[start:], *choices[: end + 1]))
    return ()


def _begins(choice: str, word: str) -> bool:
    """Whether a word is a choice, longer, or its first two letters: ``sunday`` and ``su`` for ``sun``."""
    return word.startswith(choice) or (len(word) > 1 and choice.startswith(word))


def plain(word: str) -> str:
    """A name without capitals, hyphens and underscores."""
    return _ODD.sub("", word.lower())


def without_release(text: str) -> str:
    """The whole number in a text such as ``v1`` and ``1.0.0``; any other text as it is."""
    match = _RELEASE.match(text)
    return match[1] if match else text
