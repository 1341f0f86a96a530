"""Node pools and clusters of any program: right ones, and for each rule the change that breaks exactly this rule."""

import copy
from typing import Any

from pulumi_gke_tpu.core.resource_rules.checker import RESOURCE_RULES
from pulumi_gke_tpu.core.rules import Rule
from pulumi_gke_tpu.core.rules.engine.rule import Scope
from pulumi_gke_tpu.core.text.yamlfile import parse_yaml

Properties = dict[str, Any]

SLICE: Properties = {
    "name": "pretrain-0",
    "cluster": "projects/acme-ml/locations/us-east5/clusters/train",
    "location": "us-east5",
    "nodeLocations": ["us-east5-b"],
    "nodeCount": 4,
    "ignoreNodeCountChanges": True,
    "placementPolicy": {"type": "COMPACT", "tpuTopology": "4x4"},
    "nodeConfig": {
        "machineType": "ct6e-standard-4t",
        "reservationAffinity": {"consumeReservationType": "NO_RESERVATION"},
        "bootDisk": {"diskType": "hyperdisk-balanced", "sizeGb": 200},
    },
}
"""A pool that is right: one v6e slice of 4 hosts."""
HOSTS: Properties = {key: value for key, value in SLICE.items() if key != "placementPolicy"} | {"nodeCount": 2}
"""A pool that is right: two v6e single hosts."""
REGIONAL = {"location": "us-east5", "name": "train", "releaseChannel": {"channel": "REGULAR"}}
"""A cluster that is right."""


def changed(base: Properties, change: Properties) -> Properties:
    """A copy with values at dotted paths set, or taken out where the value is None."""
    properties = copy.deepcopy(base)
    for path, value in change.items():
        *steps, last = path.split(".")
        holder = properties
        for step in steps:
            holder = holder.setdefault(step, {})
        if value is None:
            holder.pop(last, None)
        else:
            holder[last] = value
    return properties


FLEX: Properties = {
    "nodeConfig.flexStart": True,
    "nodeCount": None,
    "ignoreNodeCountChanges": None,
    "initialNodeCount": 0,
}
SCALED: Properties = {"autoscaling": {"minNodeCount": 0, "maxNodeCount": 4, "locationPolicy": "ANY"}}
QUEUED: Properties = {
    "queuedProvisioning.enabled": True,
    "nodeConfig.labels": {"cloud.google.com/gke-queued": "true"},
    "nodeCount": None,
    **SCALED,
}
PLACE = {"location": "us-east1", "cluster": None, "nodeLocations": ["us-east1-d"]}
CENTRAL2 = {"location": "us-central2", "cluster": None, "nodeLocations": ["us-central2-b"]}
CENTRAL1 = {"location": "us-central1", "cluster": None, "nodeLocations": ["us-central1-c"]}
V4 = {"nodeConfig.machineType": "ct4p-hightpu-4t", "placementPolicy.tpuTopology": "2x2x4", "nodeConfig.bootDisk": None}
V5P = {
    "nodeConfig.machineType": "ct5p-hightpu-4t",
    "placementPolicy.tpuTopology": "2x2x4",
    "nodeConfig.bootDisk": None,
    "nodeLocations": ["us-east5-a"],
}
SPECIFIC = {
    "nodeConfig.reservationAffinity.consumeReservationType": "SPECIFIC_RESERVATION",
    "nodeConfig.reservationAffinity.key": "compute.googleapis.com/reservation-name",
}
COLLECTION = {"nodeConfig.labels": {"cloud.google.com/gke-nodepool-group-name": "chat"}}

WRONG: dict[str, tuple[Properties, Properties]] = {
    "TPU023": (SLICE, {"nodeConfig.bootDisk.sizeGb": 5}),
    "TPU103": (SLICE, {"nodeConfig.machineType": "ct6e-standard-2t"}),
    "TPU105": (
        HOSTS,
        {
            "nodeConfig.machineType": "ct5l-hightpu-4t",
            "nodeConfig.bootDisk": None,
            "location": None,
            "nodeLocations": None,
        },
    ),
    "TPU111": (SLICE, {"placementPolicy.tpuTopology": "4x4x1"}),
    "TPU112": (SLICE, {"placementPolicy.tpuTopology": "4x3"}),
    "TPU113": (SLICE, {**V5P, "placementPolicy.tpuTopology": "4x6x8", "nodeCount": 48}),
    "TPU115": (SLICE, {"nodeConfig.machineType": "ct6e-standard-8t", "nodeCount": 2}),
    "TPU117": (SLICE, {**V5P, "placementPolicy.tpuTopology": "4x4x32", "nodeCount": 128}),
    "TPU118": (HOSTS, {"nodeCount": 2500}),
    "TPU132": (SLICE, {**V5P, "placementPolicy": {"policyName": "v5p", "tpuTopology": "2x2x4"}}),
    "TPU141": (SLICE, {**V5P, **COLLECTION}),
    "TPU142": (SLICE, {**COLLECTION, "nodeConfig.spot": True}),
    "TPU203": (SLICE, {"nodeLocations": ["us-east5"]}),
    "TPU205": (SLICE, {"nodeLocations": ["europe-west4-a"]}),
    "TPU206": (SLICE, {"location": "us-east5-a"}),
    "TPU207": (SLICE, {"nodeLocations": ["us-east5-d"]}),
    "TPU208": (SLICE, {"nodeLocations": ["us-east5-c"]}),
    "TPU209": (HOSTS, {"nodeConfig.machineType": "ct5lp-hightpu-4t", "nodeConfig.bootDisk": None}),
    "TPU213": (HOSTS, {"nodeLocations": ["us-east5-b", "us-east5-b"]}),
    "TPU254": (HOSTS, {"nodeConfig.machineType": "ct5e-standard-4"}),
    "TPU292": (SLICE, {"name": "Pretrain_A"}),
    "TPU210": (SLICE, {"location": "us-south1", "cluster": None, "nodeLocations": ["us-south1-ai1b"]}),
    "TPU232": (SLICE, {"version": "1.30.1-gke.1000000"}),
    "TPU233": (SLICE, {**FLEX, **SCALED, "version": "1.32.9-gke.1000000"}),
    "TPU301": (SLICE, {**V4, **FLEX, **SCALED, **CENTRAL2}),
    "TPU302": (
        HOSTS,
        {"nodeConfig.machineType": "tpu7x-standard-4t", "nodeConfig.spot": True, **CENTRAL1},
    ),
    "TPU303": (SLICE, {**V5P, **QUEUED}),
    "TPU312": (SLICE, {**QUEUED, "nodeConfig.flexStart": True, "nodeConfig.maxRunDuration": "3600s"}),
    "TPU322": (SLICE, {**SPECIFIC, "nodeConfig.reservationAffinity.values": ["V6E_Pretrain"]}),
    "TPU402": (HOSTS, {"nodeCount": None, "autoscaling": {"totalMinNodeCount": 9, "totalMaxNodeCount": 2}}),
    "TPU404": (SLICE, {"nodeConfig.flexStart": True}),
    "TPU311": (SLICE, {**FLEX, **SCALED, "nodeConfig.maxRunDuration": "900000s"}),
    "TPU313": (
        HOSTS,
        {
            **FLEX,
            **SCALED,
            "nodeConfig.machineType": "ct5lp-hightpu-4t",
            "nodeConfig.bootDisk": None,
            "location": "us-central1",
            "cluster": None,
            "nodeLocations": ["us-central1-a"],
        },
    ),
    "TPU314": (SLICE, {**FLEX, **SCALED, **PLACE}),
    "TPU321": (
        SLICE,
        {
            "nodeConfig.reservationAffinity": {
                "consumeReservationType": "SPECIFIC_RESERVATION",
                "key": "compute.googleapis.com/reservation-name",
                "values": ["v6e-pretrain/reservationSubBlocks/sub-0001"],
            }
        },
    ),
    "TPU331": (SLICE, {"nodeConfig.hostMaintenancePolicy.maintenanceInterval": "PERIODIC"}),
    "TPU405": (HOSTS, {**FLEX, "autoscaling": {"totalMinNodeCount": 1, "totalMaxNodeCount": 4}}),
    "TPU421": (SLICE, {"upgradeSettings.strategy": "BLUE_GREEN"}),
    "TPU422": (SLICE, {**FLEX, **SCALED, "upgradeSettings.strategy": "BLUE_GREEN"}),
    "TPU426": (
        HOSTS,
        {
            "upgradeSettings": {
                "strategy": "SURGE",
                "maxSurge": 1,
                "blueGreenSettings": {"nodePoolSoakDuration": "3600s"},
            }
        },
    ),
    "TPU501": (SLICE, {"nodeConfig.bootDisk.diskType": "pd-ssd"}),
    "TPU502": (SLICE, {**V5P, "nodeConfig.diskType": "hyperdisk-balanced"}),
    "TPU503": (SLICE, {**V5P, "nodeConfig.diskType": "pd-ssd"}),
    "TPU504": (SLICE, {**V5P, "nodeConfig.bootDisk": {"diskType": "pd-balanced", "provisionedIops": 5000}}),
    "TPU506": (SLICE, {"nodeConfig.bootDisk.provisionedIops": 1_000_000}),
    "TPU511": (SLICE, {"maxPodsPerNode": 300}),
}
"""Rule of plans -> a right pool, and the change that breaks exactly this rule."""

EXAMPLES = [rule for rule in RESOURCE_RULES if rule.scope is Scope.POOL]
_CPU = [{"resourceType": kind, "maximum": 100_000} for kind in ("cpu", "memory")]
_START = "2026-01-03T02:00:00Z"


def _networks(block: str) -> Properties:
    blocks = [{"cidrBlock": each, "displayName": each} for each in ("203.0.113.0/24", block)]
    return {"masterAuthorizedNetworksConfig": {"cidrBlocks": blocks}}


def _provisioned(**settings: Any) -> Properties:
    limits = [*_CPU, {"resourceType": settings.pop("limit", "tpu-v6e-slice"), "maximum": 64}]
    return {"clusterAutoscaling": {"enabled": True, "resourceLimits": limits, **settings}}


def _window(start: str, end: str) -> Properties:
    window = {"startTime": start, "endTime": end, "recurrence": "FREQ=DAILY"}
    return {"maintenancePolicy": {"recurringWindow": window}}


CLUSTERS: dict[str, Properties] = {
    "TPU221": _provisioned(limit="v6e"),
    "TPU231": {"minMasterVersion": "v1.34"},
    "TPU236": {"privateIpv6GoogleAccess": "PRIVATE_IPV6_GOOGLE_ACCESS_TO_GOOGLE"},
    "TPU251": {"name": "Train_East"},
    "TPU261": _networks("10.0.0.1/20"),
    "TPU271": _networks("0.0.0.0/0"),
    "TPU594": _provisioned(autoProvisioningDefaults={"diskType": "pd-balanced"}),
    "TPU602": _window("2026-01-03T08:00:00Z", _START),
    "TPU606": _window("0226-01-03T02:00:00Z", "0226-01-03T08:00:00Z"),
    "TPU201": {"location": "us-east"},
    "TPU202": {"location": "us-east5-b", "enableAutopilot": True},
    "TPU253": {"enableAutopilot": True, "releaseChannel": {"channel": "UNSPECIFIED"}},
}


def example(text: str) -> tuple[Properties, Properties]:
    """Properties and options of an example; a machine is added where it names none."""
    data = parse_yaml(text.encode(), "example").data
    properties, options = (data["pool"], data.get("options", {})) if "pool" in data else (data, {})
    node = {"machineType": "ct6e-standard-4t", **properties.get("nodeConfig", {})}
    return {**properties, "nodeConfig": node}, options


def by_id(rule: Rule[Any]) -> str:
    return rule.id
