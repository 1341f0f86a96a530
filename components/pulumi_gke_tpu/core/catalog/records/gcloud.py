"""The commands of gcloud: what they make, and which property each flag sets."""

from dataclasses import field
from typing import Literal

from pulumi_gke_tpu.core.catalog.records.facts import Count, Fact, Record

GcloudResource = Literal["", "cluster", "node pool", "workload policy"]
FlagValue = Literal[
    "text",
    "upper",
    "number",
    "gib",
    "flag",
    "constant",
    "list",
    "single",
    "map",
    "taints",
    "scopes",
    "time",
    "file",
    "limit",
    "addons",
    "entries",
    "items",
    "blocks",
]
"""How the text of a flag becomes the value of a property.

``upper`` writes PERIODIC for periodic and NO_UPGRADES for no-upgrades; ``gib`` reads sizes; ``constant`` is a flag that
sets ``constant``; ``single`` is a list of one item; ``file`` is not known; ``limit`` is a limit of auto-provisioning;
``entries`` are NAME=VALUE pairs with their names in ``names``, ``items`` a list of those, one for each use of the flag,
``blocks`` a list of blocks with one property each.
"""


class GcloudFlag(Record):
    """One flag, and the property that it sets."""

    to: str
    of: GcloudResource = ""
    """The resource that has the property, if it is not that of the group."""
    kind: FlagValue = "text"
    words: dict[str, str] = field(default_factory=dict)
    """Word of gcloud -> value of the property."""
    constant: str = ""
    negative: str = ""
    """The value with ``--no-``, where it is not that nothing is set."""
    names: dict[str, str] = field(default_factory=dict)
    """Name in a pair -> property."""
    numbers: tuple[str, ...] = ()
    """The names whose values are numbers."""
    side: str = ""
    resource: str = ""

    @property
    def path(self) -> str:
        """The property without indices."""
        return ".".join(step for step in self.to.split(".") if not step.isdecimal())


class GcloudFlags(Record):
    """Flags that some commands have."""

    of: GcloudResource = ""
    """The resource with the properties; empty for the one that the command is about."""
    sets: dict[str, GcloudFlag] = field(default_factory=dict)
    values: tuple[str, ...] = ()
    """Flags with a value that set no property."""
    switches: tuple[str, ...] = ()
    """Flags without a value that set no property."""
    short: dict[str, str] = field(default_factory=dict)
    exclusive: tuple[tuple[str, ...], ...] = ()
    """Flags of which a command takes at most one."""


class GcloudCommand(Record):
    """A command: what it makes or changes."""

    makes: GcloudResource = ""
    changes: GcloudResource = ""
    fixed: dict[str, bool] = field(default_factory=dict)
    """The properties that it sets in any case."""
    groups: tuple[str, ...]


class GcloudAddon(Record):
    """An add-on of a cluster: the property below ``addonsConfig``."""

    property: str
    negated: bool = False
    """Whether the property is ``disabled`` instead of ``enabled``."""
    list: bool = False


class Gcloud(Fact):
    """The commands of gcloud that make clusters, node pools and workload policies."""

    default_pool: str
    """The node pool that a new cluster has."""
    default_nodes: Count
    """The nodes of a node pool in each zone, unless a flag states them or the topology."""
    reservation_key: str
    scopes: dict[str, tuple[str, ...]]
    """Short name of gcloud -> the last parts of the OAuth scopes."""
    commands: dict[str, GcloudCommand]
    groups: dict[str, GcloudFlags]
    addons: dict[str, GcloudAddon]
