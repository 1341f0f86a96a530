"""Plans as stacks that were just created in the stand-in of the provider, without the engine."""

from support.gcp_standin.cloud import Cloud
from support.gcp_standin.without_engine import Stack
from support.plan_corpus import Source, catalog

from pulumi_gke_tpu.core.graph.builders.standard import tpu_fleet
from pulumi_gke_tpu.core.graph.declared import Declarations


def created(source: Source, cloud: Cloud, name: str = "fleet") -> tuple[Stack, Declarations]:
    """A plan as a program, and its stack after the first update."""
    program = program_of(source, name)
    cloud.provide(source.data)
    stack = Stack(cloud)
    stack.up(program)
    return stack, program


def program_of(source: Source, name: str = "fleet") -> Declarations:
    """A plan as a program whose component has this name."""
    return Declarations(tpu_fleet(source.fleet, catalog(), source.data, name))
