"""Checks of the MTU of a network that gke-tpu creates: TPU266 and TPU267."""

from collections.abc import Iterable

from pulumi_gke_tpu.findings import Severity
from pulumi_gke_tpu.rules.cluster.network import created_networks
from pulumi_gke_tpu.rules.engine.context import PlanContext
from pulumi_gke_tpu.rules.engine.hit import Hit
from pulumi_gke_tpu.rules.engine.rule import Scope, rule


@rule(
    "TPU266",
    "invalid-mtu",
    scope=Scope.PLAN,
    since="0.1",
    title="Invalid MTU",
    why="Compute Engine rejects the network",
    fix="Set an MTU within the range.",
    references=["cluster-toolkit-tpu7x", "tpu-recipes-setup"],
    basis="catalog",
    failing="""
mode: standard
location: us-east5
network:
  create: {mtu: 9000}
""",
    passing="""
mode: standard
location: us-east5
network:
  create: {mtu: 8896}
""",
)
def invalid_mtu(context: PlanContext) -> Iterable[Hit]:
    facts = context.catalog.platform.network
    for _, create, path in created_networks(context):
        if create.mtu is not None and not facts.min_mtu <= create.mtu <= facts.jumbo_mtu:
            yield Hit(
                (*path, "mtu"),
                f"invalid MTU {create.mtu:,}: allowed {facts.min_mtu:,} to {facts.jumbo_mtu:,}",
                fact=facts,
                fix=f"mtu: {facts.jumbo_mtu}",
            )


@rule(
    "TPU267",
    "low-mtu",
    scope=Scope.PLAN,
    since="0.1",
    otherwise={Severity.NOTE: "if the plan sets no MTU"},
    title="MTU is low for the generation",
    why="traffic between hosts of this generation is much faster with large packets",
    fix="Set mtu to the value recommended for the generation, which the message names.",
    references=["cluster-toolkit-tpu7x", "tpu-recipes-setup", "accelerator-network-profile-news"],
    severity=Severity.WARNING,
    failing="""
mode: standard
location: us-east5
network:
  create: {mtu: 1500}
slices:
  pretrain: {tpu: v6e, topology: 4x4, zone: us-east5-b}
""",
    passing="""
mode: standard
location: us-east5
network:
  create: {mtu: 8896}
slices:
  pretrain: {tpu: v6e, topology: 4x4, zone: us-east5-b}
""",
)
def low_mtu(context: PlanContext) -> Iterable[Hit]:
    facts = context.catalog.platform.network
    for cluster, create, path in created_networks(context):
        mtu = facts.default_mtu if create.mtu is None else create.mtu
        if not facts.min_mtu <= mtu < facts.jumbo_mtu:
            continue
        generations = sorted({group.shape.generation for group in cluster.groups if group.shape.multi_host})
        affected = [name for name in generations if context.catalog.generation(name).jumbo_frames]
        if affected:
            bare = not create.model_fields_set
            yield Hit(
                (*path, "mtu") if create.mtu is not None else path[:-1] if bare else path,
                f"MTU {facts.jumbo_mtu:,} is recommended for {' and '.join(affected)}; the network "
                + (f"has {mtu:,}" if create.mtu is not None else f"uses the default of {mtu:,}"),
                fact=facts,
                severity=None if create.mtu is not None else Severity.NOTE,
                fix=f"network: {{create: {{mtu: {facts.jumbo_mtu}}}}}" if bare else f"mtu: {facts.jumbo_mtu}",
            )
