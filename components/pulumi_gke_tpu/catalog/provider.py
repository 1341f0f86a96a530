"""What the gcp provider and GKE do with a changed property."""

from typing import Literal

from pulumi_gke_tpu.catalog.facts import Fact, Record, record

Change = Literal[
    "replace",
    "in-place",
    "no-op",
    "client-side",
    "create-only",
    "broken",
    "replace-off",
    "replace-shrink",
    "block",
]
"""What the provider does with a changed property; ``block`` looks at what is inside."""


@record
class PropertyChange(Record):
    """What a change of one property really does. Paths are camelCase, as the engine writes them."""

    change: Change
    """What the provider plans and does."""
    gke: Literal["fixed", "restart", "live"] = "live"
    """What GKE makes of it: ``fixed`` at creation, nodes re-created (``restart``), or applied without a restart."""
    computed: bool = False
    """True where removing the property changes nothing."""
    observed: bool = False
    """True where the real engine and provider were seen to do this."""
    note: str = ""


@record
class ProviderResource(Fact):
    """One resource type and its properties."""

    properties: dict[str, PropertyChange]


@record
class Provider(Record):
    """Change semantics of the gcp provider, for the properties that our components set."""

    resources: dict[str, ProviderResource]
