"""Rules about chips of the plans against the quota limits of the inventory."""

import datetime
from collections.abc import Callable

import pytest
from support.inventory_texts import cluster, plan, quota

from pulumi_gke_tpu.core.text.findings import Finding, Severity

TODAY = datetime.date(2026, 11, 20)

Found = Callable[..., list[str]]

SERVE = "tpu: v6e, topology: 2x2, zone: us-east5-b"


def sized(capacity: str, count: str = "1", tpu: str = "v6e", topology: str = "4x4", zone: str = "us-east5-b") -> str:
    return f"tpu: {tpu}, topology: {topology}, count: {count}, zone: {zone}, capacity: {capacity}"


@pytest.mark.parametrize(
    ("groups", "listed", "expected"),
    [
        pytest.param([sized("on_demand", "4")], quota(limit=64), [], id="just enough"),
        pytest.param([sized("on_demand", "5")], quota(limit=64), ["TPU811 error"], id="one slice too many"),
        pytest.param([sized("on_demand", "{min: 0, max: 5}")], quota(limit=64), ["TPU811 warning"], id="only at most"),
        pytest.param([sized("on_demand")], quota(limit=-1), [], id="an unset limit"),
        pytest.param([sized("on_demand")], quota(limit=0), ["TPU811 error"], id="no quota"),
        pytest.param([sized("on_demand")], quota(limit=0, region="us-east1"), [], id="another region"),
        pytest.param([sized("on_demand")], quota(limit=0, project="acme-web"), [], id="another project"),
        pytest.param([sized("on_demand")], quota(limit=0, family="CT3"), [], id="another family"),
        pytest.param([sized("on_demand")], quota(limit=0, family="ct6e"), ["TPU811 error"], id="family in lower case"),
        pytest.param([sized("{reservation: r}")], quota(limit=0), [], id="reserved capacity needs no quota"),
        pytest.param([sized("spot")], quota(limit=0), [], id="spot does not use ordinary quota"),
        pytest.param([sized("spot")], quota("preemptible_tpu_v6e", 0), ["TPU811 error"], id="spot quota"),
        pytest.param(
            [sized("spot")],
            quota("PREEMPTIBLE-TPU-V6E-per-project-region", 0),
            ["TPU811 error"],
            id="by the id of the quota",
        ),
        pytest.param(
            [sized("spot")],
            quota("compute.googleapis.com/preemptible_tpu_v6e", 15),
            ["TPU811 error"],
            id="by the full metric",
        ),
        pytest.param([sized("flex_start")], quota("preemptible_tpu_v6e", 15), ["TPU811 error"], id="flex-start"),
        pytest.param([sized("flex_start")], quota("preemptible_tpu_v6e", 16), [], id="flex-start that fits"),
        pytest.param([sized("flex_start")], quota(limit=0), [], id="flex-start, preemptible quota not known"),
        pytest.param(
            [sized("flex_start")],
            quota("preemptible_tpu_v6e", 0) + quota(limit=16),
            [],
            id="flex-start on ordinary quota where there is no preemptible one",
        ),
        pytest.param(
            [sized("flex_start")],
            quota("preemptible_tpu_v6e", 0) + quota(limit=15),
            ["TPU811 error"],
            id="flex-start on ordinary quota that is too low",
        ),
        pytest.param(
            [sized("flex_start")],
            quota("preemptible_tpu_v6e", 0),
            [],
            id="flex-start without preemptible quota, ordinary quota not known",
        ),
        pytest.param(
            [sized("flex_start"), sized("spot")],
            quota("preemptible_tpu_v6e", 16),
            ["TPU811 warning"],
            id="spot fits, with flex-start it does not",
        ),
        pytest.param([sized("queued")], quota("preemptible_tpu_v6e", 15), ["TPU811 error"], id="queued"),
        pytest.param(
            [sized("on_demand", zone="us-east5-a"), sized("on_demand")],
            quota(limit=31),
            ["TPU811 error"],
            id="zones of a region are summed",
        ),
        pytest.param(
            [sized("on_demand", tpu="v5e", zone="us-west4-a"), sized("on_demand", tpu="v5e", zone="us-west4-b")],
            quota("TPU_LITE_PODSLICE_V5", 16, region="us-west4-a"),
            [],
            id="a limit of one zone counts that zone only",
        ),
        pytest.param(
            [sized("on_demand", "2", tpu="v5e", zone="us-west4-a")],
            quota("TPU_LITE_PODSLICE_V5", 16, region="us-west4-a"),
            ["TPU811 error"],
            id="a limit of one zone",
        ),
        pytest.param(
            [sized("on_demand", tpu="v5p", topology="4x4x4", zone="us-east5-a")],
            quota("tpu_v5p", 0),
            ["TPU811 warning"],
            id="what a metric counts is not sure",
        ),
    ],
)
def test_quota(found: Found, groups: list[str], listed: str, expected: list[str]) -> None:
    location = "us-west4" if "us-west4" in groups[0] else "us-east5"
    assert found(cluster(*groups, location=location), inventory="quotas:\n" + listed) == expected


@pytest.mark.parametrize(
    ("group", "limit", "where", "users"),
    [
        (sized("spot", "{min: 0, max: 2}"), 64, (), ""),
        (
            sized("spot", "{min: 0, max: 2}"),
            63,
            ("autoprovisioning",),
            "up to 64 (train/g0: 0..32, train/autoprovisioning: 0..32)",
        ),
        (
            sized("spot", "{min: 0, max: 2}"),
            31,
            ("slices", "g0", "max"),
            "up to 32 (train/g0: 0..32), and up to 64 with train/autoprovisioning: 0..32",
        ),
        (sized("spot", "3"), 47, ("slices", "g0", "count"), "48 (train/g0: 48, train/autoprovisioning: 0..16)"),
    ],
)
def test_auto_provisioned_chips_are_a_warning_where_the_groups_fit(
    findings: Callable[..., tuple[Finding, ...]], group: str, limit: int, where: tuple[str, ...], users: str
) -> None:
    plan = cluster(group, autoprovisioning="{cpu: 9000, memory_gib: 9000, tpu: {v6e: 64}}")
    found = findings(plan, inventory="quotas:\n" + quota("preemptible_tpu_v6e", limit))
    assert [(item.rule, item.path[2:]) for item in found] == ([("TPU811", where)] if where else [])
    assert all(item.message.endswith(f", but the plans need {users}") for item in found)
    assert [item.severity.word for item in found] == (
        ["error"] if users.startswith("48") else ["warning"] if where else []
    )


@pytest.mark.parametrize("metric", ["tpus_per_tpu_family (CT6E)", "TPUS-PER-TPU-FAMILY-per-project-region (ct6e)"])
@pytest.mark.parametrize(("limit", "expected"), [(4, []), (3, ["TPU811 error"])])
def test_a_quota_has_the_name_that_the_command_prints(
    found: Found, metric: str, limit: int, expected: list[str]
) -> None:
    assert found(cluster(SERVE), inventory="quotas:\n" + quota(metric, limit)) == expected


def test_a_misspelt_quota_has_its_name_as_the_fix(findings: Callable[..., tuple[Finding, ...]]) -> None:
    (hit,) = findings(cluster(SERVE), inventory="quotas:\n" + quota("preemptible_tpu_v6"))
    assert (hit.rule, hit.severity) == ("TPU834", Severity.WARNING)
    assert hit.fix == "metric: preemptible_tpu_v6e"


def test_a_quota_of_another_resource_does_not_hide_the_next_entry(found: Found) -> None:
    listed = quota("CPUS", 8) + quota("TPUV6EPerProjectPerZoneForTPUAPI", 64)
    assert found(cluster(SERVE), inventory="quotas:\n" + listed) == ["TPU834 note"]


def test_quota_is_summed_over_plans_of_one_project(findings: Callable[..., tuple[Finding, ...]]) -> None:
    plans = [
        cluster(sized("on_demand", "2")),
        cluster(sized("on_demand", "{min: 3, max: 4}", topology="2x2"), name="b"),
    ]
    (finding,) = findings(*plans, inventory="quotas:\n" + quota(limit=40))
    assert finding.position is not None
    assert (finding.position.file, finding.fix) == ("plan-1.yaml", "min: 2")
    assert finding.message == (
        "quota `tpus_per_tpu_family` (CT6E) of project acme-ml in us-east5 is 40 chips, but the plans need 44 "
        "(plan-0.yaml train/g0: 32, plan-1.yaml train/g0: 12..16)"
    )


def test_a_group_without_slices_exceeds_no_quota(found: Found) -> None:
    groups = sized("on_demand", topology="2x2"), sized("on_demand", "0", topology="8x16")
    assert found(cluster(*groups), inventory="quotas:\n" + quota(limit=8)) == []


@pytest.mark.parametrize(("in_use", "expected"), [(64, []), (65, ["TPU811 error"])])
def test_the_use_of_a_quota_by_others_is_not_available(listed: Found, in_use: int, expected: list[str]) -> None:
    inventory = (
        "quotas:\n  - {project: acme-ml, metric: tpus_per_tpu_family, family: CT6E, region: us-east5, limit: 128, "
        f"in_use: {in_use}}}\n"
    )
    assert [text.partition(":")[0] for text in listed(plan("count: 1"), inventory=inventory)] == expected


@pytest.mark.parametrize(("limit", "in_use", "expected"), [(80, 16, "warning"), (79, 16, "error"), (16, 60, "error")])
def test_the_use_of_a_quota_by_others_can_leave_too_little_for_one_slice(
    listed: Found, limit: int, in_use: int, expected: str
) -> None:
    inventory = (
        f"quotas:\n  - {{project: acme-ml, metric: preemptible_tpu_v6e, region: us-east5, limit: {limit}, "
        f"in_use: {in_use}}}\n"
    )
    (text,) = listed(plan("min: 0, max: 2, capacity: spot"), inventory=inventory)
    assert text.startswith(f"TPU811 {expected}: ")
