"""Previews a plan: its resources, without Pulumi."""

from typing import TYPE_CHECKING

from pulumi_gke_tpu.components.arguments import check_fleet, check_mapping, has_errors
from pulumi_gke_tpu.core.catalog import Catalog, read_catalog
from pulumi_gke_tpu.core.graph.builders.standard import fleet_graph
from pulumi_gke_tpu.core.graph.model import Graph
from pulumi_gke_tpu.core.text.findings import FindingsError

if TYPE_CHECKING:
    from pulumi_gke_tpu.components.args import TpuFleetArgs


def preview_plan(args: "TpuFleetArgs", *, name: str = "preview", catalog: Catalog | None = None) -> Graph:
    """The graph of a plan: what ``pulumi up`` registers in a stack of that name.

    Raises:
        FindingsError: the plan has errors.
    """
    check_mapping("preview_plan", args)
    catalog = catalog or read_catalog()
    fleet, findings = check_fleet(args, catalog)
    if fleet is None or has_errors(findings):
        raise FindingsError(findings)
    return fleet_graph(args, fleet, catalog, name=name)
