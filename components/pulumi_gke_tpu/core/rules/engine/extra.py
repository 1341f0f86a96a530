"""What ``extra`` writes: names of properties for the provider, their values and their places in the plan."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from pulumi_gke_tpu.core.catalog.spelling import camel_case
from pulumi_gke_tpu.core.fleet import Cluster
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan.base import Resource
from pulumi_gke_tpu.core.rules.engine.context import PlanContext, plan_groups
from pulumi_gke_tpu.core.text.findings import Path

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.catalog.records.provider import PropertyChange, ProviderResource


@frozen
class ExtraProperty:
    """One property under ``extra``: its camelCase path for the provider, its value and its place in the plan."""

    name: str
    value: Any
    path: Path


@frozen(eq=False)
class Extra:
    """The ``extra`` of one resource."""

    cluster: Cluster
    resource: Resource
    type: str
    """The type token of the resource."""
    fact: "ProviderResource"
    """The type, with all its properties."""
    modeled: Mapping[str, str]
    """Each property that ``extra`` must not set -> the key for it; empty for a fixed property."""
    written: tuple[ExtraProperty, ...]


def extras(context: PlanContext) -> Iterator[Extra]:
    """Every ``extra`` that reaches the provider."""
    found = list(_extras(context))
    if not found:
        return
    # Few plans have an ``extra``.
    from pulumi_gke_tpu.core.graph.keys import RESOURCES, plan_keys

    resources = {resource for _, resource, _, _ in found}
    facts = {resource: context.catalog.provider.resources[RESOURCES[resource]] for resource in resources}
    parents = {resource: blocks(fact.properties) for resource, fact in facts.items()}
    modeled = {resource: plan_keys().modeled(resource) for resource in resources}
    for cluster, resource, extra, path in found:
        properties = tuple(written_properties(extra, path, parents[resource]))
        yield Extra(cluster, resource, RESOURCES[resource], facts[resource], modeled[resource], properties)


def _extras(context: PlanContext) -> Iterator[tuple[Cluster, Resource, Mapping[str, Any], Path]]:
    for cluster in context.fleet.clusters:
        if cluster.plan.extra:
            yield cluster, "cluster", cluster.plan.extra, (*cluster.path, "extra")
        for pool in cluster.cpu_pools:
            if pool.plan.extra:
                yield cluster, "CPU pool", pool.plan.extra, (*pool.path, "extra")
    for cluster, path, group in plan_groups(context):
        if group.extra and cluster.mode == "standard":
            yield cluster, "TPU node pool", group.extra, (*path, "extra")


def written_properties(extra: Mapping[str, Any], path: Path, parents: frozenset[str]) -> Iterator[ExtraProperty]:
    """Every property that ``extra`` sets, blocks before their contents."""

    def below(values: Mapping[str, Any], place: Path, prefix: str) -> Iterator[ExtraProperty]:
        for key, value in values.items():
            name = f"{prefix}{camel_case(str(key))}"
            yield ExtraProperty(name, value, (*place, key))
            if name not in parents:
                continue
            if isinstance(value, Mapping):
                yield from below(value, (*place, key), f"{name}.")
            elif isinstance(value, list):
                for index, item in enumerate(value):
                    if isinstance(item, Mapping):
                        yield from below(item, (*place, key, index), f"{name}.")

    yield from below(extra, path, "")


def blocks(properties: "Mapping[str, PropertyChange]") -> frozenset[str]:
    """The properties with known properties inside."""
    return frozenset(name.rpartition(".")[0] for name in properties if "." in name and "[" not in name)


def is_any_reservation(written: ExtraProperty) -> bool:
    """Whether this is an affinity to any reservation, which another rule reports."""
    if written.name != "nodeConfig.reservationAffinity" or not isinstance(written.value, Mapping):
        return False
    return any(
        camel_case(str(key)) == "consumeReservationType" and str(value).upper().startswith("ANY_")
        for key, value in written.value.items()
    )
