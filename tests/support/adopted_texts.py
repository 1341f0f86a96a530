"""What becomes of a fleet that is adopted, and of its comparison with a plan, as lines of text."""

import copy
import json
from collections.abc import Iterator, Mapping
from typing import Any

from support.adopted_objects import as_listed, rendered, without_objects
from support.edited import flat_lines
from support.shipped import TODAY

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.graph.model import Graph
from pulumi_gke_tpu.core.objects import KubernetesObject, read_manifests
from pulumi_gke_tpu.core.plan import parse_plan, read_plan_content
from pulumi_gke_tpu.core.resources.model import RawResource
from pulumi_gke_tpu.core.resources.read import ResourceReader
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.document.text_writer import write_text
from pulumi_gke_tpu.features.adopt.adoption import Adoption, adopt_fleets
from pulumi_gke_tpu.features.adopt.comparison import Compared, compare_with_plan
from pulumi_gke_tpu.features.adopt.files import files_of, plan_text
from pulumi_gke_tpu.features.adopt.objects.check import ComparedObjects, compare_objects
from pulumi_gke_tpu.features.adopt.objects.fleet import adopt_objects
from pulumi_gke_tpu.features.adopt.output.document import adoption_page, comparison_page
from pulumi_gke_tpu.features.adopt.output.json import adoption_json, drift_json


def resources_of(fleet: Any) -> tuple[RawResource, ...]:
    """The resources in the data of a file."""
    found = ResourceReader(read_catalog()).read("fleet.json", json.dumps(fleet).encode())
    return found.found if found is not None else ()


def adopted_lines(fleet: Any, *, slices_only: bool = False) -> Iterator[str]:
    """The page, the JSON, and of each plan the file of the plan and the entries of the import file."""
    found = adopt_fleets(resources_of(fleet), read_catalog(), slices_only=slices_only)
    yield from write_text(adoption_page(found, ()).in_terminal, width=300, color=False).splitlines()
    for plan in adoption_json(found, (), ())["plans"]:
        yield from flat_lines({key: value for key, value in plan.items() if key != "findings"})
    for adoption in found:
        if adoption.graph is not None:
            files = files_of(adoption, read_catalog(), "dev")
            yield from files["plan.yaml"].splitlines()
            yield from (json.dumps(entry) for entry in json.loads(files["import.json"])["resources"])


def compared_lines(fleet: Any, plan: str) -> Iterator[str]:
    """The page and the JSON about what differs from a plan."""
    compared = compare_with_plan(
        resources_of(fleet), check_plan(read_plan_content(plan.encode(), "plan.yaml"), read_catalog(), TODAY)
    )
    yield from write_text(comparison_page(compared).in_terminal, width=300, color=False).splitlines()
    yield from flat_lines(drift_json(compared, None))


def plan_of(fleet: Any) -> str:
    """The file of the first plan that adopts a fleet; empty if there is none."""
    found = adopt_fleets(resources_of(fleet), read_catalog())
    return next((plan_text(adoption) for adoption in found if adoption.graph is not None), "")


def rendered_objects(plan: Any) -> dict[str, list[Any]]:
    """The objects of each cluster of a plan with the key `kubernetes`, without examples."""
    return {key: rendered(plan, key) for key, cluster in plan["clusters"].items() if "kubernetes" in cluster}


def read_objects(objects: Mapping[str, Any]) -> tuple[KubernetesObject, ...]:
    """Objects in one file for each cluster."""
    return read_manifests((f"{key}.json", as_listed(found)) for key, found in objects.items()).objects


def compared_objects(plan: Any, objects: Mapping[str, Any]) -> ComparedObjects:
    """The comparison of objects with a plan."""
    return compare_objects(read_objects(objects), check_plan(parse_plan(copy.deepcopy(plan)), read_catalog(), TODAY))


def adopted_objects_lines(plan: Any, objects: Mapping[str, Any], *, commands: bool, pages: bool) -> Iterator[str]:
    """What becomes of objects in one file for each cluster: keys, reasons, and the comparison with the plan.

    ``pages``: also the pages and the JSON about it.
    """
    read = read_objects(objects)
    alone = {key: without_objects(plan)["clusters"][key] for key in plan["clusters"]}
    adoption = Adoption(plan["project"], {**plan, "clusters": alone}, Graph(()), (), (), {}, ())
    adoptions, clusters = adopt_objects([adoption], read, read_catalog(), commands=commands)
    compared = compared_objects(plan, objects)
    for cluster in clusters:
        yield from (f"{cluster.key}: {_name(one.object)} is {one.item}" for one in cluster.adopted)
        yield from (f"{cluster.key}: {_name(one.object)} stays: {one.reason}" for one in cluster.alone)
        yield from (f"{cluster.key}: {count} {kind}" for kind, count in cluster.others.items())
    for key, cluster in adoptions[0].plan["clusters"].items():
        if "kubernetes" not in cluster:
            yield f"{key}: no key"
        for section, found in cluster.get("kubernetes", {}).items():
            names = found.items() if isinstance(found, dict) else (("", found),)
            yield from (f"{key}: {section}.{name}: {value}" for name, value in names)
    yield from (*compared.different, *(f"{name} is missing" for name in compared.missing))
    yield f"{compared.same} as planned, {compared.unassigned} of no cluster"
    if pages:
        nothing = Compared((), (), (), (), ())
        for page in (adoption_page(adoptions, (), clusters), comparison_page(nothing, compared)):
            yield from write_text(page.in_terminal, width=300, color=False).splitlines()
        yield from flat_lines(adoption_json(adoptions, clusters, ())["objects"])
        yield from flat_lines(drift_json(nothing, compared))


def _name(item: KubernetesObject) -> str:
    return f"{item.kind} {item.namespace}/{item.name}"
