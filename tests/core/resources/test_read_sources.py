"""The resources in files as people write them: each with all of its properties, as far as the files tell them."""

import json
import pathlib
from typing import Any

import pytest
from support.recorded_results import RecordedResults

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.objects import read_manifests
from pulumi_gke_tpu.core.resources.model import RawResource
from pulumi_gke_tpu.core.resources.object_sources.read import resources_of
from pulumi_gke_tpu.core.resources.read import ResourceReader
from pulumi_gke_tpu.core.resources.values import UNKNOWN

DATA = pathlib.Path(__file__).parents[2] / "data" / "sources"
RECORDED = RecordedResults(DATA / "read.yaml", block_depth=2)
CASES = sorted(path.relative_to(DATA).as_posix() for side in ("faulty", "right") for path in DATA.glob(f"{side}/*/*"))


def files(case: str) -> list[tuple[str, bytes]]:
    path = DATA / case
    every = [path] if path.is_file() else sorted(each for each in path.rglob("*") if each.is_file())
    return [(str(each.relative_to(DATA)), each.read_bytes()) for each in every]


def resources(case: str) -> list[RawResource]:
    reader, given = ResourceReader(read_catalog()), files(case)
    objects: list[tuple[str, bytes]] = []
    reader.declare(given)
    found: list[RawResource] = []
    for name, content in given:
        read = reader.read(name, content)
        found += read.found if read is not None else ()
        if read is None or read.objects:
            objects.append((name, content if read is None else read.objects))
    described = resources_of(read_manifests(objects).objects, read_catalog())
    return [*found, *(each for read in described.values() for each in read.found)]


def plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return "?" if value is UNKNOWN else value


def resource_text(resource: RawResource) -> str:
    values = json.dumps(plain(resource.values.data), default=str)
    of = f" {resource.project}" if resource.project else ""
    refers = "".join(f" {name} of {', '.join(those)}" for name, those in resource.refers_to.items())
    return f"{resource.type.rpartition(':')[2]} {resource.origin.address}{of} {values}{refers}"


@pytest.mark.parametrize("case", CASES)
def test_each_resource_has_all_of_its_properties(case: str) -> None:
    RECORDED.compare([*map(resource_text, resources(case))], case)
