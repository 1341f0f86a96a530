"""What the provider 8.0.0 and OpenTofu 1.12.6 were observed to do: the facts that checks and exports rely on."""

import pytest
from support.google_apis.server import Google
from support.terraform.recordings import configuration, make_by_hand, recorded
from support.terraform.workspace import Plan, Terraform

UNCHANGED = "No changes."
IMPORTED = "Plan: 2 to import, 0 to add, 0 to change, 0 to destroy."
POOL = "google_container_node_pool"
SHAPE = "terraform_data.shape"


@pytest.fixture(autouse=True)
def nothing_added(google: Google) -> None:
    """GKE adds nothing: the recorded configurations ignore nothing."""
    google.knobs.added = ()


def edited(name: str, *edits: tuple[str, str]) -> dict[str, str]:
    """A configuration with other texts."""
    files = configuration(name)
    for old, new in edits:
        assert any(old in text for text in files.values()), old
        files = {path: text.replace(old, new) for path, text in files.items()}
    return files


def applied(terraform: Terraform, google: Google, name: str, *edits: tuple[str, str]) -> None:
    """Make everything that a configuration describes, in a cluster that exists."""
    make_by_hand(google, "cluster")
    terraform.write(edited(name, *edits))
    terraform.apply()
    google.requests.clear()


def planned(terraform: Terraform, name: str, *edits: tuple[str, str]) -> Plan:
    terraform.replace(edited(name, *edits))
    return terraform.plan()


# Recordings: what an edit does


@pytest.mark.parametrize(
    ("scenario", "pool", "sent", "next_plan"),
    [
        # The provider sends nothing for a topology, and plans it again and again.
        ("topology", "reserved", [], "Plan: 0 to add, 1 to change, 0 to destroy."),
        ("machine_type", "hosts", ["PUT clusters/training/nodePools/hosts"], UNCHANGED),
        ("machine_type_of_slice", "reserved", ["PUT clusters/training/nodePools/reserved"], UNCHANGED),
        ("labels", "reserved", ["PUT clusters/training/nodePools/reserved"], UNCHANGED),
        ("disk_size", "reserved", ["PUT clusters/training/nodePools/reserved"], UNCHANGED),
        ("node_count", "hosts", ["POST clusters/training/nodePools/hosts:setSize"], UNCHANGED),
    ],
)
def test_an_edit_that_is_updated_in_place(scenario: str, pool: str, sent: list[str], next_plan: str) -> None:
    recording = recorded(scenario)
    assert recording.actions() == {f"{POOL}.{pool}": ["update"]}
    assert recording.outcome["sent"] == sent
    assert recording.outcome["next_plan"] == next_plan


@pytest.mark.parametrize(
    ("scenario", "pool", "sent", "error"),
    [
        ("topology_and_count", "reserved", "POST clusters/training/nodePools/reserved:setSize", "Error 501"),
        ("node_count_of_slice", "reserved", "POST clusters/training/nodePools/reserved:setSize", "Error 501"),
        ("topology_of_autoscaled", "elastic", "PUT clusters/training", "Error 400: Maximum node count 4"),
    ],
)
def test_an_edit_that_the_plan_updates_in_place_and_gke_refuses(
    scenario: str, pool: str, sent: str, error: str
) -> None:
    recording = recorded(scenario)
    assert recording.actions() == {f"{POOL}.{pool}": ["update"]}
    assert recording.outcome["sent"] == [sent]
    assert error in recording.outcome["apply"]


@pytest.mark.parametrize(
    ("scenario", "pool", "path"),
    [
        ("spot_on", "reserved", "spot"),
        ("spot_off", "hosts", "spot"),
        ("reservation", "reserved", "reservation_affinity"),
        ("reservation_removed", "reserved", "reservation_affinity"),
        ("pool_renamed", "reserved", "name"),
    ],
)
def test_an_edit_that_replaces_and_what_causes_it(scenario: str, pool: str, path: str) -> None:
    recording = recorded(scenario)
    assert recording.actions() == {f"{POOL}.{pool}": ["delete", "create"]}
    (change,) = (item for item in recording.plan["resource_changes"] if item["name"] == pool)
    assert path in [step for steps in change["change"]["replace_paths"] for step in steps]
    assert change["action_reason"] == "replace_because_cannot_update"
    assert recording.outcome["next_plan"] == UNCHANGED


def test_pools_that_are_created_deleted_and_imported() -> None:
    assert set(map(tuple, recorded("create").actions().values())) == {("create",)}
    assert recorded("create").outcome["next_plan"] == UNCHANGED
    assert recorded("no_change").actions() == {}
    assert recorded("pool_deleted").actions() == {f"{POOL}.hosts": ["delete"]}
    recording = recorded("import")
    assert recording.outcome == {
        "plan": IMPORTED,
        "apply": "Apply complete! Resources: 2 imported, 0 added, 0 changed, 0 destroyed.",
        "sent": [],
        "next_plan": UNCHANGED,
    }
    changes = {item["address"]: item["change"] for item in recording.plan["resource_changes"]}
    assert {address: change["actions"] for address, change in changes.items()} == {
        f'{POOL}.made["reserved"]': ["no-op"],
        f"{POOL}.elastic": ["no-op"],
    }
    assert changes[f"{POOL}.elastic"]["importing"] == {"id": "my-project/us-east5/training/elastic"}


def test_values_that_are_not_known_yet_and_values_that_are_not_shown() -> None:
    (change,) = (item["change"] for item in recorded("unknown").plan["resource_changes"] if item["name"] == "slice")
    assert change["after_unknown"]["node_count"] is True
    assert change["after_unknown"]["node_config"][0]["machine_type"] is True
    assert change["after_unknown"]["placement_policy"][0]["tpu_topology"] is True
    assert "machine_type" not in change["after"]["node_config"][0]
    assert change["after_sensitive"]["node_config"][0]["metadata"] == {"token": True}


def test_addresses_in_modules() -> None:
    assert sorted(recorded("modules").actions()) == sorted(
        f'module.tpu["{name}"].{POOL}.{pool}'
        for name in ("blue", "green")
        for pool in ('slice["small"]', 'slice["large"]', "cpu[0]")
    )
    assert set(map(tuple, recorded("module_topology").actions().values())) == {("update",)}


def test_a_trigger_replaces_and_deletes_before_it_creates() -> None:
    recording = recorded("triggered")
    assert recording.actions() == {f"{POOL}.slice": ["delete", "create"], SHAPE: ["update"]}
    (change,) = (item for item in recording.plan["resource_changes"] if item["name"] == "slice")
    assert change["action_reason"] == "replace_by_triggers"
    assert recording.outcome["sent"] == [
        "DELETE clusters/training/nodePools/slice",
        "POST clusters/training/nodePools",
    ]
    assert recording.outcome["next_plan"] == UNCHANGED


def test_prevent_destroy_refuses_the_plan() -> None:
    assert "cannot be destroyed" in recorded("protected").outcome["plan"]
    assert recorded("protected").outcome.keys() == {"plan"}


def test_a_pool_without_capacity_is_tainted_and_replaced() -> None:
    recording = recorded("out_of_capacity")
    assert "error" in recording.outcome["apply"].lower()
    assert recording.outcome["next_plan"] == "Plan: 1 to add, 0 to change, 1 to destroy."


def test_a_reservation_that_is_too_small_ends_at_the_timeout_and_leaves_no_pool() -> None:
    recording = recorded("reservation_too_small")
    assert "short of 1 VM count" in recording.outcome["apply"]
    assert recording.outcome["sent"] == ["POST clusters/training/nodePools"] * 3, "one for each pool"
    assert recording.outcome["next_plan"].endswith(" to add, 0 to change, 0 to destroy.")


def test_the_plan_does_not_see_the_protection_of_a_cluster() -> None:
    recording = recorded("cluster_renamed")
    assert recording.actions()["google_container_cluster.tpu"] == ["delete", "create"]
    assert "deletion_protection" in recording.outcome["apply"]
    assert recording.outcome["sent"] == ["DELETE clusters/tpu/nodePools/cube"], "the slice is lost"


def test_a_pool_that_somebody_deleted_is_created_and_other_changes_are_taken_back() -> None:
    assert recorded("drift_gone").actions() == {f"{POOL}.reserved": ["create"]}
    assert recorded("drift_updated").actions() == {f"{POOL}.reserved": ["update"]}


# With the programs: the traps, and imports that differ


def test_adding_a_trigger_to_a_living_pool_replaces_it_unless_its_shape_is_made_first(
    terraform: Terraform, google: Google
) -> None:
    shape = configuration("triggered")["main.tf"].partition("resource")[2].partition("\n}\n")[0]
    without = [(f"resource{shape}\n}}\n", ""), ("    replace_triggered_by = [terraform_data.shape]\n", "")]
    applied(terraform, google, "triggered", *without)
    plan = planned(terraform, "triggered")
    assert plan.actions == {f"{POOL}.slice": ["delete", "create"], SHAPE: ["create"]}
    protected = ("  lifecycle {", "  lifecycle {\n    prevent_destroy = true")
    terraform.replace(edited("triggered", protected))
    assert "cannot be destroyed" in terraform.run("plan", "-no-color", fails=True).text
    terraform.replace(configuration("triggered"))
    terraform.apply(f"-target={SHAPE}")
    assert terraform.plan().empty
    assert google.writes() == []


def test_ignored_counts_are_not_planned_and_a_replacement_takes_the_new_one(
    terraform: Terraform, google: Google
) -> None:
    ignoring = ("  lifecycle {", "  lifecycle {\n    ignore_changes = [node_count]")
    applied(terraform, google, "triggered", ignoring)
    assert planned(terraform, "triggered", ignoring, ("node_count = 4", "node_count = 8")).empty
    plan = planned(terraform, "triggered", ignoring, ("node_count = 4", "node_count = 8"), ('"4x4"', '"4x8"'))
    (change,) = (item["change"] for item in plan.json["resource_changes"] if item["name"] == "slice")
    assert (change["actions"], change["after"]["node_count"]) == (["delete", "create"], 8)


def test_a_moved_block_keeps_pool_and_shape(terraform: Terraform, google: Google) -> None:
    applied(terraform, google, "triggered")
    files = edited("triggered", ('"google_container_node_pool" "slice"', '"google_container_node_pool" "pool"'))
    files["moved.tf"] = f"moved {{\n  from = {POOL}.slice\n  to   = {POOL}.pool\n}}\n"
    terraform.replace(files)
    plan = terraform.plan()
    assert plan.summary == "Plan: 0 to add, 0 to change, 0 to destroy."
    assert plan.actions == {}
    terraform.apply()
    assert google.writes() == []


def test_a_deletion_policy_is_not_seen_by_the_plan(terraform: Terraform, google: Google) -> None:
    kept = ("  placement_policy {", '  deletion_policy = "PREVENT"\n\n  placement_policy {')
    applied(terraform, google, "triggered", kept)
    plan = planned(terraform, "triggered", kept, ('"4x4"', '"4x8"'), ("node_count = 4", "node_count = 8"))
    assert plan.actions[f"{POOL}.slice"] == ["delete", "create"]
    refused = terraform.run("apply", "-no-color", "-auto-approve", fails=True)
    assert 'without setting deletion_policy="DELETE"' in refused.text
    assert google.writes() == []


def test_an_abandoned_pool_is_forgotten_and_stays(terraform: Terraform, google: Google) -> None:
    left = ("  placement_policy {", '  deletion_policy = "ABANDON"\n\n  placement_policy {')
    applied(terraform, google, "triggered", left)
    terraform.destroy()
    assert google.writes() == []
    assert "values" not in terraform.state()


IN_RESERVED = "    gvnic {\n      enabled = true\n    }\n"


def more(text: str) -> tuple[str, str]:
    """An edit that adds lines to the nodes of the pool ``reserved``."""
    return IN_RESERVED, IN_RESERVED + text


@pytest.mark.parametrize(
    ("edit", "pool", "actions"),
    [
        (more('    service_account = "other@my-project.iam.gserviceaccount.com"\n'), "made", "replace"),
        (more('    oauth_scopes = ["https://www.googleapis.com/auth/cloud-platform"]\n'), "made", "replace"),
        (('["v6e-reservation"]', '["projects/my-project/reservations/v6e-reservation"]'), "made", "replace"),
        (
            ('cluster    = "training"', 'cluster    = "projects/my-project/locations/us-east5/clusters/training"'),
            "made",
            "replace",
        ),
        (('"4x4"', '"4x8"'), "made", "update"),
        (('"ct6e-standard-4t"', '"ct6e-standard-8t"'), "made", "update"),
        (('"ANY"', '"BALANCED"'), "elastic", "update"),
        (more("    disk_size_gb = 200\n"), "made", "update"),
        ((IN_RESERVED, ""), "made", "update"),
        (('["us-east5-b"]', '["us-east5-a"]'), "made", "update"),
        (more('    labels = {\n      a = "b"\n    }\n'), "made", "update"),
        (("  node_count = 4", "  initial_node_count = 4"), "made", ""),
        (more('    disk_type    = "pd-balanced"\n    disk_size_gb = 100\n'), "made", ""),
        (more("    boot_disk {\n      size_gb = 100\n    }\n"), "made", ""),
    ],
)
def test_an_import_of_a_pool_that_differs(
    terraform: Terraform, google: Google, edit: tuple[str, str], pool: str, actions: str
) -> None:
    for name in ("cluster", "pools"):
        make_by_hand(google, name)
    plan = planned(terraform, "gcloud", edit)
    address = f'{POOL}.made["reserved"]' if pool == "made" else f"{POOL}.elastic"
    expected = {"": [], "update": ["update"], "replace": ["delete", "create"]}[actions]
    assert plan.actions == ({address: expected} if expected else {})
    assert (plan.summary == IMPORTED) == (not expected)


def test_own_taints_of_an_imported_pool_are_planned_although_it_has_them(terraform: Terraform, google: Google) -> None:
    for name in ("cluster", "pools"):
        make_by_hand(google, name)
    taint = {"key": "team", "value": "a", "effect": "NO_SCHEDULE"}
    pool = "projects/my-project/locations/us-east5/clusters/training/nodePools/reserved"
    google.send("PUT", "container", pool, {"taints": {"taints": [taint]}})
    assert planned(terraform, "gcloud").summary == IMPORTED
    own = '    taint {\n      key    = "team"\n      value  = "a"\n      effect = "NO_SCHEDULE"\n    }\n'
    assert planned(terraform, "gcloud", more(own)).actions == {f'{POOL}.made["reserved"]': ["update"]}
    ignored = (
        "  placement_policy {",
        "  lifecycle {\n    ignore_changes = [node_config[0].taint]\n  }\n\n  placement_policy {",
    )
    assert planned(terraform, "gcloud", more(own), ignored).summary == IMPORTED


CLUSTER = """\
provider "google" {
  project = "my-project"
}

import {
  to = google_container_cluster.training
  id = "us-east5/training"
}

resource "google_container_cluster" "training" {
  name     = "training"
  location = "us-east5"

  release_channel {
    channel = "RAPID"
  }
"""


def test_an_import_of_a_cluster(terraform: Terraform, google: Google) -> None:
    make_by_hand(google, "cluster")
    address = "google_container_cluster.training"
    terraform.write({"main.tf": CLUSTER + "}\n"})
    assert terraform.plan().actions == {address: ["delete", "create"]}, "initial_node_count is missing"
    ignoring = "\n  lifecycle {\n    ignore_changes = [initial_node_count, node_config, resource_labels]\n  }\n"
    terraform.write({"main.tf": CLUSTER + ignoring + "}\n"})
    assert terraform.plan().summary == "Plan: 1 to import, 0 to add, 0 to change, 0 to destroy."
    removing = "  initial_node_count = 1\n  remove_default_node_pool = true\n"
    terraform.write({"main.tf": CLUSTER + removing + "}\n"})
    assert terraform.plan().actions == {address: ["update"]}
    terraform.apply()
    assert "DELETE clusters/training/nodePools/default-pool" in google.writes(), "it deletes a living pool"


def test_an_untainted_pool_in_error_is_planned_as_unchanged(terraform: Terraform, google: Google) -> None:
    make_by_hand(google, "cluster")
    google.knobs.out_of_capacity.add("slice")
    terraform.write(configuration("triggered"))
    terraform.run("apply", "-no-color", "-auto-approve", fails=True)
    assert terraform.plan().actions == {f"{POOL}.slice": ["delete", "create"]}
    terraform.run("untaint", "-no-color", f"{POOL}.slice")
    assert terraform.plan().empty


def test_a_pool_that_exists_already_is_not_taken_over(terraform: Terraform, google: Google) -> None:
    for name in ("cluster", "pools"):
        make_by_hand(google, name)
    terraform.write(configuration("pools"))
    printed = terraform.run("apply", "-no-color", "-auto-approve", fails=True)
    assert "already exists" in printed.text


def test_a_fleet_is_destroyed_in_the_order_that_the_apis_accept(terraform: Terraform, google: Google) -> None:
    terraform.write(
        edited(
            "fleet",
            ("  initial_node_count       = 1", "  deletion_protection      = false\n  initial_node_count       = 1"),
        )
    )
    terraform.apply()
    google.requests.clear()
    terraform.destroy()
    writes = google.writes()
    assert writes[0] == "DELETE clusters/tpu/nodePools/cube"
    assert (
        writes.index("DELETE clusters/tpu")
        < writes.index("DELETE subnetworks/tpu")
        < writes.index("DELETE networks/tpu")
    )
    assert google.compute.objects == {}
