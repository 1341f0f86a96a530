"""Rules about the scopes of maintenance exclusions."""

import pytest
from support.fixtures.checks import Check, weights
from support.rule_plans import with_exclusions


@pytest.mark.parametrize(
    ("channel", "scope", "expected"),
    [
        ("none", "no_minor_upgrades", ["TPU619 warning"]),
        ("none", "no_minor_or_node_upgrades", ["TPU619 warning"]),
        ("none", "no_upgrades", []),
        ("regular", "no_minor_upgrades", []),
        ("extended", "no_minor_or_node_upgrades", []),
    ],
)
def test_the_scope_of_an_exclusion_requires_a_channel(
    channel: str, scope: str, expected: list[str], check: Check
) -> None:
    item = f"a: {{start: 2026-12-01T00:00:00Z, end: 2026-12-20T00:00:00Z, scope: {scope}}}"
    text = with_exclusions(item).replace("mode: standard", f"mode: standard\nrelease_channel: {channel}")
    found = check(text)
    assert weights(found) == expected
    for finding in found:
        assert weights(check(text.replace(f"scope: {scope}", finding.fix))) == []


def test_no_scope_is_proposed_for_an_exclusion_until_the_end_of_support(check: Check) -> None:
    item = "a: {start: 2026-12-01T00:00:00Z, end: end_of_support, scope: no_minor_upgrades}"
    (finding,) = check(with_exclusions(item).replace("mode: standard", "mode: standard\nrelease_channel: none"))
    assert (finding.rule, finding.fix) == ("TPU619", "")
