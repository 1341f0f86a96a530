"""Plans as the modules that ``gke-tpu export terraform`` writes, and what the real provider plans for them.

Names are compared by the rule of Pulumi, without the code and the data of the export: snake case becomes camel case, a
list that may have several items gets a plural, and a block of at most one item is that item.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from support.plan_corpus import Source, catalog

from pulumi_gke_tpu.core.graph.builders.standard import fleet_graph, tpu_fleet
from pulumi_gke_tpu.core.graph.declared import Declarations
from pulumi_gke_tpu.core.plan.base import Unknown
from pulumi_gke_tpu.features.export.terraform.addresses import Addresses
from pulumi_gke_tpu.features.export.terraform.module import Wanted, module_files

MAPS = ("labels", "resourceLabels", "metadata", "sysctls", "resourceManagerTags")
"""Properties whose keys are those of the plan."""
DELETABLE = (
    "compute_firewall",
    "compute_network",
    "compute_resource_policy",
    "compute_router",
    "compute_router_nat",
    "compute_subnetwork",
    "container_cluster",
    "container_node_pool",
    "service_account",
)
ADDED = {
    *((f"google_{kind}", ".deletionPolicy") for kind in DELETABLE),
    *(
        ("google_container_cluster", f".{name}")
        for name in (
            "clusterAutoscaling.autoProvisioningDefaults.diskSize",
            "clusterAutoscaling.autoProvisioningDefaults.diskType",
            "disableL4LbFirewallReconciliation",
            "effectiveLabels",
            "enableCiliumClusterwideNetworkPolicy",
            "enableFqdnNetworkPolicy",
            "enableIntranodeVisibility",
            "enableKubernetesAlpha",
            "enableLegacyAbac",
            "enableMultiNetworking",
            "enableShieldedNodes",
            "nodeConfig.preemptible",
            "nodeConfig.spot",
            "terraformLabels",
            "timeouts",
        )
    ),
    ("google_compute_firewall", ".priority"),
    ("google_compute_network", ".deleteBgpAlwaysCompareMed"),
    ("google_compute_network", ".deleteDefaultRoutesOnCreate"),
    ("google_compute_network", ".networkFirewallPolicyEnforcementOrder"),
    *(
        ("google_compute_router_nat", f".{name}")
        for name in (
            "icmpIdleTimeoutSec",
            "tcpEstablishedIdleTimeoutSec",
            "tcpTimeWaitTimeoutSec",
            "tcpTransitoryIdleTimeoutSec",
            "type",
            "udpIdleTimeoutSec",
        )
    ),
    ("google_container_node_pool", ".nodeConfig.preemptible"),
    ("google_container_node_pool", ".nodeConfig.spot"),
    ("google_container_node_pool", ".timeouts"),
    ("google_service_account", ".disabled"),
    ("google_service_account", ".email"),
    ("google_service_account", ".member"),
}
"""What the provider adds to every plan: its defaults, labels of Terraform, computed addresses; and options."""
_MISSING = object()


def exported(source: Source, **wanted: bool) -> dict[str, str]:
    """The files of a plan."""
    return module_files(source.fleet, source.data, catalog(), Wanted(**wanted))


@dataclass(frozen=True)
class Difference:
    """A property with one value in the graph and another one in Terraform's plan."""

    address: str
    path: str
    graph: Any
    planned: Any

    def __str__(self) -> str:
        return f"{self.address} {self.path}: {self.graph!r} in the graph, {self.planned!r} planned"


def differences(source: Source, plan: Mapping[str, Any]) -> Iterator[Difference]:
    """Every property in which a plan that creates everything differs from the graph."""
    graph = fleet_graph(source.data, source.fleet, catalog(), name="export")
    addresses = Addresses(Declarations(tpu_fleet(source.fleet, catalog(), source.data, "export")), catalog())
    changes = {item["address"]: item["change"] for item in plan["resource_changes"]}
    made = [item for item in graph.resources if item.custom]
    places = {addresses.address(f"{item.type}::{item.name}"): item for item in made}
    managed = {address for address in changes if not address.startswith("terraform_data.")}
    yield from (Difference(address, "", "absent", "planned") for address in sorted(managed - places.keys()))
    for address, item in places.items():
        change = changes.get(address)
        if change is None or change["actions"] != ["create"]:
            yield Difference(address, "", "created", change and change["actions"])
            continue
        yield from _compared(address, "", item.inputs, change["after"], change["after_unknown"])


def _compared(address: str, path: str, graph: Any, planned: Any, unknown: Any) -> Iterator[Difference]:
    """The differences below a property. ``unknown`` has the form of a value, with true for values known later."""
    if isinstance(graph, Mapping) and isinstance(planned, list) and len(planned) == 1:
        planned, unknown = planned[0], _part(unknown, 0)
    if isinstance(graph, Unknown) or (unknown is True and graph is _MISSING):
        return  # Terraform knows the e-mail address of an account before the account exists
    if isinstance(graph, Mapping) and isinstance(planned, Mapping) and path.rpartition(".")[2] not in MAPS:
        for key, name in _names(graph, {*planned, *unknown}):
            inner = graph.get(key, _MISSING), planned.get(name), _part(unknown, name)
            yield from _compared(address, f"{path}.{key}", *inner)
    elif isinstance(graph, list) and isinstance(planned, list) and len(graph) == len(planned):
        for number, (one, two) in enumerate(zip(_sorted(graph), _sorted(planned), strict=True)):
            yield from _compared(address, f"{path}[]", one, two, _part(unknown, number))
    elif graph is _MISSING:
        empty = planned in (None, [], {}, "", [{}])
        if not empty and (address.partition(".")[0], path.replace("[]", "")) not in ADDED:
            yield Difference(address, path, "absent", planned)
    elif graph != planned and not (graph is False and planned is None):
        yield Difference(address, path, graph, planned)


def _names(graph: Mapping[str, Any], names: set[str]) -> Iterator[tuple[str, str]]:
    """The properties in either spelling; an empty name for a property that Terraform does not have."""
    left = set(graph)
    for name in sorted(names):
        key = next((spelling for spelling in _spellings(name) if spelling in graph), _camel(name))
        left.discard(key)
        yield key, name
    yield from ((key, "") for key in sorted(left))


def _part(unknown: Any, step: Any) -> Any:
    try:
        return unknown[step]
    except (KeyError, IndexError, TypeError):
        return {}


def _sorted(items: list[Any]) -> list[Any]:
    """Items whose order is not kept in sets; blocks by what identifies them in either spelling."""
    if all(isinstance(item, Mapping) for item in items):
        return sorted(items, key=lambda item: sorted(str(value) for value in item.values() if isinstance(value, str)))
    return sorted(items, key=str)


def _camel(name: str) -> str:
    return re.sub(r"_([a-z0-9])", lambda match: match[1].upper(), name)


def _spellings(name: str) -> tuple[str, ...]:
    one = _camel(name)
    return (one, f"{one}s", f"{one}es", f"{one[:-1]}ies")
