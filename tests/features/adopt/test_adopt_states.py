"""States of Pulumi and Terraform: what the provider writes into every state is neither an error nor a difference."""

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest
from support.each import each
from support.real_outputs import Real, nested, real_resources

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.resource_rules.files import check_resources
from pulumi_gke_tpu.core.resources.model import RawResource
from pulumi_gke_tpu.core.resources.read import ResourceReader
from pulumi_gke_tpu.features.adopt.adoption import adopt_fleets

POOLS = real_resources("gcp:container/nodePool:NodePool")
CLUSTERS = real_resources("gcp:container/cluster:Cluster")
OF_ITS_VERSION = "TPU233"
"""Only a state after an import has the version of the nodes."""


def read(data: Any) -> tuple[RawResource, ...]:
    found = ResourceReader(read_catalog()).read("state.json", json.dumps(data).encode())
    assert found is not None
    return found.found


def of_pulumi(items: Iterable[Real], *, imported: bool) -> tuple[RawResource, ...]:
    """Resources in a state. After an import, the inputs are what the provider read."""
    resources = [
        {
            "urn": f"urn:pulumi:prod::x::{item.type}::{item.name}-{number}",
            "type": item.type,
            "custom": True,
            "id": item.id,
            "inputs": nested(state) if imported else item.inputs,
            "outputs": nested(state),
        }
        for item in items
        for number, state in enumerate(item.states)
    ]
    return read({"version": 3, "deployment": {"resources": resources}})


def reported(resources: tuple[RawResource, ...]) -> set[tuple[str, str]]:
    found = check_resources(resources, read_catalog())
    return {(item.rule, item.message.rpartition(": ")[2]) for item in found if item.rule != OF_ITS_VERSION}


@each("pool", POOLS)
def test_an_imported_node_pool_has_the_findings_of_its_program(pool: Real) -> None:
    assert reported(of_pulumi([pool], imported=True)) == reported(of_pulumi([pool], imported=False))


@pytest.mark.parametrize("imported", [False, True], ids=["program", "import"])
def test_every_node_pool_of_a_state_is_adopted(imported: bool) -> None:
    of_tpus = [item for item in POOLS if not item.name.endswith("/system")]
    (adoption,) = adopt_fleets(of_pulumi(of_tpus, imported=imported), read_catalog())
    assert (adoption.alone, len(adoption.pools)) == ((), len({item.id for item in of_tpus}))
    assert {item.made_by for item in adoption.pools} == {"Pulumi"}


@pytest.mark.parametrize("imported", [False, True], ids=["program", "import"])
def test_every_cluster_with_node_pools_of_a_state_is_adopted(imported: bool) -> None:
    pools = of_pulumi([*CLUSTERS, *POOLS], imported=imported)
    with_cluster = {item.name for item in CLUSTERS}
    (adoption, *others) = adopt_fleets(pools, read_catalog())
    alone = {item.name for item in adoption.clusters_alone} & with_cluster
    assert (alone, [item.clusters_alone for item in others]) == (set(), [()] * len(others))


# Machine features

TERRAFORM = {
    "name": "serve",
    "cluster": "training",
    "location": "us-east5",
    "project": "acme-ml",
    "node_count": 2,
    "initial_node_count": 2,
    "node_locations": ["us-east5-b"],
    "management": [{"auto_repair": True, "auto_upgrade": True}],
    "upgrade_settings": [{"max_surge": 0, "max_unavailable": 1, "strategy": "SURGE", "blue_green_settings": []}],
    "autoscaling": [],
    "node_config": [
        {
            "machine_type": "ct6e-standard-8t",
            "service_account": "nodes@acme-ml.iam.gserviceaccount.com",
            "oauth_scopes": ["https://www.googleapis.com/auth/cloud-platform"],
            "spot": False,
            "labels": {},
            "taint": [],
            "gvnic": [{"enabled": True}],
            "reservation_affinity": [{"consume_reservation_type": "NO_RESERVATION", "key": "", "values": []}],
        }
    ],
}


def of_terraform(pool: Any = None, **config: Any) -> tuple[RawResource, ...]:
    nodes = {**TERRAFORM["node_config"][0], **config}  # type: ignore[dict-item,index]
    values = {**TERRAFORM, **(pool or {}), "node_config": [nodes]}
    resource = {
        "address": "google_container_node_pool.serve",
        "mode": "managed",
        "type": "google_container_node_pool",
        "name": "serve",
        "values": values,
    }
    return read({"format_version": "1.0", "values": {"root_module": {"resources": [resource]}}})


WRITTEN: dict[str, dict[str, Any]] = {
    "threads": {
        "advanced_machine_features": [
            {"threads_per_core": 1, "enable_nested_virtualization": False, "performance_monitoring_unit": ""}
        ]
    },
    "texts": {"min_cpu_platform": "", "boot_disk_kms_key": "", "node_group": "", "local_ssd_encryption_mode": ""},
    "numbers": {
        "boot_disk": [
            {
                "disk_type": "hyperdisk-balanced",
                "size_gb": 100,
                "provisioned_iops": 0,
                "provisioned_throughput": 0,
            }
        ],
        "local_ssd_count": 0,
    },
    "lists": {"secondary_boot_disks": [], "guest_accelerator": [], "storage_pools": [], "tags": [], "fast_socket": []},
    "kubelet": {
        "kubelet_config": [
            {
                "cpu_manager_policy": "",
                "insecure_kubelet_readonly_port_enabled": "FALSE",
                "pod_pids_limit": 0,
                "container_log_max_size": "",
                "eviction_soft": [],
            }
        ]
    },
    "windows": {"windows_node_config": [{"osversion": ""}]},
}
"""What the provider writes into the state of a node pool whose configuration has none of it."""


@pytest.mark.parametrize("kind", WRITTEN)
def test_what_the_provider_writes_is_neither_an_error_nor_in_the_plan(kind: str) -> None:
    resources = of_terraform(**WRITTEN[kind])
    assert reported(resources) == set()
    (adoption,) = adopt_fleets(resources, read_catalog())
    assert [(item.pool.name, item.made_by) for item in adoption.pools] == [("serve", "Terraform")]
    assert '""' not in json.dumps(adoption.plan)


OF_POOL = {
    "queuedProvisioning": {"queued_provisioning": [{"enabled": False}]},
    "placementPolicy": {"placement_policy": [{"policy_name": "", "tpu_topology": "", "type": ""}]},
}
OF_NODES = {
    "ephemeralStorageLocalSsdConfig": {
        "ephemeral_storage_local_ssd_config": [{"local_ssd_count": 0, "data_cache_count": 0}]
    },
    "localNvmeSsdBlockConfig": {"local_nvme_ssd_block_config": [{"local_ssd_count": 0}]},
    "advancedMachineFeatures": {
        "advanced_machine_features": [
            {"threads_per_core": 0, "enable_nested_virtualization": False, "performance_monitoring_unit": ""}
        ]
    },
}


@pytest.mark.parametrize("block", [*OF_POOL, *OF_NODES])
def test_blocks_of_zero_values_stay_as_they_are(block: str) -> None:
    """Node pools of the console, as an import stores them."""
    (adoption,) = adopt_fleets(of_terraform(OF_POOL.get(block), **OF_NODES.get(block, {})), read_catalog())
    (found,) = adoption.pools
    assert (block in {path.rpartition(".")[2] for path in found.left}, found.lost) == (True, ())
    assert block not in json.dumps(adoption.plan)


@each("pool", [item for item in POOLS if not item.name.endswith("/system")])
def test_machine_features_in_a_state_of_pulumi(pool: Real) -> None:
    features = {"threadsPerCore": 1, "enableNestedVirtualization": False, "performanceMonitoringUnit": ""}
    changed = replace(pool, created={**pool.created, "nodeConfig.advancedMachineFeatures": features}, refreshed=None)
    resources = of_pulumi([changed], imported=True)
    assert reported(resources) == reported(of_pulumi([pool], imported=False))
    (adoption,) = adopt_fleets(resources, read_catalog())
    (found,) = adoption.pools
    assert not any("advancedMachineFeatures" in path for path in found.lost)
    assert "performanceMonitoringUnit" not in json.dumps(adoption.plan)
