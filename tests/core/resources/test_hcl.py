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
        "var.large ? 8 : 4",
        "-var.count",
        "1 + var.x",
        "true && var.x",
        "[1, 2][2]",
        "{ a = 1 }.b",
        'merge({ a = 1 }, var.more)["a"]',
        '[for zone in var.zones : zone if zone != ""]',
        "{ for name, pool in var.pools : name => pool }",
        "(\n  var.a\n  ? 1 : 2\n)",
        "<<EOT\n  ${var.x}\nEOT",
        "google_container_cluster.train[0].id",
        "null_resource.a.id",
        "timestamp()",
        'templatefile("x", {})',
        "element([], 0)",
        "1 / 0",
        '"a" + 1',
        "!3",
        'lookup({}, "a")',
        "one([1, 2])",
        "range(1000000)",
        'provider::a::b("x")',
        'file("main.tf")',
        'yamldecode(file("/etc/passwd"))',
    ],
)
def test_unset_names_and_refused_expressions_are_unknown(text: str) -> None:
    assert value(text) is UNKNOWN


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('"${join(",", ["a", "}"])}"', "a,}"),
        ('"x-${1 + 2}-${true}"', "x-3-true"),
        ('"${"a-${"b"}"}"', "a-b"),
        ('"${[1]}"', [1]),
        ("1 + 2 * 3 - -4", 11),
        ("(1 + 2) * 3", 9),
        ("16 / 4", 4),
        ("1 / 2", 0.5),
        ("7 % 4", 3),
        ("2 >= 2 && !(1 == 2) || false", True),
        ("false && var.x", False),
        ("true || var.x", True),
        ('true ? "a" : var.b', "a"),
        ("var.x ? 1 : 1", 1),
        ('null == null ? "none" : "some"', "none"),
        ("1 < 2 ? 2 > 1 ? 3 : 4 : 5", 3),
        ('["a"][0]', "a"),
        ('{ a = { b = [1, 2] } }["a"].b[1]', 2),
        ("[{ a = 1 }, { a = 2 }][*].a", [1, 2]),
        ("[{ a = 1 }].0.a", 1),
        ("merge({\n  a = 1\n}, { b = 2 }, null, { a = 3 })", {"a": 3, "b": 2}),
        ("merge([{ a = 1 }, { b = 2 }]...)", {"a": 1, "b": 2}),
        ('lookup({ a = 1 }, "b", 2)', 2),
        ('format("%s-%02d-%d%%", "a", 3, 4)', "a-03-4%"),
        ('toset(["b", "a", "b"])', ["a", "b"]),
        ('[for z in ["a", "b"] : upper(z) if z != "a"]', ["B"]),
        ('[for i, z in ["a", "b"] : "${i}${z}"]', ["0a", "1b"]),
        ('{ for k, v in { a = 1, b = 2 } : "x-${k}" => v }', {"x-a": 1, "x-b": 2}),
        ('{ for v in [{ k = "a", n = 1 }, { k = "a", n = 2 }] : v.k => v.n... }', {"a": [1, 2]}),
        ("flatten([[1, [2]], [], [3]])", [1, 2, 3]),
        ("try({ a = 1 }.b, 5)", 5),
        ("can({ a = 1 }.b)", False),
        ('coalesce(null, "", "x")', "x"),
        ('compact(concat(["a", ""], [null], ["b"]))', ["a", "b"]),
        ('{ ("a") = 1, "b-${1}" = 2 }', {"a": 1, "b-1": 2}),
        ("<<EOT\nplain\nEOT", "plain\n"),
        ('replace("us-east5-b", "-b", "")', "us-east5"),
        ('join("-", slice(split("-", "us-east5-b"), 0, 2))', "us-east5"),
        ("length({ a = 1 })", 1),
        ('contains(keys({ a = 1 }), "a")', True),
        ('{ "4x4" = 4 }["4x4"]', 4),
        ("{\n  a = 1 +\n    2\n  b = 3\n}", {"a": 3, "b": 3}),
    ],
)
def test_expressions_of_known_values_have_values(text: str, wanted: object) -> None:
    assert value(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "+".join(["1"] * 50_000),
        "x = " + "f(" * 40 + ")" * 40,
        "x = [" + "for a in b : " * 20_000 + "]",
        "x = " + "a ? b : " * 50_000 + "c",
        'x = "' + "${1}" * 50_000 + '"',
        "x = a" + ".b" * 50_000 + "\n",
        "x = a" + "[0]" * 50_000 + "\n",
    ],
    ids=["sum", "calls", "loops", "conditions", "template", "names", "indices"],
)
def test_long_expressions_are_read_and_evaluated_in_linear_time(text: str) -> None:
    began = time.process_time()
    with contextlib.suppress(HclError):
        file = HclFile.read("main.tf", text)
        scope = HclScope()
        scope.add("main.tf", file.root, len(text))
        repr(scope.value(file.root.attributes["x"].value, {}))
    assert time.process_time() - began < 3


def test_nested_loops_stop_after_steps_in_proportion_to_the_file() -> None:
    inner = "[for a in range(1000) : [for b in range(1000) : [for c in range(1000) : a + b + c]]]"
    file = HclFile.read("main.tf", f"x = {inner}\n")
    scope = HclScope()
    scope.add("main.tf", file.root, len(inner))
    scope.value(file.root.attributes["x"].value, {})
    assert -2_000 < scope.evaluation.steps < 0


def test_no_space_is_needed_around_signs() -> None:
    root = HclFile.read("main.tf", 'a=1\nb{c=2}\nd "e"{f=[3,4]}\n').root
    assert root.attributes["a"].value == 1
    assert [(block.type, block.labels) for block in root.blocks] == [("b", ()), ("d", ("e",))]
    assert [HclScope().data(block, {}) for block in root.blocks] == [{"c": 2}, {"f": [3, 4]}]


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
        ("var.pool.*.nodes", [4]),
        ('"${var.none}-b"', UNKNOWN),
    ],
)
def test_names_have_the_values_that_are_declared_beside_them(expression: str, wanted: object) -> None:
    scope = HclScope()
    scope.add("main.tf", HclFile.read("main.tf", DECLARED).root, len(DECLARED))
    scope.add("prod.tfvars", HclFile.read("prod.tfvars", 'given = "b"\n').root, 12)
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
    scope.add("main.tf", HclFile.read("main.tf", f"locals {{\n{text}}}\n").root, len(text))
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


KNOWN = 'dynamic "taint" {\n  for_each = ["a"]\n  content { key = taint.value }\n}\n'
OPEN = KNOWN.replace('["a"]', "var.taints")


@pytest.mark.parametrize(
    ("parts", "wanted"),
    [
        ([KNOWN, KNOWN], [{"key": "a"}, {"key": "a"}]),
        ([KNOWN, OPEN], UNKNOWN),
        ([OPEN, KNOWN], UNKNOWN),
        (["taint = var.taints\n", KNOWN], UNKNOWN),
        (["taint = 3\n", KNOWN], UNKNOWN),
    ],
)
def test_blocks_beside_others_whose_number_is_not_known_are_unknown(parts: list[str], wanted: object) -> None:
    root = HclFile.read("main.tf", "".join(parts)).root
    assert HclScope().data(root, {})["taint"] == wanted


def read_all(files: dict[str, str]) -> dict[str, str]:
    """Address -> disk type of every resource."""
    reader = ResourceReader(read_catalog())
    reader.declare((name, text.encode()) for name, text in files.items())
    read = [reader.read(name, text.encode()) for name, text in files.items() if name.endswith(".tf")]
    found = [each for file in read if file is not None for each in file.found]
    return {each.origin.address: each.values.known_text("nodeConfig.diskType") for each in found}


POOL = 'resource "google_container_node_pool" "p" {\n  node_config { disk_type = var.disk }\n}\n'
DISK = 'variable "disk" { default = "pd-ssd" }\n'


@pytest.mark.parametrize(
    ("caller", "wanted"),
    [
        ('disk = "x"', {"module.tpu.google_container_node_pool.p": "x"}),
        ("", {"module.tpu.google_container_node_pool.p": "pd-ssd"}),
        ("disk = var.none", {"module.tpu.google_container_node_pool.p": ""}),
        (
            'for_each = toset(["b", "a"])\ndisk = each.key',
            {f'module.tpu["{name}"].google_container_node_pool.p': name for name in ("a", "b")},
        ),
        ("count = 2\ndisk = count.index", {f"module.tpu[{n}].google_container_node_pool.p": "" for n in (0, 1)}),
        ("count = 0", {}),
    ],
)
def test_a_module_in_another_folder_has_the_variables_of_each_call(caller: str, wanted: dict[str, str]) -> None:
    call = f'module "tpu" {{\n  source = "./modules/tpu"\n{caller}\n}}\n'
    assert read_all({"modules/tpu/main.tf": DISK + POOL, "main.tf": call}) == wanted


def test_modules_call_modules_of_folders_around_them() -> None:
    files = {
        "live/prod/main.tf": 'module "fleet" {\n  source = "../../fleet"\n  disks = { a = "x", b = "y" }\n}\n',
        "fleet/main.tf": 'variable "disks" {}\nmodule "pool" {\n  for_each = var.disks\n  source = "../pool"\n'
        "  disk = each.value\n}\n",
        "pool/main.tf": DISK + POOL,
    }
    address = "module.fleet.module.pool[{}].google_container_node_pool.p"
    assert read_all(files) == {address.format('"a"'): "x", address.format('"b"'): "y"}


def test_folders_that_call_each_other_and_many_calls_end() -> None:
    loop = 'module "a" {\n  source = "../b"\n}\n' + POOL
    assert read_all({"a/main.tf": loop.replace("../b", "../b"), "b/main.tf": loop.replace("../b", "../a")})
    calls = "".join(f'module "m{number}" {{\n  source = "./pool"\n}}\n' for number in range(3_000))
    assert 0 < len(read_all({"main.tf": calls, "pool/main.tf": DISK + POOL})) <= 200


@pytest.mark.parametrize("number", [2, 100, 101])
@pytest.mark.parametrize("written", ["count = {}", 'for_each = toset(split(",", "{}"))'])
def test_a_block_that_is_repeated_too_often_is_read_once(written: str, number: int) -> None:
    repeated = written.format(number if "count" in written else ",".join(map(str, range(number))))
    assert len(read_all({"main.tf": POOL.replace("{\n", f"{{\n{repeated}\n", 1)})) == (number if number <= 100 else 1)


@pytest.mark.parametrize("inputs", ['{ disk = "x" }', '{ disk = "x", other = 1 }', "1", "[]", "local.inputs", None])
def test_a_file_of_terragrunt_is_a_call_with_its_inputs(inputs: str | None) -> None:
    call = 'terraform {\n  source = "../pool"\n}\n' + ("" if inputs is None else f"inputs = {inputs}\n")
    reader = ResourceReader(read_catalog())
    files = {"live/terragrunt.hcl": call.encode(), "pool/main.tf": (DISK + POOL).encode()}
    reader.declare(files.items())
    found = reader.read("pool/main.tf", files["pool/main.tf"])
    assert found is not None
    stated = "x" if inputs is not None and "disk" in inputs else "pd-ssd"
    assert [each.values.known_text("nodeConfig.diskType") for each in found.found] == [stated]


def test_optional_attributes_of_variables_have_their_usual_values() -> None:
    text = """\
variable "pools" {
  type = map(object({
    disk = optional(string, "pd-ssd")
    name = string
  }))
  default = { a = { name = "x" }, b = { name = "y", disk = "z" } }
}
resource "google_container_node_pool" "p" {
  for_each = var.pools
  node_config { disk_type = each.value.disk }
}
"""
    address = 'google_container_node_pool.p["{}"]'
    assert read_all({"main.tf": text}) == {address.format("a"): "pd-ssd", address.format("b"): "z"}


def test_files_of_data_beside_a_configuration_are_its_values() -> None:
    text = """\
locals { pools = yamldecode(file("${path.module}/pools.yaml")).pools }
resource "google_container_node_pool" "p" {
  for_each = local.pools
  node_config { disk_type = each.value }
}
"""
    found = read_all({"a/main.tf": text, "a/pools.yaml": "pools: {x: pd-ssd}\n"})
    assert found == {'google_container_node_pool.p["x"]': "pd-ssd"}
    assert read_all({"a/main.tf": text}) == {"google_container_node_pool.p": ""}


def test_properties_that_only_a_plan_knows_are_named_as_not_read() -> None:
    found = READER.read("main.tf", POOL.encode())
    assert found is not None
    assert [(each.part, each.line) for each in found.unread] == [
        ("google_container_node_pool.p: node_config.disk_type", 1)
    ]
