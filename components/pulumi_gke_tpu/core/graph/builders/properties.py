"""Helpers of all builders: the context of a node pool, common options, and the merge of ``extra`` properties."""

import datetime
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.property_values import converted_inside
from pulumi_gke_tpu.core.catalog.records.provider import Provider
from pulumi_gke_tpu.core.catalog.spelling import camel_case
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.declared import Alias, Key, Ref
from pulumi_gke_tpu.core.graph.resource_types import FORMER_TYPES
from pulumi_gke_tpu.core.plan.slices import Taint, Timeouts

DEFAULT_TIMEOUT = "2h"
"""For clusters and pools: GKE keeps trying for long when capacity is scarce, and big slices take their time."""


@frozen
class ClusterContext:
    """The values of a cluster that its node pools depend on."""

    catalog: Catalog
    project: str
    location: str
    region: str
    cluster_name: Any
    """The bare name, a reference to it, or a value that is known later."""
    service_account: Any
    """An e-mail address, a reference to one, a value that is known later, or None for the default account."""
    private_nodes: bool | None
    """None leaves it to the cluster."""
    workload_identity: bool
    secure_boot: bool
    resource_labels: Mapping[str, Any]
    interfaces: Mapping[str, Mapping[str, Ref]] = field(default_factory=dict)
    """Name in ``additional_networks`` of the cluster -> the network and subnetwork of a network interface."""
    policies: Mapping[str, Ref] = field(default_factory=dict)
    """Name in ``workload_policies`` of the cluster -> the name of the created policy."""
    depends_on: tuple[Key, ...] = ()
    """Resources that have to exist before the node pools."""


def without_none(**properties: Any) -> dict[str, Any]:
    """The properties that have a value."""
    return {name: value for name, value in properties.items() if value is not None}


def node_taints(written: Sequence[Taint]) -> list[dict[str, str]] | None:
    """The taints of a node; None if there are none."""
    return [{"key": taint.key, "value": taint.value, "effect": taint.effect} for taint in written] or None


def timeouts(written: Timeouts | None) -> tuple[tuple[str, str], ...]:
    """Explicit timeouts for a resource, the plan's own where it gives them."""
    return (
        ("create", seconds(written.create if written else None) or DEFAULT_TIMEOUT),
        ("delete", seconds(written.delete if written else None) or DEFAULT_TIMEOUT),
        ("update", seconds(written.update if written else None) or DEFAULT_TIMEOUT),
    )


def seconds(duration: datetime.timedelta | None) -> str | None:
    """A duration as GKE's API takes it: ``600s``."""
    return None if duration is None else f"{int(duration.total_seconds())}s"


def former_names(names: Iterable[str]) -> tuple[Alias, ...]:
    """Aliases for the names that a resource had before."""
    return tuple(Alias(name=name) for name in names)


def component_properties(args: Mapping[str, Any]) -> dict[str, Any]:
    """A component's arguments as its own inputs; the day is left out, or every day would show a change."""
    return {name: _sendable(value) for name, value in args.items() if name != "today"}


def _sendable(value: object) -> Any:
    """A value as Pulumi can send it: YAML readers turn a text in the form of a date into a date."""
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {key: _sendable(item) for key, item in value.items()}
    return [_sendable(item) for item in value] if isinstance(value, list | tuple) else value


def merge_extra(
    properties: dict[str, Any], extra: Mapping[str, Any], provider: Provider, resource_type: str
) -> dict[str, Any]:
    """Lay the plan's ``extra`` properties over our own, key by key; camelCase and snake_case keys are both understood.

    Keys below a property of type map, such as a label, are kept as they are written. Scalars are converted to the
    property's type as the provider converts them, so that a preview shows what is sent.
    """
    return _merge(properties, extra, provider, resource_type, "") if extra else properties


def _merge(
    properties: Mapping[str, Any], extra: Mapping[str, Any], provider: Provider, resource_type: str, prefix: str
) -> dict[str, Any]:
    merged = dict(properties)
    for key, written in extra.items():
        path = f"{prefix}{camel_case(key)}"
        known = provider.resources[resource_type].properties.get(path)
        name = camel_case(key) if known else key
        value = written if known is None else converted_inside(known.type, written)
        nested = _nested(provider, resource_type, path)
        if isinstance(value, Mapping):
            below = merged.get(name)
            inner = below if isinstance(below, Mapping) else {}
            value = _merge(inner, value, provider, resource_type, f"{path}.") if nested else {**inner, **value}
        elif isinstance(value, list) and nested:
            value = [
                _merge({}, item, provider, resource_type, f"{path}.") if isinstance(item, Mapping) else item
                for item in value
            ]
        merged[name] = value
    return merged


def _nested(provider: Provider, resource_type: str, path: str) -> bool:
    """Whether a property has known properties inside."""
    return any(name.startswith(f"{path}.") for name in provider.resources[resource_type].properties)


def former_types(resource_type: str) -> tuple[Alias, ...]:
    """Types that the typed class names as aliases."""
    return tuple(Alias(type=former) for former in FORMER_TYPES.get(resource_type, ()))


def workload_pool(project: str) -> str:
    """The pool of the identities of Kubernetes service accounts: one for all clusters of a project."""
    return f"{project}.svc.id.goog"
