"""Reads what Pulumi writes: ``pulumi stack export``, ``pulumi preview --json``, and programs in YAML."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.provider import Provider
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.resource_types import NODE_POOL
from pulumi_gke_tpu.core.objects.document import items, mapping, text
from pulumi_gke_tpu.core.resources.model import Action, Origin, RawResource, Resources, SourceFormat, Unread
from pulumi_gke_tpu.core.resources.open_properties import open_part
from pulumi_gke_tpu.core.resources.pulumi_values import ProgramValues
from pulumi_gke_tpu.core.resources.terraform_names import types_of
from pulumi_gke_tpu.core.resources.values import UNKNOWN, Values, without_reported
from pulumi_gke_tpu.core.text.findings import Path
from pulumi_gke_tpu.core.text.formats.property_path import value_at
from pulumi_gke_tpu.core.text.jsonfile.scan import JsonPart
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.core.text.yamlfile.source import YamlFile

_SIGNATURE = "4dabf18193072939515e22adb298388d"
"""The key of an object that stands for a secret, an asset or a reference to a resource."""
_NOT_KNOWN = frozenset(
    {
        "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
        "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
        "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
        "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
        "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
        "[secret]",
    }
)
"""What a preview has for a text, a boolean, a number, a list and an object that are not known yet, and for a secret."""
_KINDS: Mapping[str, tuple[str, ...]] = {
    "create": ("create",),
    "import": ("no-op",),
    "same": ("no-op",),
    "update": ("update",),
    "replace": ("create", "delete"),
    "create-replacement": ("create", "delete"),
    "delete": ("delete",),
}
"""Step of a preview -> what it does, in the words of Terraform."""
_LINE_OF_EVENTS = lazy_pattern(r"^(?=\{)", re.MULTILINE)


def read_state(resources: JsonPart, file: str, catalog: Catalog) -> Resources:
    """The resources of a stack, by the inputs of its program. Those that wait for deletion are left out."""
    known = frozenset(types_of(catalog).values())
    found = []
    for part in resources.elements():
        data = part.value()
        if _is_of(data, known) and not data.get("delete") and not data.get("external"):
            locate = part.locator(file, "inputs")
            origin = Origin(SourceFormat.PULUMI_STATE, file, str(data.get("urn", "")), locate)
            found.append(_resource(data, data.get("outputs"), origin, catalog.provider))
    return Resources(tuple(found))


def read_preview(steps: JsonPart, file: str, catalog: Catalog) -> Resources:
    """The resources of a preview, as the program wants them; those that it deletes, with their present inputs."""
    return _of_steps(steps.elements(), ("oldState", "newState"), file, catalog)


def read_events(first: JsonPart, file: str, catalog: Catalog) -> Resources:
    """The resources of a preview whose events are one document in each line."""
    events = (first.beside(match.end()) for match in _LINE_OF_EVENTS.finditer(first.text))
    steps = (event.at("resourcePreEvent", "metadata") for event in events if event.has('"resourcePreEvent"'))
    return _of_steps(steps, ("old", "new"), file, catalog)


def _of_steps(steps: Iterable[JsonPart], sides: tuple[str, str], file: str, catalog: Catalog) -> Resources:
    known = frozenset(types_of(catalog).values())
    found: dict[str, RawResource] = {}
    for part in steps:
        step = mapping(part.value())
        kinds = _KINDS.get(text(step.get("op")))
        if kinds is None:
            continue
        side = sides[0] if kinds == ("delete",) else sides[1]
        data, old = mapping(step.get(side)), mapping(step.get(sides[0]))
        if _is_of(data, known):
            urn = str(step.get("urn", data.get("urn", "")))
            origin = Origin(SourceFormat.PULUMI_PREVIEW, file, urn, part.locator(file, side, "inputs"))
            action = Action(kinds, replace_paths=tuple(map(str, items(step.get("replaceReasons")))))
            found.setdefault(urn, _resource(data, old.get("outputs"), origin, catalog.provider, action))
    return Resources(tuple(found.values()))


def _is_of(data: Any, known: frozenset[str]) -> bool:
    return isinstance(data, dict) and isinstance(data.get("type"), str) and data["type"] in known


def _resource(
    data: dict[str, Any], existing: Any, origin: Origin, provider: Provider, action: Action | None = None
) -> RawResource:
    inputs, outputs = (_plain(side) for side in (data.get("inputs"), existing))
    inputs, outputs = ({} if not isinstance(side, dict) else side for side in (inputs, outputs))
    if data["type"] == NODE_POOL:  # after an import, the inputs are what the provider read
        inputs = without_reported(inputs, outputs, provider)
    project = inputs.get("project") or outputs.get("project")
    name = inputs.get("name") or outputs.get("name")
    protect = {"protect": data.get("protect") is True, "deleteBeforeReplace": UNKNOWN, "ignoreChanges": UNKNOWN}
    return RawResource(
        type=data["type"],
        name=name if isinstance(name, str) else origin.address.rpartition("::")[2],
        values=Values({key: value for key, value in inputs.items() if not key.startswith("__")}),
        origin=origin,
        project=text(project),
        before=None if action is not None and existing is None else Values(outputs),
        options=Values(protect),
        action=action,
        refers_to=dict(_references(data.get("propertyDependencies"))),
    )


def _references(written: Any) -> Iterator[tuple[str, tuple[str, ...]]]:
    for name, urns in mapping(written).items():
        if isinstance(urns, list):
            yield name, tuple(urn for urn in urns if isinstance(urn, str))


def _plain(value: Any) -> Any:
    """A value in which secrets, and what is not known yet, are unknown."""
    if isinstance(value, dict):
        return UNKNOWN if _SIGNATURE in value else {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return UNKNOWN if isinstance(value, str) and value in _NOT_KNOWN else value


_REFERENCE = lazy_pattern(r"(?<!\$)\$\{([A-Za-z_][\w-]*)")
OPEN = "only a preview knows them: give the output of `pulumi preview --json`"
_PROGRAM = "resources"
_PROJECT = frozenset({"name", "runtime"})


def is_program(data: Any) -> bool:
    """Whether the data of a YAML file are a project of Pulumi, or a program in YAML."""
    if not isinstance(data, dict) or "apiVersion" in data:
        return False
    resources = data.get(_PROGRAM)
    typed = mapping(resources).values()
    return data.keys() >= _PROJECT or any(isinstance(each, dict) and ":" in str(each.get("type")) for each in typed)


def read_program(
    program: YamlFile, catalog: Catalog, stacks: Mapping[str, Mapping[str, Any]], base: Path = (), within: str = ""
) -> Resources:
    """The resources of a program in YAML, for each stack with its configuration.

    ``base`` is the path of the program in the file; addresses begin with ``within``.
    """
    tokens = {short_type(token): token for token in types_of(catalog).values()}
    data = value_at(program.data, base)
    resources = data.get(_PROGRAM)
    if not isinstance(resources, dict):
        reason = "a Pulumi project, whose program is not data: give the output of `pulumi preview --json`"
        return Resources(unread=(Unread(program.name, reason),))
    found, skipped, unread = [], Counter[str](), dict[str, Unread]()
    for stack, config in (stacks or {"": {}}).items():
        values = ProgramValues(data, config)
        suffix = f" ({stack})" if len(stacks) > 1 else ""
        for name, written in resources.items():
            if not isinstance(written, dict) or "get" in written:
                continue
            token = str(written.get("type"))
            known = tokens.get(short_type(token))
            if known is not None:
                place = _ProgramPlace(program, (*base, _PROGRAM, name), f"{within}{_PROGRAM}.", suffix)
                made = _of_program(place, known, written, values)
                found.append(made)
                line = program.position(place.path, key=True).line
                unknown = open_part(made, OPEN, part=f"{place.above}{name}", line=line)
                unread |= {} if unknown is None else {name: unknown}
            elif token.startswith("gcp:"):
                skipped[token] += 1
    return Resources(tuple(found), skipped, unread=tuple(unread.values()))


def short_type(token: str) -> str:
    """A type without the name of its file: gcp:container:NodePool for gcp:container/nodePool:NodePool."""
    package, _, rest = token.partition(":")
    module, _, name = rest.rpartition(":")
    return f"{package}:{module.partition('/')[0]}:{name}"


@frozen(eq=False)
class _ProgramPlace:
    """Where the program of a stack has a resource."""

    program: YamlFile
    path: Path
    above: str
    """What is in front of the name in its address."""
    suffix: str
    """The stack, behind the name; empty if there is only one."""


def _of_program(
    place: _ProgramPlace, token: str, written: dict[str, Any], program_values: ProgramValues
) -> RawResource:
    """A resource of one stack."""
    name, suffix = place.path[-1], place.suffix
    properties, options = (written.get(key) for key in ("properties", "options"))
    properties, options = ({} if not isinstance(each, dict) else each for each in (properties, options))
    values = {key: program_values.value(value) for key, value in properties.items()}
    own, project = values.get("name"), values.get("project", program_values.project)
    return RawResource(
        type=token,
        name=own if isinstance(own, str) else f"{name}{suffix}",
        values=Values(values),
        origin=Origin(
            SourceFormat.PULUMI_PROGRAM,
            place.program.name,
            f"{place.above}{name}{suffix}",
            lambda path: place.program.position((*place.path, "properties", *path)),
        ),
        project=text(project),
        options=Values({key: program_values.value(value) for key, value in options.items()}),
        refers_to={
            key: tuple(
                f"{place.above}{each}{suffix}" for each in dict.fromkeys(_named(value)) if program_values.has(each)
            )
            for key, value in properties.items()
        },
    )


def _named(value: Any) -> Iterator[str]:
    """The names that the expressions in a value refer to."""
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _named(item)
    elif isinstance(value, str):
        yield from _REFERENCE.findall(value)
