"""Values of gcloud, Terraform and Cluster Toolkit that are arranged in another way than in a plan."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from pulumi_gke_tpu.core.plan.reading.spellings.words import plain

_RESERVATION = re.compile(
    r"(?:https://[a-z0-9.-]+/compute/[a-z0-9]+/)?projects/(?P<project>[^/]+)/(?:zones/[^/]+/)?reservations/(?P<name>[^/]+)"
    r"(?:/reservationBlocks/(?P<block>[^/]+)(?:/reservationSubBlocks/(?P<sub_block>[^/]+))?)?\Z"
)
_LIMITS = {
    **dict.fromkeys(("min", "minnodes", "minnodecount", "totalminnodes", "totalminnodecount"), "min_nodes"),
    **dict.fromkeys(("max", "maxnodes", "maxnodecount", "totalmaxnodes", "totalmaxnodecount"), "max_nodes"),
}
_BOOT_DISK = {
    **dict.fromkeys(("type", "disktype"), "boot_disk_type"),
    **dict.fromkeys(("size", "sizegb", "sizegib", "disksizegb"), "boot_disk_size_gib"),
    **dict.fromkeys(("kmskey", "bootdiskkmskey"), "boot_disk_kms_key"),
}

Entries = Mapping[str, Any]


def _renamed(names: Mapping[str, str]) -> Callable[[object], Entries | None]:
    """Reads a mapping whose keys all have another name in a plan."""

    def read(value: object) -> Entries | None:
        if not isinstance(value, dict) or not value or not all(plain(str(key)) in names for key in value):
            return None
        found = {names[plain(str(key))]: item for key, item in value.items()}
        return found if len(found) == len(value) else None

    return read


def _reservation(value: object) -> Entries | None:
    """The path or the URL of a reservation. A bare name is a key of ``capacity`` as it is."""
    match = _RESERVATION.match(value) if isinstance(value, str) else None
    if match is None:
        return None
    return {"capacity": {"reservation": {name: part for name, part in match.groupdict().items() if part}}}


def _affinity(value: object) -> Entries | None:
    """A specific reservation as GKE and Compute Engine describe it."""
    if not isinstance(value, dict):
        return None
    read = {plain(str(key)): item for key, item in value.items()}
    kind = read.pop("consumereservationtype", read.pop("type", "SPECIFIC_RESERVATION"))
    read.pop("key", None)
    values = read.pop("values", read.pop("name", None))
    name = values[0] if isinstance(values, list) and len(values) == 1 else values
    if read or not isinstance(name, str) or plain(str(kind)) not in ("specificreservation", "specific"):
        return None
    return _reservation(name) or {"capacity": {"reservation": name}}


def _placement_policy(value: object) -> Entries | None:
    """The topology of a compact placement; GKE places the hosts of every slice so."""
    if not isinstance(value, dict):
        return None
    read = {plain(str(key)): item for key, item in value.items()}
    topology = read.pop("tputopology", None)
    compact = plain(str(read.pop("type", "compact"))) == "compact"
    return {"topology": topology} if topology is not None and compact and not read else None


ARRANGED: Mapping[str, Mapping[str, Callable[[object], Entries | None]]] = {
    "SliceGroup": {
        "placementpolicy": _placement_policy,
        "reservation": _reservation,
        "reservationaffinity": _affinity,
    },
    "CpuPool": {"autoscaling": _renamed(_LIMITS)},
    "SystemPool": {"autoscaling": _renamed(_LIMITS), "bootdisk": _renamed(_BOOT_DISK)},
}
"""Name of the model -> key of another tool -> the entries of the plan for its value; None for any other value."""
