"""The JSON Schemas of plans and inventories: what they take, what they refuse, what they tell."""

import json
import pathlib
import re
from collections.abc import Callable
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.each import by_id, each
from support.plan_corpus import KINDS, catalog
from support.sampling import sample

from pulumi_gke_tpu.core.plan import parse_plan, read_organization_content
from pulumi_gke_tpu.core.plan.base import Form
from pulumi_gke_tpu.core.plan.key_table import EVERY_KEY
from pulumi_gke_tpu.core.plan.schema import FORMS, inventory_schema, organization_schema, plan_schema
from pulumi_gke_tpu.core.rules import all_rules, check_plan
from pulumi_gke_tpu.core.rules.engine.examples import files_of
from pulumi_gke_tpu.core.text.formats.names import is_gke_name, is_region, is_zone
from pulumi_gke_tpu.core.text.yamlfile import parse_yaml

ROOT = pathlib.Path(__file__).parents[3]
PLANS = [*sorted(ROOT.glob("stacks/*/plan.yaml")), EVERY_KEY]
READABLE = [
    rule
    for rule in all_rules()
    if rule.id > "TPU1"
    and rule.scope.breakable not in ("derived", "file", "component", "manifests", "rendered manifests")
]

ACCEPTS: dict[Form, Callable[[str], object]] = {
    "gke_name": is_gke_name,
    "location": lambda text: is_region(text) or is_zone(text),
    "zone": is_zone,
}
"""How the code decides on texts of a form."""


def data_of(text: str) -> Any:
    return json.loads(json.dumps(parse_yaml(text.encode(), "plan.yaml").data))


@pytest.fixture(scope="module")
def plan() -> Any:
    return jsonschema.Draft7Validator(plan_schema())


@pytest.fixture(scope="module")
def inventory() -> Any:
    return jsonschema.Draft7Validator(inventory_schema())


@pytest.fixture(scope="module")
def organization() -> Any:
    return jsonschema.Draft7Validator(organization_schema())


@pytest.mark.parametrize("path", PLANS, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_plans_of_this_repository_are_taken(plan: Any, path: pathlib.Path) -> None:
    plan.validate(data_of(path.read_text(encoding="utf-8")))


@each("rule", READABLE, by_id)
def test_what_breaks_no_rule_is_taken(plan: Any, inventory: Any, organization: Any, rule: Any) -> None:
    files = files_of(rule.passing)
    for text in files.plans:
        plan.validate(data_of(text))
    if files.inventory is not None:
        inventory.validate(data_of(files.inventory))
    if files.organization is not None:
        organization.validate(data_of(files.organization))


@pytest.mark.parametrize(
    ("standard", "valid"),
    [
        ({"generations": ["v6e"]}, True),
        ({"generations": ["v9"], "owner": "a", "message": "b", "severity": "warning"}, True),
        ({"generations": ["v6e"], "exclusion": False, "zones": []}, True),
        ({"generations": ["v6e"], "exclusion": True}, False),
        ({"generations": []}, False),
        ({"private_nodes": False}, False),
        ({"owner": "a"}, False),
        ({"max": {"chips": 8, "per": "all"}}, True),
        ({"max": {"chips": 8, "hosts": 2}}, False),
        ({"max": {"per": "all"}}, False),
        ({"max": {"usd_per_hour": -1}}, False),
        ({"names": {}}, False),
        ({"names": {"groups": "*"}}, True),
        ({"names": {"groups": "*" * 101}}, False),
        ({"modes": ["Standard"]}, False),
        ({"generation": ["v6e"]}, False),
    ],
    ids=str,
)
def test_a_standard_is_taken_exactly_if_the_reader_takes_it(organization: Any, standard: Any, valid: bool) -> None:
    data = {"version": 1, "standards": {"one": standard}}
    document = read_organization_content(json.dumps(data).encode(), "organization.yaml")
    assert (organization.is_valid(data), document.findings == ()) == (valid, valid)


@pytest.mark.parametrize("reason", ["", " "])
def test_an_exemption_requires_a_reason(organization: Any, reason: str) -> None:
    entry = {"standard": "one", "reason": reason, "until": "2026-12-31"}
    assert not organization.is_valid({"version": 1, "exemptions": [entry]})


def group(**keys: Any) -> dict[str, Any]:
    return {"tpu": "v6e", "topology": "2x2", **keys}


def cluster(**keys: Any) -> dict[str, Any]:
    return {"mode": "standard", "location": "us-east5", "slices": {"one": group()}, **keys}


@pytest.mark.parametrize(
    "written",
    [
        cluster(slices={"one": group(count=2)}),
        cluster(slices={"one": group(count={"min": 0, "max": 2})}),
        cluster(slices={"one": group(capacity="spot")}),
        cluster(slices={"one": group(capacity={"reservation": "one"})}),
        cluster(slices={"one": group(capacity={"reservation": {"name": "one", "project": "acme-lab"}})}),
        cluster(slices={"one": group(capacity={"flex_start": True})}),
        cluster(slices={"one": group(capacity={"flex_start": {"max_run_duration": "7d"}})}),
        cluster(slices={"one": group(host_maintenance="periodic")}),
        cluster(network="create"),
        cluster(network={"create": {"mtu": 8896}}),
        cluster(network={"network": "main", "subnetwork": "east"}),
        cluster(
            maintenance={
                "window": {"start": "2026-01-03T02:00:00Z", "duration": "6h", "days": ["SAT"]},
                "exclusions": {"run": {"start": "2026-01-03T02:00:00Z", "end": "end_of_support"}},
            }
        ),
    ],
    ids=str,
)
def test_shorthands_are_taken(plan: Any, written: Any) -> None:
    plan.validate({"version": 1, "project": "acme-ml", "clusters": {"train": written}})


@pytest.mark.parametrize(
    "written",
    [
        cluster(locatoin="us-east5"),
        cluster(mode="standrad"),
        cluster(slices={"one": group(topolgy="2x2")}),
        cluster(slices={"one": group(count={"mim": 0})}),
        cluster(slices={"one": group(capacity="spto")}),
        cluster(slices={"one": group(capacity={"spott": True})}),
        cluster(slices={"one": {"topology": "2x2"}}),
        cluster(min_version=1.34),
        cluster(network="creat"),
        cluster(network={"create": None}),
        cluster(network={"create": {"mut": 8896}}),
        cluster(maintenance={"window": {"start": "2026-01-03T02:00:00Z", "duration": "six hours"}}),
    ],
    ids=str,
)
def test_misspelt_keys_and_wrong_types_are_refused(plan: Any, written: Any) -> None:
    assert not plan.is_valid({"version": 1, "project": "acme-ml", "clusters": {"train": written}})


@pytest.mark.parametrize(
    ("name", "schema"),
    [("plan", plan_schema()), ("inventory", inventory_schema()), ("organization", organization_schema())],
)
def test_every_key_is_described(name: str, schema: dict[str, Any]) -> None:
    undescribed = [
        f"{part_name}.{key}"
        for part_name, part in {**schema["definitions"], "": schema}.items()
        for key, value in part.get("properties", {}).items()
        if not value.get("description")
    ]
    assert undescribed == []
    assert schema["title"]
    assert schema["$id"].endswith(f"/docs/schemas/{name}.schema.json")


def test_keys_that_autopilot_rejects_are_marked() -> None:
    keys = plan_schema()["definitions"]["SliceGroup"]["properties"]
    assert "On Autopilot: refused." in keys["max_pods_per_node"]["description"]
    assert "On Autopilot: no effect." in keys["boot_disk"]["description"]
    assert "Autopilot" not in keys["tpu"]["description"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_valid_plan_is_accepted(plan: Any, kind: str) -> None:
    """Otherwise an editor marks a plan that gke-tpu accepts."""
    flagged: dict[str, list[str]] = {}
    valid = 0
    for name, data, today in sample(KINDS[kind](), 100):
        written = json.loads(json.dumps({key: value for key, value in data.items() if key != "today"}, default=str))
        document = parse_plan(written)
        if document.content is None or document.findings or check_plan(document, catalog(), today).has_errors:
            continue
        valid += 1
        found = [error.message for error in plan.iter_errors(written)]
        flagged |= {name: found} if found else {}
    assert flagged == {}
    assert valid > 0


def test_editors_get_the_names_of_the_catalog(plan: Any) -> None:
    parts = plan_schema()["definitions"]
    assert parts["SliceGroup"]["properties"]["tpu"]["enum"] == list(catalog().generation_names)
    assert "gcs_fuse" in parts["Cluster"]["properties"]["addons"]["items"]["enum"]
    assert "NO_SCHEDULE" in parts["Taint"]["properties"]["effect"]["anyOf"][0]["enum"]


@pytest.mark.parametrize(
    ("written", "path"),
    [
        (cluster(slices={"one": group(topology="4x3")}), "topology"),
        (cluster(slices={"one": group(tpu="v5p", topology="4x4")}), "topology"),
        (cluster(slices={"one": {"tpu": "v6e"}}), "one"),
        (cluster(slices={"one": group(machine_type="ct5p-hightpu-4t")}), "machine_type"),
        (cluster(slices={"one_two": group()}), "one_two"),
        (cluster(cpu_pools={"one": {"machine_type": "n2-standard-4"}}), "one"),
        (cluster(cpu_pools={"one": {"machine_type": "n2", "nodes": 1}}), "machine_type"),
        (cluster(cpu_pools={"One": {"machine_type": "n2-standard-4", "nodes": 1}}), "cpu_pools"),
        (cluster(slices={"one": group(capacity={"reservation": "one", "spot": True})}), "spot"),
        (cluster(slices={"one": group(capacity={"flex_start": {"max_run_duration": "8d"}})}), "max_run_duration"),
        (cluster(mode="autopilot", location="us-east5-a"), "location"),
        (cluster(mode="autopilot", release_channel="none"), "release_channel"),
        (cluster(location="us-east-5"), "location"),
        (cluster(node_service_account="tpu"), "node_service_account"),
        (cluster(min_version="latest"), "min_version"),
        (cluster(runs={"one": {"slices": "one", "start": "2026-12-01T00:00:00Z", "duration": "long"}}), "duration"),
    ],
    ids=str,
)
def test_what_rules_refuse_is_marked_in_its_place(plan: Any, written: Any, path: str) -> None:
    data = {"version": 1, "project": "acme-ml", "clusters": {"train": written}}
    assert path in {error.absolute_path[-1] for error in plan.iter_errors(data)}


@pytest.mark.parametrize(
    ("written", "key"),
    [
        (cluster(slices={"one": group(chips=4)}), "chips"),
        (cluster(slices={"one": group(count=2, max=3)}), "max"),
        (cluster(mode="autopilot", system_pool={}), "system_pool"),
        (cluster(cpu_pools={"one": {"machine_type": "n2-standard-4", "nodes": 1, "max_nodes": 2}}), "max_nodes"),
        (cluster(mode="autopilot", slices={"one": group(max_pods_per_node=64)}), "max_pods_per_node"),
    ],
    ids=str,
)
def test_keys_that_exclude_each_other_are_refused(plan: Any, written: Any, key: str) -> None:
    data = {"version": 1, "project": "acme-ml", "clusters": {"train": written}}
    assert not plan.is_valid(data)
    text = json.dumps(data)
    assert plan.is_valid(json.loads(re.sub(rf', "{key}": (\d+|{{}})', "", text)))


@pytest.mark.parametrize(
    "spot", [{"spot": False, "reservation": "one"}, {"on_demand": False, "flex_start": {}}, {"spot": True}]
)
def test_a_mode_that_is_off_excludes_no_other(plan: Any, spot: Any) -> None:
    written = cluster(slices={"one": group(capacity=spot)})
    plan.validate({"version": 1, "project": "acme-ml", "clusters": {"train": written}})


@given(st.data())
def test_texts_of_a_form_are_those_that_rules_accept(data: st.DataObject) -> None:
    for form, accepts in ACCEPTS.items():
        pattern = FORMS[form]["pattern"]
        text = data.draw(st.from_regex(re.compile(pattern.removesuffix("$") + r"\Z", re.ASCII)))
        assert accepts(text), (form, text)


def test_the_examples_of_a_form_have_it() -> None:
    assert {
        form: value
        for form, part in FORMS.items()
        for value in part["examples"]
        if not re.search(part["pattern"], value)
    } == {}


def test_names_of_additional_networks_have_a_pattern_in_both_forms() -> None:
    schema = plan_schema(catalog())
    text = json.dumps(schema["definitions"]["SliceGroup"]["properties"]["additional_networks"])
    named = schema["definitions"]["AdditionalNetwork"]["properties"]["name"]
    assert json.dumps(named["pattern"]) in text
    assert re.match(named["pattern"], "data")
    assert not re.match(named["pattern"], "Data_1")
