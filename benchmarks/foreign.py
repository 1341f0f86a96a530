"""Makes what other tools write of the node pools of ``plans.py``: an answer of ``gcloud``, a plan of Terraform."""

import json
import re
from typing import Any

_CLUSTER = "projects/acme-ml/locations/us-east5/clusters/train"
_MACHINE, _TOPOLOGY, _HOSTS = "ct6e-standard-4t", "4x4", 4
_SCOPES = ["https://www.googleapis.com/auth/cloud-platform"]
_POOL = "cloud.google.com/gke-nodepool"
_LINK = "https://container.googleapis.com/v1"


def existing(plan: str) -> str:
    """A plan of ``plans.py`` for a cluster that another tool manages, with the labels of its node pools."""
    head, _, groups = plan.partition("    slices:\n")
    before = head[: head.index("    location:")]
    groups = re.sub(r"(group-\d+)(.*)}", r"\1\2, node_labels: {team: ml, owner: \1-0}}", groups)
    return f"{before}    existing: {_CLUSTER}\n    slices:\n{groups}"


def gcloud_answer(groups: int, slices: int = 1) -> str:
    """The cluster with the node pools of ``multi_host(groups, slices)``, as ``describe --format=json`` writes it."""
    cluster = {
        "name": "train",
        "selfLink": f"{_LINK}/{_CLUSTER}",
        "location": "us-east5",
        "currentMasterVersion": "1.34.4-gke.1047000",
        "releaseChannel": {"channel": "REGULAR"},
        "nodePools": [_answered(name) for name in _names(groups, slices)],
    }
    return json.dumps(cluster, indent=2)


def snapshot(groups: int) -> dict[str, str]:
    """The files of a snapshot of the cluster, with its node pools and a ready node for each of their hosts."""
    ready = [{"type": "Ready", "status": "True", "reason": "KubeletReady"}]
    nodes = [
        {"kind": "Node", "apiVersion": "v1", "metadata": {"name": f"{name}-{host}", "labels": {_POOL: name}}}
        for name in _names(groups, 1)
        for host in range(_HOSTS)
    ]
    listed = {"items": [{**node, "status": {"conditions": ready}} for node in nodes]}
    return {
        "snapshot.json": json.dumps({"format": 1, "taken": "2026-11-28T20:30:00Z"}),
        "cluster-train.json": gcloud_answer(groups),
        "nodes-train.jsonl": json.dumps(listed),
    }


def _names(groups: int, slices: int) -> list[str]:
    return [f"group-{group}-{index}" for group in range(groups) for index in range(slices)]


def _answered(name: str) -> dict[str, Any]:
    return {
        "name": name,
        "selfLink": f"{_LINK}/{_CLUSTER}/nodePools/{name}",
        "initialNodeCount": _HOSTS,
        "locations": ["us-east5-b"],
        "status": "RUNNING",
        "version": "1.34.4-gke.1047000",
        "config": {
            "machineType": _MACHINE,
            "diskSizeGb": 100,
            "diskType": "hyperdisk-balanced",
            "imageType": "COS_CONTAINERD",
            "gvnic": {"enabled": True},
            "labels": {"team": "ml", "owner": name},
            "metadata": {"disable-legacy-endpoints": "true"},
            "oauthScopes": _SCOPES,
            "serviceAccount": "nodes@acme-ml.iam.gserviceaccount.com",
            "shieldedInstanceConfig": {"enableIntegrityMonitoring": True, "enableSecureBoot": True},
            "reservationAffinity": {"consumeReservationType": "NO_RESERVATION"},
            "taints": [{"key": "google.com/tpu", "value": "present", "effect": "NO_SCHEDULE"}],
            "workloadMetadataConfig": {"mode": "GKE_METADATA"},
        },
        "management": {"autoRepair": True, "autoUpgrade": True},
        "maxPodsConstraint": {"maxPodsPerNode": "110"},
        "placementPolicy": {"type": "COMPACT", "tpuTopology": _TOPOLOGY},
        "upgradeSettings": {"maxUnavailable": 1, "strategy": "SURGE"},
    }


def terraform_plan(groups: int, slices: int = 1) -> str:
    """What ``show -json`` writes of a plan that gives each of these node pools another label."""
    changes = [
        {
            "address": f'google_container_node_pool.pool["{name}"]',
            "mode": "managed",
            "type": "google_container_node_pool",
            "name": "pool",
            "index": name,
            "provider_name": "registry.terraform.io/hashicorp/google",
            "change": {
                "actions": ["update"],
                "before": _attributes(name, "ml"),
                "after": _attributes(name, "research"),
                "after_unknown": {},
                "before_sensitive": {},
                "after_sensitive": {},
            },
        }
        for name in _names(groups, slices)
    ]
    return json.dumps({"format_version": "1.2", "terraform_version": "1.9.0", "resource_changes": changes})


def _attributes(name: str, team: str) -> dict[str, Any]:
    return {
        "id": f"{_CLUSTER}/nodePools/{name}",
        "name": name,
        "project": "acme-ml",
        "cluster": "train",
        "location": "us-east5",
        "node_locations": ["us-east5-b"],
        "node_count": _HOSTS,
        "initial_node_count": _HOSTS,
        "version": "1.34.4-gke.1047000",
        "management": [{"auto_repair": True, "auto_upgrade": True}],
        "placement_policy": [{"type": "COMPACT", "tpu_topology": _TOPOLOGY, "policy_name": ""}],
        "upgrade_settings": [{"max_surge": 0, "max_unavailable": 1, "strategy": "SURGE", "blue_green_settings": []}],
        "node_config": [
            {
                "machine_type": _MACHINE,
                "disk_size_gb": 100,
                "disk_type": "hyperdisk-balanced",
                "labels": {"team": team, "owner": name},
                "oauth_scopes": _SCOPES,
                "service_account": "nodes@acme-ml.iam.gserviceaccount.com",
                "reservation_affinity": [{"consume_reservation_type": "NO_RESERVATION", "key": "", "values": []}],
                "gvnic": [{"enabled": True}],
                "taint": [],
            }
        ],
    }
