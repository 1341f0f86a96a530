"""Files of Terraform as data: what a literal is, where it is, and that no file hangs or breaks the reader."""

import contextlib
import time
from typing import Any

import pytest

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.resources.hcl import HclError, HclFile
from pulumi_gke_tpu.core.resources.hcl_values import HclScope
from pulumi_gke_tpu.core.resources.read import ResourceReader
from pulumi_gke_tpu.core.resources.values import UNKNOWN
from pulumi_gke_tpu.core.text.jsonfile.parsing import JsonError

READER = ResourceReader(read_catalog())


def value(text: str) -> Any:
    """The value of an attribute, which another one follows."""
    file = HclFile.read("main.tf", f"a = {text}\nafter = 1 # comment\n")
    assert file.root.attributes["after"].value == 1
    return HclScope().value(file.root.attributes["a"].value, {})


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("1", 1),
        ("-3", -3),
        ("1.5", 1.5),
        ("true", True),
        ("null", None),
        ('"us-east5-b"', "us-east5-b"),
        (r'"a \"b\" \n $${x} %%{y}"', 'a "b" \n ${x} %{y}'),
        ('["a", "b",]', ["a", "b"]),
        ('[\n  "a", # first\n  "b"\n]', ["a", "b"]),
        ('{ a = 1, "b" : 2 }', {"a": 1, "b": 2}),
        ("{\n  a = 1 // one\n  b = [true]\n}", {"a": 1, "b": [True]}),
        ("<<EOT\n  # text\nEOT", "  # text\n"),
        ("<<-EOT\n  }\n  EOT", "  }\n"),
    ],
)
def test_literals_are_values(text: str, wanted: object) -> None:
    assert value(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "var.zone",
        '"pool-${var.name}"',
        '"${join(",", ["a", "}"])}"',
        "var.large ? 8 : 4",
        "1 + 2",
        "-var.count",
        "true && var.x",
        'toset(["a"])',
        '["a"][0]',
        '[for zone in var.zones : zone if zone != ""]',
        "{ for name, pool in var.pools : name => pool }",
        "merge({\n  a = 1\n}, { b = 2 })",
        "(\n  var.a\n  ? 1 : 2\n)",
        "<<EOT\n  ${var.x}\nEOT",
        "google_container_cluster.train[0].id",
        "null_resource.a.id",
    ],
)
def test_other_expressions_are_unknown(text: str) -> None:
    assert value(text) is UNKNOWN


def test_a_part_of_a_list_or_a_mapping_can_be_unknown() -> None:
    assert value('["a", var.b]') == ["a", UNKNOWN]
    assert value('{ a = local.a, b = "b" }') == {"a": UNKNOWN, "b": "b"}


@pytest.mark.parametrize(
    "text",
    [
        'resource "a" {',
        'a = "x',
        "a = [1",
        "x {{",
        "a = <<EOT\nx",
        '"a"',
        "/* x",
        "a b c = 1",
        "a = " + "[" * 5000,
        "a = {" * 3000,
        'a = "' + '${"' * 5000,
        "b {" * 3000,
    ],
)
def test_what_is_not_hcl_is_an_error_with_its_place(text: str) -> None:
    with pytest.raises(HclError, match=r"line \d+, column \d+: "):
        HclFile.read("main.tf", text)
    with pytest.raises(JsonError, match=r"line \d+, column \d+: "):
        READER.read("main.tf", text.encode())


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "a " * 100_000,
        "x = " + "(" * 30_000 + ")" * 30_000,
        'x = "' + "$" * 100_000 + '"',
        "x = <<A\nA\n" * 5_000,
        "/" * 100_000,
        'resource "google_container_node_pool" "p" {\n x = [for a in b : {c = "${a}"}]\n}\n' * 5_000,
    ],
    ids=["words", "brackets", "dollars", "texts", "slashes", "blocks"],
)
def test_large_files_are_read_in_linear_time(text: str) -> None:
    start = time.perf_counter()
    with contextlib.suppress(HclError):
        HclFile.read("main.tf", text)
    assert time.perf_counter() - start < 3


def test_modules_and_other_resources_are_named_as_not_read() -> None:
    text = 'module "gke" {\n  source = "x"\n}\n\nresource "google_sql_user" "a" {}\nresource "aws_instance" "b" {}\n'
    found = READER.read("main.tf", text.encode())
    assert found is not None
    assert [(each.part, each.line) for each in found.unread] == [("module.gke", 1)]
    assert "terraform show -json" in found.unread[0].reason
    assert found.skipped == {"google_sql_user": 1}


@pytest.mark.parametrize("name", ["-", "notes.txt", "main.tf"])
def test_a_file_is_recognized_by_its_first_block(name: str) -> None:
    text = '# Copyright\n\nresource "google_container_node_pool" "a" {\n  node_count = 2\n}\n'
    found = READER.read(name, text.encode())
    assert found is not None
    assert [each.origin.address for each in found.found] == ["google_container_node_pool.a"]


@pytest.mark.parametrize("text", ["resource: a\n", '#!/bin/sh\ncat <<EOF\nresource "a" "b" {}\nEOF\n', "locals\n"])
def test_other_files_are_not_read_as_terraform(text: str) -> None:
    found = READER.read("notes.txt", text.encode())
    assert found is None or not found.found


def test_a_reference_leads_to_the_resource_of_the_same_file() -> None:
    text = 'resource "google_container_cluster" "a" {\n  name = "a"\n}\n'
    text += 'resource "google_container_node_pool" "b" {\n  cluster = google_container_cluster.a.id\n}\n'
    found = READER.read("main.tf", text.encode())
    assert found is not None
    assert found.found[1].refers_to == {"cluster": ("google_container_cluster.a",)}


DECLARED = """\
locals {
  region = "us-east5"
  zone   = "${local.region}-b"
  zones  = [local.zone, "us-east5-c"]
  loop   = local.loop
}
variable "topology" { default = "4x3" }
variable "pool" {
  type    = object({ nodes = number })
  default = { nodes = 4, "a b" = ["x"] }
}
variable "given" { default = "a" }
variable "none" {}
"""


@pytest.mark.parametrize(
    ("expression", "wanted"),
    [
        ("local.zone", "us-east5-b"),
        ("local.zones", ["us-east5-b", "us-east5-c"]),
        ("local.zones[1]", "us-east5-c"),
        ('"tpu-${var.topology}"', "tpu-4x3"),
        ("var.pool.nodes", 4),
        ('var.pool["a b"][0]', "x"),
        ("{ a = var.topology }", {"a": "4x3"}),
        ("var.given", UNKNOWN),
        ("local.loop", UNKNOWN),
        ("local.zones[2]", UNKNOWN),
        ("var.pool.other", UNKNOWN),
        ("var.none", UNKNOWN),
        ("var.pool.*.nodes", UNKNOWN),
        ('"${var.none}-b"', UNKNOWN),
    ],
)
def test_names_have_the_values_that_are_declared_beside_them(expression: str, wanted: object) -> None:
    scope = HclScope()
    scope.add("main.tf", HclFile.read("main.tf", DECLARED).root)
    scope.add("prod.tfvars", HclFile.read("prod.tfvars", 'given = "b"\n').root)
    written = HclFile.read("pool.tf", f"a = {expression}\n").root.attributes["a"].value
    assert scope.value(written, {}) == wanted


@pytest.mark.parametrize(
    ("first", "line"),
    [("[1]", "[local.a{0}, local.a{0}]"), ('"x"', '"${{local.a{0}}}${{local.a{0}}}"'), ("1", "local.a{0}")],
)
def test_names_that_grow_stay_small(first: str, line: str) -> None:
    names = [first, *(line.format(number) for number in range(3_000))]
    text = "".join(f"  a{number} = {written}\n" for number, written in enumerate(names))
    scope = HclScope()
    scope.add("main.tf", HclFile.read("main.tf", f"locals {{\n{text}}}\n").root)
    began = time.process_time()
    for number in (14, 60, 2_999):
        written = HclFile.read("x.tf", f"a = local.a{number}\n").root.attributes["a"].value
        assert len(repr(scope.value(written, {}))) < 200_000
    assert time.process_time() - began < 2


REPEATED = """\
resource "google_container_node_pool" "tpu" {
  for_each = local.pools
  cluster  = "train"
  name     = each.key
  location = "us-east5"
  node_locations = ["us-east5-b"]
  node_count = 1
  node_config {
    machine_type = "ct6e-standard-4t"
    disk_type    = each.value
    dynamic "taint" {
      for_each = [{ key = "team", value = each.key, effect = "NO_SCHEDULE" }]
      content {
        key    = taint.value.key
        value  = taint.value.value
        effect = taint.value.effect
      }
    }
  }
}
"""


def test_each_instance_of_a_resource_is_read_with_what_its_folder_declares() -> None:
    files = {
        "infra/pools.tf": REPEATED,
        "infra/locals.tf": 'locals { pools = { a = "pd-ssd", b = var.disk } }\nvariable "disk" { default = "x" }\n',
        "infra/terraform.tfvars": 'disk = "hyperdisk-balanced"\n',
        "other/locals.tf": 'locals { pools = { z = "pd-ssd" } }\n',
    }
    reader = ResourceReader(read_catalog())
    reader.declare((name, text.encode()) for name, text in files.items())
    found = reader.read("infra/pools.tf", REPEATED.encode())
    assert found is not None
    values = {each.origin.address.partition(".")[2]: each.values for each in found.found}
    assert {name: one.text("nodeConfig.diskType") for name, one in values.items()} == {
        'tpu["a"]': "pd-ssd",
        'tpu["b"]': "hyperdisk-balanced",
    }
    assert values['tpu["a"]'].get("nodeConfig.taints") == [{"key": "team", "value": "a", "effect": "NO_SCHEDULE"}]


def test_what_the_caller_of_a_module_sets_is_unknown() -> None:
    module = 'variable "disk" { default = "pd-ssd" }\n' + REPEATED.replace("each.value", "var.disk")
    files = {"modules/tpu/main.tf": module, "main.tf": 'module "tpu" {\n  source = "./modules/tpu"\n  disk = "x"\n}\n'}
    reader = ResourceReader(read_catalog())
    reader.declare((name, text.encode()) for name, text in files.items())
    found = reader.read("modules/tpu/main.tf", module.encode())
    assert found is not None
    assert [each.values.known_text("nodeConfig.diskType") for each in found.found] == [""]
