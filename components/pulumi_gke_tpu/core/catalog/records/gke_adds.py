"""What GKE reports of clusters and node pools although no request set it."""

from typing import Any, Literal

from pulumi_gke_tpu.core.catalog.records.facts import Fact

AddedTo = Literal["tpu", "queued", "console", "auto_provisioned", "no_ip_endpoint", "every"]
"""The clusters or node pools of which GKE reports a property.

tpu: node pools of TPU machines. queued: node pools with queued provisioning. console: those that the Google Cloud
console created. auto_provisioned: those that GKE itself created. no_ip_endpoint: clusters whose control plane has no IP
endpoint. every: all of them.
"""

AddedEffect = Literal["replace", "update", "none"]
"""What the providers plan where a program neither sets nor ignores the property."""

AT_CREATION: tuple[AddedTo, ...] = ("console", "auto_provisioned")
"""Additions that depend on who created the resource: a program meets them where it adopts the resource."""


class GkeAddition(Fact):
    """A property that GKE reports although no request set it.

    ``confidence`` is that in the answer. The effect follows from it by the code of the providers.
    """

    path: str
    """The property in Pulumi's spelling, without list indices."""
    added_to: AddedTo
    families: tuple[str, ...] = ()
    """The TPU machine families for which a source has it; empty where it does not depend on them."""
    field: str
    """The field of the API; what is around it is in the answer anyway."""
    answer: Any
    """The value of the field in an answer of the API."""
    stored: Any = None
    """What the providers store, without the empty members of a block; None where they store nothing."""
    effect: AddedEffect
