"""Makes the package schema: properties from the components' annotations, descriptions from the plan's models.

Run by tools/plugin_schema.py; the plugin itself reads what that has written.
"""

import inspect
import json
from typing import Any

from pulumi.provider.experimental.analyzer import Analyzer
from pulumi.provider.experimental.component import ComponentProvider
from pydantic import BeforeValidator
from pydantic.fields import FieldInfo

import pulumi_gke_tpu
from pulumi_gke_tpu.catalog.spelling import snake_case
from pulumi_gke_tpu.components import args
from pulumi_gke_tpu.components.autopilot import AutopilotCluster
from pulumi_gke_tpu.components.cluster import SECRET_OUTPUTS
from pulumi_gke_tpu.components.slices import TpuSlices
from pulumi_gke_tpu.components.standard import StandardCluster
from pulumi_gke_tpu.components.tokens import PACKAGE, token
from pulumi_gke_tpu.components.tpu_fleet import TpuFleet
from pulumi_gke_tpu.integrations.plugin.words import choices, in_camel_case
from pulumi_gke_tpu.plan import Cluster, Plan, SliceGroup
from pulumi_gke_tpu.plan.base import PlanModel
from pulumi_gke_tpu.plan.keys import documented_keys, field_of, inner_type, is_plan_model

_MODELS: dict[Any, tuple[type[PlanModel], ...]] = {
    TpuFleet: (Plan,),
    StandardCluster: (Cluster, Plan),
    AutopilotCluster: (Cluster, Plan),
    TpuSlices: (SliceGroup, Plan),
}
"""Component -> the parts of a plan that its arguments say, the nearest first."""


def package_schema() -> str:
    """The schema as JSON text with a final line break, in the order of the definitions."""
    schema = json.loads(ComponentProvider(list(_MODELS), PACKAGE, None, pulumi_gke_tpu.__version__).schema or "")
    del schema["dependencies"]  # on packages whose types are named, which are none
    # Without it, the SDK for Go names types that it lacks: those of lists and mappings that are plain.
    schema["language"]["go"]["generateExtraInputTypes"] = True
    analyzer = Analyzer(PACKAGE)
    for component, models in _MODELS.items():
        resource = schema["resources"][token(component.__name__)]
        resource["description"] = _first_paragraph(component)
        kind = getattr(args, f"{component.__name__}Args")
        _describe(resource["inputProperties"], analyzer, models, (kind, args._PlanKeys))
        _describe(resource["properties"], analyzer, (), component.__mro__)
        for name, described in resource["properties"].items():
            if snake_case(name) in SECRET_OUTPUTS:
                described["secret"] = True
    parts = {f"{PACKAGE}:index:{part.__name__}Args": part for part in _parts()}
    for name, described in schema["types"].items():
        described["description"] = _first_paragraph(parts[name])
        _describe(described["properties"], analyzer, (parts[name],), (getattr(args, name.rsplit(":", 1)[1]),))
    named = {"displayName": "GKE TPU", "description": _first_paragraph(pulumi_gke_tpu), **_without_suffix(schema)}
    return json.dumps(named, indent=2, ensure_ascii=False) + "\n"


def _parts() -> set[type[PlanModel]]:
    """Every part of a plan that has keys of its own."""
    return {part for _, _, part in documented_keys(Plan)}


def _describe(
    properties: dict[str, Any], analyzer: Analyzer, models: tuple[type[PlanModel], ...], classes: tuple[Any, ...]
) -> None:
    """Say what each property is: as the plan says it, or, where no plan has such a key, as the class does."""
    for name, described in properties.items():
        key = snake_case(name)
        fields = [field for model in models if (field := field_of(model, key))]
        told = (analyzer.get_docstring(kind, key) for kind in classes)
        text = key_text(fields[0]) if fields else ""
        described["description"] = in_camel_case(text) or next(filter(None, told))
        for inner in ("items", "additionalProperties"):
            described.get(inner, {}).pop("description", None)


def key_text(field: FieldInfo) -> str:
    """What a key of the plan means where every value has one type, so without the short forms of a plan file."""
    kind = inner_type(field.annotation)
    if is_plan_model(kind) and any(isinstance(rule, BeforeValidator) for rule in field.metadata):
        return _first_paragraph(kind)
    text = field.description or ""
    words = tuple(map(str, choices(kind)))
    if text and not all(word in text for word in words):
        text += f" One of {', '.join(words)}."
    if text and isinstance(field.default, str | int) and field.default:
        text += f" Default: {str(field.default).lower()}."
    return text


def _first_paragraph(documented: Any) -> str:
    text = inspect.getdoc(documented) or ""
    return " ".join(text.split("\n\n")[0].split())


def _without_suffix(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with types called SliceGroup, not SliceGroupArgs: Pulumi puts Args after them again."""
    names = {name: name.removesuffix("Args") for name in schema["types"]}
    schema["types"] = {names[name]: described for name, described in schema["types"].items()}

    def rename(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: _reference(item, names) if key == "$ref" else rename(item) for key, item in value.items()}
        return value

    renamed: dict[str, Any] = rename(schema)
    return renamed


def _reference(text: str, names: dict[str, str]) -> str:
    prefix = "#/types/"
    return prefix + names[text.removeprefix(prefix)] if text.startswith(prefix) else text
