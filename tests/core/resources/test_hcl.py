"""Files of Terraform as data: what a literal is, where it is, and that no file hangs or breaks the reader."""

import contextlib
import time
from typing import Any

import pytest

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.resources.hcl import HclError, HclFile
from pulumi_gke_tpu.core.resources.read import ResourceReader
from pulumi_gke_tpu.core.resources.values import UNKNOWN
from pulumi_gke_tpu.core.text.jsonfile.parsing import JsonError

READER = ResourceReader(read_catalog())


def value(text: str) -> Any:
    """The value of an attribute, which another one follows."""
    file = HclFile.read("main.tf", f"a = {text}\nafter = 1 # comment\n")
    assert file.root.attributes["after"].value == 1
    return file.root.attributes["a"].value


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
