"""Names of plan keys and values in other tools: gcloud, Terraform, XPK, Cluster Toolkit, SkyPilot, Kubernetes.

Names are compared without capitals, hyphens and underscores: ``--tpu-topology`` and ``tpuTopology`` are one name.
"""

import re
from collections.abc import Callable, Mapping

from pulumi_gke_tpu.formats.location import is_zone

_ODD = re.compile(r"[^a-z0-9]+")

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
"""Key that people look for in a cluster or a slice group -> key at the top level of the plan, and what to write."""

_ELSEWHERE = {word: reason for word, (_, reason) in TOP_LEVEL.items()}


def _is_zone(value: object) -> bool:
    return isinstance(value, str) and is_zone(value)


def _are_cpu_pools(value: object) -> bool:
    """Whether entries describe node pools without TPUs: each has a machine type and no generation or topology."""
    pools = list(value.values()) if isinstance(value, dict) else []
    return bool(pools) and all(
        isinstance(pool, dict) and "machine_type" in pool and not {"tpu", "topology"} & pool.keys() for pool in pools
    )


OTHER_KEYS: Mapping[str, Mapping[str, str]] = {
    "Plan": {
        **dict.fromkeys(("projectid", "gcpproject", "projectname"), "project"),
        "labels": "resource_labels",
        "acknowledgements": "acknowledge",
        "acks": "acknowledge",
        "acceptances": "accept",
        "ignore": "accept",
        "renames": "moved",
        "renamed": "moved",
    },
    "Cluster": {
        "type": "mode",
        "region": "location",
        "zone": "location",
        "channel": "release_channel",
        **dict.fromkeys(
            ("clusterversion", "kubernetesversion", "masterversion", "minmasterversion", "version", "gkeversion"),
            "min_version",
        ),
        "labels": "resource_labels",
        **dict.fromkeys(("nodepools", "slicegroups", "groups", "pools", "tpus"), "slices"),
        "cpunodepools": "cpu_pools",
        "enableprivatenodes": "private_nodes",
        "serviceaccount": "node_service_account",
        "databaseencryptionkey": "kms_key",
        "fleetproject": "fleet",
        "notificationtopic": "notifications",
        "clusterautoscaling": "autoprovisioning",
        "nodeautoprovisioning": "autoprovisioning",
        "maintenancepolicy": "maintenance",
        "displayname": "name",
        "clustername": "name",
        **dict.fromkeys(("defaultpool", "defaultnodepool", "systemnodepool"), "system_pool"),
    },
    "SliceGroup": {
        "serviceaccount": "node_service_account",
        "tputype": "tpu",
        "type": "tpu",
        "generation": "tpu",
        "accelerator": "tpu",
        "acceleratortype": "tpu",
        "accelerators": "tpu",
        "tpuaccelerator": "tpu",
        "tpugeneration": "tpu",
        "tputopology": "topology",
        "acceleratortopology": "topology",
        "shape": "topology",
        "numslices": "count",
        "slices": "count",
        "slicecount": "count",
        "replicas": "count",
        "numchips": "chips",
        "chipcount": "chips",
        "tpuchips": "chips",
        "chipsperworker": "chips_per_host",
        "chipsperpod": "chips_per_host",
        "instancetype": "machine_type",
        "machine": "machine_type",
        "minslices": "min",
        "maxslices": "max",
        "location": "zone",
        "nodelocations": "zone",
        "availabilityzone": "zone",
        "az": "zone",
        "labels": "node_labels",
        "nodetaints": "taints",
        "disk": "boot_disk",
        "provisioningmodel": "capacity",
        "capacitytype": "capacity",
        "maxpods": "max_pods_per_node",
        "deletionprotection": "protect",
        "upgradesettings": "upgrade",
        "placementpolicy": "placement",
        "poolname": "name",
        "nodepoolname": "name",
        "displayname": "name",
    },
    "BootDisk": {
        "disktype": "type",
        "disksize": "size_gib",
        "disksizegb": "size_gib",
        "sizegb": "size_gib",
        "size": "size_gib",
        "provisionediops": "iops",
        "throughput": "throughput_mbps",
        "provisionedthroughput": "throughput_mbps",
    },
    "SystemPool": {
        "min": "min_nodes",
        "max": "max_nodes",
        "minnodecount": "min_nodes",
        "maxnodecount": "max_nodes",
        "totalminnodes": "min_nodes",
        "totalmaxnodes": "max_nodes",
        "nodelocations": "zones",
        "labels": "node_labels",
        "disktype": "boot_disk_type",
        "disksize": "boot_disk_size_gib",
        "disksizegb": "boot_disk_size_gib",
        "instancetype": "machine_type",
    },
    "CpuPool": {
        "count": "nodes",
        "numnodes": "nodes",
        "nodecount": "nodes",
        "size": "nodes",
        "min": "min_nodes",
        "max": "max_nodes",
        "minnodecount": "min_nodes",
        "maxnodecount": "max_nodes",
        "totalminnodes": "min_nodes",
        "totalmaxnodes": "max_nodes",
        "nodelocations": "zones",
        "locations": "zones",
        "labels": "node_labels",
        "preemptible": "spot",
        "serviceaccount": "node_service_account",
        "instancetype": "machine_type",
    },
    "Autoprovisioning": {
        "maxcpu": "cpu",
        "cpus": "cpu",
        "vcpus": "cpu",
        "maxmemory": "memory_gib",
        "memory": "memory_gib",
        "memorygb": "memory_gib",
        "nodelocations": "zones",
        "locations": "zones",
        "serviceaccount": "node_service_account",
    },
    "Placement": {"policyname": "workload_policy", "policy": "workload_policy", "name": "workload_policy"},
    "Workload": {
        "replicas": "count",
        "numslices": "count",
        "slicecount": "count",
        "slicegroup": "slices",
        "type": "kind",
        "containerimage": "image",
        "environment": "env",
        "queuename": "queue",
        "localqueue": "queue",
        "priorityclass": "priority",
        "priorityclassname": "priority",
        "maxretries": "max_restarts",
        "backofflimit": "max_restarts",
        "terminationgraceperiodseconds": "grace_period",
        "terminationgraceperiod": "grace_period",
        "serviceaccountname": "service_account",
    },
    "WorkloadPolicy": {"acceleratortopology": "topology", "acceleratortopologymode": "topology_mode"},
    "InterfaceNetwork": {"cidr": "subnet", "range": "subnet", "ipcidrrange": "subnet"},
    "Reservation": {"reservation": "name", "subblock": "sub_block"},
    "FlexStart": {"maxrun": "max_run_duration", "duration": "max_run_duration"},
    "ExistingNetwork": {
        "subnet": "subnetwork",
        "vpc": "network",
        "podrange": "pods_range",
        "servicerange": "services_range",
    },
    "CreateNetwork": {
        "cidr": "subnet",
        "ipcidrrange": "subnet",
        "subnetcidr": "subnet",
        "subnetrange": "subnet",
        "podcidr": "pods",
        "podrange": "pods",
        "servicecidr": "services",
        "servicerange": "services",
        "enablenat": "nat",
        "cloudnat": "nat",
    },
    "AdditionalNetwork": {"subnet": "subnetwork", "vpc": "network"},
    "ControlPlane": {
        "masterauthorizednetworks": "authorized_networks",
        "enableprivateendpoint": "private",
        "privateendpoint": "private",
        "enablednsendpoint": "dns_endpoint",
    },
    "Window": {"starttime": "start", "length": "duration", "day": "days", "rrule": "recurrence"},
    "Exclusion": {
        "starttime": "start",
        "endtime": "end",
        "from": "start",
        "until": "end",
        "to": "end",
        "type": "scope",
    },
    "Acknowledgement": {
        **dict.fromkeys(("group", "slicegroup", "cluster", "target"), "of"),
        "item": "of",
        "resource": "of",
        "because": "reason",
        "expires": "until",
        "action": "change",
    },
    "Acceptance": {
        **dict.fromkeys(("group", "slicegroup", "cluster", "target"), "of"),
        "id": "rule",
        "item": "of",
        "resource": "of",
        "because": "reason",
        "expires": "until",
    },
    "Move": {"source": "from", "target": "to", "old": "from", "new": "to"},
    "OwnedReservation": {
        "reservation": "name",
        "instances": "vms",
        "count": "vms",
        "vmcount": "vms",
        "hosts": "vms",
        "machine": "machine_type",
        "type": "machine_type",
        "instancetype": "machine_type",
        "location": "zone",
        "projectid": "project",
        "workloadtype": "workload",
        "sharedprojects": "shared_with",
        "projects": "shared_with",
    },
    "OwnedQuota": {
        "quota": "metric",
        "name": "metric",
        "metricname": "metric",
        "location": "region",
        "zone": "region",
        "value": "limit",
        "chips": "limit",
        "tpufamily": "family",
        "projectid": "project",
    },
    "Inventory": {
        "date": "as_of",
        "updated": "as_of",
        "versions": "gke_versions",
        "quota": "quotas",
        "limits": "quotas",
    },
    "Organization": {
        **dict.fromkeys(("rules", "policies", "limits"), "standards"),
        **dict.fromkeys(("exceptions", "waivers", "exempt"), "exemptions"),
        **dict.fromkeys(("team", "contact"), "owner"),
    },
    "Standard": {
        **dict.fromkeys(("tpu", "tpus", "tpugenerations", "allowedgenerations"), "generations"),
        **dict.fromkeys(("locations", "allowedzones"), "zones"),
        **dict.fromkeys(("clustermodes", "allowedmodes"), "modes"),
        **dict.fromkeys(("capacity", "capacitymodes", "allowedcapacities"), "capacities"),
        **dict.fromkeys(("limit", "limits", "maximum", "most"), "max"),
        **dict.fromkeys(("requiredlabels", "resourcelabels"), "labels"),
        **dict.fromkeys(("exclusions", "maintenanceexclusion", "requireexclusion"), "exclusion"),
        **dict.fromkeys(("patterns", "naming"), "names"),
        **dict.fromkeys(("team", "contact"), "owner"),
        **dict.fromkeys(("text", "description"), "message"),
        "level": "severity",
    },
    "Most": {
        **dict.fromkeys(("nodes", "vms"), "hosts"),
        **dict.fromkeys(("cost", "usd", "costperhour"), "usd_per_hour"),
        **dict.fromkeys(("scope", "of"), "per"),
    },
    "Names": {"slices": "groups", "slicegroups": "groups"},
    "Exemption": {
        **dict.fromkeys(("group", "slicegroup", "cluster", "target", "item", "resource"), "of"),
        **dict.fromkeys(("rule", "name", "from"), "standard"),
        **dict.fromkeys(("expires", "end", "expiry", "to"), "until"),
        "because": "reason",
        "projectid": "project",
    },
}
"""Name of the model -> name in another tool -> key of the plan."""

TRUE_KEYS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "Cluster": {
        **dict.fromkeys(("autopilot", "enableautopilot"), ("mode", "autopilot")),
        **dict.fromkeys(("createnetwork", "createvpc"), ("network", "create")),
    },
    "SliceGroup": dict.fromkeys(("dra", "dynamicresourceallocation"), ("driver_mode", "dynamic_resource_allocation")),
}
"""Name of the model -> boolean key of another tool -> key and value of the plan."""

INNER_KEYS: Mapping[str, Mapping[str, str]] = {
    "SliceGroup": dict.fromkeys(
        ("maxduration", "maxruntime", "runduration", "maxrunduration"), "capacity.flex_start.max_run_duration"
    ),
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
            ("minnodes", "maxnodes", "minnodecount", "maxnodecount", "totalminnodes", "totalmaxnodes", "autoscaling"),
            "the topology determines the number of hosts; min and max are numbers of slices",
        ),
        **dict.fromkeys(("region",), "a slice group is in the region of its cluster; zone selects the zone in it"),
        **dict.fromkeys(("gpu", "gputype"), "gke-tpu plans TPU slices only"),
        **dict.fromkeys(
            ("cores", "numcores", "tensorcores"),
            "the topology determines the number of chips; `chips` counts chips, not TensorCores",
        ),
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
        **dict.fromkeys(
            ("privatecluster", "privateclusterconfig"),
            "`private_nodes` decides about addresses of nodes, `control_plane: {private: true}` about the endpoint",
        ),
    },
    "SystemPool": dict.fromkeys(
        ("nodes", "count", "nodecount", "numnodes", "initialnodecount", "size"),
        "the system pool is autoscaled: set min_nodes and max_nodes, the same number for a fixed size",
    ),
    "Autoprovisioning": {
        "enabled": "the mapping itself enables node auto-provisioning; remove the key",
        "resourcelimits": "cpu, memory_gib and tpu are the limits",
    },
}
"""Name of the model -> key of another tool without a counterpart -> the reason."""

KEYS_BY_VALUE: Mapping[str, Mapping[str, tuple[Callable[[object], bool], str]]] = {
    "Cluster": dict.fromkeys(("nodepools", "pools", "groups"), (_are_cpu_pools, "cpu_pools")),
    "SliceGroup": {"region": (_is_zone, "zone")},
}
"""Name of the model -> key of another tool -> condition on its value, and key of the plan if that holds."""

OTHER_WORDS: Mapping[str, str] = {
    "preemptible": "spot",
    "usespot": "spot",
    "spotvm": "spot",
    "spotvms": "spot",
    "ondemand": "on_demand",
    "standard": "on_demand",
    "flex": "flex_start",
    "dws": "flex_start",
    "dwsflex": "flex_start",
    "queuedprovisioning": "queued",
    "reserved": "reservation",
    "specificreservation": "reservation",
}
"""Name in another tool -> value or boolean key of ``capacity``."""


OTHER_CHOICES: Mapping[str, str] = {
    "lws": "leaderworkerset",
    "ray": "raycluster",
    "dra": "dynamic_resource_allocation",
}
"""Short name -> value of a key with fixed values."""

WORDS_FOR_LISTS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("weekend", "weekends"), ("SAT", "SUN")),
    **dict.fromkeys(("weekday", "weekdays", "workdays"), ("MON", "TUE", "WED", "THU", "FRI")),
}
"""Word for several days of the week -> the days."""


def plain(word: str) -> str:
    """A name without capitals, hyphens and underscores."""
    return _ODD.sub("", word.lower())
