"""What a change of networks for additional interfaces means, where Compute Engine will not delete what hosts use."""

import pytest
from support.plan_edits import findings, items

BASE = """
mode: standard
location: us-east5
additional_networks: {data: {subnet: 10.64.0.0/20}}
slices:
  main: {tpu: v6e, topology: 4x4, zone: us-east5-b, additional_networks: [data]}
"""


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ([("0.0/20", "0.0/19")], False),
        ([("0.0/20", "0.0/21")], True),
        ([("10.64.0.0", "10.66.0.0")], True),
        ([("0.0/20}", "0.0/20, mtu: 1460}")], False),
        # another network: the node pools are replaced first
        ([("data:", "storage:"), ("[data]", "[storage]")], False),
        # the node pools keep their interfaces
        ([("additional_networks: {data: {subnet: 10.64.0.0/20}}", ""), (", additional_networks: [data]", "")], True),
        ([(", additional_networks: [data]", "")], False),
        # the node pools are replaced, without interfaces, before the network is deleted
        (
            [
                ("additional_networks: {data: {subnet: 10.64.0.0/20}}", ""),
                (", additional_networks: [data]", ""),
                ("topology: 4x4", "topology: 4x8"),
            ],
            False,
        ),
    ],
)
def test_a_network_in_use_is_reported(changes: list[tuple[str, str]], expected: bool) -> None:
    after = BASE
    for old, new in changes:
        assert old in after
        after = after.replace(old, new)
    assert ("TPU968" in {finding.rule for finding in findings(BASE, after)}) is expected


_SMALLER = ("0.0/20", "0.0/21")
_GONE = ("additional_networks: {data: {subnet: 10.64.0.0/20}}", ""), (", additional_networks: [data]", "")


@pytest.mark.parametrize(
    ("base", "changes", "severity"),
    [
        (BASE, [_SMALLER], "error"),
        (BASE, [*_GONE], "error"),
        # deleted only after the subnetwork
        (BASE, [_SMALLER, ("main: {", "other: {"), (", additional_networks: [data]", "")], "error"),
        # possibly no hosts at that time
        (BASE.replace("4x4,", "4x4, count: {min: 0, max: 1},"), [_SMALLER], "warning"),
        (BASE.replace("4x4,", "4x4, count: {min: 0, max: 1},"), [*_GONE], "warning"),
        # possibly replaced or deleted before the subnetwork
        (
            BASE.replace("data:", "storage: {subnet: 10.66.0.0/20}, data:").replace(
                "us-east5\n", "us-east5\ndeletion_protection: false\n"
            ),
            [_SMALLER, ("[data]", "[storage]")],
            "warning",
        ),
    ],
)
def test_the_update_certainly_fails_while_hosts_keep_interfaces_in_the_network(
    base: str, changes: list[tuple[str, str]], severity: str
) -> None:
    after = base
    for old, new in changes:
        assert old in after
        after = after.replace(old, new)
    found = [finding.severity.name.lower() for finding in findings(base, after) if finding.rule == "TPU968"]
    assert found == [severity]


@pytest.mark.parametrize(("count", "stops"), [("2", True), ("{min: 0, max: 2}", False)])
def test_the_item_fails_only_if_hosts_certainly_use_the_network(count: str, stops: bool) -> None:
    before = (
        "mode: standard\nlocation: us-east5\nadditional_networks: {data: {subnet: 10.64.0.0/20}}\nslices:\n"
        f"  main: {{tpu: v6e, topology: 4x4, count: {count}, zone: us-east5-b, additional_networks: [data]}}\n"
    )
    cluster = items(before, before.replace("0.0/20", "0.0/21"))["train"]
    assert ("hosts have interfaces in `data`" in cluster.refused) == stops
