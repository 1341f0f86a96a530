"""``TpuSlices``: one slice group, in a cluster of this library or in any other."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, overload

import pulumi
from typing_extensions import Unpack

from pulumi_gke_tpu.components.args import TpuSlicesArgs
from pulumi_gke_tpu.components.arguments import given_arguments
from pulumi_gke_tpu.components.registration import DeclaredComponent, alone
from pulumi_gke_tpu.components.resolve import resolve_slices
from pulumi_gke_tpu.core.graph.builders.slices import tpu_slices
from pulumi_gke_tpu.core.graph.resource_types import NODE_POOL


class TpuSlices(DeclaredComponent, arguments=TpuSlicesArgs):
    """Equal TPU slices: on Standard their node pools, on Autopilot the labels by which workloads find them.

    Raises:
        FindingsError: the arguments have errors; every finding is listed.
    """

    @property
    def accelerator(self) -> pulumi.Output[str]:
        """Value of the node label cloud.google.com/gke-tpu-accelerator."""
        return self._output("accelerator")

    @property
    def node_selector(self) -> pulumi.Output[Mapping[str, str]]:
        """The node labels that select these nodes."""
        return self._output("node_selector")

    @property
    def pool_names(self) -> pulumi.Output[Sequence[str]]:
        """Names of the node pools in GKE; empty on Autopilot."""
        return self._output("pool_names")

    @property
    def chips(self) -> pulumi.Output[int]:
        """Largest number of chips of all slices together."""
        return self._output("chips")

    @property
    def hosts(self) -> pulumi.Output[int]:
        """Largest number of hosts of all slices together."""
        return self._output("hosts")

    @property
    def slices(self) -> pulumi.Output[int]:
        """Largest number of slices."""
        return self._output("slices")

    @property
    def policy(self) -> pulumi.Output[str | None]:
        """Name of the workload policy of the node pools; None if they have none."""
        return self._output("policy")

    @property
    def node_pools(self) -> Mapping[str, Annotated[pulumi.CustomResource, NODE_POOL]]:
        """The node pools by their name in GKE, resources of the gcp provider; empty on Autopilot.

        For ``depends_on`` and their ``id``. In Python they have no typed properties, because loading their class takes
        a second.
        """
        return self._resources_of(NODE_POOL)

    @overload
    def __init__(
        self,
        resource_name: str,
        args: TpuSlicesArgs,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None: ...

    @overload
    def __init__(
        self,
        resource_name: str,
        *,
        opts: pulumi.ResourceOptions | None = None,
        **arguments: Unpack[TpuSlicesArgs],
    ) -> None: ...

    def __init__(
        self,
        resource_name: str,
        args: TpuSlicesArgs | None = None,
        opts: pulumi.ResourceOptions | None = None,
        **arguments: Any,
    ) -> None:
        """Register the slices.

        Give the arguments as a mapping (``args``) or as keywords. ``resource_name`` is unique in the program, best
        CLUSTER/GROUP: its last part names the node pools in GKE unless ``name`` is set. ``opts`` apply to everything
        inside.
        """
        given: Any = given_arguments("TpuSlices", args, arguments)
        context, group = resolve_slices(resource_name, given)
        super().__init__(opts, alone(tpu_slices(context, group, given, name=resource_name), context.catalog))
