"""What a node pool needs to know of its surroundings, and the options that every resource takes."""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass, field

import pulumi

from pulumi_gke_tpu.catalog import Catalog
from pulumi_gke_tpu.plan.slices import Timeouts

DEFAULT_TIMEOUT = "2h"
"""For clusters and pools: GKE keeps trying for long when capacity is scarce, and big slices take their time."""


@dataclass(frozen=True)
class Site:
    """The cluster around a group's node pools."""

    catalog: Catalog
    project: str
    location: str
    region: str
    cluster_id: pulumi.Input[str]
    service_account: pulumi.Input[str] | None
    private_nodes: bool
    workload_identity: bool
    secure_boot: bool
    resource_labels: dict[str, pulumi.Input[str]]
    depends_on: Sequence[pulumi.Resource] = field(default=())


def timeouts(written: Timeouts | None) -> pulumi.CustomTimeouts:
    """Explicit timeouts for a resource, the plan's own where it gives them."""

    def seconds(duration: datetime.timedelta | None) -> str:
        return DEFAULT_TIMEOUT if duration is None else f"{int(duration.total_seconds())}s"

    return pulumi.CustomTimeouts(
        create=seconds(written.create if written else None),
        update=seconds(written.update if written else None),
        delete=seconds(written.delete if written else None),
    )


def former_names(names: Sequence[str]) -> list[pulumi.Alias] | None:
    """Aliases for the names that a resource had before."""
    return [pulumi.Alias(name=name) for name in names] or None
