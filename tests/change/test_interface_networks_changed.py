"""What a change of networks for additional interfaces means, where Compute Engine will not delete what hosts use."""

import pytest
from support.plan_edits import findings

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
    ],
)
def test_a_network_in_use_is_reported(changes: list[tuple[str, str]], expected: bool) -> None:
    after = BASE
    for old, new in changes:
        assert old in after
        after = after.replace(old, new)
    assert ("TPU968" in {finding.rule for finding in findings(BASE, after)}) is expected
