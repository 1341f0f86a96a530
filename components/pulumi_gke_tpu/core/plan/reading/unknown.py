"""Reports unknown keys: misspelled, of another tool, at the wrong level, or part of a value with a comma."""

import dataclasses
import functools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import field
from typing import Any, get_args, get_origin

from pulumi_gke_tpu.core.catalog import naming, read_catalog
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan.base import PlanModel, Unknown
from pulumi_gke_tpu.core.plan.capacity import Capacity
from pulumi_gke_tpu.core.plan.files.kinds import kind_of_model
from pulumi_gke_tpu.core.plan.keys import as_written, inner_type, is_plan_model, key_names, type_at
from pulumi_gke_tpu.core.plan.model import Plan
from pulumi_gke_tpu.core.plan.networks import Network
from pulumi_gke_tpu.core.plan.reading.arranged import Arranged
from pulumi_gke_tpu.core.plan.reading.corrections import (
    UNCLEAR,
    Correction,
    all_set,
    already_set,
    called_elsewhere,
    corrected_key,
    corrected_value,
    fits,
    home_of,
    inner_key,
    names_key,
    readings_of,
    usual_places,
)
from pulumi_gke_tpu.core.plan.reading.regrouped import as_range, below_a_name
from pulumi_gke_tpu.core.plan.reading.spellings import INNER_KEYS, INSTALLED, NO_KEYS, TOP_LEVEL, plain
from pulumi_gke_tpu.core.plan.reading.times import adds_time, another_reading
from pulumi_gke_tpu.core.plan.slices import SliceGroupSpec
from pulumi_gke_tpu.core.text.findings import (
    Finding,
    Fix,
    MoveBelow,
    Path,
    Position,
    Rename,
    SetKeys,
    Severity,
    as_only,
    listed,
    printable,
    quoted,
)
from pulumi_gke_tpu.core.text.findings.emit import emit_lines
from pulumi_gke_tpu.core.text.formats.property_path import value_at

_MOST_PLACES = 3
_MOST_KEYS = 8
"""Of a mapping of a plan with more keys, a finding only names those that are like the unknown one."""
_NEAREST = 3
_FEWEST_PAIRS = 3
_MOST_COMPARED = 200
"""Of more unknown keys in one mapping, the others are not compared with its keys, because that takes time."""
_NESTED = 2
_LONGEST_NAME = 100
_LEVELS = {2: "the cluster", 4: "the slice group"}
"""Length of a path in a plan -> name of the level in messages."""

Span = Callable[[Path, Path], tuple[Position, str]]


@frozen
class _Rival:
    """Another unknown key that means the same ``key``, with another value."""

    key: str
    value: Any
    another: Any
    name: str

    def beside(self, finding: Finding) -> Finding:
        """The finding with both readings in its fix, and the reason."""
        keys, others = (_keys(self.key, value) for value in (self.value, self.another))
        text = ", ".join(emit_lines(key, value) for key, value in others.items())
        other = f"{text}, for {quoted(self.name)}" if "\n" not in text else f"the value of {quoted(self.name)}"
        fix = SetKeys.of(keys)
        why = f"{quoted(str(finding.path[-1]))} and {quoted(self.name)} both set `{self.key}`"
        change = fix and fix.with_remark(fix.entries[-1].key, f"or {other}")
        return dataclasses.replace(finding, change=change, why=why)


def _keys(key: str, value: object) -> dict[str, Any]:
    """The entries for a value; for the name of a slice in ``tpu``, those of its generation and its topology."""
    name = naming.resolve(read_catalog(), value) if key == "tpu" and isinstance(value, str) else None
    if name is None or name.kind == "announced":
        return {key: value}
    return {"tpu": name.generation, **({"topology": str(name.topology)} if name.topology else {})}


@frozen
class UnknownKeys:
    """The document with unknown keys. ``corrections`` collects the intended entries by path."""

    root: type[PlanModel]
    document: Any
    written: Callable[[Path], str | None]
    corrections: dict[Path, Correction] = field(repr=False)
    span: Span | None = None
    """Returns the position and the text from one path to another; None without a file."""
    _siblings: dict[Path, dict[Any, Any]] = field(default_factory=dict, repr=False)
    _parts: dict[Path, type[PlanModel] | None] = field(default_factory=dict, repr=False)
    _compared: Counter[Path] = field(default_factory=Counter, repr=False)
    _read: dict[Path, dict[Path, Correction]] = field(default_factory=dict, repr=False)
    """By path of a mapping: the intended entries for its unknown keys."""
    _repeated: set[Path] = field(default_factory=set, repr=False)
    """Unknown keys that say what another unknown key says: they are removed once that one has its name."""
    _rivals: dict[Path, _Rival] = field(default_factory=dict, repr=False)

    def part(self, path: Path) -> type[PlanModel] | None:
        """The model without the key."""
        if path[:-1] not in self._parts:
            kind = type_at(self.root, path[:-1])
            self._parts[path[:-1]] = kind if is_plan_model(kind) else None
        return self._parts[path[:-1]]

    def siblings(self, path: Path) -> dict[Any, Any]:
        """The entries of the mapping with the key, and the intended entries found so far."""
        if path[:-1] not in self._siblings:
            self._siblings[path[:-1]] = dict(self.in_file(path))
        return self._siblings[path[:-1]]

    def in_file(self, path: Path) -> Mapping[Any, Any]:
        """The entries of the mapping with the key as they are in the file."""
        entries = value_at(self.document, as_written(self.document, path)[:-1])
        return entries if isinstance(entries, Mapping) else {}

    def is_compared(self, path: Path) -> bool:
        """Whether an unknown key is among the first ones of its mapping."""
        self._compared[path[:-1]] += 1
        return self._compared[path[:-1]] <= _MOST_COMPARED

    def read_as(self, path: Path, value: object) -> Correction | None:
        """The intended entries for a key, if they are clear and not in the mapping already."""
        part = self.part(path)
        if part is None or isinstance(value, Unknown):
            return None
        found = corrected_key(part, str(path[-1]), value, self.siblings(path))
        if found:
            if path[:-1] in self._read and found.items() <= self.siblings(path).items():
                self._repeated.add(path)
            self.corrections[path] = found
            self.siblings(path).update(found)
            self._read.setdefault(path[:-1], {})[path] = found
        elif path[:-1] in self._read:
            self._compare(part, path, value)
        return found

    def _compare(self, part: type[PlanModel], path: Path, value: object) -> None:
        """Notes which other unknown keys have another value for a key that this one means."""
        alone = corrected_key(part, str(path[-1]), value, self.in_file(path)) or {}
        for other, entries in self._read[path[:-1]].items():
            for key in entries.keys() & alone.keys():
                self._rivals[other] = _Rival(key, entries[key], alone[key], str(path[-1]))
                self._rivals[path] = _Rival(key, alone[key], entries[key], str(other[-1]))

    def decided(self, finding: Finding) -> Finding:
        """The finding; with both readings where two unknown keys mean one key and have different values."""
        if finding.rule != "TPU020":
            return finding
        if finding.path in self._repeated:
            return dataclasses.replace(finding, change=None)
        rival = self._rivals.get(finding.path)
        return rival.beside(finding) if rival else finding


def unknown_key(unknown: UnknownKeys, path: Path, value: object) -> Finding:
    """The finding about an unknown key."""
    part, name = unknown.part(path), str(path[-1])
    if part and part.public_name() in INSTALLED and unknown.in_file(path) == {"enabled": True}:
        why = NO_KEYS[part.public_name()][plain(name)]
        empty = as_only(SetKeys.of({str(path[-2]): {}}))
        return Finding("TPU020", Severity.ERROR, path[:-1], f"unknown key {quoted(name)}", change=empty, why=why)
    if not unknown.is_compared(path):
        return _one_of_many(unknown, path, part)
    there = unknown.in_file(path).keys() if part else frozenset[Any]()
    readings = readings_of(part, name, value, unknown.in_file(path)) if part else ()
    correction = None if readings else unknown.read_as(path, value)
    elsewhere = part is not None and part.public_name() in NO_KEYS and plain(name) in TOP_LEVEL
    twin = next((key for key in correction or () if key in there), None) if correction else _twin(unknown, path, part)
    reason = _why(unknown, path, part, correction)
    taken = readings_of(part, name, value, {}) if part and not readings else ()
    if readings:
        reason = "other tools use this name for several things"
    elif taken:
        reason = all_set(taken)
    elif twin:
        reason = f"the key for this setting is `{twin}`, which is already set"
    where = _where_to_read(unknown.root, path, part)
    lists = not readings and not taken and not twin and not elsewhere and not (reason and where)
    return Finding(
        rule="TPU020",
        severity=Severity.ERROR,
        path=path,
        message=f"unknown key {quoted(name)}",
        given=printable(name),
        allowed=key_names(part) if part and lists and not where else (),
        change=SetKeys.one_of(readings)
        or _fix(correction, value, there)
        or _one_of_two(unknown, path, part, value, there)
        or _slices(part, name, value, there),
        why=reason or f"an unknown key has no effect{_similar(part, name) if where else ''}{where}",
    )


def _slices(part: type[PlanModel] | None, name: str, value: object, there: Set[Any]) -> Fix | None:
    """The limits of an autoscaler as numbers of slices, which they are only for slices of one host."""
    ends = as_range(value)
    if (
        part is not SliceGroupSpec
        or ends is None
        or len(ends) == 1
        or "scal" not in plain(name)
        or there & {"count", "min", "max"}
    ):
        return None
    fix = SetKeys.of(count=ends)
    return fix and fix.with_remark("count", "if they count slices")


def _twin(unknown: UnknownKeys, path: Path, part: type[PlanModel] | None) -> str | None:
    """The key that an unknown key means, and that its mapping has already."""
    return already_set(part, str(path[-1]), unknown.siblings(path)) if part else None


def _one_of_many(unknown: UnknownKeys, path: Path, part: type[PlanModel] | None) -> Finding:
    """The finding about an unknown key behind many others in its mapping."""
    name = str(path[-1])
    why = f"an unknown key has no effect{_where_to_read(unknown.root, path, part)}"
    return Finding("TPU020", Severity.ERROR, path, f"unknown key {quoted(name)}", given=printable(name), why=why)


def _similar(part: type[PlanModel] | None, name: str) -> str:
    """The keys of a mapping that are most like an unknown one; empty if no key is like it."""
    pairs = _pairs(name)
    names = [key for key in (key_names(part) if part else ()) if len(pairs & _pairs(key)) >= _FEWEST_PAIRS]
    alike = sorted(names, key=lambda key: -_likeness(pairs, _pairs(key)))[:_NEAREST]
    return f"; similar keys are {listed([*map(quoted, alike)])}" if alike else ""


@functools.cache
def _pairs(name: str) -> frozenset[str]:
    """The pairs of neighboring letters in a name, with its words apart."""
    words = [f" {word}" for word in name[:_LONGEST_NAME].lower().replace("-", "_").split("_")]
    return frozenset(word[start : start + 2] for word in words for start in range(len(word) - 1))


def _likeness(pairs: frozenset[str], others: frozenset[str]) -> float:
    return len(pairs & others) / max(len(pairs | others), 1)


def _fix(correction: Correction | None, value: object, there: Set[Any]) -> Fix | None:
    """Only the new key if the value stays the same, else the whole entry."""
    if not correction:
        return None
    for name, new in correction.items() if len(correction) == 1 else ():
        if new == value and type(new) is type(value) and name not in there:
            return as_only(Rename.to(name))
    fix = SetKeys.of(correction)
    if fix is None:
        return None
    fix = dataclasses.replace(fix, said=correction.said if isinstance(correction, Arranged) else frozenset())
    if not adds_time(value, dict(correction)):
        return as_only(fix)
    for name, new in correction.items():
        other = another_reading(name, str(value), str(new))
        fix = fix.with_remark(name, other) if other else fix
    return fix


def _one_of_two(
    unknown: UnknownKeys, path: Path, part: type[PlanModel] | None, value: object, there: Set[Any]
) -> Fix | None:
    """The key that the mapping has already, where this one has another value of it.

    With ``capacity: spot``, ``spot: false`` is one of two readings, so it is not among the intended entries.
    """
    if part is None or isinstance(value, Unknown):
        return None
    name, siblings = str(path[-1]), unknown.siblings(path)
    twin = already_set(part, name, siblings)
    home = home_of(part, name)
    other: Any = UNCLEAR
    if twin == "tpu":
        return _other_slice(name, str(value), str(siblings[twin])) if twin in there else None
    if twin is not None:
        other = corrected_value(part, twin, value)
    elif home is not None and home[0] in siblings:
        twin = home[0]
        if value is False and names_key(siblings[twin], home[-1]):
            another = next((other for other in key_names(Capacity) if other != home[-1]), "")
            return _with_remark(twin, siblings[twin], f"or, for `{name}: false`, another one such as {another}")
        other = _with_inner(siblings[twin], home, (inner_key(part, home, value) or {}).get(twin, UNCLEAR))
    if twin is None or twin not in there or other is UNCLEAR or not fits(part, twin, siblings[twin]):
        return None
    text = emit_lines(twin, other)
    readable = text and "\n" not in text
    return _with_remark(twin, siblings[twin], f"or {text}, for {quoted(name)}") if readable else None


def _other_slice(name: str, word: str, written: str) -> Fix | None:
    """The generation that the group has; a comment has the keys of the slice that an unknown key names."""
    found = naming.resolve(read_catalog(), word)
    if found is None or found.kind == "announced":
        return None
    keys = ", ".join(f"{key}: {value}" for key, value in _keys("tpu", word).items() if value != written)
    return _with_remark("tpu", written, f"or {keys}, for {quoted(name)}") if keys else None


def _with_inner(holder: object, home: tuple[str, ...], new: object) -> object:
    """The mapping that is there already with a key in it, instead of the key alone."""
    if len(home) == _NESTED and isinstance(holder, dict) and isinstance(new, dict):
        return {**holder, **new}
    return new


def _with_remark(key: str, value: Any, remark: str) -> Fix | None:
    fix = SetKeys.of({key: value})
    return fix.with_remark(key, remark) if fix is not None and "\n" not in fix.text else None


def _why(unknown: UnknownKeys, path: Path, part: type[PlanModel] | None, correction: Correction | None) -> str:
    """What the key means, or where it is a key; empty if it is neither a key nor a name of another tool."""
    name = str(path[-1])
    hint = NO_KEYS.get(part.public_name(), {}).get(plain(name)) if part else None
    if hint and not correction:
        given = unknown.siblings(path).get(name)
        return with_network(hint, given) if part is Network else hint
    home = home_of(part, name) if part else None
    if home:
        return f"{quoted(home[-1])} is a key of `{'.'.join(home[:-1])}`"
    keys = [*correction] if correction else called_elsewhere(part, name, unknown.siblings(path)) if part else ()
    if keys:
        what = "key for this setting is" if len(keys) == 1 else "keys for this setting are"
        return f"the {what} {listed([*map(quoted, keys)])}"
    levels = _levels_above(unknown.root, path)
    if levels:
        return f"{quoted(name)} is a key of {levels[-1]}"
    below = usual_places(part, name) if part else ()
    if below:
        places = [quoted(path.rpartition(".")[0]) for path in below[:_MOST_PLACES]]
        return f"{quoted(name)} is a key of {listed(places)}"
    return ""


def with_network(hint: str, given: object) -> str:
    """What to write for an existing network, with its name if the plan states it."""
    name = printable(given).rpartition("/")[2] if isinstance(given, str) else ""
    return hint.replace("network: NAME", f"network: {name}", 1) if name else hint


def _where_to_read(root: type[PlanModel], path: Path, part: type[PlanModel] | None) -> str:
    """The command that lists the keys of a mapping of a plan with many keys."""
    if root is not Plan or part is None or len(key_names(part)) <= _MOST_KEYS:
        return ""
    steps = [str(step) if is_plan_model(type_at(root, path[:end])) else "*" for end, step in enumerate(path[:-1])]
    return f"; `gke-tpu explain '{'.'.join(steps).removesuffix('.*')}'` lists the keys here"


def _levels_above(root: type[PlanModel], path: Path) -> list[str]:
    """The outer levels that have a key of this name."""
    found = []
    for end in range(len(path)):
        kind = type_at(root, path[:end])
        if is_plan_model(kind) and path[-1] in key_names(kind):
            found.append(_level(root, path[:end]))
    return found


def _level(root: type[PlanModel], path: Path) -> str:
    """The name in messages of the mapping at a path."""
    if not path:
        return f"the top level of the {kind_of_model(root).name}"
    if root is Plan and len(path) in _LEVELS:
        return _LEVELS[len(path)]
    is_key = is_plan_model(type_at(root, path[:-1]))
    return str(path[-1]) if is_key else f"an entry of `{path[-2]}`"


@frozen
class Together:
    """Findings about several unknown keys at once, and the paths of those keys."""

    findings: tuple[Finding, ...]
    pieces: frozenset[Path]

    def holds(self, path: Path) -> bool:
        """Whether a path is below one of the pieces."""
        return any(path[:end] in self.pieces for end in range(len(path)))


def one_level_deeper(unknown: UnknownKeys, paths: Iterable[Path]) -> Together:
    """Find unknown keys that together form a nested mapping, such as ``window`` of ``maintenance``."""
    by_mapping: dict[Path, list[str]] = {}
    for path in paths:
        by_mapping.setdefault(path[:-1], []).append(str(path[-1]))
    findings: list[Finding] = []
    pieces: set[Path] = set()
    for above, unknown_names in by_mapping.items():
        part = unknown.part((*above, ""))
        if part is None or len(unknown_names) <= 1 or not above:
            continue
        entries = unknown.siblings((*above, ""))
        home, inner_names = _home_of_several(part, entries, unknown_names)
        names = list(inner_names)
        inner = {inner_names[name]: entries[name] for name in names}
        whole = {**{key: entries[key] for key in entries if key not in names}, home: inner}
        fix = MoveBelow.of(str(above[-1]), whole, home, inner_names)
        if home and fix:
            pieces.update((*above, name) for name in names)
            unknown.corrections.update({(*above, name): {home: inner} if name == names[0] else {} for name in names})
            findings.append(_one_level_deeper(above, names, home, fix))
    return Together(tuple(findings), frozenset(pieces))


def _home_of_several(
    part: type[PlanModel], entries: Mapping[Any, Any], unknown: list[str]
) -> tuple[str, dict[str, str]]:
    """The nested mapping, not yet in the document, to which several of the unknown keys belong.

    With it these keys, each with its name there.
    """
    others = {name: INNER_KEYS.get(part.public_name(), {}).get(plain(name), "").split(".") for name in unknown}
    for home in key_names(part):
        kind = type_at(part, (home,))
        if not is_plan_model(kind) or home in entries:
            continue
        names = {name: name for name in unknown if name in key_names(kind)}
        names |= {name: path[1] for name, path in others.items() if path[0] == home and len(path) == _NESTED}
        inner = {names[name]: entries[name] for name in names}
        if len(names) > 1 and len(inner) == len(names) and fits(part, home, inner):
            return home, names
    return "", {}


def _one_level_deeper(above: Path, names: list[str], home: str, fix: MoveBelow) -> Finding:
    return Finding(
        rule="TPU020",
        severity=Severity.ERROR,
        path=above,
        message=f"unknown keys {listed(names)}",
        given=printable(", ".join(names)),
        allowed=(f"{home}:",),
        change=as_only(fix),
        why=f"{listed(names)} are keys of `{home}`",
    )


def without_names(unknown: UnknownKeys, paths: Iterable[Path]) -> Together:
    """Find mappings of names, such as ``slices``, that hold the keys of one entry without its name.

    ``paths`` are those of values that should be mappings. The pieces are the paths of the mappings of names.
    """
    findings: list[Finding] = []
    pieces: set[Path] = set()
    for above in dict.fromkeys(path[:-1] for path in paths):
        kind = type_at(unknown.root, above)
        entry = inner_type(get_args(kind)[-1]) if get_origin(kind) is dict else None
        if entry is None or not is_plan_model(entry):
            continue
        entries = unknown.siblings((*above, ""))
        exact = any(str(key) in key_names(entry) for key in entries)  # a name can resemble a key by chance
        if exact and all(_is_key_of(entry, str(key), value, entries) for key, value in entries.items()):
            pieces.add(above)
            unknown.corrections[above] = {}
            findings.append(_without_name(above, entries))
    return Together(tuple(findings), frozenset(pieces))


def one_level_above(unknown: UnknownKeys, paths: Iterable[Path]) -> Together:
    """Find keys of an entry that are beside it, such as ``slices`` among the clusters, where a line has few spaces."""
    findings: list[Finding] = []
    pieces: set[Path] = set()
    for path in dict.fromkeys(step[: end + 1] for step in paths for end in range(1, len(step))):
        kind = type_at(unknown.root, path[:-1])
        entry = inner_type(get_args(kind)[-1]) if get_origin(kind) is dict else None
        entries = unknown.in_file(path)
        if entry is None or not is_plan_model(entry) or str(path[-1]) not in key_names(entry):
            continue
        names = [name for name in entries if not _is_entry_key(entry, name, entries[name])]
        if path[-1] in names or not names:
            continue
        pieces.add(path)
        unknown.corrections[path] = {}
        findings.append(_one_level_above(path, names))
    return Together(tuple(findings), frozenset(pieces))


def _is_entry_key(entry: type[PlanModel], name: object, value: object) -> bool:
    """Whether a name in a mapping of names is a key of an entry, whose value is not an entry itself."""
    is_entry = isinstance(value, dict) and any(str(key) in key_names(entry) for key in value)
    return str(name) in key_names(entry) and not is_entry


def _one_level_above(path: Path, names: list[str]) -> Finding:
    key, mapping = (quoted(str(step)) for step in (path[-1], path[-2]))
    below = (
        quoted(str(names[0])) if len(names) == 1 else f"one of {listed([quoted(str(name)) for name in names], 'or')}"
    )
    return Finding(
        rule="TPU020",
        severity=Severity.ERROR,
        path=path,
        message=f"{key} is at the level of the names in {mapping}",
        given=printable(str(path[-1])),
        why=f"{key} is a key of an entry of {mapping}: indent it and the lines below it, so that they are in {below}",
    )


def _is_key_of(part: type[PlanModel], word: str, value: object, siblings: Mapping[Any, Any]) -> bool:
    return word in key_names(part) or corrected_key(part, word, value, siblings) is not None


def _without_name(above: Path, entries: Mapping[Any, Any]) -> Finding:
    ((name, entry),) = below_a_name(str(above[-1]), entries).items()
    return Finding(
        rule="TPU022",
        severity=Severity.ERROR,
        path=above,
        message=f"{quoted(str(above[-1]))} must be a mapping of names",
        given=printable(", ".join(map(str, entries))),
        change=_below_name(str(above[-1]), name, entries, entry),
        why=f"{listed([str(key) for key in entries])} {'is a key' if len(entries) == 1 else 'are keys'} of one entry, "
        "which has a name as its own key, that you choose",
    )


def _below_name(key: str, name: str, entries: Mapping[Any, Any], entry: Mapping[str, Any]) -> Fix | None:
    """The entries below a name; if they stay as they are, their lines move."""
    whole = {name: dict(entry)}
    same = {key: key for key in entry}
    return MoveBelow.of(key, whole, name, same) if dict(entries) == dict(entry) else SetKeys.of({key: whole})


def cut_values(unknown: UnknownKeys, paths: Iterable[Path]) -> Together:
    """Find unknown keys without a value that are part of the value before them, after an unquoted comma."""
    by_mapping: dict[Path, set[str]] = {}
    for path in paths:
        if unknown.siblings(path).get(path[-1]) is None and unknown.written(path) in ("", None):
            by_mapping.setdefault(path[:-1], set()).add(str(path[-1]))
    findings: list[Finding] = []
    pieces: set[Path] = set()
    for above, names in by_mapping.items():
        for key, parts in _runs(unknown.siblings((*above, "")), names):
            path = (*above, parts[0])
            part = unknown.part(path)
            if part is None or _is_key(part, parts[0], unknown.siblings(path)):
                continue
            pieces.update((*above, piece) for piece in parts)
            findings.append(_cut(unknown, above, key, parts))
    return Together(tuple(findings), frozenset(pieces))


def _is_key(part: type[PlanModel], word: str, siblings: Mapping[Any, Any]) -> bool:
    """Whether a piece is a key itself: a boolean one, or one without a space after its colon."""
    return (
        corrected_key(part, word, True, siblings) is not None or corrected_key(part, word, None, siblings) is not None
    )


def _runs(entries: Mapping[Any, Any], names: set[str]) -> Iterator[tuple[str, list[str]]]:
    """Every key with a string value, and the keys after it that are pieces of the value."""
    before: str | None = None
    parts: list[str] = []
    for key, value in [*entries.items(), (None, "")]:
        if key in names:
            parts.append(key)
            continue
        if parts and before is not None:
            yield before, parts
        before, parts = (key if isinstance(value, str) else None), []


def _cut(unknown: UnknownKeys, above: Path, key: str, parts: list[str]) -> Finding:
    path = (*above, key)
    place, whole = None, ",".join([unknown.siblings(path)[key], *parts])
    if unknown.span is not None:
        place, whole = unknown.span(path, (*above, parts[-1]))
    fix = SetKeys.of({key: whole})
    if fix:
        unknown.corrections[path] = {key: whole}
        unknown.corrections.update({(*above, piece): {} for piece in parts})
    return Finding(
        rule="TPU025",
        severity=Severity.ERROR,
        path=(*above, parts[0]),
        message=f"unquoted comma: YAML ends the value of {quoted(key)} before {printable(parts[0])}",
        given=printable(f"{key}: {whole}"),
        change=as_only(fix),
        why="inside braces, a comma ends an unquoted value, and YAML reads the rest as another key",
        position=place,
    )
