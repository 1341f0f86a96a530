"""Rules about GKE versions and release channels."""

import datetime
from collections.abc import Callable
from typing import Any

import pytest
from support.checking import validate
from support.fixtures.checks import Broken, Check, weights
from support.rule_plans import on_family

from pulumi_gke_tpu.core.catalog import Catalog, GkeVersion, VersionRange
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.text.findings import Finding, Severity
from pulumi_gke_tpu.core.text.formats.versions import is_too_low

PLACES = {
    "v3": "us-east1-d",
    "v4": "us-central2-b",
    "v5e": "us-west4-a",
    "v5p": "us-east5-a",
    "v6e": "us-east5-b",
    "tpu7x": "us-central1-c",
}

ALL_SUPPORTED = datetime.date(2025, 9, 1)
"""A day on which the end of support of no version in the catalog has come."""


@pytest.fixture
def check(check: Callable[..., tuple[Finding, ...]]) -> Callable[..., tuple[Finding, ...]]:
    return lambda text, today=ALL_SUPPORTED: check(text, today)


@pytest.fixture
def broken(check: Callable[..., tuple[Finding, ...]]) -> Callable[..., list[str]]:
    return lambda text, today=ALL_SUPPORTED: sorted({finding.rule for finding in check(text, today)})


def plan(version: str, group: str = "", mode: str = "standard", more: str = "") -> str:
    generation = group.split("tpu: ")[1].partition(",")[0] if group else "v6e"
    zone = PLACES[generation]
    where = f", zone: {zone}" if mode == "standard" else ""
    slices = f"slices:\n  main: {{{group}{where}}}\n" if group else ""
    written = f'min_version: "{version}"\n' if version else ""
    return f"mode: {mode}\nlocation: {zone.rsplit('-', 1)[0]}\n{written}{more}{slices}"


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("1.34", []),
        ("1.34.1", []),
        ("1.34.1-gke.3084001", []),
        ("1", ["TPU231"]),
        ("latest", ["TPU231"]),
        ("-", ["TPU231"]),
        ("v1.34", ["TPU231"]),
        ("1.34.x", ["TPU231"]),
        ("1.34-gke.1", ["TPU231"]),
        ("1.34.1-gke", ["TPU231"]),
        (" 1.34", ["TPU231"]),
        ("9" * 400, ["TPU231"]),
    ],
)
def test_a_version_has_the_form_of_gke(version: str, expected: list[str], broken: Broken) -> None:
    assert broken(plan(version)) == expected


def test_the_fix_removes_a_leading_v(check: Check) -> None:
    (finding,) = check(plan("v1.34"))
    assert finding.fix == 'min_version: "1.34"'


@pytest.mark.parametrize(
    ("written", "minimum", "alternatives", "too_low"),
    [
        ("1.34", "1.34.1-gke.3084001", (), False),  # the highest version of 1.34 can be high enough
        ("1.34.1", "1.34.1-gke.3084001", (), False),
        ("1.34.1-gke.3084000", "1.34.1-gke.3084001", (), True),
        ("1.34.1-gke.3084001", "1.34.1-gke.3084001", (), False),
        ("1.34.0", "1.34.1-gke.3084001", (), True),
        ("1.33", "1.34.1-gke.3084001", (), True),
        ("1.35", "1.34.1-gke.3084001", (), False),
        ("1.9", "1.10.0", (), True),
        # a lower minimum applies to its own minor version only
        ("1.28", "1.29.2-gke.1", ("1.28.7-gke.5",), False),
        ("1.28.7-gke.5", "1.29.2-gke.1", ("1.28.7-gke.5",), False),
        ("1.28.7-gke.4", "1.29.2-gke.1", ("1.28.7-gke.5",), True),
        ("1.28.6", "1.29.2-gke.1", ("1.28.7-gke.5",), True),
        ("1.29.1", "1.29.2-gke.1", ("1.28.7-gke.5",), True),
        ("1.27", "1.29.2-gke.1", ("1.28.7-gke.5",), True),
    ],
)
def test_only_the_highest_version_of_a_range_counts(
    written: str, minimum: str, alternatives: tuple[str, ...], too_low: bool
) -> None:
    assert is_too_low(VersionRange.parse(written), minimum, alternatives) is too_low


SHAPES = [
    ("v3", "2x2", "ct3"),
    ("v3", "4x4", "ct3p"),
    ("v4", "2x2x2", "ct4p"),
    ("v5e", "4x4", "ct5lp"),
    ("v5p", "2x2x2", "ct5p"),
    ("v6e", "4x4", "ct6e"),
    ("tpu7x", "2x2x2", "tpu7x"),
]


@pytest.mark.parametrize("mode", ["standard", "autopilot"])
@pytest.mark.parametrize(("generation", "topology", "family"), SHAPES)
def test_every_family_has_its_minimum_version(
    generation: str, topology: str, family: str, mode: str, catalog: Catalog, check: Check
) -> None:
    minimum = catalog.generation(generation).families[family].minimum_version[mode]  # type: ignore[index]
    line = ".".join(minimum.split(".")[:2])
    older = f"{line.split('.')[0]}.{int(line.split('.')[1]) - 1}"
    group = f"tpu: {generation}, topology: {topology}"

    def broken_by(version: str) -> set[str]:
        return {finding.rule for finding in check(plan(version, group, mode))} - {"TPU233"}

    assert broken_by(minimum) == set()
    assert broken_by(line) == set()
    assert broken_by(older) == {"TPU232"}
    assert broken_by("") == set()


def test_a_family_has_one_finding_with_its_fact(check: Check) -> None:
    text = plan("1.33", "tpu: tpu7x, topology: 2x2x2")
    text += "  other: {tpu: tpu7x, topology: 2x2x4, zone: us-central1-c}\n"
    (finding,) = check(text)
    assert finding.rule == "TPU232"
    assert finding.fix == 'min_version: "1.34.0-gke.2201000"'
    assert "train/main" in finding.message
    assert finding.path[-1] == "min_version"


def test_autopilot_requires_a_newer_version_for_tpu7x(broken: Broken) -> None:
    group = "tpu: tpu7x, topology: 2x2x2"
    assert broken(plan("1.34.0", group)) == []
    assert broken(plan("1.34.0", group, "autopilot")) == ["TPU232"]


@pytest.mark.parametrize(
    ("version", "group", "mode", "expected"),
    [
        ("1.32", "tpu: v6e, topology: 4x4, capacity: flex_start", "standard", ["TPU233 error"]),
        ("1.32", "tpu: v6e, topology: 4x4, capacity: flex_start", "autopilot", ["TPU233 error"]),
        ("1.33.0-gke.1711999", "tpu: v6e, topology: 4x4, capacity: flex_start", "standard", ["TPU233 error"]),
        ("1.33.0-gke.1712000", "tpu: v6e, topology: 4x4, capacity: flex_start", "standard", []),
        ("1.33", "tpu: v6e, topology: 4x4, capacity: flex_start", "autopilot", []),
        ("", "tpu: v6e, topology: 4x4, capacity: flex_start", "standard", []),
        ("1.34", "tpu: v6e, topology: 4x4, capacity: {flex_start: {queued: true}}", "standard", ["TPU233 warning"]),
        ("1.35", "tpu: v6e, topology: 4x4, capacity: {flex_start: {queued: true}}", "standard", []),
        (
            "1.31.1",
            "tpu: v6e, topology: 4x4, collection: {name: chat}",
            "standard",
            ["TPU232 warning", "TPU233 warning"],
        ),
        ("1.31.2", "tpu: v6e, topology: 4x4, collection: {name: chat}", "standard", []),
        ("1.34.0", "tpu: v6e, topology: 4x4, network_profile: auto", "standard", ["TPU233 error"]),
        ("1.34", "tpu: v6e, topology: 4x4, network_profile: auto", "standard", []),
        # v5p autoscaling requires a minimum version, which two minor versions have
        ("1.28.6", "tpu: v5p, topology: 2x2x2", "standard", []),
        ("1.28.6", "tpu: v5p, topology: 2x2x2, max: 2", "standard", ["TPU233 error"]),
        ("1.28", "tpu: v5p, topology: 2x2x2, max: 2", "standard", []),
        ("1.29.1", "tpu: v5p, topology: 2x2x2, max: 2", "standard", ["TPU233 error"]),
        ("1.29", "tpu: v5p, topology: 2x2x2, max: 2", "standard", []),
        # Autopilot supports TPUs by default from a minimum version
        ("1.28", "tpu: v5e, topology: 4x4", "standard", []),
        ("1.28", "tpu: v5e, topology: 4x4", "autopilot", ["TPU233 warning"]),
    ],
)
def test_features_of_a_group_have_their_minimum_version(
    version: str, group: str, mode: str, expected: list[str], check: Check
) -> None:
    found = weights(check(plan(version, group, mode)))
    assert [item for item in found if item.startswith("TPU23")] == [
        item if " " in item else f"{item} error" for item in expected
    ]


@pytest.mark.parametrize(
    ("version", "more", "expected"),
    [
        ("1.30", "autoprovisioning: {cpu: 9, memory_gib: 9, tpu: {v6e: 8}}\n", ["TPU233 error"]),
        ("1.31", "autoprovisioning: {cpu: 9, memory_gib: 9, tpu: {v6e: 8}}\n", ["TPU233 warning"]),
        ("1.31", "autoprovisioning: {cpu: 9, memory_gib: 9, tpu: {tpu-v6e-slice: 8}}\n", ["TPU233 warning"]),
        ("1.27.5", "autoprovisioning: {cpu: 9, memory_gib: 9, tpu: {v5e: 8}}\n", ["TPU233 error"]),
        ("1.28", "autoprovisioning: {cpu: 9, memory_gib: 9, tpu: {v4: 8}}\n", ["TPU233 warning"]),
        ("1.32", "autoprovisioning: {cpu: 9, memory_gib: 9, tpu: {v6e: 8}}\n", []),
        ("1.28.6", "autoprovisioning: {cpu: 9, memory_gib: 9, tpu: {v5p: 8}}\n", ["TPU233 error"] * 2),
        ("1.29", "autoprovisioning: {cpu: 9, memory_gib: 9, tpu: {v5p: 8}}\n", []),
        ("1.33.1", "addons: [lustre]\n", ["TPU233 warning"]),
        ("1.33", "addons: [lustre]\n", []),
        ("1.35.0-gke.3064999", "ml_diagnostics: true\n", ["TPU233 error"]),
        ("1.35.0-gke.3065000", "ml_diagnostics: true\n", []),
        ("1.34", "ml_diagnostics: true\n", ["TPU233 error"]),
        ("1.34", "ml_diagnostics: false\n", []),
    ],
)
def test_features_of_a_cluster_have_their_minimum_version(
    version: str, more: str, expected: list[str], check: Check
) -> None:
    found = weights(check(plan(version, more=more)))
    assert [item for item in found if item.startswith("TPU23")] == expected


@pytest.mark.parametrize(
    ("channel", "version", "expected"),
    [
        ("rapid", "", []),
        ("rapid", "1.35", []),
        ("rapid", "1.35.1", ["TPU233"]),
        ("regular", "", ["TPU234"]),
        ("none", "", ["TPU234"]),
        ("extended", "1.34", ["TPU233", "TPU234"]),
    ],
)
def test_the_slice_controller_requires_the_rapid_channel(
    channel: str, version: str, expected: list[str], broken: Broken
) -> None:
    more = f"release_channel: {channel}\naddons: [slice_controller]\n"
    assert broken(plan(version, "tpu: tpu7x, topology: 4x4x4, capacity: {reservation: cubes}", more=more)) == expected


@pytest.mark.parametrize(
    ("version", "group", "more", "fix"),
    [
        ("1.34", "tpu: v6e, topology: 4x4, capacity: queued", "", "1.35"),
        ("1.31", "tpu: v6e, topology: 4x4", "autoprovisioning: {cpu: 9999, memory_gib: 9999, tpu: {v6e: 64}}", "1.32"),
        ("1.32", "tpu: v6e, topology: 4x4, capacity: flex_start", "", "1.33.0-gke.1712000"),
    ],
)
def test_a_fix_is_a_version_that_can_exist(version: str, group: str, more: str, fix: str, check: Check) -> None:
    findings = check(plan(version, group, more=f"{more}\n"))
    assert [item.fix for item in findings if item.rule == "TPU233"] == [f'min_version: "{fix}"']


@pytest.mark.parametrize("channel", ["rapid", "regular", "stable", "extended", "none"])
def test_slices_are_on_every_channel(channel: str, broken: Broken) -> None:
    assert broken(plan("", "tpu: v6e, topology: 4x4", more=f"release_channel: {channel}\n")) == []


TODAY = datetime.date(2026, 11, 20)


@pytest.mark.parametrize(
    ("version", "today", "expected"),
    [
        ("1.36", TODAY, []),
        ("1.36.99-gke.1", TODAY, []),
        ("1.37", TODAY, ["TPU230 warning"]),
        ("1.37.0-gke.1", TODAY, ["TPU230 warning"]),
        # twice three minor versions a year, for the 109 days since the date of the fact and one more year: 7.8
        ("1.43", TODAY, ["TPU230 warning"]),
        ("1.44", TODAY, ["TPU230 error"]),
        ("1.99", TODAY, ["TPU230 error"]),
        # an older catalog allows more
        ("1.44", datetime.date(2027, 11, 20), ["TPU230 warning"]),
        ("1.99", datetime.date(2037, 11, 20), ["TPU230 warning"]),
        # a date before that of the fact counts as the date of the fact
        ("1.42", datetime.date(2020, 1, 1), ["TPU230 warning"]),
        ("1.43", datetime.date(2020, 1, 1), ["TPU230 error"]),
        # the pace of minor versions does not apply to another major version
        ("2.0", TODAY, ["TPU230 warning"]),
        ("2.99", TODAY, ["TPU230 warning"]),
    ],
)
def test_a_version_after_the_newest_one_is_reported(
    version: str, today: datetime.date, expected: list[str], check: Callable[..., tuple[Finding, ...]]
) -> None:
    findings = check(f'mode: standard\nlocation: us-east5\nmin_version: "{version}"\n', today)
    assert [f"{finding.rule} {finding.severity.word}" for finding in findings] == expected
    assert [finding.fix for finding in findings] == ['min_version: "1.36"'] * len(expected)


def test_without_a_date_a_new_version_is_only_a_warning(catalog: Catalog) -> None:
    cluster = {"mode": "standard", "location": "us-east5", "min_version": "1.99"}
    content: dict[str, Any] = {"version": 1, "project": "acme-ml", "clusters": {"train": cluster}}
    written = parse_plan(content).content
    assert written is not None
    (finding,) = validate(written, catalog)
    assert (finding.rule, finding.severity) == ("TPU230", Severity.WARNING)


def test_no_fact_is_about_a_newer_minor_version_than_the_newest(catalog: Catalog) -> None:
    newest = VersionRange.parse(catalog.versions.newest_minor.minor)
    features = catalog.versions.features.values()
    needed = [version for item in features for version in (item.standard, item.autopilot, item.lowest) if version]
    for name in catalog.generation_names:
        families = catalog.generation(name).families.values()
        needed += [text for family in families for text in family.minimum_version.values()]
    assert max(map(GkeVersion.parse, needed)) <= newest.highest


@pytest.mark.parametrize(
    ("version", "mode", "expected"),
    [
        # one table of the page has 1.31.2-gke.1115000 (Autopilot 1.31.2-gke.1384000), its text the lower versions
        ("1.31.2-gke.1115000", "standard", []),
        ("1.31.2-gke.1114999", "standard", ["TPU232 warning"]),
        ("1.31.1-gke.1846000", "standard", ["TPU232 warning"]),
        ("1.31.1-gke.1845999", "standard", ["TPU232 error"]),
        ("1.30", "standard", ["TPU232 error"]),
        ("1.31.2-gke.1384000", "autopilot", []),
        ("1.31.2-gke.1115000", "autopilot", ["TPU232 warning"]),
        ("1.31.2-gke.1114999", "autopilot", ["TPU232 error"]),
    ],
)
def test_a_version_is_an_error_only_if_all_sources_exclude_it(
    version: str, mode: str, expected: list[str], check: Check
) -> None:
    assert weights(check(plan(version, "tpu: v6e, topology: 4x4", mode))) == expected


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("1.35.2-gke.1842000", []),
        ("1.35.2-gke.1841999", ["TPU233 warning"]),
        ("1.35.0-gke.274500", ["TPU233 warning"]),
        ("1.35.0-gke.274499", ["TPU233 error"]),
    ],
)
def test_a_feature_is_an_error_only_if_all_sources_exclude_it(version: str, expected: list[str], check: Check) -> None:
    more = "release_channel: rapid\nnetwork: {create: {mtu: 8896}}\naddons: [slice_controller]\n"
    group = "tpu: tpu7x, topology: 4x4x4, capacity: {reservation: cubes}"
    assert weights(check(plan(version, group, more=more))) == expected


@pytest.mark.parametrize(
    ("keys", "day", "message"),
    [
        ('min_version: "1.33"', "2026-08-02", ""),
        ('min_version: "1.33"', "2026-08-03", "GKE 1.33 is not supported since 2026-08-03"),
        ('min_version: "1.33.5-gke.1"', "2026-11-20", "GKE 1.33 is not supported since 2026-08-03"),
        ('min_version: "1.28"', "2026-11-20", "GKE 1.28 is not supported"),
        ('min_version: "1.28"', "2025-09-01", ""),
        ('min_version: "1.34"', "2026-11-20", ""),
        ('min_version: "1.33"\nrelease_channel: extended', "2026-11-20", ""),
        (
            'min_version: "1.31"\nrelease_channel: extended',
            "2026-11-20",
            "GKE 1.31 is not supported in the Extended channel since 2026-10-22",
        ),
        ('min_version: "1.31"\nrelease_channel: none', "2026-11-20", "GKE 1.31 is not supported since 2026-01-16"),
    ],
)
def test_a_version_after_the_end_of_its_support_is_reported(keys: str, day: str, message: str, check: Check) -> None:
    found = check(f"mode: standard\nlocation: us-west4\n{keys}\n", datetime.date.fromisoformat(day))
    assert [(item.message, item.severity) for item in found] == ([(message, Severity.WARNING)] if message else [])


@pytest.mark.parametrize(
    ("version", "group", "fix"),
    [
        ("1.30", "", "1.34"),
        ("1.30", "tpu: v6e, topology: 4x4", "1.34"),  # v6e requires 1.31, which GKE does not offer
        ("1.33", "tpu: tpu7x, topology: 2x2x2", "1.34.0-gke.2201000"),
    ],
)
def test_the_fix_of_a_low_version_is_one_that_gke_supports(version: str, group: str, fix: str, check: Check) -> None:
    day = datetime.date(2026, 11, 20)
    fixes = {item.rule: item.fix for item in check(plan(version, group), day)}
    assert fixes.get("TPU232", fixes["TPU235"]) == f'min_version: "{fix}"'
    assert "TPU235" not in {item.rule for item in check(plan(fix, group), day)}


DRA = "cloud.google.com/gke-tpu-dra-driver"


@pytest.mark.parametrize("keys", ["driver_mode: dynamic_resource_allocation", f"node_labels: {{{DRA}: 'true'}}"])
@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("1.33", ["TPU233 warning"]),
        ("1.34.1-gke.1126999", ["TPU233 warning"]),
        ("1.34.1-gke.1127000", []),
        ("1.34", []),
    ],
)
def test_the_dra_driver_needs_a_version(keys: str, version: str, expected: list[str], check: Check) -> None:
    assert weights(check(f'min_version: "{version}"\n{on_family(keys)}', ALL_SUPPORTED)) == expected


def test_a_label_without_effect_needs_no_version(check: Check) -> None:
    keys = f"driver_mode: device_plugin, node_labels: {{{DRA}: 'false'}}"
    assert check(f'min_version: "1.33"\n{on_family(keys)}', ALL_SUPPORTED) == ()


CUBES = "tpu: tpu7x, slicing: dynamic, capacity: {reservation: {name: r, block: b}}"
NETWORK = "network: {create: {mtu: 8896}}\n"


@pytest.mark.parametrize(
    ("version", "group", "expected"),
    [
        ("1.35.2-gke.1842000", CUBES, []),
        ("1.35.1-gke.100", CUBES, ["TPU238 warning"]),
        ("1.33.1-gke.100", CUBES, ["TPU238 error", "TPU238 error"]),
        ("1.33.1-gke.100", "tpu: tpu7x, topology: 2x2x1", ["TPU238 error"]),
        ("1.35.1-gke.100", "tpu: tpu7x, topology: 2x2x1", []),
        ("latest", CUBES, []),
    ],
)
def test_nodes_with_a_version_of_their_own_need_the_minimum_too(
    version: str, group: str, expected: list[str], check: Check
) -> None:
    found = check(plan("", f"{group}, extra: {{version: {version}}}", more=NETWORK))
    own = [item for item in found if item.rule == "TPU238"]
    assert [f"{item.rule} {item.severity.name.lower()}" for item in own] == expected
    assert all(item.path[-2:] == ("extra", "version") for item in own)
