"""Texts about a plan for readers of other languages, where boot_disk is called bootDisk."""

import functools
import re
from collections.abc import Iterator
from typing import Any, Literal, get_args, get_origin

from pydantic import BeforeValidator

from pulumi_gke_tpu.core.catalog.spelling import camel_case
from pulumi_gke_tpu.core.plan import Plan
from pulumi_gke_tpu.core.plan.keys import documented_keys

# After a colon, or after "the value", there is a value.
_WORD = re.compile(r"(?<!: )(?<!the value )\b([a-z]+(?:_[a-z0-9]+)+)\b(:?)")


def in_camel_case(text: str) -> str:
    """The text with the plan's keys in camelCase. Words that are values too change only where a colon follows."""

    def spell(found: re.Match[str]) -> str:
        word, colon = found.groups()
        is_key = word in _keys() and (colon or word not in _values())
        return f"{camel_case(word)}{colon}" if is_key else found[0]

    return _WORD.sub(spell, text)


@functools.cache
def _keys() -> frozenset[str]:
    return frozenset(path.rsplit(".", 1)[-1] for path, _, _ in documented_keys(Plan))


@functools.cache
def _values() -> frozenset[str]:
    return frozenset(
        str(word)
        for _, field, _ in documented_keys(Plan)
        for form in (field.annotation, *field.metadata)
        for word in choices(form)
    )


def choices(form: object) -> Iterator[Any]:
    """The choices that a type, or a type inside it, allows."""
    if get_origin(form) is Literal:
        yield from get_args(form)
    elif isinstance(form, BeforeValidator):
        yield from choices(form.json_schema_input_type)
    else:
        for inner in get_args(form):
            yield from choices(inner)
