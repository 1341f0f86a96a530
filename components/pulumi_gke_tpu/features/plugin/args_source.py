"""Writes the source of ``components/args.py``."""

import datetime
import keyword
import textwrap
import types
from collections.abc import Iterator
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import WrapValidator
from pydantic.fields import FieldInfo

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan.base import Form
from pulumi_gke_tpu.core.plan.keys import form_of, inner_type, is_plan_model, names_of, unmarked, written_type
from pulumi_gke_tpu.features.plugin.arguments import COMPONENTS, Arguments, all_arguments, annotation_of, key_text

_ALIASES: dict[Form, str] = {"addon": "Addon", "generation": "Generation"}
"""Form of a key -> the type of its values."""
_WIDTH = 120
_TEXTS = (str, datetime.datetime, datetime.date, datetime.timedelta)

_HEAD = '''"""The arguments of the components: the keys of a plan as typed dictionaries.

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
    return "\n\n".join([_HEAD + _aliases(), *("\n".join(_class(kind)) + "\n" for kind in all_arguments())])


def _aliases() -> str:
    """The names of the catalog as types. A program with a catalog of its own can cast other names."""
    names = names_of(read_catalog())
    lists = {alias: "".join(f'    "{name}",\n' for name in names[form]) for form, alias in _ALIASES.items()}
    return "".join(f"\n{alias} = Literal[\n{lines}]\n" for alias, lines in lists.items())


def _class(kind: Arguments) -> Iterator[str]:
    name = _name(kind)
    if any(keyword.iskeyword(key) for key in kind.own):
        keys = ", ".join(f'"{key}": {_annotated(kind, key, item)}' for key, item in kind.own.items())
        yield f'{name} = TypedDict("{name}", {{{keys}}})'
        yield f'"""{kind.description}"""'
        return
    yield f"class {name}({', '.join(map(_name, kind.bases)) or 'TypedDict'}):"
    yield from _keys_docstring(kind) if kind.name in COMPONENTS else _docstring(kind.description)
    if kind.own:
        yield ""
    for key, item in kind.own.items():
        yield _line(key, _annotated(kind, key, item))
        yield from _docstring(key_text(item, short_forms=True))


def _name(kind: Arguments) -> str:
    return kind.name if kind.name.startswith("_") else f"{kind.name}Args"


def _annotated(kind: Arguments, key: str, item: FieldInfo) -> str:
    annotation = annotation_of(item)
    written = python_type(annotation if is_input(annotation) else written_type(item))
    form = form_of(item)
    alias = _ALIASES.get(form) if form else None
    if alias:
        written = written.replace("str", alias)
    return written if kind.is_required(key) else f"NotRequired[{written}]"


def python_type(annotation: object) -> str:
    """The type of a value in a typed dictionary."""
    if is_input(annotation):
        return f"pulumi.Input[{python_type(inner_type(annotation))}]"
    forms = _alternatives(annotation)
    words = [word for form in forms if get_origin(form) is Literal for word in get_args(form)]
    literal = [f"Literal[{', '.join(_quoted(word) for word in words)}]"] if words else []
    return " | ".join([*literal, *dict.fromkeys(_one_type(form) for form in forms if get_origin(form) is not Literal)])


def _one_type(kind: Any) -> str:
    origin, inner = get_origin(kind), get_args(kind)
    if origin is list:
        return f"Sequence[{python_type(inner[0])}]"
    if origin is dict:
        return f"Mapping[str, {python_type(inner[1])}]"
    if is_plan_model(kind):
        return f"{kind.public_name()}Args"
    return "str" if kind in _TEXTS else "Any" if kind is Any else str(kind.__name__)


def _alternatives(annotation: object) -> list[Any]:
    """The types of a value that has one of several, without None."""
    if get_origin(annotation) is Annotated:
        return _alternatives(unmarked(annotation))
    if get_origin(annotation) not in (Union, types.UnionType):
        return [annotation]
    return [form for item in get_args(annotation) if item is not type(None) for form in _alternatives(item)]


def is_input(annotation: object) -> bool:
    """Whether a model takes a value here that is known later."""
    if get_origin(annotation) is Annotated:
        inner, *marks = get_args(annotation)
        return any(isinstance(mark, WrapValidator) for mark in marks) or is_input(inner)
    return get_origin(annotation) not in (dict, list) and any(is_input(item) for item in get_args(annotation))


def _quoted(word: object) -> str:
    return f'"{word}"' if isinstance(word, str) else repr(word)


def _line(key: str, written: str) -> str:
    line = f"    {key}: {written}"
    if len(line) <= _WIDTH:
        return line
    outer, _, inner = written.removesuffix("]").partition("[")
    return f"    {key}: {outer}[\n        {inner}\n    ]"


def _keys_docstring(kind: Arguments) -> Iterator[str]:
    """The docstring of the arguments of a component, with all keys: ``help`` shows no docstrings of keys."""
    yield f'    """{kind.description}'
    yield ""
    yield "    Args:"
    for key, item in kind.keys.items():
        yield from textwrap.wrap(
            f"{key}: {key_text(item, short_forms=True)}",
            width=_WIDTH,
            initial_indent=" " * 8,
            subsequent_indent=" " * 12,
            break_long_words=False,
            break_on_hyphens=False,
        )
    yield '    """'


def _docstring(text: str) -> Iterator[str]:
    marked = textwrap.wrap(f'"""{text}"""', width=_WIDTH - 4, break_long_words=False, break_on_hyphens=False)
    yield from (f"    {line}" for line in marked)
