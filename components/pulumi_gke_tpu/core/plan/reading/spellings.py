"""Names of plan keys and values in other tools: gcloud, Terraform, XPK, Cluster Toolkit, SkyPilot, Kubernetes.

Names are compared without capitals, hyphens and underscores: ``--tpu-topology`` and ``tpuTopology`` are one name.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from pulumi_gke_tpu.core.plan.capacity import AFFINITIES
from pulumi_gke_tpu.core.text.formats.names import is_zone
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_TO = lazy_pattern(r"(?<!\s)\s*(?:-|\.\.+|\u2013|\bto\b)\s*")
_RELEASE = lazy_pattern(r"[vV]?(\d{1,3})(?:\.0)*\Z")
_ODD = lazy_pattern(r"[^a-z0-9]+")
_Meaning = TypeVar("_Meaning")


def plain(word: str) -> str:
    """A name without capitals, hyphens and underscores."""
    return _ODD.sub("", word.lower())


def named(meanings: Mapping[str, _Meaning]) -> dict[str, _Meaning]:
    """Each name with its meaning, from all names of each meaning with spaces between them."""
    return {name: meaning for names, meaning in meanings.items() for name in names.split()}


def of_models(meanings: Mapping[str, Mapping[str, _Meaning]]) -> Mapping[str, Mapping[str, _Meaning]]:
    """The same for the names of each model of a plan."""
    return {model: named(names) for model, names in meanings.items()}


FLAGS = named(
    {
        "preemptible interruptible usespot spotvm spotvms cloudgooglecomgkespot": "spot",
        "ondemand": "on_demand",
        "flex dwsflex cloudgooglecomgkeflexstart": "flex_start",
        "queuedprovisioning": "queued",
    }
)
"""Key of another tool that is true or false -> capacity mode."""

SEVERAL_MODES: Mapping[str, Mapping[str, str]] = {
    "dws": {
        "flex_start": "flex-start, whose nodes come while Pods wait",
        "queued": "flex-start with queued provisioning, whose nodes come when a ProvisioningRequest has all of them",
    },
}
"""Name in another tool of several capacity modes -> each of them, and what it leads to."""

OTHER_WORDS = FLAGS | named({"standard": "on_demand", "reserved specificreservation": "reservation"})
"""Name in another tool -> value or boolean key of ``capacity``."""

OTHER_CHOICES: Mapping[str, str] = {
    "channelstandard": "standard",
    "channeldisabled": "disabled",
    "lws": "leaderworkerset",
    "ray": "raycluster",
    "dra": "dynamic_resource_allocation",
    "nonodeupgrades": "no_minor_or_node_upgrades",
}
"""Short name -> value of a key with fixed values."""

ONLY_VALUES: Mapping[str, tuple[tuple[re.Pattern[str], str], ...]] = {
    "BootDisk": (
        (lazy_pattern(r"(?:pd|hyperdisk)-[a-z-]+"), "type"),
        (lazy_pattern(r"[0-9]+\s*[A-Za-z]*"), "size_gib"),
    ),
    "Probe": ((lazy_pattern(r"/\S*"), "http_path"), (lazy_pattern(r"[0-9]+"), "port")),
}
"""Name of the model -> the form of a value that stands for the whole mapping, and the key for it."""

WRITTEN_AS: Mapping[str, str] = {
    "NO_SCHEDULE": "NoSchedule",
    "PREFER_NO_SCHEDULE": "PreferNoSchedule",
    "NO_EXECUTE": "NoExecute",
}
"""Value of a key that has two spellings -> the one that gke-tpu writes."""

WORDS_FOR_LISTS = named(
    {"weekend weekends": ("SAT", "SUN"), "weekday weekdays workdays": ("MON", "TUE", "WED", "THU", "FRI")}
)
"""Word for several days of the week -> the days."""

COUNTED: Mapping[str, tuple[str, ...]] = {
    "chip": ("chips", "limit"),
    "slice": ("count", "min", "max", "slices"),
    "node": ("nodes", "surge", "unavailable"),
    "host": ("hosts", "nodes", "vms", "surge", "unavailable"),
    "vm": ("vms", "hosts", "nodes"),
    "pod": ("pods",),
}
"""What a number counts -> words in the names of keys that count it: ``count: 16 chips`` is not 16 slices."""

OTHER_KEYS = of_models(
    {
        "Plan": {
            "projectid gcpproject projectname": "project",
            "labels": "resource_labels",
            "acknowledgements acks": "acknowledge",
            "acceptances ignore": "accept",
            "renames renamed": "moved",
        },
        "Cluster": {
            "type": "mode",
            "region zone": "location",
            "channel": "release_channel",
            "clusterversion kubernetesversion masterversion minmasterversion version gkeversion": "min_version",
            "nodepools slicegroups groups pools tpus": "slices",
            "cpunodepools": "cpu_pools",
            "enableprivatenodes": "private_nodes",
            "serviceaccount": "node_service_account",
            "databaseencryptionkey": "kms_key",
            "fleetproject": "fleet",
            "notificationtopic": "notifications",
            "clusterautoscaling nodeautoprovisioning": "autoprovisioning",
            "maintenancepolicy": "maintenance",
            "k8s kube": "kubernetes",
            "managedmldiagnostics": "ml_diagnostics",
            "displayname clustername": "name",
            "gateway gatewayapiconfig": "gateway_api",
            "defaultpool defaultnodepool systemnodepool": "system_pool",
        },
        "SliceGroup": {
            "serviceaccount": "node_service_account",
            "tputype cloudgooglecomgketpuaccelerator devicetype type generation accelerator acceleratortype "
            "accelerators tpuaccelerator tpugeneration tpuversion tpumodel chiptype": "tpu",
            "tputopology cloudgooglecomgketputopology acceleratortopology shape": "topology",
            "numslices slices slicecount numberofslices replicas quantity": "count",
            "numchips chipcount tpuchips": "chips",
            "chipsperworker chipsperpod googlecomtpu": "chips_per_host",
            "instancetype machine": "machine_type",
            "minslices": "min",
            "maxslices": "max",
            "location nodelocations zonename availabilityzone az": "zone",
            "nodetaints": "taints",
            "kuberneteslabels k8slabels": "node_labels",
            "billinglabels costlabels gcplabels cloudlabels": "resource_labels",
            "disk": "boot_disk",
            "provisioningmodel capacitytype": "capacity",
            "maxpods": "max_pods_per_node",
            "deletionprotection": "protect",
            "upgradesettings": "upgrade",
            "gcfs gcfsconfig enablegcfs enableimagestreaming": "image_streaming",
            "poolname nodepoolname displayname": "name",
        },
        "BootDisk": {
            "bootdiskkmskey encryptionkey": "kms_key",
            "disktype": "type",
            "disksize disksizegb sizegb size": "size_gib",
            "provisionediops": "iops",
            "throughput provisionedthroughput": "throughput_mbps",
        },
        "SystemPool": {
            "min minnodecount totalminnodes": "min_nodes",
            "max maxnodecount totalmaxnodes": "max_nodes",
            "nodelocations": "zones",
            "labels": "node_labels",
            "disktype": "boot_disk_type",
            "disksize disksizegb": "boot_disk_size_gib",
            "instancetype": "machine_type",
            "gcfs gcfsconfig enablegcfs enableimagestreaming": "image_streaming",
        },
        "CpuPool": {
            "gcfs gcfsconfig enablegcfs enableimagestreaming": "image_streaming",
            "count initialnodecount numnodes nodecount size": "nodes",
            "min minnodecount totalminnodes": "min_nodes",
            "max maxnodecount totalmaxnodes": "max_nodes",
            "nodelocations locations": "zones",
            "labels": "node_labels",
            "preemptible": "spot",
            "serviceaccount": "node_service_account",
            "instancetype": "machine_type",
        },
        "Autoprovisioning": {
            "maxcpu cpus vcpus": "cpu",
            "maxmemory memory memorygb": "memory_gib",
            "nodelocations locations": "zones",
            "serviceaccount": "node_service_account",
        },
        "Placement": {"policyname policy name": "workload_policy"},
        "Workload": {
            "replicas numslices slicecount": "count",
            "group groups slicegroup slicegroups nodegroup nodepool nodepoolname pool": "slices",
            "type workloadtype jobtype": "kind",
            "containerimage dockerimage": "image",
            "entrypoint": "command",
            "hpa horizontalpodautoscaler autoscaling": "autoscale",
            "containerport": "port",
            "environment envvars environmentvariables": "env",
            "queuename localqueue": "queue",
            "priorityclass priorityclassname": "priority",
            "maxretries retries backofflimit restarts": "max_restarts",
            "imagepullsecrets imagepullsecret": "pull_secrets",
            "activedeadlineseconds": "deadline",
            "ttlsecondsafterfinished": "ttl",
            "restartonexitcodes": "exit_codes",
            "terminationgraceperiodseconds terminationgraceperiod": "grace_period",
            "serviceaccountname": "service_account",
            "ns": "namespace",
        },
        "Kubernetes": {"jobs jobsets deployments": "workloads"},
        "Queue": {"quota quotas nominalquota limits tpus budget budgets": "chips", "ns": "namespace"},
        "Maintenance": {"recurringwindow": "window"},
        "WorkloadPolicy": {"acceleratortopology": "topology", "acceleratortopologymode": "topology_mode"},
        "InterfaceNetwork": {"cidr range ipcidrrange": "subnet"},
        "Reservation": {"reservation": "name", "subblock": "sub_block"},
        "FlexStart": {"maxrun maxrunhours maxhours duration": "max_run_duration"},
        "ExistingNetwork": {
            "name networkname vpc": "network",
            "subnetworkname subnet": "subnetwork",
            "podrange": "pods_range",
            "servicerange": "services_range",
        },
        "CreateNetwork": {
            "cidr ipcidrrange subnetcidr subnetrange": "subnet",
            "podcidr podrange": "pods",
            "servicecidr servicerange": "services",
            "enablenat cloudnat": "nat",
        },
        "AdditionalNetwork": {"subnet": "subnetwork", "vpc": "network"},
        "ControlPlane": {
            "masterauthorizednetworks": "authorized_networks",
            "enableprivateendpoint privateendpoint": "private",
            "enablednsendpoint": "dns_endpoint",
        },
        "Window": {
            "starttime windowstart maintenancewindowstart": "start",
            "length": "duration",
            "day dayofweek daysofweek weekdays": "days",
            "rrule maintenancewindowrecurrence": "recurrence",
        },
        "Exclusion": {"starttime from": "start", "endtime until to": "end", "type": "scope"},
        "Acknowledgement": {
            "group slicegroup cluster target item resource": "of",
            "because": "reason",
            "expires": "until",
            "action": "change",
        },
        "Acceptance": {
            "group slicegroup cluster target item resource": "of",
            "id": "rule",
            "because": "reason",
            "expires": "until",
        },
        "Move": {"source old": "from", "target new": "to"},
        "OwnedReservation": {
            "reservation": "name",
            "start starttime startdate begin": "from",
            "end endtime enddate": "until",
            "vmfamily machinefamily": "family",
            "acceleratorcount chipcount numchips": "chips",
            "instances count vmcount hosts": "vms",
            "machine type instancetype": "machine_type",
            "location": "zone",
            "projectid": "project",
            "workloadtype": "workload",
            "sharedprojects projects": "shared_with",
        },
        "OwnedQuota": {
            "quota name metricname": "metric",
            "location zone": "region",
            "value chips": "limit",
            "tpufamily": "family",
            "projectid": "project",
        },
        "Inventory": {"date updated": "as_of", "versions": "gke_versions", "quota limits": "quotas"},
        "Organization": {
            "rules policies limits": "standards",
            "exceptions waivers exempt": "exemptions",
            "team contact": "owner",
        },
        "Standard": {
            "tpu tpus tpugenerations allowedgenerations": "generations",
            "locations allowedzones": "zones",
            "clustermodes allowedmodes": "modes",
            "capacity capacitymodes allowedcapacities": "capacities",
            "limit limits maximum most": "max",
            "requiredlabels resourcelabels": "labels",
            "exclusions maintenanceexclusion requireexclusion": "exclusion",
            "patterns naming": "names",
            "team contact": "owner",
            "text description": "message",
            "level": "severity",
        },
        "Most": {"nodes vms": "hosts", "cost usd costperhour": "usd_per_hour", "scope of": "per"},
        "Names": {"slices slicegroups": "groups"},
        "Exemption": {
            "group slicegroup cluster target item resource": "of",
            "rule name from": "standard",
            "expires end expiry to": "until",
            "because": "reason",
            "projectid": "project",
        },
    }
)
"""Name of the model -> name in another tool -> key of the plan."""

_BILLED = "labels of resources in Google Cloud, which bills show"
SEVERAL_KEYS: Mapping[str, Mapping[str, Mapping[str, str]]] = {
    "Cluster": {"labels": {"resource_labels": f"{_BILLED}; Pods select nodes by `node_labels` of a slice group"}},
    "SliceGroup": {
        "labels": {"node_labels": "labels of Kubernetes, by which Pods select nodes", "resource_labels": _BILLED}
    },
}
"""Name of the model -> name in another tool of several things -> each key that it can mean, and what that leads to."""

OTHER_ADDONS = named(
    {
        "gcsfusecsidriver": "gcs_fuse",
        "ray kuberay": "ray_operator",
        "gcpfilestorecsidriver": "filestore",
        "parallelstorecsidriver": "parallelstore",
        "lustrecsidriver": "lustre",
        "nodelocaldns dnscacheconfig": "dns_cache",
        "backuprestore gkebackupagent": "gke_backup",
    }
)
"""Name of an add-on in gcloud and in the API of GKE -> name in a plan."""

TOP_LEVEL = named(
    {
        "rename renamefrom renamed renamedfrom movedfrom aliases formername oldname": (
            "moved",
            "to rename a cluster or a slice group, give it its new key and set `moved` at the top level of the plan: "
            "`moved: [{from: CLUSTER/OLD, to: CLUSTER/NEW}]`",
        ),
        "allowreplacement allowreplace replace allowdeletion allowdelete allowdestroy forcereplace": (
            "acknowledge",
            "to allow a replacement or a deletion, set `acknowledge` at the top level of the plan: "
            "`acknowledge: [{change: replace, of: CLUSTER/GROUP, until: DATE, reason: TEXT}]`",
        ),
    }
)
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


TRUE_KEYS = of_models(
    {
        "Cluster": {
            "autopilot enableautopilot": ("mode", "autopilot"),
            "createnetwork createvpc": ("network", "create"),
        },
        "SliceGroup": {"dra dynamicresourceallocation": ("driver_mode", "dynamic_resource_allocation")},
    }
)
"""Name of the model -> boolean key of another tool -> key and value of the plan."""

_BOOT_DISK = {
    "disktype bootdisktype": "boot_disk.type",
    "disksize disksizegb disksizegib bootdisksize bootdisksizegb bootdisksizegib": "boot_disk.size_gib",
    "bootdiskkmskey": "boot_disk.kms_key",
}
INNER_KEYS = of_models(
    {
        "SliceGroup": {
            **_BOOT_DISK,
            "maxduration maxruntime runduration maxrunduration": "capacity.flex_start.max_run_duration",
            "reservationname cloudgooglecomreservationname": "capacity.reservation",
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
)
"""Name of the model -> name in another tool -> path of the key below the model."""

_OWNED = {"tpu generation tputype": "`family` is the machine family of the chips, such as ct6e for v6e"}
NO_KEYS = of_models(
    {
        "SliceGroup": {
            **_ELSEWHERE,
            "numnodes nodecount numhosts hosts nodes initialnodecount vms": "the topology determines the number of "
            "hosts; count is the number of slices",
            "minnodes maxnodes minnodecount maxnodecount totalminnodes totalmaxnodes autoscaling autoscale autoscaler "
            "hpa horizontalpodautoscaler autoscalingmin autoscalingmax autoscalingminnodes autoscalingmaxnodes "
            "autoscalemin autoscalemax autoscaleminnodes autoscalemaxnodes": "the topology determines the number of "
            "hosts; min and max are numbers of slices",
            "resources limits requests": "resources are those of Pods: a workload gets the chips of its hosts without "
            "a key",
            "tags networktags": _TAGS,
            "region": "a slice group is in the region of its cluster; zone selects the zone in it",
            "gpu gputype": "gke-tpu plans TPU slices only",
            "cores numcores tensorcores acceleratorcount tpucount guestaccelerators": "the topology determines the "
            "number of chips; `chips` counts the chips of a slice, not those of a host, and not TensorCores",
            "budget budgets chipbudget": "a slice group draws from every budget of its `capacity`; `budgets` at the "
            "top level names the reservation",
            "placementpolicy": "GKE places the hosts of a slice compactly; `topology` is the topology of the slice, "
            "and `placement: {workload_policy: NAME}` uses a workload policy that exists",
            "reservationaffinity consumereservationtype": "`capacity: {reservation: NAME}` uses a reservation by its "
            "name",
            "computeclass computeclassname": "gke-tpu writes a ComputeClass for a group with `fallback`: capacity "
            "modes to try after `capacity`",
            "image imagetype": "TPU nodes run Container-Optimized OS",
            "runtimeversion softwareversion": "a runtime version belongs to TPU VMs; on GKE, a Pod brings its own "
            "software",
        },
        "Cluster": {
            **_ELSEWHERE,
            "nodecount numnodes initialnodecount": "system_pool has min_nodes and max_nodes; the slices determine the "
            "number of TPU hosts",
            "project projectid": "a plan has one project, set at the top level",
            "subnet subnetwork vpc": _EXISTING_NETWORK,
            "tags networktags": _TAGS,
            "private privatecluster privateclusterconfig": "`private_nodes` decides about addresses of nodes, "
            "`control_plane: {private: true}` about the endpoint",
        },
        "Queue": {
            "group groups slice slices slicegroup slicegroups flavor flavors nodepool nodepools": "a queue has the "
            "chips of every slice group, and a workload names its group in `slices`; `chips: {GROUP: NUMBER}` limits "
            "the chips of a group",
        },
        "Network": {"name id": _EXISTING_NETWORK},
        "Capacity": {
            "calendar dwscalendar calendarmode futurereservation": "calendar mode reserves capacity: write "
            "`reservation: NAME`; its dates are `from` and `until` of the inventory",
        },
        "SystemPool": {
            "nodes count nodecount numnodes initialnodecount size": "the system pool is autoscaled: set min_nodes and "
            "max_nodes, the same number for a fixed size",
        },
        "OwnedReservation": _OWNED,
        "OwnedQuota": _OWNED,
        **{name: {"enabled": "the key itself installs the operator: write `{}`, or remove it"} for name in INSTALLED},
        "Autoprovisioning": {
            "enabled": "the mapping itself enables node auto-provisioning; remove the key",
            "resourcelimits": "cpu, memory_gib and tpu are the limits",
        },
    }
)
"""Name of the model -> key of another tool without a counterpart -> the reason."""

NO_VALUES = of_models(
    {
        "Placement": {
            "compact collocated true tputopology": "GKE places the hosts of a slice compactly without this key; it "
            "names a workload policy that exists",
        },
        "Autoscale": {
            "0": "the autoscaler reads the metric of a running server, so one slice stays. `count: {min: 0, ...}` of "
            "the slice group lets GKE remove hosts that no Pod needs",
        },
        "Reservation": {
            " ".join(map(plain, AFFINITIES)): "hosts use a reservation only by its name; without `reservation`, they "
            "use none. If this is the name of your reservation, write `reservation: {name: NAME}`",
        },
    }
)
"""Name of the model -> value that stands for nothing in it -> the reason."""

KEYS_BY_VALUE: Mapping[str, Mapping[str, tuple[Callable[[object], bool], str]]] = of_models(
    {"Cluster": {"nodepools pools groups": (_are_cpu_pools, "cpu_pools")}, "SliceGroup": {"region": (_is_zone, "zone")}}
)
"""Name of the model -> key of another tool -> condition on its value, and key of the plan if that holds."""


def several_choices(choices: Sequence[str], text: str) -> tuple[str, ...]:
    """The days that one text means, such as ``weekend`` or ``Sat-Mon``; empty if it means no more than one."""
    if plain(text) in WORDS_FOR_LISTS:
        return WORDS_FOR_LISTS[plain(text)]
    ends = [[choice for choice in choices if _begins(plain(choice), plain(end))] for end in _TO.split(text.strip())]
    match ends:
        case [[first], [last]] if first != last:
            start, end = choices.index(first), choices.index(last)
            return tuple(choices[start : end + 1] if start < end else (*choices[start:], *choices[: end + 1]))
    return ()


def _begins(choice: str, word: str) -> bool:
    """Whether a word is a choice, longer, or its first two letters: ``sunday`` and ``su`` for ``sun``."""
    return word.startswith(choice) or (len(word) > 1 and choice.startswith(word))


def without_release(text: str) -> str:
    """The whole number in a text such as ``v1`` and ``1.0.0``; any other text as it is."""
    match = _RELEASE.match(text)
    return match[1] if match else text
