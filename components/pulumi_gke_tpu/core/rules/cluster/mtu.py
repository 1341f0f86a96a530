"""Checks of the MTU of networks that gke-tpu creates: TPU266 and TPU267."""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.fleet import Cluster
from pulumi_gke_tpu.core.rules.cluster.network import created_networks
from pulumi_gke_tpu.core.rules.engine.context import PlanContext
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule
from pulumi_gke_tpu.core.text.findings import Path, SetKeys, Severity, listed


def _networks(context: PlanContext) -> Iterator[tuple[Cluster, int, Path]]:
    """The MTU of every network that is created, with its cluster and the path of the network."""
    for cluster, create, path in created_networks(context):
        yield cluster, create.mtu, path
    for cluster in context.fleet.clusters:
        for network in cluster.additional_networks:
            yield cluster, network.plan.mtu, network.path


@rule(
    "TPU266",
    "invalid-mtu",
    about=("clusters.*.additional_networks.*.mtu", "clusters.*.network.create.mtu"),
    title="Invalid MTU",
    why="Compute Engine rejects a network whose MTU is outside the limits",
    fix="Set `mtu` to a value within the limits.",
    references=["cluster-toolkit-tpu7x", "tpu-recipes-setup"],
    basis="catalog",
    failing="""
mode: standard
location: us-east5
network:
  create: {mtu: 9000}
""",
    edit=("mtu: 9000", "mtu: 8896"),
)
def invalid_mtu(context: PlanContext) -> Iterable[Hit]:
    facts = context.catalog.platform.network
    for _, mtu, path in _networks(context):
        if not facts.min_mtu <= mtu <= facts.jumbo_mtu:
            yield Hit(
                (*path, "mtu"),
                f"invalid MTU {mtu:,}: allowed {facts.min_mtu:,} to {facts.jumbo_mtu:,}",
                fact=facts,
                fix=SetKeys.of(mtu=facts.jumbo_mtu),
            )


@rule(
    "TPU267",
    "low-mtu",
    about=("clusters.*.additional_networks.*.mtu", "clusters.*.network.create.mtu"),
    title="MTU is low for the generation",
    why="traffic between hosts of this generation is much faster with large packets",
    fix="Set `mtu` to the recommended value.",
    references=["cluster-toolkit-tpu7x", "tpu-recipes-setup", "accelerator-network-profile-news"],
    severity=Severity.NOTE,
    failing="""
mode: standard
location: us-east5
network:
  create: {mtu: 1500}
slices:
  pretrain: {tpu: v6e, topology: 4x4, zone: us-east5-b}
""",
    edit=("mtu: 1500", ""),
)
def low_mtu(context: PlanContext) -> Iterable[Hit]:
    facts = context.catalog.platform.network
    for cluster, mtu, path in _networks(context):
        generations = sorted({group.shape.generation for group in cluster.groups if group.shape.multi_host})
        affected = [name for name in generations if context.catalog.generation(name).jumbo_frames]
        if affected and facts.min_mtu <= mtu < facts.jumbo_mtu:
            yield Hit(
                (*path, "mtu"),
                f"MTU {facts.jumbo_mtu:,} is recommended for {listed(affected)}, but the network has {mtu:,}",
                fact=facts,
            )
