"""The flags of gcloud that xpk passes on."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.shell import ScriptWord
from pulumi_gke_tpu.core.text.shell.arguments import Given, Takes, read_arguments
from pulumi_gke_tpu.features.adopt.command_lines.draft import CommandReading, whole_number

_ADDONS: Final[Mapping[str, str]] = {
    "BackupRestore": "gke_backup",
    "GcpFilestoreCsiDriver": "filestore",
    "GcsFuseCsiDriver": "gcs_fuse",
    "HighScaleCheckpointing": "high_scale_checkpointing",
    "LustreCsiDriver": "lustre",
    "NodeLocalDNS": "dns_cache",
    "ParallelstoreCsiDriver": "parallelstore",
    "PodSnapshot": "pod_snapshot",
    "RayOperator": "ray_operator",
    "SliceController": "slice_controller",
    "StatefulHA": "stateful_ha",
}
_ALWAYS_ON: Final = frozenset({"GcePersistentDiskCsiDriver", "HorizontalPodAutoscaling", "HttpLoadBalancing"})


def _text(text: str) -> Any:
    return text or None


def _flag(text: str) -> Any:
    return text != "false"


def _lower(text: str) -> Any:
    return text.lower() or None


def _gib(text: str) -> Any:
    return whole_number(text.upper().removesuffix("GB"))


def _texts(text: str) -> Any:
    return text.split(",") if text else None


def _pairs(text: str) -> dict[str, str]:
    parts = [pair.partition("=") for pair in text.split(",")]
    return {name: value for name, _, value in parts}


def _ranges(text: str) -> Any:
    return {f"range-{index}": item for index, item in enumerate(text.split(","), 1)} if text else None


def _addons(text: str) -> Any:
    return [_ADDONS[name] for name in text.split(",") if name in _ADDONS]


def _taints(text: str) -> Any:
    """``key=value:Effect``, several with commas."""
    found = []
    for item in text.split(","):
        pair, _, effect = item.rpartition(":")
        key, _, value = pair.partition("=")
        found.append({"key": key, **({"value": value} if value else {}), "effect": effect})
    return found if all(item["key"] and item["effect"] for item in found) else None


def _interface(text: str) -> Any:
    parts = _pairs(text)
    return [parts] if parts.keys() == {"network", "subnetwork"} and all(parts.values()) else None


@frozen
class _Flag:
    """A flag of gcloud: the path of its key, and how its value is read."""

    path: str
    value: Callable[[str], Any] = _text


_ADDONS_FLAG: Final = "--addons"
_CLUSTER: Final[Mapping[str, _Flag]] = {
    _ADDONS_FLAG: _Flag("addons", _addons),
    "--cluster-secondary-range-name": _Flag("network.existing.pods_range"),
    "--enable-master-global-access": _Flag("extra.private_cluster_config.master_global_access_config.enabled", _flag),
    "--enable-private-endpoint": _Flag("control_plane.private", _flag),
    "--enable-private-nodes": _Flag("private_nodes", _flag),
    "--labels": _Flag("resource_labels", _pairs),
    "--master-authorized-networks": _Flag("control_plane.authorized_networks", _ranges),
    "--network": _Flag("network.existing.network"),
    "--release-channel": _Flag("release_channel", _lower),
    "--services-secondary-range-name": _Flag("network.existing.services_range"),
    "--subnetwork": _Flag("network.existing.subnetwork"),
}
_POOL: Final[Mapping[str, _Flag]] = {
    "--additional-node-network": _Flag("additional_networks", _interface),
    "--disk-size": _Flag("boot_disk.size_gib", _gib),
    "--disk-type": _Flag("boot_disk.type"),
    "--enable-autorepair": _Flag("upgrade.auto_repair", _flag),
    "--enable-autoupgrade": _Flag("upgrade.auto_upgrade", _flag),
    "--enable-image-streaming": _Flag("image_streaming", _flag),
    "--host-maintenance-interval": _Flag("host_maintenance.interval", _lower),
    "--image-type": _Flag("extra.node_config.image_type"),
    "--labels": _Flag("resource_labels", _pairs),
    "--max-pods-per-node": _Flag("max_pods_per_node", whole_number),
    "--max-surge-upgrade": _Flag("upgrade.max_surge", whole_number),
    "--max-unavailable-upgrade": _Flag("upgrade.max_unavailable", whole_number),
    "--node-labels": _Flag("node_labels", _pairs),
    "--node-taints": _Flag("taints", _taints),
    "--placement-policy": _Flag("placement.workload_policy"),
    "--service-account": _Flag("node_service_account"),
    "--tags": _Flag("extra.node_config.tags", _texts),
}
_DERIVED: Final[Mapping[str, str]] = {
    "--enable-dataplane-v2": "every cluster of gke-tpu has Dataplane V2, unless `security.dataplane_v2` is false",
    "--enable-gvnic": "gke-tpu sets it for every TPU node pool",
    "--enable-ip-alias": "every cluster of gke-tpu is VPC-native",
    "--enable-master-authorized-networks": "`control_plane.authorized_networks` enables them",
    "--enable-multi-networking": "a cluster has it if its slices have `additional_networks`",
    "--enable-shielded-nodes": "every cluster of gke-tpu has shielded nodes, unless `security.shielded_nodes` is false",
    "--machine-type": "it follows from the TPU type",
    "--node-locations": "it follows from the zone of the slices",
    "--num-nodes": "it follows from the topology",
    "--scopes": "gke-tpu uses cloud-platform and limits access with IAM",
    "--workload-pool": "every cluster of gke-tpu has Workload Identity, unless `security.workload_identity` is false",
}
_FLAGS: Final = frozenset(
    {
        *(name for table in (_CLUSTER, _POOL) for name, flag in table.items() if flag.value is _flag),
        *(name for name in _DERIVED if name.startswith("--enable-")),
    }
)


def gcloud_keys(reading: CommandReading, given: Given, words: Sequence[ScriptWord], cluster: str, group: str) -> None:
    """Each flag inside of ``given`` as a key of the cluster, or of a group of slices."""
    table = _POOL if group else _CLUSTER
    options: dict[str, Takes] = {name: "flag" if name in _FLAGS else "value" for name in (*table, *_DERIVED)}
    arguments = read_arguments(words, options, abbreviated=False)
    for item in arguments.given:
        inside = Given(f"{given.option} {item.option}", item.value, given.line, given.column, item.problem)
        if item.option in _DERIVED and item.value != "false":
            reading.row(inside, "derived", reason=_DERIVED[item.option])
            continue
        if item.option not in table:
            reading.row(inside, "left out", reason=_NOT_KNOWN)
            continue
        if item.option == _ADDONS_FLAG:
            _addon_rows(reading, inside)
        path = f"slices.{group}.{table[item.option].path}" if group else table[item.option].path
        value = None if item.problem else table[item.option].value(item.value)
        if value is None:
            reading.problem(f"the value of `{inside.option}` cannot be read", given)
        elif value != []:
            reading.key(inside, cluster, path, value)
    network = reading.draft.clusters[cluster].get("network", {}).get("existing")
    if network is not None and not group:
        only = network.get("network") or network.get("subnetwork") or _USUAL_NETWORK
        network.setdefault("network", only)
        network.setdefault("subnetwork", only)
    for word in arguments.unknown:
        name, _, value = word.text.partition("=")
        inside = Given(f"{given.option} {name}", value, given.line, given.column)
        reading.row(inside, "left out", reason=_NOT_KNOWN)


def _addon_rows(reading: CommandReading, given: Given) -> None:
    """What becomes of the add-ons without a key."""
    for name in given.value.split(","):
        one = Given(given.option, name, given.line, given.column)
        if name in _ALWAYS_ON:
            reading.row(one, "derived", reason="GKE always enables it")
        elif name not in _ADDONS:
            reading.row(one, "left out", reason=_NOT_KNOWN)


_USUAL_NETWORK: Final = "default"
_NOT_KNOWN: Final = "gke-tpu does not translate this flag of gcloud; look for a key, or set its property in `extra`"
