"""TPU001 to TPU026: what the reader reports, before any other rule looks at a plan or inventory.

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
    title="File cannot be read",
    why="it does not exist, may not be read, is no regular file such as a folder or a pipe, or is too large",
    fix="Name an existing file of at most 5 MB.",
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
    why="in another encoding the same bytes are other characters, so people and tools would read different text",
    fix="Save the file as UTF-8; a byte order mark at its beginning does no harm.",
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
    title="File is not YAML",
    why="no YAML reader can tell what is meant",
    fix="Close what is open, put text with special characters in quotes, and indent with spaces.",
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
    title="Key stands twice",
    why="YAML readers keep one of the two values and drop the other without a word",
    fix="Keep one of them.",
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
    title="Second document in a file",
    why="one file is one plan; whatever stands behind --- would not be looked at",
    fix="Give each document a file of its own.",
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
    why="there is nothing to read in it",
    fix="Write a plan; `gke-tpu init` writes one to start from.",
    basis="format",
    source=_YAML,
    failing="# A plan will stand here.",
    passing=_SMALL,
)
INVALID_ALIAS = rule(
    "TPU007",
    "invalid-alias",
    scope=Scope.PLAN,
    since="0.1",
    title="Alias or merge key that stands for nothing",
    why="an alias repeats an anchor that stands before it, and << takes in the keys of a mapping",
    fix="Set the anchor before it is used, or write text that begins with * in quotes.",
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
    title="Nested too deep",
    why="nothing in a plan has more than a few levels, and reading without end would take all memory",
    fix="Take levels out.",
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
    title="Key or tag that is no plain data",
    why="every key is text, and values are text, numbers, truth values, lists and mappings without tags",
    fix="Write keys that look like something else in quotes, and leave tags out.",
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
    title="Character that cannot be seen",
    why="what is read would differ from what people see",
    fix="Delete the character, and type the text again if need be.",
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
    title="Value that YAML readers do not agree on",
    why="YAML 1.1 takes yes, 010 or 1:30 for something else than YAML 1.2, and editors and tools follow both",
    fix="Write it in quotes where text is meant, else in the form that all readers know.",
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
    why="a key that nobody reads would change nothing",
    fix="Write the key as the plan spells it; `gke-tpu schema` gives editors the list.",
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
    title="Key is missing",
    why="it decides what is created, so it has no default",
    fix="Write the key.",
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
    title="Value of another type",
    why="text, numbers, truth values, lists and mappings are told apart: YAML reads 1.30 as the number 1.3",
    fix="Put text in quotes, and numbers and truth values not.",
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
    title="Value that is not allowed",
    why="the key takes one of a few words, a number within limits, a duration or a date",
    fix="Choose one of the allowed values.",
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
    why="without a zone, readers disagree by hours; GKE keeps times in UTC",
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
    title="Comma that ends a value too early",
    why="inside { } a comma separates keys, also in the middle of a value without quotes",
    fix="Put the whole value in quotes.",
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
    title="Keys that exclude each other",
    why="one key decides, and a second one would contradict it or be ignored",
    fix="Keep one of them.",
    source=_FORM,
    basis="format",
    failing="tpu: v6e\ntopology: 4x4\ncapacity: {spot: true, reservation: v6e-pretrain}",
    passing="tpu: v6e\ntopology: 4x4\ncapacity: {reservation: v6e-pretrain}",
)
