"""The outputs of a module: what the components of the graph give to programs."""

from collections.abc import Iterator, Mapping
from typing import Any

from pulumi_gke_tpu.core.graph.declared import Declarations, Declared
from pulumi_gke_tpu.core.graph.resource_types import AUTOPILOT_CLUSTER, EXISTING_CLUSTER, STANDARD_CLUSTER, TPU_SLICES
from pulumi_gke_tpu.features.export.terraform.addresses import Addresses
from pulumi_gke_tpu.features.export.terraform.syntax import Block, attributes
from pulumi_gke_tpu.features.export.terraform.variables import ModuleVariables

_CLUSTERS = (STANDARD_CLUSTER, AUTOPILOT_CLUSTER, EXISTING_CLUSTER)


def output_blocks(declared: Declarations, addresses: Addresses, variables: ModuleVariables) -> Iterator[Block]:
    """One output for the clusters and one for the slice groups, each by the keys of the plan."""
    for name, description, kinds in (
        ("clusters", "Name, endpoint and credentials command of each cluster.", _CLUSTERS),
        ("slices", "Node selector, node pools and size of each slice group.", (TPU_SLICES,)),
    ):
        values = {item.name: _shown(item, addresses) for item in declared if item.type in kinds}
        if values:
            yield Block("output", (name,), attributes({"description": description, "value": variables.applied(values)}))


def _shown(component: Declared, addresses: Addresses) -> Mapping[str, Any]:
    """The outputs that are not encrypted, in Terraform's terms."""
    values = {name: addresses.value(value) for name, value in (component.outputs or {}).items()}
    return {name: value for name, value in values.items() if value is not None}
