"""Rules about the values of provider properties under ``extra``."""

from typing import Any

import pytest
import yaml
from support.checking import validate
from support.fixtures.checks import Check

from pulumi_gke_tpu.core.catalog import Catalog, read_catalog
from pulumi_gke_tpu.core.catalog.records.provider import PropertyType
from pulumi_gke_tpu.core.graph.model import CLUSTER, NODE_POOL
from pulumi_gke_tpu.core.plan import Unknown, parse_plan
from pulumi_gke_tpu.core.text.findings import Finding

RESOURCES = read_catalog().provider.resources

RIGHT: dict[PropertyType, tuple[Any, ...]] = {
    "string": ("a",),
    "boolean": (True,),
    "integer": (3,),
    "number": (0.5, 3),
    "map": ({"a": "b"}, {}),
    "strings": (["a"], []),
    "block": ({},),
    "blocks": ([{}], []),
}

CONVERTED: dict[PropertyType, tuple[Any, ...]] = {
    "string": (True, 3, 0.5),
    "boolean": ("true",),
    "integer": ("3",),
    "number": ("0.5",),
    "map": ({"a": True},),
    "strings": ([3],),
}

WRONG: dict[PropertyType, tuple[Any, ...]] = {
    "string": ([], ["a"], {}, {"a": "b"}),
    "boolean": ("maybe", 1, 0.5, [], [True], {}),
    "integer": ("a", True, 0.5, [3], {}),
    "number": ("a", True, [0.5], {}),
    "map": ("a", 3, True, ["a"], {"a": ["b"]}, {"a": {}}),
    "strings": ("a", 3, {"a": "b"}, [["a"]], [{}]),
    "block": ("a", 3, True, [], [{}]),
    "blocks": ("a", 3, {}, ["a"], [["a"]]),
}

PLACES = [
    (token, path, item.type)
    for token in (CLUSTER, NODE_POOL)
    for path, item in RESOURCES[token].properties.items()
    if "[" not in path
]


def plan(token: str, extra: Any) -> str:
    group = {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b"}
    cluster: dict[str, Any] = {"mode": "standard", "location": "us-east5", "slices": {"pretrain": group}}
    (cluster if token == CLUSTER else group)["extra"] = extra
    return yaml.safe_dump({"version": 1, "project": "acme-ml", "clusters": {"train": cluster}})


def nested(token: str, path: str, value: Any) -> Any:
    """``extra`` with one value at a path, and blocks of the right type around it."""
    *outer, last = path.split(".")
    inner: Any = {last: value}
    for depth in range(len(outer), 0, -1):
        kind = RESOURCES[token].properties[".".join(outer[:depth])].type
        inner = {outer[depth - 1]: [inner] if kind == "blocks" else inner}
    return inner


def findings(check: Check, token: str, extra: Any) -> list[Finding]:
    return [finding for finding in check(plan(token, extra)) if finding.rule == "TPU525"]


def words(check: Check, token: str, path: str, values: tuple[Any, ...]) -> list[list[str]]:
    return [[item.severity.word for item in findings(check, token, nested(token, path, value))] for value in values]


@pytest.mark.parametrize("kind", RIGHT)
def test_only_values_of_the_propertys_type_are_accepted(check: Check, kind: PropertyType) -> None:
    """One property of each type for each resource and depth; all properties go through the same code."""
    samples = {(token, path.count(".")): (token, path) for token, path, found in PLACES if found == kind}
    assert samples
    for token, path in samples.values():
        assert words(check, token, path, (None, *RIGHT[kind])) == [[]] * (1 + len(RIGHT[kind]))
        assert words(check, token, path, CONVERTED.get(kind, ())) == [["warning"]] * len(CONVERTED.get(kind, ()))
        assert words(check, token, path, WRONG[kind]) == [["error"]] * len(WRONG[kind])


@pytest.mark.parametrize("token", [CLUSTER, NODE_POOL])
def test_every_property_is_checked(check: Check, token: str) -> None:
    kinds = {path: kind for found, path, kind in PLACES if found == token and "." not in path}
    found = findings(check, token, {path: WRONG[kind][0] for path, kind in kinds.items()})
    assert sorted(item.message.split()[0].strip("`") for item in found) == sorted(kinds)


@pytest.mark.parametrize(
    ("token", "extra", "message", "given", "allowed", "fix"),
    [
        (
            NODE_POOL,
            {"node_config": {"tags": "web"}},
            "`nodeConfig.tags` must be a list of strings, not a string",
            "tags: web",
            "a list of strings, such as [a, b]",
            "tags: [web]",
        ),
        (
            NODE_POOL,
            {"node_config": {"metadata": {"enable-oslogin": True}}},
            '`nodeConfig.metadata["enable-oslogin"]` must be a string, not a boolean',
            "enable-oslogin: true",
            "a string",
            'enable-oslogin: "true"',
        ),
        (NODE_POOL, {"version": 1.3}, "`version` must be a string, not a number", "version: 1.3", "a string", ""),
        (
            CLUSTER,
            {"security_posture_config": [{"mode": "BASIC"}]},
            "`securityPostureConfig` must be a mapping of properties, not a list",
            "security_posture_config: [...]",
            "a mapping of properties, such as {property: value}",
            "",
        ),
        (
            CLUSTER,
            {"costManagementConfig": {"enabled": "true"}},
            "`costManagementConfig.enabled` must be true or false, not a string",
            "enabled: true",
            "true or false",
            "enabled: true",
        ),
        (
            CLUSTER,
            {"default_max_pods_per_node": 3.5},
            "`defaultMaxPodsPerNode` must be an integer, not a number",
            "default_max_pods_per_node: 3.5",
            "an integer",
            "",
        ),
    ],
)
def test_a_finding_shows_path_value_type_and_fix(
    check: Check, token: str, extra: Any, message: str, given: str, allowed: str, fix: str
) -> None:
    (finding,) = findings(check, token, extra)
    assert (finding.message, finding.given, finding.allowed, finding.fix) == (message, given, (allowed,), fix)
    assert finding.position is not None


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (True, "a boolean"),
        (3, "an integer"),
        (0.5, "a number"),
        ("a", "a string"),
        (["a"], "a list"),
        ({"a": "b"}, "a mapping"),
    ],
)
def test_a_message_quotes_the_written_value(check: Check, value: Any, words: str) -> None:
    name, kind = ("tags", "a list of strings") if words != "a list" else ("image_type", "a string")
    (finding,) = findings(check, NODE_POOL, {"node_config": {name: value}})
    assert finding.message.endswith(f" must be {kind}, not {words}")


def test_an_unknown_value_can_have_any_type(catalog: Catalog) -> None:
    later = Unknown(output="an output")
    extra = {"version": later, "node_config": {"tags": [later], "metadata": {"a": later}, "image_type": later}}
    group = {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b", "extra": extra}
    cluster = {"mode": "standard", "location": "us-east5", "extra": {"description": later}, "slices": {"a": group}}
    plan = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"c": cluster}}).content
    assert plan is not None
    assert validate(plan, catalog) == ()


@pytest.mark.parametrize("value", ["web", "a b", "true", "1.30", "", "x: y", "[a", 3, True])
@pytest.mark.parametrize("property_name", ["tags", "image_type", "metadata"])
def test_a_fix_removes_its_finding(check: Check, property_name: str, value: Any) -> None:
    written = {"k": value} if property_name == "metadata" else value
    extra = {"node_config": {property_name: written}}
    for finding in findings(check, NODE_POOL, extra):
        if finding.fix:
            fixed = yaml.safe_load(finding.fix)
            inside = {property_name: fixed} if property_name == "metadata" else fixed
            assert findings(check, NODE_POOL, {"node_config": inside}) == []


def test_a_number_whose_spelling_yaml_lost_gets_no_fix(check: Check) -> None:
    (finding,) = findings(check, NODE_POOL, {"version": 1.3})
    assert finding.fix == ""
    assert finding.why == 'the provider converts it to "1.3"; only a quoted number keeps its spelling'


def test_properties_in_both_spellings_in_different_blocks_are_not_duplicates(broken: Any) -> None:
    effects = [{"gracePeriod": "1s"}]
    assert "TPU526" not in broken(plan(NODE_POOL, {"node_drain_configs": effects}))
    taints = [{"key": key, "value": "yes", "effect": "NO_SCHEDULE"} for key in ("a", "b")]
    assert "TPU526" not in broken(plan(NODE_POOL, {"node_config": {"taints": taints}}))
    twice = {"node_config": {"imageType": "COS_CONTAINERD"}, "nodeConfig": {"tags": ["a"]}}
    assert "TPU526" in broken(plan(NODE_POOL, twice))
