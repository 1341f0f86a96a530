"""Rules about the ends of workloads."""

import pytest
from support.kubernetes_plans import findings, told, workload

from pulumi_gke_tpu.core.catalog import Catalog

RUN = "kubernetes.workloads.run"


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("max_restarts: 1, exit_codes: {restart: [42]}", []),
        ("max_restarts: 1, exit_codes: {fail: [1, 255]}", []),
        ("exit_codes: {fail: [42]}", ["TPU564 exit_codes"]),
        ("max_restarts: 1, exit_codes: {}", ["TPU564 exit_codes"]),
        ("max_restarts: 1, exit_codes: {restart: [42], fail: [1]}", ["TPU564 exit_codes"]),
        ("max_restarts: 1, exit_codes: {fail: [1, 2, 1]}", ["TPU564 exit_codes.fail[2]"]),
        ("deadline: 1s", []),
        ("deadline: 0s", ["TPU566 deadline"]),
        ("deadline: 30d", []),
        ("ttl: 0s", []),
    ],
)
def test_ends(keys: str, expected: list[str], catalog: Catalog) -> None:
    found = [item.replace(f"{RUN}.", "") for item in told(workload(f"kind: jobset, {keys}"), catalog)]
    assert found == expected


@pytest.mark.parametrize(
    ("kind", "keys"),
    [
        ("deployment", {"deadline: 1h": "deadline", "ttl: 1h": "ttl", "exit_codes: {fail: [1]}": "exit_codes"}),
        ("leaderworkerset", {"deadline: 1h": "deadline"}),
        ("raycluster", {"deadline: 1h": "deadline", "ports: {a: 1}": "ports", "probes: {}": "probes"}),
        ("rayjob", {"ttl: 1h": "ttl", "exit_codes: {fail: [1]}": "exit_codes"}),
        ("job", {"probes: {}": "probes"}),
        ("jobset", {"probes: {}": "probes"}),
        ("pathways", {"ports: {a: 1}": "ports", "probes: {}": "probes"}),
    ],
)
def test_keys_without_a_meaning_for_a_kind(kind: str, keys: dict[str, str], catalog: Catalog) -> None:
    for text, key in keys.items():
        found = told(workload(f"kind: {kind}, {text}", "serve"), catalog)
        assert f"TPU713 {RUN}.{key}" in found, (kind, text)


def test_the_given_value_of_a_duration_is_that_of_the_plan(catalog: Catalog) -> None:
    (finding,) = findings(workload("kind: deployment, deadline: 90m", "serve"), catalog)
    assert finding.given == "deadline: 90m"


def limited(duration: str, deadline: str) -> str:
    capacity = f"capacity: {{flex_start: {{max_run_duration: {duration}}}}}" if duration else "capacity: flex_start"
    return (
        f"slices: {{train: {{tpu: v6e, topology: 4x4, zone: us-east5-b, count: {{max: 1}}, {capacity}}}}}\n"
        f"kubernetes: {{workloads: {{run: {{slices: train, image: a, kind: jobset, deadline: {deadline}}}}}}}"
    )


@pytest.mark.parametrize(
    ("duration", "deadline", "expected"),
    [("1d", "24h", False), ("1d", "25h", True), ("", "7d", False), ("", "8d", True)],
)
def test_a_deadline_after_the_end_of_flex_start_capacity(
    duration: str, deadline: str, *, expected: bool, catalog: Catalog
) -> None:
    assert (f"TPU565 {RUN}.deadline" in told(limited(duration, deadline), catalog)) == expected


@pytest.mark.parametrize(("deadline", "expected"), [("7d", []), ("8d", [f"TPU565 {RUN}.deadline"])])
def test_a_deadline_after_the_end_of_extended_run_time(deadline: str, expected: list[str], catalog: Catalog) -> None:
    text = (
        "slices: {lab: {tpu: v6e, topology: 2x2}}\n"
        f"kubernetes: {{workloads: {{run: {{slices: lab, image: a, extended_run: true, deadline: {deadline}}}}}}}"
    )
    assert told(text, catalog, "autopilot") == expected
