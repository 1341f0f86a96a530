"""The keys of a plan for what commands of gcloud state: those of its description whose properties a flag sets."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.described.clusters import cluster_keys, policy_without_key
from pulumi_gke_tpu.core.described.node_pools import cpu_pool, slice_group
from pulumi_gke_tpu.core.described.part import Keys, Part
from pulumi_gke_tpu.core.described.short import short_group
from pulumi_gke_tpu.core.graph.keys import is_within
from pulumi_gke_tpu.core.graph.semantics import plain_path
from pulumi_gke_tpu.core.plan.cpu_pools import SystemPool
from pulumi_gke_tpu.core.resources.pools import AFFINITY, TpuPool
from pulumi_gke_tpu.core.resources.values import UNKNOWN, Values
from pulumi_gke_tpu.core.text.formats.property_path import parse_path, set_value, value_at
from pulumi_gke_tpu.features.adopt.open_parts import EXTRA_OF_CLUSTERS, CannotAdoptError, leaves

DERIVED: Final[Mapping[str, str]] = {
    "--enable-autoscaling": "it follows from the limits",
    "--enable-dataplane-v2": "every cluster of gke-tpu has Dataplane V2, unless `security.dataplane_v2` is false",
    "--enable-gvnic": "gke-tpu sets it for every TPU node pool",
    "--enable-ip-alias": "every cluster of gke-tpu is VPC-native",
    "--enable-master-authorized-networks": "`control_plane.authorized_networks` enables them",
    "--enable-multi-networking": "a cluster has it if its slices have `additional_networks`",
    "--enable-shielded-nodes": "every cluster of gke-tpu has shielded nodes, unless `security.shielded_nodes` is false",
    "--node-locations": "the node pools of the plan have their zones",
    "--num-nodes": "it follows from the topology",
    "--scopes": "gke-tpu uses cloud-platform and limits access with IAM",
    "--workload-metadata": "it follows from Workload Identity",
    "--workload-metadata-from-node": "it follows from Workload Identity",
    "--workload-pool": "every cluster of gke-tpu has Workload Identity, unless `security.workload_identity` is false",
}
"""Options that gke-tpu decides, although its value can be another one."""
_POLICY: Final = "maintenancePolicy"
_RANGES: Final = ("clusterSecondaryRangeName", "servicesSecondaryRangeName")
_RESERVATION: Final = ("capacity", "reservation")
_OF_SYSTEM_POOL: Final[Mapping[Keys, Keys]] = {
    ("boot_disk", "type"): ("boot_disk_type",),
    ("boot_disk", "size_gib"): ("boot_disk_size_gib",),
    ("boot_disk", "kms_key"): ("boot_disk_kms_key",),
}


@dataclass(eq=False)
class StatedKeys:
    """A part of a plan that commands state."""

    keys: dict[str, Any]
    properties: dict[Keys, str] = field(default_factory=dict)
    """Key -> the property that has its value, without indices."""
    hosts: int = 1
    """Of one slice; 0 if the keys form none."""

    def below(self, *steps: str) -> "StatedKeys":
        """The same keys below others."""
        keys: dict[str, Any] = {}
        set_value(keys, steps, self.keys)
        return StatedKeys(keys, {(*steps, *each): name for each, name in self.properties.items()}, self.hosts)

    def add(self, part: Part, keys: Keys, value: Any, written: Keys = ()) -> None:
        """A key of a described part, in the plan perhaps at another place."""
        set_value(self.keys, written or keys, value)
        around, name = part.origin(keys)
        self.properties[written or around] = plain_path(parse_path(name))

    def key_of(self, path: str) -> str:
        """The key that sets a property, or a part of it; empty if the plan has none."""
        names = (keys for keys, name in self.properties.items() if is_within(path, name) or is_within(name, path))
        written = filter(None, map(self._written, names))
        return next(written, "capacity" if is_within(path, AFFINITY) and self._written(_RESERVATION) else "")

    def _written(self, keys: Keys) -> str:
        """Where a described key is in the plan: also as a word for several, and as one of the limits in ``count``."""
        around = keys[:-1]
        for place in (keys, (*around, "count", keys[-1])):
            if value_at(self.keys, place) is not None:
                return ".".join(map(str, place))
        return self._written(around) if not isinstance(value_at(self.keys, around), Mapping | None) else ""


def slice_keys(tpu: TpuPool, values: Values, catalog: Catalog, policy: Values | None = None) -> StatedKeys:
    """Those of a slice group. A topology that GKE does not have stays, for rules to report it.

    ``policy`` is the workload policy of the node pool, if the script creates it.

    Raises:
        CannotAdoptError: no keys say what the command does.
    """
    part = slice_group(tpu, values, catalog, reported=False, policy=policy)
    found = _stated(part, values)
    found.keys, found.hosts = short_group(found.keys, catalog)
    if found.hosts and part.reason:
        raise CannotAdoptError(part.reason)
    return found


def cpu_pool_keys(values: Values) -> StatedKeys:
    """Those of an entry in ``cpu_pools``.

    Raises:
        CannotAdoptError: no keys say what the command does.
    """
    part = cpu_pool(values, values, reported=False)
    if part.reason:
        raise CannotAdoptError(part.reason)
    return _stated(part, values)


def system_pool_keys(values: Values) -> StatedKeys:
    """Those of the system pool: what the command says of the default node pool."""
    found, part = StatedKeys({}), cpu_pool(values, values, reported=False)
    for keys, value in leaves(part.keys):
        steps = _OF_SYSTEM_POOL.get(keys, keys)
        is_stated = keys != ("machine_type",) or values.has("nodeConfig.machineType")
        if steps[0] in SystemPool.model_fields and is_stated:
            found.add(part, keys, value, _OF_SYSTEM_POOL.get(keys, ()))
    return found


def _stated(part: Part, values: Values) -> StatedKeys:
    """The keys of a node pool, also those with the value that GKE has where no flag sets it."""
    found = StatedKeys({})
    kept = [item for item in leaves(part.kept) if item[0][0] != "adopted"]
    for keys, value in (*leaves(part.keys), *(item for item in kept if _is_set(values, part.origin(item[0])[1]))):
        if keys[0] != "extra":
            found.add(part, keys, value)
    return found


def created_cluster_keys(values: Values, project: str, catalog: Catalog) -> StatedKeys:
    """Those of a cluster that a command creates; what it does not state is what gke-tpu does."""
    data = dict(values.data)
    if any(values.text(f"ipAllocationPolicy.{name}") for name in _RANGES):
        data.setdefault("network", "default")
    for name, other in (("network", "subnetwork"), ("subnetwork", "network")):  # those of an auto mode network
        if data.get(other) and not data.get(name):
            data[name] = data[other]
    values = Values(data)
    part = cluster_keys(values, project, catalog, reported=False)
    limits = part.keys.get("autoprovisioning", {})
    left_out = {"adopted", "extra", *(() if {"cpu", "memory_gib"} <= limits.keys() else ("autoprovisioning",))}
    extra: dict[str, Any] = {}
    if policy_without_key(values):
        left_out.add("maintenance")
        extra[_POLICY] = values.get(_POLICY)
    for path in EXTRA_OF_CLUSTERS:
        if values.has(path):
            set_value(extra, tuple(path.split(".")), values.get(path))
    found = StatedKeys({})
    for keys, value in leaves(part.keys):
        name = part.origin(keys)[1]
        is_usual = keys[0] == "security" and value is True
        if keys[0] not in left_out and not is_usual and (keys[0] in ("mode", "location") or _is_set(values, name)):
            found.add(part, keys, value)
    found.keys |= {"extra": extra} if extra else {}
    return found


def _is_set(values: Values, path: str) -> bool:
    return value_at(values.data, parse_path(path)) is not None


def policy_keys(values: Values) -> dict[str, Any]:
    """A workload policy."""
    keys = {
        "type": values.text("workloadPolicy.type").lower(),
        "topology": values.text("workloadPolicy.acceleratorTopology"),
        "topology_mode": values.text("workloadPolicy.acceleratorTopologyMode").lower(),
    }
    return {name: value for name, value in keys.items() if value}


def without_unknown(value: Any) -> Any:
    """A value without the parts that are not known."""
    if isinstance(value, dict):
        return {key: without_unknown(item) for key, item in value.items() if item is not UNKNOWN}
    if isinstance(value, list):
        return [without_unknown(item) for item in value if item is not UNKNOWN]
    return value
