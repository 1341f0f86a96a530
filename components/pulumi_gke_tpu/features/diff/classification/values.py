"""The equality of input values: plain data, sets, networks by name or path, and unknown values."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan.base import Unknown

_NETWORK = re.compile(r"(^|\.)(network|subnetwork|privateEndpointSubnetwork)$")


@frozen
class LaterValues:
    """Knowledge about values that come from other resources."""

    after: Mapping[str, str]
    """Old URN -> new URN."""
    moving: set[str]
    """URNs of resources that are created or replaced: their outputs are new. The set grows during the comparison."""
    stored: Mapping[str, str]
    """URN of a cluster or service account before the change -> the value in the state of the node pools that refer to
    it: the name or the email."""

    def unchanged(self, was: Unknown, will: Unknown) -> bool:
        """Whether both values are unknown and come from the same resources, none of which is new."""
        if not self.moving.isdisjoint(will.urns):
            return False
        return sorted(self.after.get(urn, urn) for urn in was.urns) == sorted(will.urns)

    def same_as_stored(self, was: object, will: object) -> bool:
        """Whether a value is now written that came from another resource before."""
        return isinstance(was, Unknown) and len(was.urns) == 1 and self.stored.get(was.urns[0]) == will

    def equal(self, was: object, will: object) -> bool:
        """Whether plain data is equal, with unknown values that do not change."""
        if isinstance(will, Unknown):
            return isinstance(was, Unknown) and self.unchanged(was, will)
        if isinstance(will, dict):
            return (
                isinstance(was, dict)
                and was.keys() == will.keys()
                and all(self.equal(was[key], value) for key, value in will.items())
            )
        if isinstance(will, list):
            return isinstance(was, list) and len(was) == len(will) and all(map(self.equal, was, will))
        return bool(was == will)

    def only_in_one(self, was: Sequence[Any], will: Sequence[Any]) -> tuple[list[int], list[int]]:
        """The positions of the items that only the first list has, and of those that only the second one has."""
        before = [self._canonical(item, self.after) for item in was]
        after = [self._canonical(item, {}) for item in will]
        return _missing(before, after), _missing(after, before)

    def _canonical(self, value: object, after: Mapping[str, str]) -> str:
        def known_later(unknown: Unknown) -> dict[str, Any]:
            return {"later": sorted(after.get(urn, urn) for urn in unknown.urns)}

        return json.dumps(value, sort_keys=True, default=known_later)


def _missing(items: list[str], others: list[str]) -> list[int]:
    """The positions of the items that are not among the others."""
    known = set(others)
    return [index for index, item in enumerate(items) if item not in known]


def says_something(value: object) -> bool:
    """Whether a value differs from an absent one: a block with only false, zero and empty values does not."""
    if isinstance(value, Mapping | list):
        return any(map(says_something, value.values() if isinstance(value, Mapping) else value))
    return bool(value)


def same_to_provider(path: str, was: object, will: object) -> bool:
    """Whether two single values are equal: absent is false, zero and empty; a network is the same by name and path."""
    if was == will or (not was and not will):
        return True
    if isinstance(was, str) and isinstance(will, str) and _NETWORK.search(path):
        return ("/" not in was or "/" not in will) and was.rsplit("/", 1)[-1] == will.rsplit("/", 1)[-1]
    return False
