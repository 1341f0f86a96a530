"""Writes Terraform files in their JSON syntax."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from pulumi_gke_tpu.core.text.formats.hcl_scalars import template_text
from pulumi_gke_tpu.features.export.terraform.syntax import (
    Attribute,
    Block,
    Comment,
    Expression,
    Item,
    StaticReference,
    TextTemplate,
)

_COMMENT = "//"
"""The property that Terraform ignores."""


def terraform_json(items: Iterable[Item]) -> str:
    """The text of a file."""
    return f"{json.dumps(_body(items), indent=2)}\n"


def _body(items: Iterable[Item]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for item in items:
        match item:
            case Attribute(name=name, value=value):
                made[name] = _value(value)
            case Comment(text=text):
                before = made.get(_COMMENT)
                made[_COMMENT] = f"{before} {_one_line(text)}" if before else _one_line(text)
            case Block(type=kind, labels=labels, body=body):
                _add(made, (kind, *labels), _body(body))
    return made


def _add(place: dict[str, Any], path: tuple[str, ...], body: dict[str, Any]) -> None:
    """Put a block where its type and labels lead; several blocks at the same place are a list."""
    *outer, last = path
    for step in outer:
        place = place.setdefault(step, {})
    before = place.get(last)
    if before is None:
        place[last] = body
    elif isinstance(before, list):
        before.append(body)
    else:
        place[last] = [before, body]


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _value(value: object) -> Any:
    match value:
        case StaticReference(text=text):
            return text
        case TextTemplate() | Expression() | str():
            parts = value.parts if isinstance(value, TextTemplate) else (value,)
            return "".join(map(_part, parts))
        case Mapping():
            return {template_text(str(key)): _value(item) for key, item in value.items()}
        case list() | tuple():
            return [_value(item) for item in value]
        case _:
            return value


def _part(part: str | Expression) -> str:
    return f"${{{part.text}}}" if isinstance(part, Expression) else template_text(part)
