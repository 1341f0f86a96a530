"""Ambiguous values, and other mistakes of YAML after which a file can be read on: the rest of the plan is checked."""

import datetime

import pytest

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan import Document, Plan, read_inventory_content, read_plan_content
from pulumi_gke_tpu.core.plan.schema import plan_data
from pulumi_gke_tpu.core.rules import check_plan

PLAN = """\
version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    location: us-east5
    slices:
      a: {{tpu: v6e, topology: 4x5, zone: us-east5-b}}
      b: {{tpu: v6e, topology: 4x4, zone: us-east5-b, {group}}}
{more}"""


def read(group: str, more: str = "") -> Document[Plan]:
    return read_plan_content(PLAN.format(group=group, more=more).encode(), "plan.yaml")


def found(document: Document[Plan]) -> list[tuple[str, str]]:
    """Rule and last step of the path of every finding, of reading and of the rules."""
    findings = check_plan(document, read_catalog(), datetime.date(2026, 11, 20)).findings
    return sorted({(finding.rule, str(finding.path[-1])) for finding in findings})


@pytest.mark.parametrize(
    ("group", "finding"),
    [
        ("count: 99999999999999999999", ("TPU011", "count")),
        ("protect: yes", ("TPU011", "protect")),
        ("count: !!str 3, protect: !mine true", ("TPU009", "protect")),
        ('node_labels: {a: "x\u200by"}', ("TPU010", "a")),
        ("count: *two", ("TPU007", "count")),
        ("count: 2, count: 3", ("TPU004", "count")),
    ],
)
def test_the_rest_of_the_plan_is_checked(group: str, finding: tuple[str, str]) -> None:
    rules = found(read(group))
    assert finding in rules
    assert ("TPU112", "topology") in rules


@pytest.mark.parametrize("value", ["5", "[r1]", "any", "true"])
def test_the_only_wrong_entry_of_a_mapping_is_the_only_finding(value: str) -> None:
    expected = [("TPU023", "reservation"), ("TPU112", "topology")]
    assert found(read(f"capacity: {{reservation: {value}}}")) == expected


def test_a_value_with_one_meaning_for_its_key_is_checked_like_that() -> None:
    document = read("max_pods_per_node: 0512")
    assert ("TPU511", "max_pods_per_node") in found(document)


def test_of_two_equal_keys_the_first_one_is_checked() -> None:
    document = read("count: 2, count: 3")
    assert document.content is not None
    assert plan_data(document.content)["clusters"]["train"]["slices"]["b"]["count"] == 2


def test_a_group_that_is_left_out_makes_no_entry_wrong_that_names_it() -> None:
    entry = "accept:\n  - {rule: TPU203, of: train/b, reason: x, until: 2026-12-01}\n"
    document = read("count: 99999999999999999999", entry)
    assert document.content is not None
    assert document.content.unread == {"train/b"}
    assert ("TPU901", "of") not in found(document)
    assert ("TPU901", "of") in found(read("count: 2", entry.replace("train/b", "train/c")))


@pytest.mark.parametrize(
    ("of", "unused"),
    [("of: train/b, ", False), ("of: train, ", False), ("", False), ("of: train/a, ", True), ("of: other, ", True)],
)
def test_an_accept_entry_for_what_is_left_out_may_be_in_use(of: str, unused: bool) -> None:
    other = "  other: {mode: standard, location: us-east5}\n"
    entry = f"{other}accept:\n  - {{rule: TPU208, {of}reason: x, until: 2026-12-01}}\n"
    assert ("TPU904", "rule") in found(read("count: 2", entry))
    assert (("TPU904", "rule") in found(read("count: 99999999999999999999", entry))) is unused


@pytest.mark.parametrize(
    ("group", "allowed", "fix"),
    [
        ("count: 99999999999999999999", (), ""),
        ("count: 010", ("10",), "10"),
        ("protect: yes", ("true",), "true"),
        ("node_labels: {a: yes}", ('"yes"', "true"), '"yes"'),
        ("extra: {a: yes}", ('"yes"', "true"), ""),
    ],
)
def test_the_choices_are_those_that_the_key_takes(group: str, allowed: tuple[str, ...], fix: str) -> None:
    (finding,) = (finding for finding in read(group).findings if finding.rule == "TPU011")
    assert (finding.allowed, finding.fix) == (allowed, fix)


@pytest.mark.parametrize(
    "text",
    [
        "version: 1\nproject: acme-ml\nclu\u200bsters: {}\n",
        "version: 1\nproject: acme-ml\nclusters: *all\n",
        "version: 1\nproject: acme-ml\nclusters:\n  on: {mode: standard, location: us-east5}\n",
    ],
)
def test_where_nothing_usable_is_left_only_the_cause_is_reported(text: str) -> None:
    document = read_plan_content(text.encode(), "plan.yaml")
    assert document.content is None or not document.content.clusters
    assert [finding.rule for finding in document.findings] in (["TPU010"], ["TPU007"], ["TPU009"])


def test_an_inventory_is_read_on_as_well() -> None:
    quotas = "quotas:\n  - {project: a, metric: m, region: r, limit: 0x1_0}\n  - {project: b}\n"
    text = f"version: 1\nas_of: 2026-11-20\n{quotas}"
    findings = read_inventory_content(text.encode(), "inventory.yaml").findings
    assert [finding.rule for finding in findings] == ["TPU011", "TPU021", "TPU021", "TPU021"]


def test_a_file_that_is_not_a_plan_is_not_quoted() -> None:
    document = read_plan_content(b"password: hunter_2\ncount: 0_1\n", "plan.yaml")
    assert document.content is None
    assert "0_1" not in str(document.findings)


def test_a_value_behind_a_duplicate_key_is_reported_although_the_first_key_has_no_value() -> None:
    text = b"version: 1\nproject: acme-ml\nclusters:\n  a:\n  a:\n    slices:\n      b: !!binary aGk=\n"
    document = read_plan_content(text, "plan.yaml")
    assert {"TPU004", "TPU009"} <= {finding.rule for finding in document.findings}
