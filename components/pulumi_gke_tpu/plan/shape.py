"""Says in plain words what is wrong with the form of a plan: unknown keys, missing keys, wrong types, YAML traps."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, get_args

from pydantic import ValidationError

from pulumi_gke_tpu.findings import Finding, Path, Severity, did_you_mean, printable
from pulumi_gke_tpu.plan.base import Later, Part
from pulumi_gke_tpu.plan.keys import inner_type, is_part, key_names, type_at

_WHY_TIMESTAMP = "without a zone, readers disagree by hours; GKE keeps times in UTC"


@dataclass(frozen=True, slots=True)
class _Problem:
    """One validation error: where, what was found, in which document, and how the value was written there."""

    path: Path
    given: Any
    context: Mapping[str, Any]
    message: str
    document: Any
    root: type[Part]
    written: Callable[[Path], str | None]

    @property
    def name(self) -> str:
        """The key it is about; an entry of a list is called by its list."""
        if not self.path:
            return "plan"
        entry = isinstance(self.path[-1], int) and len(self.path) > 1
        return f"{self.path[-2]}[{self.path[-1]}]" if entry else str(self.path[-1])

    def pasted(self, value: str) -> str:
        """A value as it is written in the place of the given one."""
        in_a_list = bool(self.path) and isinstance(self.path[-1], int)
        return value if in_a_list else f"{printable(self.name)}: {value}"

    @property
    def shown(self) -> str:
        written = self.written(self.path)
        return printable(written if written is not None else _short(self.given))

    def finding(self, rule: str, message: str, **parts: Any) -> Finding:
        parts.setdefault("given", f"{printable(self.name)}: {self.shown}" if self.path else "")
        return Finding(rule=rule, severity=Severity.ERROR, path=self.path, message=message, **parts)


def shape_findings(
    error: ValidationError, root: type[Part], document: Any, written: Callable[[Path], str | None]
) -> list[Finding]:
    """Translate pydantic's errors. ``written`` gives a scalar of the file exactly as it stands there, or None."""
    findings = []
    for entry in error.errors(include_url=False):
        path = tuple(step for step in entry["loc"] if isinstance(step, int) or step != "[key]")
        problem = _Problem(path, entry["input"], entry.get("ctx", {}), entry["msg"], document, root, written)
        translate = _TRANSLATORS.get(entry["type"], _other)
        if isinstance(problem.given, Later) and translate is not _unknown_key:
            translate = _later
        findings.append(translate(problem))
    return findings


def _later(problem: _Problem) -> Finding:
    return problem.finding(
        "TPU022",
        f"{printable(problem.name)} is known only when other resources exist",
        given="",
        why="it decides which resources there are or which rule applies, so it cannot be an output",
    )


def _unknown_key(problem: _Problem) -> Finding:
    parent = type_at(problem.root, problem.path[:-1])
    names = key_names(parent) if is_part(parent) else ()
    swallowed = _swallowed(problem)
    if swallowed:
        return problem.finding(
            "TPU025",
            f"{printable(problem.name)} is no key: a comma ended the value before it",
            given=printable(swallowed),
            why="inside { } a comma separates keys, also in the middle of a value without quotes",
            fix=swallowed,
        )
    near = did_you_mean(problem.name, names)
    return problem.finding(
        "TPU020",
        f"unknown key {printable(problem.name)}",
        given=printable(problem.name),
        allowed=tuple(names),
        fix=f"{near}:" if near else "",
        why="a key that nobody reads would change nothing",
    )


def _swallowed(problem: _Problem) -> str:
    """The quoted value that a flow mapping cut at its commas, or nothing."""
    if problem.given is not None or problem.written(problem.path) not in ("", None):
        return ""
    siblings = problem.document
    for step in problem.path[:-1]:
        siblings = siblings[step]
    if not isinstance(siblings, dict):
        return ""
    names = [str(name) for name in siblings]
    at = names.index(problem.name)
    tail = [problem.name]
    while at > 0:
        at -= 1
        value = siblings[names[at]]
        if value is not None:
            return f'{names[at]}: "{",".join([value, *tail])}"' if isinstance(value, str) else ""
        tail.insert(0, names[at])
    return ""


def _missing(problem: _Problem) -> Finding:
    parent = problem.path[:-1]
    examples = {"version": "1", "mode": "standard", "tpu": "v6e", "location": "us-east5", "project": "my-project"}
    return Finding(
        rule="TPU021",
        severity=Severity.ERROR,
        path=parent,
        message=f"{problem.name} is missing",
        fix=f"{problem.name}: {examples.get(problem.name, '...')}",
        why="it decides what is created, so it has no default",
    )


def _not_text(problem: _Problem) -> Finding:
    if isinstance(problem.given, dict | list) or problem.given is None:
        return problem.finding("TPU022", f"{printable(problem.name)} takes text")
    trap = isinstance(problem.given, float) and "version" in problem.name
    return problem.finding(
        "TPU022",
        f"{printable(problem.name)} takes text, and this is read as a "
        + ("truth value" if isinstance(problem.given, bool) else "number"),
        fix=problem.pasted(f'"{problem.shown}"'),
        why="YAML reads 1.30 as the number 1.3" if trap else "only quotes make YAML read it as text",
    )


def _not_number(problem: _Problem) -> Finding:
    text = str(problem.given)
    fixed = problem.pasted(text) if isinstance(problem.given, str) and text.strip().isdecimal() else ""
    return problem.finding("TPU022", f"{printable(problem.name)} takes a whole number", fix=printable(fixed))


def _not_bool(problem: _Problem) -> Finding:
    word = problem.given.strip().lower() if isinstance(problem.given, str) else ""
    fix = problem.pasted(word) if word in ("true", "false") else ""
    return problem.finding(
        "TPU022", f"{printable(problem.name)} takes true or false", allowed=("true", "false"), fix=fix
    )


def _not_choice(problem: _Problem) -> Finding:
    choices = tuple(str(choice) for choice in get_args(type_at(problem.root, problem.path)))
    near = did_you_mean(str(problem.given), choices)
    return problem.finding(
        "TPU023",
        f"{printable(problem.name)} cannot be {problem.shown or 'empty'}",
        allowed=choices,
        fix=problem.pasted(near) if near else "",
    )


def _not_mapping(problem: _Problem) -> Finding:
    kind = inner_type(type_at(problem.root, problem.path))
    if not is_part(kind):
        return problem.finding("TPU022", f"{printable(problem.name)} takes a mapping of names")
    words = tuple(name for name, field in kind.model_fields.items() if inner_type(field.annotation) is bool)
    near = did_you_mean(str(problem.given), key_names(kind)) if isinstance(problem.given, str) else None
    return problem.finding(
        "TPU023",
        f"{printable(problem.name)} cannot be {problem.shown or 'empty'}",
        allowed=tuple(f"{name}:" if name not in words else name for name in key_names(kind)),
        fix=problem.pasted(near if near in words else f"{{{near}: ...}}") if near else "",
    )


def _not_list(problem: _Problem) -> Finding:
    fix = problem.pasted(f"[{problem.shown}]") if isinstance(problem.given, str | int) else ""
    return problem.finding("TPU022", f"{printable(problem.name)} takes a list", fix=fix)


def _timestamp(problem: _Problem) -> Finding:
    return problem.finding(
        "TPU023",
        f"{printable(problem.name)} takes a timestamp",
        allowed=("2026-12-01T00:00:00Z",),
    )


def _timestamp_zone(problem: _Problem) -> Finding:
    return problem.finding(
        "TPU024",
        f"{printable(problem.name)} has no time zone",
        fix=problem.pasted(f"{problem.shown.replace(' ', 'T')}Z"),
        why=_WHY_TIMESTAMP,
    )


def _duration(problem: _Problem) -> Finding:
    return problem.finding(
        "TPU023", f"{printable(problem.name)} takes a duration", allowed=("90m", "6h", "7d", "604800s")
    )


def _date(problem: _Problem) -> Finding:
    return problem.finding("TPU023", f"{printable(problem.name)} takes a day", allowed=("2026-12-01",))


def _exclusive(problem: _Problem) -> Finding:
    given = ", ".join(map(str, problem.given)) if isinstance(problem.given, dict) else ""
    return problem.finding("TPU026", printable(problem.message), given=printable(given))


def _range(problem: _Problem) -> Finding:
    signs = {"ge": "at least", "gt": "more than", "le": "at most", "lt": "less than"}
    limits = " and ".join(f"{word} {problem.context[sign]}" for sign, word in signs.items() if sign in problem.context)
    return problem.finding("TPU023", f"{printable(problem.name)} must be {limits}")


def _empty(problem: _Problem) -> Finding:
    return problem.finding("TPU023", f"{printable(problem.name)} must not be empty", given="")


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
    "extra_forbidden": _unknown_key,
    "missing": _missing,
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
