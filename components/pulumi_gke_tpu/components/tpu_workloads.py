"""``TpuWorkloads``: the Kubernetes objects of one cluster of a plan."""

from collections.abc import Sequence
from typing import Any, overload

import pulumi
from typing_extensions import Unpack

from pulumi_gke_tpu.components.args import TpuFleetArgs, TpuWorkloadsArgs
from pulumi_gke_tpu.components.arguments import given_arguments
from pulumi_gke_tpu.components.registration import DeclaredComponent, alone
from pulumi_gke_tpu.components.resolve import resolve_workloads
from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.graph.builders.kubernetes import tpu_workloads


class TpuWorkloads(DeclaredComponent, arguments=TpuWorkloadsArgs):
    """The Kubernetes objects of one cluster: namespaces, priority classes, queues, ComputeClasses, storage, workloads.

    ``args`` is the plan, as for ``TpuFleet``; ``cluster`` is the key of the cluster, if the plan has several. The
    objects are those of ``gke-tpu manifests``, in the order in which they depend on each other. The provider comes with
    the options: ``ResourceOptions(provider=pulumi_kubernetes.Provider(...))``. Operators that the
    plan does not install must be there already.

    It requires the package pulumi-kubernetes, which the extra ``kubernetes`` installs.

    Raises:
        FindingsError: the plan has errors, does not have the cluster, or has several and ``cluster`` is not given;
            every finding is listed.
        ModuleNotFoundError: pulumi-kubernetes is not installed.
    """

    @property
    def objects(self) -> pulumi.Output[Sequence[str]]:
        """The objects, such as JobSet/research/pretraining, in the order of their creation."""
        return self._output("objects")

    @overload
    def __init__(
        self,
        resource_name: str,
        args: TpuFleetArgs | TpuWorkloadsArgs,
        opts: pulumi.ResourceOptions | None = None,
        *,
        cluster: str | None = None,
        catalog: Catalog | None = None,
    ) -> None: ...

    @overload
    def __init__(
        self,
        resource_name: str,
        *,
        opts: pulumi.ResourceOptions | None = None,
        catalog: Catalog | None = None,
        **arguments: Unpack[TpuWorkloadsArgs],
    ) -> None: ...

    def __init__(
        self,
        resource_name: str,
        args: TpuFleetArgs | TpuWorkloadsArgs | None = None,
        opts: pulumi.ResourceOptions | None = None,
        *,
        cluster: str | None = None,
        catalog: Catalog | None = None,
        **arguments: Any,
    ) -> None:
        """Register the objects of the cluster."""
        given: Any = given_arguments("TpuWorkloads", args, arguments)
        found, catalog = resolve_workloads(resource_name, given, cluster, catalog)
        super().__init__(opts, alone(tpu_workloads(found, catalog, resource_name), catalog))
