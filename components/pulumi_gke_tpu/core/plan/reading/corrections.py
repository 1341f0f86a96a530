"""The intended key or value of an entry with the wrong form, if there is only one possibility.

It is used twice: as the fix, and in place of the wrong entry so that rules can check the rest.
"""

import datetime
import functools
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from pulumi_gke_tpu.core.catalog import naming, read_catalog
from pulumi_gke_tpu.core.plan.base import PlanModel
from pulumi_gke_tpu.core.plan.keys import (
    documented_keys,
    field_of,
    inner_type,
    is_plan_model,
    key_names,
    type_at,
)
from pulumi_gke_tpu.core.plan.reading.arranged import ARRANGED, Arranged
from pulumi_gke_tpu.core.plan.reading.regrouped import as_number, as_pairs, as_range, as_taint, by_name, with_unit_of
from pulumi_gke_tpu.core.plan.reading.spellings import (
    INNER_KEYS,
    INSTALLED,
    KEYS_BY_VALUE,
    NO_KEYS,
    NO_VALUES,
    ONLY_VALUES,
    OTHER_CHOICES,
    OTHER_KEYS,
    OTHER_WORDS,
    SEVERAL_KEYS,
    SEVERAL_MODES,
    TRUE_KEYS,
    WRITTEN_AS,
    plain,
    several_choices,
    without_release,
)
from pulumi_gke_tpu.core.plan.reading.times import as_day, as_duration, as_timestamp, texts_in
from pulumi_gke_tpu.core.plan.slices import Taint
from pulumi_gke_tpu.core.text.findings import (
    Path,
    did_you_mean,
    listed,
    misspelled_choice,
    quoted,
)
from pulumi_gke_tpu.core.text.formats.yaml_scalars import AmbiguousScalar, resolve
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

Correction = Mapping[str, Any]
"""The intended entries for one wrong entry: usually the same key with another value, or another key."""

UNCLEAR: Any = object()
"""Marks a value with no possible meaning, or with several."""

_SELDOM = frozenset({"additional_networks", "workload_policies"})
"""Keys of a cluster whose entries repeat the names of keys that most plans have elsewhere."""
_MOMENTS = {datetime.datetime: as_timestamp, datetime.date: as_day, datetime.timedelta: as_duration}
_JOINED = lazy_pattern(r"([\w-]+)\s*[:=]\s*(\S.*)\Z", re.DOTALL)
"""A key and its value without the colon and the space between them."""

_NESTED = 2
_LONG_ENOUGH = 3
"""Minimum length of a text that is matched by its beginning; shorter ones match too much."""

TRUTH = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


def corrected_key(part: type[PlanModel], word: str, value: object, siblings: Mapping[str, Any]) -> Correction | None:
    """The intended entries of ``part`` for an unknown key; None if they are ambiguous or already exist."""
    entries = _by_value(part, word, value, siblings)
    if entries or plain(word) in NO_KEYS.get(part.public_name(), {}):
        return entries
    return (
        _twin(part, word, value, siblings)
        or _true_key(part, word, value, siblings)
        or (_joined_key(part, word, siblings) if value is None else None)
        or _renamed_key(part, word, value, siblings)
        or _key_below(part, word, value, siblings)
    )


def readings_of(
    part: type[PlanModel], word: str, value: object, siblings: Mapping[str, Any]
) -> tuple[tuple[Correction, str], ...]:
    """What an unknown key can mean where that is for a person to decide: each with what it leads to."""
    names = {} if plain(word) in map(plain, key_names(part)) else SEVERAL_KEYS.get(part.public_name(), {})
    keys = names.get(plain(word)) or names.get(misspelled_choice(plain(word), names) or "", {})
    modes = SEVERAL_MODES.get(plain(word), {}) if value in (True, "true") and field_of(part, "capacity") else {}
    values = {key: corrected_value(part, key, value) for key in keys}
    found = [({key: values[key]}, meaning) for key, meaning in keys.items() if values[key] is not UNCLEAR]
    found += [({"capacity": mode}, meaning) for mode, meaning in modes.items()]
    return tuple(each for each in found if not each[0].keys() & siblings.keys())


def all_set(readings: Iterable[tuple[Correction, str]]) -> str:
    """Why none of the readings of a key is offered: their keys are in the mapping already."""
    texts = [
        quoted(f"{key}: {value}" if isinstance(value, str) else key)
        for keys, _ in readings
        for key, value in keys.items()
    ]
    names = dict.fromkeys(quoted(key) for keys, _ in readings for key in keys)
    verb = "is" if len(names) == 1 else "are"
    return f"other tools use this name for {listed(texts, 'or')}, and {listed([*names])} {verb} already set"


def _true_key(part: type[PlanModel], word: str, value: object, siblings: Mapping[str, Any]) -> Correction | None:
    """The value that a key stands for which is true, such as ``capacity: spot`` for ``spot: true``."""
    other: tuple[str, str | None] = ("capacity", OTHER_WORDS.get(plain(word)))
    key, text = TRUE_KEYS.get(part.public_name(), {}).get(plain(word), other)
    return {key: text} if text and value in (True, "true") and key not in siblings and fits(part, key, text) else None


def _renamed_key(part: type[PlanModel], word: str, value: object, siblings: Mapping[str, Any]) -> Correction | None:
    """The key of the same mapping that an unknown one means, with a value that it takes."""
    for name in _candidates(part, word):
        if takes_unit(part, name):
            value = with_unit_of(word, name, value)
        fitting = UNCLEAR if name in siblings else corrected_value(part, name, value)
        if fitting is UNCLEAR and name not in siblings and _is_same_kind(part, name, value):
            fitting = value  # errors inside it have findings of their own
        if fitting is not UNCLEAR:
            return {name: fitting}
    return None


def takes_unit(part: type[PlanModel], name: str) -> bool:
    """Whether the value of a key has a unit: a duration, or a quantity of Kubernetes."""
    field = field_of(part, name)
    kind = inner_type(field.annotation) if field else None
    return kind is datetime.timedelta or name == "memory"


def _key_below(part: type[PlanModel], word: str, value: object, siblings: Mapping[str, Any]) -> Correction | None:
    """The mapping with a key that belongs one level deeper."""
    inner = home_of(part, word)
    if not inner:
        return None
    named = inner[0] == "capacity" and names_key(siblings.get("capacity"), inner[1]) and value is not False
    if inner[0] not in siblings or named:
        found = inner_key(part, inner, value)
        return Arranged(found, [str(siblings[inner[0]])]) if found and named else found
    return _within(part, inner, value, siblings[inner[0]])


def _twin(part: type[PlanModel], word: str, value: object, siblings: Mapping[str, Any]) -> Correction | None:
    """The key that the mapping has already, if an unknown key says the same: ``num_slices: 2`` beside ``count: 2``."""
    name = already_set(part, word, siblings)
    if name is None:
        return None
    if name == "tpu" and _says_slice(value, siblings):
        return {name: siblings[name]}
    corrected = corrected_value(part, name, value)
    return {name: siblings[name]} if corrected is not UNCLEAR and _says(part, name, corrected, siblings[name]) else None


def _says_slice(word: object, siblings: Mapping[str, Any]) -> bool:
    """Whether a name such as ``trillium`` or ``v6e-16`` says what `tpu` and the shape beside it say already."""
    catalog = read_catalog()
    name, written = (naming.resolve(catalog, str(each)) for each in (word, siblings["tpu"]))
    if name is None or written is None or name.generation != written.generation or name.kind == "announced":
        return False
    said = {
        "topology": name.topology and str(name.topology),
        "machine_type": name.machine_type or None,
        "chips_per_host": name.chips_per_host,
        "count": name.slices if name.slices > 1 else None,
    }
    return all(value is None or siblings.get(key) == value for key, value in said.items())


def _says(part: type[PlanModel], name: str, corrected: object, written: object) -> bool:
    """Whether two values of a key mean the same. ``true`` and 1 do not."""
    written = corrected_value(part, name, written)
    return corrected == written and type(corrected) is type(written)


def _within(part: type[PlanModel], path: tuple[str, ...], value: object, holder: object) -> Correction | None:
    """The mapping that a nested key belongs to, with that key, unless it has another value of it."""
    kind = type_at(part, path[:1])
    if len(path) != _NESTED or not isinstance(holder, dict) or not is_plan_model(kind):
        return None
    corrected = corrected_value(kind, path[1], value)
    if corrected is UNCLEAR:
        return None
    if path[1] in holder:
        return {path[0]: holder} if _says(kind, path[1], corrected, holder[path[1]]) else None
    whole = {**holder, path[1]: corrected}
    return {path[0]: whole} if fits(part, path[0], whole) or not fits(part, path[0], holder) else None


def _by_value(part: type[PlanModel], word: str, value: object, siblings: Mapping[str, Any]) -> Correction | None:
    """The entries for a key of another tool whose meaning depends on its value."""
    matches, by_value = KEYS_BY_VALUE.get(part.public_name(), {}).get(plain(word), (None, ""))
    if matches and by_value not in siblings and matches(value):
        return {by_value: value}
    arranged = ARRANGED.get(part.public_name(), {}).get(plain(word))
    entries = arranged(value, siblings) if arranged else None
    free = entries and all(
        name not in siblings or siblings[name] in entries.said or _says(part, name, new, siblings[name])
        for name, new in entries.items()
    )
    if not entries or not free or not all(_is_taken_by(part, *entry) for entry in entries.items()):
        return None
    return Arranged(entries, [*entries.said, *texts_in(value)]) if entries.keys() <= siblings.keys() else entries


def _is_taken_by(part: type[PlanModel], name: str, value: object) -> bool:
    """Whether a key takes a value, apart from errors inside a mapping or a list, which have findings of their own."""
    is_range = name == "count" and as_range(value) == value
    return is_range or corrected_value(part, name, value) is not UNCLEAR or _is_same_kind(part, name, value)


def names_key(value: object, key: str) -> bool:
    """Whether a value is only the name of a key, as in ``capacity: reserved`` beside ``reservation: NAME``."""
    return isinstance(value, str) and (plain(value) == plain(key) or OTHER_WORDS.get(plain(value)) == key)


def already_set(part: type[PlanModel], word: str, siblings: Mapping[str, Any]) -> str | None:
    """The key that an unknown key most likely means, if the mapping has it already."""
    if plain(word) in NO_KEYS.get(part.public_name(), {}):
        return None
    return next((name for name in _candidates(part, word) if name in siblings), None)


def called_elsewhere(part: type[PlanModel], word: str, siblings: Mapping[str, Any]) -> tuple[str, ...]:
    """The key that other tools call so, with a name where each value has one; nothing if the key is set."""
    name = OTHER_KEYS.get(part.public_name(), {}).get(plain(word), "")
    field = field_of(part, name) if name not in siblings else None
    kind = inner_type(field.annotation) if field else None
    is_entry = get_origin(kind) is dict and accepts(get_args(kind)[1], siblings[word])
    return (f"{name}: {{NAME: {siblings[word]}}}" if is_entry else name,) if field else ()


def inner_key(part: type[PlanModel], inner: tuple[str, ...], value: object) -> Correction | None:
    """The entry for a key that belongs to a nested mapping."""
    corrected = _nested(part, inner, value)
    return None if corrected is UNCLEAR else {inner[0]: corrected}


def _joined_key(part: type[PlanModel], word: str, siblings: Mapping[str, Any]) -> Correction | None:
    """The entry that a word such as ``count:3`` means."""
    match = _JOINED.match(word)
    if not match or match[1] not in key_names(part) or match[1] in siblings:
        return None
    scalar = resolve(match[2])
    corrected = UNCLEAR if isinstance(scalar, AmbiguousScalar) else corrected_value(part, match[1], scalar)
    return None if corrected is UNCLEAR else {match[1]: corrected}


def _candidates(part: type[PlanModel], word: str) -> Iterator[str]:
    names = key_names(part)
    same = {plain(name): name for name in names}
    if plain(word) in same:
        yield same[plain(word)]
        return
    others = OTHER_KEYS.get(part.public_name(), {})
    if plain(word) in others:
        yield others[plain(word)]
        return
    if home_of(part, word) or "/" in word:
        return
    near = did_you_mean(word, names)
    if near:
        yield near
        return
    other = misspelled_choice(plain(word), others)
    if other is not None:
        yield others[other]


def home_of(part: type[PlanModel], word: str) -> tuple[str, ...] | None:
    """The path of the only key of this name below ``part``; None if it belongs to one of several items."""
    other = INNER_KEYS.get(part.public_name(), {}).get(plain(word))
    paths = usual_places(part, word) or ((other,) if other else ())
    return None if len(paths) != 1 or "*" in paths[0] or "[]" in paths[0] else tuple(paths[0].split("."))


def usual_places(part: type[PlanModel], word: str) -> tuple[str, ...]:
    """The dotted paths below ``part`` of a key, without those that few plans have if there are others."""
    known = places_of(part).get(plain(word), ())
    return tuple(path for path in known if not _SELDOM & set(path.split("."))) or known


@functools.cache
def places_of(part: type[PlanModel]) -> Mapping[str, tuple[str, ...]]:
    """Plain name of a key below ``part``, at least one level down -> the dotted paths at which it exists."""
    found: dict[str, tuple[str, ...]] = {}
    for path, _, _ in documented_keys(part):
        above, dot, name = path.rpartition(".")
        if dot and not above.endswith("extra"):
            found[plain(name)] = (*found.get(plain(name), ()), path)
    return found


def _is_same_kind(part: type[PlanModel], name: str, value: object) -> bool:
    """Whether a key takes a list, or a mapping that has one of the keys of the value or a similar one."""
    field = field_of(part, name)
    kind = inner_type(field.annotation) if field else None
    if get_origin(kind) is list:
        return isinstance(value, list)
    if not isinstance(value, dict) or kind is None or not is_plan_model(kind):
        return isinstance(value, dict) and get_origin(kind) is dict
    return not value or any(next(_candidates(kind, str(inner)), None) for inner in value)


def _nested(part: type[PlanModel], path: tuple[str, ...], value: object) -> Any:
    holder: Any = part
    for step in path[:-1]:
        field = field_of(holder, step)
        holder = inner_type(field.annotation) if field else None
    if value is True and fits(part, path[0], path[-1]):
        return path[-1]  # the short form
    corrected = corrected_value(holder, path[-1], value)
    if corrected is UNCLEAR:
        return UNCLEAR
    for step in reversed(path[1:]):
        corrected = {step: corrected}
    if corrected == {path[-1]: True} and fits(part, path[0], path[-1]):
        return path[-1]
    return corrected if fits(part, path[0], corrected) else UNCLEAR


def correction_at(root: type[PlanModel], path: Path, value: object) -> Any:
    """The intended value at a path of a plan or an inventory; ``UNCLEAR`` if it is ambiguous."""
    if not path:
        return UNCLEAR
    holder = type_at(root, path[:-1])
    if is_plan_model(holder):
        return corrected_value(holder, str(path[-1]), value)
    above: Any = type_at(root, path[:-2]) if len(path) > 1 else None
    return corrected_entry(above, str(path[-2]), value) if is_plan_model(above) else UNCLEAR


def is_taken(root: type[PlanModel], path: Path, value: object) -> bool:
    """Whether a plan or an inventory accepts a value at a path."""
    holder = type_at(root, path[:-1])
    return fits(holder, str(path[-1]), value) if path and is_plan_model(holder) else type_at(root, path) in (str, Any)


def corrected_value(part: type[PlanModel], name: str, value: object) -> Any:
    """The intended value of a key of ``part``; ``UNCLEAR`` if it is ambiguous."""
    field = field_of(part, name)
    if field is None:
        return UNCLEAR
    if fits(part, name, value):
        return value
    for reading in _read_as(field.annotation, name, value):
        written = WRITTEN_AS.get(reading, reading) if isinstance(reading, str) else reading
        for form in (written, reading):
            if fits(part, name, form):
                return form
    return UNCLEAR


def corrected_entry(part: type[PlanModel], name: str, value: object) -> Any:
    """The intended value of an entry of the list or mapping under a key."""
    field = field_of(part, name)
    kind = inner_type(field.annotation) if field else None
    if get_origin(kind) not in (list, dict):
        return UNCLEAR
    annotation = get_args(kind)[-1]
    for reading in _read_as(annotation, name, value):
        if accepts(annotation, reading):
            return reading
    return UNCLEAR


def fits(part: type[PlanModel], name: str, value: object) -> bool:
    """Whether a key of ``part`` accepts a value."""
    adapter = _adapter_of(part, name)
    return adapter is not None and _valid(adapter, value)


def accepts(annotation: object, value: object) -> bool:
    """Whether a type accepts a value."""
    return _valid(_adapter(annotation), value)


def _valid(adapter: TypeAdapter[Any], value: object) -> bool:
    try:
        adapter.validate_python(value)
    except ValidationError:
        return False
    return True


@functools.cache
def _adapter_of(part: type[PlanModel], name: str) -> TypeAdapter[Any] | None:
    field = field_of(part, name)
    return None if field is None else _adapter(_annotation(field))


@functools.cache
def _adapter(annotation: object) -> TypeAdapter[Any]:
    strict = None if is_plan_model(inner_type(annotation)) else {"strict": True}
    return TypeAdapter(annotation, config=strict)  # type: ignore[arg-type]


def _annotation(field: FieldInfo) -> Any:
    annotation: Any = field.annotation
    for item in field.metadata:
        annotation = Annotated[annotation, item]
    return annotation


def _read_as(annotation: object, name: str, value: object) -> Iterator[Any]:
    kind = inner_type(annotation)
    if get_origin(kind) is dict:
        yield from _mapping(get_args(kind)[1], value)
    elif get_origin(kind) is list:
        yield from _lists(get_args(kind)[0], name, value)
    elif isinstance(value, list):
        yield from _as_one(annotation, name, value)
    elif isinstance(value, str):
        yield from _texts(kind, name, value.strip())
    elif isinstance(value, dict):
        yield from _of_one_key(annotation, name, value)
    elif is_plan_model(kind):
        yield from _only_value(kind, value)
    else:
        yield from _scalars(kind, value)


def _mapping(entry: object, value: object) -> Iterator[Any]:
    """A mapping of names for a list of entries, or of names alone."""
    named = by_name(as_pairs(value))
    if named is not None:
        yield {key: entry_within(entry, item) for key, item in named.items()}
    names = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    if names and all(isinstance(item, str) for item in names) and len({*names}) == len(names):
        yield {item: {} for item in names}


def _of_one_key(annotation: object, name: str, value: dict[Any, Any]) -> Iterator[Any]:
    """The value of the only key of a mapping, where a key takes a value itself."""
    kind = inner_type(annotation)
    if kind is str and value.keys() == {"name"}:
        yield value["name"]
    if is_plan_model(kind) and kind.public_name() in INSTALLED and value == {"enabled": True}:
        yield {}
    if len(value) == 1 and (get_origin(kind) is Literal or (kind is bool and "enabled" in value)):
        yield from (*value.values(), *_read_as(annotation, name, *value.values()))


def _as_one(annotation: object, name: str, values: list[object]) -> Iterator[Any]:
    """A list where one value belongs: its only item, the dimensions of a topology, or the keys of a mapping."""
    kind = inner_type(annotation)
    if is_plan_model(kind) and len(values) > 1:
        names = {plain(key): key for key in key_names(kind)}
        keys = [names.get(plain(item), "") if isinstance(item, str) else "" for item in values]
        if all(keys) and len({*keys}) == len(keys):
            yield {key: {} for key in keys}
    elif len(values) == 1:
        yield values[0]
        yield from _read_as(annotation, name, values[0])
    elif name == "topology" and all(type(side) is int for side in values):
        yield "x".join(map(str, values))


def _scalars(kind: Any, value: object) -> Iterator[Any]:
    if isinstance(value, float) and kind is int and value.is_integer():
        yield int(value)
    elif isinstance(value, int) and kind in _MOMENTS:
        yield _MOMENTS[kind](str(value))


def entry_within(annotation: object, value: object) -> Any:
    """An entry of a mapping or a list with every key and value in it replaced that is clear."""
    kind = inner_type(annotation)
    if not isinstance(value, dict):
        return value
    if not is_plan_model(kind):
        return next(iter(value.values())) if kind is str and len(value) == 1 else value
    found: dict[Any, Any] = {}
    for key, inner in value.items():
        if field_of(kind, str(key)) is None:
            found.update(corrected_key(kind, str(key), inner, value) or {key: inner})
        else:
            corrected = corrected_value(kind, str(key), inner)
            found[key] = inner if corrected is UNCLEAR else corrected
    return found


def _choices(item: object) -> tuple[str, ...]:
    kind = inner_type(item)
    return get_args(kind) if get_origin(kind) is Literal else ()


def _lists(item: object, name: str, value: object) -> Iterator[Any]:
    if isinstance(value, list):
        return
    if isinstance(value, dict) and value and all(truth is True for truth in value.values()):
        value = ",".join(map(str, value))
    if isinstance(value, str):
        several = several_choices(_choices(item), value)
        if several:
            yield [*several]
            return
        items = [text for text in re.split(r"[,;\s]+", value.strip(" []")) if text]
        if items:
            yield items
            yield [next((read for read in _read_as(item, name, text) if accepts(item, read)), text) for text in items]
    else:
        yield [value]


def _texts(kind: Any, name: str, text: str) -> Iterator[Any]:
    if kind in _MOMENTS:
        yield _MOMENTS[kind](text)
    elif kind is bool and text.lower() in TRUTH:
        yield TRUTH[text.lower()]
    elif kind is int or kind is float:
        number = as_number(kind, name, text)
        yield from () if number is None else (number,)
    elif get_origin(kind) is Literal:
        yield from _matching_choices(get_args(kind), without_release(text))
    elif kind is Taint:
        yield as_taint(text)
    elif is_plan_model(kind):
        yield from _shorthands(kind, text)
    elif kind is str:
        yield text


def _matching_choices(choices: tuple[Any, ...], text: str) -> Iterator[Any]:
    same = {plain(str(choice)): choice for choice in choices}
    same |= {word: choice for word, choice in OTHER_CHOICES.items() if choice in choices}
    if plain(text) in same:
        yield same[plain(text)]
        return
    begins = [choice for choice in choices if isinstance(choice, str) and plain(text).startswith(plain(choice))]
    if any(plain(str(choice)) in plain(text) for choice in choices if begins and choice not in begins):
        return  # such as Sat-Sun
    begin = begins if len(plain(text)) >= _LONG_ENOUGH else []
    if len(begin) == 1:
        yield begin[0]
        return
    if several_choices([*map(str, choices)], text):
        return
    longer = [choice for choice in choices if plain(str(choice)).startswith(plain(text))]
    if len(longer) > 1 and len(plain(text)) >= _LONG_ENOUGH:
        return  # such as no_minor: no_minor_upgrades, or no_minor_or_node_upgrades
    near = did_you_mean(text, [str(choice) for choice in choices])
    yield from (choice for choice in choices if str(choice) == near)


def _only_value(kind: type[PlanModel], value: object) -> Iterator[Any]:
    """A value for the one key that a mapping requires, such as ``collection: chat``, or that its form points to.

    A number or a text can only be the value of the required key; a duration only that of the one duration.
    """
    if value is True:
        yield "create"
        if kind.public_name() in INSTALLED:
            yield {}
        return
    if plain(str(value)) in NO_VALUES.get(kind.public_name(), {}):
        return
    for form, name in ONLY_VALUES.get(kind.public_name(), ()):
        corrected = corrected_value(kind, name, value) if form.fullmatch(str(value)) else UNCLEAR
        if corrected is not UNCLEAR:
            yield {name: corrected}
    required = [name for name, field in kind.model_fields.items() if field.is_required()]
    timed = [name for name, field in kind.model_fields.items() if inner_type(field.annotation) is datetime.timedelta]
    for names in (required, timed):
        if len(names) == 1:
            corrected = corrected_value(kind, names[0], value)
            if corrected is not UNCLEAR:
                yield {names[0]: corrected}


def _shorthands(kind: type[PlanModel], text: str) -> Iterator[Any]:
    """A word for one of the keys that are true, false or a mapping of their own, such as the modes of capacity."""
    names = key_names(kind)
    word = {plain(name): name for name in names}.get(plain(text)) or OTHER_WORDS.get(plain(text), "")
    if word in names:
        yield word
        yield {word: True}
        return
    near = did_you_mean(text, names)
    if sum(plain(name) in plain(text) for name in names) > 1:
        return  # such as spot-or-on-demand
    if near:
        yield near
    else:
        yield from _only_value(kind, text)
