"""Kubernetes objects with odd values anywhere: they are adopted or left alone, and nothing is raised."""

import json
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from support.adopted_objects import as_listed, rendered, without_objects
from support.odd_json import odd_versions
from support.workload_plans import every_option

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.objects import read_manifests
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.features.adopt.command_lines.plan_text import plan_lines
from pulumi_gke_tpu.features.adopt.objects.fleet import ClusterOfObjects
from pulumi_gke_tpu.features.adopt.objects.given import assigned
from pulumi_gke_tpu.features.adopt.objects.search import ObjectSearch
from pulumi_gke_tpu.features.adopt.output.document import adoption_page
from pulumi_gke_tpu.features.adopt.output.json import adoption_json

PLAN = every_option("standard")
OBJECTS = rendered(PLAN, "c")


def adopted_from(content: bytes, file: str = "objects.json") -> Any:
    """The key for the objects of a file; None for a file that is refused."""
    read = read_manifests([(file, content)])
    if read.findings:
        return None
    found = ObjectSearch(without_objects(PLAN), "c", read_catalog(), commands=True).find(
        assigned(read.objects, ["c"], one=True).objects["c"]
    )
    clusters = [ClusterOfObjects("p", "c", found.adopted, found.alone, found.others)]
    adoption_page((), (), clusters)
    assert json.dumps(adoption_json((), clusters, ())).isprintable()
    assert all(item.reason.isprintable() for item in found.alone)
    return found.keys


def lines_of(keys: Any) -> str:
    return "\n".join(plan_lines({"kubernetes": keys}, 0))


@given(st.data())
def test_an_odd_value_anywhere_raises_nothing(data: st.DataObject) -> None:
    some = data.draw(st.lists(st.sampled_from(OBJECTS), min_size=1, max_size=6, unique_by=id))
    odd = data.draw(odd_versions(some))
    try:
        content = as_listed(odd if isinstance(odd, list) else [odd])
        content.decode()
    except (ValueError, RecursionError):
        return
    keys = adopted_from(content)
    if keys:
        text = lines_of(keys)
        assert text.replace("\n", "").isprintable()
        assert yaml.safe_load(text)["kubernetes"] == keys
        assert parse_plan({**PLAN, "clusters": {"c": {**PLAN["clusters"]["c"], "kubernetes": keys}}}).findings == ()


ODD_WORDS = [
    "\x1b[31m",
    "a\nb: c",
    "# x",
    "<script>",
    "| a |",
    "null",
    "1e3",
    "0x10",
    "~",
    "\u2028",
    "\u202e",
    "é" * 300,
]


@pytest.mark.parametrize("word", ODD_WORDS)
def test_odd_words_in_names_and_texts_are_escaped(word: str) -> None:
    objects = json.loads(json.dumps(OBJECTS[:12]))
    for item in objects:
        item["metadata"]["name"] = word
        item["description"] = word
    keys = adopted_from(as_listed(objects))
    assert keys is None or lines_of(keys).replace("\n", "").isprintable()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x00",
        b"[]",
        b"{}",
        b"kind: List\napiVersion: v1\nitems: 1\n",
        b"kind: List\napiVersion: v1\nitems: [1, null, {}, []]\n",
        b"apiVersion: v1\nkind: Namespace\n",
        b"apiVersion: v1\nkind: Namespace\nmetadata: []\n",
        b"apiVersion: v1\nkind: Namespace\nmetadata: {name: 1, labels: [], ownerReferences: {}}\nspec: 1\n",
        b"apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec: " + b"[" * 3000 + b"]" * 3000,
        b"apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec: {template: " + b"{spec: " * 60,
        b"a: &a [1]\nb: *a\n",
    ],
    ids=range(12),
)
def test_odd_files_raise_nothing(content: bytes) -> None:
    assert not adopted_from(content, "objects.yaml")
