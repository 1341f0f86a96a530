"""Rules about workload policies: their settings, and their topology beside that of the slices that use them."""

import datetime
from pathlib import Path

import pytest
from support.checking import validate
from support.fixtures.checks import Check
from support.policy_plans import MADE, NAMED, body, group, said
from support.several import findings_about

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.plan import Unknown, parse_plan

TODAY = datetime.date(2026, 11, 20)


def whole(project: str, text: str) -> str:
    indented = "".join(f"    {line}\n" for line in text.splitlines())
    return f"version: 1\nproject: {project}\nclusters:\n  train:\n{indented}"


@pytest.mark.parametrize(
    ("groups", "wrong"),
    [
        ((MADE, group("small", "2x2x2", "train-large-4x4x4")), ["small"]),
        ((group("small", "2x2x2", "train-large-4x4x4"), MADE), ["small"]),
        ((MADE, group("small", "4x4x4", "train-large-4x4x4")), []),
        ((MADE, group("small", "2x2x2", "train-small-2x2x2")), []),
        ((group("a", "4x4x4", "cube"), group("b", "2x2x2", "cube")), ["b"]),
        ((group("a", "4x4x4", "cube"), group("b", "4x4x4", "cube")), []),
        ((group("a", "4x4x4", "cube"), group("b", "2x2x2", "other")), []),
        (
            (
                "v6: {tpu: v6e, topology: 4x4, zone: us-central1-b}",
                "v5: {tpu: v5e, topology: 4x8, zone: us-central1-a}",
            ),
            [],
        ),
        ((group("a", "4x4x4", "cube"), group("one", "2x2x1", "cube")), []),
        (
            (
                MADE,
                group("small", "2x2x2", "projects/acme-ml/regions/us-central1/resourcePolicies/train-large-4x4x4"),
            ),
            ["small"],
        ),
    ],
)
def test_a_policy_of_another_topology_in_one_plan_is_reported(
    check: Check, groups: tuple[str, ...], wrong: list[str]
) -> None:
    expected = [("error", f"clusters.train.slices.{name}.placement.workload_policy") for name in wrong]
    assert said(check(body(*groups)), "TPU135") == expected


def test_groups_without_node_pools_use_no_policy(check: Check) -> None:
    groups = body(group("a", "4x4x4", "cube"), group("b", "2x2x2", "cube")).replace("standard", "autopilot")
    assert said(check(groups), "TPU135") == []


def test_a_policy_with_an_unknown_name_is_not_compared(catalog: Catalog) -> None:
    members = {
        name: {
            "tpu": "tpu7x",
            "topology": topology,
            "zone": "us-central1-c",
            "placement": {"workload_policy": Unknown(output=name)},
        }
        for name, topology in (("a", "4x4x4"), ("b", "2x2x2"))
    }
    cluster = {"mode": "standard", "location": "us-central1", "slices": members}
    plan = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"c": cluster}}).content
    assert plan is not None
    assert said(validate(plan, catalog), "TPU135") == []


def test_the_message_names_both_groups(check: Check) -> None:
    (finding,) = check(body(MADE, group("small", "2x2x2", "train-large-4x4x4")))
    assert finding.message == (
        "workload policy `train-large-4x4x4` is created for `train/large` with topology 4x4x4, "
        "but `train/small` has topology 2x2x2"
    )


CUBES = "workload_policies: {cubes: {topology: 4x4x4}}\n"


def test_a_group_has_the_topology_of_the_policy_in_its_cluster(check: Check) -> None:
    assert said(check(CUBES + body(NAMED)), "TPU135") == []
    (finding,) = [item for item in check(CUBES + body(group("small", "2x2x2", "cubes"))) if item.rule == "TPU135"]
    assert finding.message == (
        "workload policy `cubes` is created in `workload_policies` of `train` with topology 4x4x4, "
        "but `train/small` has topology 2x2x2"
    )


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ("{}", []),
        ("{topology: 4x4x4}", []),
        ("{topology: 4x4x4, type: high_throughput, topology_mode: auto_connect}", []),
        ("{type: high_availability}", []),
        ("{max_topology_distance: block}", []),
        ("{topology: 4x4x4, type: high_availability}", ["TPU136 error type"]),
        ("{max_topology_distance: block, type: high_availability}", ["TPU136 error type"]),
        ("{topology: 4x4x4, max_topology_distance: block}", ["TPU136 error max_topology_distance"]),
        ("{topology_mode: auto_connect, max_topology_distance: block}", ["TPU136 error max_topology_distance"]),
        ("{topology_mode: auto_connect}", ["TPU136 warning topology_mode"]),
        ("{topology: 4x4}", []),  # v6e, which can use a policy
        ("{topology: 2x4}", []),  # v6e with one or with two hosts
        ("{topology: 2x2x1}", ["TPU138 error topology"]),
        ("{topology: 4x4x5}", ["TPU138 error topology"]),
        ("{topology: 8x8x12}", []),
        ("{topology: 1x64}", ["TPU138 error topology"]),
        ("{topology: cube}", ["TPU138 error topology"]),
        ("{topology: ''}", ["TPU138 error topology"]),
        ("{topology: 4x4x4, topology_mode: provision_only}", ["TPU139 warning topology_mode"]),
    ],
)
def test_the_settings_of_a_policy_are_checked(settings: str, expected: list[str], check: Check) -> None:
    found = check(f"workload_policies: {{cubes: {settings}}}\n{body(MADE)}")
    assert [f"{item.rule} {item.severity.word} {item.path[-1]}" for item in found] == expected


@pytest.mark.parametrize(
    ("cluster", "reported"),
    [
        ("mode: standard\nlocation: us-central1\n", True),
        ("mode: standard\nlocation: us-central1\nrelease_channel: rapid\naddons: [slice_controller]\n", False),
        ("mode: autopilot\nlocation: us-central1\n", True),
        ("mode: standard\nexisting: projects/acme-ml/locations/us-central1/clusters/iron\n", False),
    ],
    ids=["no controller", "controller", "Autopilot", "unknown add-ons"],
)
def test_dynamic_slicing_requires_a_standard_cluster_with_the_controller(
    cluster: str, reported: bool, check: Check
) -> None:
    policies = "workload_policies: {cubes: {topology: 4x4x4, topology_mode: provision_only}}\n"
    assert bool(said(check(cluster + policies), "TPU139")) is reported


@pytest.mark.parametrize("settings", ["{}", "{max_topology_distance: block}", "{type: high_availability}"])
def test_the_policy_of_a_group_has_a_topology(settings: str, check: Check) -> None:
    (finding,) = check(f"workload_policies: {{cubes: {settings}}}\n{body(NAMED)}")
    assert (finding.rule, finding.severity.word) == ("TPU137", "error")
    assert finding.path == ("clusters", "train", "workload_policies", "cubes")
    assert finding.fix == "topology: 4x4x4"


def test_a_v6e_group_may_name_a_policy_without_a_topology(check: Check) -> None:
    v6e = "v6: {tpu: v6e, topology: 4x4, zone: us-central1-b, placement: {workload_policy: cubes}}"
    assert said(check(f"workload_policies: {{cubes: {{}}}}\n{body(v6e)}"), "TPU137") == []


@pytest.mark.parametrize(
    ("name", "fix"),
    [("Cubes", "cubes:"), ("my_cubes", "my-cubes:"), ("4x4x4", ""), ("a" * 64, f"{'a' * 63}:"), ("cubes-", "cubes:")],
)
def test_the_key_of_a_policy_is_its_name_in_compute_engine(name: str, fix: str, check: Check) -> None:
    (finding,) = check(f"workload_policies: {{{name}: {{topology: 4x4x4}}}}\nmode: standard\nlocation: us-central1\n")
    assert (finding.rule, finding.fix) == ("TPU295", fix)


def test_a_policy_of_the_cluster_and_one_of_a_group_have_different_names(check: Check) -> None:
    policies = "workload_policies: {train-large-4x4x4: {topology: 4x4x4}}\n"
    (finding,) = check(policies + body(MADE))
    assert (finding.rule, finding.path) == ("TPU294", ("clusters", "train", "slices", "large"))
    assert "`workload_policies` of `train` also creates it" in finding.message


def test_two_plans_create_no_policy_twice(catalog: Catalog, tmp_path: Path) -> None:
    plans = f"{CUBES}{body(MADE)}\n--- plan\n{CUBES}{body(name='serve')}"
    (finding,) = [item for item in findings_about(plans, catalog, tmp_path, TODAY) if item.rule == "TPU843"]
    assert "`workload_policies` of cluster `train` in " in finding.message


@pytest.mark.parametrize(
    ("policies", "expected"),
    [("{}", 1), ("{cubes: {topology: 4x4x4}}", 0), ("{cubes: {}}", 1), ("{pairs: {topology: 4x4}}", 1)],
)
def test_auto_provisioning_finds_its_policy_in_the_cluster(policies: str, expected: int, check: Check) -> None:
    limits = "autoprovisioning: {cpu: 50000, memory_gib: 200000, tpu: {tpu7x: 128}}\n"
    cluster = f"mode: standard\nlocation: us-central1\n{limits}workload_policies: {policies}\n"
    assert len(said(check(cluster), "TPU220")) == expected


@pytest.mark.parametrize(
    ("first", "second", "wrong"),
    [
        (body(MADE), body(group("small", "2x2x2", "train-large-4x4x4"), name="serve"), True),
        (body(group("small", "2x2x2", "train-large-4x4x4"), name="serve"), body(MADE), True),
        (body(MADE), body(group("small", "4x4x4", "train-large-4x4x4"), name="serve"), False),
        (body(group("a", "4x4x4", "cube")), body(group("b", "2x2x2", "cube"), name="serve"), True),
        (whole("acme-ml", body(MADE)), whole("acme-2", body(group("b", "2x2x2", "train-large-4x4x4"))), False),
        (
            body(group("a", "4x4x4", "cube")),
            body(group("b", "2x2x2", "cube", zone="us-east1-d"), name="serve", location="us-east1"),
            False,
        ),
    ],
    ids=["made", "made later", "same topology", "both named", "other project", "other region"],
)
def test_a_policy_of_another_topology_across_plans_is_reported(
    catalog: Catalog, tmp_path: Path, first: str, second: str, wrong: bool
) -> None:
    found = said(findings_about(f"{first}\n--- plan\n{second}", catalog, tmp_path, TODAY), "TPU845")
    assert [severity for severity, _ in found] == (["error"] if wrong else [])
