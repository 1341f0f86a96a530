"""``gke-tpu diff --terraform`` of the plans that the real provider made, beside what their apply then did."""

import json
from typing import Any

import pytest
import yaml
from support.terraform.recordings import RECORDINGS

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan import read_inventory_content
from pulumi_gke_tpu.core.text.findings import Severity
from pulumi_gke_tpu.features.diff.comparison.terraform import compare_terraform
from pulumi_gke_tpu.features.diff.engine.model import Report
from pulumi_gke_tpu.features.diff.model import ItemChange
from pulumi_gke_tpu.features.diff.output.json import change_json, change_page_from_json
from pulumi_gke_tpu.features.diff.output.page import change_page
from pulumi_gke_tpu.features.diff.sides import read_terraform_plans

CATALOG = read_catalog()
POOL = "google_container_node_pool"
INVENTORY = b"""
version: 1
as_of: 2026-11-20
reservations:
  - {name: v6e-reservation, project: my-project, zone: us-east5-b, machine_type: ct6e-standard-4t, vms: 3}
"""

CLASSES: dict[str, dict[str, str]] = {
    "address_moved": {f"{POOL}.hosts": "delete", f"{POOL}.single": "create"},
    "cluster_channel": {"google_container_cluster.tpu": "in-place"},
    "cluster_renamed": {"google_container_cluster.tpu": "replace", f"{POOL}.cube": "replace"},
    "create": {f"{POOL}.{name}": "create" for name in ("elastic", "hosts", "reserved")},
    "disk_size": {f"{POOL}.reserved": "restart"},
    "drift_gone": {f"{POOL}.reserved": "create"},
    "drift_updated": {f"{POOL}.reserved": "restart"},
    "fleet": {"google_container_cluster.tpu": "create", f"{POOL}.cube": "create"},
    "fleet_no_change": {},
    "import": {f"{POOL}.elastic": "metadata", f'{POOL}.made["reserved"]': "metadata"},
    "import_differs": {f"{POOL}.elastic": "replace", f'{POOL}.made["reserved"]': "no-op"},
    "labels": {f"{POOL}.reserved": "in-place"},
    "machine_type": {f"{POOL}.hosts": "restart"},
    "machine_type_of_slice": {f"{POOL}.reserved": "restart"},
    "module_topology": {
        f'module.tpu["{module}"].{POOL}.slice["{size}"]': "no-op"
        for module in ("blue", "green")
        for size in ("large", "small")
    },
    "no_change": {},
    "node_count": {f"{POOL}.hosts": "in-place"},
    "node_count_of_slice": {f"{POOL}.reserved": "refused"},
    "policy_topology": {f"{POOL}.cube": "refused"},
    "pool_deleted": {f"{POOL}.hosts": "delete"},
    "pool_renamed": {f"{POOL}.reserved": "replace"},
    "reservation": {f"{POOL}.reserved": "replace"},
    "reservation_removed": {f"{POOL}.reserved": "replace"},
    "spot_off": {f"{POOL}.hosts": "replace"},
    "spot_on": {f"{POOL}.reserved": "replace"},
    "topology": {f"{POOL}.reserved": "no-op"},
    "topology_and_count": {f"{POOL}.reserved": "refused"},
    "topology_of_autoscaled": {f"{POOL}.elastic": "refused"},
    "triggered": {f"{POOL}.slice": "replace"},
    "unknown": {},
    "unknown_change": {f"{POOL}.slice": "refused"},
}


def report(name: str) -> Report:
    files = read_terraform_plans((str(RECORDINGS / name / "plan.json"),), CATALOG)
    return compare_terraform(files, CATALOG, None).report


def items(name: str) -> dict[str, ItemChange]:
    return {item.item: item for item in report(name).change.items}


def outcome(name: str) -> Any:
    return yaml.safe_load((RECORDINGS / name / "outcome.yaml").read_text())


@pytest.mark.parametrize("name", CLASSES)
def test_every_recorded_plan_has_the_classes_of_a_change_of_plans(name: str) -> None:
    assert {address: item.change for address, item in items(name).items()} == CLASSES[name]


@pytest.mark.parametrize("name", CLASSES)
def test_what_has_no_effect_sends_nothing_and_is_planned_again(name: str) -> None:
    found = {item.change for item in items(name).values()}
    if found != {"no-op"}:
        return
    seen = outcome(name)
    assert seen["sent"] == []
    assert seen["next_plan"] == seen["plan"]
    assert all("Every later plan contains this update again." in item.consequence for item in items(name).values())


@pytest.mark.parametrize("name", CLASSES)
def test_the_apply_fails_where_the_report_expects_it(name: str) -> None:
    expected = any(item.refused for item in items(name).values())
    seen = outcome(name).get("apply", "Error" if name == "address_moved" else "")
    assert seen.startswith("Error" if expected else "Apply complete!")


@pytest.mark.parametrize("name", CLASSES)
def test_a_node_pool_is_deleted_where_the_apply_deletes_it(name: str) -> None:
    gone = any(item.hosts_gone.maximum for item in items(name).values())
    if "sent" in outcome(name):
        sent = any(
            request.startswith("DELETE clusters/") and "default-pool" not in request
            for request in outcome(name)["sent"]
        )
        assert gone == sent


@pytest.mark.parametrize("name", CLASSES)
def test_the_page_comes_back_from_json(name: str) -> None:
    page = change_page(report(name), ())
    data = change_json(page)
    assert data["tool"] == "Terraform"
    assert change_page_from_json(json.dumps(data).encode()) == page


def test_hosts_and_chips_of_a_replacement_are_counted() -> None:
    (item,) = items("triggered").values()
    assert (item.hosts_gone.maximum, item.hosts_new.maximum) == (4, 8)
    assert item.size is not None
    assert (item.size.was.maximum, item.size.will.maximum) == (16, 32)
    assert "`slice` is deleted (4 hosts, 16 chips), then created with 8 hosts (32 chips)." in item.consequence
    assert "`replace_triggered_by` in its configuration causes the replacement." in item.consequence


def test_an_update_without_effect_changes_no_total() -> None:
    totals = report("module_topology").change.totals
    assert totals.capacity.was == totals.capacity.will
    assert totals.capacity.was.chips.maximum == 64


def test_properties_are_spelled_as_in_terraform() -> None:
    (item,) = items("topology_of_autoscaled").values()
    assert [(each.key, each.was, each.will) for each in item.written] == [
        ("autoscaling.max_node_count", "2", "4"),
        ("placement_policy.tpu_topology", "2x2x2", "2x2x4"),
    ]
    assert "GKE does not update autoscaling.max_node_count of a multi-host slice" in item.refused
    written = json.dumps(change_json(change_page(report("topology_of_autoscaled"), ()))["items"])
    assert "tpuTopology" not in written


def test_values_that_are_not_known_yet_are_not_guessed() -> None:
    (item,) = items("unknown_change").values()
    assert all(each.will == "known after apply" for each in item.written)


def test_the_slices_of_a_deleted_cluster_are_counted() -> None:
    found = items("cluster_renamed")
    assert "with its node pools (16 TPU hosts)" in found["google_container_cluster.tpu"].consequence
    assert found[f"{POOL}.cube"].hosts_gone.maximum == 16


def test_a_workload_policy_in_use_cannot_be_replaced() -> None:
    (item,) = items("policy_topology").values()
    assert "the workload policy cube cannot be deleted while this node pool uses it" in item.refused
    assert "is already being used by" in outcome("policy_topology")["apply"]
    assert any("cannot be deleted" in fact.text and fact.confidence == "medium" for fact in item.facts)
    assert report("policy_topology").change.totals.capacity.was.chips.maximum == 64


def test_a_slice_larger_than_its_reservation_is_an_error_before_the_apply_fails() -> None:
    assert "Reservation does not have enough resources" in outcome("reservation_too_small")["apply"]
    inventory = read_inventory_content(INVENTORY, "inventory.yaml")
    files = read_terraform_plans((str(RECORDINGS / "reservation_too_small" / "plan.json"),), CATALOG)
    (finding,) = compare_terraform(files, CATALOG, inventory).findings
    assert (finding.rule, finding.severity) == ("TPU804", Severity.ERROR)
    assert f"has 3 VMs, but the plans need 4 ({POOL}.reserved: 4)" in finding.message


def test_machines_that_are_not_known_yet_are_in_a_note() -> None:
    (note,) = report("unknown").change.notes
    assert "1 google_container_node_pool (its machine type is not known)" in note
