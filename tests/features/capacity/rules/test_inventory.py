"""Plans against an inventory: the findings and their places, and values that an inventory leaves open."""

import datetime
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.several import findings_about

from pulumi_gke_tpu.core.catalog import Catalog, read_catalog
from pulumi_gke_tpu.core.plan import Document, Inventory, parse_plan, read_inventory
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Finding, Severity
from pulumi_gke_tpu.features.capacity.rules.inventory.together import validate_inventory

TODAY = datetime.date(2026, 11, 20)
CATALOG = read_catalog()

Found = Callable[..., list[str]]


def reservation(**changes: object) -> str:
    entry = {
        "name": "v6e-pretrain",
        "project": "acme-ml",
        "zone": "us-east5-b",
        "machine_type": "ct6e-standard-4t",
        "vms": 64,
    }
    return "  - {" + ", ".join(f"{key}: {value}" for key, value in (entry | changes).items()) + "}\n"


def quota(metric: str = "tpus_per_tpu_family", limit: int = 64, **changes: object) -> str:
    entry: dict[str, object] = {"project": "acme-ml", "metric": metric, "region": "us-east5", "limit": limit}
    if metric == "tpus_per_tpu_family":
        entry["family"] = "CT6E"
    return "  - {" + ", ".join(f"{key}: {value}" for key, value in (entry | changes).items()) + "}\n"


def cluster(*groups: str, mode: str = "standard", location: str = "us-east5", **keys: str) -> str:
    body = f"mode: {mode}\nlocation: {location}\n" + "".join(f"{key}: {value}\n" for key, value in keys.items())
    return body + "slices:\n" + "".join(f"  g{index}: {{{group}}}\n" for index, group in enumerate(groups))


PRETRAIN = "tpu: v6e, topology: 16x16, zone: us-east5-b, capacity: {reservation: v6e-pretrain}"
SERVE = "tpu: v6e, topology: 2x2, zone: us-east5-b"


@pytest.fixture
def findings(catalog: Catalog, tmp_path: Path) -> Callable[..., tuple[Finding, ...]]:
    def of(*plans: str, inventory: str, today: datetime.date = TODAY) -> tuple[Finding, ...]:
        example = "\n--- plan\n".join(plans) + "\n--- inventory\n" + inventory
        return findings_about(example, catalog, tmp_path, today)

    return of


@pytest.fixture
def found(findings: Callable[..., tuple[Finding, ...]]) -> Found:
    """What is found, each as rule and severity."""

    def of(*plans: str, inventory: str, today: datetime.date = TODAY) -> list[str]:
        return [f"{item.rule} {item.severity.word}" for item in findings(*plans, inventory=inventory, today=today)]

    return of


@pytest.mark.parametrize(
    ("group", "listed", "expected"),
    [
        pytest.param(PRETRAIN, reservation(), [], id="it is there"),
        pytest.param(PRETRAIN, reservation(name="other"), ["TPU801 warning"], id="others of the zone are there"),
        pytest.param(PRETRAIN, "  []\n", [], id="the inventory lists no reservation at all"),
        pytest.param(PRETRAIN, reservation(name="other", zone="us-east5-a"), [], id="only another zone is listed"),
        pytest.param(PRETRAIN, reservation(name="other", project="acme-web"), [], id="only another project is listed"),
        pytest.param(PRETRAIN, reservation(zone="us-east5-a"), ["TPU802 warning"], id="same name in another zone"),
        pytest.param(
            PRETRAIN, reservation() + reservation(zone="us-east5-a"), [], id="same name in the right and another zone"
        ),
        pytest.param(
            PRETRAIN,
            reservation(project="acme-infra", shared_with="[acme-ml]"),
            ["TPU802 warning"],
            id="another project shares one of that name",
        ),
        pytest.param(
            PRETRAIN,
            reservation(project="acme-infra", shared_with="[acme-web]"),
            [],
            id="another project has one of that name, for others",
        ),
        pytest.param(
            PRETRAIN,
            reservation(project="acme-infra", shared_with="[acme-ml]", zone="us-east5-a"),
            [],
            id="another project shares one of that name in another zone",
        ),
        pytest.param(SERVE, reservation(), [], id="nothing is reserved"),
    ],
)
def test_where_a_reservation_is(found: Found, group: str, listed: str, expected: list[str]) -> None:
    assert found(cluster(group), inventory="reservations:\n" + listed) == expected


def test_a_reservation_that_could_not_be_read_may_be_the_missing_one(found: Found) -> None:
    for other in (reservation(name="other"), reservation(zone="us-east5-a")):
        listed = reservation(vms="many") + other
        assert found(cluster(PRETRAIN), inventory="reservations:\n" + listed) == ["TPU022 error"]


@pytest.mark.parametrize(
    ("listed", "expected"),
    [
        (reservation(vms=1), []),
        (reservation(vms=0), ["TPU804 error"]),
        (reservation(vms=0, zone="us-east5-a") + reservation(vms=0), []),
        (reservation(zone="us-central1-b"), ["TPU802 warning"]),
        (reservation(name="other"), ["TPU801 warning"]),
        (reservation(name="other", zone="us-central1-b"), []),
    ],
)
def test_autopilot_may_leave_the_zone_open(found: Found, listed: str, expected: list[str]) -> None:
    group = "tpu: v6e, topology: 2x2, capacity: {reservation: v6e-pretrain}"
    assert found(cluster(group, mode="autopilot"), inventory="reservations:\n" + listed) == expected


@pytest.mark.parametrize(("zone", "expected"), [("us-east5-b", ["TPU804 error"]), ("us-east5-c", ["TPU802 warning"])])
def test_slices_in_several_zones_use_a_reservation_of_one_of_them(found: Found, zone: str, expected: list[str]) -> None:
    group = "tpu: v6e, topology: 2x2, zones: [us-east5-a, us-east5-b], count: 4, capacity: {reservation: v6e-pretrain}"
    assert found(cluster(group), inventory="reservations:\n" + reservation(zone=zone, vms=3)) == expected


@pytest.mark.parametrize(
    ("topology", "more", "machine_type", "expected"),
    [
        ("4x4", "", "ct6e-standard-4t", []),
        ("4x4", "", "CT6E-Standard-4T", []),
        ("4x4", "", "ct6e-standard-8t", ["TPU803 warning"]),
        ("2x4", ", chips_per_host: 8", "ct6e-standard-8t", []),
        ("2x4", ", chips_per_host: 4", "ct6e-standard-8t", ["TPU803 warning"]),
        ("4x4", "", "ct5p-hightpu-4t", ["TPU803 error"]),
        ("4x4", "", "n2-standard-4", ["TPU803 error"]),
        ("4x4", "", "ct6e-standard-16t", ["TPU833 warning"]),
        ("4x4", "", "ct6e", ["TPU833 warning"]),
        ("4x4", "", "n2", ["TPU833 warning"]),
        ("4x4", "", "n2-", ["TPU833 warning"]),
        ("4x4", "", "n2-high!mem-4", ["TPU833 warning"]),
        ("4x4", "", '"ct6e standard 4t"', ["TPU833 warning"]),
    ],
)
def test_machine_types(found: Found, topology: str, more: str, machine_type: str, expected: list[str]) -> None:
    group = f"tpu: v6e, topology: {topology}{more}, zone: us-east5-b, capacity: {{reservation: v6e-pretrain}}"
    assert found(cluster(group), inventory="reservations:\n" + reservation(machine_type=machine_type)) == expected


def test_the_other_form_of_a_topology_is_offered(findings: Callable[..., tuple[Finding, ...]]) -> None:
    group = "tpu: v6e, topology: 2x4, chips_per_host: 8, zone: us-east5-b, capacity: {reservation: v6e-pretrain}"
    (finding,) = findings(cluster(group), inventory="reservations:\n" + reservation())
    assert (finding.rule, finding.fix) == ("TPU803", "chips_per_host: 4")


@pytest.mark.parametrize(
    ("topology", "machine_type"),
    [("4x4", "ct6e-standard-8t"), ("2x2", "ct6e-standard-8t"), ("2x4, chips_per_host: 8", "ct6e-standard-1t")],
)
def test_no_form_is_offered_that_the_topology_does_not_have(
    topology: str, machine_type: str, findings: Callable[..., tuple[Finding, ...]]
) -> None:
    """The reserved machines form slices of this generation, but none of this topology."""
    group = f"tpu: v6e, topology: {topology}, zone: us-east5-b, capacity: {{reservation: v6e-pretrain}}"
    (finding,) = findings(cluster(group), inventory="reservations:\n" + reservation(machine_type=machine_type))
    assert (finding.rule, finding.fix) == ("TPU803", "")


def reserved(topology: str, count: str) -> str:
    return f"tpu: v6e, topology: {topology}, count: {count}, zone: us-east5-b, capacity: {{reservation: v6e-pretrain}}"


@pytest.mark.parametrize(
    ("groups", "vms", "expected"),
    [
        ([reserved("4x4", "2")], 8, []),
        ([reserved("4x4", "2")], 7, ["TPU804 error"]),
        ([reserved("4x4", "2"), reserved("2x2", "3")], 11, []),
        ([reserved("4x4", "2"), reserved("2x2", "3")], 10, ["TPU804 error"]),
        ([reserved("4x4", "{min: 0, max: 3}")], 12, []),
        ([reserved("4x4", "{min: 0, max: 3}")], 11, ["TPU804 warning"]),
        ([reserved("2x2", "{min: 2, max: 4}")], 2, ["TPU804 warning"]),
        ([reserved("2x2", "{min: 2, max: 4}")], 1, ["TPU804 error"]),
        ([reserved("4x4", "0")], 0, []),
    ],
)
def test_hosts_on_one_reservation_are_summed(found: Found, groups: list[str], vms: int, expected: list[str]) -> None:
    assert found(cluster(*groups), inventory="reservations:\n" + reservation(vms=vms)) == expected


def test_plans_are_summed_and_the_one_that_exceeds_the_limit_is_reported(
    findings: Callable[..., tuple[Finding, ...]],
) -> None:
    plans = [cluster(reserved("4x4", "4")), cluster(reserved("4x4", "3"), location="us-east5", name="other")]
    (finding,) = findings(*plans, inventory="reservations:\n" + reservation(vms=20))
    assert finding.position is not None
    assert (finding.position.file, finding.given, finding.fix) == ("plan-1.yaml", "count: 3", "count: 1")
    assert finding.message == (
        "reservation `v6e-pretrain` has 20 VMs, but the plans need 28 "
        "(plan-0.yaml train/g0: 16, plan-1.yaml train/g0: 12)"
    )


def test_a_group_that_exactly_fills_a_reservation_does_not_exceed_it(
    findings: Callable[..., tuple[Finding, ...]],
) -> None:
    plan = cluster(reserved("4x4", "2"), reserved("2x2", "1"))
    (finding,) = findings(plan, inventory="reservations:\n" + reservation(vms=8))
    assert finding.path == ("clusters", "train", "slices", "g1", "count")


def test_a_shared_reservation_is_summed_over_projects(found: Found) -> None:
    def plan(project: str) -> str:
        body = textwrap.indent(cluster(f"{SERVE}, capacity: {{reservation: {{name: r, project: infra}}}}"), "    ")
        return f"version: 1\nproject: {project}\nclusters:\n  train:\n{body}"

    listed = "reservations:\n" + reservation(name="r", project="infra", vms=1, shared_with="[acme-ml, acme-web]")
    assert found(plan("acme-ml"), inventory=listed) == []
    assert found(plan("acme-ml"), plan("acme-web"), inventory=listed) == ["TPU804 error"]


def test_reservations_of_one_name_in_two_zones_are_counted_apart(found: Found) -> None:
    groups = [reserved("4x4", "1"), reserved("4x4", "1").replace("us-east5-b", "us-east5-a")]
    listed = reservation(vms=4) + reservation(vms=4, zone="us-east5-a")
    assert found(cluster(*groups), inventory="reservations:\n" + listed) == []


@pytest.mark.parametrize(
    ("topology", "workload", "expected"),
    [
        ("2x2", "serving", []),
        ("2x2", "batch", ["TPU805 error"]),
        ("2x2", "unspecified", []),
        ("4x4", "serving", ["TPU805 error"]),
        ("4x4", "batch", []),
        ("4x4", "unspecified", []),
    ],
)
def test_workload_types(found: Found, topology: str, workload: str, expected: list[str]) -> None:
    listed = "reservations:\n" + reservation(workload=workload)
    assert found(cluster(reserved(topology, "1")), inventory=listed) == expected


@pytest.mark.parametrize(
    ("interval", "periodic", "expected"),
    [
        ("periodic", "false", ["TPU806 warning"]),
        ("periodic", "true", []),
        ("periodic", None, []),
        ("as_needed", "false", []),
    ],
)
def test_periodic_maintenance(found: Found, interval: str, periodic: str | None, expected: list[str]) -> None:
    changes = {} if periodic is None else {"periodic_maintenance": periodic}
    group = f"{PRETRAIN}, host_maintenance: {interval}"
    assert found(cluster(group), inventory="reservations:\n" + reservation(**changes)) == expected


@pytest.mark.parametrize(
    ("shared_with", "expected"),
    [
        ("[acme-web]", ["TPU807 error"]),
        ("[]", ["TPU807 error"]),
        ("[acme-web, acme-ml]", []),
        (None, []),
        ('["123456789012"]', []),
    ],
)
def test_sharing(found: Found, shared_with: str | None, expected: list[str]) -> None:
    changes = {} if shared_with is None else {"shared_with": shared_with}
    listed = "reservations:\n" + reservation(project="acme-infra", **changes)
    group = "tpu: v6e, topology: 4x4, zone: us-east5-b"
    group += ", capacity: {reservation: {name: v6e-pretrain, project: acme-infra}}"
    assert found(cluster(group), inventory=listed) == expected


def test_an_own_reservation_need_not_be_shared(found: Found) -> None:
    assert found(cluster(PRETRAIN), inventory="reservations:\n" + reservation(shared_with="[acme-web]")) == []


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


@pytest.mark.parametrize(("count", "older"), [(8, []), (9, ["1 older"]), (11, ["3 older"])])
def test_the_newest_versions_are_named_and_the_older_ones_counted(
    findings: Callable[..., tuple[Finding, ...]], count: int, older: list[str]
) -> None:
    versions = [f"1.34.{minor}-gke.1" for minor in range(count)]
    listed = ", ".join(f'"{version}"' for version in versions)
    (finding,) = findings(
        cluster(SERVE, min_version='"1.35"'), inventory=f"gke_versions: {{us-east5: {{regular: [{listed}]}}}}"
    )
    assert list(finding.allowed) == [*older, *versions[-8:]]


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


@pytest.mark.parametrize(
    ("keys", "versions", "expected"),
    [
        ({"min_version": '"1.34"'}, '{regular: ["1.34.4-gke.1047000"]}', []),
        ({"min_version": '"1.34.4-gke.1047000"'}, '{regular: ["1.34.4-gke.1047000"]}', []),
        ({"min_version": '"1.34.3"'}, '{regular: ["1.34.4-gke.1047000"]}', ["TPU821 warning"]),
        ({"min_version": '"1.34.4"'}, '{regular: ["1.34"]}', []),
        ({"min_version": '"1.35"'}, '{rapid: ["1.34.4-gke.1047000"]}', []),
        ({"min_version": '"1.35"'}, "{regular: []}", []),
        ({"min_version": '"1.35"'}, '{regular: ["1.34.4-gke.1047000", "1.35.1-gke.1"]}', []),
        ({"min_version": '"1.35"', "release_channel": "none"}, '{none: ["1.34.4-gke.1"]}', ["TPU821 warning"]),
        ({"min_version": '"1.35"'}, '{regular: ["1.34.4-gke.1", "?"]}', ["TPU836 warning"]),
        ({"min_version": '"1.35"'}, '{reguler: ["1.34.4-gke.1"]}', ["TPU836 warning"]),
        ({}, '{regular: ["1.34.4-gke.1047000"]}', []),
        ({}, '{regular: ["1.31.1-gke.1", "1.31.2-gke.1115000"]}', []),
        ({}, '{regular: ["1.31.1-gke.1", "1.31.2-gke.1114999"]}', ["TPU822 warning"]),
        ({}, '{regular: ["1.31.1-gke.1845999"]}', ["TPU822 error"]),
        ({"min_version": '"1.32"'}, '{regular: ["1.31.1-gke.1"]}', ["TPU822 error"]),
    ],
)
def test_versions(found: Found, keys: dict[str, str], versions: str, expected: list[str]) -> None:
    assert found(cluster(SERVE, SERVE, **keys), inventory=f"gke_versions: {{us-east5: {versions}}}") == expected


@pytest.mark.parametrize(
    ("location", "expected"), [("us-east5-b", ["TPU821 warning"]), ("us-east5", []), ("us-east5-a", [])]
)
def test_versions_hold_for_exactly_one_location(found: Found, location: str, expected: list[str]) -> None:
    plan = cluster(SERVE, location="us-east5-b", min_version='"1.35"')
    assert found(plan, inventory=f'gke_versions: {{{location}: {{regular: ["1.34.4-gke.1"]}}}}') == expected


def test_a_channel_that_has_the_generation_is_offered(findings: Callable[..., tuple[Finding, ...]]) -> None:
    versions = '{regular: ["1.30.1-gke.1"], stable: ["1.29.1-gke.1"], rapid: ["1.35.1-gke.1"]}'
    (finding,) = findings(cluster(SERVE), inventory=f"gke_versions: {{us-east5: {versions}}}")
    assert (finding.allowed, finding.fix) == (("rapid",), "release_channel: rapid")


@pytest.mark.parametrize(
    ("as_of", "expected"),
    [
        ("2026-11-20", []),
        ("2026-10-21", []),
        ("2026-10-20", ["TPU831 note"]),
        ("2026-11-21", []),
        ("2027-11-20", ["TPU831 note"]),
    ],
)
def test_age(found: Found, as_of: str, expected: list[str]) -> None:
    assert found(cluster(SERVE), inventory=f"version: 1\nas_of: {as_of}") == expected


@pytest.mark.parametrize(
    ("inventory", "expected"),
    [
        ("reservations:\n" + reservation() + reservation(vms=1), ["TPU832 error"]),
        ("reservations:\n" + reservation() * 3, ["TPU832 error", "TPU832 error"]),
        ("reservations:\n" + reservation() + reservation(project="acme-web"), []),
        ("quotas:\n" + quota() + quota(family="ct6e"), ["TPU832 error"]),
        ("quotas:\n" + quota() + quota(family="CT3"), []),
        ("quotas:\n" + quota("CPUS", 24) + quota("NVIDIA_L4_GPUS", 0), []),
        ("quotas:\n" + quota("CPUS", 24, region="global"), []),
        ("quotas:\n" + quota("CPUS", 24, region="us_east5"), ["TPU835 warning"]),
        ("quotas:\n" + quota(family="V6E"), ["TPU834 warning"]),
        ("quotas:\n" + quota("tpu_per_tpu_family"), ["TPU834 warning"]),
        ("quotas:\n" + quota("tpu_per_tpu_family", project="acme-web"), ["TPU834 note"]),
        ("quotas:\n" + quota(family="V6E", region="us-east1"), ["TPU834 note"]),
        ("quotas:\n" + quota("tpus_per_tpu_family (CT6E)"), []),
        ("quotas:\n" + quota("tpus_per_tpu_family (CT6E)", family="ct6e"), []),
        ("quotas:\n" + quota("tpus_per_tpu_family (CT6E)", family="CT3"), ["TPU834 warning"]),
        ("quotas:\n" + quota("tpus_per_tpu_family (V6E)"), ["TPU834 warning"]),
        ("quotas:\n" + quota(family="ct6e") + quota("tpus_per_tpu_family (CT6E)"), ["TPU832 error"]),
        ("reservations:\n" + reservation(zone="us-east5"), ["TPU835 warning"]),
        ("gke_versions: {everywhere: {}}", ["TPU835 warning"]),
    ],
)
def test_the_inventory_by_itself(found: Found, inventory: str, expected: list[str]) -> None:
    assert found(cluster(SERVE), inventory=inventory) == expected


@pytest.mark.parametrize(
    ("machine_type", "fix"),
    [("ct6e-standard4t", "machine_type: ct6e-standard-4t"), ("n2-", ""), ("ct6e", ""), ("!", "")],
)
def test_the_fix_of_an_unknown_machine_type_is_one_of_similar_spelling(
    machine_type: str, fix: str, findings: Callable[..., tuple[Finding, ...]]
) -> None:
    listed = "reservations:\n" + reservation(machine_type=f'"{machine_type}"')
    assert [item.fix for item in findings(cluster(SERVE), inventory=listed)] == [fix]


@pytest.mark.parametrize(
    ("entry", "given", "allowed"),
    [
        (quota(family="V6E"), "family V6E", ("CT3", "CT3P", "CT6E", "tpu7x")),
        (
            "  - {project: acme-ml, metric: tpus_per_tpu_family, region: us-east5, limit: 8}\n",
            "no family",
            ("CT3", "CT3P", "CT6E", "tpu7x"),
        ),
    ],
)
def test_a_quota_per_machine_family_allows_the_families_of_this_quota(
    entry: str, given: str, allowed: tuple[str, ...], findings: Callable[..., tuple[Finding, ...]]
) -> None:
    (found,) = findings(cluster(SERVE), inventory="quotas:\n" + entry)
    assert found.message.endswith(f"is per machine family, but this entry has {given}")
    assert found.allowed == allowed


def test_a_finding_has_its_position_in_its_own_file(findings: Callable[..., tuple[Finding, ...]]) -> None:
    listed = "reservations:\n" + reservation(name="other") + reservation(name="other")
    places = {
        item.rule: item.position and (item.position.file, item.position.text.strip())
        for item in findings(cluster(SERVE), cluster(PRETRAIN, name="b"), inventory=listed)
    }
    assert places == {
        "TPU801": ("plan-1.yaml", f"g0: {{{PRETRAIN}}}"),
        "TPU832": ("inventory.yaml", reservation(name="other").strip()),
    }


def test_a_plan_accepts_warnings_about_its_own_groups(catalog: Catalog, tmp_path: Path) -> None:
    body = textwrap.indent(cluster(PRETRAIN), "    ")
    accept = "accept: [{rule: TPU801, of: train/g0, reason: it is being made, until: 2026-12-01}]"
    example = f"version: 1\nproject: acme-ml\n{accept}\nclusters:\n  train:\n{body}--- inventory\nreservations:\n"
    example += reservation(name="other")
    (finding,) = findings_about(example, catalog, tmp_path, TODAY, alone=True)
    assert (finding.rule, finding.accepted) == ("TPU801", "it is being made")


def test_what_cannot_be_read_is_passed_over() -> None:
    nothing: Document[Inventory] = Document(None, "inventory.yaml")
    empty: Document[Inventory] = Document(Inventory.model_validate({"version": 1, "as_of": TODAY}), "inventory.yaml")
    unreadable = check_plan(Document(None, "plan.yaml"), CATALOG)
    assert validate_inventory([unreadable], nothing, CATALOG, today=TODAY) == ()
    assert validate_inventory([unreadable], empty, CATALOG, today=TODAY) == ()
    assert validate_inventory([], empty, CATALOG, today=None) == ()


@pytest.mark.parametrize(
    "changes",
    [{"name": "other"}, {"vms": 0}, {"zone": "us-east5-a"}, {"project": "web\x1b[2J", "shared_with": ["acme"]}],
)
def test_hostile_text_of_a_program_is_made_printable(changes: dict[str, object]) -> None:
    name = "v6e\u202e\x1b[31m"
    group = {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b", "capacity": {"reservation": name}}
    cluster = {"mode": "standard", "location": "us-east5", "slices": {"g\x07": group}}
    entry = {"name": name, "project": "acme", "zone": "us-east5-b", "machine_type": "ct6e-standard-4t", "vms": 9}
    owned = Inventory.model_validate({"version": 1, "as_of": TODAY, "reservations": [entry | changes]})
    plan = check_plan(parse_plan({"version": 1, "project": "acme", "clusters": {"c\x9b": cluster}}), CATALOG, TODAY)
    findings = validate_inventory([plan], Document(owned), CATALOG, today=TODAY)
    assert len(findings) == 1
    for item in findings:
        assert all(text.isprintable() for text in (item.message, item.given, item.fix, *item.allowed)), item


counts = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=5)


@given(counts, st.integers(1, 30))
def test_a_sum_is_compared_by_its_bounds(sizes: list[tuple[int, int]], vms: int) -> None:
    """However groups are spread over plans, the severity follows from the sums, and there is one finding at most."""
    groups = [
        {
            "tpu": "v6e",
            "topology": "2x2",
            "zone": "us-east5-b",
            "capacity": {"reservation": "r"},
            "count": {"min": low, "max": low + more},
        }
        for low, more in sizes
        if low + more
    ]
    documents = [
        parse_plan(
            {
                "version": 1,
                "project": "acme-ml",
                "clusters": {f"c{index}": {"mode": "standard", "location": "us-east5", "slices": {"g": group}}},
            }
        )
        for index, group in enumerate(groups)
    ]
    entry = {"name": "r", "project": "acme-ml", "zone": "us-east5-b", "machine_type": "ct6e-standard-4t", "vms": vms}
    owned = Inventory.model_validate({"version": 1, "as_of": TODAY, "reservations": [entry]})
    plans = [check_plan(document, CATALOG, TODAY) for document in documents]
    findings = validate_inventory(plans, Document(owned), CATALOG, today=TODAY)
    least = sum(low for low, _ in sizes)
    most = sum(low + more for low, more in sizes)
    expected = ["error"] if least > vms else ["warning"] if most > vms else []
    assert [item.severity.word for item in findings] == expected


def test_reasons_about_keys_of_an_inventory_do_not_mention_plans_or_resources(tmp_path: Path) -> None:
    path = tmp_path / "inventory.yaml"
    path.write_text("version: 1\nreservations: []\nquota:\n" + quota(), encoding="utf-8")
    reasons = {finding.rule: finding.why for finding in read_inventory(path, path.name).findings}
    assert "resource" not in reasons["TPU021"]
    assert reasons["TPU020"] == "the key for this setting is `quotas`"


def test_a_group_without_slices_exceeds_no_quota(found: Found) -> None:
    groups = sized("on_demand", topology="2x2"), sized("on_demand", "0", topology="8x16")
    assert found(cluster(*groups), inventory="quotas:\n" + quota(limit=8)) == []
