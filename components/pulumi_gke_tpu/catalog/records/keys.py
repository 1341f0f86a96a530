"""Which properties of the provider each key of a plan sets."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import Literal

from pulumi_gke_tpu.catalog.records.facts import Record, record

ResourceName = Literal[
    "cluster",
    "TPU node pool",
    "system pool",
    "CPU pool",
    "workload policy",
    "network",
    "subnetwork",
    "service account",
    "IAM grant",
    "router",
    "Cloud NAT",
    "firewall rule",
]
"""What pages call a resource; a node pool has one of three names."""

Option = Literal["", "aliases", "customTimeouts", "protect"]
"""An option of a Pulumi resource."""

CLUSTER_KEYS = "clusters.*."
"""The prefix of the path of a cluster key."""
GROUP_KEYS = f"{CLUSTER_KEYS}slices.*."
"""The prefix of the path of a key of a slice group."""
CPU_POOL_KEYS = f"{CLUSTER_KEYS}cpu_pools.*."
"""The prefix of the path of a key of a CPU pool."""


@record
class KeyEffect(Record):
    """What one key of a plan sets. At least one field has a value."""

    sets: dict[ResourceName, tuple[str, ...]] = field(default_factory=dict)
    """Resource -> properties, as the engine spells them, the main one first."""
    instead_of: dict[ResourceName, tuple[str, ...]] = field(default_factory=dict)
    """Resource -> other properties, and whole blocks, that ``extra`` must not set because of the key."""
    creates: tuple[ResourceName, ...] = ()
    """Resources whose existence or number depends on the value."""
    option: Option = ""
    """The option of the Pulumi resource that the key sets."""
    nothing: str = ""
    """Why the key sets nothing."""


@record
class PlanKeys(Record):
    """Every key of a plan, by its dotted path with ``*`` for a name that a person chooses.

    An entry also applies to the keys below it that have none.
    """

    resources: dict[ResourceName, str]
    """Resource -> its Pulumi type."""
    keys: dict[str, KeyEffect]
    fixed: dict[ResourceName, tuple[str, ...]]
    """Properties that no key sets and ``extra`` cannot change."""
    unkeyed: dict[ResourceName, tuple[str, ...]]
    """Other properties that the components set although no key does."""

    def around(self, key: str) -> Iterator[KeyEffect]:
        """The entries of a key, of the keys that hold it, and of the keys that it holds."""
        return (effect for path, effect in self.keys.items() if is_within(key, path) or is_within(path, key))

    def property_of(self, key: str, resource: ResourceName) -> str:
        """The property that a finding about the key names on a resource; empty if the key sets none there.

        It is the block that holds everything that the key sets, or else the first property. A key without properties
        of its own has those of the keys below it, or of the nearest key above it.
        """
        below = [
            name for path, effect in self.keys.items() if is_within(path, key) for name in _names(effect, resource)
        ]
        above = (self.keys[path] for path in sorted(self.keys, key=len, reverse=True) if is_within(key, path))
        own = _names(self.keys[key], resource) if key in self.keys else ()
        names = own or below or next((names for effect in above if (names := _names(effect, resource))), ())
        return _block(names) or names[0] if names else ""

    def modeled(self, resource: ResourceName) -> Mapping[str, str]:
        """Each property that ``extra`` must not set on a resource -> the key for it; empty for a fixed property.

        Of several keys that set a property the innermost one counts, and of several beside each other the first.
        """
        found = dict.fromkeys(self.fixed.get(resource, ()), "")
        by_depth = sorted(self.keys.items(), key=lambda entry: -entry[0].count("*"))
        claims = [(key, effect.instead_of) for key, effect in by_depth]
        claims += [(key, effect.sets) for key, effect in by_depth]
        for key, claimed in claims:
            for name in claimed.get(resource, ()):
                found.setdefault(name, key)
        return found


def _names(effect: KeyEffect, resource: ResourceName) -> tuple[str, ...]:
    return effect.sets.get(resource, ())


def _block(names: Sequence[str]) -> str:
    """The innermost block that holds all properties, or the only property; empty if there is none."""
    if len(names) == 1:
        return names[0]
    levels = zip(*(name.partition("[")[0].split(".") for name in names), strict=False)
    return ".".join(level[0] for level in itertools.takewhile(lambda level: len(set(level)) == 1, levels))


def is_within(inner: str, outer: str) -> bool:
    """Whether a dotted path is another one, or below it."""
    return inner == outer or inner.startswith((f"{outer}.", f"{outer}["))
