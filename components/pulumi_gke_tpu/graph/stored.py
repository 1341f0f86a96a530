"""Reads a preview that was stored as JSON, so that a later version of this library can compare against it.

:mod:`pulumi_gke_tpu.render.preview.json` writes it. Keys that this version does not know are passed over, and those
that an older version did not write have their defaults.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pulumi_gke_tpu.findings import printable
from pulumi_gke_tpu.graph.model import ABSENT_KEY, UNKNOWN_KEY, Graph, Options, Resource
from pulumi_gke_tpu.plan.base import Unknown

LARGEST = 200_000_000
"""Bytes of the largest file that is read."""

_FORMATS = (1,)
_SEPARATORS = 3
"""How often ``::`` is in a URN at least."""
_DEEPEST = 60
"""Levels of the deepest document."""
_MOST_DIGITS = 400
"""Digits of the largest number."""
_AGAIN = "store it again: gke-tpu preview PLAN --format json --resources"


class StoredError(ValueError):
    """A file that holds no stored preview. The message says why and what to do, safe to print."""


@dataclass(frozen=True, slots=True)
class StoredPreview:
    """What is needed of a stored preview."""

    name: str
    """The plan file, as it was given."""
    catalog_version: str
    written: Mapping[str, Any]
    """The plan in its canonical form."""
    graph: Graph
    """The resources as the version that stored them registered them."""


def read_stored(content: bytes) -> StoredPreview:
    """Read a stored preview.

    Raises:
        StoredError: it is none, or one without what a comparison needs.
    """
    if len(content) > LARGEST:
        raise StoredError(f"it is larger than {LARGEST // 1_000_000} MB")
    try:
        data = json.loads(content)  # any UTF, with a byte order mark or without: some shells write UTF-16
    except (ValueError, RecursionError):
        raise StoredError("it is no JSON") from None
    if not _is_shallow(data):
        raise StoredError(f"it is nested more than {_DEEPEST} levels deep")
    if not isinstance(data, dict) or "catalog" not in data or "plan" not in data:
        raise StoredError(f"it is no stored preview; {_AGAIN}")
    if data.get("format") not in _FORMATS:
        raise StoredError(f"its format is {printable(data.get('format'), 20)}, and this version reads 1; {_AGAIN}")
    if "resources" not in data or "written" not in data:
        raise StoredError(f"it was stored without its resources, or by a version that kept no plan; {_AGAIN}")
    try:
        resources = sorted(map(_resource, _list(data["resources"])), key=lambda item: item.urn)
        if len({resource.urn for resource in resources}) != len(resources):
            raise TypeError
        return StoredPreview(
            name=_text(data["plan"]),
            catalog_version=_text(data["catalog"]),
            written=_mapping(data["written"]),
            graph=Graph(tuple(resources)),
        )
    except (KeyError, TypeError, AttributeError, RecursionError):
        raise StoredError(f"its resources are not of the form that is written; {_AGAIN}") from None


def _is_shallow(data: Any) -> bool:
    """Whether a document is nested no deeper than what is written. Without recursion, which depth would exhaust."""
    level = [data]
    for _ in range(_DEEPEST):
        level = [inner for value in level for inner in _inside(value)]
        if not level:
            return True
    return False


def _inside(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _resource(data: Any) -> Resource:
    return Resource(
        urn=_urn(data["urn"]),
        type=_text(data["type"]),
        name=_text(data["name"]),
        parent=_urn(data["parent"]) if data["parent"] else "",
        custom=bool(_switch(data["custom"])),
        inputs={_text(key): _value(value) for key, value in _mapping(data["inputs"]).items()},
        options=_options(_mapping(data["options"])),
        plan_path=_text(data.get("path") or ""),
        sources={_text(key): _texts(urns) for key, urns in _mapping(data.get("sources") or {}).items()},
    )


def _options(data: Mapping[str, Any]) -> Options:
    return Options(
        protect=_switch(data.get("protect")),
        delete_before_replace=_switch(data.get("delete_before_replace")),
        replace_on_changes=_texts(data.get("replace_on_changes")),
        ignore_changes=_texts(data.get("ignore_changes")),
        retain_on_delete=_switch(data.get("retain_on_delete")),
        custom_timeouts=tuple(
            sorted((_text(name), _text(value)) for name, value in _mapping(data.get("custom_timeouts") or {}).items())
        ),
        aliases=tuple(_urn(alias) if alias.startswith("urn:") else alias for alias in _texts(data.get("aliases"))),
        depends_on=_texts(data.get("depends_on")),
        provider=_text(data.get("provider") or ""),
    )


def _value(value: Any) -> Any:
    if isinstance(value, dict):
        if value.keys() == {UNKNOWN_KEY} and isinstance(value[UNKNOWN_KEY], list):
            return Unknown(_texts(value[UNKNOWN_KEY]))
        if value.keys() == {ABSENT_KEY}:
            raise TypeError
        return {key: _value(item) for key, item in value.items()}
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**_MOST_DIGITS:
        raise TypeError
    return [_value(item) for item in value] if isinstance(value, list) else value


def _urn(value: Any) -> str:
    """A URN: stack, project, types and name."""
    urn = _text(value)
    if not urn.startswith("urn:") or urn.count("::") < _SEPARATORS:
        raise TypeError
    return urn


def _switch(value: Any) -> bool | None:
    if value is not None and not isinstance(value, bool):
        raise TypeError
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(map(_text, _list(value or [])))


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError
    return value


def _mapping(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise TypeError
    return value
