"""Values in the arrangement of other tools: lists with names, taints of kubectl, `existing: true`."""

from typing import Any

import pytest
import yaml

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan import read_plan_content
from pulumi_gke_tpu.core.plan.slices import BootDisk
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Finding
from pulumi_gke_tpu.core.workflows.fixing import FixableFile, Fixer

CATALOG = read_catalog()
GROUP = {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b"}
WINDOW = {"start": "2026-01-03T02:00:00Z", "duration": "12h"}
FREEZE = {"start": "2026-12-01T00:00:00Z", "end": "2026-12-21T00:00:00Z", "scope": "no_upgrades"}


def plan(group: dict[str, Any] | None = None, **cluster: Any) -> dict[str, Any]:
    whole = {"mode": "standard", "location": "us-east5", "slices": {"a": GROUP | (group or {})}} | cluster
    return {"version": 1, "project": "acme-ml", "clusters": {"train": whole}}


def text(data: dict[str, Any]) -> bytes:
    return yaml.safe_dump(data, sort_keys=False).replace("'", '"').encode()


def findings(data: dict[str, Any]) -> list[Finding]:
    return list(check_plan(read_plan_content(text(data), "plan.yaml"), CATALOG).findings)


def fixed(data: dict[str, Any]) -> Any:
    (after,) = Fixer(CATALOG, None).fix([FixableFile("plan.yaml", text(data))]).after
    return yaml.load(after.content, yaml.BaseLoader)


def as_read(data: dict[str, Any]) -> Any:
    return yaml.load(text(data), yaml.BaseLoader)


def maintenance(exclusions: object) -> dict[str, Any]:
    return plan(maintenance={"window": WINDOW, "exclusions": exclusions})


@pytest.mark.parametrize(
    "entries",
    [
        [{"name": "freeze", **FREEZE}],
        [{"freeze": FREEZE}],
        [{"name": "freeze", "startTime": FREEZE["start"], "end_time": FREEZE["end"], "scope": "NO_UPGRADES"}],
        [{"name": "freeze", "start": "2026-12-01 00:00 UTC", "end": "Dec 21 2026, 12am GMT", "scope": "no_upgrades"}],
    ],
)
def test_a_list_with_names_becomes_a_mapping(entries: list[Any]) -> None:
    assert fixed(maintenance(entries)) == as_read(maintenance({"freeze": FREEZE}))


def test_a_list_with_a_date_without_a_time_is_left_to_people() -> None:
    entries = [{"name": "freeze", "start": "2026-12-01T00:00:00Z", "end": "2026-12-21", "scope": "no_upgrades"}]
    assert fixed(maintenance(entries)) == as_read(maintenance(entries))


def test_long_lists_become_one_entry_per_line() -> None:
    entries = [{"name": f"freeze-{number}", **FREEZE} for number in range(3)]
    (finding,) = [item for item in findings(maintenance(entries)) if item.path[-1] == "exclusions"]
    assert len(finding.fix.splitlines()) == 4
    assert fixed(maintenance(entries)) == as_read(maintenance({f"freeze-{number}": FREEZE for number in range(3)}))


def test_slice_groups_in_a_list_become_a_mapping() -> None:
    assert fixed(plan(slices=[{"name": "a", **GROUP}])) == as_read(plan())


def test_labels_in_a_list_become_a_mapping() -> None:
    labels = {"team": "research", "stage": "train"}
    for entries in (["team=research", "stage=train"], [{"team": "research"}, {"stage": "train"}]):
        assert fixed(plan({"node_labels": entries})) == as_read(plan({"node_labels": labels}))


def test_entries_without_names_get_an_example_that_is_not_applied() -> None:
    data = maintenance([FREEZE])
    (finding,) = [item for item in findings(data) if item.path[-1] == "exclusions"]
    assert finding.fix.startswith("exclusions: {exclusion-1: {start: ")
    assert not finding.only_fix
    assert fixed(data) == as_read(data)


@pytest.mark.parametrize("entries", [[{"name": "x", **FREEZE}, {"name": "x", **FREEZE}], [1], [], ["freeze"]])
def test_a_list_without_unique_names_gets_no_fix(entries: list[Any]) -> None:
    (finding,) = [item for item in findings(maintenance(entries)) if item.path[-1] == "exclusions"]
    assert finding.fix == ""


def test_a_date_as_the_end_of_a_listed_exclusion_is_explained() -> None:
    (finding,) = [item for item in findings(maintenance([{"x": FREEZE}])) if item.path[-1] == "exclusions"]
    assert "to include the whole last day, write the next day" in finding.why


@pytest.mark.parametrize(
    ("written", "taint"),
    [
        ("team=ml:NoSchedule", {"key": "team", "value": "ml", "effect": "NoSchedule"}),
        ("acme.dev/team=ml:NO_SCHEDULE", {"key": "acme.dev/team", "value": "ml", "effect": "NO_SCHEDULE"}),
        ("team:NoExecute", {"key": "team", "effect": "NoExecute"}),
    ],
)
@pytest.mark.parametrize("alone", [True, False])
def test_a_taint_of_kubectl_becomes_a_mapping(written: str, taint: dict[str, str], alone: bool) -> None:
    assert fixed(plan({"taints": written if alone else [written]})) == as_read(plan({"taints": [taint]}))


@pytest.mark.parametrize("written", ["team=ml", "team=ml:Never", "a=b:c:NoSchedule", ":NoSchedule"])
def test_another_text_is_not_a_taint(written: str) -> None:
    data = plan({"taints": [written]})
    assert fixed(data) == as_read(data)


def test_reserved_capacity_asks_for_the_name_of_the_reservation() -> None:
    for word in ("reserved", "reservation", "specific-reservation"):
        data = plan({"capacity": word})
        (finding,) = [item for item in findings(data) if item.path[-1] == "capacity"]
        assert finding.fix == "capacity: {reservation: my-reservation}"
        assert not finding.only_fix
        assert fixed(data) == as_read(data)


def test_existing_true_asks_for_the_reference_and_never_becomes_text() -> None:
    data = plan(existing=True)
    found = [item for item in findings(data) if item.path[-1] == "existing"]
    assert [item.rule for item in found] == ["TPU022"]
    assert found[0].fix == "existing: projects/acme-ml/locations/us-east5/clusters/train"
    assert fixed(data) == as_read(data)


@pytest.mark.parametrize(
    ("group", "cluster"),
    [
        ({"zone": True}, {}),
        ({"machine_type": True}, {}),
        ({"topology": False}, {}),
        ({}, {"node_service_account": True}),
    ],
)
def test_truth_values_do_not_become_names_that_cannot_exist(group: dict[str, Any], cluster: dict[str, Any]) -> None:
    data = plan(group, **cluster)
    assert fixed(data) == as_read(data)


def test_an_unknown_key_has_the_nearest_keys_and_the_command_that_lists_all() -> None:
    (finding,) = findings(plan({"type_of_the_machine": "x"}))
    assert "similar keys are `machine_type`" in finding.why
    assert finding.allowed == ()
    (finding,) = findings(plan({"hue": "x"}))
    assert finding.why == "an unknown key has no effect; `gke-tpu explain 'clusters.*.slices'` lists the keys here"
    assert finding.allowed == ()
    (finding,) = findings(plan({"boot_disk": {"hue": "x"}}))
    assert finding.allowed == tuple(BootDisk.model_fields)
    assert "gke-tpu explain" not in finding.why


def test_an_unknown_key_with_its_only_fix_lists_no_keys() -> None:
    (finding,) = findings(plan({"max_duration": "3d"}))
    assert finding.fix == "capacity: {flex_start: {max_run_duration: 3d}}"
    assert finding.allowed == finding.choices == ()


@pytest.mark.parametrize(
    ("groups", "rule", "key"),
    [
        ("Serve_A: {tpu: v6e, topology: 2x2, zone: us-east5-b}", "TPU292", "Serve_A"),
        (
            "serve: {tpu: v6e, topology: 4x4, zone: us-east5-b}\n"
            "      serve-0: {tpu: v6e, topology: 2x2, zone: us-east5-b}",
            "TPU293",
            "serve-0",
        ),
    ],
)
def test_findings_about_a_name_in_a_key_underline_the_key(groups: str, rule: str, key: str) -> None:
    content = (
        "version: 1\nproject: acme-ml\nclusters:\n  train:\n    mode: standard\n    location: us-east5\n    slices:\n"
        f"      {groups}\n"
    )
    (finding,) = [
        item
        for item in check_plan(read_plan_content(content.encode(), "plan.yaml"), CATALOG).findings
        if item.rule == rule
    ]
    place = finding.position
    assert place is not None
    assert place.text[place.column - 1 : place.end_column - 1] == key


@pytest.mark.parametrize(
    ("cluster", "path", "fix"),
    [
        (
            {"slices": GROUP},
            ("clusters", "train", "slices"),
            {"slices": {"my-slice": GROUP}},
        ),
        (
            {"cpu_pools": {"machine_type": "n2-standard-4"}},
            ("clusters", "train", "cpu_pools"),
            {"cpu_pools": {"my-cpu-pool": {"machine_type": "n2-standard-4"}}},
        ),
        (
            {"runs": {"slices": "a", "start": "2026-12-01T00:00:00Z", "duration": "7d"}},
            ("clusters", "train", "runs"),
            {"runs": {"my-run": {"slices": "a", "start": "2026-12-01T00:00:00Z", "duration": "7d"}}},
        ),
        (
            {"workload_policies": {"topology": "4x4x4"}},
            ("clusters", "train", "workload_policies"),
            {"workload_policies": {"my-workload-policy": {"topology": "4x4x4"}}},
        ),
        (
            {"maintenance": {"window": WINDOW, "exclusions": FREEZE}},
            ("clusters", "train", "maintenance", "exclusions"),
            {"exclusions": {"my-exclusion": FREEZE}},
        ),
        (
            {"kubernetes": {"workloads": {"slices": "a", "image": "train"}}},
            ("clusters", "train", "kubernetes", "workloads"),
            {"workloads": {"my-workload": {"slices": "a", "image": "train"}}},
        ),
    ],
)
def test_an_entry_without_its_name_is_one_finding_with_a_possible_name(
    cluster: dict[str, Any], path: tuple[str, ...], fix: dict[str, Any]
) -> None:
    (found,) = findings(plan(**cluster))
    assert (found.rule, found.path, found.only_fix) == ("TPU022", path, False)
    assert yaml.load(found.fix, yaml.BaseLoader) == fix


def test_a_cluster_without_its_name_is_one_finding() -> None:
    data = plan()
    (found,) = findings(data | {"clusters": data["clusters"]["train"]})
    assert (found.rule, found.path) == ("TPU022", ("clusters",))
    assert yaml.load(found.fix, yaml.BaseLoader) == {"clusters": {"my-cluster": data["clusters"]["train"]}}


def test_a_long_entry_without_its_name_is_written_on_several_lines() -> None:
    group = GROUP | {"node_labels": {"team": "a" * 63}, "resource_labels": {"team": "b" * 63}}
    (found,) = findings(plan(slices=group))
    assert found.fix.startswith("slices:\n  my-slice:\n    tpu: v6e\n")
    assert yaml.load(found.fix, yaml.BaseLoader) == {"slices": {"my-slice": group}}


def test_what_refers_to_an_entry_without_its_name_has_no_finding() -> None:
    workloads = {"run": {"slices": "main", "image": "train"}}
    (found,) = findings(plan(slices=GROUP, kubernetes={"workloads": workloads}))
    assert found.rule == "TPU022"


@pytest.mark.parametrize("slices", [{"tpu": "v6e", "main": GROUP}, {"main": "v6e"}])
def test_an_entry_with_a_name_is_not_taken_for_one_without(slices: dict[str, Any]) -> None:
    assert all(found.rule != "TPU022" for found in findings(plan(slices=slices)))
