"""The clusters and node pools that were read, each with the settable properties that it has."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.property_values import converted_inside
from pulumi_gke_tpu.core.catalog.records.provider import PropertyChange, Provider
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.differences import says_something
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NODE_POOL
from pulumi_gke_tpu.core.resources.model import RawResource, SourceFormat
from pulumi_gke_tpu.core.resources.values import UNKNOWN, Values
from pulumi_gke_tpu.core.text.formats.names import parse_cluster
from pulumi_gke_tpu.core.text.formats.property_path import value_at

_OLDER_DISK = {"diskType": "diskType", "diskSizeGb": "sizeGb"}
"""The boot disk in ``nodeConfig``, and in its block ``bootDisk``, which older sources leave out."""
_WITH_DEFAULT = (("upgradeSettings", "strategy"),)
"""Blocks, and a property of each that sources leave out where it has the default of the provider."""
_WORKING = ("RUNNING", "RECONCILING", "RUNNING_WITH_ERROR")


@frozen
class ClusterPlace:
    """A cluster."""

    project: str
    location: str
    name: str

    @property
    def reference(self) -> str:
        """As ``existing`` names it."""
        return f"projects/{self.project}/locations/{self.location}/clusters/{self.name}"


@frozen(eq=False)
class LivePool:
    """A node pool that exists. ``values`` are the properties that a program can set."""

    raw: RawResource
    name: str
    place: ClusterPlace | None
    """None if the source does not contain it."""
    values: Mapping[str, Any]
    status: str
    """That of GKE; empty if the source has none."""

    @property
    def import_id(self) -> str:
        """The ID by which Pulumi imports it."""
        assert self.place is not None
        return f"{self.place.reference}/nodePools/{self.name}"

    @property
    def works(self) -> bool:
        """Whether GKE neither failed to create the node pool nor deletes it."""
        return self.status in ("", *_WORKING)


@frozen(eq=False)
class LiveCluster:
    """A cluster that exists. ``values`` are the properties that a program can set, as an import finds them."""

    raw: RawResource
    place: ClusterPlace
    values: Mapping[str, Any]
    status: str
    """That of GKE; empty if the source has none."""

    @property
    def name(self) -> str:
        """Its name in GKE."""
        return self.place.name

    @property
    def import_id(self) -> str:
        """The ID by which Pulumi imports it."""
        return self.place.reference

    @property
    def autopilot(self) -> bool:
        """Whether GKE manages its nodes."""
        return self.values.get("enableAutopilot") is True

    @property
    def works(self) -> bool:
        """Whether GKE neither failed to create the cluster nor deletes it."""
        return self.status in ("", "DEGRADED", *_WORKING)


def live_pools(found: Iterable[RawResource], catalog: Catalog) -> tuple[LivePool, ...]:
    """The node pools of all sources, each once: the first source of several counts."""
    resources = tuple(found)
    pools: dict[tuple[ClusterPlace | None, str], LivePool] = {}
    for raw in resources:
        if raw.type == NODE_POOL and raw.existing is not None:
            pool = _live(raw, raw.existing, catalog.provider)
            pools.setdefault((pool.place, pool.name), pool)
    return tuple(pools.values())


def live_clusters(found: Iterable[RawResource], catalog: Catalog) -> Mapping[ClusterPlace, LiveCluster]:
    """The clusters of all sources, each once: the first source of several counts."""
    clusters: dict[ClusterPlace, LiveCluster] = {}
    for raw in found:
        if raw.type == CLUSTER and raw.existing is not None:
            place = _place(raw, raw.name)
            if place is not None and place not in clusters:
                clusters[place] = _live_cluster(raw, raw.existing, place, catalog)
    return clusters


def _live_cluster(raw: RawResource, existing: Values, place: ClusterPlace, catalog: Catalog) -> LiveCluster:
    properties = catalog.provider.resources[CLUSTER].properties
    values = _settable(existing.data, properties, "")
    values = {name: value for name, value in values.items() if name not in catalog.platform.imports.cluster}
    values |= {"name": place.name, "location": place.location, "project": place.project}
    defaults = {name: item for name, item in properties.items() if item.default is not None and "." not in name}
    # An import gives what only the provider has its default.
    values |= {name: item.default for name, item in defaults.items() if item.change == "client-side"}
    answer = raw.origin.source is SourceFormat.API
    if answer:  # leaves out what is false
        values = {**{name: False for name, item in defaults.items() if item.default is True}, **values}
        if not says_something(values.get("releaseChannel")):
            values["releaseChannel"] = {"channel": "UNSPECIFIED"}  # as the provider reads it
    return LiveCluster(raw, place, values, raw.values.known_text("status") if answer else "")


def _live(raw: RawResource, existing: Values, provider: Provider) -> LivePool:
    place = _place(raw, raw.values.known_text("cluster"))
    properties = provider.resources[NODE_POOL].properties
    values = _settable(existing.data, properties, "")
    if place is not None:
        values |= {"cluster": place.name, "location": place.location, "project": place.project}
    config = values.get("nodeConfig")
    if isinstance(config, dict):
        disk = {new: config[old] for old, new in _OLDER_DISK.items() if config.get(old)}
        config["bootDisk"] = {**disk, **config.get("bootDisk", {})}
        every = value_at(existing.data, ("nodeConfig", "effectiveTaints"))
        if not config.get("taints") and isinstance(every, list):  # an import reads only these
            config["taints"] = [_settable(item, properties, "nodeConfig.taints.") for item in every]
    for block, name in _WITH_DEFAULT:
        if isinstance(inside := values.get(block), dict) and not inside.get(name):
            inside[name] = properties[f"{block}.{name}"].default
    return LivePool(
        raw=raw,
        name=raw.name,
        place=place,
        values=values,
        status=raw.values.known_text("status") if raw.origin.source is SourceFormat.API else "",
    )


def _place(raw: RawResource, cluster: str) -> ClusterPlace | None:
    reference = parse_cluster(cluster)
    if reference and reference.location:
        return ClusterPlace(reference.project, reference.location, reference.name)
    location = raw.values.known_text("location")
    return ClusterPlace(raw.project, location, cluster) if raw.project and location and cluster else None


def _settable(data: Any, properties: Mapping[str, PropertyChange], prefix: str) -> dict[str, Any]:
    """The properties that the provider has, with the types that it converts to; without what is not known."""
    return dict(_entries(data, properties, prefix)) if isinstance(data, dict) else {}


def _entries(
    data: Mapping[str, Any], properties: Mapping[str, PropertyChange], prefix: str
) -> Iterator[tuple[str, Any]]:
    for name, value in data.items():
        path = f"{prefix}{name}"
        known = properties.get(path)
        if known is None or value is None or value is UNKNOWN:
            continue
        if known.type == "block":
            yield name, _settable(value, properties, f"{path}.")
        elif known.type == "blocks":
            items = value if isinstance(value, list) else []
            yield name, [_settable(item, properties, f"{path}.") for item in items]
        elif not _holds_unknown(value):
            yield name, converted_inside(known.type, value)


def _holds_unknown(value: Any) -> bool:
    if isinstance(value, dict | list):
        return any(map(_holds_unknown, value.values() if isinstance(value, dict) else value))
    return value is UNKNOWN
