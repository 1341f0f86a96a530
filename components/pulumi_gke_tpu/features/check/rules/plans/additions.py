"""Checks the Pods of a plan with the fields that it adds to them as manifests: TPU569."""

import dataclasses
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet.workloads import Workload, kubernetes_objects
from pulumi_gke_tpu.core.kinds import written_kind
from pulumi_gke_tpu.core.kinds.manifest import Manifest
from pulumi_gke_tpu.core.objects import ManifestFile
from pulumi_gke_tpu.core.rules.engine.context import PlanContext
from pulumi_gke_tpu.core.rules.engine.rule import Hit, of_workloads, rule
from pulumi_gke_tpu.core.text.findings import Finding, Path, Severity
from pulumi_gke_tpu.core.text.formats.property_path import value_at

_CONTAINERS = "containers"
_UNKNOWN = "<known later>"
"""What rules about manifests take for a value that is not filled in yet."""


def _lab(keys: str) -> str:
    return (
        "mode: autopilot\nlocation: us-east5\nslices: {lab: {tpu: v6e, topology: 2x2}}\n"
        f"kubernetes: {{workloads: {{lab: {{slices: lab, image: lab, pod_template: {{spec: {keys}}}}}}}}}"
    )


@rule(
    "TPU569",
    about=of_workloads("head.pod_template", "pod_template"),
    title="Pods with these fields break a rule about manifests",
    why="`gke-tpu check` would report it in the manifests of the workload",
    fix="Change the addition. The command in the message shows the rule with an example.",
    references=["kubernetes-api-server"],
    source="gke-tpu: rules about manifests",
    otherwise={
        Severity.WARNING: "if the rule that the message names warns",
        Severity.NOTE: "if the rule that the message names notes",
    },
    failing=_lab("{hostNetwork: true}"),
    passing=_lab("{dnsPolicy: Default}"),
)
def invalid_pod_template(context: PlanContext) -> Iterable[Hit]:
    """Only what the additions cause: the same rules check the workload without them.

    A container that gke-tpu does not write is none of them: another rule says that an addition cannot add one.
    """
    for cluster in context.fleet.clusters:
        objects = kubernetes_objects(cluster)
        for workload in objects.workloads if objects is not None else ():
            own, head = workload.plan.pod_template, workload.plan.head
            of_head = head.pod_template if head else {}
            if not own and not of_head:
                continue
            before = {*map(_identity, _findings(_with(workload, {}, {}), context.catalog))}
            if own:
                yield from _caused(_with(workload, own, {}), ("pod_template",), own, before, context.catalog)
            if of_head:
                where = ("head", "pod_template")
                yield from _caused(_with(workload, own, of_head), where, of_head, before, context.catalog)


def _caused(
    workload: Workload, where: tuple[str, ...], addition: dict[str, Any], before: set[tuple[str, str]], catalog: Catalog
) -> Iterator[Hit]:
    """What is found in the objects of a workload with an addition and not ``before``, without it."""
    of_head = len(where) > 1
    bare = [item.object for item in _objects(_with(workload, {}, {}), catalog)]
    seen: set[tuple[Path, str]] = set()
    for finding in _findings(workload, catalog):
        place = _place(finding.path, addition)
        if _identity(finding) in before or (of_head and not place) or (place, finding.message) in seen:
            continue
        if _in_new_container(finding.path, bare):
            continue
        seen.add((place, finding.message))
        severity = finding.severity if finding.severity is not Severity.ERROR else None
        path = (*workload.path, *where, *place)
        yield Hit(path, f"{finding.message}; see `gke-tpu rule {finding.rule}`", severity=severity, why=finding.why)


def _with(workload: Workload, addition: dict[str, Any], of_head: dict[str, Any]) -> Workload:
    head = workload.plan.head
    changed = {"pod_template": addition, "head": head and head.model_copy(update={"pod_template": of_head})}
    return dataclasses.replace(workload, plan=workload.plan.model_copy(update=changed))


def _findings(workload: Workload, catalog: Catalog) -> tuple[Finding, ...]:
    # The rules about manifests are imported only for plans that add fields.
    from pulumi_gke_tpu.features.check.manifest_check import check_manifests

    files = [
        ManifestFile(item.name, json.dumps(item.object, default=lambda _: _UNKNOWN).encode())
        for item in _objects(workload, catalog)
    ]
    return check_manifests(files, catalog, None, workload.cluster.mode)


def _objects(workload: Workload, catalog: Catalog) -> Iterator[Manifest]:
    return written_kind(workload).objects(workload, catalog)


def _in_new_container(path: Path, bare: Iterable[Mapping[str, Any]]) -> bool:
    """Whether a path in an object is in a container that the objects without additions do not have."""
    for end, step in enumerate(path[:-1], start=1):
        index = path[end]
        if step != _CONTAINERS or not isinstance(index, int):
            continue
        lists = [value_at(item, path[start:end]) for item in bare for start in range(end)]
        found = [item for item in lists if isinstance(item, list)]
        return bool(found) and all(index >= len(item) for item in found)
    return False


def _identity(finding: Finding) -> tuple[str, str]:
    return finding.rule, finding.message


def _place(path: Path, addition: Mapping[str, Any]) -> Path:
    """The place in an addition that a path in an object is about; empty if it is about none.

    The Pod template begins at a step of the path. Entries of lists have other numbers in it, so the place ends there.
    """
    best: Path = ()
    for start in range(len(path)):
        found: list[str | int] = []
        value: Any = addition
        for step in path[start:]:
            if not isinstance(value, Mapping) or step not in value:
                break
            found.append(step)
            value = value[step]
        if len(found) > len(best):
            best = tuple(found)
    return best
