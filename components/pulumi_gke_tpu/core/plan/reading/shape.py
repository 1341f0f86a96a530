"""Reports errors in the form of a plan: unknown keys, missing keys, values of the wrong type."""

import dataclasses
import re
from collections.abc import Callable, Mapping
from typing import Any, get_args

from pydantic import ValidationError

from pulumi_gke_tpu.core.catalog import naming, read_catalog
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan.base import PlanModel, Unknown
from pulumi_gke_tpu.core.plan.capacity import Capacity
from pulumi_gke_tpu.core.plan.entries import Acceptance, Acknowledgement, Move
from pulumi_gke_tpu.core.plan.keys import as_written, inner_type, is_plan_model, key_names, steps_of, type_at
from pulumi_gke_tpu.core.plan.model import Plan
from pulumi_gke_tpu.core.plan.networks import ExistingNetwork, Network
from pulumi_gke_tpu.core.plan.reading.amounts import not_decimal, not_number
from pulumi_gke_tpu.core.plan.reading.corrections import UNCLEAR, Correction, accepts, correction_at, entry_within
from pulumi_gke_tpu.core.plan.reading.problem import FormProblem, Written, short
from pulumi_gke_tpu.core.plan.reading.regrouped import numbered
from pulumi_gke_tpu.core.plan.reading.spellings import (
    NO_VALUES,
    OTHER_WORDS,
    SEVERAL_MODES,
    WRITTEN_AS,
    plain,
    several_choices,
)
from pulumi_gke_tpu.core.plan.reading.times import (
    MIDNIGHT,
    adds_time,
    another_reading,
    first_window,
    has_time,
    why_invalid,
    with_offset,
)
from pulumi_gke_tpu.core.plan.reading.unknown import (
    Span,
    UnknownKeys,
    cut_values,
    one_level_above,
    one_level_deeper,
    unknown_key,
    without_names,
)
from pulumi_gke_tpu.core.plan.slices import Taint
from pulumi_gke_tpu.core.text.findings import Finding, Fix, Path, SetKeys, Severity, as_only, printable, quoted
from pulumi_gke_tpu.core.text.findings.emit import emit
from pulumi_gke_tpu.core.text.formats.property_path import value_at

_NO_MAPPING = ("model_type", "model_attributes_type")
_TIMESTAMPS = "YYYY-MM-DDTHH:MM:SSZ in UTC, or with an offset such as +01:00 instead of Z"
_DURATIONS = ("90m", "6h", "7d", "1h30m", "604800s")


@frozen
class Shaped:
    """The errors in the form of a document, and the intended entries by path if they are clear."""

    findings: tuple[Finding, ...]
    corrections: Mapping[Path, Correction]


def shape_findings(
    error: ValidationError, root: type[PlanModel], document: object, written: Written, span: Span | None
) -> Shaped:
    """Translate pydantic's errors about a document.

    ``written`` returns its scalars as in the file; ``span`` the text between two of them.
    """
    findings: list[Finding] = []
    corrections: dict[Path, Correction] = {}
    entries = error.errors(include_url=False)
    unknown = UnknownKeys(root, document, written, corrections, span)
    above = one_level_above(unknown, [steps_of(entry["loc"]) for entry in entries])
    entries = [entry for entry in entries if not above.holds(steps_of(entry["loc"]))]
    nameless = without_names(unknown, [steps_of(entry["loc"]) for entry in entries if entry["type"] in _NO_MAPPING])
    entries = [entry for entry in entries if not nameless.holds(steps_of(entry["loc"]))]
    paths = [steps_of(entry["loc"]) for entry in entries if entry["type"] == "extra_forbidden"]
    cut = cut_values(unknown, paths)
    deeper = one_level_deeper(unknown, [path for path in paths if path not in cut.pieces])
    findings += (*above.findings, *cut.findings, *deeper.findings, *nameless.findings)
    missing: list[FormProblem] = []
    for entry in entries:
        path = steps_of(entry["loc"])
        if path in cut.pieces or path in deeper.pieces:
            continue
        if entry["type"] == "extra_forbidden":
            findings.append(unknown_key(unknown, path, entry["input"]))
            continue
        context = entry.get("ctx", {})
        problem = FormProblem(path, entry["input"], context, entry["msg"], root, document, written, corrections)
        if entry["type"] == "missing":
            missing.append(problem)
            continue
        translate = _later if isinstance(problem.given, Unknown) else _TRANSLATORS.get(entry["type"], _other)
        findings.append(translate(problem))
    supplied = {(*path[:-1], name) for path, entries in corrections.items() for name in entries}
    findings = _without_replaced([*map(unknown.decided, findings)], corrections)
    findings += [_missing(problem) for problem in missing if problem.path not in supplied]
    return Shaped(tuple(findings), corrections)


def _without_replaced(findings: list[Finding], corrections: dict[Path, Correction]) -> list[Finding]:
    """The findings without invalid values that the fix of another key replaces, which lose their corrections too."""
    replaced = {(*path[:-1], name) for path, entries in corrections.items() for name in entries if name != path[-1]}
    for path in replaced & corrections.keys():
        del corrections[path]
    return [finding for finding in findings if finding.rule != "TPU023" or finding.path not in replaced]


def _later(problem: FormProblem) -> Finding:
    kind = inner_type(type_at(problem.root, problem.path))
    keys = [*ExistingNetwork.model_fields][:2] if kind in (Network, ExistingNetwork) else []
    if keys:
        form = f"`{problem.key}: {{{', '.join(f'{key}: ...' for key in keys)}}}`"
        why = f"in {form}, the values can be outputs: the IDs of the network and of its subnetwork"
        return problem.finding("TPU022", f"{quoted(problem.name)} must be a mapping, not an output", given="", why=why)
    return problem.finding(
        "TPU022",
        f"{quoted(problem.name)} must be known before other resources exist",
        given="",
        why="it determines which resources exist or which rules apply, so it cannot be an output",
    )


def _missing(problem: FormProblem) -> Finding:
    key = str(problem.path[-1])
    kind = inner_type(type_at(problem.root, problem.path))
    example = _EXAMPLES.get(key, "")
    holder = type_at(problem.root, problem.path[:-1])
    creates = holder not in _ENTRIES and problem.root is Plan
    reason = ", because it determines which resources are created" if creates else ""
    return Finding(
        rule="TPU021",
        severity=Severity.ERROR,
        path=problem.path[:-1],
        message=f"missing key `{key}`",
        allowed=tuple(f"{key}: {choice}" for choice in get_args(kind) if isinstance(choice, str)),
        change=_supplied(problem),
        why=f"there is no default{reason}" + (f"; for example {key}: {example}" if example else ""),
    )


def _supplied(problem: FormProblem) -> Fix | None:
    """A missing key that has one value, or that follows from another key."""
    key, machine = str(problem.path[-1]), problem.siblings.get("machine_type")
    if key == "version":
        return as_only(SetKeys.of(version=1))
    name = naming.resolve(read_catalog(), machine) if key == "tpu" and isinstance(machine, str) else None
    if name is None or name.kind != "machine_type":
        return None
    problem.corrections[problem.path] = {key: name.generation}
    return as_only(SetKeys.of({key: name.generation}))


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

_NEXT_DAY = "to include the whole last day, write the next day"
_NEVER_TRUTH = ("account", "cidr", "cluster", "generation", "item", "location", "machine_type", "topology", "zone")
"""Forms of texts that true and false cannot have in quotes either."""

_NEVER_A_NUMBER = ("location", "machine_type", "name", "project", "slices", "topology", "tpu", "zone")
"""Keys whose value has a letter in it, so that a number in quotes would be wrong too."""


_FROM_SECRETS = "the value of a Secret has another key: `env_from_secrets: {NAME: {secret: SECRET, key: KEY}}`"


def _not_text(problem: FormProblem) -> Finding:
    given = problem.given
    name = quoted(problem.name)
    if isinstance(given, list) and len(given) == 1:
        return problem.finding(
            "TPU022", f"{name} must be a single value, not a list", change=problem.read_as(problem.clear())
        )
    if given is None or isinstance(given, dict | list):
        change = problem.read_beside() or problem.read_as(problem.clear())
        why = _FROM_SECRETS if problem.path[-2:-1] == ("env",) and given else ""
        return problem.finding("TPU022", f"{name} must be a string", change=change, why=why)
    kind = "true or false" if isinstance(given, bool) else "a number"
    text: Any = problem.written(problem.path)
    reads, why = f"the value is {kind}", ""
    if text is not None:
        reads, why = f"YAML reads the value as {kind}", "YAML reads only a quoted value of this form as a string"
        if isinstance(given, float) and "version" in problem.name:
            why = "without quotes, YAML reads a version as a number, and a zero at its end is lost"
    else:
        text = UNCLEAR if isinstance(given, float) else short(given)  # 1.3 may have been 1.30
    if kind == "true or false" and problem.key == "existing" and given:
        return problem.finding(
            "TPU022",
            f"{name} must be the reference to the cluster, projects/PROJECT/locations/LOCATION/clusters/NAME",
            change=_existing(problem),
            why="gke-tpu requires the project, location and name of the cluster before it creates any resource",
        )
    if kind == "true or false" and problem.form in _NEVER_TRUTH:
        return problem.finding("TPU022", f"{name} must be a string; {reads}")
    if kind == "a number" and problem.name in _NEVER_A_NUMBER:
        return _not_a_number(problem, text, reads)
    return problem.finding("TPU022", f"{name} must be a string; {reads}", change=problem.read_as(text), why=why)


def _not_a_number(problem: FormProblem, text: Any, reads: str) -> Finding:
    name = quoted(problem.name)
    if problem.name == "slices":
        why = "`count` is the number of slices"
        return problem.finding("TPU022", f"{name} must be the name of a slice group, not a number", why=why)
    problem.read_as(text)  # the rule about the key names what it takes
    example = _EXAMPLES.get(problem.name)
    such_as = f" such as {example}" if example else ""
    return problem.finding("TPU022", f"{name} must be a string{such_as}; {reads}")


def _existing(problem: FormProblem) -> Fix | None:
    """A reference from the project and location in the plan and the name of the cluster there."""
    project = problem.written(("project",))
    location, name = problem.siblings.get("location"), problem.siblings.get("name", problem.path[-2])
    if not project or not isinstance(location, str) or not isinstance(name, str):
        return None
    reference = f"projects/{project}/locations/{location}/clusters/{name}"
    problem.corrections[problem.path] = {problem.key: reference}
    return problem.pasted(reference)


def _not_bool(problem: FormProblem) -> Finding:
    message = f"{quoted(problem.name)} must be true or false"
    return problem.finding("TPU022", message, allowed=("true", "false"), change=problem.read_as(problem.clear()))


def _not_choice(problem: FormProblem) -> Finding:
    choices = tuple(str(choice) for choice in get_args(inner_type(type_at(problem.root, problem.path))))
    several = several_choices(choices, problem.given) if problem.in_list and isinstance(problem.given, str) else ()
    return problem.finding(
        "TPU023",
        f"invalid {quoted(problem.name)}: {problem.shown or 'empty'}",
        allowed=tuple(dict.fromkeys(WRITTEN_AS.get(choice, choice) for choice in choices)),
        change=_whole_list(problem, choices) if several else problem.read_as(problem.clear()),
        why=f"`{problem.path[-2]}: [{', '.join(several)}]` means these days" if several else "",
    )


def _whole_list(problem: FormProblem, choices: tuple[str, ...]) -> Fix | None:
    """The list with an item such as ``Sat-Sun``, in which every item that means several choices has them."""
    path = problem.path[:-1]
    items = value_at(problem.document, as_written(problem.document, path))
    several = [several_choices(choices, str(item)) or (_item_meant(problem, item),) for item in items]
    corrected = [choice for chosen in several for choice in chosen]
    key = str(path[-1])
    problem.corrections[path] = {key: [*dict.fromkeys(corrected)]}
    return as_only(SetKeys.of(problem.corrections[path]))


def _item_meant(problem: FormProblem, item: object) -> object:
    corrected = correction_at(problem.root, problem.path, item)
    return item if corrected is UNCLEAR else corrected


def _not_mapping(problem: FormProblem) -> Finding:
    kind = inner_type(type_at(problem.root, problem.path))
    if not is_plan_model(kind):
        return _not_names(problem)
    if kind is Capacity and isinstance(problem.given, str) and _is_reserved(problem.given):
        return problem.finding(
            "TPU023",
            "`capacity` does not name the reservation",
            change=problem.pasted({"reservation": "my-reservation"}),
            why="hosts use a reservation only by its name: replace `my-reservation` by that of your reservation. "
            "`gcloud compute reservations list` shows the names",
        )
    modes = SEVERAL_MODES.get(plain(str(problem.given)), {}) if kind is Capacity else {}
    if modes:
        change = SetKeys.one_of([({problem.key: mode}, meaning) for mode, meaning in modes.items()])
        why = f"{problem.shown} is the name of {len(modes)} capacity modes of a plan"
        return problem.finding("TPU023", f"ambiguous `capacity`: {problem.shown}", change=change, why=why)
    if kind is Network and isinstance(problem.given, str) and problem.clear() is UNCLEAR:
        return _named_network(problem, problem.given)
    booleans = tuple(name for name, field in kind.model_fields.items() if inner_type(field.annotation) is bool)
    return problem.finding(
        "TPU023",
        f"invalid {quoted(problem.name)}: {problem.shown or 'empty'}",
        allowed=tuple(f"{name}:" if name not in booleans else name for name in key_names(kind)),
        change=problem.read_as(problem.clear()),
        why=_why_no_mapping(kind, problem.given),
    )


def _why_no_mapping(kind: type[PlanModel], given: object) -> str:
    """What a mapping takes instead of a value that is none; empty if the allowed keys say enough."""
    if kind is Capacity and isinstance(given, list):
        first, *others = given if given and accepts(list[str], given) else ["spot", "on_demand"]
        forms = f"`capacity: {emit(first)}`, and `fallback: {emit(others or ['on_demand'])}`"
        return f"a group has one capacity mode; `fallback` lists the modes to try after it, as in {forms}"
    if not isinstance(given, str):
        return ""
    if kind is Taint:
        return f"a taint has an effect: {quoted(f'{given}:NoSchedule')}, for example" if ":" not in given else ""
    return NO_VALUES.get(kind.public_name(), {}).get(plain(given), "")


def _named_network(problem: FormProblem, given: str) -> Finding:
    """The name of an existing network alone; the network `default` needs no key."""
    name = given.rpartition("/")[2]
    message = f"{quoted(problem.name)} does not name the subnetwork"
    if name == "default":
        why = "without the key, the cluster is in the network `default` and its subnetwork: remove the key"
        return problem.finding("TPU023", message, why=why)
    return problem.finding(
        "TPU023",
        message,
        change=problem.pasted({"network": name, "subnetwork": "my-subnetwork"}),
        why="a cluster in an existing network names its subnetwork too: replace `my-subnetwork` by its name. "
        "`network: create` creates a network",
    )


def _is_reserved(word: str) -> bool:
    return OTHER_WORDS.get(plain(word), plain(word)) == "reservation"


def _not_names(problem: FormProblem) -> Finding:
    """A mapping of names is a list, or something else."""
    message = f"{quoted(problem.name)} must be a mapping of names"
    corrected = problem.clear()
    if corrected is not UNCLEAR:
        why = f"each entry has its name as key{_why_end(problem, corrected)}"
        change = as_only(problem.read_as(corrected), is_only=not adds_time(problem.given, corrected))
        return problem.finding("TPU022", message, change=change, why=why)
    names = numbered(problem.name, problem.given)
    kind = inner_type(type_at(problem.root, (*problem.path, "name")))
    if names is None or not is_plan_model(kind):
        why = f". {_FROM_SECRETS[0].upper()}{_FROM_SECRETS[1:]}" if problem.name == "env" else ""
        return problem.finding("TPU022", message, why=f"{_example_of(problem)}{why}")
    entries = {key: entry_within(kind, entry) for key, entry in names.items()}
    why = f"each entry has a name as key, which you choose{_why_end(problem, entries)}"
    return problem.finding("TPU022", message, change=problem.pasted(entries), why=why)


def _example_of(problem: FormProblem) -> str:
    """A mapping with one entry, whose value is what the key or its list has now, if an entry takes that."""
    entry = get_args(inner_type(type_at(problem.root, problem.path)))[-1]
    entries = problem.given if isinstance(problem.given, list) else [problem.given]
    value = next((emit(each) for each in entries if accepts(entry, each)), "{...}" if is_plan_model(entry) else "VALUE")
    return f"each entry has a name as key: `{problem.name}: {{NAME: {value}}}`" if value else ""


def _why_end(problem: FormProblem, entries: Mapping[str, Any]) -> str:
    """What a date as the end of an exclusion means, if an entry has one."""
    ends = (entry.get("end") for entry in entries.values() if isinstance(entry, Mapping))
    is_date = problem.name == "exclusions" and any(str(end).endswith(MIDNIGHT) for end in ends)
    return f". An exclusion ends at the time `end`: {_NEXT_DAY}" if is_date else ""


def _not_list(problem: FormProblem) -> Finding:
    change = problem.read_as(problem.clear())
    if isinstance(change, SetKeys) and isinstance(problem.given, dict):
        change = dataclasses.replace(change, said=frozenset({"true"}))  # of each name
    return problem.finding("TPU022", f"{quoted(problem.name)} must be a list", change=change)


def _timestamp(problem: FormProblem) -> Finding:
    corrected = problem.clear()
    reason = _why_invalid(problem)
    why = reason or ("" if corrected is UNCLEAR or has_time(str(problem.given)) else _why_date(problem))
    if _opens_windows(problem) and isinstance(problem.given, str):
        first = first_window(problem.given, problem.siblings.get("days"))
        if first:
            corrected = first
            why = (
                "`start` is the start of the first window: GKE requires a date. With `days`, the window repeats every "
                "week at this time"
            )
    probable = with_offset(str(problem.given))
    return problem.finding(
        "TPU023",
        f"{quoted(problem.name)} must be a timestamp",
        allowed=(_TIMESTAMPS,),
        change=problem.pasted(probable) if probable and corrected is UNCLEAR else _moment(problem, corrected),
        why=why,
    )


def _opens_windows(problem: FormProblem) -> bool:
    return problem.path[-2:] == ("window", "start")


def _why_invalid(problem: FormProblem) -> str:
    return why_invalid(problem.given) if isinstance(problem.given, str) else ""


def _why_date(problem: FormProblem) -> str:
    why = "gke-tpu reads a date without a time as 00:00 UTC on that day"
    is_end = problem.path[-3:-2] == ("exclusions",) and problem.key == "end"
    return f"{why}, when the exclusion ends: {_NEXT_DAY}" if is_end else why


def _moment(problem: FormProblem, corrected: object) -> Fix | None:
    """The moment that is meant. A date without a time, and a time without a zone, have two readings."""
    fix = problem.read_as(corrected)
    given = str(problem.given)
    other = another_reading(problem.key, given, str(corrected), opens_windows=_opens_windows(problem)) if fix else ""
    if fix is None or not other:
        return fix
    return as_only(fix.with_remark(problem.key, other), is_only=False) if isinstance(fix, SetKeys) else fix


def _timestamp_zone(problem: FormProblem) -> Finding:
    return problem.finding(
        "TPU024",
        f"{quoted(problem.name)} has no time zone",
        change=_moment(problem, problem.clear()),
        why="without a time zone, the time could be wrong by several hours; GKE stores times in UTC",
    )


def _duration(problem: FormProblem) -> Finding:
    return problem.finding(
        "TPU023",
        f"{quoted(problem.name)} must be a duration: whole numbers with the units d, h, m and s",
        allowed=_DURATIONS,
        change=problem.read_as(problem.clear()),
        why="the number has no unit" if str(problem.given).isdecimal() else "",
    )


def _date(problem: FormProblem) -> Finding:
    corrected = problem.clear()
    return problem.finding(
        "TPU023",
        f"{quoted(problem.name)} must be a date",
        allowed=("YYYY-MM-DD",),
        change=problem.read_as(corrected),
        why=_why_invalid(problem),
    )


def _exclusive(problem: FormProblem) -> Finding:
    given = ", ".join(map(str, problem.given)) if isinstance(problem.given, dict) else ""
    return problem.finding("TPU026", printable(problem.message), given=printable(given))


def _range(problem: FormProblem) -> Finding:
    signs = {"ge": "at least", "gt": "more than", "le": "at most", "lt": "less than"}
    limits = " and ".join(f"{word} {problem.context[sign]}" for sign, word in signs.items() if sign in problem.context)
    holder = type_at(problem.root, problem.path[:-1])
    why = NO_VALUES.get(holder.public_name(), {}).get(str(problem.given), "") if is_plan_model(holder) else ""
    return problem.finding("TPU023", f"{quoted(problem.name)} must be {limits}", why=why)


def _too_long(problem: FormProblem) -> Finding:
    return problem.finding(
        "TPU023", f"{quoted(problem.name)} must have at most {problem.context['max_length']} characters"
    )


def _pattern(problem: FormProblem) -> Finding:
    """The ID of a rule, the only text with a pattern."""
    corrected = problem.given.strip().upper()
    return problem.finding(
        "TPU023",
        f"invalid {quoted(problem.name)}: {problem.shown or 'empty'}",
        allowed=("the ID of a rule, such as TPU208",),
        change=problem.read_as(corrected if re.fullmatch(problem.context["pattern"], corrected) else UNCLEAR),
        why="`gke-tpu rule` lists the IDs and names of all rules",
    )


def _empty(problem: FormProblem) -> Finding:
    why = "`gke-tpu init` writes a plan to begin with" if problem.path == ("clusters",) else ""
    return problem.finding("TPU023", f"{quoted(problem.name)} must not be empty", given="", why=why)


def _placeholder(problem: FormProblem) -> Finding:
    return problem.finding("TPU023", f"{quoted(problem.name)} must be your reason, not a placeholder")


def _other(problem: FormProblem) -> Finding:
    return problem.finding("TPU023", f"{printable(problem.name)}: {printable(problem.message)}")


_TRANSLATORS: dict[str, Callable[[FormProblem], Finding]] = {
    "string_type": _not_text,
    "int_type": not_number,
    "int_from_float": not_number,
    "float_type": not_decimal,
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
    "greater_than": _range,
    "greater_than_equal": _range,
    "less_than": _range,
    "less_than_equal": _range,
    "string_pattern_mismatch": _pattern,
    "too_short": _empty,
    "string_too_short": _empty,
    "string_too_long": _too_long,
    "no_capacity": _empty,
    "blank": _empty,
    "placeholder": _placeholder,
}
