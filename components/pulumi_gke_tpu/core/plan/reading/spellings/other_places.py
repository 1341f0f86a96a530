"""Keys of other tools that mean a value, a key at another level, or nothing that a plan has."""

from collections.abc import Callable, Mapping

from pulumi_gke_tpu.core.plan.capacity import AFFINITIES
from pulumi_gke_tpu.core.plan.reading.spellings.words import FLAGS, plain
from pulumi_gke_tpu.core.text.formats.names import is_zone

_RENAME = (
    "to rename a cluster or a slice group, give it its new key and set `moved` at the top level of the plan: "
    "`moved: [{from: CLUSTER/OLD, to: CLUSTER/NEW}]`"
)
_DISRUPT = (
    "to allow a replacement or a deletion, set `acknowledge` at the top level of the plan: "
    "`acknowledge: [{change: replace, of: CLUSTER/GROUP, until: DATE, reason: TEXT}]`"
)
TOP_LEVEL: Mapping[str, tuple[str, str]] = {
    **dict.fromkeys(
        ("rename", "renamefrom", "renamed", "renamedfrom", "movedfrom", "aliases", "formername", "oldname"),
        ("moved", _RENAME),
    ),
    **dict.fromkeys(
        ("allowreplacement", "allowreplace", "replace", "allowdeletion", "allowdelete", "allowdestroy", "forcereplace"),
        ("acknowledge", _DISRUPT),
    ),
}
"""Key that users write in a cluster or a slice group -> key at the top level of the plan, and what to write."""

INSTALLED = ("Operator", "KubeRay", "Kueue")
"""Models without a required key, for which true means all defaults."""

_EXISTING_NETWORK = (
    "an existing network requires its name and that of its subnetwork: `network: {network: NAME, subnetwork: NAME}`"
)

_TAGS = (
    "gke-tpu has no key for network tags; `extra: {nodeConfig: {tags: [...]}}` of a slice group sets those of its "
    "nodes, and `resource_labels` of a cluster the labels of its resources in Google Cloud"
)

_ELSEWHERE = {word: reason for word, (_, reason) in TOP_LEVEL.items()}


def _is_zone(value: object) -> bool:
    return isinstance(value, str) and is_zone(value)


def _are_cpu_pools(value: object) -> bool:
    """Whether entries describe node pools without TPUs: each has a machine type and no generation or topology."""
    pools = list(value.values()) if isinstance(value, dict) else []
    return bool(pools) and all(
        isinstance(pool, dict) and "machine_type" in pool and not {"tpu", "topology"} & pool.keys() for pool in pools
    )


TRUE_KEYS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "Cluster": {
        **dict.fromkeys(("autopilot", "enableautopilot"), ("mode", "autopilot")),
        **dict.fromkeys(("createnetwork", "createvpc"), ("network", "create")),
    },
    "SliceGroup": dict.fromkeys(("dra", "dynamicresourceallocation"), ("driver_mode", "dynamic_resource_allocation")),
}
"""Name of the model -> boolean key of another tool -> key and value of the plan."""

_BOOT_DISK = {
    **dict.fromkeys(("disktype", "bootdisktype"), "boot_disk.type"),
    **dict.fromkeys(
        ("disksize", "disksizegb", "disksizegib", "bootdisksize", "bootdisksizegb", "bootdisksizegib"),
        "boot_disk.size_gib",
    ),
    "bootdiskkmskey": "boot_disk.kms_key",
}
INNER_KEYS: Mapping[str, Mapping[str, str]] = {
    "SliceGroup": {
        **_BOOT_DISK,
        **dict.fromkeys(
            ("maxduration", "maxruntime", "runduration", "maxrunduration"), "capacity.flex_start.max_run_duration"
        ),
        **dict.fromkeys(("reservationname", "cloudgooglecomreservationname"), "capacity.reservation"),
        **{word: f"capacity.{mode}" for word, mode in FLAGS.items()},
    },
    "CpuPool": _BOOT_DISK,
    "Cluster": {
        "maintenancewindow": "maintenance.window",
        "maintenanceexclusions": "maintenance.exclusions",
        "masterauthorizednetworks": "control_plane.authorized_networks",
        "defaultpoolcpumachinetype": "system_pool.machine_type",
    },
}
"""Name of the model -> name in another tool -> path of the key below the model."""

NO_KEYS: Mapping[str, Mapping[str, str]] = {
    "SliceGroup": {
        **_ELSEWHERE,
        **dict.fromkeys(
            ("numnodes", "nodecount", "numhosts", "hosts", "nodes", "initialnodecount", "vms"),
            "the topology determines the number of hosts; count is the number of slices",
        ),
        **dict.fromkeys(
            (
                *("minnodes", "maxnodes", "minnodecount", "maxnodecount", "totalminnodes", "totalmaxnodes"),
                *("autoscaling", "autoscale", "autoscaler", "hpa", "horizontalpodautoscaler"),
                *(f"{word}{limit}" for word in ("autoscaling", "autoscale") for limit in ("min", "max", "minnodes")),
                *("autoscalingmaxnodes", "autoscalemaxnodes"),
            ),
            "the topology determines the number of hosts; min and max are numbers of slices",
        ),
        **dict.fromkeys(
            ("resources", "limits", "requests"),
            "resources are those of Pods: a workload gets the chips of its hosts without a key",
        ),
        **dict.fromkeys(("tags", "networktags"), _TAGS),
        **dict.fromkeys(("region",), "a slice group is in the region of its cluster; zone selects the zone in it"),
        **dict.fromkeys(("gpu", "gputype"), "gke-tpu plans TPU slices only"),
        **dict.fromkeys(
            ("cores", "numcores", "tensorcores", "acceleratorcount", "tpucount", "guestaccelerators"),
            "the topology determines the number of chips; `chips` counts the chips of a slice, not those of a host, "
            "and not TensorCores",
        ),
        **dict.fromkeys(
            ("budget", "budgets", "chipbudget"),
            "a slice group draws from every budget of its `capacity`; `budgets` at the top level names the reservation",
        ),
        "placementpolicy": "GKE places the hosts of a slice compactly; `topology` is the topology of the slice, and "
        "`placement: {workload_policy: NAME}` uses a workload policy that exists",
        **dict.fromkeys(
            ("reservationaffinity", "consumereservationtype"),
            "`capacity: {reservation: NAME}` uses a reservation by its name",
        ),
        **dict.fromkeys(
            ("computeclass", "computeclassname"),
            "gke-tpu writes a ComputeClass for a group with `fallback`: capacity modes to try after `capacity`",
        ),
        **dict.fromkeys(("image", "imagetype"), "TPU nodes run Container-Optimized OS"),
        **dict.fromkeys(
            ("runtimeversion", "softwareversion"),
            "a runtime version belongs to TPU VMs; on GKE, a Pod brings its own software",
        ),
    },
    "Cluster": {
        **_ELSEWHERE,
        **dict.fromkeys(
            ("nodecount", "numnodes", "initialnodecount"),
            "system_pool has min_nodes and max_nodes; the slices determine the number of TPU hosts",
        ),
        **dict.fromkeys(("project", "projectid"), "a plan has one project, set at the top level"),
        **dict.fromkeys(("subnet", "subnetwork", "vpc"), _EXISTING_NETWORK),
        **dict.fromkeys(("tags", "networktags"), _TAGS),
        **dict.fromkeys(
            ("private", "privatecluster", "privateclusterconfig"),
            "`private_nodes` decides about addresses of nodes, `control_plane: {private: true}` about the endpoint",
        ),
    },
    "Network": dict.fromkeys(("name", "id"), _EXISTING_NETWORK),
    "Capacity": dict.fromkeys(
        ("calendar", "dwscalendar", "calendarmode", "futurereservation"),
        "calendar mode reserves capacity: write `reservation: NAME`; its dates are `from` and `until` of the inventory",
    ),
    "SystemPool": dict.fromkeys(
        ("nodes", "count", "nodecount", "numnodes", "initialnodecount", "size"),
        "the system pool is autoscaled: set min_nodes and max_nodes, the same number for a fixed size",
    ),
    **dict.fromkeys(
        ("OwnedReservation", "OwnedQuota"),
        dict.fromkeys(
            ("tpu", "generation", "tputype"), "`family` is the machine family of the chips, such as ct6e for v6e"
        ),
    ),
    **{name: {"enabled": "the key itself installs the operator: write `{}`, or remove it"} for name in INSTALLED},
    "Autoprovisioning": {
        "enabled": "the mapping itself enables node auto-provisioning; remove the key",
        "resourcelimits": "cpu, memory_gib and tpu are the limits",
    },
}
"""Name of the model -> key of another tool without a counterpart -> the reason."""

NO_VALUES: Mapping[str, Mapping[str, str]] = {
    "Placement": dict.fromkeys(
        ("compact", "collocated", "true", "tputopology"),
        "GKE places the hosts of a slice compactly without this key; it names a workload policy that exists",
    ),
    "Autoscale": {
        "0": "the autoscaler reads the metric of a running server, so one slice stays. `count: {min: 0, ...}` of the "
        "slice group lets GKE remove hosts that no Pod needs",
    },
    "Reservation": dict.fromkeys(
        map(plain, AFFINITIES),
        "hosts use a reservation only by its name; without `reservation`, they use none. If this is the name of your "
        "reservation, write `reservation: {name: NAME}`",
    ),
}
"""Name of the model -> value that stands for nothing in it -> the reason."""

KEYS_BY_VALUE: Mapping[str, Mapping[str, tuple[Callable[[object], bool], str]]] = {
    "Cluster": dict.fromkeys(("nodepools", "pools", "groups"), (_are_cpu_pools, "cpu_pools")),
    "SliceGroup": {"region": (_is_zone, "zone")},
}
"""Name of the model -> key of another tool -> condition on its value, and key of the plan if that holds."""
