"""Properties of the gcp provider: accepted values, changes of them, and their names in Terraform."""

import dataclasses
import functools
from dataclasses import field
from typing import Any, Literal

from pulumi_gke_tpu.core.catalog.records.facts import Confidence, Fact, Record
from pulumi_gke_tpu.core.text.formats.property_path import format_steps, parse_path

Change = Literal[
    "replace",
    "in-place",
    "no-op",
    "client-side",
    "create-only",
    "broken",
    "replace-off",
    "replace-shrink",
    "no-op-off",
    "no-op-lower",
    "block",
]
"""The operation that the provider plans and executes.

replace: deletes and creates the resource. in-place: one update request. no-op: plans an update and sends nothing,
usually again in every preview. client-side: only the provider itself uses it. create-only: looked at on creation.
broken: plans an update that fails. replace-off: in place when switched on, replaced when switched off.
replace-shrink: in place when the new range contains the old one, replaced otherwise. no-op-off: in place when
switched on, nothing sent when switched off. no-op-lower: in place when raised, nothing sent when lowered. block: only
what is inside counts.

Of a property that holds others, all but ``block`` mean that the whole is added or removed; inner properties have
its own entries, and a replacing entry also replaces if it is added or removed with the whole.
"""

Effect = Literal["fixed", "restart", "drain", "evict", "in-use", "set-once", "live", "metadata"]
"""The effect of an update that reaches GKE.

fixed: set when a TPU pool is created; asking for another value breaks the slice, so it has to be replaced (on a pool
without TPUs the nodes are re-created instead). restart: nodes are re-created or drained. drain: nodes beyond a
smaller number are drained and deleted, a larger number touches none. evict: no node restarts, and a new taint with
the effect NO_EXECUTE drives the Pods away that do not tolerate it. in-use: what a cluster refers to is not known to
take another value; something can be added to it. set-once: GKE rejects another value, and accepts the first one and
its removal. live: no node restarts, or where that has no source, none is known to. metadata: no node notices.
"""

PropertyType = Literal["string", "boolean", "integer", "number", "map", "strings", "block", "blocks"]
"""The type of a property in the provider's schema.

map: strings by a key that the program chooses. strings: a list of them. block: a mapping whose properties have their
own entries. blocks: a list of such mappings.
"""

When = Literal["sent", "spared", "evicting", "repelling", "lifted", "capped"]
"""When something follows from an update.

sent: whenever it is sent and takes effect. spared: where it would re-create nodes, on a flex-start or queued pool.
evicting, repelling: with a new taint of the effect NO_EXECUTE or NO_SCHEDULE. lifted: where maintenance exclusions go,
or hold back less. capped: where the autoscaler may keep fewer nodes than there can have been.
"""


class PropertyChange(Record):
    """What a change of one property really does, and when two values of it are equal.

    To the provider an absent value is its default, or else equal to false, zero or empty, and the name of a network or
    subnetwork equals its full path. It compares with the values that GKE reports, which include values
    that were not sent.
    """

    change: Change
    """What the provider plans and does."""
    type: PropertyType = "string"
    """Its type in the provider's schema."""
    gke: Effect = "live"
    """The effect in GKE; except for ``fixed``, it has no meaning if the provider replaces or sends nothing."""
    computed: bool = False
    """True where removing the property changes nothing: the value that GKE reports is kept."""
    cleared_without: str = ""
    """Of a computed property: the property without which the provider removes it, also where the program leaves out the
    block around both. If that property is there, and the same before and after, GKE's value is kept."""
    kept_since: str = ""
    """Of a computed block: the first version of the provider that keeps it where the program leaves it out. An earlier
    one plans its removal, and sends an empty request, which GKE rejects."""
    kept_source: tuple[str, ...] = ()
    """The sources of ``kept_since``."""
    observed: bool = False
    """True where the real engine and provider were seen to do this."""
    default: Any = None
    """What the provider itself fills in where the property is left out of a block that is there."""
    reported: Any = None
    """What GKE reports where nothing was sent, in a block that is there; {} marks a block that always is."""
    reported_for_tpus: Literal["", "default_boot"] = ""
    """The fact about the disks of a TPU machine family that GKE reports on its machines, instead of ``reported``."""
    reported_beside: dict[str, str] | None = None
    """The values of other properties with which GKE reports it; with any other value of those it reports nothing."""
    reported_on_autopilot: Any = None
    """What GKE reports in an Autopilot cluster for any sent value; ``{project}`` stands for the cluster's project."""
    unordered: bool = False
    """True of a list whose order means nothing. For a list of blocks, a change is reported for the whole list."""
    of_zones: bool = False
    """True of a list of zones that has nodes in each: a zone that is added changes no node of the others, and a zone
    that is removed takes its own nodes with it."""
    unknown_replaces: bool = False
    """True of a block that takes a new resource if it is not known as a whole, regardless of its content."""
    crashes_unknown: bool = False
    """True of a block at which the provider crashes if it is not known as a whole: so the engine sends it where a
    resource that it refers to is deleted before it is created again."""
    unread_at_creation: bool = False
    """True of a map that the provider does not store at creation: until the first refresh, it lists the map as added in
    every difference of a resource that does not set it; alone, it causes nothing."""
    unread_empty: bool = False
    """True of a block that the provider reads as none if GKE answers it empty; of others, it stores the zero values."""
    dropped_beside: str = ""
    """The property beside which GKE does not store this one, so that any value differs in every preview."""
    refused_for: Literal["", "multi-host"] = ""
    """The node pools for which GKE turns an update of it down: those that are one slice of several hosts."""
    bounded_by: tuple[str, ...] = ()
    """Of a number: the properties that limit the values that GKE may have set."""
    ignored_on_autopilot: bool = False
    """True of a property of a cluster that the provider does not compare where the program asks for Autopilot."""
    values: tuple[str, ...] = ()
    """The values that the provider accepts, or that it accepts in a list; empty if it accepts any."""
    form: Literal["", "seconds", "/28", "RFC 1035"] = ""
    """The form of the text, or of each text in a list: seconds with the suffix s, such as 90s, an address range of
    that size, or a name."""
    least: int | None = None
    """The smallest number, or number of seconds, that the provider or GKE accepts."""
    most: int | None = None
    """The largest one."""
    required: bool = False
    """Whether the block around the property is rejected without it."""
    gke_source: tuple[str, ...] = ()
    """The sources of ``gke``; empty if no source mentions a restart."""
    gke_confidence: Confidence = "high"
    note: str = ""


class ProviderResource(Fact):
    """One resource type and all its settable properties.

    Paths are camelCase as the engine writes them, without list indices: ``nodeConfig.taints.value``. A key of a map
    that differs from the rest of the map is in brackets: ``nodeConfig.labels["cloud.google.com/..."]``.
    """

    properties: dict[str, PropertyChange]
    computed_from: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Outputs that the provider itself computes from properties, so that a difference of those is one of these too.

    Of an output and a property that are both maps, keys correspond.
    """


class Following(Fact):
    """What follows from an update beyond what it does at once: for Pods, for nodes that come, later on.

    ``paths`` are properties by resource type; each stands for everything inside it as well.
    """

    text: str
    when: When
    paths: dict[str, tuple[str, ...]]

    def speaks_of(self, resource_type: str, path: str) -> bool:
        """Whether it is about a property, or about something in it; its path is given without list indices."""
        names = self.paths.get(resource_type, ())
        return any(name == path or path.startswith(f"{name}.") or name.startswith(f"{path}.") for name in names)


class Provider(Record):
    """Change semantics of the gcp provider, for the resource types that our components register.

    A replacement spreads: every property that refers to an output of a replaced resource counts as changed, and if the
    change of such a property is ``replace``, its resource is replaced too.
    """

    resources: dict[str, ProviderResource]
    following: tuple[Following, ...] = ()


@functools.cache
def replace_paths(provider: Provider, resource_type: str) -> tuple[str, ...]:
    """The ``replace_on_changes`` option of a resource, sorted.

    These are the properties that the provider would update although only a new resource takes the new value: GKE
    fixes them at creation, or the provider's own update fails. With an explicit name, the resource also requires
    ``delete_before_replace``.

    Raises:
        KeyError: the catalog does not know the resource type.
    """
    return tuple(
        sorted(
            path
            for path, item in provider.resources[resource_type].properties.items()
            if item.change == "broken" or (item.gke == "fixed" and item.change != "replace")
        )
    )


def change_of(provider: Provider, resource_type: str, path: str) -> PropertyChange | None:
    """What a change at a concrete engine path does, such as ``nodeConfig.taints[0].value``; None where not known.

    For a path that the catalog does not know, this is the change of its nearest known ancestor, for example of all
    labels for one label; not of a block, which has no entry for its content. Of an item in a list or map ``computed``
    is False: leaving out the whole changes nothing, leaving out one item does.
    """
    known = known_path(provider, resource_type, path)
    if known is None:
        return None
    item = provider.resources[resource_type].properties[known]
    whole = _names(known) == _names(path) and parse_path(path)[-1] == _names(path)[-1]
    return item if whole else dataclasses.replace(item, computed=False)


def known_path(provider: Provider, resource_type: str, path: str) -> str | None:
    """The path in the catalog that applies to a concrete engine path; None if there is none.

    Relies on every block around a known property being known as well.
    """
    resource = provider.resources.get(resource_type)
    if resource is None:
        return None
    names = _names(path)
    covering = None
    for depth in range(1, len(names) + 1):
        candidate = format_steps(names[:depth])
        if candidate not in resource.properties:
            return covering
        if candidate in _covering(resource):
            covering = candidate
    return format_steps(names) or None


@functools.cache
def _covering(resource: ProviderResource) -> frozenset[str]:
    """The entries that apply to unknown properties in them; a replaced block only if it is added or removed."""
    around = {path.rpartition(".")[0] for path in resource.properties}
    changes = {path: item.change for path, item in resource.properties.items()}
    return frozenset(
        path for path, change in changes.items() if change != "block" and not (change == "replace" and path in around)
    )


def _names(path: str) -> tuple[str, ...]:
    """The names and map keys along a path, without list indices."""
    return tuple(step for step in parse_path(path) if isinstance(step, str) and step != "*")


class TerraformResource(Record):
    """One resource type. Paths are camelCase without list indices, as in ``ProviderResource``."""

    type: str
    """Its type in Terraform."""
    import_id: str
    """The ID by which ``import`` finds a resource, with the names of properties in braces."""
    names: dict[str, str] = field(default_factory=dict)
    """Path -> the name in Terraform, where it is not the last part of the path in snake_case."""
    beta: tuple[str, ...] = ()
    """The properties that the provider google lacks; google-beta has them."""
    unsent: tuple[str, ...] = ()
    """The properties that google takes, but neither sends nor reads; google-beta does."""


class Terraform(Fact):
    """The schema of the provider ``hashicorp/google``, for what gke-tpu creates."""

    required_version: str
    """The versions of Terraform and OpenTofu that read the files."""
    provider_version: str
    """The versions of the providers that have this schema."""
    resources: dict[str, TerraformResource]
    """By the type token of Pulumi."""
