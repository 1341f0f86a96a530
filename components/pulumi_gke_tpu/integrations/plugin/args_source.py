"""Writes the source of ``components/args.py``."""

import datetime
import json
import keyword
import textwrap
from collections.abc import Iterator
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import WrapValidator
from pydantic.fields import FieldInfo

from pulumi_gke_tpu.integrations.plugin.arguments import Arguments, all_arguments, annotation_of, key_text
from pulumi_gke_tpu.plan.keys import inner_type, is_plan_model

_WIDTH = 120
_TEXTS = (str, datetime.datetime, datetime.date, datetime.timedelta)

_HEAD = '''"""The arguments of the components: the canonical form of a plan's keys, as typed dictionaries.

A key is an ``Input`` if its value only flows into a property. It is plain if the value decides which resources exist or
which rule applies.

Written by tools/plugin_schema.py from the models in plan/.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict

import pulumi
from typing_extensions import NotRequired
'''


def arguments_source() -> str:
    """The module as it is committed."""
    return "\n\n".join([_HEAD, *("\n".join(_class(kind)) + "\n" for kind in all_arguments())])


def _class(kind: Arguments) -> Iterator[str]:
    name = _name(kind)
    if any(keyword.iskeyword(key) for key in kind.own):
        keys = ", ".join(f'"{key}": {_annotated(kind, key, item)}' for key, item in kind.own.items())
        yield f'{name} = TypedDict("{name}", {{{keys}}})'
        yield f'"""{kind.description}"""'
        return
    yield f"class {name}({', '.join(map(_name, kind.bases)) or 'TypedDict'}):"
    yield from _docstring(kind.description)
    if kind.own:
        yield ""
    for key, item in kind.own.items():
        yield _line(key, _annotated(kind, key, item))
        yield from _docstring(key_text(item))


def _name(kind: Arguments) -> str:
    return kind.name if kind.name.startswith("_") else f"{kind.name}Args"


def _annotated(kind: Arguments, key: str, item: FieldInfo) -> str:
    written = python_type(annotation_of(item))
    return written if kind.is_required(key) else f"NotRequired[{written}]"


def python_type(annotation: object) -> str:
    """The type of a value in a typed dictionary."""
    if is_input(annotation):
        return f"pulumi.Input[{python_type(inner_type(annotation))}]"
    kind = inner_type(annotation)
    if get_origin(kind) is Literal:
        return f"Literal[{', '.join(json.dumps(choice) for choice in get_args(kind))}]"
    if get_origin(kind) is list:
        return f"Sequence[{python_type(get_args(kind)[0])}]"
    if get_origin(kind) is dict:
        return f"Mapping[str, {python_type(get_args(kind)[1])}]"
    if is_plan_model(kind):
        return f"{kind.__name__}Args"
    return "str" if kind in _TEXTS else "Any" if kind is Any else str(kind.__name__)


def is_input(annotation: object) -> bool:
    """Whether a model takes a value here that is known later."""
    if get_origin(annotation) is Annotated:
        inner, *marks = get_args(annotation)
        return any(isinstance(mark, WrapValidator) for mark in marks) or is_input(inner)
    return get_origin(annotation) not in (dict, list) and any(is_input(item) for item in get_args(annotation))


def _line(key: str, written: str) -> str:
    line = f"    {key}: {written}"
    if len(line) <= _WIDTH:
        return line
    outer, _, inner = written.removesuffix("]").partition("[")
    return f"    {key}: {outer}[\n        {inner}\n    ]"


def _docstring(text: str) -> Iterator[str]:
    marked = textwrap.wrap(f'"""{text}"""', width=_WIDTH - 4, break_long_words=False, break_on_hyphens=False)
    yield from (f"    {line}" for line in marked)
