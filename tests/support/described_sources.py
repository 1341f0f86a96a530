"""What each tool shows of the resources that a plan makes: its graph as a Terraform plan, a Pulumi state, an answer."""

import functools
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from support.foreign_files import Made, answer, pulumi_state, terraform_plan

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.fleet import Fleet
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.core.graph.builders.standard import fleet_graph
from pulumi_gke_tpu.core.graph.model import Resource
from pulumi_gke_tpu.core.graph.resource_types import (
    ACCOUNT,
    CLUSTER,
    NETWORK,
    NODE_POOL,
    RESOURCE_POLICY,
    ROUTER_NAT,
    SUBNETWORK,
)
from pulumi_gke_tpu.core.plan.base import Unknown
from pulumi_gke_tpu.core.resources.model import RawResource
from pulumi_gke_tpu.core.resources.read import ResourceReader

Write = Callable[[Iterable[Made]], bytes]
SOURCES: Mapping[str, Write] = {"terraform": terraform_plan, "gcloud": answer, "pulumi": pulumi_state}
TYPES = (CLUSTER, NODE_POOL, RESOURCE_POLICY, NETWORK, SUBNETWORK, ROUTER_NAT)


def made_by(checked: CheckedPlan) -> list[Made]:
    """The clusters, node pools, workload policies and networks of a plan, with what they refer to in place."""
    assert checked.fleet is not None
    written = checked.document.yaml
    return made_of(written.data if written is not None else {}, checked.fleet)


def made_of(data: Any, fleet: Fleet) -> list[Made]:
    """The same of the data of a plan and the fleet that follows from it."""
    graph = fleet_graph(data, fleet, read_catalog())
    names = {item.urn: _name_of(item) for item in graph.resources}
    return [
        (item.type, item.urn.rpartition("::")[2], _resolved(item.inputs, names))
        for kind in TYPES
        for item in graph.of_type(kind)
    ]


@functools.cache
def _reader() -> ResourceReader:
    return ResourceReader(read_catalog())


def shown(made: Iterable[Made], source: str) -> tuple[RawResource, ...]:
    """What is read of resources as a tool shows them."""
    found = _reader().read(f"{source}.json", SOURCES[source](made))
    return found.found if found is not None else ()


def _name_of(item: Resource) -> Any:
    """What a resource gives to those that refer to it."""
    inputs = item.inputs
    if item.type == ACCOUNT:
        return f"{inputs['accountId']}@{inputs['project']}.iam.gserviceaccount.com"
    if item.type == CLUSTER:
        return f"projects/{inputs['project']}/locations/{inputs['location']}/clusters/{inputs['name']}"
    return inputs.get("name", "")


def _resolved(value: Any, names: Mapping[str, Any]) -> Any:
    if isinstance(value, Unknown):
        return names.get(value.urns[0]) if value.urns else None
    if isinstance(value, Mapping):
        found = {key: _resolved(item, names) for key, item in value.items()}
        return {key: item for key, item in found.items() if item is not None}
    return [_resolved(item, names) for item in value] if isinstance(value, list | tuple) else value
