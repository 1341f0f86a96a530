"""Findings about what Google reports as an error, and the node pools of which nothing runs."""

import dataclasses
from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet import SliceGroup
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.core.graph.resource_types import NODE_POOL
from pulumi_gke_tpu.core.messages.search import MessageSearch
from pulumi_gke_tpu.core.resources.model import RawResource
from pulumi_gke_tpu.core.resources.reported import failures, reported
from pulumi_gke_tpu.core.rules.files.status import IN_ERROR
from pulumi_gke_tpu.core.text.findings import Finding, Related, printable, quoted

_LONGEST_ADDRESS = 300


def not_running(resource: RawResource) -> str:
    """Why no node of a node pool runs; empty if some can."""
    told = reported(resource)
    if resource.type != NODE_POOL or told.status != "ERROR":
        return ""
    return f"{told.says}: {told.reasons[0].rstrip('.')}" if told.reasons else told.says


def findings_in_error(
    resources: Iterable[RawResource], catalog: Catalog, checked: CheckedPlan | None = None
) -> Iterator[Finding]:
    """What Google reports as an error, each with the reason, and the place of a node pool in the plan."""
    found = [*failures(resources)]
    if not found:
        return
    search = MessageSearch(catalog)
    groups: dict[str, SliceGroup] = {}
    if checked is not None and checked.fleet is not None:
        groups = {pool.name: group for _, group in checked.fleet.groups() for pool in group.pools}
    for each, told in found:
        explained = search.explained("; ".join(filter(None, (told.status, *told.reasons))))
        about = str(each.values.data.get("targetLink", "")).rpartition("/nodePools/")[2]
        group = groups.get(each.name if each.type == NODE_POOL else about)
        place = f" in {quoted(group.key)} of the plan" if group is not None else ""
        title = f"{explained.titles}: " if explained is not None else ""
        reasons = f"{told.says}: {'; '.join(told.reasons)}" if told.reasons else f"{told.says}, without a reason"
        address = printable(each.origin.address, _LONGEST_ADDRESS)
        finding = IN_ERROR.finding(
            f"{address}{place}: {title}{reasons.rstrip('.')}",
            position=each.origin.locate(each.spelling.place("status")),
            path=(each.origin.address, "status"),
            advice=explained.advice if explained is not None else "",
        )
        if explained is not None:
            finding = dataclasses.replace(finding, why=explained.cause.rstrip("."))
        position = checked.document.position_of(group.path) if group is not None and checked is not None else None
        yield dataclasses.replace(finding, related=Related("slice group", position) if position is not None else None)
