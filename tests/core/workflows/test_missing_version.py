"""The fix for a missing `version` adds this key, and every entry of the file stays."""

import datetime
import json
import pathlib
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from pulumi_gke_tpu.cli import main
from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan import read_inventory_content, read_organization_content, read_plan_content
from pulumi_gke_tpu.core.plan.files.kinds import INVENTORY, ORGANIZATION, PLAN, FileKind
from pulumi_gke_tpu.core.workflows.fixing import FixableFile, Fixer, replacements

FIXER = Fixer(read_catalog(), datetime.date(2026, 11, 20))
READ: dict[str, Callable[[bytes, str], Any]] = {
    PLAN.name: read_plan_content,
    INVENTORY.name: read_inventory_content,
    ORGANIZATION.name: read_organization_content,
}
LABELS = "resource_labels: {team: ml}   # owner\n"
MOVED = "moved:\n  - {from: old, to: train}\n"
PROJECT = "project: acme-ml\n"
CLUSTERS = """\
clusters:
  train:
    mode: standard
    location: us-east5
    slices:
      main: {tpu: v6e, topology: 4x4, zone: us-east5-b}
"""
SECOND = "  dev: {mode: autopilot, location: us-central1}\n"
RESERVATIONS = (
    "reservations:\n  - {project: acme-ml, name: a, zone: us-east5-b, machine_type: ct6e-standard-4t, vms: 4}\n"
)
STANDARDS = "standards:\n  private: {private_nodes: true}\nowner: {name: platform, contact: platform@example.com}\n"
FILES = [
    pytest.param(PLAN, LABELS + PROJECT + CLUSTERS, id="labels"),
    pytest.param(PLAN, PROJECT + CLUSTERS + LABELS, id="project"),
    pytest.param(PLAN, MOVED + PROJECT + CLUSTERS, id="moved"),
    pytest.param(PLAN, CLUSTERS + SECOND + PROJECT, id="clusters"),
    pytest.param(PLAN, CLUSTERS.replace("4x4", "4x5") + SECOND + PROJECT, id="clusters with an error"),
    pytest.param(PLAN, '"project": acme-ml\n' + CLUSTERS, id="quoted key"),
    pytest.param(PLAN, "x: 1\n" + PROJECT + CLUSTERS, id="short key"),
    pytest.param(PLAN, "# on top\n" + LABELS + PROJECT + CLUSTERS, id="comment"),
    pytest.param(PLAN, "---\n" + LABELS + PROJECT + CLUSTERS, id="document start"),
    pytest.param(PLAN, (LABELS + PROJECT + CLUSTERS).replace("\n", "\r\n"), id="carriage returns"),
    pytest.param(PLAN, f"{{project: acme-ml, clusters: {yaml.safe_load(CLUSTERS)['clusters']}}}\n", id="braces"),
    pytest.param(INVENTORY, f"{RESERVATIONS}as_of: 2026-11-18\n", id="reservations"),
    pytest.param(INVENTORY, f"as_of: 2026-11-18\n{RESERVATIONS}", id="as_of"),
    pytest.param(ORGANIZATION, STANDARDS, id="standards"),
]


def files_with(kind: FileKind, text: str) -> list[FixableFile]:
    plan = FixableFile("plan.yaml", ("version: 1\n" + PROJECT + CLUSTERS).encode())
    file = FixableFile("file.yaml", text.encode(), kind)
    return [file] if kind == PLAN else [plan, file]


@pytest.mark.parametrize(("kind", "text"), FILES)
def test_the_key_is_added_and_nothing_is_lost(kind: FileKind, text: str) -> None:
    after = FIXER.fix(files_with(kind, text)).after[-1].content.decode()
    assert yaml.safe_load(after) == {"version": 1, **yaml.safe_load(text)}
    assert {*text.splitlines()} <= {*after.splitlines()} or "{project" in text


@pytest.mark.parametrize(("kind", "text"), FILES)
def test_an_editor_gets_a_replacement_that_only_adds_text(kind: FileKind, text: str) -> None:
    text = text.replace("\r\n", "\n")
    (finding,) = (each for each in READ[kind.name](text.encode(), "file.yaml").findings if each.rule == "TPU021")
    change = replacements(text, [finding])[finding]
    assert (change.line, change.column) == (change.end_line, change.end_column)
    assert "version: 1" in change.text


def test_sarif_offers_this_replacement(capsys: pytest.CaptureFixture[str], tmp_path: pathlib.Path) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text(LABELS + PROJECT + CLUSTERS)
    with pytest.raises(SystemExit):
        main(["validate", str(path), "--format", "sarif"])
    (result,) = json.loads(capsys.readouterr().out)["runs"][0]["results"]
    (change,) = result["fixes"][0]["artifactChanges"][0]["replacements"]
    region = change["deletedRegion"]
    assert (region["startLine"], region["startColumn"]) == (region["endLine"], region["endColumn"])
    assert change["insertedContent"]["text"] == "version: 1\n"
