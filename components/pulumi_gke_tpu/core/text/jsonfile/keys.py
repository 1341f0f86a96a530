"""The JSON form of a value whose keys are not simply the fields of its dataclass.

A dataclass is written with all its fields. ``Keys`` selects, orders and renames instead, and takes values from
properties and parts::

    Quota = Annotated[QuotaHolding, Keys("Quota", "project", "location", Key("metric", "metric.metric"))]
"""

import ast
import datetime
import decimal
import functools
import inspect
import itertools
import sys
import textwrap
import types
from typing import Annotated, Any, NoReturn, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, core_schema

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings import Path
from pulumi_gke_tpu.core.text.jsonfile.fields import Amount, Day, Moment, PathText, Seconds

_FORMS: dict[Any, Any] = {
    datetime.date: Day,
    datetime.datetime: Moment,
    datetime.timedelta: Seconds,
    decimal.Decimal: Amount,
    Path: PathText,
}
"""The JSON form of types that JSON does not have."""


@frozen
class Key:
    """A key of an object."""

    name: str
    at: str = ""
    """The attribute, or the attributes with dots between them, ``name`` if empty. What follows None is None."""
    form: Any = None
    """The type in JSON, if the attribute has another one."""
    text: str = ""
    """The description in the schema, if it is not that of the attribute."""

    @property
    def attributes(self) -> list[str]:
        """The attributes that lead to the value."""
        return (self.at or self.name).split(".")


class Keys:
    """Annotates a class with the name of its objects in the schema and their keys in order. They are only written."""

    def __init__(self, name: str, *keys: str | Key, text: str = "") -> None:
        """``text`` describes the objects in the schema, if the docstring of the class does not."""
        self._name = name
        self._keys = tuple(Key(key) if isinstance(key, str) else key for key in keys)
        self._text = text

    def __get_pydantic_core_schema__(self, kind: type, handler: GetCoreSchemaHandler) -> CoreSchema:
        form = self._form(kind)

        def write(value: Any) -> Any:
            return form(*(functools.reduce(_value, key.attributes, value) for key in self._keys))

        written = core_schema.plain_serializer_function_ser_schema(write, return_schema=handler.generate_schema(form))
        return core_schema.no_info_plain_validator_function(_refuse, serialization=written)

    def _form(self, kind: type) -> Any:
        """A dataclass with the keys as fields."""

        def describe(form: type, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
            reference = handler(core)
            schema = handler.resolve_ref_schema(reference)
            for key in self._keys:
                text = key.text or _documentation(kind, key.attributes)
                schema["properties"][key.name] |= {"description": text} if text else {}
            return reference

        content: dict[str, Any] = {
            "__annotations__": {key.name: key.form or _type_of(kind, key) for key in self._keys},
            "__doc__": self._text or kind.__doc__,
            "__module__": kind.__module__,
            "__get_pydantic_json_schema__": classmethod(describe),
        }
        return frozen(type(self._name, (), content))


def _value(value: Any, name: str) -> Any:
    return None if value is None else getattr(value, name)


def _refuse(data: Any) -> NoReturn:
    raise TypeError("values with Keys are only written")


def _type_of(kind: type, key: Key) -> Any:
    """The type of a key in JSON."""
    found: Any = kind
    optional = False
    for name in key.attributes:
        optional = optional or _without_none(found)[1]
        found = _annotation(_owner(found), name)
    inner, may_be_none = _without_none(found)
    form = _FORMS.get(inner)
    if form is not None:
        return form | None if optional or may_be_none else form
    return found | None if optional else found


def _without_none(kind: Any) -> tuple[Any, bool]:
    """A type without None and without annotations, and whether it had None."""
    while get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    if get_origin(kind) not in (Union, types.UnionType):
        return kind, False
    others = [item for item in get_args(kind) if item is not type(None)]
    optional = len(others) < len(get_args(kind))
    return (_without_none(others[0])[0] if len(others) == 1 else Union[tuple(others)]), optional  # noqa: UP007


def _owner(kind: Any) -> Any:
    """The class that has the attributes of a type."""
    inner = _without_none(kind)[0]
    return get_origin(inner) or inner


def _annotation(owner: Any, name: str) -> Any:
    """The type of a field or property.

    Raises:
        AttributeError: the class has none of this name.
    """
    member = inspect.getattr_static(owner, name, None)
    function = getattr(member, "fget", None) or getattr(member, "func", None)
    if function:
        return get_type_hints(function, include_extras=True)["return"]
    home = next((item for item in owner.__mro__ if name in vars(item).get("__annotations__", {})), None)
    if home is None:
        raise AttributeError(f"{owner.__name__} has no field or property {name}")
    # Only this field: other annotations can name types that are imported for type checkers alone.
    alone = type(home.__name__, (), {"__annotations__": {name: home.__annotations__[name]}})
    return get_type_hints(alone, vars(sys.modules[home.__module__]), include_extras=True)[name]


def _documentation(kind: Any, attributes: list[str]) -> str:
    """The docstring of the attribute at a path."""
    *before, last = attributes
    for name in before:
        kind = _owner(_annotation(_owner(kind), name))
    owner = _owner(kind)
    member = inspect.getattr_static(owner, last, None)
    function = getattr(member, "fget", None) or getattr(member, "func", None)
    if function:
        return inspect.getdoc(function) or ""
    if issubclass(owner, BaseModel):
        return owner.model_fields[last].description or ""
    return next((found[last] for item in owner.__mro__ if last in (found := _field_docstrings(item))), "")


@functools.cache
def _field_docstrings(kind: type) -> dict[str, str]:
    """The texts below the fields of a class."""
    if "__annotations__" not in vars(kind):
        return {}
    (tree,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    body = tree.body if isinstance(tree, ast.ClassDef) else []
    return {
        field.target.id: inspect.cleandoc(text.value.value)
        for field, text in itertools.pairwise(body)
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
        if isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant) and isinstance(text.value.value, str)
    }
