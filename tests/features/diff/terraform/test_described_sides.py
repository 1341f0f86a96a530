"""``gke-tpu diff --terraform`` compares two described plans, and Terraform decides which operation happens."""

from collections.abc import Mapping
from typing import Any

import pytest
from support.shipped import TODAY
from support.terraform.plans import CLUSTER, POOL, RESERVED, change, changed, cluster_values, plan, slice_values

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan import read_inventory_content
from pulumi_gke_tpu.core.resources.read import ResourceReader
from pulumi_gke_tpu.features.diff.comparison.comparison import Comparison
from pulumi_gke_tpu.features.diff.comparison.terraform import compare_terraform
from pulumi_gke_tpu.features.diff.model import ItemChange

CATALOG = read_catalog()
SLICE = f"{POOL}.slice"
INVENTORY = b"""
version: 1
as_of: 2026-11-20
reservations: [{name: v6e, project: my-project, zone: us-east5-b, machine_type: ct6e-standard-4t, vms: 6}]
"""


def compared(*files: list[Mapping[str, Any]], inventory: bytes = b"") -> Comparison:
    reader, found = ResourceReader(CATALOG), {}
    for number, changes in enumerate(files):
        resources = reader.read(f"{number}.json", plan(*changes).encode())
        assert resources is not None
        found[f"{number}.json"] = resources
    owned = read_inventory_content(inventory, "i.yaml") if inventory else None
    return compare_terraform(found, CATALOG, owned, today=TODAY)


def items(*changes: Mapping[str, Any]) -> dict[str, ItemChange]:
    return {item.item: item for item in compared([*changes]).report.change.items}


def replacement(after: Mapping[str, Any], *paths: list[Any]) -> ItemChange:
    found = items(change(SLICE, ["delete", "create"], slice_values(), after, replace_paths=[*paths]))
    return found[SLICE]


def test_a_replacement_names_the_paths_that_force_it() -> None:
    after = changed(changed(slice_values(), "node_config.spot", True), "node_config.labels", {"team": "x"})
    item = replacement(after, ["node_config", 0, "spot"])
    assert "`node_config.spot` forces the replacement" in item.consequence
    assert "forces" not in replacement(changed(slice_values(), "node_config.spot", True), ["node_config"]).consequence


def test_terraform_decides_where_the_catalog_expects_an_update_in_place() -> None:
    item = replacement(changed(slice_values(), "node_config.labels", {"team": "x"}), ["node_config", 0, "labels"])
    assert (item.change, item.hosts_gone.maximum, item.hosts_new.maximum) == ("replace", 4, 4)
    assert "The catalog expects an update in place" in item.facts[0].text
    updated = items(change(SLICE, ["update"], slice_values(), changed(slice_values(), "node_config.spot", True)))
    assert updated[SLICE].change == "in-place"


def test_a_slice_of_a_topology_that_gke_does_not_offer_is_in_no_total() -> None:
    found = compared([change(SLICE, ["create"], None, changed(slice_values(), "placement_policy.tpu_topology", "4x3"))])
    (item,) = found.report.change.items
    assert (item.change, item.kind) == ("create", "slices")
    assert "the number of its hosts is not known" in item.consequence
    assert found.report.change.totals.capacity.will.chips.maximum == 0
    assert "TPU112" in {finding.rule for finding in found.findings}


def test_a_node_pool_that_moves_to_another_cluster_is_one_replacement() -> None:
    clusters = [change(f"{CLUSTER}.{name}", ["no-op"], cluster_values(name), cluster_values(name)) for name in "ab"]
    before, after = slice_values(cluster="a"), slice_values(cluster="b")
    found = items(*clusters, change(SLICE, ["delete", "create"], before, after, replace_paths=[["cluster"]]))
    assert found.keys() == {SLICE}
    assert (found[SLICE].hosts_gone.maximum, found[SLICE].hosts_new.maximum) == (4, 4)


def test_two_files_can_have_the_same_addresses() -> None:
    of_project = [
        [change(SLICE, ["delete"], slice_values(project=project), None)] for project in ("research", "production")
    ]
    found = compared(*of_project).report.change
    assert [(item.plan, item.item, item.hosts_gone.maximum) for item in found.items] == [
        ("0.json", SLICE, 4),
        ("1.json", SLICE, 4),
    ]
    same = compared(of_project[0], of_project[0]).report.change
    assert {item.plan for item in same.items} == {"0.json", "1.json"}


def test_a_cluster_in_another_file_takes_its_node_pools_with_it() -> None:
    cluster = change(f"{CLUSTER}.c", ["delete"], cluster_values(), None)
    found = compared([cluster], [change(SLICE, ["no-op"], slice_values(), slice_values())]).report.change
    assert {(item.plan, item.item): item.change for item in found.items} == {
        ("0.json", f"{CLUSTER}.c"): "delete",
        ("1.json", SLICE): "delete",
    }


def test_old_and_new_node_pools_may_exceed_a_reservation_together() -> None:
    """Terraform deletes and creates them at the same time."""
    moved = [
        change(f"{POOL}.old", ["delete"], {**RESERVED, "name": "old"}, None),
        change(f"{POOL}.new", ["create"], None, {**RESERVED, "name": "new"}),
    ]
    found = compared(moved, inventory=INVENTORY)
    said = {item.item: item.consequence for item in found.report.change.items}[f"{POOL}.new"]
    assert "old and new ones together need up to 8 VMs of reservation `v6e`" in said
    assert "may fail" in said
    assert not [finding for finding in found.findings if finding.rule == "TPU804"]


@pytest.mark.parametrize(("machine", "reported"), [("ct6e-standard-4t", False), ("ct6e-standard-8t", True)])
def test_rules_about_inventories_speak_of_addresses(machine: str, reported: bool) -> None:
    made = [change(SLICE, ["create"], None, RESERVED)]
    found = compared(made, inventory=INVENTORY.replace(b"ct6e-standard-4t", machine.encode())).findings
    about = [finding for finding in found if "reservation" in finding.message and finding.path == (SLICE,)]
    assert bool(about) is reported
    assert all(finding.position and finding.position.file == "0.json" and not finding.fix for finding in about)


def test_what_auto_provisioning_may_create_is_shown_beside_the_totals() -> None:
    limits = [{"resource_type": kind, "maximum": 64} for kind in ("cpu", "memory", "tpu-v6e-slice")]
    after = cluster_values(cluster_autoscaling=[{"enabled": True, "resource_limits": limits}])
    (auto,) = compared([change(f"{CLUSTER}.c", ["update"], cluster_values(), after)]).report.change.totals.auto
    assert (auto.generation, auto.was.maximum, auto.will.maximum) == ("v6e", 0, 64)


EXCLUSION = {
    "exclusion_name": "run",
    "start_time": "2026-11-01T00:00:00Z",
    "end_time": "2026-12-20T00:00:00Z",
    "exclusion_options": [{"scope": "NO_MINOR_UPGRADES"}],
}
SETTINGS: Mapping[str, tuple[dict[str, Any], dict[str, Any], str, str]] = {
    "version": (
        {"min_master_version": "1.34"},
        {"min_master_version": "1.33"},
        "TPU955",
        "lowers `min_master_version`",
    ),
    "channel": (
        {"release_channel": [{"channel": "RAPID"}]},
        {"release_channel": [{"channel": "STABLE"}]},
        "TPU956",
        "from release channel rapid to stable",
    ),
    "exclusion": (
        {"maintenance_policy": [{"maintenance_exclusion": [EXCLUSION]}]},
        {"maintenance_policy": [{"maintenance_exclusion": [EXCLUSION | {"end_time": "2026-11-10T00:00:00Z"}]}]},
        "TPU957",
        "removes exclusion `run`",
    ),
}
"""Setting of a cluster -> before, after, the rule and what it says."""


@pytest.mark.parametrize("setting", SETTINGS)
def test_settings_of_clusters_that_stay_have_the_rules_of_changes(setting: str) -> None:
    before, after, rule, said = SETTINGS[setting]
    address = f"{CLUSTER}.c"

    def rules(*changes: Mapping[str, Any]) -> dict[str, str]:
        found = compared([*changes]).findings
        return {item.rule: item.message for item in found if item.rule in ("TPU955", "TPU956", "TPU957")}

    was, will = cluster_values(**before), cluster_values(**after)
    found = rules(change(address, ["update"], was, will))
    assert found.keys() == {rule}
    assert said in found[rule]
    assert f"`{address}`" in found[rule]
    assert rules(change(address, ["update"], will, was)) == {}
    assert rules(change(address, ["delete", "create"], was, will, replace_paths=[["location"]])) == {}
