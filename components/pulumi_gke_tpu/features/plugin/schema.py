"""The package schema, made from the arguments and outputs of the components, and as the plugin uses it."""

import datetime
import importlib.metadata
import inspect
import json
import urllib.parse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import pulumi
from pulumi.output import Unknown

import pulumi_gke_tpu
from pulumi_gke_tpu.core.catalog.spelling import camel_case, snake_case
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.builders.cluster import SECRET_COMPONENT_OUTPUTS
from pulumi_gke_tpu.core.graph.resource_types import PACKAGE, token
from pulumi_gke_tpu.core.plan.keys import inner_type, is_plan_model
from pulumi_gke_tpu.core.text import findings
from pulumi_gke_tpu.features.plugin.args_source import is_input
from pulumi_gke_tpu.features.plugin.arguments import (
    COMPONENTS,
    Arguments,
    all_arguments,
    annotation_of,
    first_paragraph,
    in_camel_case,
    key_text,
)

_GCP = importlib.metadata.version("pulumi-gcp")
_MAJOR, _NEXT_MAJOR = int(_GCP.split(".")[0]), int(_GCP.split(".")[0]) + 1
_ACCOUNT = "OWNER"
"""The account on GitHub that releases."""
_REPOSITORY = f"{_ACCOUNT}/pulumi-gke-tpu"
# Outputs that are resources have the types of the SDK of the gcp provider, which the generators do not require by
# themselves; for Go, `go mod tidy` finds it. Without generateExtraInputTypes, the SDK for Go names types that it lacks:
# those of lists and mappings that are plain. Without importBasePath, its files import a folder that it does not have.
_LANGUAGES: dict[str, dict[str, Any]] = {
    "nodejs": {"packageName": "pulumi-gke-tpu", "dependencies": {"@pulumi/gcp": f"^{_GCP}"}},
    "python": {"packageName": "pulumi_gke_tpu", "requires": {"pulumi-gcp": f">={_GCP},<{_NEXT_MAJOR}"}},
    "csharp": {"packageReferences": {"Pulumi": "3.*", "Pulumi.Gcp": f"{_MAJOR}.*"}},
    "java": {"dependencies": {"com.pulumi:gcp": _GCP}},
    "go": {"generateExtraInputTypes": True, "importBasePath": f"github.com/{_REPOSITORY}/sdk/go/gketpu"},
}
_KEYWORDS = ("category/infrastructure", "kind/component", "gcp", "gke", "kubernetes", "tpu")
"""``category/`` and ``kind/`` are words of the Pulumi Registry; the others are for its search."""
_DEPTH = 4
"""Of the properties of a type, each of which has one line."""
_TYPES = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    datetime.datetime: "string",
    datetime.date: "string",
    datetime.timedelta: "string",
}


def package_schema() -> str:
    """The schema as JSON text with a final line break, in the order of the definitions."""
    by_name = {kind.name: kind for kind in all_arguments()}
    components = {token(name): _component(by_name[name]) for name in COMPONENTS}
    types = {name: _object(kind) for name, kind in by_name.items() if not _is_of_python(name)}
    named = json.dumps([components, types])
    schema = {
        "displayName": "GKE TPU",
        "description": first_paragraph(pulumi_gke_tpu),
        "name": PACKAGE,
        "version": (version := pulumi_gke_tpu.__version__),
        "publisher": _ACCOUNT,
        "license": "Apache-2.0",
        "homepage": f"https://{_ACCOUNT}.github.io/pulumi-gke-tpu/",
        "repository": f"https://github.com/{_REPOSITORY}",
        "logoUrl": f"https://raw.githubusercontent.com/{_REPOSITORY}/v{version}/docs/static/logo.png",
        "keywords": list(_KEYWORDS),
        # Where the engine looks for the plugin if it is not installed: the release has an archive for each system.
        "pluginDownloadURL": f"https://github.com/{_REPOSITORY}/releases/download/v{version}",
        "resources": components,
        "types": {token(name): part for name, part in types.items() if f'#/types/{token(name)}"' in named},
        "language": {name: {"respectSchemaVersion": True, **options} for name, options in _LANGUAGES.items()},
    }
    return _written(schema) + "\n"


def _written(value: Any, depth: int = 0) -> str:
    """JSON in which every property of a type has one line."""
    if not isinstance(value, dict) or depth == _DEPTH or not value:
        return json.dumps(value, ensure_ascii=False)
    margin = "  " * depth
    lines = (f"{margin}  {json.dumps(name)}: {_written(item, depth + 1)}" for name, item in value.items())
    return "{\n" + ",\n".join(lines) + f"\n{margin}}}"


def _is_of_python(name: str) -> bool:
    """Whether other languages have no type for a mapping of arguments."""
    return name.startswith("_") or name in COMPONENTS


def _component(kind: Arguments) -> dict[str, Any]:
    component = getattr(pulumi_gke_tpu, kind.name)
    return {
        "isComponent": True,
        "description": first_paragraph(component),
        "type": "object",
        "inputProperties": _properties(kind),
        "requiredInputs": _required(kind),
        **_outputs(component),
    }


def _object(kind: Arguments) -> dict[str, Any]:
    described = {"description": kind.description, "type": "object", "properties": _properties(kind)}
    required = _required(kind)
    return {**described, "required": required} if required else described


def _required(kind: Arguments) -> list[str]:
    return sorted(camel_case(name) for name in kind.keys if kind.is_required(name))


def _properties(kind: Arguments) -> dict[str, Any]:
    return {
        camel_case(name): {"description": in_camel_case(key_text(item)), **_argument(annotation_of(item))}
        for name, item in kind.keys.items()
    }


def _argument(annotation: object) -> dict[str, Any]:
    """The type of an argument; ``plain`` if it takes no value that is known later."""
    described = _type(inner_type(annotation), _argument)
    return described if is_input(annotation) else {"plain": True, **described}


def _outputs(component: type[pulumi.ComponentResource]) -> dict[str, Any]:
    """The outputs: the properties of the class that are outputs of Pulumi, or resources of a provider."""
    described: dict[str, Any] = {}
    required = []
    for name, item in inspect.getmembers(component, lambda item: isinstance(item, property)):
        if name in dir(pulumi.Resource):
            continue
        kind = get_type_hints(item.fget, include_extras=True)["return"]
        if get_origin(kind) is pulumi.Output:
            (kind,) = get_args(kind)
        elif not any(map(_resource_type, (kind, *get_args(kind)))):
            continue  # only for programs in Python
        described[camel_case(name)] = {"description": in_camel_case(first_paragraph(item)), **_output(kind)}
        if name in SECRET_COMPONENT_OUTPUTS:
            described[camel_case(name)]["secret"] = True
        if type(None) not in get_args(kind):
            required.append(camel_case(name))
    return {"properties": described, "required": sorted(required)}


def _output(annotation: object) -> dict[str, Any]:
    resource = _resource_type(annotation)
    return {"$ref": _reference(resource)} if resource else _type(inner_type(annotation), _output)


def _resource_type(annotation: object) -> str:
    """The type token of a resource that an annotation names; empty if it is none."""
    kind, *marks = get_args(annotation) if get_origin(annotation) is Annotated else (annotation,)
    return str(marks[0]) if kind is pulumi.CustomResource and marks else ""


def _reference(resource_type: str) -> str:
    """A resource in the schema of the gcp provider."""
    return f"/gcp/v{_GCP}/schema.json#/resources/{urllib.parse.quote(resource_type, safe=':')}"


def _type(kind: Any, inside: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
    """A type as Pulumi's package schema has it; ``inside`` gives that of a list's items and a mapping's values."""
    origin, inner = get_origin(kind), get_args(kind)
    if is_plan_model(kind):
        return {"$ref": f"#/types/{token(kind.public_name())}"}
    if origin in (list, Sequence):
        return {"type": "array", "items": inside(inner[0])}
    if origin in (dict, Mapping):
        return {"type": "object", "additionalProperties": inside(inner[1])}
    if kind is Any:
        return {"$ref": "pulumi.json#/Any"}
    return {"type": _TYPES[type(inner[0]) if origin is Literal else kind]}


SCHEMA_FILE = Path(__file__).with_name("schema.json")
_TYPE_REFERENCE = "#/types/"

Property = Mapping[str, Any]
"""A property as the schema describes it."""


@frozen
class Package:
    """The schema: its text, and in it the components by token and the object types by token."""

    text: str
    components: Mapping[str, Any]
    types: Mapping[str, Any]

    def arguments(self, token: str, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """Inputs of a component as another language sends them, as arguments in Python.

        Keys get their Python names, whole numbers are integers again. Keys that the schema does not know stay, so
        that they are found wrong instead of being ignored.
        """
        return self._members(inputs, self.components[token]["inputProperties"])

    def outputs(self, token: str, component: pulumi.ComponentResource) -> dict[str, Any]:
        """The outputs of a component under their names in the schema."""
        return {name: getattr(component, snake_case(name)) for name in self.components[token]["properties"]}

    def _members(self, given: Mapping[str, Any], known: Mapping[str, Property]) -> dict[str, Any]:
        return {
            snake_case(name) if name in known else name: self._value(value, known.get(name, {}))
            for name, value in given.items()
            if value is not None  # as in other languages, null is the same as nothing
        }

    def _value(self, value: object, described: Property) -> Any:
        if isinstance(value, float) and value.is_integer():
            return int(value)
        if isinstance(value, Unknown):
            return pulumi.Output.from_input(value)
        if isinstance(value, Mapping):
            reference = described.get("$ref", "")
            if reference.startswith(_TYPE_REFERENCE):
                return self._members(value, self.types[reference.removeprefix(_TYPE_REFERENCE)]["properties"])
            inner = described.get("additionalProperties", {})
            return {name: self._value(item, inner) for name, item in value.items()}
        if isinstance(value, list):
            return [self._value(item, described.get("items", {})) for item in value]
        return value


def read_package() -> Package:
    """The schema that is shipped with this package."""
    text = SCHEMA_FILE.read_text(encoding="utf-8")
    schema = json.loads(text)
    return Package(text, schema["resources"], schema["types"])


def path_as_given(path: findings.Path, inputs: Any) -> findings.Path:
    """The path of a finding with the property names of the caller: bootDisk for boot_disk, other names unchanged."""
    steps: list[str | int] = []
    here = inputs
    for given in path:
        known = not isinstance(given, str) or (isinstance(here, Mapping) and given in here)
        step = given if known else camel_case(str(given))
        steps.append(step)
        inside = isinstance(here, Mapping) or (isinstance(here, list) and isinstance(step, int) and step < len(here))
        here = (here.get(step) if isinstance(here, Mapping) else here[step]) if inside else None
    return tuple(steps)
