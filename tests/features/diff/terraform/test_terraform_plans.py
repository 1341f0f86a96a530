"""``gke-tpu diff --terraform`` of plans made by hand: what no recording has, gates, exit codes, and any other input."""

import json
import pathlib
import time
from collections.abc import Mapping
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.markdown_structure import automatic, structure
from support.sampling import SELECTION
from support.terraform.plans import (
    CLUSTER,
    POOL,
    RESERVED,
    change,
    changed,
    cluster_values,
    compared,
    compared_text,
    plan,
    slice_values,
)
from support.terraform.recordings import RECORDINGS

from pulumi_gke_tpu.features.diff.model import ItemChange
from pulumi_gke_tpu.features.diff.output.comment import change_markdown
from pulumi_gke_tpu.features.diff.output.json import change_json, change_schema
from pulumi_gke_tpu.features.diff.output.page import change_page

SLICE = f"{POOL}.slice"
RECORDED = sorted(path for path in RECORDINGS.rglob("plan.json") if b"resource_changes" in path.read_bytes())
INVENTORY = """
version: 1
as_of: 2026-11-20
reservations:
  - {name: v6e, project: my-project, zone: us-east5-b, machine_type: ct6e-standard-4t, vms: 6}
"""


def items(*changes: Mapping[str, Any]) -> dict[str, ItemChange]:
    return {item.item: item for item in compared(*changes).report.change.items}


def one(*changes: Mapping[str, Any]) -> ItemChange:
    (item,) = items(*changes).values()
    return item


def test_create_before_destroy_needs_capacity_for_both() -> None:
    item = one(change(SLICE, ["create", "delete"], slice_values(), slice_values(), replace_paths=[["name"]]))
    assert item.change == "replace"
    assert not item.resources[0].delete_first
    assert "the new node pool is created before the old one is deleted" in item.consequence


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("replace_because_tainted", "because it is tainted"),
        ("replace_by_request", "made with `-replace`"),
        ("replace_by_triggers", "only created; then first apply the trigger alone with `-target`"),
    ],
)
def test_a_replacement_without_a_difference_has_a_reason(reason: str, said: str) -> None:
    item = one(change(SLICE, ["delete", "create"], slice_values(), slice_values(), more={"action_reason": reason}))
    assert item.change == "replace"
    assert said in item.consequence
    sources = [fact.source for fact in item.facts]
    assert all("OpenTofu" in source for source in sources)
    assert bool(sources) == (reason == "replace_by_triggers")


def test_a_moved_node_pool_is_kept() -> None:
    item = one(change(SLICE, ["no-op"], slice_values(), slice_values(), more={"previous_address": f"{POOL}.old"}))
    assert (item.change, item.former_item, item.hosts_gone.maximum) == ("metadata", f"{POOL}.old", 0)
    assert "nothing changes in the cloud" in item.consequence


def test_a_moved_node_pool_can_change_too() -> None:
    after = changed(slice_values(), "placement_policy.tpu_topology", "4x8")
    item = one(change(SLICE, ["update"], slice_values(), after, more={"previous_address": f"{POOL}.old"}))
    assert (item.change, item.former_item) == ("no-op", f"{POOL}.old")
    moved = change(
        SLICE, ["delete", "create"], slice_values(), slice_values(), more={"previous_address": f"{POOL}.old"}
    )
    assert one(moved).hosts_gone.maximum == 4


def test_a_forgotten_node_pool_stays_in_the_cloud() -> None:
    found = compared(change(SLICE, ["forget"], slice_values(), None))
    (item,) = found.report.change.items
    assert (item.change, item.in_state, item.hosts_gone.maximum) == ("metadata", "forget", 0)
    assert "it stays in the cloud with 4 hosts (16 chips)" in item.consequence
    assert found.report.change.totals.capacity.will.chips.maximum == 16


def test_what_the_provider_refuses_to_delete_fails() -> None:
    pool = one(change(SLICE, ["delete"], slice_values(deletion_policy="PREVENT"), None))
    assert "deletion_policy is PREVENT" in pool.refused
    assert ["Google provider 8.0.0" in fact.source for fact in pool.facts] == [True]
    cluster = one(change(f"{CLUSTER}.c", ["delete"], cluster_values(deletion_protection=True), None))
    assert "deletion_protection is true" in cluster.refused


def test_a_pool_that_is_abandoned_stays() -> None:
    item = one(change(SLICE, ["delete"], slice_values(deletion_policy="ABANDON"), None))
    assert (item.change, item.in_state, item.hosts_gone.maximum) == ("metadata", "forget", 0)
    assert ["Google provider 8.0.0" in fact.source for fact in item.facts] == [True]


@pytest.mark.parametrize("actions", [["delete"], ["delete", "create"]])
def test_a_cluster_takes_the_node_pools_with_it_that_the_plan_keeps(actions: list[str]) -> None:
    after = None if actions == ["delete"] else cluster_values()
    found = items(
        change(f"{CLUSTER}.c", actions, cluster_values(), after),
        change(SLICE, ["no-op"], slice_values(), slice_values()),
        change(f"{POOL}.other", ["no-op"], slice_values(cluster="other"), slice_values(cluster="other")),
    )
    assert found.keys() == {f"{CLUSTER}.c", SLICE}
    assert (found[SLICE].change, found[SLICE].hosts_gone.maximum, found[SLICE].hosts_new.maximum) == ("delete", 4, 0)
    assert "Terraform does not plan this" in found[SLICE].consequence
    assert "with its node pools (4 TPU hosts)" in found[f"{CLUSTER}.c"].consequence


def test_the_default_pool_of_an_imported_cluster_is_deleted() -> None:
    before = cluster_values(node_pool=[{"name": "default-pool", "node_config": [{"machine_type": "e2-medium"}]}])
    after = {**before, "remove_default_node_pool": True}
    item = one(change(f"{CLUSTER}.c", ["update"], before, after, importing={"id": "projects/p/locations/l/clusters/c"}))
    assert item.change == "delete"
    assert "deletes node pool `default-pool`" in item.consequence
    assert any("Google provider 8.0.0" in fact.source for fact in item.facts)
    without = {**before, "node_pool": [{"name": "slice"}]}
    assert (
        one(change(f"{CLUSTER}.c", ["update"], without, {**without, "remove_default_node_pool": True})).change
        != "delete"
    )


def test_a_new_address_without_a_moved_block_is_recognized() -> None:
    found = items(
        change(SLICE, ["delete"], slice_values(), None), change(f"{POOL}.new", ["create"], None, slice_values())
    )
    assert "is expected to fail" in found[f"{POOL}.new"].refused
    assert "a `moved` block keeps the node pool" in found[f"{POOL}.new"].consequence
    assert f"`{SLICE}`" in found[f"{POOL}.new"].consequence
    other = items(
        change(SLICE, ["delete"], slice_values(), None), change(f"{POOL}.new", ["create"], None, slice_values("new"))
    )
    assert not other[f"{POOL}.new"].refused


def test_a_deposed_object_is_deleted_with_its_hosts() -> None:
    found = items(
        change(SLICE, ["no-op"], slice_values("new"), slice_values("new")),
        change(SLICE, ["delete"], slice_values(), None, more={"deposed": "a1b2c3d4"}),
    )
    (item,) = found.values()
    assert item.item == f"{SLICE} (deposed object a1b2c3d4)"
    assert (item.change, item.hosts_gone.maximum) == ("delete", 4)


def test_a_part_without_effect_is_not_hidden_by_the_rest_of_the_update() -> None:
    after = changed(
        changed(slice_values(), "placement_policy.tpu_topology", "4x8"), "node_config.labels", {"team": "x"}
    )
    item = one(change(SLICE, ["update"], slice_values(), after))
    assert item.change == "no-op"
    assert "`placement_policy.tpu_topology` does not change" in item.consequence


USED = [{"cpu_manager_policy": "static", "cpu_cfs_quota": True}]


@pytest.mark.parametrize(
    ("was", "will", "refused"),
    [
        ([{"cpu_cfs_quota": False, "cpu_manager_policy": "", "pod_pids_limit": 0}], [], True),
        (USED, [], True),
        (USED, None, True),
        (USED, [{"cpu_manager_policy": "none", "cpu_cfs_quota": True}], False),
        ([], USED, False),
        ([], [], False),
        (None, [], False),
    ],
)
@pytest.mark.parametrize("labels", [{}, {"team": "a"}])
def test_a_removed_kubelet_configuration_is_an_empty_request_of_an_old_provider(
    was: object, will: object, labels: dict[str, str], refused: bool
) -> None:
    before = changed(slice_values(), "node_config.kubelet_config", was)
    after = changed(changed(slice_values(), "node_config.kubelet_config", will), "node_config.labels", labels)
    item = one(change(SLICE, ["update"], before, after))
    assert (item.change == "refused") == refused
    assert ("At least one of ['node_version', ...] must be specified" in item.resources[0].refused) == refused
    assert refused == any("Version 6.7.0 and later ones keep the block" in fact.text for fact in item.facts)


@pytest.mark.parametrize(("hosts", "effect"), [(4, "no-op"), (8, "refused")])
def test_a_new_topology_needs_a_new_node_pool_also_with_a_new_number_of_nodes(
    hosts: int, effect: str, gke_tpu: Any, tmp_path: pathlib.Path
) -> None:
    """GKE rejects the number, but reverting it alone does not give the topology."""
    after = changed(changed(slice_values(), "placement_policy.tpu_topology", "4x8"), "node_count", hosts)
    update = change(SLICE, ["update"], slice_values(), after)
    assert one(update).change == effect
    file = tmp_path / "plan.json"
    file.write_bytes(plan(update).encode())
    text = " ".join(gke_tpu("diff", "--terraform", file).out.split())
    assert f"`terraform plan -replace` with `{SLICE}`, or `replace_triggered_by` in its configuration" in text
    comment = gke_tpu("diff", "--terraform", file, "--format", "markdown").out
    (step,) = [line for line in comment.splitlines() if "**Next:**" in line]
    word = {"no-op": "Apply the change of", "refused": "Replace"}[effect]
    assert f"{word} `{SLICE}` as described below, or revert" in step


def test_keys_of_labels_are_shown_as_they_are() -> None:
    after = changed(slice_values(), "node_config.labels", {"team": "research", "myTeam": "a", "a.b/cDe": "b"})
    assert {each.key for each in one(change(SLICE, ["update"], slice_values(), after)).written} == {
        "node_config.labels.myTeam",
        'node_config.labels["a.b/cDe"]',
    }


def test_scripts_and_secrets_are_not_shown() -> None:
    before = changed(slice_values(), "node_config.metadata", {"startup-script": "TOKEN=hunter2"})
    after = changed(slice_values(), "node_config.metadata", {"startup-script": "TOKEN=hunter3"})
    secret = changed(after, "node_config.labels", {"team": "hunter4"})
    sensitive = {"node_config": [{"labels": {"team": True}}]}
    found = compared(change(SLICE, ["update"], before, secret, after_sensitive=sensitive))
    written = json.dumps(change_json(change_page(found.report, found.findings)))
    assert "startup-script" in written
    assert "hunter" not in written


def test_gates_and_exit_codes_are_those_of_a_change_of_plans(gke_tpu: Any, tmp_path: pathlib.Path) -> None:
    def run(name: str, *options: str) -> Any:
        return gke_tpu("diff", "--terraform", RECORDINGS / name / "plan.json", *options)

    assert run("labels").code == 0
    assert run("labels", "--exit-code").code == 4
    assert run("pool_deleted", "--exit-code").code == 5
    assert run("topology", "--exit-code").code == 1
    assert run("machine_type", "--fail-on", "restart").code == 6
    assert run("spot_off", "--fail-on", "replace").code == 6
    assert run("spot_off", "--fail-on", "delete,cost:+1%").code == 6
    assert run("no_change", "--exit-code", "--fail-on", "dangerous").code == 0
    refused = run("node_count_of_slice")
    assert refused.code == 1
    assert "plan.json:" in refused.out
    assert "error TPU964: `terraform apply` will fail" in " ".join(refused.out.split())
    assert "pulumi up" not in refused.out
    many = run("spot_off", "--most-hosts", "1")
    assert "TPU958" in many.out
    assert run("spot_off", "--most-hosts", "1", "--strict").code == 1


def test_a_reservation_that_is_too_small_is_an_error(gke_tpu: Any, tmp_path: pathlib.Path) -> None:
    file, inventory = tmp_path / "plan.json", tmp_path / "inventory.yaml"
    inventory.write_text(INVENTORY)
    two = [change(f"{POOL}.{name}", ["create"], None, {**RESERVED, "name": name}) for name in ("a", "b")]
    file.write_text(plan(*two))
    run = gke_tpu("diff", "--terraform", file, "--inventory", inventory)
    said = " ".join(run.out.split())
    assert run.code == 1
    assert "the reservation has 6 available VMs, 2 too few" in said
    assert f"TPU804: reservation `v6e` has 6 VMs, but the plans need 8 ({POOL}.a: 4, {POOL}.b: 4)" in said
    file.write_text(plan(two[0]))
    assert gke_tpu("diff", "--terraform", file, "--inventory", inventory).code == 0
    file.write_text(plan(*(change(each["address"], ["no-op"], RESERVED, RESERVED) for each in two)))
    assert gke_tpu("diff", "--terraform", file, "--inventory", inventory).code == 0


def test_several_files_are_one_report(gke_tpu: Any) -> None:
    files = [RECORDINGS / name / "plan.json" for name in ("topology", "fleet")]
    run = gke_tpu("diff", "--terraform", files[0], "--terraform", files[1], "--format", "json")
    data = json.loads(run.out)
    jsonschema.Draft202012Validator(change_schema()).validate(data)
    assert data["plans"] == [str(file) for file in files]
    assert {item["plan"] for item in data["items"]} == set(data["plans"])


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "not a plan of Terraform"),
        ("{", "not a plan of Terraform"),
        ("[]", "not a plan of Terraform"),
        ("a: 1", "not a plan of Terraform"),
        ('{"format_version": "1.2", "resource_changes": [{"address": "a", ', "not valid JSON"),
        ('{"version": 4, "terraform_version": "1.9.0", "resources": []}', "terraform show -json"),
    ],
)
def test_other_files_are_an_error(content: str, said: str, gke_tpu: Any, tmp_path: pathlib.Path) -> None:
    file = tmp_path / "plan.json"
    file.write_text(content)
    run = gke_tpu("diff", "--terraform", file)
    assert run.code == 2
    assert said in " ".join(run.err.split())
    assert "Traceback" not in run.err


def test_a_state_is_not_a_plan(gke_tpu: Any) -> None:
    run = gke_tpu("diff", "--terraform", RECORDINGS / "no_change" / "state.json")
    assert run.code == 2
    assert "it is a Terraform state, not a plan of Terraform" in " ".join(run.err.split())


def test_it_takes_the_place_of_both_sides(gke_tpu: Any) -> None:
    file = RECORDINGS / "topology" / "plan.json"
    for options in (("main",), ("--organization", "o.yaml"), ("--ack-from", "base"), ("--head-rev", "main")):
        run = gke_tpu("diff", "--terraform", file, *options)
        assert (run.code, "takes the place of both sides" in " ".join(run.err.split())) == (2, True)
    assert gke_tpu("diff", "--terraform", file, "--terraform", file).code == 2
    assert gke_tpu("diff", "--terraform", "missing.json").code == 2


HOSTILE = 'a\x1b[31m"]|`x`\n# <b>@all</b> [x](http://y) \u202e${x}'


def test_names_cannot_change_the_markup_around_them() -> None:
    def markdown(name: str) -> str:
        labelled = changed(slice_values(name, cluster=name), "node_config.labels", {name: name})
        found = compared(
            change(f'{POOL}.slice["{name}"]', ["update"], slice_values(name, cluster=name), labelled),
            change(f"{CLUSTER}.c", ["delete"], cluster_values(f"{name}2", deletion_protection=True), None),
        )
        page = change_page(found.report, found.findings)
        jsonschema.Draft202012Validator(change_schema()).validate(change_json(page))
        return change_markdown(page)

    assert structure(markdown(HOSTILE)) == structure(markdown("no label"))
    assert automatic(markdown(HOSTILE)) == {}
    assert markdown(HOSTILE).replace("\n", "").isprintable()


WRONG = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=150 if SELECTION.everything else 30, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_wrong_types_anywhere_cause_no_traceback(data: st.DataObject) -> None:
    document = json.loads(data.draw(st.sampled_from(RECORDED)).read_text())
    holder: Any = data.draw(st.sampled_from(document["resource_changes"]))
    while True:
        keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        key = data.draw(st.sampled_from(keys))
        if isinstance(holder[key], dict | list) and holder[key] and data.draw(st.booleans()):
            holder = holder[key]
            continue
        holder[key] = data.draw(WRONG)
        break
    found = compared_text(json.dumps(document))
    jsonschema.Draft202012Validator(change_schema()).validate(change_json(change_page(found.report, found.findings)))


@pytest.mark.parametrize("address", [None, "", 0, [], {}])
def test_a_resource_without_an_address_is_named_by_its_type_and_name(address: object) -> None:
    values, name = cluster_values(), f"{CLUSTER}.training"
    cluster = change(name, ["update"], values, {**values, "resource_labels": {"team": "research"}})
    pool = change(SLICE, ["delete"], slice_values(), None)
    found = compared(cluster | {"address": address}, pool | {"address": address})
    assert {item.item for item in found.report.change.items} == {name, SLICE}


@pytest.mark.parametrize("location", ["us-central1", "us-east5-b", "../..", "\u202e"])
def test_node_pools_of_one_cluster_in_several_locations_are_all_counted(location: str) -> None:
    found = compared(
        change(SLICE, ["no-op"], slice_values(), changed(slice_values(), "location", location)),
        change(f"{POOL}.other", ["create"], None, slice_values("other")),
    )
    assert found.report.change.totals.capacity.will.chips.maximum == 32


def test_a_thousand_node_pools_take_linear_time() -> None:
    def seconds(count: int) -> float:
        changes = [
            change(f'{POOL}.p["{index}"]', ["delete", "create"], slice_values(f"p{index}"), slice_values(f"p{index}"))
            for index in range(count)
        ]
        begun = time.process_time()
        assert len(items(*changes)) == count
        return time.process_time() - begun

    seconds(10)
    few, many = min(seconds(100) for _ in range(2)), seconds(1_000)
    assert many < 10 * few * 2.5 + 0.5
