"""``gke-tpu schema``: each schema is printed and is one."""

import json
import pathlib
import re
from typing import Any

import jsonschema
import pytest

from pulumi_gke_tpu.cli.files.plan_files import has_plan_name, is_of_another_tool
from pulumi_gke_tpu.core.output.schemas import all_schemas

ROOT = pathlib.Path(__file__).parents[2]
EXPLAINED = (ROOT / "stacks" / "prod" / "plan.yaml", "train-east/pretrain")


@pytest.mark.parametrize("name", [None, *all_schemas()])
def test_a_schema_is_printed(gke_tpu: Any, name: str | None) -> None:
    run = gke_tpu("schema", *([name] if name else []))
    assert run.code == 0
    schema = json.loads(run.out)
    jsonschema.validators.validator_for(schema).check_schema(schema)
    assert ("$id" in schema) == (name in (None, "plan", "inventory", "organization"))


def test_editors_find_plans_by_names_that_only_gke_tpu_has(gke_tpu: Any) -> None:
    entry = json.loads((ROOT / "docs" / "contributing" / "listings" / "schemastore.json").read_text(encoding="utf-8"))
    assert entry["url"] == json.loads(gke_tpu("schema", "plan").out)["$id"]
    names = [pattern.replace("*", "prod") for pattern in entry["fileMatch"]]
    assert len(names) == 4
    assert all(map(has_plan_name, names))
    assert not any(is_of_another_tool(name, b"steps: []") for name in names)


def test_the_plan_is_the_default(gke_tpu: Any) -> None:
    assert gke_tpu("schema").out == gke_tpu("schema", "plan").out


def test_the_other_spelling_of_organization_is_a_name(gke_tpu: Any) -> None:
    assert gke_tpu("schema", "organisation").out == gke_tpu("schema", "organization").out


def test_an_unknown_name_exits_with_2_and_the_nearest(gke_tpu: Any) -> None:
    run = gke_tpu("schema", "paln")
    assert (run.code, run.out) == (2, "")
    assert "Did you mean plan?" in run.err


@pytest.mark.parametrize(("schema", "command"), [("preview", "preview"), ("findings", "validate")])
def test_the_schema_describes_the_output(gke_tpu: Any, schema: str, command: str, tmp_path: Any) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text(
        "version: 1\nproject: acme-ml\n"
        "clusters: {dev: {mode: autopilot, location: us-central1, slices: {one: {tpu: v5e, topology: 2x2}}}}\n"
    )
    written = json.loads(gke_tpu(command, plan, "--format", "json").out)
    jsonschema.validate(written, json.loads(gke_tpu("schema", schema).out))


@pytest.mark.parametrize(
    ("schema", "arguments"),
    [
        ("explain", ("explain", *EXPLAINED)),
        ("explain", ("explain", *EXPLAINED, "--prices", "--inventory", ROOT / "docs" / "examples" / "inventory.yaml")),
        ("explain", ("explain", EXPLAINED[0], "train-east/pretrain/headroom")),
        ("explain", ("explain", "v5p-128")),
        ("rule", ("explain", "TPU112")),
        ("rule", ("rule",)),
    ],
)
def test_the_schema_describes_explanations_and_rules(gke_tpu: Any, schema: str, arguments: tuple[Any, ...]) -> None:
    written = json.loads(gke_tpu(*arguments, "--format", "json").out)
    published = all_schemas()[schema]()
    jsonschema.validate(written, published)
    for key in published["required"]:
        with pytest.raises(jsonschema.ValidationError, match="required"):
            jsonschema.validate({name: value for name, value in written.items() if name != key}, published)


def test_the_index_of_schemas_lists_every_published_schema() -> None:
    index = (ROOT / "docs" / "schemas" / "README.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| \[(\w+)\.schema\.json\]\(\S*/docs/schemas/\1\.schema\.json\) \| `\1` \|", index, re.M)
    assert sorted(listed) == sorted(all_schemas())


def test_the_schema_of_a_plan_contains_facts_of_ones_own(gke_tpu: Any, tmp_path: Any) -> None:
    overlay = tmp_path / "own.yaml"
    overlay.write_text("platform: {nodes: {max_pods_per_node: 128}}\n", encoding="utf-8")
    schema = json.loads(gke_tpu("schema", "plan", "--catalog", overlay).out)
    assert schema["definitions"]["SliceGroup"]["properties"]["max_pods_per_node"]["maximum"] == 128


def test_another_schema_has_no_facts(gke_tpu: Any, tmp_path: Any) -> None:
    run = gke_tpu("schema", "inventory", "--catalog", tmp_path / "own.yaml")
    assert (run.code, run.out) == (2, "")
    assert "--catalog requires the schema plan" in run.err
