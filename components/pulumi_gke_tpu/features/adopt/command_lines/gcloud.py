"""The flags of gcloud that xpk passes on."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pulumi_gke_tpu.features.adopt.command_lines.arguments import Given, Takes, read_arguments
from pulumi_gke_tpu.features.adopt.command_lines.draft import CommandReading, whole_number
from pulumi_gke_tpu.features.adopt.command_lines.shell import ScriptWord

_CLUSTER: Final[Mapping[str, str]] = {
    "--network": "network.existing.network",
    "--subnetwork": "network.existing.subnetwork",
    "--cluster-secondary-range-name": "network.existing.pods_range",
    "--services-secondary-range-name": "network.existing.services_range",
    "--enable-private-nodes": "private_nodes",
    "--release-channel": "release_channel",
    "--labels": "resource_labels",
}
_POOL: Final[Mapping[str, str]] = {
    "--disk-size": "boot_disk.size_gib",
    "--disk-type": "boot_disk.type",
    "--enable-image-streaming": "image_streaming",
    "--node-labels": "node_labels",
    "--labels": "resource_labels",
    "--max-pods-per-node": "max_pods_per_node",
    "--service-account": "node_service_account",
    "--tags": "extra.node_config.tags",
    "--image-type": "extra.node_config.image_type",
}
_FLAGS: Final = frozenset({"--enable-private-nodes", "--enable-image-streaming", "--enable-gvnic", "--enable-ip-alias"})
_DERIVED: Final[Mapping[str, str]] = {
    "--enable-gvnic": "gke-tpu sets it for every TPU node pool",
    "--enable-ip-alias": "every cluster of gke-tpu is VPC-native",
    "--node-locations": "it follows from the zone of the slices",
}


def gcloud_keys(reading: CommandReading, given: Given, words: Sequence[ScriptWord], cluster: str, group: str) -> None:
    """Each flag inside of ``given`` as a key of the cluster, or of a group of slices."""
    table = _POOL if group else _CLUSTER
    options: dict[str, Takes] = {name: "flag" if name in _FLAGS else "value" for name in (*table, *_DERIVED, *_FLAGS)}
    arguments = read_arguments(words, options, abbreviated=False)
    for item in arguments.given:
        inside = Given(f"{given.option} {item.option}", item.value, given.line, given.column, item.problem)
        if item.option in _DERIVED:
            reading.row(inside, "derived", reason=_DERIVED[item.option])
            continue
        if item.option not in table:
            reading.row(inside, "left out", reason=_NOT_KNOWN)
            continue
        path = f"slices.{group}.{table[item.option]}" if group else table[item.option]
        value = _value(item)
        if item.problem or value is None:
            reading.problem(f"the value of `{inside.option}` cannot be read", given)
            continue
        reading.key(inside, cluster, path, value)
    network = reading.draft.clusters[cluster].get("network", {}).get("existing")
    if network is not None and not group:
        only = network.get("network") or network.get("subnetwork")
        network.setdefault("network", only)
        network.setdefault("subnetwork", only)
    for word in arguments.unknown:
        name, _, value = word.text.partition("=")
        inside = Given(f"{given.option} {name}", value, given.line, given.column)
        reading.row(inside, "left out", reason=_NOT_KNOWN)


_NOT_KNOWN: Final = "gke-tpu does not translate this flag of gcloud; look for a key, or set its property in `extra`"


def _value(item: Given) -> Any:
    text = item.value
    if item.option in _FLAGS:
        return text != "false"
    if item.option in ("--disk-size", "--max-pods-per-node"):
        return whole_number(text.upper().removesuffix("GB"))
    if item.option in ("--labels", "--node-labels"):
        pairs = [pair.partition("=") for pair in text.split(",")]
        return {name: value for name, _, value in pairs}
    if item.option == "--tags":
        return text.split(",")
    return text.lower() if item.option == "--release-channel" else text
