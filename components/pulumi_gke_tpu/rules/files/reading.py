"""TPU001 to TPU026: problems that the reader reports before other rules check a plan or inventory.

Reading cannot go on past most of these problems, so all are errors.
"""

from pulumi_gke_tpu.rules.engine.rule import Scope, rule

_YAML = "YAML 1.2 and 1.1, as far as both agree (docs of this project)"
_FORM = "The form of a plan (docs of this project)"

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
    since="0.1",
    title="Unreadable file",
    why="the file does not exist, is not readable, is not a regular file (for example a directory or a pipe), "
    "or is too large",
    fix="Pass the path of an existing file of at most 5 MB.",
    source="The operating system's answer",
    basis="format",
    failing="# Not about content: gke-tpu validate stacks/prod, which is a folder",
    passing="# Not about content: gke-tpu validate stacks/prod/plan.yaml",
)
FILE_NOT_UTF8 = rule(
    "TPU002",
    "file-not-utf8",
    scope=Scope.FILE,
    since="0.1",
    title="File is not UTF-8",
    why="the same bytes mean other characters in another encoding, so people and tools would read different text",
    fix="Save the file as UTF-8; a byte order mark at the start is allowed.",
    basis="format",
    source=_YAML,
    failing="# Not about content: any plan that is saved as UTF-16 or Latin-1",
    passing="# Not about content: any plan that is saved as UTF-8",
)
INVALID_YAML = rule(
    "TPU003",
    "invalid-yaml",
    scope=Scope.PLAN,
    since="0.1",
    title="Invalid YAML",
    why="a YAML parser cannot read the file",
    fix="Close every quote and bracket, quote text with special characters, and indent with spaces.",
    basis="format",
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
    scope=Scope.PLAN,
    since="0.1",
    title="Duplicate key",
    why="YAML parsers keep one of the two values and silently drop the other",
    fix="Remove one of them.",
    basis="format",
    source=_YAML,
    failing="tpu: v6e\ntopology: 4x4\ncount: 1\ncount: 2",
    passing="tpu: v6e\ntopology: 4x4\ncount: 2",
)
MULTIPLE_DOCUMENTS = rule(
    "TPU005",
    "multiple-documents",
    scope=Scope.PLAN,
    since="0.1",
    title="More than one YAML document in a file",
    why="a file contains one plan, and gke-tpu would ignore everything after ---",
    fix="Move each document to its own file.",
    basis="format",
    source=_YAML,
    failing=f"{_SMALL}---\n{_SMALL}",
    passing=_SMALL,
)
EMPTY_FILE = rule(
    "TPU006",
    "empty-file",
    scope=Scope.PLAN,
    since="0.1",
    title="Empty file",
    why="the file has no content",
    fix="Write a plan; `gke-tpu init` writes one to start from.",
    basis="format",
    source=_YAML,
    failing="# This file is still empty.",
    passing=_SMALL,
)
INVALID_ALIAS = rule(
    "TPU007",
    "invalid-alias",
    scope=Scope.PLAN,
    since="0.1",
    title="Invalid alias or merge key",
    why="an alias repeats an anchor defined above it, and << merges the keys of a mapping",
    fix="Define the anchor before the alias, or quote text that begins with *.",
    basis="format",
    source=_YAML,
    failing="""
mode: standard
location: us-east5
slices:
  pretrain: {tpu: v6e, topology: 4x4, zone: *zone}
""",
    passing="""
mode: standard
location: us-east5
slices:
  pretrain: {tpu: v6e, topology: 4x4, zone: &zone us-east5-b}
  serve: {tpu: v6e, topology: 2x2, zone: *zone}
""",
)
NESTING_TOO_DEEP = rule(
    "TPU008",
    "nesting-too-deep",
    scope=Scope.PLAN,
    since="0.1",
    title="Nesting exceeds the limit",
    why="a plan needs only a few levels, and unlimited nesting would exhaust memory",
    fix="Reduce the nesting.",
    basis="format",
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
    scope=Scope.PLAN,
    since="0.1",
    title="Key or tag that is not plain data",
    why="every key is a string, and values are strings, numbers, booleans, lists and mappings without tags",
    fix="Quote keys that look like another type, and remove tags.",
    basis="format",
    source=_YAML,
    failing="tpu: v6e\ntopology: 4x4\nnode_labels: {1: large}",
    passing='tpu: v6e\ntopology: 4x4\nnode_labels: {"1": large}',
)
INVISIBLE_CHARACTER = rule(
    "TPU010",
    "invisible-character",
    scope=Scope.PLAN,
    since="0.1",
    title="Invisible character",
    why="tools would read characters that people cannot see",
    fix="Delete the character, or retype the text.",
    basis="format",
    source=_YAML,
    failing='tpu: v6e\ntopology: 4x4\nzone: "us-east5-b\\u200b"',
    passing='tpu: v6e\ntopology: 4x4\nzone: "us-east5-b"',
)
AMBIGUOUS_SCALAR = rule(
    "TPU011",
    "ambiguous-scalar",
    scope=Scope.PLAN,
    since="0.1",
    title="Ambiguous YAML value",
    why="YAML 1.1 and YAML 1.2 read yes, 010 and 1:30 differently, and some editors and tools follow YAML 1.1, "
    "others YAML 1.2",
    fix="Quote the value if it is text; otherwise write it in a form that both versions read the same way.",
    basis="format",
    source=_YAML,
    failing="""
mode: autopilot
location: us-central1
deletion_protection: no
""",
    passing="""
mode: autopilot
location: us-central1
deletion_protection: false
""",
)
UNKNOWN_KEY = rule(
    "TPU020",
    "unknown-key",
    scope=Scope.PLAN,
    since="0.1",
    title="Unknown key",
    why="an unknown key would have no effect",
    fix="Use the key as the plan spells it; `gke-tpu schema` gives editors the list.",
    source=_FORM,
    basis="format",
    failing="tpu: v6e\ntopology: 4x4\nspot: true",
    passing="tpu: v6e\ntopology: 4x4\ncapacity: spot",
)
MISSING_KEY = rule(
    "TPU021",
    "missing-key",
    scope=Scope.PLAN,
    since="0.1",
    title="Missing key",
    why="the key determines which resources are created, so it has no default",
    fix="Add the key.",
    source=_FORM,
    basis="format",
    failing="topology: 4x4",
    passing="tpu: v6e\ntopology: 4x4",
)
WRONG_TYPE = rule(
    "TPU022",
    "wrong-type",
    scope=Scope.PLAN,
    since="0.1",
    title="Value of the wrong type",
    why="strings, numbers, booleans, lists and mappings are distinct types: YAML reads 1.30 as the number 1.3",
    fix="Quote strings, and do not quote numbers and booleans.",
    source=_FORM,
    basis="format",
    failing='tpu: v6e\ntopology: 4x4\ncount: "2"',
    passing="tpu: v6e\ntopology: 4x4\ncount: 2",
)
INVALID_VALUE = rule(
    "TPU023",
    "invalid-value",
    scope=Scope.PLAN,
    since="0.1",
    title="Invalid value",
    why="the key allows a fixed set of words, a number within limits, a duration or a date",
    fix="Use one of the allowed values.",
    source=_FORM,
    basis="format",
    failing="tpu: v6e\ntopology: 4x4\ncapacity: on-demand",
    passing="tpu: v6e\ntopology: 4x4\ncapacity: on_demand",
)
MISSING_TIME_ZONE = rule(
    "TPU024",
    "missing-time-zone",
    scope=Scope.PLAN,
    since="0.1",
    title="Timestamp without a time zone",
    why="without a time zone, readers disagree by hours; GKE stores times in UTC",
    fix="Add Z for UTC, or the offset.",
    source=_FORM,
    basis="format",
    failing="""
mode: autopilot
location: us-central1
maintenance:
  window: {start: 2026-01-03 02:00:00, duration: 6h}
""",
    passing="""
mode: autopilot
location: us-central1
maintenance:
  window: {start: 2026-01-03T02:00:00Z, duration: 6h}
""",
)
UNQUOTED_COMMA = rule(
    "TPU025",
    "unquoted-comma",
    scope=Scope.PLAN,
    since="0.1",
    title="Unquoted comma inside a value",
    why="inside { } a comma separates keys, even in the middle of an unquoted value",
    fix="Quote the whole value.",
    source=_FORM,
    basis="format",
    failing="""
mode: autopilot
location: us-central1
maintenance:
  window: {start: 2026-01-03T02:00:00Z, duration: 12h, recurrence: FREQ=WEEKLY;BYDAY=SA,SU}
""",
    passing="""
mode: autopilot
location: us-central1
maintenance:
  window: {start: 2026-01-03T02:00:00Z, duration: 12h, recurrence: "FREQ=WEEKLY;BYDAY=SA,SU"}
""",
)
CONFLICTING_KEYS = rule(
    "TPU026",
    "conflicting-keys",
    scope=Scope.PLAN,
    since="0.1",
    title="Conflicting keys",
    why="each of the keys sets the same thing, so one would contradict the other or be ignored",
    fix="Remove all but one of them.",
    source=_FORM,
    basis="format",
    failing="tpu: v6e\ntopology: 4x4\ncapacity: {spot: true, reservation: v6e-pretrain}",
    passing="tpu: v6e\ntopology: 4x4\ncapacity: {reservation: v6e-pretrain}",
)
