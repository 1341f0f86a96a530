"""``TpuSlices``: one slice group, in a cluster of this library or in any other."""

from collections.abc import Mapping, Sequence

import pulumi

from pulumi_gke_tpu.components.args import TpuSlicesArgs
from pulumi_gke_tpu.components.registration import DeclaredComponent, Within, alone
from pulumi_gke_tpu.components.resolve import resolve_slices
from pulumi_gke_tpu.graph.builders.slices import tpu_slices


class TpuSlices(DeclaredComponent):
    """Equal TPU slices: on Standard their node pools, on Autopilot the labels by which workloads find them.

    Raises:
        FindingsError: the arguments have errors; every finding is listed.
    """

    accelerator: pulumi.Output[str]
    """Value of the node label cloud.google.com/gke-tpu-accelerator."""
    node_selector: pulumi.Output[Mapping[str, str]]
    """The labels by which workloads find these nodes."""
    pool_names: pulumi.Output[Sequence[str]]
    """Names of the node pools in GKE; empty on Autopilot."""
    chips: pulumi.Output[int]
    """Most chips of all slices together."""
    hosts: pulumi.Output[int]
    """Most hosts of all slices together."""

    def __init__(
        self,
        name: str,
        args: TpuSlicesArgs,
        opts: pulumi.ResourceOptions | None = None,
        *,
        _within: Within | None = None,
    ) -> None:
        """Register the slices.

        ``name`` is unique in the program, best CLUSTER/GROUP: its last part is the group, and names the pools in GKE
        unless the arguments give another name. ``args`` are described by ``TpuSlicesArgs``. ``opts`` hold for
        everything inside.
        """
        if _within is None:
            context, group = resolve_slices(name, args)
            _within = alone(tpu_slices(context, group, args, name=name), context.catalog)
        super().__init__(opts, _within)
