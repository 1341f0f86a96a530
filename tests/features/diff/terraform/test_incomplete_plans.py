"""What a plan of Terraform contains beside the changes of resources: errors, drift, deferred changes, actions."""

import json
import pathlib
from collections.abc import Mapping
from typing import Any

import pytest
from support.terraform.plans import POOL, change, changed, compared_text, plan, slice_values

SLICE = f"{POOL}.slice"
LABELS = change(SLICE, ["update"], slice_values(), changed(slice_values(), "node_config.labels", {"team": "x"}))
DRIFT = change(SLICE, ["update"], slice_values(), slice_values(node_count=3))
DEFERRED = {
    "reason": "instance_count_unknown",
    "resource_change": change(f"{POOL}.later", ["create"], None, slice_values("later")),
}
ACTION = {"address": "action.local_command.notify", "type": "local_command", "name": "notify"}


def document(*changes: Any, **members: Any) -> str:
    return json.dumps(json.loads(plan(*changes)) | members)


def notes(**members: Any) -> str:
    return " ".join(compared_text(document(LABELS, **members)).report.change.notes)


def test_a_plan_that_an_error_ended_is_an_error(gke_tpu: Any, tmp_path: pathlib.Path) -> None:
    file = tmp_path / "plan.json"
    file.write_text(document(LABELS, errored=True))
    for command in (("diff", "--terraform", file), ("check", file)):
        run = gke_tpu(*command)
        assert run.code == 1
        assert "error TPU890: the plan is incomplete: Terraform stopped with an error" in " ".join(run.out.split())
    assert "does not contain every change" in notes(errored=True)
    file.write_text(document(LABELS, errored=False))
    assert gke_tpu("diff", "--terraform", file).code == gke_tpu("check", file).code == 0


def test_a_plan_that_an_error_ended_can_have_no_changes(gke_tpu: Any, tmp_path: pathlib.Path) -> None:
    file = tmp_path / "plan.json"
    data = json.loads(document(errored=True))
    del data["resource_changes"]
    file.write_text(json.dumps(data))
    assert "TPU890" in gke_tpu("diff", "--terraform", file).out
    assert "TPU890" in gke_tpu("check", file).out


def test_what_changed_outside_of_terraform_is_named() -> None:
    unread = {**DRIFT, "type": "google_sql_user", "address": "google_sql_user.a"}
    same = change(f"{POOL}.same", ["no-op"], slice_values(), slice_values())
    said = notes(resource_drift=[DRIFT, unread, same])
    assert f"Changed outside of Terraform since its last run: `{SLICE}`." in said
    assert "same" not in said


EMPTY = {"storage_pools": None, "tags": None, "resource_manager_tags": None}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (EMPTY, {"storage_pools": [], "tags": [], "resource_manager_tags": {}}),
        ({"labels": None}, {"labels": {}}),
        ({"disk_type": None}, {"disk_type": "hyperdisk-balanced"}),
        ({"boot_disk": []}, {"boot_disk": [{"disk_type": "hyperdisk-balanced", "size_gb": 100}]}),
        ({}, {"effective_taints": [{"key": "google.com/tpu", "value": "present", "effect": "NO_SCHEDULE"}]}),
    ],
)
def test_a_value_that_was_read_for_the_first_time_has_not_changed(
    before: Mapping[str, Any], after: Mapping[str, Any]
) -> None:
    was, will = (slice_values(node_config=[slice_values()["node_config"][0] | each]) for each in (before, after))
    assert "outside of Terraform" not in notes(resource_drift=[change(SLICE, ["update"], was, will)])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"labels": {"team": "a"}}, {"labels": {"team": "b"}}),
        ({"labels": {"team": "a"}}, {"labels": {"team": "a", "by": "hand"}}),
        ({"labels": {}}, {"labels": {"by": "hand"}}),
        ({"disk_size_gb": 100}, {"disk_size_gb": 300}),
        ({"tags": ["a"]}, {"tags": []}),
        ({"taint": []}, {"taint": [{"key": "by", "value": "hand", "effect": "NO_SCHEDULE"}]}),
    ],
)
def test_a_value_that_somebody_set_is_a_change(before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
    was, will = (slice_values(node_config=[slice_values()["node_config"][0] | each]) for each in (before, after))
    said = notes(resource_drift=[change(SLICE, ["update"], was, will)])
    assert f"Changed outside of Terraform since its last run: `{SLICE}`." in said


def test_deferred_changes_are_named_and_not_counted() -> None:
    found = compared_text(document(LABELS, deferred_changes=[DEFERRED], complete=False))
    said = " ".join(found.report.change.notes)
    assert f"not in this report: `{POOL}.later` (instance count unknown)." in said
    assert [item.item for item in found.report.change.items] == [SLICE]
    assert found.findings == ()


def test_deferred_changes_are_not_checked(gke_tpu: Any, tmp_path: pathlib.Path) -> None:
    file = tmp_path / "plan.json"
    file.write_text(document(deferred_changes=[DEFERRED]))
    run = gke_tpu("check", file)
    assert run.code == 0
    assert "1 resource (Terraform defers them)" in " ".join(run.out.split())


def test_a_plan_that_leaves_something_out_has_a_note() -> None:
    assert "make another plan after the apply" in notes(complete=False)
    assert "another plan" not in notes(complete=True) + notes()


def test_actions_are_named() -> None:
    postponed = {"reason": "deferred_prereq", "action_invocation": {**ACTION, "address": "action.local_command.b"}}
    said = notes(action_invocations=[ACTION, ACTION], deferred_action_invocations=[postponed])
    assert "`action.local_command.notify` and `action.local_command.b`." in said


@pytest.mark.parametrize(
    "member",
    [
        "resource_drift",
        "deferred_changes",
        "action_invocations",
        "deferred_action_invocations",
        "errored",
        "complete",
    ],
)
@pytest.mark.parametrize(
    "value",
    [None, 1, "x", "t", [], [None], [{}], [{"address": 1}], [{"resource_change": {"address": []}}], {"a": [1]}, "\x1b"],
)
def test_any_other_form_is_ignored(member: str, value: Any) -> None:
    found = compared_text(document(LABELS, **{member: value}))
    assert [item.item for item in found.report.change.items] == [SLICE]
    assert found.findings == ()


def test_addresses_cannot_change_the_markup_around_them() -> None:
    hostile = {**DRIFT, "address": f'{POOL}.x["\x1b[31m`|<b>\n"]'}
    said = notes(resource_drift=[hostile], action_invocations=[{"address": "\x1b`x"}])
    assert said.isprintable()
    assert said.count("`") % 2 == 0
