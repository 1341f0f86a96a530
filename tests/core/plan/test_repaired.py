"""What is left of a plan or an inventory with mistakes, and where the rest was in the file."""

from typing import Any

import pytest

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan import parse_plan, read_inventory_content, read_plan_content
from pulumi_gke_tpu.core.plan.schema import plan_data
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Finding, Severity

GROUP = {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b"}
RUN = {"slices": "b", "start": "2026-12-01T08:00:00Z", "duration": "86400s"}
CLUSTER = {"mode": "standard", "location": "us-east5"}
PLAN = "version: 1\nproject: acme-ml\nclusters:\n  train:\n    mode: standard\n    location: us-east5\n"


def left_of(cluster: dict[str, Any], **more: Any) -> dict[str, Any]:
    content = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"train": cluster}, **more}).content
    assert content is not None
    data: dict[str, Any] = plan_data(content)
    return data


@pytest.mark.parametrize(
    ("wrong", "left"),
    [
        ({"maintenance": {"window": {"start": 3, "duration": "4h"}}, "name": "x"}, {"name": "x"}),
        ({"slices": {"a": GROUP | {"boot_disk": {"size_gib": []}}, "b": GROUP}}, {"slices": {"b": GROUP}}),
        ({"slices": {"slices": GROUP | {"count": []}, "b": GROUP}}, {"slices": {"b": GROUP}}),
        (
            {"slices": {"b": GROUP}, "runs": {"x": RUN | {"start": 3}, "y": RUN}},
            {"slices": {"b": GROUP}, "runs": {"y": RUN}},
        ),
        ({"network": {"create": {"mtu": [], "nat": False}}, "addons": ["ray"]}, {"addons": ["ray"]}),
    ],
)
def test_a_wrong_group_or_run_is_left_out_whole_and_of_a_cluster_only_the_wrong_key(
    wrong: dict[str, Any], left: dict[str, Any]
) -> None:
    assert left_of(CLUSTER | wrong)["clusters"] == {"train": CLUSTER | left}


def test_a_wrong_entry_at_the_top_is_left_out_whole() -> None:
    accept = [
        {"rule": "TPU203", "of": {}, "reason": "x", "until": "2026-12-01"},
        {"rule": "TPU204", "reason": "y", "until": "2026-12-01"},
    ]
    assert left_of(CLUSTER, accept=accept)["accept"] == accept[1:]


def test_of_an_inventory_a_wrong_entry_is_left_out_whole() -> None:
    versions = "gke_versions:\n  us-east5: {slices: [{}, '1.33']}\n  us-east1: {regular: ['1.34']}\n"
    content = f"version: 1\nas_of: 2026-11-20\n{versions}".encode()
    inventory = read_inventory_content(content, "inventory.yaml").content
    assert inventory is not None
    assert inventory.gke_versions == {"us-east1": {"regular": ["1.34"]}}


def test_a_finding_about_what_is_left_has_its_place_in_the_file() -> None:
    entries = "accept:\n  - {rule: TPU203, of: {}}\n  - {rule: TPU204, reason: x, until: 2026-12-01}\n"
    document = read_plan_content((PLAN + entries).encode(), "plan.yaml")
    (found,) = document.locate([Finding("TPU903", Severity.ERROR, ("accept", 0, "rule"), "message")])
    assert found.path == ("accept", 1, "rule")
    assert found.position is not None
    assert found.position.line == 9


WINDOW = {"start": "2026-01-03T02:00:00Z", "duration": "2h", "days": ["Caturday"]}
MANY = {
    **GROUP,
    "topology": "4x5",
    "count": [],
    "max_pods_per_node": 1000,
    "node_labels": {"a b": "c"},
    "zone": "us-east5-zz",
}


@pytest.mark.parametrize(
    ("wrong", "rules"),
    [
        ({"maintenance": {"window": WINDOW}}, {"TPU023": "days", "TPU602": "duration"}),
        (
            {"slices": {"a": MANY}},
            {"TPU022": "count", "TPU112": "topology", "TPU511": "max_pods_per_node", "TPU532": "a b", "TPU203": "zone"},
        ),
        ({"slices": {"a": {**GROUP, "zone": [], "count": "x"}}}, {"TPU022": "zone"}),
        ({"slices": {"a": {**GROUP, "tpu": []}}}, {"TPU022": "tpu"}),
        ({"slices": {"a": {"topology": "4x5", "zone": "us-east5-b"}}}, {"TPU021": "a"}),
        ({"mode": "gke", "slices": {"a": {**GROUP, "topology": "4x5"}}}, {"TPU023": "mode", "TPU112": "topology"}),
    ],
)
def test_the_other_keys_of_what_is_left_out_are_checked(wrong: dict[str, Any], rules: dict[str, str]) -> None:
    document = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"train": CLUSTER | wrong}})
    found = check_plan(document, read_catalog()).findings
    places = {finding.rule: str([step for step in finding.path if isinstance(step, str)][-1]) for finding in found}
    assert places == rules


def test_a_value_that_is_not_read_in_an_entry_of_a_list_is_reported() -> None:
    group = "tpu: v6e, topology: 4x4, zone: us-east5-b, taints: [{key: a, value: b,<<: NO_SCHEDULE}]"
    findings = read_plan_content(f"{PLAN}    slices: {{a: {{{group}}}}}\n".encode(), "plan.yaml").findings
    assert {finding.rule for finding in findings} == {"TPU007"}


def test_a_large_plan_is_checked_with_few_possible_values() -> None:
    """Each of them takes as long as the check of the whole plan."""
    few, many = (
        {f"g{index}": {**GROUP, "topology": "4x5", "count": "x"} for index in range(count)} for count in (2, 1000)
    )
    turns = []
    for groups in (few, many):
        document = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"t": {**CLUSTER, "slices": groups}}})
        turns.append(sum(1 for _ in document.variants()))
        found = check_plan(document, read_catalog()).findings
        assert {(finding.rule, finding.path[-1]) for finding in found} == {("TPU022", "count"), ("TPU112", "topology")}
        assert len(found) == 2 * len(groups)
    assert turns[1] < turns[0] <= 12
