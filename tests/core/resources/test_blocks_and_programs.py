"""Blocks of HCL by their type, values of Pulumi programs that refer to each other, and names of objects."""

import pytest

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.objects import read_manifests
from pulumi_gke_tpu.core.resource_rules.files import check_resources
from pulumi_gke_tpu.core.resources.hcl import HclFile
from pulumi_gke_tpu.core.resources.object_sources import config_connector, crossplane
from pulumi_gke_tpu.core.resources.object_sources.described import Described, with_unknown
from pulumi_gke_tpu.core.resources.object_sources.read import resources_of
from pulumi_gke_tpu.core.resources.pulumi_hcl import read_pulumi_hcl
from pulumi_gke_tpu.core.resources.pulumi_values import ProgramValues
from pulumi_gke_tpu.core.resources.values import UNKNOWN

BLOCKS = """pool {
  taint { key = "first" }
  dynamic "taint" {
    for_each = []
    content { key = "second" }
  }
  dynamic "label" {
    content { key = "third" }
  }
  label "taint" {
    content { key = "fourth" }
  }
}
"""
PROGRAM = """config "zone" "string" { default = "us-east5-b" }
local "zone" { default = "us-east5-c" }
resource "pool" "gcp:container/nodePool:NodePool" {
  cluster       = "train"
  location      = zone
  nodeLocations = [zone]
}
"""


def test_blocks_of_a_type_are_also_those_that_are_made_in_a_loop() -> None:
    (pool,) = HclFile.read("main.tf", BLOCKS).root.blocks
    found = [block for inner in pool.blocks for block in inner.named("taint")]
    assert [block.attributes["key"].value for block in found] == ["first", "second"]


@pytest.mark.parametrize(("path", "key"), [(("taint", 0, "key"), "first"), (("taint", "key"), "first")])
def test_a_path_without_an_index_leads_to_the_first_block(path: tuple[str | int, ...], key: str) -> None:
    (pool,) = HclFile.read("main.tf", BLOCKS).root.blocks
    start, end, below = pool.place(path)
    assert (BLOCKS[start:end].strip(), below) == (f'"{key}"', [])


def test_the_usual_value_of_a_configuration_is_that_of_its_block() -> None:
    (pool,) = read_pulumi_hcl(HclFile.read("main.hcl", PROGRAM), read_catalog()).found
    assert pool.values.text("location") == "us-east5-b"


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("${zone}", "us-east5-b"),
        ("pool-${zone}", "pool-us-east5-b"),
        ("${count}", 2),
        ("$${zone}", "${zone}"),
        ("$${zone} in ${zone}", "${zone} in us-east5-b"),
        ("$${", "${"),
        ("${}", UNKNOWN),
        ("${missing}", UNKNOWN),
        ("a-${missing}", UNKNOWN),
        ("${1 + 1}", UNKNOWN),
        ("a-${b c}", UNKNOWN),
        ("{{ .Values.zone }}", UNKNOWN),
    ],
)
def test_an_expression_in_a_text_is_the_value_that_it_names(written: str, value: object) -> None:
    program = {"variables": {"zone": "us-east5-b", "count": 2}}
    assert ProgramValues(program, {}).value(written) == value


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ({"fn::join": ["-", ["a", "${zone}", 2]]}, "a-us-east5-b-2"),
        ({"fn::join": ["-", ["a", "${missing}"]]}, UNKNOWN),
        ({"fn::join": ["-", "ab"]}, UNKNOWN),
        ({"fn::join": "-"}, UNKNOWN),
        ({"fn::join": ["-"]}, UNKNOWN),
        ({"fn::split": ["-", "${zone}"]}, ["us", "east5", "b"]),
        ({"fn::split": ["", "${zone}"]}, UNKNOWN),
        ({"fn::select": [1, ["a", "b"]]}, "b"),
        ({"fn::select": [0, ["a", "b"]]}, "a"),
        ({"fn::select": [2, ["a", "b"]]}, UNKNOWN),
        ({"fn::select": [-1, ["a", "b"]]}, UNKNOWN),
        ({"fn::select": ["1", ["a", "b"]]}, UNKNOWN),
        ({"fn::secret": "a"}, "a"),
        ({"fn::toBase64": "a"}, UNKNOWN),
    ],
)
def test_a_function_of_pulumi_yaml_has_a_value_if_its_arguments_have(written: object, value: object) -> None:
    assert ProgramValues({"variables": {"zone": "us-east5-b"}}, {}).value(written) == value


@pytest.mark.parametrize(
    ("data", "path", "wanted"),
    [
        ({"a": 1, "b": {"c": 2}}, ("b", "d"), {"a": 1, "b": {"c": 2, "d": UNKNOWN}}),
        ({"a": 1}, ("b", "d"), {"a": 1, "b": {"d": UNKNOWN}}),
        ({"a": [1, {"b": 2, "c": 3}]}, ("a", 1, "b"), {"a": [1, {"b": UNKNOWN, "c": 3}]}),
        ({"a": [1]}, ("a", 2), {"a": [1, None, UNKNOWN]}),
        ({"a": 1}, ("a", "b"), {"a": {"b": UNKNOWN}}),
        ({"a": [1, 2]}, ("a", "*", "b"), {"a": UNKNOWN}),
        ({"a": 1}, (), UNKNOWN),
    ],
)
def test_a_value_that_is_not_known_leaves_those_beside_it(
    data: object, path: tuple[str | int, ...], wanted: object
) -> None:
    assert with_unknown(data, path) == wanted


def test_a_property_of_crossplane_is_the_wanted_one_before_that_at_creation() -> None:
    text = """\
apiVersion: container.gcp.upbound.io/v1beta2
kind: NodePool
metadata: {name: tpu}
spec:
  initProvider: {nodeCount: 1, location: us-east5, nodeConfig: {spot: true, machineType: ct6e-standard-4t}}
  forProvider: {nodeCount: 2, nodeConfig: {machineType: ct6e-standard-1t}}
"""
    described = [Described(item) for item in read_manifests([("pool.yaml", text.encode())]).objects]
    (pool,) = crossplane.read(described, read_catalog())
    assert [pool.values.get(path) for path in ("nodeCount", "location", "nodeConfig.spot")] == [2, "us-east5", True]
    assert pool.values.get("nodeConfig.machineType") == "ct6e-standard-1t"


@pytest.mark.parametrize(("spec", "name"), [("resourceID: pool-1, ", "pool-1"), ("", "tpu")])
def test_a_resource_of_config_connector_has_its_own_name_or_that_of_its_object(spec: str, name: str) -> None:
    text = f"""\
apiVersion: container.cnrm.cloud.google.com/v1beta1
kind: ContainerNodePool
metadata: {{name: tpu}}
spec: {{{spec}location: us-east5, clusterRef: {{name: train}}, nodeConfig: {{machineType: ct6e-standard-4t}}}}
"""
    described = [Described(item) for item in read_manifests([("pool.yaml", text.encode())]).objects]
    (pool,) = config_connector.read(described, read_catalog())
    assert pool.name == name


def test_an_odd_program_object_has_no_findings() -> None:
    text = """
apiVersion: pulumi.com/v1
kind: Program
metadata: {name: odd}
program: {resources: {1: {type: "gcp:container:NodePool", properties: [1], options: 3}, a: 5}, variables: 3}
---
apiVersion: pulumi.com/v1
kind: Stack
metadata: {name: odd}
spec: {programRef: {name: odd}, config: [3]}
---
apiVersion: pulumi.com/v1
kind: Program
metadata: {name: empty}
program: [1]
---
apiVersion: example.com/v1
kind: Program
metadata: {name: other}
program: {resources: {a: {type: "gcp:container:NodePool"}}}
"""
    catalog = read_catalog()
    objects = read_manifests([("odd.yaml", text.encode())]).objects
    (found,) = resources_of(objects, catalog).values()
    assert [each.origin.address for each in found.found] == ["Program/odd: resources.1"]
    assert [*check_resources(found.found, catalog)] == []


@pytest.mark.parametrize("written", ["name = name", "name = other\nother = name", "name = [name]"])
def test_a_name_that_refers_to_itself_is_unknown(written: str) -> None:
    text = f'{written}\nresource "pool" "gcp:container/nodePool:NodePool" {{\n  location = name\n}}\n'
    (pool,) = read_pulumi_hcl(HclFile.read("main.hcl", text), read_catalog()).found
    assert pool.values.data["location"] in (UNKNOWN, [UNKNOWN])
