"""What a plan makes, and what a change of it does, as lines of text."""

import copy
from collections.abc import Iterator
from typing import Any

from support.derived_texts import derived_lines
from support.edited import flat_lines
from support.edited_reports import compare_plans, page
from support.shipped import TODAY

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.graph.builders.standard import fleet_graph
from pulumi_gke_tpu.core.graph.property_values import plain
from pulumi_gke_tpu.core.graph.registered import preview_notes
from pulumi_gke_tpu.core.kubernetes.fleet import manifests
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.features.diff.output.json import change_json


def planned_lines(plan: Any) -> Iterator[str]:
    """The findings by rule and path, the resources, the Kubernetes objects and the notes of a preview."""
    checked = check_plan(parse_plan(copy.deepcopy(plan)), read_catalog(), TODAY)
    yield from sorted({f"{each.rule} {'.'.join(map(str, each.path))}" for each in checked.findings})
    yield from derived_lines(checked, read_catalog())
    fleet = checked.fleet
    if fleet is None:
        return
    for resource in fleet_graph(plan, fleet, read_catalog()).resources:
        name = f"{resource.type.rpartition(':')[2]} {resource.name}"
        options = resource.options
        yield f"{name}: ignores {list(options.ignore_changes)}, replaces on {list(options.replace_on_changes)}"
        yield f"{name}: protect {options.protect}, aliases {list(options.aliases)}, {dict(options.custom_timeouts)}"
        yield from (f"{name}{line}" for line in flat_lines(plain(resource.inputs)) if not line.endswith(": None"))
    for cluster in fleet.clusters:
        for item in manifests(cluster, read_catalog()):
            yield from (f"{item.kind} {item.name}{line}" for line in flat_lines(item.object))
    yield from (f"note: {note}" for note in preview_notes(fleet, read_catalog()))


def change_lines(before: Any, after: Any) -> Iterator[str]:
    """Each item that changes, with its resources and properties."""
    data = change_json(page(compare_plans(before, after)))
    for item in data["items"]:
        fixes = [fix["text"] for fix in item["fixes"]]
        yield f"{item['change']} {item['item']} ({item['former_item']}), renames {item['renames']}: {fixes}"
        for each in item["resources"]:
            what = f"{each['operation']} {each['effect']} {each['type'].rpartition(':')[2]} {each['name']}"
            yield f"  {what} {each['refused']}".rstrip()
            yield from (f"    {difference}" for difference in each["differences"])
