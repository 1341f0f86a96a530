"""Walks the models of a plan: the keys that exist at a path, and their types."""

import functools
import types
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BeforeValidator
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.plan.base import Form, ImportedLater, PlanModel
from pulumi_gke_tpu.core.text.findings import Path


def unmarked(annotation: object) -> Any:
    """An annotation without ``Annotated``; a model that is imported later is imported."""
    while get_origin(annotation) is Annotated:
        inner, *marks = get_args(annotation)
        annotation = next((mark.model for mark in marks if isinstance(mark, ImportedLater)), inner)
    return annotation


def inner_type(annotation: object) -> Any:
    """An annotation without ``| None`` and ``Annotated``."""
    while True:
        if get_origin(annotation) is Annotated:
            annotation = unmarked(annotation)
        elif get_origin(annotation) in (Union, types.UnionType):
            annotation = next(item for item in get_args(annotation) if item is not type(None))
        else:
            return annotation


def written_type(field: FieldInfo) -> Any:
    """The type of a key as a file contains it, short forms included."""
    forms = (mark.json_schema_input_type for mark in field.metadata if isinstance(mark, BeforeValidator))
    return next((form for form in forms if form is not PydanticUndefined), field.annotation)


def is_plan_model(kind: object) -> bool:
    """Whether a type is a mapping with known keys."""
    return isinstance(kind, type) and issubclass(kind, PlanModel)


def type_at(root: type[PlanModel], path: Path) -> Any:
    """The type of the value at a path below ``root``; None if the path does not exist."""
    kind: Any = root
    for step in path:
        if is_plan_model(kind):
            field = field_of(kind, str(step))
            kind = inner_type(field.annotation) if field else None
        elif get_origin(kind) is dict:
            kind = inner_type(get_args(kind)[1])
        elif get_origin(kind) is list:
            kind = inner_type(get_args(kind)[0])
        else:
            return None
    return kind


def steps_of(location: Iterable[int | str]) -> Path:
    """The path of an error of pydantic, which marks an invalid key of a mapping with an additional step."""
    return tuple(step for step in location if isinstance(step, int) or step != "[key]")


def field_of(part: type[PlanModel], name: str) -> FieldInfo | None:
    """The field of a key, by its name in the file."""
    for field_name, field in part.model_fields.items():
        if (field.alias or field_name) == name:
            return field
    return None


@functools.cache
def key_names(part: type[PlanModel]) -> tuple[str, ...]:
    """The keys of a mapping, in the order of their definition."""
    return tuple(field.alias or name for name, field in part.model_fields.items())


def form_of(field: FieldInfo) -> Form | None:
    """The form of the texts of a key; None for a key without one."""
    extra: Any = field.json_schema_extra
    return extra.get("form") if isinstance(extra, dict) else None


def names_of(catalog: Catalog) -> Mapping[Form, tuple[str, ...]]:
    """The names of a catalog, by the form of the keys that have such a name as value."""
    return {"addon": tuple(sorted(catalog.platform.addons)), "generation": tuple(catalog.generation_names)}


def meaning_on_autopilot(field: FieldInfo) -> str:
    """The meaning of a key on an Autopilot cluster, as one of ``OnAutopilot``."""
    extra = field.json_schema_extra
    return str(extra.get("autopilot", "same")) if isinstance(extra, dict) else "same"


def alternative_on_autopilot(field: FieldInfo) -> str:
    """The alternative to a key on an Autopilot cluster, in one clause; empty if the key means the same there."""
    extra = field.json_schema_extra
    return str(extra.get("instead", "")) if isinstance(extra, dict) else ""


def meaning_on_existing(field: FieldInfo) -> str:
    """The meaning of a key on a cluster that exists already, as one of ``OnExisting``."""
    extra = field.json_schema_extra
    return str(extra.get("existing", "same")) if isinstance(extra, dict) else "same"


def alternative_on_existing(field: FieldInfo) -> str:
    """The alternative to a key on a cluster that exists already, in one clause; empty if the key is allowed there."""
    extra = field.json_schema_extra
    return str(extra.get("instead_existing", "")) if isinstance(extra, dict) else ""


def alternative_with_class(field: FieldInfo) -> str:
    """The alternative to a key of a group that a ComputeClass serves, in one clause; empty if the key is allowed."""
    extra = field.json_schema_extra
    return str(extra.get("instead_class", "")) if isinstance(extra, dict) else ""


def documented_keys(part: type[PlanModel], prefix: str = "") -> Iterator[tuple[str, FieldInfo, type[PlanModel]]]:
    """Every key below a model with its dotted path, depth first; ``*`` is a name that the user chooses."""
    for name, field in part.model_fields.items():
        path = f"{prefix}{field.alias or name}"
        yield path, field, part
        kind = inner_type(field.annotation)
        if get_origin(kind) in (dict, list):
            path += ".*" if get_origin(kind) is dict else "[]"
            kind = inner_type(get_args(kind)[-1])
        if is_plan_model(kind):
            yield from documented_keys(kind, f"{path}.")


def as_written(data: Any, path: Path) -> Path:
    """The path in plain data of a path in canonical form. They differ where the data uses a shorthand."""
    out: list[str | int] = []
    for step in path:
        if isinstance(data, str):
            break  # a word that stands for a mapping
        if (
            isinstance(data, dict)
            and step not in data
            and step in ("min", "max")
            and isinstance(data.get("count"), dict)
        ):
            out.append("count")
            data = data["count"]
        elif isinstance(data, dict) and step == "existing" and step not in data:
            continue
        try:
            data = data[step]
        except (KeyError, IndexError, TypeError):
            data = None
        out.append(step)
    return tuple(out)
