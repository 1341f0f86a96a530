"""Keys and values of labels and taints, as Kubernetes accepts them."""

import re

_PREFIX = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*\Z", re.ASCII)
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?\Z", re.ASCII)
_LONGEST_PREFIX = 253


def is_label_key(text: str) -> bool:
    """Whether Kubernetes accepts this as the key of a label or taint."""
    prefix, slash, name = text.rpartition("/")
    if slash and (len(prefix) > _LONGEST_PREFIX or not _PREFIX.match(prefix)):
        return False
    return bool(_NAME.match(name))


def is_label_value(text: str) -> bool:
    """Whether Kubernetes accepts this as the value of a label or taint."""
    return not text or bool(_NAME.match(text))


def taint_effect(effect: str) -> str:
    """The effect of a taint as Kubernetes spells it: ``NoSchedule`` for ``NO_SCHEDULE`` of GKE's API."""
    return "".join(word.capitalize() for word in effect.split("_"))
