"""Rules about several plans that create the same resource."""

import datetime
from collections.abc import Callable
from pathlib import Path

import pytest
from support.several import findings_about

from pulumi_gke_tpu.core.catalog import Catalog, read_catalog
from pulumi_gke_tpu.core.plan import Document, read_plan
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.rules.fleet.together import validate_fleet
from pulumi_gke_tpu.core.text.findings import Finding, Severity
from pulumi_gke_tpu.core.workflows.check import check_documents

TODAY = datetime.date(2026, 11, 20)

SLICES = "slices:\n  pretrain: {tpu: tpu7x, topology: 4x4x4, zone: us-central1-c}\n"


def body(location: str = "us-central1", **keys: str) -> str:
    return f"mode: standard\nlocation: {location}\n" + "".join(f"{key}: {value}\n" for key, value in keys.items())


def in_project(project: str) -> str:
    cluster = "{mode: standard, location: us-central1, network: create}"
    return f"version: 1\nproject: {project}\nclusters:\n  train: {cluster}\n"


@pytest.fixture
def findings(catalog: Catalog, tmp_path: Path) -> Callable[..., tuple[Finding, ...]]:
    def of(*plans: str) -> tuple[Finding, ...]:
        return findings_about("\n--- plan\n".join(plans), catalog, tmp_path, TODAY)

    return of


HEAD = "cpu_pools:\n  {}: {{machine_type: n2-standard-64, max_nodes: 1}}\n"

IN_EXISTING = (
    "mode: standard\nexisting: projects/acme-ml/locations/us-central1/clusters/train\nnode_service_account: create\n"
)


@pytest.mark.parametrize(
    ("plans", "rules"),
    [
        ([body() + HEAD.format("head"), IN_EXISTING + HEAD.format("head")], ["TPU844"]),
        ([body() + HEAD.format("head"), IN_EXISTING + HEAD.format("loaders")], []),
        ([body() + SLICES, IN_EXISTING + HEAD.format("pretrain-0")], ["TPU844"]),
        (
            [
                body(additional_networks="{data: {subnet: 10.64.0.0/20}}", name="a"),
                body("us-east5", network="create", name="a-data"),
            ],
            ["TPU842"],
        ),
        ([body()], []),
        ([body(), body()], ["TPU841"]),
        ([body(), body(), body()], ["TPU841", "TPU841"]),
        ([body(), body(name="other")], []),
        ([body(name="other"), body(name="other")], ["TPU841"]),
        ([body(), body("us-east5")], []),
        ([body(), body("us-central1-c")], []),
        ([in_project("acme-ml"), in_project("acme-web")], []),
        ([in_project("acme-ml"), in_project("acme-ml")], ["TPU841"]),
        ([body(network="create"), body("us-east5", network="create")], ["TPU842"]),
        ([body(network="create"), body("us-east5")], []),
        ([body(network="create"), body("us-east5", network="{network: train, subnetwork: train}")], []),
        ([body(network="create"), body("us-east5", name="other", network="create")], []),
        ([body() + SLICES, body("us-central1-c") + SLICES], ["TPU843"]),
        ([body() + SLICES, body() + SLICES], ["TPU841"]),
        ([body() + SLICES, body("us-central1-c") + SLICES.replace("4x4x4", "4x4x8")], []),
        ([body() + SLICES, body("us-central1-c") + SLICES.replace("tpu7x", "v5p")], []),
    ],
)
def test_what_collides(findings: Callable[..., tuple[Finding, ...]], plans: list[str], rules: list[str]) -> None:
    assert [item.rule for item in findings(*plans)] == rules


def test_the_finding_in_the_later_plan_names_the_earlier_one(findings: Callable[..., tuple[Finding, ...]]) -> None:
    (finding,) = findings(body(name="shared"), body(name="shared"))
    assert finding.position is not None
    assert (finding.position.file, finding.given) == ("plan-1.yaml", "name: shared")
    assert (
        finding.message == "duplicate cluster `shared` in us-central1 of project acme-ml: "
        "plan-0.yaml also defines this cluster"
    )


def test_a_plan_that_cannot_be_read_is_passed_over(catalog: Catalog) -> None:
    unreadable = check_plan(Document(None, "plan.yaml"), catalog)
    assert validate_fleet([unreadable, unreadable], catalog) == ()


def test_one_plan_with_a_duplicate_network_has_one_finding(tmp_path: Path) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text(
        "version: 1\nproject: acme-ml\nclusters:\n"
        "  a: {mode: standard, location: us-east5, name: train, network: create}\n"
        "  b: {mode: standard, location: us-east1, name: train, network: create}\n"
    )
    found = check_documents([read_plan(plan)], None, read_catalog(), TODAY).findings
    assert [finding.rule for finding in found if finding.severity is Severity.ERROR] == ["TPU268"]


def test_one_plan_with_a_duplicate_policy_has_one_finding(tmp_path: Path) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text(
        "version: 1\nproject: acme-ml\nclusters:\n"
        "  train:\n    mode: standard\n    location: us-central1\n    slices:\n"
        "      a-b: {tpu: tpu7x, topology: 4x4x4, zone: us-central1-c}\n"
        "  train-a:\n    mode: standard\n    location: us-central1\n    slices:\n"
        "      b: {tpu: tpu7x, topology: 4x4x4, zone: us-central1-c}\n"
    )
    found = check_documents([read_plan(plan)], None, read_catalog(), TODAY).findings
    assert [finding.rule for finding in found if finding.severity is Severity.ERROR] == ["TPU294"]


def test_a_second_duplicate_in_a_later_plan_is_reported_in_that_plan_only(
    findings: Callable[..., tuple[Finding, ...]],
) -> None:
    here, there = in_project("acme-ml"), in_project("acme-ml").replace("us-central1", "us-east5")
    again = there + "  again: {mode: standard, location: us-east1, name: train, network: create}\n"
    assert [item.rule for item in findings(here, again)] == ["TPU842"]
