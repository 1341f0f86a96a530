"""Previews a plan: the fleet component in the embedded engine, each resource with its place in the plan."""

import dataclasses
import functools

from pulumi_gke_tpu.catalog import Catalog
from pulumi_gke_tpu.components.args import TpuFleetArgs
from pulumi_gke_tpu.components.tokens import token
from pulumi_gke_tpu.findings import format_path
from pulumi_gke_tpu.fleet import Fleet
from pulumi_gke_tpu.graph.model import Graph, Resource
from pulumi_gke_tpu.preview.monitor import Program, run_program


def preview_plan(args: TpuFleetArgs, *, name: str = "preview", catalog: Catalog | None = None) -> Graph:
    """The graph of a plan, from the components that ``pulumi up`` runs.

    Raises:
        FindingsError: the plan has errors.
    """
    from pulumi_gke_tpu.components.tpu_fleet import TpuFleet

    return _graph(functools.partial(TpuFleet, name, args, catalog=catalog), name)


def preview_fleet(args: TpuFleetArgs, fleet: Fleet, catalog: Catalog, *, name: str = "preview") -> Graph:
    """The graph of a plan that has been judged already, and of what was derived from it."""
    from pulumi_gke_tpu.components.tpu_fleet import TpuFleet

    return _graph(functools.partial(TpuFleet, name, args, _derived=(fleet, catalog)), name)


def _graph(program: Program, name: str) -> Graph:
    graph = run_program(program, stack=name)
    return Graph(tuple(_placed(resource) for resource in graph.resources))


def _placed(resource: Resource) -> Resource:
    return dataclasses.replace(resource, plan_path=_plan_path(resource))


def _plan_path(resource: Resource) -> str:
    """Where a resource stands in the plan. The names of our components are cluster and cluster/group."""
    types = resource.urn.split("::")[2].split("$")
    steps = resource.name.split("/")
    if token("TpuSlices") in types:
        return format_path(("clusters", steps[0], "slices", steps[1]))
    if token("StandardCluster") in types or token("AutopilotCluster") in types:
        return format_path(("clusters", steps[0]))
    return ""
