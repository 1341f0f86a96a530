"""What the text of a flag of gcloud becomes: the value of a property, parts of which may not be known."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from pulumi_gke_tpu.core.catalog.records.gcloud import Gcloud, GcloudFlag
from pulumi_gke_tpu.core.resources.values import UNKNOWN
from pulumi_gke_tpu.core.text.formats.oauth_scopes import full_scope
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.core.text.shell import UNKNOWN_PART

_DELIMITER = lazy_pattern(r"\^(?P<mark>[^^]+)\^", re.ASCII)
_SIZE = lazy_pattern(r"(?P<number>\d{1,9})(?P<unit>[A-Za-z]*)\Z", re.ASCII)
_GIB: Final = {"": 1.0, "gb": 1, "gib": 1, "g": 1, "gi": 1, "tb": 1024, "tib": 1024, "t": 1024, "ti": 1024}
_TIME = lazy_pattern(r"\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[-+]\d\d:?\d\d)\Z", re.ASCII)
_DAY = lazy_pattern(r"\d{4}-\d\d-\d\d\Z", re.ASCII)
_CAMEL = lazy_pattern(r"(?<=[a-z])(?=[A-Z])")


class BadValueError(Exception):
    """gcloud refuses a value. The message says what it takes."""


def flag_value(flag: GcloudFlag, text: str, facts: Gcloud) -> Any:
    """The value of a property; for flags that can be repeated, the items of one use.

    Raises:
        BadValueError: gcloud refuses the value.
    """
    return _KINDS[flag.kind](flag, text, facts)


def list_items(text: str) -> list[str]:
    """The items of a list: separated by commas, or by the text between the carets in front of it."""
    match = _DELIMITER.match(text)
    items = text[match.end() :].split(match["mark"]) if match else text.split(",")
    return [item.strip() for item in items if item.strip()]


def known(text: str) -> Any:
    """A text, unless a part of it is not known."""
    return UNKNOWN if UNKNOWN_PART in text else text


def _text(flag: GcloudFlag, text: str, _facts: Gcloud) -> Any:
    return known(flag.words.get(text, text))


def _upper(flag: GcloudFlag, text: str, _facts: Gcloud) -> Any:
    return known(flag.words.get(text, text.upper().replace("-", "_")))


def _number(_flag: GcloudFlag, text: str, _facts: Gcloud) -> Any:
    return _whole(text)


def _whole(text: str) -> Any:
    if UNKNOWN_PART in text:
        return UNKNOWN
    if not re.fullmatch(r"-?\d{1,12}", text.strip(), re.ASCII):
        raise BadValueError("a whole number")
    return int(text)


def _gib(_flag: GcloudFlag, text: str, _facts: Gcloud) -> Any:
    if UNKNOWN_PART in text:
        return UNKNOWN
    match = _SIZE.match(text)
    if match is None or (factor := _GIB.get(match["unit"].lower())) is None:
        raise BadValueError("a size such as 100GB")
    return int(int(match["number"]) * factor)


def _flag(_flag: GcloudFlag, text: str, _facts: Gcloud) -> Any:
    return UNKNOWN if UNKNOWN_PART in text else text != "false"


def _constant(flag: GcloudFlag, text: str, _facts: Gcloud) -> Any:
    if UNKNOWN_PART in text:
        return UNKNOWN
    return flag.constant if text != "false" else flag.negative or None


def _list(flag: GcloudFlag, text: str, _facts: Gcloud) -> Any:
    return [known(flag.words.get(item, item)) for item in list_items(text)]


def _single(_flag: GcloudFlag, text: str, _facts: Gcloud) -> Any:
    return [known(text)]


def pairs(text: str) -> dict[str, str]:
    """NAME=VALUE pairs; a name without a value has an empty one."""
    found = {}
    for item in list_items(text):
        name, _, value = item.partition("=")
        found[name] = value
    return found


def _map(_flag: GcloudFlag, text: str, _facts: Gcloud) -> Any:
    found = pairs(text)
    if any(UNKNOWN_PART in name for name in found):
        return UNKNOWN
    return {name: known(value) for name, value in found.items()}


def _taints(_flag: GcloudFlag, text: str, _facts: Gcloud) -> Any:
    return [_taint(item) for item in list_items(text)]


def _taint(item: str) -> Any:
    pair, colon, effect = item.rpartition(":")
    if UNKNOWN_PART in item and not colon:
        return UNKNOWN
    if not pair:
        raise BadValueError("taints such as key=value:NoSchedule")
    key, _, value = pair.partition("=")
    return {
        "key": known(key),
        "value": known(value),
        "effect": known(effect if UNKNOWN_PART in effect else _CAMEL.sub("_", effect).upper()),
    }


def _scopes(_flag: GcloudFlag, text: str, facts: Gcloud) -> Any:
    found: list[Any] = []
    for item in list_items(text):
        found += [known(item)] if UNKNOWN_PART in item else map(full_scope, facts.scopes.get(item, (item,)))
    return list(dict.fromkeys(found))


def _time(_flag: GcloudFlag, text: str, _facts: Gcloud) -> Any:
    """A time; in a form whose time zone is that of a computer, it is not known."""
    if _TIME.match(text):
        return text
    return f"{text}T00:00:00Z" if _DAY.match(text) else UNKNOWN


def _file(_flag: GcloudFlag, _text: str, _facts: Gcloud) -> Any:
    return UNKNOWN


def _limit(flag: GcloudFlag, text: str, _facts: Gcloud) -> Any:
    """One limit of auto-provisioning: its type, and the number."""
    if flag.resource:
        return {"resourceType": flag.resource, flag.side: _whole(text)}
    found = pairs(text)
    if "type" not in found or "count" not in found:
        if UNKNOWN_PART in text:
            return UNKNOWN
        raise BadValueError("type=TYPE,count=COUNT")
    return {"resourceType": known(found["type"]), flag.side: _whole(found["count"])}


def _addons(_flag: GcloudFlag, text: str, facts: Gcloud) -> Any:
    found: dict[str, Any] = {}
    for item in list_items(text):
        name, equals, word = item.partition("=")
        addon = facts.addons.get(name)
        if addon is None:
            continue
        enabled = not equals or word.upper() in ("ENABLED", "TRUE")
        switch: Any = {"disabled": not enabled} if addon.negated else {"enabled": enabled}
        found[addon.property] = [switch] if addon.list else switch
    return found


def _entries(flag: GcloudFlag, text: str, _facts: Gcloud) -> Any:
    found = {}
    for name, value in pairs(text).items():
        if name in flag.names:
            found[flag.names[name]] = _whole(value) if name in flag.numbers else known(value)
    if not found and UNKNOWN_PART in text:
        return UNKNOWN
    return found


def _blocks(flag: GcloudFlag, text: str, _facts: Gcloud) -> Any:
    (name,) = flag.names.values()
    return [{name: known(item)} for item in list_items(text)]


_KINDS: Final[Mapping[str, Callable[[GcloudFlag, str, Gcloud], Any]]] = {
    "text": _text,
    "upper": _upper,
    "number": _number,
    "gib": _gib,
    "flag": _flag,
    "constant": _constant,
    "list": _list,
    "single": _single,
    "map": _map,
    "taints": _taints,
    "scopes": _scopes,
    "time": _time,
    "file": _file,
    "limit": _limit,
    "addons": _addons,
    "entries": _entries,
    "items": _entries,
    "blocks": _blocks,
}
REPEATED: Final = ("items", "limit")
SWITCHES: Final = ("flag", "constant")


def flag_text(flag: str, fact: GcloudFlag, value: object) -> str:
    """A flag with the value of its property, as a person writes it."""
    if fact.kind == "flag":
        return flag if value is not False else f"--no-{flag.removeprefix('--')}"
    if fact.kind == "constant":
        return flag if value == fact.constant else f"--no-{flag.removeprefix('--')}"
    words = {new: old for old, new in fact.words.items()}
    if fact.kind == "taints" and isinstance(value, Sequence):
        return f"{flag}={','.join(_taint_texts(value))}"
    if isinstance(value, Mapping):
        return f"{flag}={','.join(f'{name}={item}' for name, item in value.items())}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"{flag}={','.join(str(words.get(item, item)) for item in value)}"
    text = words.get(str(value), str(value))
    return f"{flag}={text.lower().replace('_', '-') if fact.kind == 'upper' and text.isupper() else text}"


def _taint_texts(taints: Sequence[object]) -> Iterator[str]:
    for taint in taints:
        if isinstance(taint, Mapping):
            effect = "".join(part.capitalize() for part in str(taint.get("effect", "")).split("_"))
            yield f"{taint.get('key')}={taint.get('value', '')}:{effect}"
