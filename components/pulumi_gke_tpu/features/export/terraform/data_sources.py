"""Data sources for clusters and networks that exist already, which ``terraform plan`` then reads and checks."""

from collections.abc import Iterator, Mapping
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.declared import Declarations
from pulumi_gke_tpu.core.graph.resource_types import EXISTING_CLUSTER, NODE_POOL
from pulumi_gke_tpu.core.text.formats.hcl_scalars import quoted_text
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.features.export.terraform.spelling import resource_name
from pulumi_gke_tpu.features.export.terraform.syntax import Attribute, Block, Expression, Gap, Item, attributes
from pulumi_gke_tpu.features.export.terraform.variables import (
    NETWORK,
    SUBNETWORK,
    ModuleVariables,
    Variable,
    existing_values,
)

_PATH = lazy_pattern(r"projects/([^/]+)/(?:global|regions/([^/]+))/(?:networks|subnetworks)/([^/]+)\Z")
_TYPES = {NETWORK: "google_compute_network", SUBNETWORK: "google_compute_subnetwork"}
_CLUSTER = "google_container_cluster"


@frozen
class ReadCluster:
    """An existing cluster and the oldest minor version of GKE with its TPUs."""

    name: str
    cluster: str
    project: str
    location: str
    minor: int


class DataSources(ModuleVariables):
    """The data sources of a plan, and values with references to them."""

    def __init__(self, declared: Declarations, catalog: Catalog) -> None:
        project = str(declared.outermost.properties["project"])
        found = tuple(item for item in existing_values(declared) if item.property in _TYPES)
        super().__init__(found)
        self._networks, self._own_project = found, project
        clusters = _clusters(declared, catalog)
        self._clusters = {(item.cluster, item.location): item for item in clusters}

    def blocks(self) -> Iterator[Block]:
        """The data sources, each with what has to be true of what it reads."""
        for item in self._clusters.values():
            version = f'tonumber(split(".", self.master_version)[1]) >= {item.minor}'
            body: tuple[Item, ...] = (
                *attributes({"name": item.cluster, "location": item.location, "project": item.project}),
                Gap(),
                _conditions(
                    {
                        "self.enable_autopilot != true": f"Cluster {item.cluster} must be a Standard cluster.",
                        version: f"Cluster {item.cluster} must have GKE 1.{item.minor} or later for these TPUs.",
                    }
                ),
            )
            yield Block("data", (_CLUSTER, item.name), body)
        for variable in self._networks:
            yield self._network(variable)

    def applied(self, value: object, name: str = "") -> Any:
        """A value with references in the place of the names of existing clusters and networks."""
        if not name and isinstance(value, Mapping):
            read = self._clusters.get((str(value.get("cluster")), str(value.get("location"))))
            if read is not None:
                # The ID would replace imported node pools, which have the short name.
                value = {**value, "cluster": Expression(f"data.{_CLUSTER}.{read.name}.name")}
        return super().applied(value, name)

    def _reference(self, variable: Variable) -> Expression:
        attribute = "id" if _PATH.search(variable.default) else "name"
        return Expression(f"data.{_TYPES[variable.property]}.{variable.name}.{attribute}")

    def _network(self, variable: Variable) -> Block:
        path = _PATH.search(variable.default)
        project, region, short = path.groups() if path else (self._own_project, "", variable.default)
        values = {"name": short, "project": project}
        networks = [item for item in self._networks if item.property == NETWORK]
        checks: tuple[Item, ...] = ()
        if variable.property == SUBNETWORK:
            values["region"] = region or variable.region
            if len(networks) == 1:
                end = quoted_text("/" + networks[0].default.rpartition("/")[2])
                message = f"Subnetwork {short} must be in the network of the cluster."
                checks = (Gap(), _conditions({f"endswith(self.network, {end})": message}))
        return Block("data", (_TYPES[variable.property], variable.name), (*attributes(values), *checks))


def _conditions(conditions: Mapping[str, str]) -> Block:
    blocks = (
        Block("postcondition", (), (Attribute("condition", Expression(text)), Attribute("error_message", message)))
        for text, message in conditions.items()
    )
    return Block("lifecycle", (), tuple(blocks))


def _clusters(declared: Declarations, catalog: Catalog) -> Iterator[ReadCluster]:
    """The existing clusters that have node pools of the plan."""
    families = {
        machine: catalog.generation(name).families[found.family]
        for name in catalog.generation_names
        for machine, found in catalog.generation(name).machine_types.items()
    }
    for component in declared:
        cluster = (component.outputs or {}).get("cluster_name")
        pools = [item for item in declared if item.type == NODE_POOL and item.properties.get("cluster") == cluster]
        if component.type != EXISTING_CLUSTER or not pools:
            continue
        machines = {str(pool.properties["nodeConfig"]["machineType"]) for pool in pools}
        oldest = [families[name].minimum_version.get("standard", "1.0") for name in machines if name in families]
        properties = pools[0].properties
        yield ReadCluster(
            resource_name(component.name),
            str(cluster),
            str(properties["project"]),
            str(properties["location"]),
            max((int(version.split(".")[1]) for version in oldest), default=0),
        )
