"""Rules about the MTU of networks that gke-tpu creates."""

import pytest
from support.fixtures.checks import Check, weights
from support.rule_plans import v6e_group, with_network

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.output.text import findings_text
from pulumi_gke_tpu.core.plan.interfaces import CreateNetwork


@pytest.mark.parametrize(
    ("create", "groups", "expected"),
    [
        ("mtu: 1300", "", []),
        ("mtu: 1299", "", ["TPU266 error"]),
        ("mtu: 8896", "", []),
        ("mtu: 8897", "", ["TPU266 error"]),
        ("mtu: 8897", v6e_group("topology: 4x4"), ["TPU266 error"]),
        ("mtu: 8896", v6e_group("topology: 4x4"), []),
        ("mtu: 8895", v6e_group("topology: 4x4"), ["TPU267 note"]),
        ("mtu: 1460", v6e_group("topology: 2x2"), []),
        ("mtu: 1460", "main: {tpu: v5p, topology: 2x2x2, zone: us-east5-a}", []),
        (
            "mtu: 1460",
            "main: {tpu: v5p, topology: 2x2x2, zone: us-east5-a}, " + v6e_group("topology: 4x4", "b"),
            ["TPU267 note"],
        ),
    ],
)
def test_the_mtu_is_in_its_range_and_large_enough(create: str, groups: str, expected: list[str], check: Check) -> None:
    assert weights(check(with_network(create, groups))) == expected


@pytest.mark.parametrize("network", ["create", "{create: {}}", "{create: {pods: 10.32.0.0/14}}"])
def test_the_default_mtu_suits_every_generation(network: str, check: Check) -> None:
    groups = f"slices: {{{v6e_group('topology: 4x4')}}}"
    assert check(f"mode: standard\nlocation: us-east5\nnetwork: {network}\n{groups}\n") == ()
    facts = read_catalog().platform.network
    assert facts.min_mtu <= CreateNetwork.model_fields["mtu"].default == facts.jumbo_mtu


def test_a_low_mtu_is_one_line_of_advice(check: Check) -> None:
    (finding,) = check(with_network("mtu: 1460", v6e_group("topology: 4x4")))
    shown = findings_text([finding], width=200, color=False).splitlines()
    message = "MTU 8,896 is recommended for v6e, but the network has 1,460"
    assert shown == [f"plan.yaml:8:21: note TPU267: {message}", "", "1 note"]
