"""Values of gcloud, Terraform, XPK and Kubernetes that are arranged in another way than in a plan."""

import datetime
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pulumi_gke_tpu.core.catalog import naming, read_catalog
from pulumi_gke_tpu.core.plan.base import format_duration, parse_timestamp
from pulumi_gke_tpu.core.plan.reading.spellings import OTHER_ADDONS, OTHER_WORDS, named, of_models, plain
from pulumi_gke_tpu.core.plan.reading.times import as_timestamp, has_zone
from pulumi_gke_tpu.core.text.formats.names import parse_reservation

_LIMITS = named(
    {
        "min minnodes minnodecount totalminnodes totalminnodecount": "min_nodes",
        "max maxnodes maxnodecount totalmaxnodes totalmaxnodecount": "max_nodes",
    }
)
_SLICES = named({"minslices minslicecount": "min", "maxslices maxslicecount": "max"})
_BOOT_DISK = named(
    {
        "type disktype": "boot_disk_type",
        "size sizegb sizegib disksizegb": "boot_disk_size_gib",
        "kmskey bootdiskkmskey": "boot_disk_kms_key",
    }
)
_NODE_CONFIG: Mapping[str, tuple[str, ...]] = named(
    {
        "machinetype": ("machine_type",),
        "disktype": ("boot_disk", "type"),
        "disksizegb": ("boot_disk", "size_gib"),
        "bootdiskkmskey": ("boot_disk", "kms_key"),
        "labels nodelabels": ("node_labels",),
        "serviceaccount": ("node_service_account",),
        "taint taints nodetaints": ("taints",),
    }
)
_LABELS: Mapping[str, tuple[str, ...]] = {
    "cloudgooglecomgketpuaccelerator": ("tpu",),
    "cloudgooglecomgketputopology": ("topology",),
    "cloudgooglecomreservationname": ("capacity", "reservation"),
}
_SPOT = ("spot", "preemptible")
_TRUE, _FALSE = "true", "false"


class Arranged(dict[str, Any]):
    """The entries of a plan for a value of another tool.

    ``said`` are the texts of the value that the entries say in another form, such as ``COMPACT`` beside a topology.
    """

    def __init__(self, entries: Mapping[str, Any], said: Iterable[str] = ()) -> None:
        super().__init__(entries)
        self.said = frozenset(said)


Entries = Mapping[Any, Any]
Reader = Callable[[object, Entries], Arranged | None]
"""Reads a value, with the other entries of its mapping; None if the value has no counterpart, or several."""


def _plain_keys(value: object) -> dict[str, Any] | None:
    """A mapping by its plain keys; None for any other value, and for two spellings of one key."""
    read = {plain(str(key)): item for key, item in value.items()} if isinstance(value, dict) else {}
    return read if isinstance(value, dict) and value and len(read) == len(value) else None


def _renamed(names: Mapping[str, str], home: str = "") -> Reader:
    """Reads a mapping whose keys all have another name in a plan; the entries may be below one key."""

    def read(value: object, _: Entries) -> Arranged | None:
        given = _plain_keys(value)
        if given is None or not given.keys() <= names.keys():
            return None
        found = {names[key]: item for key, item in given.items()}
        return Arranged({home: found} if home else found) if len(found) == len(given) else None

    return read


def _reservation(value: object, siblings: Entries) -> Arranged | None:
    """The path or the URL of a reservation in the zone of the group. A bare name is a key of ``capacity`` as it is."""
    found = parse_reservation(value) if isinstance(value, str) and "/reservations/" in value else None
    if found is None or not found.project or found.zone not in ("", siblings.get("zone")):
        return None
    return Arranged({"capacity": {"reservation": found.keys}}, [str(value)])


def _affinity(value: object, siblings: Entries) -> Arranged | None:
    """A specific reservation as GKE and Compute Engine describe it."""
    read = _plain_keys(value)
    if read is None:
        return None
    kind = str(read.pop("consumereservationtype", read.pop("type", "SPECIFIC_RESERVATION")))
    key = str(read.pop("key", "compute.googleapis.com/reservation-name"))
    values = read.pop("values", read.pop("name", None))
    name = values[0] if isinstance(values, list) and len(values) == 1 else values
    is_specific = plain(kind) in ("specificreservation", "specific") and key.endswith("/reservation-name")
    if read or not isinstance(name, str) or not is_specific:
        return None
    found = _reservation(name, siblings) or ("/" not in name and Arranged({"capacity": {"reservation": name}}))
    return Arranged(found, {kind, key, *found.said}) if found else None


def _placement_policy(value: object, _: Entries) -> Arranged | None:
    """The topology of a compact placement; GKE places the hosts of every slice so."""
    read = _plain_keys(value) or {}
    topology, kind = read.pop("tputopology", None), str(read.pop("type", "COMPACT"))
    is_compact = plain(kind) == "compact" and not read
    return Arranged({"topology": topology}, [kind]) if topology is not None and is_compact else None


def _node_config(value: object, siblings: Entries) -> Arranged | None:
    """The keys of a node configuration that a node pool of a plan has too."""
    read = _plain_keys(value)
    if read is None:
        return None
    found: dict[str, Any] = {}
    said: set[str] = set()
    for key, item in read.items():
        path = _NODE_CONFIG.get(key)
        arranged = _affinity(item, siblings) if key == "reservationaffinity" else None
        if arranged is not None:
            found |= arranged
            said |= arranged.said
        elif key in _SPOT and item is True and "capacity" not in found:
            found["capacity"] = "spot"
            said.add(_TRUE)
        elif path is None:
            return None
        elif len(path) == 1:
            found[path[0]] = item
        else:
            found[path[0]] = found.get(path[0], {}) | {path[1]: item}
    return Arranged(found, said)


def _no_autopilot(value: object, siblings: Entries) -> Arranged | None:
    """The other mode of a cluster."""
    return Arranged({"mode": "standard"}, [_FALSE]) if value is False and "mode" not in siblings else None


def _new_network(value: object, _: Entries) -> Arranged | None:
    return Arranged({"network": value}) if value == "create" else None


def _mode(value: object, siblings: Entries) -> Arranged | None:
    """The mode of a capacity that has nothing else."""
    mode = OTHER_WORDS.get(plain(value), plain(value)) if isinstance(value, str) and len(siblings) == 1 else ""
    found = {plain(name): name for name in ("on_demand", "spot", "flex_start")}.get(plain(mode))
    return Arranged({found: True}, [str(value)]) if found else None


def _requests(value: object, siblings: Entries) -> Arranged | None:
    """CPU and memory of a container; requests and limits of Kubernetes, if they are equal."""
    read = _plain_keys(value) or {}
    if read.keys() <= {"requests", "limits"} and read:
        first, *others = read.values()
        return _requests(first, siblings) if all(other == first for other in others) else None
    return Arranged(read) if read and read.keys() <= {"cpu", "memory"} and not read.keys() & siblings.keys() else None


def _selector(value: object, _: Entries) -> Arranged | None:
    """The labels of TPU nodes that a Pod selects: the keys of the group that lead to these labels."""
    read = _plain_keys(value)
    if read is None or not read.keys() <= _LABELS.keys():
        return None
    paths = {_LABELS[key]: item for key, item in read.items()}
    entries = {path[0]: {path[1]: item} if path[1:] else item for path, item in paths.items()}
    label = entries.get("tpu")
    name = naming.resolve(read_catalog(), label) if isinstance(label, str) else None
    return Arranged(entries | {"tpu": name.generation}, [str(label)]) if name else Arranged(entries)


def _subnetwork(value: object, siblings: Entries) -> Arranged | None:
    """A subnetwork beside the network of a cluster, as Terraform and gcloud have them."""
    network = siblings.get("network")
    if not isinstance(value, str) or not isinstance(network, str):
        return None
    return Arranged({"network": {"network": network, "subnetwork": value}}, [network])


def _private_cluster(value: object, siblings: Entries) -> Arranged | None:
    """Private nodes, and a private endpoint unless the cluster has settings of its control plane."""
    read = _plain_keys(value)
    if read is None or not read.keys() <= {"enableprivatenodes", "enableprivateendpoint"}:
        return None
    endpoint = read.get("enableprivateendpoint", False)
    if endpoint and "control_plane" in siblings:
        return None
    found = {"private_nodes": read["enableprivatenodes"]} if "enableprivatenodes" in read else {}
    more = {"control_plane": {"private": True}} if endpoint is True else {}
    return Arranged(found | more, ["false"] if endpoint is False else [])


def _authorized(value: object, _: Entries) -> Arranged | None:
    """Authorized networks with the names that they are displayed with."""
    read = _plain_keys(value)
    blocks = read.get("cidrblocks") if read is not None and len(read) == 1 else None
    found: dict[str, Any] = {}
    for block in blocks if isinstance(blocks, list) else ():
        entry = _plain_keys(block) or {}
        if entry.keys() != {"cidrblock", "displayname"} or entry["displayname"] in found:
            return None
        found[str(entry["displayname"])] = entry["cidrblock"]
    return Arranged({"authorized_networks": found}) if found else None


def _window(value: object, _: Entries) -> Arranged | None:
    """A recurring window with the end of the first one, which a plan states as a duration."""
    read = _plain_keys(value)
    read = (read or {}) | (_plain_keys((read or {}).pop("window", {"": ""})) or {})
    read.pop("", None)
    start, end = (str(read.pop(f"{word}time", read.pop(word, ""))) for word in ("start", "end"))
    length = _length(start, end)
    if not length or not read.keys() <= {"recurrence", "days"}:
        return None
    return Arranged({"window": {"start": start, "duration": length, **read}}, [end])


def _window_end(value: object, siblings: Entries) -> Arranged | None:
    """The end of the first window beside its start."""
    starts = [item for key, item in siblings.items() if plain(str(key)) in ("start", "starttime")]
    length = _length(str(starts[0]), str(value)) if len(starts) == 1 else ""
    return Arranged({"duration": length}, [str(value)]) if length else None


def _length(start: str, end: str) -> str:
    """The duration of a window by its two ends; empty without a time zone, and for more than a day."""
    if not (has_zone(start) and has_zone(end) and as_timestamp(start) and as_timestamp(end)):
        return ""
    first: datetime.datetime = parse_timestamp(as_timestamp(start))
    length: datetime.timedelta = parse_timestamp(as_timestamp(end)) - first
    return format_duration(length) if datetime.timedelta() < length <= datetime.timedelta(days=1) else ""


def _hours(value: object, _: Entries) -> Arranged | None:
    """A number of hours."""
    return Arranged({"duration": f"{value}h"}, [str(value)]) if type(value) is int else None


def _exclusions(value: object, _: Entries) -> Arranged | None:
    """Exclusions in a list, each with its name and its options."""
    found: dict[str, Any] = {}
    for entry in value if isinstance(value, list) else [value]:
        read = _plain_keys(entry) or {}
        options = _plain_keys(read.pop("exclusionoptions", None)) or {}
        name = read.pop("exclusionname", None)
        if not isinstance(name, str) or name in found or read.keys() != {"starttime", "endtime"}:
            return None
        if options.keys() != {"scope"}:
            return None
        found[name] = {"start": read["starttime"], "end": read["endtime"], "scope": str(options["scope"]).lower()}
    return Arranged({"exclusions": found}) if found else None


def _addon(name: str) -> Reader:
    """Reads a flag that enables one add-on, in a cluster without others."""

    def read(value: object, siblings: Entries) -> Arranged | None:
        return Arranged({"addons": [name]}, [_TRUE]) if value is True and "addons" not in siblings else None

    return read


def _addons(value: object, _: Entries) -> Arranged | None:
    """The add-ons that Terraform enables, each in a block of its own."""
    read = _plain_keys(value) or {}
    blocks = [(_plain_keys(block) or {}, key.removesuffix("config")) for key, block in read.items()]
    if not blocks or any(block != {"enabled": True} for block, _ in blocks):
        return None
    return Arranged({"addons": [OTHER_ADDONS.get(name, name) for _, name in blocks]}, [_TRUE])


def _family(value: object, siblings: Entries) -> Arranged | None:
    """The machine family of a generation that has one, where the entry counts chips."""
    catalog = read_catalog()
    name = naming.resolve(catalog, value) if isinstance(value, str) else None
    if name is None or name.kind != "generation" or siblings.keys() & {"machine_type", "vms"}:
        return None
    families = [*catalog.generation(name.generation).families]
    return Arranged({"family": families[0]}, [str(value)]) if len(families) == 1 else None


def _autoscaling_flag(value: object, siblings: Entries) -> Arranged | None:
    """A flag that says what the limits beside it say."""
    limits = [key for key in ("max", "max_nodes") if key in siblings]
    return Arranged({key: siblings[key] for key in limits}, [_TRUE]) if value is True and limits else None


_AMOUNT = {"tpu generation tputype": _family}
ARRANGED: Mapping[str, Mapping[str, Reader]] = of_models(
    {
        "Cluster": {
            "subnetwork subnet": _subnetwork,
            "privateclusterconfig": _private_cluster,
            "vpc": _new_network,
            "autopilot enableautopilot": _no_autopilot,
            "addonsconfig": _addons,
            "enablegcsfusecsidriver": _addon("gcs_fuse"),
            "enablegcpfilestorecsidriver": _addon("filestore"),
            "enableparallelstorecsidriver": _addon("parallelstore"),
            "enablelustrecsidriver": _addon("lustre"),
        },
        "Capacity": {"type mode model provisioningmodel capacitytype": _mode},
        "Workload": {"requests resources": _requests},
        "ControlPlane": {"masterauthorizednetworksconfig authorizednetworksconfig": _authorized},
        "Window": {"end endtime": _window_end, "hours": _hours},
        "Maintenance": {"recurringwindow": _window, "maintenanceexclusion maintenanceexclusions": _exclusions},
        "SliceGroup": {
            "placementpolicy": _placement_policy,
            "reservation": _reservation,
            "reservationaffinity": _affinity,
            "nodeconfig": _node_config,
            "nodeselector": _selector,
            "autoscaling": _renamed(_SLICES, "count"),
            "enableautoscaling": _autoscaling_flag,
        },
        "OwnedReservation": _AMOUNT,
        "OwnedQuota": _AMOUNT,
        "CpuPool": {
            "autoscaling": _renamed(_LIMITS),
            "enableautoscaling": _autoscaling_flag,
            "nodeconfig": _node_config,
        },
        "SystemPool": {
            "autoscaling": _renamed(_LIMITS),
            "bootdisk": _renamed(_BOOT_DISK),
            "enableautoscaling": _autoscaling_flag,
        },
    }
)
"""Name of the model -> key of another tool -> what reads its value."""
