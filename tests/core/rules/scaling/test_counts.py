"""Rules about the number of slices and of autoscaling."""

import re

import pytest
from support.fixtures.checks import Broken, Check

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.plan import read_plan_content
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.rules.scaling.counts import best_effort_not_possible, indistinguishable_groups

ONE_HOST = "tpu: v6e\ntopology: 2x2\n"

FOUR_HOSTS = "tpu: v6e\ntopology: 4x4\n"


@pytest.mark.parametrize(
    ("group", "expected"),
    [
        # fixed numbers
        (ONE_HOST, []),
        (FOUR_HOSTS, []),
        (ONE_HOST + "count: 0", []),
        (FOUR_HOSTS + "count: 0", []),
        (FOUR_HOSTS + "count: 3", []),
        # ranges
        (ONE_HOST + "count: {min: 0, max: 8}", []),
        (ONE_HOST + "count: {min: 8, max: 8}", []),
        (ONE_HOST + "min: 2\nmax: 8", []),
        (ONE_HOST + "max: 8", []),
        (ONE_HOST + "min: 1", []),
        (ONE_HOST + "min: 2", ["TPU402"]),
        (ONE_HOST + "count: {min: 9, max: 8}", ["TPU402"]),
        (FOUR_HOSTS + "count: {min: 0, max: 2}", []),
        (FOUR_HOSTS + "max: 2", []),
        (FOUR_HOSTS + "count: {min: 1, max: 2}", ["TPU401"]),
        (FOUR_HOSTS + "count: {min: 2, max: 2}", ["TPU401"]),
        (FOUR_HOSTS + "count: {min: 3, max: 2}", ["TPU401"]),
        (FOUR_HOSTS + "min: 3", ["TPU401"]),
        (FOUR_HOSTS.replace("4x4", "4x5") + "count: {min: 3, max: 2}", ["TPU112", "TPU402"]),
        # both
        (ONE_HOST + "count: 2\nmin: 1", ["TPU403"]),
        (ONE_HOST + "count: 2\nmin: 4\nmax: 1", ["TPU403"]),
        (FOUR_HOSTS + "count: 2\nmax: 4", ["TPU403"]),
        # flex-start and queued
        (ONE_HOST + "capacity: flex_start", []),
        (FOUR_HOSTS + "capacity: flex_start", []),
        (FOUR_HOSTS + "capacity: flex_start\nindices: [0, 3]", []),
        (ONE_HOST + "capacity: flex_start\ncount: {min: 0, max: 4}", []),
        (ONE_HOST + "capacity: flex_start\ncount: 1", ["TPU404"]),
        (FOUR_HOSTS + "capacity: flex_start\ncount: 0", ["TPU404"]),
        (FOUR_HOSTS + "capacity: {flex_start: {queued: true}}\ncount: 1", ["TPU404"]),
        (FOUR_HOSTS + "capacity: queued\ncount: 1", ["TPU404"]),
        (FOUR_HOSTS + "capacity: queued\nmax: 2", []),
        (ONE_HOST + "capacity: flex_start\ncount: {min: 1, max: 4}", ["TPU405"]),
        (FOUR_HOSTS + "capacity: queued\ncount: {min: 1, max: 4}", ["TPU405"]),
        (FOUR_HOSTS + "capacity: flex_start\ncount: 2\nmin: 0", ["TPU403"]),
        # indices
        (FOUR_HOSTS + "indices: [0]", []),
        (FOUR_HOSTS + "indices: [7, 2]", []),
        (ONE_HOST + "indices: [0, 1]", ["TPU411"]),
        (ONE_HOST + "indices: [0, 0]\ncount: 2", ["TPU411"]),
        (FOUR_HOSTS + "indices: [0, 1]\ncount: 2", ["TPU412"]),
        (FOUR_HOSTS + "indices: [0, 1]\nmin: 0", ["TPU412"]),
        (FOUR_HOSTS + "indices: [0, 1]\nmin: 3\nmax: 2", ["TPU401", "TPU412"]),
        (FOUR_HOSTS + "indices: [0, -1]", ["TPU413"]),
        (FOUR_HOSTS + "indices: [1, 1]", ["TPU413"]),
    ],
)
def test_numbers_of_slices_fit_the_shape_and_the_capacity_mode(group: str, expected: list[str], broken: Broken) -> None:
    assert broken(group) == expected


@pytest.mark.parametrize(
    ("count", "groups"),
    [
        ("{min: 2, max: 4}", "or two groups: count: 2 and count: {min: 0, max: 2}"),
        ("{min: 1, max: 8}", "or two groups: count: 1 and count: {min: 0, max: 7}"),
        ("{min: 2, max: 2}", None),
    ],
)
def test_slices_that_always_exist_and_more_on_demand_are_two_groups(
    count: str, groups: str | None, check: Check
) -> None:
    (finding,) = (found for found in check(FOUR_HOSTS + f"count: {count}") if found.rule == "TPU401")
    assert finding.allowed[1:] == ((groups,) if groups else ())


@pytest.mark.parametrize("mode", ["spot", "on_demand", "{reservation: v6e-serve}"])
def test_single_host_slices_can_have_a_minimum_except_with_flex_start(mode: str, broken: Broken) -> None:
    assert broken(f"{ONE_HOST}capacity: {mode}\ncount: {{min: 2, max: 4}}") == []


@pytest.mark.parametrize(
    "size",
    [
        "count: {min: 1, max: 4}",
        "count: 3",
        "{capacity: flex_start, count: 3}",
        "{capacity: flex_start, min: 2, max: 3}",
    ],
)
def test_autopilot_has_no_node_pools_and_accepts_any_number(size: str, broken: Broken) -> None:
    group = f"{{tpu: v6e, topology: 4x4, zone: us-east5-b, {size.strip('{}') if size.startswith('{') else size}}}"
    assert broken(f"mode: autopilot\nlocation: us-east5\nslices: {{main: {group}}}") == []


@pytest.mark.parametrize(
    ("group", "fix"),
    [
        (FOUR_HOSTS + "count: {min: 2, max: 4}", "min: 0"),
        (FOUR_HOSTS + "count: {min: 2, max: 2}", "count: 2"),
        (FOUR_HOSTS + "count: {min: 4, max: 2}", "min: 0"),
        (FOUR_HOSTS + "min: 2", "count: 2"),
        (ONE_HOST + "count: {min: 9, max: 8}", "min: 8"),
        (ONE_HOST + "min: 3", "max: 3"),
        (ONE_HOST + "count: 2\nmax: 4", "min: 0\nmax: 4"),
        (ONE_HOST + "count: 5\nmin: 2", "min: 2\nmax: 5"),
        (FOUR_HOSTS + "capacity: flex_start\ncount: 2", "count: {min: 0, max: 2}"),
        (FOUR_HOSTS + "capacity: flex_start\ncount: 0", "count: {min: 0, max: 1}"),
        (FOUR_HOSTS + "capacity: flex_start\ncount: {min: 1, max: 4}", "min: 0"),
        (ONE_HOST + "indices: [0, 2, 5]", "count: 3"),
        (FOUR_HOSTS + "indices: [3, -1, 3]", "indices: [3]"),
    ],
)
def test_the_fix_keeps_the_numbers_of_the_plan(group: str, fix: str, check: Check) -> None:
    assert {finding.fix for finding in check(group)} == {fix}


@pytest.mark.parametrize(
    ("group", "pasted"),
    [
        (FOUR_HOSTS + "count: {min: 2, max: 4}", "count: {min: 0, max: 4}"),
        (FOUR_HOSTS + "min: 2\nmax: 4", "min: 0\nmax: 4"),
        (FOUR_HOSTS + "count: {min: 4, max: 2}", "count: {min: 0, max: 2}"),
        (FOUR_HOSTS + "min: 4\nmax: 2", "min: 0\nmax: 2"),
        (ONE_HOST + "count: {min: 9, max: 8}", "count: {min: 8, max: 8}"),
        (ONE_HOST + "min: 9\nmax: 8", "min: 8      # or max: 9\nmax: 8"),
        (FOUR_HOSTS + "capacity: flex_start\nmin: 1\nmax: 4", "min: 0\nmax: 4"),
    ],
)
def test_the_fix_fits_both_forms_of_count(group: str, pasted: str, check: Check) -> None:
    (finding,) = check(group)
    key, _, _ = finding.fix.partition(":")
    mended = re.sub(rf"\b{key}: \d+", finding.fix, group)
    assert pasted in mended
    assert check(mended) == ()


@pytest.mark.parametrize(
    ("shape", "size", "fix"),
    [
        (FOUR_HOSTS, "count: 2\nmin: 1", "min: 0\nmax: 2"),
        (FOUR_HOSTS, "count: 2\nmin: 1\nmax: 4", "min: 0\nmax: 4"),
        (FOUR_HOSTS + "capacity: queued\n", "count: 2\nmin: 1", "min: 0\nmax: 2"),
        (ONE_HOST + "capacity: flex_start\n", "count: 2\nmin: 1", "min: 0\nmax: 2"),
    ],
)
def test_a_count_beside_a_minimum_gets_a_range_that_no_other_rule_reports(
    shape: str, size: str, fix: str, check: Check
) -> None:
    assert [finding.fix for finding in check(shape + size) if finding.rule == "TPU403"] == [fix]
    assert check(shape + fix) == ()


def test_the_minimum_is_reported_at_its_key(check: Check) -> None:
    (finding,) = check(FOUR_HOSTS + "count: {min: 2, max: 4}")
    assert finding.position is not None
    assert finding.position.text.strip() == "count: {min: 2, max: 4}"
    assert finding.position.text[finding.position.column - 1 : finding.position.end_column - 1] == "2"


def test_every_invalid_index_is_reported(check: Check) -> None:
    messages = [finding.message for finding in check(FOUR_HOSTS + "indices: [0, -1, 0, -1]")]
    assert messages == ["invalid index -1: the minimum is 0", "duplicate index 0", "invalid index -1: the minimum is 0"]


# Groups that workloads cannot distinguish
def cluster(*groups: str) -> str:
    """A Standard cluster with groups in us-east5-b."""
    lines = [f"  g{place}: {{zone: us-east5-b, {group}}}" for place, group in enumerate(groups)]
    return "\n".join(["mode: standard", "location: us-east5", "slices:", *lines])


WHOLE = "tpu: v6e, topology: 2x4, chips_per_host: 8"

SPLIT = "tpu: v6e, topology: 2x4, chips_per_host: 4"


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        ((WHOLE, SPLIT), 1),
        ((WHOLE, WHOLE), 0),
        ((SPLIT, SPLIT), 0),
        ((WHOLE, SPLIT, WHOLE, SPLIT), 2),
        ((WHOLE, SPLIT + ", node_labels: {form: split}"), 0),
        ((WHOLE + ", node_labels: {form: whole}", SPLIT + ", node_labels: {form: split}"), 0),
        ((WHOLE, SPLIT, "tpu: v6e, topology: 4x4"), 1),
    ],
)
def test_two_forms_of_one_topology_differ_only_by_the_chips_per_host(
    groups: tuple[str, ...], expected: int, check: Check
) -> None:
    assert [finding.rule for finding in check(cluster(*groups))] == ["TPU415"] * expected


def test_the_label_that_distinguishes_two_forms_is_in_the_message_and_in_the_fix(
    catalog: Catalog, check: Check
) -> None:
    label = catalog.platform.names.node_labels.accelerator_count
    (finding,) = check(cluster(WHOLE, SPLIT))
    assert finding.message.endswith(f"with 4 and 8 chips per host: only the label {label} differs")
    assert f"Add the label {label} to the node selectors" in indistinguishable_groups.fix


def test_two_forms_in_two_clusters_are_accepted(broken: Broken) -> None:
    clusters = "".join(
        f"  {name}: {{mode: standard, location: us-east5, slices: {{main: {{zone: us-east5-b, {group}}}}}}}\n"
        for name, group in (("one", WHOLE), ("two", SPLIT))
    )
    assert broken(f"version: 1\nproject: acme-ml\nclusters:\n{clusters}") == []


def test_two_forms_on_autopilot_are_accepted(broken: Broken) -> None:
    groups = ", ".join(
        f"{name}: {{tpu: v5e, topology: 2x4, chips_per_host: {chips}, zone: us-central1-a}}"
        for name, chips in (("one", 8), ("two", 4))
    )
    assert broken(f"mode: autopilot\nlocation: us-central1\nslices: {{{groups}}}") == []


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("count: 4\nbest_effort: 2", []),
        ("count: 4\nbest_effort: 4", ["TPU468"]),
        ("count: {min: 4, max: 8}\nbest_effort: 2", []),
        ("count: {min: 2, max: 8}\nbest_effort: 2", ["TPU468"]),
        ("count: {min: 0, max: 64}\nbest_effort: 2", ["TPU468"]),
        ("count: {min: 0, max: 64}\nbest_effort: 0", ["TPU468"]),
    ],
)
def test_best_effort_is_less_than_the_nodes_of_a_new_node_pool(keys: str, expected: list[str], broken: Broken) -> None:
    assert broken(f"{ONE_HOST}{keys}") == expected


def test_resources_can_begin_with_more_nodes_than_their_minimum(catalog: Catalog) -> None:
    group = "{tpu: v6e, topology: 2x2, zone: us-east5-b, count: {min: 0, max: 8}, best_effort: 2}"
    cluster = f"{{mode: standard, location: us-east5, slices: {{serve: {group}}}}}"
    plan = read_plan_content(f"version: 1\nproject: acme-ml\nclusters: {{train: {cluster}}}\n".encode(), "plan.yaml")
    for of_resources in (False, True):
        checked = check_plan(plan, catalog, None, rules=(best_effort_not_possible,), of_resources=of_resources)
        assert bool(checked.findings) is not of_resources
