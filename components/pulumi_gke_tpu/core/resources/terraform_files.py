"""Reads the files of a Terraform configuration as data, in HCL and in JSON.

What resources and data sources yield is unknown, and so is what a module creates whose files are not there.
"""

import dataclasses
import functools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.objects import is_open
from pulumi_gke_tpu.core.objects.document import mapping, text
from pulumi_gke_tpu.core.resources.hcl import HclBlock, HclFile
from pulumi_gke_tpu.core.resources.hcl_functions import is_unknown
from pulumi_gke_tpu.core.resources.hcl_values import HclScope, google_provider
from pulumi_gke_tpu.core.resources.model import Origin, RawResource, Resources, SourceFormat, Unread
from pulumi_gke_tpu.core.resources.open_properties import open_part
from pulumi_gke_tpu.core.resources.terraform_configuration import module_of
from pulumi_gke_tpu.core.resources.terraform_names import names_of, type_in_hcl, types_of
from pulumi_gke_tpu.core.resources.values import UNKNOWN, Values
from pulumi_gke_tpu.core.text.jsonfile.scan import JsonPart
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_META = frozenset({"count", "for_each", "depends_on", "provider", "lifecycle", "provisioner", "connection", "timeouts"})
"""What a resource block has beside the attributes of the resource."""
_MOST_CASES = 50
_OF_GOOGLE = ("google_", "gcp_")
MODULE = "a module decides what it creates: give the output of `terraform show -json` of a plan"
_OPEN = "only a plan knows them: give the output of `terraform show -json`"
_NAME = lazy_pattern(r"[a-z_]+")
_REFERENCE = lazy_pattern(r"(?<![\w.-])(?:google|gcp)_\w+\.[\w-]+")
_CHECKED = frozenset({"cluster", "network", "placement_policy", "subnetwork"})
"""The attributes that can refer to a resource whose properties rules read."""


def read_hcl(file: HclFile, scopes: Iterable[tuple[str, HclScope]], catalog: Catalog) -> Resources:
    """The resources of a file in HCL.

    ``scopes`` are the modules that the files of its folder are: the address in front of the resources, and the names.
    """
    found, cases, open_parts = [], list[RawResource](), dict[int, Unread]()
    every = [block for block in file.root.blocks if block.type == "resource" and len(block.labels) > 1]
    types = {kind: type_in_hcl(kind, catalog) for kind in {block.labels[0] for block in every}}
    blocks = [(block, known) for block in every if (known := types[block.labels[0]]) is not None]
    referred = {block.start: (dict(_references(file, block)), [*_ignored(file, block)]) for block, _ in blocks}
    for module, scope in scopes:
        for block, resource_type in blocks:
            references, ignored = referred[block.start]
            here = {name: tuple(f"{module}{each}" for each in others) for name, others in references.items()}
            provider = scope.google_provider(_provider(file, block))
            for suffix, names in scope.instances(block):
                data = scope.data(block, names)
                of = functools.partial(
                    _resource,
                    resource_type,
                    origin=_origin(file, block, module, suffix),
                    catalog=catalog,
                    refers_to=here,
                    ignored=ignored,
                    provider=provider,
                )
                made = of(data)
                found.append(made)
                if len(cases) < _MOST_CASES and is_unknown(data):
                    cases += map(of, scope.in_each_case(block, names))
                unknown = open_part(made, _OPEN) if block.start not in open_parts else None
                open_parts |= {} if unknown is None else {block.start: unknown}
    kinds = (block.labels[0] for block in every)
    skipped = Counter(kind for kind in kinds if types[kind] is None and kind.startswith(_OF_GOOGLE))
    return Resources(tuple(found), skipped, unread=tuple(open_parts.values()), alternatives=tuple(cases))


def read_json(members: Mapping[str, JsonPart], file: str, catalog: Catalog) -> Resources:
    """The resources of a file in Terraform's JSON syntax."""
    types, found, skipped = types_of(catalog), [], Counter[str]()
    required = _required_providers(members)
    for kind, instances in _labelled(members["resource"]):
        for name, part in _labelled(instances) if kind.startswith(_OF_GOOGLE) else ():
            if kind not in types:
                skipped[kind] += 1
                continue
            for body in (part, *part.elements()):
                if body.first == "{":
                    origin = Origin(SourceFormat.TERRAFORM_CONFIGURATION, file, f"{kind}.{name}", body.locator(file))
                    found.append(_of_body(types[kind], body.value(), origin, required, catalog))
    modules = _labelled(members["module"]) if "module" in members else ()
    unread = tuple(Unread(file, MODULE, f"module.{name}") for name, _ in modules)
    return Resources(tuple(found), skipped, unread=unread)


def _of_body(
    resource_type: str, data: dict[str, Any], origin: Origin, required: Mapping[str, Any], catalog: Catalog
) -> RawResource:
    written = data.get("provider", origin.address.partition("_")[0])
    made = _resource(
        resource_type,
        _known(data),
        origin,
        catalog,
        refers_to=dict(_references_in(data)),
        ignored=_ignored_in(data),
        provider=google_provider(written, required) if required and isinstance(written, str) else "",
    )
    return dataclasses.replace(made, spelling=names_of(catalog, resource_type).spelling_in_json)


def _labelled(part: JsonPart) -> Iterator[tuple[str, JsonPart]]:
    """The blocks with a label: the members of an object, or of every object in a list."""
    yield from part.members()
    for each in part.elements():
        yield from each.members()


def _provider(file: HclFile, block: HclBlock) -> str:
    """The provider of a resource, as it is written."""
    written = block.attributes.get("provider")
    if written is None:
        return block.labels[0].partition("_")[0]
    return file.source.text[written.start : written.end]


def _required_providers(members: Mapping[str, JsonPart]) -> dict[str, Any]:
    """What a file in JSON says of providers: another file of the folder can say it instead."""
    settings = members["terraform"].value() if "terraform" in members else None
    for inner in settings if isinstance(settings, list) else [settings]:
        required = mapping(inner).get("required_providers")
        if isinstance(required, dict):
            return required
    return {}


def _origin(file: HclFile, block: HclBlock, module: str, suffix: str) -> Origin:
    name, address = file.source.name, f"{module}{'.'.join(block.labels)}{suffix}"
    return Origin(SourceFormat.TERRAFORM_CONFIGURATION, name, address, lambda path: file.position(block, path))


def _references(file: HclFile, block: HclBlock) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Property -> the resources of the same folder that it refers to."""
    expressions = list(block.attributes.items())
    expressions += [(inner.type, each) for inner in block.blocks for each in inner.attributes.values()]
    for name, expression in expressions:
        if name in _CHECKED:
            every = (steps for steps in file.references(expression) if steps[0].startswith(_OF_GOOGLE))
            yield from _named(name, (".".join(steps[:2]) for steps in every))


def _named(attribute: str, addresses: Iterable[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The property of an attribute with the resources that it refers to, if there are any."""
    found = tuple(dict.fromkeys(addresses))
    if found:
        yield ("placementPolicy" if attribute == "placement_policy" else attribute), found


def _references_in(data: dict[str, Any]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The same in Terraform's JSON syntax, where expressions are templates in texts."""
    inner = (each for value in data.values() for each in (value if isinstance(value, list) else [value]))
    for name, value in (*data.items(), *(entry for each in inner for entry in mapping(each).items())):
        if name in _CHECKED and isinstance(value, str):
            yield from _named(name, _REFERENCE.findall(value))


def _ignored(file: HclFile, block: HclBlock) -> Iterator[str]:
    """The attributes whose changes a resource ignores; ``all`` for every one."""
    for inner in block.blocks:
        expression = inner.attributes.get("ignore_changes") if inner.type == "lifecycle" else None
        if expression is not None:
            yield from _NAME.findall(file.source.text[expression.start : expression.end])


def _ignored_in(data: dict[str, Any]) -> Iterator[str]:
    """The same in Terraform's JSON syntax, where a single block can be a list."""
    lifecycle = data.get("lifecycle")
    for inner in lifecycle if isinstance(lifecycle, list) else [lifecycle]:
        ignored = mapping(inner).get("ignore_changes")
        yield from _NAME.findall(str(ignored or ""))


def _resource(
    resource_type: str,
    data: dict[str, Any],
    origin: Origin,
    catalog: Catalog,
    *,
    refers_to: Mapping[str, tuple[str, ...]],
    ignored: Iterable[str],
    provider: str,
) -> RawResource:
    names = names_of(catalog, resource_type)
    values = names.properties({key: value for key, value in data.items() if key not in _META})
    name, project, without = values.get("name"), values.get("project"), frozenset(ignored)
    return RawResource(
        type=resource_type,
        name=name if isinstance(name, str) else _label(origin.address),
        values=Values(values),
        origin=origin,
        project=text(project),
        written=frozenset() if "all" in without else frozenset(values) - frozenset(map(names.of, without)),
        refers_to=refers_to,
        spelling=names.spelling,
        google_provider=provider,
    )


def _label(address: str) -> str:
    """The name in the address of a resource, with its index."""
    return address.removeprefix(module_of(address)).partition(".")[2]


def _known(value: Any) -> Any:
    """A value in JSON, unknown where an expression or a dynamic block yields it."""
    if isinstance(value, dict):
        found = {key: _known(item) for key, item in value.items() if key != "//"}
        dynamic = found.pop("dynamic") if isinstance(found.get("dynamic"), dict) else {}
        return found | dict.fromkeys(dynamic, UNKNOWN)
    if isinstance(value, list):
        return [_known(item) for item in value]
    return UNKNOWN if is_open(value) else value
