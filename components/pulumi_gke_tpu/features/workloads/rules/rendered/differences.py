"""Files that are not what a plan renders: TPU681 to TPU683."""

from collections.abc import Iterable

from pulumi_gke_tpu.core.kinds.manifest import delete_command
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule
from pulumi_gke_tpu.core.text.findings import Fix, Path, Replace, SetKeys, format_path, printable, quoted
from pulumi_gke_tpu.core.text.findings.emit import emit
from pulumi_gke_tpu.features.workloads.rendered import ABSENT, FieldDifference, RenderedFiles

_LONGEST, _LONGEST_COMMAND = 60, 1000
_WRITE = "Run `gke-tpu manifests PLAN -o DIR --force`"
_PLAN = """
version: 1
project: acme-ml
clusters:
  dev:
    mode: autopilot
    location: us-central1
    slices:
      batch: {tpu: v5e, topology: 2x2}
    kubernetes: {priority_classes: {urgent: {value: 1000}}}
"""
_FILE = """
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata:
  name: urgent
  labels:
    app.kubernetes.io/managed-by: gke-tpu
value: 1000
preemptionPolicy: PreemptLowerPriority
"""
_ADDED = """---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata:
  name: later
  labels:
    app.kubernetes.io/managed-by: gke-tpu
value: 10
preemptionPolicy: Never
"""


@rule(
    "TPU681",
    title="Files lack an object of the plan",
    why="applying the files does not create the object",
    fix=f"{_WRITE}.",
    source="gke-tpu: the objects follow from the plan",
    failing=_FILE.replace("urgent", "urgent-runs").replace("  labels:\n    app.kubernetes.io/managed-by: gke-tpu\n", "")
    + f"--- plan{_PLAN}",
    passing=f"{_FILE}--- plan{_PLAN}",
)
def object_not_in_files(context: RenderedFiles) -> Iterable[Hit]:
    for item in context.missing:
        what = f"{item.kind} {quoted(item.name)}"
        yield Hit(item.path, f"no file has {what}, which the plan renders").within(context.plan)


@rule(
    "TPU682",
    title="Files contain an object of gke-tpu that the plan does not render",
    why="applying the files keeps the object in the cluster, where a workload holds its chips; of several copies, the "
    "last one decides",
    fix=f"Delete the object from the file, and from the cluster. {_WRITE}; it names the files to delete.",
    source="gke-tpu: the objects follow from the plan",
    failing=f"{_FILE}{_ADDED}--- plan{_PLAN}",
    passing=f"{_FILE}--- plan{_PLAN}",
)
def object_not_in_plan(context: RenderedFiles) -> Iterable[Hit]:
    for item in context.obsolete:
        command = delete_command(item.kind, item.name, item.namespace, item.group)
        places = f"here, and in the cluster with `{printable(command, _LONGEST_COMMAND)}`" if command else "here"
        yield Hit(item.at("metadata", "name"), f"the plan does not render {item.title}; delete it {places}")
    for item, first in context.duplicates:
        line = first.file.position((*first.base, "kind")).line
        place = f"{printable(first.file.name)}:{line}"
        yield Hit.duplicate(item.at("metadata", "name"), item.kind, item.name, f"already defined in {place}")


@rule(
    "TPU683",
    title="Object in a file differs from that of the plan",
    why="applying the files does not give the cluster the values of the plan",
    fix=f"Change the plan if the value of the file is right. {_WRITE} otherwise.",
    source="gke-tpu: the objects follow from the plan",
    failing=f"{_FILE.replace('value: 1000', 'value: 2000')}--- plan{_PLAN}",
    passing=f"{_FILE}--- plan{_PLAN}",
)
def object_differs_from_plan(context: RenderedFiles) -> Iterable[Hit]:
    for item, difference in context.changed:
        yield Hit(
            item.at(*difference.path),
            f"{item.title}: {_what(difference)}",
            given=_shown(difference.in_files),
            fix=_fix(difference),
        )


def _what(difference: FieldDifference) -> str:
    field = quoted(format_path(difference.path))
    if difference.in_files is ABSENT:
        return f"the plan also renders {field}"
    if difference.in_plan is ABSENT:
        return f"the plan does not render {field}"
    wanted = _shown(difference.in_plan)
    return f"{field} is {wanted} in the plan" if wanted else f"{field} differs from the plan"


def _fix(difference: FieldDifference) -> Fix | None:
    """The value of the plan; none for what has to be deleted."""
    if difference.in_plan is ABSENT or not difference.path:
        return None
    key: Path = difference.path[-1:]
    if isinstance(key[0], str):
        return SetKeys.of({key[0]: difference.in_plan})  # type: ignore[dict-item]
    return Replace.value(difference.in_plan) if difference.in_files is not ABSENT else None  # type: ignore[arg-type]


def _shown(value: object) -> str:
    """A value in one line; empty if it is too long for that."""
    text = emit(value) if value is not ABSENT else ""
    return text if len(text) <= _LONGEST else ""
