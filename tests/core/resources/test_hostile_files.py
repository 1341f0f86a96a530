"""Files of other tools may contain anything: reading and checking them raises nothing but an error about the file."""

import copy
import functools
import json
import pathlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from support.foreign_files import Made, answer, module_plan, pulumi_state, terraform_plan, terraform_state
from support.raw_pools import HOSTS, REGIONAL, SLICE
from support.shipped import TODAY
from support.terraform.recordings import RECORDINGS

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NODE_POOL
from pulumi_gke_tpu.core.output.text import findings_text
from pulumi_gke_tpu.core.resource_rules.files import check_resources
from pulumi_gke_tpu.core.resource_rules.fleet import fleet_of
from pulumi_gke_tpu.core.resources.read import ResourceReader
from pulumi_gke_tpu.core.text.jsonfile.parsing import JsonError
from pulumi_gke_tpu.core.workflows.described import check_described, described_documents
from pulumi_gke_tpu.core.workflows.preview import preview_checked

CATALOG = read_catalog()
READER = ResourceReader(CATALOG)
MADE: list[Made] = [(CLUSTER, "train", REGIONAL), (NODE_POOL, "a", SLICE), (NODE_POOL, "b", {**HOSTS, "name": "b"})]
RECORDED = sorted(RECORDINGS.rglob("*.json"))
"""What the real OpenTofu and the real provider printed."""
SOURCES: list[Callable[[], bytes]] = [
    *(functools.partial(write, MADE) for write in (terraform_plan, terraform_state, pulumi_state, answer)),
    module_plan,
    *(path.read_bytes for path in RECORDED),
]
HOSTILE = st.sampled_from(
    [
        None,
        True,
        -1,
        10**30,
        1.5,
        "",
        "\x1b[31m",
        "::error::",
        "| a | <b>",
        "x" * 5000,
        [],
        [[]],
        {},
        {"a": None},
        [None],
        "${x}",
    ]
)


def paths(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The paths of all values in a document."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield (*path, key)
        yield from paths(inner, (*path, key))


WRONG = [None, -1, "x", [], [None], {"a": None}]
OBJECTS = sorted((pathlib.Path(__file__).parents[2] / "features" / "check" / "data" / "sources").glob("*/right/*.yaml"))


def resources_in(name: str, content: bytes) -> Counter[tuple[str, str, str]]:
    """What is read, each resource with its name and all of its values."""
    found = READER.read(name, content)
    return Counter((each.type, each.name, repr(each.values.data)) for each in found.found) if found else Counter()


def wrong_values(document: Any) -> Iterator[tuple[str | int, ...]]:
    """The document with a wrong value at one place after the other, named by its path."""
    for path in [*paths(document)]:
        *above, last = path
        holder = functools.reduce(lambda value, step: value[step], above, document)
        written = holder[last]
        for holder[last] in WRONG:
            yield path
        holder[last] = written


# Path of the list of resources -> a document with several of them. The first item of an answer shows what it is.
LISTS: dict[tuple[str | int, ...], Callable[[], bytes]] = {
    ("resource_changes",): functools.partial(terraform_plan, MADE),
    ("values", "root_module", "child_modules", 0, "resources"): functools.partial(terraform_state, MADE),
    ("deployment", "resources"): functools.partial(pulumi_state, MADE),
    (): functools.partial(answer, MADE[1:]),
}


@pytest.mark.parametrize("where", LISTS, ids=lambda where: ".".join(map(str, where)))
def test_a_wrong_value_in_a_resource_changes_no_other(where: tuple[str | int, ...]) -> None:
    document = json.loads(LISTS[where]())
    everything = resources_in("fleet.json", json.dumps(document).encode())
    assert everything.total() > 1
    for path in wrong_values(document):
        found = resources_in("fleet.json", json.dumps(document).encode())
        if len(path) > len(where) and path[0] != 0:
            assert (everything - found).total() <= 1, path


def test_a_wrong_value_in_a_plan_with_a_configuration_raises_nothing() -> None:
    document = json.loads(module_plan())
    for _ in wrong_values(document):
        assert READER.read("plan.json", json.dumps(document).encode()) is not None


@pytest.mark.parametrize("file", OBJECTS, ids=lambda file: "-".join(file.parts[-3::2]))
def test_a_wrong_value_in_an_object_changes_only_what_it_makes(file: pathlib.Path) -> None:
    documents = [*yaml.safe_load_all(file.read_text(encoding="utf-8"))]
    everything = resources_in(file.name, file.read_bytes())
    of_document = [resources_in(file.name, yaml.safe_dump(document).encode()) for document in documents]
    for first, *path in wrong_values(documents):
        if path:
            found = resources_in(file.name, yaml.safe_dump_all(documents).encode())
            assert (everything - found).total() <= max(of_document[int(first)].total(), 1), path


@functools.cache
def document_with_paths(which: int) -> tuple[Any, list[tuple[str | int, ...]]]:
    document = json.loads(SOURCES[which]())
    return document, [*paths(document)]


@given(st.data())
def test_a_wrong_value_anywhere_raises_nothing_and_prints_no_control_characters(data: st.DataObject) -> None:
    written, places = document_with_paths(data.draw(st.integers(0, len(SOURCES) - 1)))
    document = copy.deepcopy(written)
    for _ in range(data.draw(st.integers(1, 3))):
        *above, last = data.draw(st.sampled_from(places))
        holder = document
        for step in above:
            try:
                holder = holder[step]
            except (KeyError, IndexError, TypeError):
                break
        else:
            if isinstance(holder, dict) or (isinstance(holder, list) and isinstance(last, int) and last < len(holder)):
                holder[last] = data.draw(HOSTILE)
    try:
        resources = READER.read("fleet.json", json.dumps(document).encode())
    except JsonError:
        return
    if resources is not None:
        found = tuple(check_resources(resources.found, CATALOG))
        fleet_of(resources.found, CATALOG)
        for plan in described_documents(resources.found, CATALOG):
            checked = check_described(plan, CATALOG, TODAY)
            assert checked.fleet is not None or checked.has_errors
            if checked.fleet is not None:
                preview_checked(checked, checked.findings)
        text = findings_text(found, width=100, color=False)
        assert all(char == "\n" or char.isprintable() for char in text)


@pytest.mark.parametrize("write", [terraform_plan, terraform_state, pulumi_state, answer])
def test_secret_values_are_never_shown(write: Callable[[Iterable[Made]], bytes]) -> None:
    """The metadata of instances and values that a tool marks as secret are in no finding."""
    secret = "correct-horse"
    pool = {
        **SLICE,
        "nodeConfig": {
            **SLICE["nodeConfig"],
            "metadata": {"startup-script": secret},
            "bootDisk": {"diskType": "pd-ssd"},
        },
    }
    resources = READER.read("fleet.json", write([(NODE_POOL, "a", pool)]))
    assert resources is not None
    found = tuple(check_resources(resources.found, CATALOG))
    assert found
    assert secret not in findings_text(found, width=100, color=False)
    assert all(secret not in str(each) for each in found)
