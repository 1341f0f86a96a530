"""Reads answers of the APIs of Google Cloud, as ``gcloud ... --format=json`` or ``yaml`` writes them."""

import functools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pulumi_gke_tpu.core.catalog.records.provider import Provider
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph import resource_types
from pulumi_gke_tpu.core.objects.document import items, mapping
from pulumi_gke_tpu.core.resources.api_names import api_name, properties_of
from pulumi_gke_tpu.core.resources.model import (
    INSTANCE_ERROR,
    OPERATION,
    RESERVATION,
    RESIZE_REQUEST,
    Origin,
    RawResource,
    Resources,
    SourceFormat,
    Spelling,
)
from pulumi_gke_tpu.core.resources.values import Values, in_words, without_reported
from pulumi_gke_tpu.core.text.findings import Path, Position
from pulumi_gke_tpu.core.text.formats.property_path import parse_path, value_at
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_COMPUTE = {
    "compute#firewall": resource_types.FIREWALL,
    "compute#instanceGroupManagerResizeRequest": RESIZE_REQUEST,
    "compute#network": resource_types.NETWORK,
    "compute#reservation": RESERVATION,
    "compute#resourcePolicy": resource_types.RESOURCE_POLICY,
    "compute#router": resource_types.ROUTER,
    "compute#subnetwork": resource_types.SUBNETWORK,
}
_UNCHECKED = (
    {"autoUpgradeStatus"},
    {"bindings", "etag"},
    {"config", "parent", "state"},
    {"dimensionsInfos"},
    {"validMasterVersions"},
)
"""Keys of answers about upgrades, roles, versions, APIs and quota, which no rule checks."""
_LISTS = ("clusters", "nodePools", "items", "accounts", "reservations", "resourcePolicies")
_LINK = lazy_pattern(r"(?:https?://[^/]+)?/?(?:[a-z]+/)?(?:v\d\w*/)?(projects/.*)\Z")
_PLACE = lazy_pattern(
    r"projects/(?P<project>[^/]+)/(?:global|(?:locations|zones|regions)/(?P<location>[^/]+))"
    r"(?:/clusters/(?P<cluster>[^/]+))?(?:/.*)?\Z"
)
_ACCOUNT = lazy_pattern(r"projects/(?P<project>[^/]+)/serviceAccounts/")
_POOL_LINK = lazy_pattern(r"/nodePools/[^/]+\Z")
_CLUSTER_LINK = lazy_pattern(r"/clusters/[^/]+\Z")
_EXCLUSIONS = ("maintenancePolicy", "window", "maintenanceExclusions")
_MACHINE = ("machineType", "oauthScopes", "diskSizeGb", "imageType")


def kind_of(data: Any) -> str:
    """The Pulumi type of a resource in an answer; empty if it is none of those that are read."""
    if not isinstance(data, dict) or "apiVersion" in data:
        return ""
    kind, link, name = (
        value if isinstance(value := data.get(key), str) else "" for key in ("kind", "selfLink", "name")
    )
    if kind.startswith("compute#"):
        return _COMPUTE.get(kind, "")
    tests = (
        (resource_types.NODE_POOL, _POOL_LINK.search(link)),
        (resource_types.CLUSTER, _CLUSTER_LINK.search(link)),
        (resource_types.CLUSTER, name and ("currentMasterVersion" in data or isinstance(data.get("nodePools"), list))),
        (resource_types.NODE_POOL, name and _is_node_config(data.get("config"))),
        (resource_types.ACCOUNT, _ACCOUNT.match(name) and isinstance(data.get("email"), str)),
        (OPERATION, {"operationType", "targetLink"} <= data.keys()),
        (INSTANCE_ERROR, {"error", "instanceActionDetails"} <= data.keys()),
    )
    return next((found for found, holds in tests if holds), "")


def _is_node_config(config: Any) -> bool:
    return isinstance(config, dict) and any(name in config for name in _MACHINE)


def is_answer(data: Any) -> bool:
    """Whether some data is a resource of an answer, a list of them, or an answer that no rule checks."""
    items = data if isinstance(data, list) else next(_lists(data), [data]) if isinstance(data, dict) else []
    return any(kind_of(each) or _is_unchecked(each) for each in (*items[:1], data))


def _is_unchecked(data: Any) -> bool:
    """Whether an answer is of a kind that is known, and has nothing to check."""
    if not isinstance(data, dict) or "apiVersion" in data:
        return False
    return str(data.get("kind", "")).startswith("compute#") or any(keys <= data.keys() for keys in _UNCHECKED)


def read_answer(data: Any, file: str, locate: Callable[[Path], Position], provider: Provider) -> Resources:
    """The resources of an answer. ``locate`` finds a path in the document."""
    found: list[RawResource] = []
    skipped = Counter[str]()
    whole = _Document(file, locate, provider)
    for path, item in _items(data):
        kind = kind_of(item)
        if kind:
            found += _with_pools(kind, item, whole.part(path))
        elif isinstance(item, dict):
            skipped[str(item.get("kind", "other"))] += 1
    return Resources(tuple(found), skipped)


def _items(data: Any) -> Iterator[tuple[Path, Any]]:
    """Each resource, with its path in the document."""
    if isinstance(data, list):
        yield from (((index,), item) for index, item in enumerate(data))
    elif not kind_of(data) and any(True for _ in _lists(data)):
        for key in _LISTS:
            if isinstance(data.get(key), list):
                yield from (((key, index), item) for index, item in enumerate(data[key]))
    else:
        yield (), data


@frozen(eq=False)
class _Document:
    """A document, or a part of it."""

    file: str
    locate: Callable[[Path], Position]
    provider: Provider

    def part(self, above: Path) -> "_Document":
        return _Document(self.file, lambda path: self.locate((*above, *path)), self.provider)


def _lists(data: Mapping[str, Any]) -> Iterator[list[Any]]:
    return (data[key] for key in _LISTS if isinstance(data.get(key), list) and data[key])


def _with_pools(kind: str, item: dict[str, Any], document: _Document) -> Iterator[RawResource]:
    resource = _resource(kind, item, document)
    yield resource
    pools = item.get("nodePools") if kind == resource_types.CLUSTER else None
    for index, pool in enumerate(items(pools)):
        if isinstance(pool, dict):
            yield _resource(resource_types.NODE_POOL, pool, document.part(("nodePools", index)), resource)


def _resource(kind: str, item: dict[str, Any], document: _Document, within: RawResource | None = None) -> RawResource:
    link = _LINK.match(item["selfLink"]) if isinstance(item.get("selfLink"), str) else None
    place = _PLACE.match(link[1]) if link else None
    values = in_words(properties_of(kind, item), document.provider.resources.get(kind))
    name = item["name"] if isinstance(item.get("name"), str) else ""
    project = place["project"] if place else within.project if within is not None else ""
    if kind == resource_types.NODE_POOL:
        around = within.values.data if within is not None else {}
        cluster = (place and place["cluster"]) or around.get("name")
        location = (place and place["location"]) or around.get("location")
        values |= {key: value for key, value in (("cluster", cluster), ("location", location)) if value}
    elif kind == resource_types.ACCOUNT:
        match = _ACCOUNT.match(name)
        project = match["project"] if match else project
        name = item["email"]
    elif kind == INSTANCE_ERROR:
        name = str(mapping(item.get("instanceActionDetails")).get("instance", "")).rpartition("/")[2]
    elif kind != resource_types.CLUSTER and place and place["location"]:
        key = "zone" if kind == RESERVATION else "region"
        values[key] = place["location"]
    values |= {"project": project} if project else {}
    asked = without_reported(values, values, document.provider) if kind == resource_types.NODE_POOL else values
    above = f"{within.origin.address}/nodePools/" if within is not None else ""
    address = link[1] if link else f"{above}{name}"
    return RawResource(
        type=kind,
        name=name,
        values=Values(asked),
        origin=Origin(SourceFormat.API, document.file, address, document.locate),
        project=project,
        before=Values(values),
        with_pools=bool(item.get("nodePools")),
        spelling=_spelling_in(kind, item) if kind == resource_types.CLUSTER else _spelling(kind),
    )


def _spelling_in(kind: str, item: dict[str, Any]) -> Spelling:
    return Spelling(written=functools.partial(api_name, kind), place=functools.partial(_place, kind, item))


@functools.cache
def _spelling(kind: str) -> Spelling:
    """The spelling of a kind that has each property under one name."""
    return _spelling_in(kind, {})


def _place(kind: str, item: dict[str, Any], path: str) -> Path:
    """Where a property is in the answer. An answer may have it under both names, or only under that of the provider."""
    found, own = parse_path(api_name(kind, path)), parse_path(path)
    above, inside = found[: len(_EXCLUSIONS)], found[len(_EXCLUSIONS) :]
    if above == _EXCLUSIONS and inside:
        names = [*(value_at(item, _EXCLUSIONS) or ())]
        number, rest = int(inside[0]), inside[1:]
        options = ("maintenanceExclusionOptions" if step == "exclusionOptions" else step for step in rest)
        return (*_EXCLUSIONS, *names[number : number + 1], *options)
    return own if value_at(item, found) is None and value_at(item, own) is not None else found
