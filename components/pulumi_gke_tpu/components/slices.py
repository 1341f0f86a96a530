"""``TpuSlices``: one slice group, in a cluster of this library or in any other."""

import dataclasses
from collections.abc import Mapping, Sequence

import pulumi
import pulumi_gcp as gcp

from pulumi_gke_tpu.components.args import TpuSlicesArgs
from pulumi_gke_tpu.components.creation import creation_hooks
from pulumi_gke_tpu.components.inputs import component_props, to_input
from pulumi_gke_tpu.components.node_pool import pool_options, pool_properties
from pulumi_gke_tpu.components.resolve import resolve_slices
from pulumi_gke_tpu.components.site import Site, component_options, former_names
from pulumi_gke_tpu.components.tokens import token
from pulumi_gke_tpu.fleet import SliceGroup


class TpuSlices(pulumi.ComponentResource):
    """Equal TPU slices: on Standard their node pools, on Autopilot the labels by which workloads find them.

    Raises:
        FindingsError: the arguments are no valid slice group; every finding is listed.
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
        _derived: tuple[Site, SliceGroup] | None = None,
    ) -> None:
        """Register the slices.

        ``name`` is unique in the program, best CLUSTER/GROUP: its last part is the group, and names the pools in GKE
        unless the arguments give another name. ``args`` are described by ``TpuSlicesArgs``. ``opts`` hold for
        everything inside.
        """
        site, group = _derived or resolve_slices(name, args)
        # Alone in a program a component may have a name without a cluster, and had one before.
        former = group.former_keys if "/" in name else [key.rpartition("/")[2] for key in group.former_keys]
        super().__init__(token("TpuSlices"), name, component_props(args), component_options(opts, former))
        if _derived is None and group.pools:
            site = dataclasses.replace(site, pool_hooks=creation_hooks(f"TpuSlices {name}", site.catalog.provider))
        policy_name = self._policy_name(site, group)
        names = [
            gcp.container.NodePool(
                pool.key,
                **pool_properties(site, group, pool, policy_name),
                opts=pool_options(site, group, pool, self),
            ).name
            for pool in group.pools
        ]
        self.accelerator = pulumi.Output.from_input(group.shape.accelerator_label)
        # Of a mapping, from_input would make outputs for each key and each value.
        node_selector = dict(group.node_selector)
        self.node_selector = self.accelerator.apply(lambda _: node_selector)
        self.pool_names = pulumi.Output.all(*names)
        self.chips = pulumi.Output.from_input(group.chips.maximum)
        self.hosts = pulumi.Output.from_input(group.hosts.maximum)
        self.register_outputs(
            {
                "accelerator": group.shape.accelerator_label,
                "node_selector": group.node_selector,
                "pool_names": self.pool_names,
                "chips": group.chips.maximum,
                "hosts": group.hosts.maximum,
            }
        )

    def _policy_name(self, site: Site, group: SliceGroup) -> pulumi.Input[str] | None:
        """The workload policy that the group's pools are bound to: existing, created here, or none."""
        if group.plan.placement and group.shape.multi_host:
            existing: pulumi.Input[str] = to_input(group.plan.placement.workload_policy)
            return existing
        if group.policy_name is None or not group.pools:
            return None
        return gcp.compute.ResourcePolicy(
            group.key,
            name=group.policy_name,
            project=site.project,
            region=site.region,
            workload_policy={"type": "HIGH_THROUGHPUT", "accelerator_topology": str(group.shape.topology)},
            opts=pulumi.ResourceOptions(
                parent=self,
                aliases=former_names(group.former_keys),
                replace_on_changes=["name"],
                # Its name holds what it is replaced for, so the new one can come first; else the engine would take away
                # the pools together with the old one, even those whose replacement alone is acknowledged.
                delete_before_replace=False,
                protect=group.protect,
            ),
        ).name
