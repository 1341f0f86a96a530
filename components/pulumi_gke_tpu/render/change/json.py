"""A page of changes as JSON and back; :mod:`pulumi_gke_tpu.render.change.schema` describes it.

Reading trusts nothing: what comes back out of a file is a page that this library could have written, or an error.
"""

import json
from collections import Counter
from typing import Any, NoReturn

from pulumi_gke_tpu.change.model import CLASSES, ChangeReport
from pulumi_gke_tpu.render.change.form import FormError, from_data, to_data
from pulumi_gke_tpu.render.change.page import ChangePage, ShownFinding

FORMAT = 1
"""The version of the form. Readers refuse every other one, so any new or changed key raises it."""

LARGEST = 50_000_000
"""Bytes of the largest document that is read."""


def change_json(page: ChangePage) -> dict[str, Any]:
    """Give a page as data that ``json.dumps`` takes. Money is in USD, unrounded, as text; null is unknown."""
    return {"format": FORMAT, **_derived(page.report), **to_data(page.report), **_others(page)}


def change_page_from_json(content: bytes) -> ChangePage:
    """Read a page as :func:`change_json` writes it.

    Raises:
        FormError: the content is anything else. The message says where and what, safe to print.
    """
    data = _parsed(content)
    if not isinstance(data, dict):
        raise FormError("the document: an object is wanted")
    if data.get("format") != FORMAT or isinstance(data.get("format"), bool):
        raise FormError(f"format: {FORMAT} is wanted; the file is of another version of gke-tpu, or no diff at all")
    rest = {key: value for key, value in data.items() if key not in ("format", *_DERIVED, *_OTHERS)}
    report = from_data(ChangeReport, rest)
    others = {key: from_data(kind, data.get(key), key) for key, kind in _OTHERS.items()}
    for key, value in _derived(report).items():
        if _exactly(data.get(key)) != _exactly(value):
            raise FormError(f"{key}: it does not agree with items")
    return ChangePage(report, **others)


_OTHERS: dict[str, Any] = {"findings": tuple[ShownFinding, ...], "failed": tuple[str, ...]}
_DERIVED = ("dangerous", "counts")


def _others(page: ChangePage) -> dict[str, Any]:
    return {key: to_data(getattr(page, key)) for key in _OTHERS}


def _derived(report: ChangeReport) -> dict[str, Any]:
    """What programs would have to count themselves."""
    counts = Counter(item.change for item in report.items)
    return {"dangerous": report.dangerous, "counts": {name: counts[name] for name in CLASSES}}


def _exactly(value: Any) -> str:
    """As text, in which false is not 0."""
    return json.dumps(value, sort_keys=True)


def _parsed(content: bytes) -> Any:
    if len(content) > LARGEST:
        raise FormError(f"the document: it is larger than {LARGEST // 1_000_000} MB")
    try:
        # Of bytes it takes any UTF, with a byte order mark or without: some shells write UTF-16 into files.
        return json.loads(content, object_pairs_hook=_once, parse_constant=_no_constant)
    except FormError:
        raise
    except (ValueError, RecursionError):
        raise FormError("the document: it is no JSON, or nested too deeply") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise FormError("the document: a key stands twice in one object")
    return found


def _no_constant(name: str) -> NoReturn:
    raise FormError(f"the document: {name} is no number")
