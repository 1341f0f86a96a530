"""Rules about upgrades and repair of node pools."""

import pytest
from support.fixtures.checks import Broken, Check

from pulumi_gke_tpu.core.text.findings import Severity

ONE_HOST = "tpu: v6e\ntopology: 2x2\n"

FOUR_HOSTS = "tpu: v6e\ntopology: 4x4\n"

FLEX = FOUR_HOSTS + "capacity: flex_start\n"

QUEUED = FOUR_HOSTS + "capacity: queued\n"


@pytest.mark.parametrize(
    ("group", "expected"),
    [
        # surge
        (FOUR_HOSTS + "upgrade: {}", []),
        (FOUR_HOSTS + "upgrade: {strategy: surge}", []),
        (FOUR_HOSTS + "upgrade: {max_surge: 1}", ["TPU420"]),
        (FOUR_HOSTS + "upgrade: {max_surge: 1, max_unavailable: 0}", ["TPU420"]),
        (FOUR_HOSTS + "adopted: true\nupgrade: {max_surge: 1}", []),
        (FOUR_HOSTS + "upgrade: {max_surge: 0}", []),
        (FOUR_HOSTS + "upgrade: {max_surge: 0, max_unavailable: 1}", []),
        (FOUR_HOSTS + "upgrade: {max_unavailable: 4}", ["TPU420"]),
        (FOUR_HOSTS + "upgrade: {max_surge: 30}", ["TPU420"]),
        (FOUR_HOSTS + "upgrade: {max_unavailable: 0}", ["TPU424"]),
        (ONE_HOST + "upgrade: {max_surge: 0, max_unavailable: 0}", ["TPU424"]),
        (ONE_HOST + "upgrade: {max_surge: 20, max_unavailable: 0}", []),
        (ONE_HOST + "upgrade: {max_surge: 20}", []),
        (ONE_HOST + "upgrade: {max_surge: 10, max_unavailable: 10}", []),
        (ONE_HOST + "upgrade: {max_surge: 11, max_unavailable: 10}", ["TPU425"]),
        (ONE_HOST + "upgrade: {max_surge: 21, max_unavailable: 0}", ["TPU425"]),
        (ONE_HOST + "upgrade: {blue_green: {}}", ["TPU426"]),
        # blue-green
        (ONE_HOST + "upgrade: {strategy: blue_green}", []),
        (ONE_HOST + "upgrade: {strategy: blue_green, blue_green: {batch_percentage: 0.5, pool_soak: 1h}}", []),
        (ONE_HOST + "upgrade: {strategy: blue_green, blue_green: {batch_soak: 1d, pool_soak: 6d}}", []),
        (ONE_HOST + "upgrade: {strategy: blue_green, blue_green: {batch_soak: 1d, pool_soak: 6d1s}}", ["TPU428"]),
        (ONE_HOST + "upgrade: {strategy: blue_green, blue_green: {batch_soak: 8d}}", ["TPU428"]),
        (ONE_HOST + "upgrade: {strategy: blue_green, max_unavailable: 0}", ["TPU426"]),
        (ONE_HOST + "upgrade: {strategy: blue_green, max_surge: 30}", ["TPU426"]),
        (FOUR_HOSTS + "upgrade: {strategy: blue_green}", ["TPU421"]),
        (FOUR_HOSTS + "upgrade: {strategy: blue_green, max_surge: 2}", ["TPU421", "TPU426"]),
        (FOUR_HOSTS + "upgrade: {strategy: blue_green}\nplacement: {workload_policy: own}", ["TPU421"]),
        # flex-start and queued
        (FLEX + "upgrade: {}", []),
        (FLEX + "upgrade: {auto_repair: false}", []),
        (FLEX + "upgrade: {auto_repair: true}", ["TPU423"]),
        (FLEX + "upgrade: {strategy: surge}", ["TPU422"]),
        (FLEX + "upgrade: {strategy: blue_green}", ["TPU422"]),
        (FLEX + "upgrade: {max_surge: 0, max_unavailable: 0}", ["TPU422"]),
        (FLEX + "upgrade: {blue_green: {pool_soak: 9d}, auto_repair: true}", ["TPU422", "TPU423"]),
        (QUEUED + "upgrade: {max_unavailable: 1}", ["TPU422"]),
        (QUEUED + "upgrade: {auto_repair: true}", ["TPU423"]),
        (QUEUED + "upgrade: {auto_repair: false}", []),
        # repair and versions
        (FOUR_HOSTS + "upgrade: {auto_repair: false}", []),
        (FOUR_HOSTS + "upgrade: {auto_repair: true, auto_upgrade: true}", []),
        (FOUR_HOSTS + "upgrade: {auto_upgrade: false}", ["TPU429"]),
    ],
)
def test_upgrade_settings_fit_the_slices_and_the_capacity_mode(group: str, expected: list[str], broken: Broken) -> None:
    assert broken(group) == expected


@pytest.mark.parametrize(
    ("group", "severity"),
    [
        (FOUR_HOSTS + "upgrade: {strategy: blue_green}", Severity.ERROR),
        (FOUR_HOSTS + "upgrade: {strategy: blue_green}\nplacement: {workload_policy: own}", Severity.WARNING),
        (FLEX + "upgrade: {auto_repair: true}", Severity.ERROR),
        (QUEUED + "upgrade: {auto_repair: true}", Severity.WARNING),
        (ONE_HOST + "upgrade: {max_unavailable: 21}", Severity.WARNING),
    ],
)
def test_only_confirmed_rejections_are_errors(group: str, severity: Severity, check: Check) -> None:
    assert [finding.severity for finding in check(group)] == [severity]


@pytest.mark.parametrize("channel", ["rapid", "regular", "stable", "extended"])
def test_a_release_channel_requires_auto_upgrade(channel: str, broken: Broken) -> None:
    group = "{tpu: v6e, topology: 2x2, zone: us-east5-b, upgrade: {auto_upgrade: false}}"
    plan = f"mode: standard\nlocation: us-east5\nrelease_channel: {channel}\nslices: {{main: {group}}}"
    assert "TPU429" in broken(plan)
    assert "TPU429" not in broken(plan.replace(channel, "none"))


@pytest.mark.parametrize(
    ("upgrade", "fix"),
    [
        ("blue_green", "upgrade: surge"),
        ("{strategy: blue_green}", "upgrade: surge"),
        ("{strategy: blue_green, blue_green: {pool_soak: 1h}}", "upgrade: surge"),
        ("{strategy: blue_green, auto_repair: false}", "upgrade: {auto_repair: false}"),
    ],
)
def test_the_fix_for_blue_green_is_surge(upgrade: str, fix: str, check: Check, broken: Broken) -> None:
    (finding,) = check(f"{FOUR_HOSTS}upgrade: {upgrade}")
    assert (finding.rule, finding.path[-1], finding.fix) == ("TPU421", "upgrade", fix)
    assert broken(FOUR_HOSTS + fix) == []


def test_the_message_names_the_keys_to_remove(check: Check) -> None:
    (finding,) = check(FLEX + "upgrade: {strategy: surge, max_surge: 1}")
    assert (finding.rule, finding.path[-1]) == ("TPU422", "strategy")
    assert "remove `strategy` and `max_surge`" in finding.message


@pytest.mark.parametrize(
    ("maintenance", "rest"),
    [
        ("", ""),
        (
            "maintenance: {window: {start: 2026-01-03T02:00:00Z, duration: 12h, days: [SAT]}}\n",
            ", within the maintenance window",
        ),
    ],
)
def test_surge_settings_do_not_spread_a_slice_over_its_window(maintenance: str, rest: str, check: Check) -> None:
    group = "{tpu: v6e, topology: 4x8, zone: us-east5-b, upgrade: {max_surge: 2, max_unavailable: 3}}"
    (finding,) = check(f"mode: standard\nlocation: us-east5\n{maintenance}slices:\n  main: {group}\n")
    assert (finding.rule, finding.severity, finding.path[-1]) == ("TPU420", Severity.WARNING, "max_surge")
    assert finding.message.startswith("GKE ignores `max_surge` and `max_unavailable`")
    assert finding.message.endswith(f"re-creates the 8 hosts of a slice at the same time{rest}")
    assert "confidence medium" in finding.source


@pytest.mark.parametrize(
    ("upgrade", "fix"),
    [
        ("{max_surge: 11, max_unavailable: 10}", "max_surge: 10"),
        ("{max_surge: 5, max_unavailable: 30}", "max_unavailable: 15"),
        ("{max_surge: 21, max_unavailable: 0}", "max_surge: 20"),
        ("{max_surge: 30, max_unavailable: 25}", "max_surge: 1"),
    ],
)
def test_the_fix_for_surge_settings_stays_within_the_limit(upgrade: str, fix: str, check: Check) -> None:
    (finding,) = check(f"{ONE_HOST}upgrade: {upgrade}")
    assert (finding.rule, finding.fix) == ("TPU425", fix)
