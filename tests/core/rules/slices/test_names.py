"""Rules about the names of groups, node pools, workload policies and collections."""

import pytest
from support.fixtures.checks import Broken, Check, weights
from support.rule_plans import with_groups


@pytest.mark.parametrize(
    ("name", "keys", "pool"),
    [
        ("a" * 40, "", ""),
        ("a" * 41, "", f"{'a' * 31}-"),
        ("a" * 38, "topology: 4x4", ""),
        ("a" * 39, "topology: 4x4", f"{'a' * 31}-"),
        ("a" * 38, "topology: 4x4, count: 11", f"{'a' * 31}-"),
    ],
)
def test_a_name_that_is_shortened(name: str, keys: str, pool: str, check: Check) -> None:
    members = f"tpu: v6e, zone: us-east5-b, {keys or 'topology: 2x2'}"
    findings = check(f"mode: standard\nlocation: us-east5\nslices: {{main: {{{members}, name: {name}}}}}\n")
    assert weights(findings) == (["TPU297 note"] if pool else [])
    assert all(f"truncates it to `{pool}" in finding.message for finding in findings)
    assert check(f"mode: standard\nlocation: us-east5\nslices: {{{name}: {{{members}}}}}\n") == ()


ONE, MANY = "{tpu: v6e, topology: 2x2, zone: us-east5-b}", "{tpu: v6e, topology: 4x4, zone: us-east5-b, count: 2}"


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("a", []),
        ("a-very-long-name-of-a-group-that-is-shortened-by-itself", []),
        ("Pretrain", ["TPU292"]),
        ("2x2", ["TPU292"]),
        ("pre_train", ["TPU292"]),
        ("pretrain-", ["TPU292"]),
        ("a/b", ["TPU292"]),
        ("'a b'", ["TPU292"]),
        ("''", ["TPU292"]),
    ],
)
def test_names_of_groups(key: str, expected: list[str], broken: Broken) -> None:
    assert broken(with_groups(f"{key}: {ONE}")) == expected
    on_autopilot = [] if key == "2x2" else expected
    assert broken(with_groups(f"{key}: {{tpu: v6e, topology: 2x2}}", "autopilot")) == on_autopilot


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("Pre_train.2", []),
        ("'2x2'", []),
        ("a/b", ["TPU291"]),
        ("'a b'", ["TPU291"]),
        ("'a[0]'", ["TPU291"]),
        ("''", ["TPU291"]),
        ("k" * 101, ["TPU291"]),
    ],
)
def test_keys_beside_a_name(key: str, expected: list[str], broken: Broken) -> None:
    assert broken(with_groups(f"{key}: {{tpu: v6e, topology: 2x2, zone: us-east5-b, name: good}}")) == expected
    clusters = f"  {key}: {{mode: standard, location: us-east5, name: good}}\n"
    assert broken(f"version: 1\nproject: acme-ml\nclusters:\n{clusters}") == expected


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        (f"a: {MANY}, a-0: {ONE}", ["TPU293"]),
        (f"a: {MANY}, a-1: {ONE}", ["TPU293"]),
        (f"a: {MANY}, a-2: {ONE}", []),
        (f"a: {MANY}, a-0: {MANY}", []),  # pools a-0, a-1 and a-0-0, a-0-1
        (f"system: {ONE}", ["TPU293"]),
        (f"system: {MANY}", []),
        (f"a: {ONE}, b: {{tpu: v6e, topology: 1x1, zone: us-east5-b, name: a}}", ["TPU293"]),
        (f"a: {MANY}, b: {{tpu: v6e, topology: 4x8, zone: us-east5-b, name: a}}", ["TPU293"]),
        (f"a: {MANY}, b: {{tpu: v6e, topology: 4x8, zone: us-east5-b, name: a, indices: [2]}}", []),
    ],
)
def test_names_of_pools(groups: str, expected: list[str], check: Check) -> None:
    assert [finding.rule for finding in check(with_groups(groups))] == expected


def test_pools_of_autopilot_do_not_exist(broken: Broken) -> None:
    groups = "a: {tpu: v6e, topology: 4x4}, a-0: {tpu: v6e, topology: 2x2}, system: {tpu: v6e, topology: 1x1}"
    assert broken(with_groups(groups, "autopilot")) == []


@pytest.mark.parametrize(
    ("collection", "expected"),
    [
        ("chat", []),
        ("Chat_1.x", []),
        ("c" * 63, []),
        ("c" * 64, ["TPU296"]),
        ("chat models", ["TPU296"]),
        ("-chat", ["TPU296"]),
        ("''", ["TPU296"]),
    ],
)
def test_names_of_collections(collection: str, expected: list[str], broken: Broken) -> None:
    assert broken(f"tpu: v6e\ntopology: 4x4\ncollection: {{name: {collection}}}") == expected


@pytest.mark.parametrize(
    ("policy", "expected", "fix"),
    [
        ("cube", [], ""),
        ("p" * 63, [], ""),
        ("p" * 64, ["TPU295"], ""),
        ("Cube", ["TPU295"], ""),
        ("projects/acme-ml/regions/us-central1/resourcePolicies/cube", ["TPU295"], "workload_policy: cube"),
        ("https://www.googleapis.com/compute/v1/cube", ["TPU295"], "workload_policy: cube"),
    ],
)
def test_names_of_workload_policies(policy: str, expected: list[str], fix: str, check: Check) -> None:
    body = f"{{tpu: tpu7x, topology: 2x2x2, zone: us-central1-c, placement: {{workload_policy: '{policy}'}}}}"
    findings = check(f"mode: standard\nlocation: us-central1\nslices: {{main: {body}}}\n")
    assert [finding.rule for finding in findings] == expected
    assert [finding.fix for finding in findings] == ([fix] if expected else [])
