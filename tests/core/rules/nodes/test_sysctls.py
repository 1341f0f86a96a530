"""Kernel settings of nodes."""

import pytest
from support.fixtures.checks import Check


def cluster(settings: str, where: str) -> str:
    pool = f"{{machine_type: n2-standard-16, nodes: 1, zones: [us-east5-b], sysctls: {settings}}}"
    head = "mode: standard\nlocation: us-east5\n"
    group = f"{{tpu: v6e, topology: 4x4, zone: us-east5-b, sysctls: {settings}}}"
    return f"{head}cpu_pools: {{builders: {pool}}}\n" if where == "cpu" else f"{head}slices: {{main: {group}}}\n"


@pytest.mark.parametrize("where", ["cpu", "slices"])
@pytest.mark.parametrize(
    ("settings", "found"),
    [
        ('{vm.max_map_count: "65536"}', []),
        ('{vm.max_map_count: "2147483647"}', []),
        ('{vm.max_map_count: "65535"}', ["TPU588"]),
        ('{vm.max_map_count: "2147483648"}', ["TPU588"]),
        ("{vm.max_map_count: many}", ["TPU588"]),
        ('{vm.max_map_count: ""}', ["TPU588"]),
        ('{vm.max_map_counts: "65536"}', ["TPU588"]),
        ('{kernel.perf_event_paranoid: "-1"}', []),
        ("{net.ipv4.tcp_rmem: 4096 87380 16777216}", []),
        ('{vm.max_map_count: "1048576", net.core.somaxconn: "127"}', ["TPU588"]),
    ],
)
def test_names_and_ranges(check: Check, where: str, settings: str, found: list[str]) -> None:
    assert [item.rule for item in check(cluster(settings, where)) if item.rule.startswith("TPU5")] == found
