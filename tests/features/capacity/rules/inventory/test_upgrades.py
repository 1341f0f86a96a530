"""Rules about the nodes that upgrades add to groups on a reservation."""

from collections.abc import Callable

import pytest

_OWNED = "reservations: [{{name: r, project: acme-ml, zone: us-east5-b, {size}}}]\n"
_VMS, _CHIPS = "machine_type: ct6e-standard-4t, vms: {}", "family: ct6e, chips: {}"

Found = Callable[..., list[str]]


def _plan(*groups: str) -> str:
    lines = "".join(
        f"      g{index}: {{tpu: v6e, zone: us-east5-b, capacity: {{reservation: r}}, {group}}}\n"
        for index, group in enumerate(groups)
    )
    clusters = f"  train:\n    mode: standard\n    location: us-east5\n    slices:\n{lines}"
    return f"version: 1\nproject: acme-ml\nclusters:\n{clusters}"


def _rules(listed: Found, size: str, *groups: str) -> list[str]:
    lines = listed(_plan(*groups), inventory=f"version: 1\nas_of: 2026-11-20\n{_OWNED.format(size=size)}")
    return [line for line in lines if line.startswith("TPU812")]


SURGE, BLUE_GREEN = "upgrade: {max_surge: 1}", "upgrade: {strategy: blue_green}"


@pytest.mark.parametrize(
    ("vms", "groups", "needed"),
    [
        pytest.param(4, [f"topology: 2x2, count: 4, {SURGE}"], "1 VM", id="full"),
        pytest.param(5, [f"topology: 2x2, count: 4, {SURGE}"], "", id="one-left"),
        # with fewer nodes than max_surge, the upgrade is slower
        pytest.param(5, ["topology: 2x2, count: 4, upgrade: {max_surge: 3}"], "", id="slower"),
        pytest.param(4, ["topology: 2x2, count: 4, upgrade: {max_surge: 3, max_unavailable: 1}"], "", id="in-place"),
        pytest.param(4, ["topology: 2x2, count: 4, upgrade: {max_unavailable: 2}"], "", id="no-surge"),
        pytest.param(4, ["topology: 2x2, count: 4"], "", id="default"),
        pytest.param(7, [f"topology: 2x2, count: 4, {BLUE_GREEN}"], "4 VMs", id="blue-green"),
        pytest.param(8, [f"topology: 2x2, count: 4, {BLUE_GREEN}"], "", id="blue-green-fits"),
        # GKE re-creates a slice of several hosts in place
        pytest.param(4, [f"topology: 4x4, {SURGE}"], "", id="multi-host"),
        pytest.param(4, ["topology: 2x2, count: 3, upgrade: {max_unavailable: 1}", "topology: 2x2"], "", id="beside"),
        pytest.param(8, ["topology: 4x4", f"topology: 2x2, count: 4, {SURGE}"], "1 VM", id="beside-others"),
        # TPU804 reports plans that do not fit at all
        pytest.param(3, [f"topology: 2x2, count: 4, {SURGE}"], "", id="too-small"),
    ],
)
def test_upgrades_need_reserved_capacity(listed: Found, vms: int, groups: list[str], needed: str) -> None:
    found = _rules(listed, _VMS.format(vms), *groups)
    assert len(found) == bool(needed), found
    assert all(line.startswith(f"TPU812 warning: an upgrade requires {needed} for ") for line in found)
    # a reservation that counts chips has 4 for each of these VMs
    assert len(_rules(listed, _CHIPS.format(4 * vms), *groups)) == bool(needed)


@pytest.mark.parametrize(("vms", "expected"), [(3, True), (4, True), (5, False)])
def test_the_largest_size_of_autoscaled_slices_may_leave_none(listed: Found, vms: int, expected: bool) -> None:
    found = _rules(listed, _VMS.format(vms), f"topology: 2x2, count: {{min: 0, max: 4}}, {SURGE}")
    assert [line.partition(":")[0] for line in found] == ["TPU812 note"] * expected
    assert all("at the largest size of the slice groups" in line for line in found)


def test_a_group_on_a_full_block_is_reported_once(listed: Found) -> None:
    block = "blocks: [{name: b1, vms: 4}, {name: b2, vms: 4}]"
    on = "tpu: v6e, zone: us-east5-b, capacity: {reservation: {name: r, block: b1}}"
    plan = _plan(f"topology: 2x2, count: 4, {SURGE}").replace(
        "tpu: v6e, zone: us-east5-b, capacity: {reservation: r}", on
    )
    for vms, where in ((4, "reservation `r` has none"), (8, "block `b1` of `r` has none")):
        inventory = f"version: 1\nas_of: 2026-11-20\n{_OWNED.format(size=_VMS.format(vms) + ', ' + block)}"
        found = [line for line in listed(plan, inventory=inventory) if line.startswith("TPU812")]
        assert len(found) == 1
        assert where in found[0]
