"""Explanations agree with what the components register: no second opinion about a derived value."""

import datetime
import pathlib
from typing import Any

import pytest

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.fleet import derive
from pulumi_gke_tpu.core.plan import read_plan
from pulumi_gke_tpu.features.explain.values.explain import explain_item
from pulumi_gke_tpu.features.explain.values.surroundings import Item
from pulumi_gke_tpu.preview import preview_plan

STACKS = sorted((pathlib.Path(__file__).parents[3] / "stacks").glob("*/plan.yaml"))
TODAY = datetime.date(2026, 11, 20)
MANY = """\
version: 1
project: acme-ml
clusters:
  many:
    mode: standard
    location: us-east5
    name: gke-many
    node_service_account: nodes@acme-ml.iam.gserviceaccount.com
    slices:
      green:
        tpu: v6e
        topology: 2x2
        count: 3
        zone: us-east5-b
        max_pods_per_node: 64
        protect: true
        upgrade: {max_surge: 1}
        boot_disk: {type: hyperdisk-balanced, size_gib: 300}
      odd:
        tpu: v6e
        topology: 2x4
        chips_per_host: 4
        indices: [0, 2]
        zone: us-east5-b
        upgrade: {strategy: surge, max_unavailable: 2, auto_repair: false}
      flexible: {tpu: v6e, topology: 4x4, zone: us-east5-b, capacity: flex_start}
      a-group-with-a-name-that-is-far-too-long: {tpu: v6e, topology: 4x4, zone: us-east5-b}
"""


@pytest.fixture(
    scope="module", params=[*STACKS, MANY], ids=lambda entry: getattr(entry, "parent", pathlib.Path("many")).name
)
def explained(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Of every Standard group: the steps by name, its pools as registered, and its cluster's resources."""
    path = request.param
    if path == MANY:
        path = tmp_path_factory.mktemp("plan") / "plan.yaml"
        path.write_text(MANY)
    catalog = read_catalog()
    document = read_plan(path)
    assert document.content is not None
    assert document.yaml is not None
    fleet = derive(document.content, catalog, TODAY)
    graph = preview_plan({**document.yaml.data, "today": TODAY.isoformat()}, catalog=catalog)
    found = []
    for cluster, group in fleet.groups():
        item = Item(cluster.key, group.key.split("/", 1)[1])
        steps = {step.name: step for step in explain_item(document.content, fleet, catalog, item).steps}
        pools = [
            resource
            for resource in graph.resources
            if resource.type == "gcp:container/nodePool:NodePool" and resource.name.startswith(f"{group.key}/")
        ]
        accounts = [resource for resource in graph.resources if resource.type == "gcp:serviceaccount/account:Account"]
        found.append((cluster, group, steps, pools, accounts))
    return found


def test_pools_nodes_and_machines(explained: Any) -> None:
    for cluster, group, steps, pools, _ in explained:
        assert len(pools) == len(group.pools)
        for pool in pools:
            assert pool.inputs["name"] in steps["node_pools"].value
            assert pool.inputs["nodeConfig"]["machineType"] == steps["machine_type"].value
            assert pool.inputs["nodeLocations"] == [steps["zone"].value]
        if cluster.mode == "autopilot":
            assert steps["node_pools"].value == "none"


def test_placement(explained: Any) -> None:
    for _, _, steps, pools, _ in explained:
        for pool in pools:
            placement = pool.inputs.get("placementPolicy")
            said = steps["placement"].value
            if placement is None:
                assert said == "none"
            else:
                assert said.endswith(f"topology {placement['tpuTopology']}")
                assert (placement["type"] or "workload policy") in said


def test_scaling(explained: Any) -> None:
    for _, group, steps, pools, _ in explained:
        for pool in pools:
            scaling = pool.inputs.get("autoscaling")
            said = steps["autoscaling"].value
            if scaling is None:
                assert said == "disabled"
            elif "maxNodeCount" in scaling:
                assert f"0 or {scaling['maxNodeCount']} nodes in each node pool; per-zone limits" in said
            else:
                assert f"{scaling['totalMinNodeCount']}..{scaling['totalMaxNodeCount']} node" in said
            assert group.autoscaled == (scaling is not None)


def test_upgrades_and_repair(explained: Any) -> None:
    for _, _, steps, pools, _ in explained:
        for pool in pools:
            said = steps["upgrade"].value
            settings, management = pool.inputs.get("upgradeSettings"), pool.inputs["management"]
            if settings is None:
                assert said.startswith("strategy chosen by GKE")
            else:
                assert f"surge {settings['maxSurge']}, unavailable {settings['maxUnavailable']}" in said
            assert f"auto-repair {'enabled' if management['autoRepair'] else 'disabled'}" in said
            assert f"auto-upgrade {'enabled' if management['autoUpgrade'] else 'disabled'}" in said


def test_pods_disks_protection(explained: Any) -> None:
    for _, _, steps, pools, _ in explained:
        for pool in pools:
            written = pool.inputs.get("maxPodsPerNode")
            assert steps["max_pods_per_node"].value.startswith("chosen by GKE" if written is None else str(written))
            disk = pool.inputs["nodeConfig"].get("bootDisk")
            assert steps["boot_disk"].value.startswith("chosen by GKE" if disk is None else disk["diskType"])
            assert (steps["protection"].value == "enabled") == bool(pool.options.protect)


def test_account(explained: Any) -> None:
    for cluster, _, steps, pools, accounts in explained:
        said = steps["service_account"].value
        if cluster.plan.node_service_account == "create":
            assert said in [account.inputs["accountId"] for account in accounts]
        else:
            assert all(pool.inputs["nodeConfig"]["serviceAccount"] == said for pool in pools)
