"""Plans as stacks that were just created in the stand-in of the provider, without the engine."""

import copy
from typing import Any

from support.gcp_standin.cloud import Cloud
from support.gcp_standin.knowledge import CLUSTER, kind_of
from support.gcp_standin.without_engine import Stack
from support.plan_corpus import Source, catalog

from pulumi_gke_tpu.core.graph.builders.standard import tpu_fleet
from pulumi_gke_tpu.core.graph.declared import Declarations
from pulumi_gke_tpu.core.text.formats.names import parse_cluster


def created(source: Source, cloud: Cloud, name: str = "fleet") -> tuple[Stack, Declarations]:
    """A plan as a program, and its stack after the first update."""
    program = program_of(source, name)
    _make_existing_clusters(source.data, cloud)
    stack = Stack(cloud)
    stack.up(program)
    return stack, program


def program_of(source: Source, name: str = "fleet") -> Declarations:
    """A plan as a program whose component has this name."""
    return Declarations(tpu_fleet(source.fleet, catalog(), source.data, name))


def _make_existing_clusters(plan: Any, cloud: Cloud) -> None:
    """The existing clusters of a plan, which other programs own."""
    for cluster in plan["clusters"].values():
        found = parse_cluster(cluster.get("existing", ""))
        if found is not None:
            kind = kind_of(CLUSTER)
            place = {"project": found.project, "location": found.location, "name": found.name}
            state = {**copy.deepcopy(kind.reported), **place, "initialNodeCount": 1}
            cloud.create(kind, "", cluster["existing"], state)
