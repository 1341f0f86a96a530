"""Reports values of a plan that are not the number that their key takes."""

import re
from collections.abc import Mapping
from typing import Any

from pulumi_gke_tpu.core.catalog import naming, read_catalog
from pulumi_gke_tpu.core.plan.keys import key_names, type_at
from pulumi_gke_tpu.core.plan.reading.problem import FormProblem
from pulumi_gke_tpu.core.plan.reading.regrouped import as_range
from pulumi_gke_tpu.core.text.findings import Finding, Fix, SetKeys, as_only, listed, printable, quoted
from pulumi_gke_tpu.core.text.findings.emit import emit
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_TERABYTES = lazy_pattern(r"([0-9]{1,4}(?:\.[0-9]{1,3})?)\s*TB", re.IGNORECASE)


def not_number(problem: FormProblem) -> Finding:
    """A whole number is something else: the name of a slice, a range, or a number with a unit."""
    if problem.name == "chips" and isinstance(problem.given, str):
        named = _slice_instead_of_chips(problem, problem.given)
        if named is not None:
            return named
    if problem.path[-1:] == ("count",) and (isinstance(problem.given, dict) or as_range(problem.given)):
        return _range_of_slices(problem)
    unit = " of GiB" if problem.name.endswith("_gib") else ""
    message = f"{quoted(problem.name)} must be a whole number{unit}, without a unit"
    why = _why_not_gib(str(problem.given)) if unit else ""
    return problem.finding("TPU022", message, change=problem.read_as(problem.clear()), why=why)


def _why_not_gib(text: str) -> str:
    """The two sizes that a number of TB can mean."""
    match = _TERABYTES.fullmatch(text)
    size = float(match[1]) if match else 0
    if not size:
        return ""
    return f"{text} is {round(size * 10**12 / 2**30):,} GiB, or {round(size * 1024):,} GiB if TiB are meant"


def not_decimal(problem: FormProblem) -> Finding:
    """A number, of which fractions are allowed, is something else."""
    message = f"{quoted(problem.name)} must be a number, such as 1.89, without a unit"
    return problem.finding("TPU022", message, change=problem.read_as(problem.clear()))


def _range_of_slices(problem: FormProblem) -> Finding:
    """``count`` has a range in another form; only slice groups have one."""
    if "max" not in key_names(type_at(problem.root, problem.path[:-1])):
        return problem.finding("TPU022", "`count` must be a whole number, not a range")
    ends = as_range(problem.given)
    beside = {key: problem.siblings[key] for key in ("min", "max") if key in problem.siblings}
    if ends and beside:
        return _two_ranges(problem, ends, beside)
    return problem.finding(
        "TPU022",
        "`count` must be a whole number, or a mapping with `min` and `max`",
        change=problem.read_as(ends) if ends else None,
        why="min and max are numbers of slices; the topology determines the number of hosts of each",
    )


def _two_ranges(problem: FormProblem, ends: dict[str, Any], beside: dict[str, Any]) -> Finding:
    """``count`` has limits, and the group has limits beside it."""
    problem.corrections[problem.path] = beside | ends
    names = listed([quoted(key) for key in beside])
    message = f"`count` conflicts with {names}: both set limits"
    why = "min and max are numbers of slices, and the keys of `count` mean the same as the keys beside it"
    if all(ends.get(key, value) == value for key, value in beside.items()):
        return problem.finding("TPU022", message, change=as_only(SetKeys.of(beside | ends)), why=why)
    forms = tuple(f"count: {emit(limits)}" for limits in (ends, ends | beside))
    return problem.finding("TPU022", message, allowed=forms, why=f"{why}: keep one, and remove {names}")


def _slice_instead_of_chips(problem: FormProblem, word: str) -> Finding | None:
    """``chips`` has the name of a slice, such as v5p-512: its topology is meant, or of another generation its chips."""
    catalog = read_catalog()
    name = naming.resolve(catalog, word)
    if name is None or name.kind != "slice":
        return None
    group = problem.path[:-1]
    entries: dict[str, Any] = {"chips": name.chips} if name.topology else {}
    forms: Mapping[int, str] = {}
    if name.topology and problem.written((*group, "tpu")) == name.generation:
        entries = {"topology": str(name.topology)}
        if problem.written((*group, "chips_per_host")) is None:
            forms = naming.forms_of(catalog, name.generation, name.topology)
    readings = [({**entries, "chips_per_host": chips}, hosts) for chips, hosts in forms.items() if len(forms) > 1]
    if entries:
        problem.corrections[problem.path] = readings[0][0] if readings else entries
    fix: Fix | None = SetKeys.one_of(readings) or SetKeys.of(entries)
    written = problem.written((*group, "topology"))
    if written is not None and written != str(name.topology) and "topology" in entries:
        kept = SetKeys.of(topology=written)
        fix = kept and kept.with_remark("topology", f"or, for {printable(word)}, topology: {name.topology}")
    is_only = (
        not readings
        and problem.written((*group, "tpu")) in (None, name.generation)
        and written in (None, str(name.topology))
    )
    return problem.finding(
        "TPU022",
        naming.stated(catalog, name, quoted(word), "a number of chips"),
        change=as_only(fix, is_only=is_only),
        why=naming.why_of(catalog, name),
    )
