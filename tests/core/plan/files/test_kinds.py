"""Plans, inventories and organization files: each is recognized, and none is read as another kind."""

import pathlib

import pytest

from pulumi_gke_tpu.core.plan import Plan, read_inventory_content, read_organization_content, read_plan_content
from pulumi_gke_tpu.core.plan.files.kinds import (
    INVENTORY,
    KINDS,
    ORGANIZATION,
    PLAN,
    FileKind,
    kind_of_keys,
    kind_of_model,
)
from pulumi_gke_tpu.core.plan.files.mending import mended
from pulumi_gke_tpu.core.plan.inventory import Inventory
from pulumi_gke_tpu.core.plan.organization import Organization
from pulumi_gke_tpu.core.text.findings import Finding, SetKeys

CONTENT = {
    PLAN.name: b"version: 1\nproject: acme-ml\nclusters: {}\n",
    INVENTORY.name: b"version: 1\nas_of: 2026-11-20\nreservations: []\n",
    ORGANIZATION.name: b"version: 1\nstandards: {}\nexemptions: []\n",
}
READ = {
    PLAN.name: read_plan_content,
    INVENTORY.name: read_inventory_content,
    ORGANIZATION.name: read_organization_content,
}
PAIRS = [(one, other) for one in KINDS for other in KINDS if one != other]


def findings(expected: FileKind, content: bytes) -> tuple[Finding, ...]:
    return READ[expected.name](content, "file.yaml").findings


@pytest.mark.parametrize(("expected", "given"), PAIRS, ids=lambda kind: kind.name)
@pytest.mark.parametrize("damage", [b"", b"x: [\n"])
def test_a_file_of_another_kind_is_named_with_the_command_that_reads_it(
    expected: FileKind, given: FileKind, damage: bytes
) -> None:
    (finding,) = findings(expected, CONTENT[given.name] + damage)
    assert finding.message == f"this is {given.shown}, not {expected.shown}"
    assert finding.why == given.usage


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_every_other_file_is_refused_without_its_content(kind: FileKind) -> None:
    (finding,) = findings(kind, b"root: hunter2\nversion: 1\n")
    assert finding.message.startswith(f"not {kind.shown}: it has fewer than two of the top-level keys ")
    assert "hunter2" not in repr(finding)


@pytest.mark.parametrize(
    ("keys", "kind"),
    [
        (["version", "clusters"], PLAN),
        (["version", "as_of"], INVENTORY),
        (["version", "owner"], ORGANIZATION),
        (["standards", "exemptions", "clusters"], ORGANIZATION),
        (["standards", "clusters"], None),
        (["version"], None),
        ([], None),
        ([1, None], None),
    ],
)
def test_the_keys_of_one_kind_alone_decide(keys: list[object], kind: FileKind | None) -> None:
    assert kind_of_keys(keys) == kind


def test_a_model_has_the_kind_of_file_that_it_reads() -> None:
    models = {Plan: PLAN, Inventory: INVENTORY, Organization: ORGANIZATION}
    assert {model: kind_of_model(model) for model in models} == models
    assert [*models.values()] == [*KINDS]


def test_a_fix_is_pasted_by_the_keys_of_the_kind_of_file() -> None:
    """`owner` is a key of a standard, so the fix replaces its value instead of the whole standard."""
    text = "version: 1\nstandards:\n  size:\n    max: {chips: 8}\n    owner: a\n"
    fix = SetKeys.of(owner="b")
    assert mended(text, 4, 5, 3, fix) == text.replace("owner: a", "owner: b").replace("    max: {chips: 8}\n", "")


def test_an_organization_file_in_a_folder_is_not_a_plan(tmp_path: pathlib.Path) -> None:
    from pulumi_gke_tpu.cli.files.plan_arguments import read_plans

    (tmp_path / "plan.yaml").write_bytes(CONTENT[PLAN.name])
    (tmp_path / "organization.yaml").write_bytes(CONTENT[ORGANIZATION.name])
    assert [pathlib.Path(document.name).name for document in read_plans([str(tmp_path)])] == ["plan.yaml"]


@pytest.mark.parametrize(
    ("content", "is_a_plan"),
    [
        ("verion: 1\nproject_id: acme-ml\nclusters: {}\n", True),
        ("verion: 1\nclusters: {}\n", True),
        ("verion: 1\nproject_id: acme-ml\n", False),
        ("clusters: {}\npassword: secret\n", False),
        ("token: a\nproject: secret\n", False),
        ("apiVersion: v1\nclusters: {secret: {}}\nusers: [{token: secret}]\n", False),
        ("clusters: {a: {}}\nusers: [{token: secret}]\n", False),
        ("project: a\ncluster: b\ntoken: secret\n", False),
        ("project: a\nlabels: {b: c}\nprivate_key: secret\n", False),
    ],
)
def test_another_spelling_of_a_top_level_key_counts_beside_one_of_a_plan(content: str, is_a_plan: bool) -> None:
    findings = read_plan_content(content.encode(), "plan.yaml").findings
    assert any("not a plan" in finding.message for finding in findings) != is_a_plan
    assert "secret" not in "".join(finding.message + finding.given + finding.fix for finding in findings)
