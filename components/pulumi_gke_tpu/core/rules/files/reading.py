"""TPU001 to TPU026, TPU890 to TPU893 and TPU971: problems that other parts than the rules report.

Reading cannot go on past most of those up to TPU026, so all of these are errors; TPU893 is a warning.
"""

import re

from pulumi_gke_tpu.core.rules.engine.rule import Scope, in_cluster, in_group, rule, warning
from pulumi_gke_tpu.core.text.findings import Finding, Position, Severity, Verbatim, printable_path
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_YAML = "gke-tpu: plans use the YAML that YAML 1.1 and YAML 1.2 read in the same way"
_FORM = "gke-tpu: format of a plan"

_SMALL = """
version: 1
project: acme-ml
clusters:
  dev: {mode: autopilot, location: us-central1}
"""

UNREADABLE_FILE = rule(
    "TPU001",
    "unreadable-file",
    scope=Scope.FILE,
    title="Unreadable file",
    why="gke-tpu reads only regular files of at most 5 MB, and it requires read access",
    fix="Pass the path of an existing, readable file of at most 5 MB.",
    source="Error of the operating system",
    failing="# Not about content: gke-tpu validate stacks/prod, which is a folder",
    edit=(
        "# Not about content: gke-tpu validate stacks/prod, which is a folder",
        "# Not about content: gke-tpu validate stacks/prod/plan.yaml",
    ),
)
FILE_NOT_UTF8 = rule(
    "TPU002",
    "file-not-utf8",
    scope=Scope.FILE,
    title="File is not UTF-8",
    why="people and tools read different text if they assume different encodings",
    fix="Save the file as UTF-8. A byte order mark at the start is allowed.",
    source=_YAML,
    failing="# Not about content: any plan that is saved as UTF-16 or Latin-1",
    edit=(
        "# Not about content: any plan that is saved as UTF-16 or Latin-1",
        "# Not about content: any plan that is saved as UTF-8",
    ),
)
INVALID_YAML = rule(
    "TPU003",
    "invalid-yaml",
    plans_only="it is about the text of a plan",
    title="Invalid YAML",
    why="YAML parsers cannot read the file",
    fix="Close every quote and bracket, quote text with special characters, and indent with spaces.",
    source=_YAML,
    failing="""
version: 1
project: acme-ml
clusters:
  dev: {mode: autopilot, location: us-central1
""",
    passing=_SMALL,
)
DUPLICATE_KEY = rule(
    "TPU004",
    "duplicate-key",
    plans_only="it is about the text of a plan",
    title="Duplicate key",
    why="most YAML parsers silently keep only one of the two values",
    fix="Remove one of the two entries.",
    source=_YAML,
    failing=in_group("count: 1\ncount: 2"),
    passing=in_group("count: 2"),
)
MULTIPLE_DOCUMENTS = rule(
    "TPU005",
    "multiple-documents",
    plans_only="it is about the text of a plan",
    title="More than one YAML document in a file",
    why="a file contains one plan, so gke-tpu would ignore everything after `---`",
    fix="Move each document to its own file.",
    source=_YAML,
    failing=f"{_SMALL}---\n{_SMALL}",
    passing=_SMALL,
)
EMPTY_FILE = rule(
    "TPU006",
    "empty-file",
    plans_only="it is about the text of a plan",
    title="Empty file",
    why="an empty file has no keys",
    fix="Write a plan. `gke-tpu init` creates one to start from.",
    source=_YAML,
    failing="# This file is still empty.",
    passing=_SMALL,
)
INVALID_ALIAS = rule(
    "TPU007",
    "invalid-alias",
    plans_only="it is about the text of a plan",
    title="Invalid alias or merge key",
    why="an alias (`*name`) refers to an anchor (`&name`) that is defined above it. A merge key (`<<`) requires a "
    "mapping",
    fix="Define the anchor above the alias. If the value is text that begins with *, quote the text.",
    source=_YAML,
    failing=in_cluster("""
slices:
  pretrain: {tpu: v6e, topology: 4x4, zone: *zone}
"""),
    passing=in_cluster("""
slices:
  pretrain: {tpu: v6e, topology: 4x4, zone: &zone us-east5-b}
  serve: {tpu: v6e, topology: 2x2, zone: *zone}
"""),
)
NESTING_TOO_DEEP = rule(
    "TPU008",
    "nesting-too-deep",
    plans_only="it is about the text of a plan",
    title="Nesting exceeds the limit",
    why="every file that gke-tpu reads needs fewer levels of nesting, and unlimited nesting could exhaust the memory",
    fix="Remove the unneeded levels of nesting.",
    source=_YAML,
    failing=f"""
mode: autopilot
location: us-central1
extra: {{description: {"[" * 70}{"]" * 70}}}
""",
    passing="""
mode: autopilot
location: us-central1
""",
)
UNSUPPORTED_YAML_TYPE = rule(
    "TPU009",
    "unsupported-yaml-type",
    plans_only="it is about the text of a plan",
    title="Key or value of an unsupported YAML type",
    why="plans, inventories and organization files allow only string keys, and values that are strings, numbers, "
    "booleans, lists or mappings without YAML tags",
    fix="Quote a key that looks like a number, a boolean or a date. Remove YAML tags.",
    source=_YAML,
    failing=in_group("node_labels: {1: large}"),
    edit=("1: large", '"1": large'),
)
INVISIBLE_CHARACTER = rule(
    "TPU010",
    "invisible-character",
    plans_only="it is about the text of a plan",
    title="Invisible character",
    why="an invisible character is part of the value, although you cannot see it",
    fix="Delete the invisible character, or retype the text.",
    source=_YAML,
    failing='tpu: v6e\ntopology: 4x4\nzone: "us-east5-b\\u200b"',
    edit=('zone: "us-east5-b\\u200b"', 'zone: "us-east5-b"'),
)
AMBIGUOUS_SCALAR = rule(
    "TPU011",
    "ambiguous-scalar",
    plans_only="it is about the text of a plan",
    title="Ambiguous YAML value",
    why="YAML 1.1 and YAML 1.2 read values such as yes, 010 and 1:30 differently, and tools follow one version or "
    "the other",
    fix="If the value is text, quote it. Otherwise, write it in a form that both YAML versions read in the same way, "
    "such as true instead of yes.",
    source=_YAML,
    failing=in_cluster("deletion_protection: no", mode="autopilot", location="us-central1"),
    edit=("deletion_protection: no", "deletion_protection: false"),
)
UNKNOWN_KEY = rule(
    "TPU020",
    "unknown-key",
    plans_only="it is about the text of a plan",
    title="Unknown key",
    why="gke-tpu would ignore the unknown key, so the setting would have no effect",
    fix="Write a key of this mapping. `gke-tpu schema` prints a schema with which editors complete keys.",
    source=_FORM,
    failing=in_group("spot: true"),
    edit=("spot: true", "capacity: spot"),
)
MISSING_KEY = rule(
    "TPU021",
    "missing-key",
    silent_in={"gcloud": "GKE has accepted the limits of clusters that exist"},
    title="Missing key",
    why="there is no default, because it determines which resources are created",
    fix="Add the key.",
    source=_FORM,
    failing="topology: 4x4",
    passing=in_group(),
)
WRONG_TYPE = rule(
    "TPU022",
    "wrong-type",
    plans_only="it is about the text of a plan",
    title="Value of the wrong type",
    why='each key has one type. YAML reads an unquoted 1.30 as the number 1.3, and a quoted "2" as a string',
    fix="Quote strings. Do not quote numbers and booleans.",
    source=_FORM,
    failing=in_group('count: "2"'),
    edit=('count: "2"', "count: 2"),
)
INVALID_VALUE = rule(
    "TPU023",
    "invalid-value",
    title="Invalid value",
    why="the value is not in the list of allowed values, is outside the limits, or is not a valid duration or date",
    fix="Use one of the allowed values.",
    source=_FORM,
    failing=in_group("capacity: on-demand"),
    edit=("capacity: on-demand", "capacity: on_demand"),
)
MISSING_TIME_ZONE = rule(
    "TPU024",
    "missing-time-zone",
    plans_only="it is about the text of a plan",
    title="Timestamp without a time zone",
    why="a time without a time zone can be misread by several hours. GKE stores times in UTC",
    fix="Append Z for UTC, or an offset such as +02:00.",
    source=_FORM,
    failing="""
mode: autopilot
location: us-central1
maintenance:
  window: {start: 2026-01-03 02:00:00, duration: 6h}
""",
    edit=("start: 2026-01-03 02:00:00", "start: 2026-01-03T02:00:00Z"),
)
UNQUOTED_COMMA = rule(
    "TPU025",
    "unquoted-comma",
    plans_only="it is about the text of a plan",
    title="Unquoted comma inside a value",
    why="inside braces, a comma ends an unquoted value, and YAML reads the rest as another key",
    fix="Quote the whole value.",
    source=_FORM,
    failing="""
mode: autopilot
location: us-central1
maintenance:
  window: {start: 2026-01-03T02:00:00Z, duration: 12h, recurrence: FREQ=WEEKLY;BYDAY=SA,SU}
""",
    edit=("recurrence: FREQ=WEEKLY;BYDAY=SA,SU", 'recurrence: "FREQ=WEEKLY;BYDAY=SA,SU"'),
)
CONFLICTING_KEYS = rule(
    "TPU026",
    "conflicting-keys",
    plans_only="TPU363 reports it for node pools",
    title="Conflicting keys",
    why="each of these keys sets the same property, so one key would contradict the other",
    fix="Keep one of the keys, and remove the others.",
    source=_FORM,
    failing=in_group("capacity: {spot: true, reservation: v6e-pretrain}"),
    edit=("spot: true, reservation: v6e-pretrain", "reservation: v6e-pretrain"),
)


_NAME = lazy_pattern(r"[A-Za-z0-9_][A-Za-z0-9_.-]*\Z", re.ASCII)

MOVED = warning(
    "TPU971",
    "plan-folder-changed",
    scope=Scope.FILE,
    title="Plan file moved to another folder",
    why="the name of the folder is the name of the stack. A stack with a different name creates all resources from "
    "scratch, and no plan manages the resources of the old stack",
    fix="Also rename the stack: `pulumi stack rename NEW --stack OLD`. If your stack does not have the name of the "
    "folder, accept this warning in the plan before you move the file.",
    source="gke-tpu: the program in `stacks/` finds its plan by the name of the folder",
    failing="# Not about content: stacks/prod/plan.yaml becomes stacks/production/plan.yaml",
    passing="# Not about content: stacks/prod/plan.yaml becomes teams/ml/prod/plan.yaml",
)


def moved(before: str, after: str) -> Finding | None:
    """The finding for a renamed plan file; None if the name of its folder is the same."""
    old, new = folder_of(before), folder_of(after)
    if old == new:
        return None
    return Finding(
        rule=MOVED.id,
        severity=MOVED.severity,
        path=(),
        message=f"this plan was moved from {printable_path(before)}, so its folder is now the name of another stack",
        why=MOVED.why,
        change=Verbatim(f"pulumi stack rename {new} --stack {old}") if _NAME.match(old) and _NAME.match(new) else None,
        source=MOVED.source,
    )


def folder_of(name: str) -> str:
    """The name of the folder of a file; empty if the path has none."""
    return name.replace("\\", "/").rpartition("/")[0].rpartition("/")[2]


POOL_DIFFERS = rule(
    "TPU891",
    "pool-differs-from-plan",
    scope=Scope.FILE,
    title="Node pool is not the one of the plan",
    why="the file and the plan have the node pool with the same cluster and name, and one of the two is not up to date",
    fix="Set the value of the plan in the other tool, or change the plan.",
    source="gke-tpu: the properties of node pools follow from the plan",
    failing="# Not about content: a node pool of a Terraform plan with 4x8, and its slice group in the plan with 4x4",
    edit=("with 4x8, and", "with 4x4, and"),
)
POOL_NOT_PLANNED = rule(
    "TPU892",
    "pool-not-in-plan",
    scope=Scope.FILE,
    severity=Severity.NOTE,
    title="TPU node pool is not in the plan",
    why="the plan has the cluster of the node pool, and other slice groups. It can be intended",
    fix="Add the slice group to the plan, or leave the node pool to the other tool.",
    source="gke-tpu: the names of node pools follow from the plan",
    failing="# Not about content: a Terraform plan with the node pool trial-0, and a plan without a slice group for it",
    edit=("a plan without a slice group", "a plan with a slice group"),
)


INCOMPLETE_PLAN = rule(
    "TPU890",
    "incomplete-terraform-plan",
    scope=Scope.FILE,
    title="Terraform stopped with an error while it made the plan",
    why="the file contains only the changes that Terraform found before the error. Others are missing, which can be "
    "deletions",
    fix="Correct the error that `terraform plan` reports, and make the plan again.",
    source="Terraform: JSON output format, the member `errored` of a plan",
    failing="# Not about content: the JSON of a Terraform plan with `errored` true",
    edit=(
        "# Not about content: the JSON of a Terraform plan with `errored` true",
        "# Not about content: the JSON of a Terraform plan with `errored` false",
    ),
)


NOTHING_READ = warning(
    "TPU893",
    "nothing-read",
    scope=Scope.FILE,
    title="Nothing in the file was read",
    why="the file contains no value that gke-tpu can check: a program or a module decides what it creates",
    fix="Pass what the program creates: `terraform show -json plan.out`, `pulumi preview --json`, or rendered YAML. "
    "For commands of xpk and gcluster, use `gke-tpu adopt --from`.",
    source="gke-tpu: only data is read, and no program is run",
    failing="# Not about content: main.tf with nothing but calls of modules",
    edit=(
        "# Not about content: main.tf with nothing but calls of modules",
        "# Not about content: the output of `terraform show -json plan.out`",
    ),
)


def nothing_read(file: str, reason: str) -> Finding:
    """The finding about a file of another tool that has no data."""
    return NOTHING_READ.finding(f"nothing in the file was read: {reason}", position=Position(file, 1, 1, 2))


def incomplete_plan(file: str) -> Finding:
    """The finding about a plan of Terraform that an error ended."""
    message = "the plan is incomplete: Terraform stopped with an error"
    return INCOMPLETE_PLAN.finding(message, position=Position(file, 1, 1, 2))
