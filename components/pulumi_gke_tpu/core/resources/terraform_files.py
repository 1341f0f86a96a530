"""Reads the files of a Terraform configuration as data, in HCL and in JSON.

What functions and operators yield is unknown, and so is what a module creates.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.objects import is_open
from pulumi_gke_tpu.core.resources.hcl import HclBlock, HclFile
from pulumi_gke_tpu.core.resources.hcl_values import HclScope
from pulumi_gke_tpu.core.resources.model import Origin, RawResource, Resources, SourceFormat, Unread
from pulumi_gke_tpu.core.resources.terraform_names import names_of, types_of
from pulumi_gke_tpu.core.resources.values import UNKNOWN, Values
from pulumi_gke_tpu.core.text.jsonfile.scan import JsonPart
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_META = frozenset({"count", "for_each", "depends_on", "provider", "lifecycle", "provisioner", "connection", "timeouts"})
"""What a resource block has beside the attributes of the resource."""
_OF_GOOGLE = ("google_", "gcp_")
_MODULE = "a module decides what it creates: give the output of `terraform show -json` of a plan"
_NAME = lazy_pattern(r"[a-z_]+")
_CHECKED = frozenset({"cluster", "placement_policy"})
"""The attributes that can refer to a resource whose properties rules read."""


def read_hcl(file: HclFile, scope: HclScope, catalog: Catalog) -> Resources:
    """The resources of a file in HCL. ``scope`` has what the files of its folder declare."""
    types, found, skipped = types_of(catalog), [], Counter[str]()
    blocks = [block for block in file.root.blocks if block.type == "resource" and len(block.labels) > 1]
    for block in blocks:
        kind = block.labels[0]
        count = block.attributes.get("count")
        if count is not None and scope.value(count.value, {}) == 0:
            continue
        if kind in types:
            referred, ignored = dict(_references(file, block)), [*_ignored(file, block)]
            for suffix, names in scope.instances(block):
                data, origin = scope.data(block, names), _origin(file, block, suffix)
                found.append(_resource(kind, data, origin, catalog, refers_to=referred, ignored=ignored))
        elif kind.startswith(_OF_GOOGLE):
            skipped[kind] += 1
    modules = (block for block in file.root.blocks if block.type == "module")
    unread = [
        Unread(file.source.name, _MODULE, f"module.{'.'.join(each.labels)}", file.source.line_number(each.start))
        for each in modules
    ]
    return Resources(tuple(found), skipped, unread=tuple(unread))


def read_json(members: Mapping[str, JsonPart], file: str, catalog: Catalog) -> Resources:
    """The resources of a file in Terraform's JSON syntax."""
    types, found, skipped = types_of(catalog), [], Counter[str]()
    for kind, instances in members["resource"].members():
        for name, part in instances.members() if kind.startswith(_OF_GOOGLE) else ():
            if kind not in types:
                skipped[kind] += 1
                continue
            data = _known(part.value())
            if isinstance(data, dict):
                origin = Origin(SourceFormat.TERRAFORM_CONFIGURATION, file, f"{kind}.{name}", part.locator(file))
                found.append(_resource(kind, data, origin, catalog, refers_to={}, ignored=_ignored_in(data)))
    modules = members["module"].members() if "module" in members else ()
    unread = tuple(Unread(file, _MODULE, f"module.{name}") for name, _ in modules)
    return Resources(tuple(found), skipped, unread=unread)


def _origin(file: HclFile, block: HclBlock, suffix: str) -> Origin:
    name, address = file.source.name, f"{'.'.join(block.labels)}{suffix}"
    return Origin(SourceFormat.TERRAFORM_CONFIGURATION, name, address, lambda path: file.position(block, path))


def _references(file: HclFile, block: HclBlock) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Property -> the resources of the same folder that it refers to."""
    expressions = list(block.attributes.items())
    expressions += [(inner.type, each) for inner in block.blocks for each in inner.attributes.values()]
    for name, expression in expressions:
        if name in _CHECKED:
            every = (steps for steps in file.references(expression) if steps[0].startswith(_OF_GOOGLE))
            found = tuple(dict.fromkeys(".".join(steps[:2]) for steps in every))
            if found:
                yield ("placementPolicy" if name == "placement_policy" else name), found


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
        ignored = inner.get("ignore_changes") if isinstance(inner, dict) else None
        yield from _NAME.findall(str(ignored or ""))


def _resource(
    kind: str,
    data: dict[str, Any],
    origin: Origin,
    catalog: Catalog,
    *,
    refers_to: Mapping[str, tuple[str, ...]],
    ignored: Iterable[str],
) -> RawResource:
    resource_type = types_of(catalog)[kind]
    names = names_of(catalog, resource_type)
    values = names.properties({key: value for key, value in data.items() if key not in _META})
    name, project, without = values.get("name"), values.get("project"), frozenset(ignored)
    return RawResource(
        type=resource_type,
        name=name if isinstance(name, str) else origin.address.partition(".")[2],
        values=Values(values),
        origin=origin,
        project=project if isinstance(project, str) else "",
        written=frozenset() if "all" in without else frozenset(values) - frozenset(map(names.of, without)),
        refers_to=refers_to,
        spelling=names.spelling,
    )


def _known(value: Any) -> Any:
    """A value in JSON, unknown where an expression yields it."""
    if isinstance(value, dict):
        return {key: _known(item) for key, item in value.items() if key != "//"}
    if isinstance(value, list):
        return [_known(item) for item in value]
    return UNKNOWN if is_open(value) else value
