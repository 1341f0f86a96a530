"""What a node pool needs to know of its surroundings, and the options that every resource takes."""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass

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
    cluster_name: pulumi.Input[str]
    service_account: pulumi.Input[str] | None
    private_nodes: bool | None
    """None leaves it to the cluster."""
    workload_identity: bool
    secure_boot: bool
    resource_labels: dict[str, pulumi.Input[str]]
    pool_hooks: pulumi.ResourceHookBinding | None = None
    """What the engine calls before it updates a node pool."""


def timeouts(written: Timeouts | None) -> pulumi.CustomTimeouts:
    """Explicit timeouts for a resource, the plan's own where it gives them."""

    def seconds(duration: datetime.timedelta | None) -> str:
        return DEFAULT_TIMEOUT if duration is None else f"{int(duration.total_seconds())}s"

    return pulumi.CustomTimeouts(
        create=seconds(written.create if written else None),
        update=seconds(written.update if written else None),
        delete=seconds(written.delete if written else None),
    )


def former_names(names: Sequence[str]) -> list[pulumi.Alias]:
    """Aliases for the names that a resource had before."""
    return [pulumi.Alias(name=name) for name in names]


def component_options(
    opts: pulumi.ResourceOptions | None, names: Sequence[str], other_type: str | None = None
) -> pulumi.ResourceOptions:
    """The options of a component that had other names, or another type, before, with ``depends_on`` for all inside it.

    Pulumi by itself lets only the component wait, which is nothing that takes time.
    """
    if opts is not None and not isinstance(opts, pulumi.ResourceOptions):
        raise TypeError(f"options are given as pulumi.ResourceOptions(...), not as {type(opts).__name__}")
    waits_for = opts.depends_on if opts else None

    def wait(args: pulumi.ResourceTransformationArgs) -> pulumi.ResourceTransformationResult:
        options = pulumi.ResourceOptions.merge(args.opts, pulumi.ResourceOptions(depends_on=waits_for))
        return pulumi.ResourceTransformationResult(args.props, options)

    aliases = former_names(names)
    if other_type is not None:
        aliases += [pulumi.Alias(type_=other_type), *(pulumi.Alias(name=name, type_=other_type) for name in names)]
    ours = pulumi.ResourceOptions(aliases=aliases, transformations=[wait] if waits_for else None)
    return pulumi.ResourceOptions.merge(opts, ours)
