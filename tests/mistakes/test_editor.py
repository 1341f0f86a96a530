"""What an editor marks with the JSON Schema of plans, by the real language server for YAML."""

import json
import re

import pytest
import yaml
from support.documents import ROOT
from support.language_server import MANIFEST, Mark, marks
from support.mistakes import HERE, base_text, mistakes
from support.npm_packages import required_packages
from support.printed import OTHER_KINDS
from support.tool_installation import CACHE

from pulumi_gke_tpu.core.plan.key_table import EVERY_KEY
from pulumi_gke_tpu.core.plan.schema import inventory_schema, organization_schema, plan_schema

pytestmark = pytest.mark.javascript
UNSEEN = yaml.safe_load((HERE / "unseen_in_editors.yaml").read_text(encoding="utf-8"))
VALID = {
    **{f"base {name}": base_text(name) for name in ("standard", "braces", "autopilot", "clusters", *OTHER_KINDS)},
    **{str(path): path.read_text(encoding="utf-8") for path in sorted((ROOT / "stacks").glob("*/plan.yaml"))},
    "every key": EVERY_KEY.read_text(encoding="utf-8"),
}
MISSPELT = """\
version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    location: us-east5
    network: {create: {}}
    slices:
      main:
        tpu: v6e
        topology: 4x4
        zone: us-east5-b
        capacity: {reservation: {nmae: one}}
        count: {min: 0, maxx: 2}
        boot_disk: {sise_gib: 200}
"""


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Mark, ...]]:
    """What is marked in each text."""
    folder = tmp_path_factory.mktemp("schemas")
    schemas = {"plan": plan_schema(), "inventory": inventory_schema(), "organization": organization_schema()}
    for name, schema in schemas.items():
        (folder / f"{name}.schema.json").write_text(json.dumps(schema), encoding="utf-8")

    def with_schema(text: str) -> str:
        name = "inventory" if "\nas_of:" in text or "\nreservations:" in text else "plan"
        name = "organization" if re.search(r"^(standards?|exemptions|exceptions):", text, re.MULTILINE) else name
        return f"# yaml-language-server: $schema={name}.schema.json\n{text}"

    texts = {**VALID, "misspelt": MISSPELT, **{mistake.id: mistake.text for mistake in mistakes()}}
    return marks(required_packages(MANIFEST, CACHE), {name: with_schema(text) for name, text in texts.items()}, folder)


def test_a_valid_file_has_no_mark(shown: dict[str, tuple[Mark, ...]]) -> None:
    assert {name: shown[name] for name in VALID if shown[name]} == {}


def test_an_editor_marks_every_mistake_that_a_schema_can_express(shown: dict[str, tuple[Mark, ...]]) -> None:
    unmarked = {mistake.id for mistake in mistakes() if not shown[mistake.id]}
    assert sorted(unmarked - UNSEEN.keys()) == []
    assert sorted(UNSEEN.keys() - unmarked) == [], "marked now: remove the entry"


def test_a_misspelt_key_is_named_at_any_depth(shown: dict[str, tuple[Mark, ...]]) -> None:
    named = {mark.line: mark.message for mark in shown["misspelt"] if "is not allowed" in mark.message}
    assert named == {
        14: "Property nmae is not allowed.",
        15: "Property maxx is not allowed.",
        16: "Property sise_gib is not allowed.",
    }
