"""Slices with a workload policy of another topology: in one plan, across plans, and in a change."""

import datetime
from collections.abc import Callable
from pathlib import Path

import pytest
from support.checking import validate
from support.several import findings_about
from support.transitions import change_of

from pulumi_gke_tpu.catalog import Catalog
from pulumi_gke_tpu.findings import Finding, format_path
from pulumi_gke_tpu.plan import Unknown, parse_plan

Check = Callable[[str], tuple[Finding, ...]]
TODAY = datetime.date(2026, 11, 20)


def group(name: str, topology: str, policy: str = "", **more: str) -> str:
    keys = {"tpu": "tpu7x", "topology": topology, "zone": "us-central1-c"}
    if policy:
        keys["placement"] = f"{{workload_policy: {policy}}}"
    return f"{name}: {{{', '.join(f'{key}: {value}' for key, value in {**keys, **more}.items())}}}"


def body(*groups: str, name: str = "train", location: str = "us-central1") -> str:
    lines = "".join(f"  {item}\n" for item in groups)
    return f"mode: standard\nlocation: {location}\nname: {name}\nslices:\n{lines}"


def whole(project: str, text: str) -> str:
    indented = "".join(f"    {line}\n" for line in text.splitlines())
    return f"version: 1\nproject: {project}\nclusters:\n  train:\n{indented}"


MADE = group("large", "4x4x4")
"""Its policy is train-large-4x4x4."""


def said(findings: tuple[Finding, ...], rule: str) -> list[tuple[str, str]]:
    return [(item.severity.word, format_path(item.path)) for item in findings if item.rule == rule]


@pytest.mark.parametrize(
    ("groups", "wrong"),
    [
        ((MADE, group("small", "2x2x2", "train-large-4x4x4")), ["small"]),
        ((group("small", "2x2x2", "train-large-4x4x4"), MADE), ["small"]),
        ((MADE, group("small", "4x4x4", "train-large-4x4x4")), []),
        ((MADE, group("small", "2x2x2", "train-small-2x2x2")), []),
        ((group("a", "4x4x4", "cube"), group("b", "2x2x2", "cube")), ["b"]),
        ((group("a", "4x4x4", "cube"), group("b", "4x4x4", "cube")), []),
        ((group("a", "4x4x4", "cube"), group("b", "2x2x2", "other")), []),
        (
            (
                "v6: {tpu: v6e, topology: 4x4, zone: us-central1-b}",
                "v5: {tpu: v5e, topology: 4x8, zone: us-central1-a}",
            ),
            [],
        ),
        ((group("a", "4x4x4", "cube"), group("one", "2x2x1", "cube")), []),
        (
            (
                MADE,
                group("small", "2x2x2", "projects/acme-ml/regions/us-central1/resourcePolicies/train-large-4x4x4"),
            ),
            ["small"],
        ),
    ],
)
def test_a_policy_of_another_topology_in_one_plan_is_reported(
    check: Check, groups: tuple[str, ...], wrong: list[str]
) -> None:
    expected = [("error", f"clusters.train.slices.{name}.placement.workload_policy") for name in wrong]
    assert said(check(body(*groups)), "TPU135") == expected


def test_groups_without_node_pools_use_no_policy(check: Check) -> None:
    groups = body(group("a", "4x4x4", "cube"), group("b", "2x2x2", "cube")).replace("standard", "autopilot")
    assert said(check(groups), "TPU135") == []


def test_a_policy_with_an_unknown_name_is_not_compared(catalog: Catalog) -> None:
    members = {
        name: {
            "tpu": "tpu7x",
            "topology": topology,
            "zone": "us-central1-c",
            "placement": {"workload_policy": Unknown(output=name)},
        }
        for name, topology in (("a", "4x4x4"), ("b", "2x2x2"))
    }
    cluster = {"mode": "standard", "location": "us-central1", "slices": members}
    plan = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"c": cluster}}).content
    assert plan is not None
    assert said(validate(plan, catalog), "TPU135") == []


def test_the_message_names_both_groups(check: Check) -> None:
    (finding,) = check(body(MADE, group("small", "2x2x2", "train-large-4x4x4")))
    assert finding.message == (
        "workload policy `train-large-4x4x4` is created for `train/large` with topology 4x4x4, "
        "but `train/small` has topology 2x2x2"
    )


@pytest.mark.parametrize(
    ("first", "second", "wrong"),
    [
        (body(MADE), body(group("small", "2x2x2", "train-large-4x4x4"), name="serve"), True),
        (body(group("small", "2x2x2", "train-large-4x4x4"), name="serve"), body(MADE), True),
        (body(MADE), body(group("small", "4x4x4", "train-large-4x4x4"), name="serve"), False),
        (body(group("a", "4x4x4", "cube")), body(group("b", "2x2x2", "cube"), name="serve"), True),
        (whole("acme-ml", body(MADE)), whole("acme-2", body(group("b", "2x2x2", "train-large-4x4x4"))), False),
        (
            body(group("a", "4x4x4", "cube")),
            body(group("b", "2x2x2", "cube", zone="us-east1-d"), name="serve", location="us-east1"),
            False,
        ),
    ],
    ids=["made", "made later", "same topology", "both named", "other project", "other region"],
)
def test_a_policy_of_another_topology_across_plans_is_reported(
    catalog: Catalog, tmp_path: Path, first: str, second: str, wrong: bool
) -> None:
    found = said(findings_about(f"{first}\n--- plan\n{second}", catalog, tmp_path, TODAY), "TPU845")
    assert [severity for severity, _ in found] == (["error"] if wrong else [])


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ([group("a", "4x4x4", "cube")], [group("a", "2x2x2", "cube")], ["warning"]),
        ([group("a", "4x4x4", "cube")], [group("a", "2x2x2", "small")], []),
        ([group("a", "4x4x4", "cube")], [group("a", "4x4x4", "cube", count="2")], []),
        ([group("a", "4x4x4", "cube")], [group("b", "2x2x2", "cube")], ["warning"]),
        ([MADE], [group("small", "2x2x2", "train-large-4x4x4")], ["error"]),
        ([MADE], [group("large", "4x4x4", "train-large-4x4x4")], ["error"]),
        ([MADE], [MADE, group("small", "4x4x4", "train-large-4x4x4")], []),
        ([MADE], [group("large", "2x2x2")], []),
        ([MADE, group("b", "2x2x2")], [MADE, group("b", "2x2x2", "cube")], []),
    ],
    ids=[
        "topology under the same policy",
        "another policy with it",
        "more slices",
        "another group takes the policy",
        "of a group that is deleted",
        "its own, which is deleted",
        "of a group that stays",
        "made anew",
        "never seen before",
    ],
)
def test_a_change_of_the_topology_of_a_policy_is_reported(
    before: list[str], after: list[str], expected: list[str]
) -> None:
    found = said(change_of(body(*before), body(*after)), "TPU975")
    assert [severity for severity, _ in found] == expected
    assert all(path.endswith(".placement.workload_policy") for _, path in found)
