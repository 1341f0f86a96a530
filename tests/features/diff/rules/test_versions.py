"""Rules about changes of versions, release channels and exclusions."""

import datetime

import pytest
from support.rule_changes import OPEN, said
from support.transitions import change_of

from pulumi_gke_tpu.features.diff.rules.transition import MOST_HOSTS

MULTI = "tpu: v6e\ntopology: 4x4\n"

CLUSTER = "mode: standard\nlocation: us-east5\n"


@pytest.mark.parametrize(
    ("was", "will", "found"),
    [
        ("1.34", "1.33", True),
        ("1.34.1-gke.3084001", "1.34.1-gke.3084000", True),
        ("1.34.1-gke.3084001", "1.34", False),
        ("1.34", "1.34.1-gke.3084001", False),
        ("1.33", "1.34", False),
    ],
)
def test_versions(was: str, will: str, found: bool) -> None:
    before, after = (f'{CLUSTER}min_version: "{version}"\n' for version in (was, will))
    assert said(before, after) == ([("TPU955", "warning")] if found else [])


@pytest.mark.parametrize(
    ("was", "will", "found"),
    [
        ("rapid", "regular", True),
        ("regular", "stable", True),
        ("stable", "extended", True),
        ("stable", "regular", False),
        ("none", "extended", False),
        ("rapid", "none", False),
        ("rapid", "rapid", False),
    ],
)
def test_channels(was: str, will: str, found: bool) -> None:
    before, after = (f"{CLUSTER}release_channel: {channel}\n" for channel in (was, will))
    assert said(before, after) == ([("TPU956", "warning")] if found else [])


def maintained(exclusions: str) -> str:
    return (
        f"{CLUSTER}maintenance:\n  window: {{start: 2026-01-03T02:00:00Z, duration: 6h}}\n  exclusions: {exclusions}\n"
    )


NOW = "{start: 2026-11-10T00:00:00Z, end: 2026-12-10T00:00:00Z, scope: %s}"

EXCLUSIONS = [
    (NOW % "no_upgrades", NOW % "no_upgrades", False),
    (NOW % "no_upgrades", NOW % "no_minor_or_node_upgrades", True),
    (NOW % "no_minor_upgrades", NOW % "no_minor_or_node_upgrades", False),
    (NOW % "no_upgrades", "{start: 2026-11-21T00:00:00Z, end: 2026-12-10T00:00:00Z}", True),
    (NOW % "no_upgrades", "{start: 2026-11-10T00:00:00Z, end: 2026-11-20T00:00:00Z}", False),
    (NOW % "no_minor_upgrades", "{start: 2026-11-10T00:00:00Z, end: end_of_support, scope: no_minor_upgrades}", False),
    (
        "{start: 2026-11-21T00:00:00Z, end: 2026-12-10T00:00:00Z}",
        "{start: 2026-12-01T00:00:00Z, end: 2026-12-10T00:00:00Z}",
        False,
    ),
]


@pytest.mark.parametrize(("was", "will", "found"), EXCLUSIONS)
def test_exclusions(was: str, will: str, found: bool) -> None:
    expected = [("TPU957", "warning")] if found else []
    assert said(maintained(f"{{run: {was}}}"), maintained(f"{{run: {will}}}")) == expected
    assert said(maintained(f"{{run: {was}}}"), maintained(f"{{other: {will}}}")) == expected


def test_a_removed_exclusion_is_reported_at_its_former_path() -> None:
    before = maintained(f"{{run: {NOW % 'no_upgrades'}}}")
    window = before.partition("  exclusions")[0]
    assert [finding.path for finding in change_of(before, window)] == [("clusters", "train", "maintenance")]
    assert [finding.path for finding in change_of(before, CLUSTER)] == [("clusters", "train")]
    ended = datetime.date(2027, 1, 1)
    assert change_of(before, CLUSTER, today=ended) == ()


def test_how_many_hosts_may_go_is_an_argument() -> None:
    before, after = f"{MULTI}count: 2\n", "tpu: v6e\ntopology: 4x8\ncount: 2\n"
    assert said(before, after) == []
    assert said(before, after, most_hosts=8) == []
    (finding,) = change_of(before, after, most_hosts=7)
    assert finding.message == (
        "this change deletes 8 hosts of train/pretrain; the limit per change is 7. An `accept` entry of the plan "
        "accepts this, or `gke-tpu diff --most-hosts 8` raises the limit; an `acknowledge` entry does neither"
    )
    assert MOST_HOSTS == 100


@pytest.mark.parametrize(
    ("was", "will"),
    [
        ('min_version: "1.34"', 'min_version: "1.33"'),
        ("release_channel: rapid", "release_channel: stable"),
        (
            f"maintenance: {{window: {{start: 2026-01-03T02:00:00Z, duration: 6h}}, exclusions: {{a: {NOW}}}}}"
            % "no_upgrades",
            "maintenance: {window: {start: 2026-01-03T02:00:00Z, duration: 6h}}",
        ),
    ],
)
def test_a_new_cluster_has_no_former_version_channel_or_exclusion(was: str, will: str) -> None:
    (kept,) = said(f"{OPEN}{was}\n", f"{OPEN}{will}\n")
    assert kept[0] in {"TPU955", "TPU956", "TPU957"}
    assert said(f"{OPEN}{was}\n", f"{OPEN}{will}\nname: other\n") == [("TPU962", "warning")]
