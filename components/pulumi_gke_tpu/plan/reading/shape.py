"""Reports errors in the form of a plan: unknown keys, missing keys, values of the wrong type."""

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any, get_args

from pydantic import ValidationError

from pulumi_gke_tpu.catalog import naming, read_catalog
from pulumi_gke_tpu.findings import Finding, Path, Severity, printable, quoted
from pulumi_gke_tpu.frozen import frozen
from pulumi_gke_tpu.plan.base import PlanModel, Unknown
from pulumi_gke_tpu.plan.inventory import Inventory
from pulumi_gke_tpu.plan.keys import as_written, inner_type, is_plan_model, key_names, steps_of, type_at
from pulumi_gke_tpu.plan.model import Acceptance, Acknowledgement, Move
from pulumi_gke_tpu.plan.reading.meant import UNCLEAR, Meant, meant_at
from pulumi_gke_tpu.plan.reading.spellings import WORDS_FOR_LISTS, plain
from pulumi_gke_tpu.plan.reading.times import first_window, is_ambiguous
from pulumi_gke_tpu.plan.reading.unknown import Span, UnknownKeys, cut_values, one_level_deeper, unknown_key
from pulumi_gke_tpu.yamlfile.emit import emit, emit_entry

_WHY_TIMESTAMP = "without a time zone, the time could be wrong by several hours; GKE stores times in UTC"
_TIMESTAMPS = "YYYY-MM-DDTHH:MM:SSZ in UTC, or with an offset such as +01:00 instead of Z"
_DURATIONS = ("90m", "6h", "7d", "1h30m", "604800s")

Written = Callable[[Path], str | None]
"""Returns a scalar exactly as the file spells it, or None."""


@frozen
class Shaped:
    """The errors in the form of a document, and the intended entries by path if they are clear."""

    findings: tuple[Finding, ...]
    meant: Mapping[Path, Meant]


@frozen
class _Problem:
    """One validation error: its path and value, and the document."""

    path: Path
    given: Any
    context: Mapping[str, Any]
    message: str
    root: type[PlanModel]
    document: Any
    written: Written
    meant: dict[Path, Meant] = field(repr=False)
    """The intended entries by path; translators add to it."""

    @property
    def name(self) -> str:
        """The name of the entry in messages; an entry of a list has the name of the list."""
        if not self.path:
            return "plan"
        return f"{self.path[-2]}[{self.path[-1]}]" if self.in_list else self.key

    @property
    def in_list(self) -> bool:
        """Whether the error is about an entry of a list."""
        return len(self.path) > 1 and isinstance(self.path[-1], int)

    @property
    def key(self) -> str:
        """The key of the entry in the document: that of the mapping if the document uses a shorthand."""
        return str(as_written(self.document, self.path)[-1])

    def pasted(self, value: object) -> str:
        """The entry with another value; empty if it cannot be shown whole."""
        return emit(value) if self.in_list else emit_entry(self.key, value) if self.path else ""

    @property
    def siblings(self) -> Mapping[str, Any]:
        """The mapping with the entry."""
        entries: Any = self.document
        for step in as_written(self.document, self.path)[:-1]:
            entries = entries[step]
        return entries if isinstance(entries, Mapping) else {}

    def read_as(self, value: object) -> str:
        """Record the intended value; returns the fix."""
        if value is UNCLEAR or not self.path:
            return ""
        self.meant[self.path] = {self.key: value}
        return self.pasted(value)

    def clear(self) -> Any:
        """The intended value, or ``UNCLEAR``."""
        return UNCLEAR if isinstance(self.given, Unknown) else meant_at(self.root, self.path, self.given)

    @property
    def shown(self) -> str:
        written = self.written(self.path)
        return printable(written if written is not None else _short(self.given))

    def finding(self, rule: str, message: str, **parts: Any) -> Finding:
        parts.setdefault("given", f"{printable(self.name)}: {self.shown}" if self.path else "")
        return Finding(rule=rule, severity=Severity.ERROR, path=self.path, message=message, **parts)


def shape_findings(
    error: ValidationError, root: type[PlanModel], document: object, written: Written, span: Span | None = None
) -> Shaped:
    """Translate pydantic's errors about a document.

    ``written`` returns its scalars as in the file; ``span`` the text between two of them.
    """
    findings: list[Finding] = []
    meant: dict[Path, Meant] = {}
    entries = error.errors(include_url=False)
    unknown = UnknownKeys(root, document, written, meant, span)
    paths = [steps_of(entry["loc"]) for entry in entries if entry["type"] == "extra_forbidden"]
    cut = cut_values(unknown, paths)
    deeper = one_level_deeper(unknown, [path for path in paths if path not in cut.pieces])
    findings += (*cut.findings, *deeper.findings)
    missing: list[_Problem] = []
    for entry in entries:
        path = steps_of(entry["loc"])
        if path in cut.pieces or path in deeper.pieces:
            continue
        if entry["type"] == "extra_forbidden":
            findings.append(unknown_key(unknown, path, entry["input"]))
            continue
        problem = _Problem(path, entry["input"], entry.get("ctx", {}), entry["msg"], root, document, written, meant)
        if entry["type"] == "missing":
            missing.append(problem)
            continue
        translate = _later if isinstance(problem.given, Unknown) else _TRANSLATORS.get(entry["type"], _other)
        findings.append(translate(problem))
    supplied = {(*path[:-1], name) for path, entries in meant.items() for name in entries}
    replaced = {(*path[:-1], name) for path, entries in meant.items() for name in entries if name != path[-1]}
    for path in replaced & meant.keys():
        del meant[path]  # another key sets this one whole
    findings = [finding for finding in findings if finding.rule != "TPU023" or finding.path not in replaced]
    findings += [_missing(problem) for problem in missing if problem.path not in supplied]
    return Shaped(tuple(findings), meant)


def _later(problem: _Problem) -> Finding:
    return problem.finding(
        "TPU022",
        f"{quoted(problem.name)} must be known before other resources exist",
        given="",
        why="it determines which resources exist or which rules apply, so it cannot be an output",
    )


def _missing(problem: _Problem) -> Finding:
    key = str(problem.path[-1])
    kind = inner_type(type_at(problem.root, problem.path))
    example = _EXAMPLES.get(key, "")
    holder = type_at(problem.root, problem.path[:-1])
    creates = holder not in _ENTRIES and problem.root is not Inventory
    reason = ", because it determines which resources are created" if creates else ""
    return Finding(
        rule="TPU021",
        severity=Severity.ERROR,
        path=problem.path[:-1],
        message=f"missing key `{key}`",
        allowed=tuple(f"{key}: {choice}" for choice in get_args(kind) if isinstance(choice, str)),
        fix="version: 1" if key == "version" else "",
        why=f"the key has no default{reason}" + (f"; for example {key}: {example}" if example else ""),
    )


_EXAMPLES = {
    "tpu": "v6e",
    "topology": "4x4",
    "location": "us-east5",
    "zone": "us-east5-b",
    "project": "my-project",
    "until": "2026-12-01",
}

_ENTRIES = (Acceptance, Acknowledgement, Move)
"""Models whose keys create no resource."""

_NEVER_A_NUMBER = ("location", "machine_type", "name", "project", "topology", "tpu", "zone")
"""Keys whose value has a letter in it, so that a number in quotes would be wrong too."""


def _not_text(problem: _Problem) -> Finding:
    given = problem.given
    name = quoted(problem.name)
    if isinstance(given, list) and len(given) == 1:
        return problem.finding(
            "TPU022", f"{name} must be a single value, not a list", fix=problem.read_as(problem.clear())
        )
    if isinstance(given, dict | list) or given is None:
        return problem.finding("TPU022", f"{name} must be a string")
    trap = isinstance(given, float) and "version" in problem.name
    kind = "true or false" if isinstance(given, bool) else "a number"
    text = problem.written(problem.path)
    if text is None:
        text = UNCLEAR if isinstance(given, float) else _short(given)  # 1.3 may have been 1.30
    if kind == "a number" and problem.name in _NEVER_A_NUMBER:
        problem.read_as(text)  # the rule about the key names what it takes
        example = _EXAMPLES.get(problem.name)
        such_as = f" such as {example}" if example else ""
        return problem.finding("TPU022", f"{name} must be a string{such_as}; YAML reads the value as a number")
    return problem.finding(
        "TPU022",
        f"{name} must be a string; YAML reads the value as {kind}",
        fix=problem.read_as(text),
        why="without quotes, YAML reads a version as a number; 1.30, for example, becomes 1.3"
        if trap
        else "YAML reads only a quoted value of this form as a string",
    )


def _not_number(problem: _Problem) -> Finding:
    if problem.name == "chips" and isinstance(problem.given, str):
        named = _slice_instead_of_chips(problem, problem.given)
        if named is not None:
            return named
    unit = " of GiB" if problem.name.endswith("_gib") else ""
    message = f"{quoted(problem.name)} must be a whole number{unit}, without a unit"
    return problem.finding("TPU022", message, fix=problem.read_as(problem.clear()))


def _slice_instead_of_chips(problem: _Problem, word: str) -> Finding | None:
    """``chips`` has the name of a slice, such as v5p-512: its topology is meant, or of another generation its chips."""
    catalog = read_catalog()
    name = naming.resolve(catalog, word)
    if name is None or name.kind != "slice":
        return None
    group = problem.path[:-1]
    entries: dict[str, Any] = {"chips": name.chips} if name.topology else {}
    if name.topology and problem.written((*group, "tpu")) == name.generation:
        entries = {"topology": str(name.topology)}
        host = naming.largest_host(catalog, name)
        if host is not None and problem.written((*group, "chips_per_host")) is None:
            entries["chips_per_host"] = host
    if entries:
        problem.meant[problem.path] = entries
    return problem.finding(
        "TPU022",
        naming.stated(catalog, name, quoted(word), "a number of chips"),
        fix="\n".join(emit_entry(key, value) for key, value in entries.items()),
        why=naming.why_of(catalog, name),
    )


def _not_bool(problem: _Problem) -> Finding:
    message = f"{quoted(problem.name)} must be true or false"
    return problem.finding("TPU022", message, allowed=("true", "false"), fix=problem.read_as(problem.clear()))


def _not_choice(problem: _Problem) -> Finding:
    choices = tuple(str(choice) for choice in get_args(inner_type(type_at(problem.root, problem.path))))
    return problem.finding(
        "TPU023",
        f"invalid {quoted(problem.name)}: {problem.shown or 'empty'}",
        allowed=choices,
        fix=problem.read_as(problem.clear()),
        why=f"`{problem.path[-2]}: [{', '.join(WORDS_FOR_LISTS[plain(problem.given)])}]` means these days"
        if problem.in_list and isinstance(problem.given, str) and plain(problem.given) in WORDS_FOR_LISTS
        else "",
    )


def _not_mapping(problem: _Problem) -> Finding:
    kind = inner_type(type_at(problem.root, problem.path))
    if not is_plan_model(kind):
        return problem.finding("TPU022", f"{quoted(problem.name)} must be a mapping of names")
    booleans = tuple(name for name, field in kind.model_fields.items() if inner_type(field.annotation) is bool)
    return problem.finding(
        "TPU023",
        f"invalid {quoted(problem.name)}: {problem.shown or 'empty'}",
        allowed=tuple(f"{name}:" if name not in booleans else name for name in key_names(kind)),
        fix=problem.read_as(problem.clear()),
    )


def _not_list(problem: _Problem) -> Finding:
    return problem.finding("TPU022", f"{quoted(problem.name)} must be a list", fix=problem.read_as(problem.clear()))


def _timestamp(problem: _Problem) -> Finding:
    meant = problem.clear()
    why = _why_moment(problem, meant, "gke-tpu reads a date without a time as 00:00 UTC on that day")
    if why and problem.path[-3:-2] == ("exclusions",) and problem.key == "end":
        why += ", when the exclusion ends. To include that day, write the next day"
    if problem.path[-2:] == ("window", "start") and isinstance(problem.given, str):
        first = first_window(problem.given, problem.siblings.get("days"))
        if first:
            meant = first
            why = (
                "`start` is the start of the first window: GKE requires a date. A past date on one of the `days` has "
                "no other effect than its time"
            )
    return problem.finding(
        "TPU023",
        f"{quoted(problem.name)} must be a timestamp",
        allowed=(_TIMESTAMPS,),
        fix=problem.read_as(meant),
        why=why,
    )


def _timestamp_zone(problem: _Problem) -> Finding:
    return problem.finding(
        "TPU024",
        f"{quoted(problem.name)} has no time zone",
        fix=problem.read_as(problem.clear()),
        why=_WHY_TIMESTAMP,
    )


def _duration(problem: _Problem) -> Finding:
    return problem.finding(
        "TPU023",
        f"{quoted(problem.name)} must be a duration: whole numbers with the units d, h, m and s",
        allowed=_DURATIONS,
        fix=problem.read_as(problem.clear()),
    )


def _date(problem: _Problem) -> Finding:
    meant = problem.clear()
    return problem.finding(
        "TPU023",
        f"{quoted(problem.name)} must be a date",
        allowed=("YYYY-MM-DD",),
        fix=problem.read_as(meant),
        why=_why_moment(problem, meant),
    )


def _why_moment(problem: _Problem, meant: object, otherwise: str = "") -> str:
    if meant is UNCLEAR and isinstance(problem.given, str) and is_ambiguous(problem.given):
        return "the order of day and month in this date is ambiguous"
    return otherwise if meant is not UNCLEAR and "T" not in str(problem.given) else ""


def _exclusive(problem: _Problem) -> Finding:
    given = ", ".join(map(str, problem.given)) if isinstance(problem.given, dict) else ""
    return problem.finding("TPU026", printable(problem.message), given=printable(given))


def _range(problem: _Problem) -> Finding:
    signs = {"ge": "at least", "gt": "more than", "le": "at most", "lt": "less than"}
    limits = " and ".join(f"{word} {problem.context[sign]}" for sign, word in signs.items() if sign in problem.context)
    return problem.finding("TPU023", f"{quoted(problem.name)} must be {limits}")


def _empty(problem: _Problem) -> Finding:
    return problem.finding("TPU023", f"{quoted(problem.name)} must not be empty", given="")


def _other(problem: _Problem) -> Finding:
    return problem.finding("TPU023", f"{printable(problem.name)}: {printable(problem.message)}")


def _short(value: Any) -> str:
    if isinstance(value, dict):
        return "{...}"
    if isinstance(value, list):
        return "[...]"
    return (
        {None: "", True: "true", False: "false"}.get(value, str(value)) if not isinstance(value, float) else str(value)
    )


_TRANSLATORS: dict[str, Callable[[_Problem], Finding]] = {
    "string_type": _not_text,
    "int_type": _not_number,
    "int_from_float": _not_number,
    "float_type": _not_number,
    "bool_type": _not_bool,
    "literal_error": _not_choice,
    "model_type": _not_mapping,
    "model_attributes_type": _not_mapping,
    "dict_type": _not_mapping,
    "list_type": _not_list,
    "timestamp": _timestamp,
    "timestamp_zone": _timestamp_zone,
    "duration": _duration,
    "date": _date,
    "exclusive": _exclusive,
    "count_keys": _exclusive,
    "greater_than": _range,
    "greater_than_equal": _range,
    "less_than": _range,
    "less_than_equal": _range,
    "too_short": _empty,
    "string_too_short": _empty,
    "no_capacity": _empty,
    "blank": _empty,
}
