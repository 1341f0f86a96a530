"""The recorded clusters, each with a TPU node pool in the form that is known: no recording of one is public."""

import copy
import json
from collections.abc import Iterator
from typing import Any

from support.recorded_answers import PROJECT, Recorded, recorded_answers

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.graph.resource_types import NODE_POOL

Json = dict[str, Any]

_TPU_POOL: Json = {
    "name": "tpu-train",
    "initialNodeCount": 4,
    "config": {
        "machineType": "ct6e-standard-4t",
        "diskType": "hyperdisk-balanced",
        "diskSizeGb": 100,
        "bootDisk": {"diskType": "hyperdisk-balanced", "sizeGb": "100"},
        "imageType": "COS_CONTAINERD",
        "serviceAccount": "default",
        "oauthScopes": ["https://www.googleapis.com/auth/cloud-platform"],
        "metadata": {"disable-legacy-endpoints": "true"},
        "shieldedInstanceConfig": {"enableIntegrityMonitoring": True},
        "windowsNodeConfig": {},
        "kubeletConfig": {"insecureKubeletReadonlyPortEnabled": False, "maxParallelImagePulls": 2},
        "resourceLabels": {
            "goog-gke-accelerator-type": "tpu-v6e-slice",
            "goog-gke-node-pool-provisioning-model": "on-demand",
            "goog-gke-tpu-node-pool-type": "multi-host",
        },
    },
    "placementPolicy": {"type": "COMPACT", "tpuTopology": "4x4"},
    "management": {"autoRepair": True, "autoUpgrade": True},
    "upgradeSettings": {"maxSurge": 1, "strategy": "SURGE"},
    "maxPodsConstraint": {"maxPodsPerNode": "110"},
    "podIpv4CidrSize": 24,
    "status": "RUNNING",
}


def recorded_clusters() -> Iterator[tuple[Recorded, Json]]:
    """Every recorded cluster with a node pool, as the API answers it with a TPU node pool beside the others."""
    for recorded in recorded_answers():
        if recorded.kind == "cluster" and recorded.answer.get("nodePools"):
            yield recorded, _with_tpus(recorded.answer)


def with_additions(answer: Json, *whose: str) -> Json:
    """The same with what GKE adds to node pools of these kinds, such as ``console``."""
    answer = copy.deepcopy(answer)
    for pool in answer["nodePools"]:
        for addition in read_catalog().gke_adds[NODE_POOL]:
            *blocks, name = addition.field.split(".")
            block = pool
            for step in blocks:
                block = block[step]
            if addition.added_to in whose and name not in block:
                block[name] = copy.deepcopy(addition.answer)
    return answer


def as_file(answer: Json) -> bytes:
    """The answer as ``gcloud container clusters describe --format json`` prints it."""
    return json.dumps(answer).encode()


def _with_tpus(answer: Json) -> Json:
    answer = copy.deepcopy(answer)
    place = f"projects/{PROJECT}/locations/{answer['location']}/clusters/{answer['name']}"
    answer["selfLink"] = f"https://container.googleapis.com/v1/{place}"
    pools = [{**pool, "name": name} for name, pool in answer["nodePools"].items()]
    first = pools[0]
    ours = copy.deepcopy(_TPU_POOL)
    ours |= {name: first[name] for name in ("networkConfig", "version")} | {"locations": [min(answer["locations"])]}
    if "workloadMetadataConfig" in first["config"]:
        ours["config"]["workloadMetadataConfig"] = first["config"]["workloadMetadataConfig"]
    answer["nodePools"] = [
        {**pool, "selfLink": f"{answer['selfLink']}/nodePools/{pool['name']}"} for pool in (*pools, ours)
    ]
    added = with_additions({"nodePools": [answer["nodePools"].pop()]}, "tpu")
    return {**answer, "nodeConfig": first["config"], "nodePools": [*answer["nodePools"], *added["nodePools"]]}
