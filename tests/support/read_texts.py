"""What is read from files of other tools, as text: each resource with the place and the spelling of each property."""

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.graph.semantics import plain_path
from pulumi_gke_tpu.core.objects import read_manifests
from pulumi_gke_tpu.core.resources.model import RawResource, Resources
from pulumi_gke_tpu.core.resources.object_sources.read import resources_of
from pulumi_gke_tpu.core.resources.read import ResourceReader
from pulumi_gke_tpu.core.resources.reported import failures
from pulumi_gke_tpu.core.resources.values import UNKNOWN, PartlyKnown
from pulumi_gke_tpu.core.text.formats.property_path import parse_path
from pulumi_gke_tpu.core.text.jsonfile.parsing import JsonError


def read_text(files: Mapping[str, str], catalog: Catalog) -> str:
    """The resources in files that are read together, what is not read of them, and the failures that they report."""
    contents = {name: text.encode() for name, text in files.items()}
    reader = ResourceReader(catalog)
    reader.declare(contents.items())
    lines: list[str] = []
    every: list[RawResource] = []
    objects: dict[str, bytes] = {}
    for name, content in contents.items():
        try:
            found = reader.read(name, content)
        except JsonError as error:
            lines.append(f"{name}: {error}")
            continue
        if found is None or found.objects:
            objects[name] = content if found is None else found.objects
        if found is not None:
            every += found.found
            lines += [f"{name}:", *resources_lines(found)]
    for name, described in resources_of(read_manifests(objects.items()).objects, catalog).items():
        every += described.found
        lines += [f"{name}, objects:", *resources_lines(described)]
    lines += [f"failure of {raw.origin.address}: {_parts(told)}" for raw, told in failures(every)]
    return "".join(f"{line}\n" for line in lines)


def resources_lines(found: Resources) -> Iterator[str]:
    """The lines about one file."""
    for each in found.found:
        yield from _resource_lines(each, "")
    for each in found.alternatives:
        yield from _resource_lines(each, "or ")
    if found.skipped:
        yield f"  skipped: {dict(found.skipped)}"
    for part in found.unread:
        yield f"  unread: {part.file}:{part.line} {part.part}: {part.reason}"
    for refused in (*found.rejected, *filter(None, (found.ends_early,))):
        place = f"{refused.position.line}:{refused.position.column}"
        yield f"  refused: {place} {refused.message}; {', '.join(refused.allowed)}; {refused.fix}"
    if found.plan is not None:
        yield f"  plan {_parts(found.plan)}"


def _resource_lines(each: RawResource, begin: str) -> Iterator[str]:
    before: object = None if each.before is None else dict(_shown(each.before.data))
    if before is not None and before == dict(_shown(each.values.data)):
        before = "the same"
    about: dict[str, object] = {
        "project": each.effective_project,
        "provider": each.google_provider,
        "with pools": each.with_pools,
        "partly known": isinstance(each.values.data, PartlyKnown),
        "action": {} if each.action is None else _parts(each.action),
        "written": sorted(each.written),
        "refers to": dict(each.refers_to),
        "before": before,
        "options": {} if each.options.data is UNKNOWN else dict(_shown(each.options.data)),
    }
    facts = "".join(f", {name} {value}" for name, value in about.items() if value)
    place = f"{each.origin.file} {each.origin.address}".strip()
    yield f"  {begin}{each.type.rpartition(':')[2]} {each.name!r}, {each.origin.source.value} {place}{facts}"
    leaves = [_leaf_text(each, path, value) for path, value in _leaves(each.values.data, "") if path]
    yield f"    {' | '.join(leaves)}"


def _parts(value: Any) -> dict[str, object]:
    """The fields of a record that say something."""
    return {field.name: part for field in dataclasses.fields(value) if (part := getattr(value, field.name))}


def _leaf_text(each: RawResource, path: str, value: object) -> str:
    """The place of a value up to its end, the property, and how the source spells it in a path and in an entry."""
    at, spelling = each.position_of(path), each.spelling
    entry = "unknown" if value is UNKNOWN else spelling.entry(plain_path(parse_path(path)), value)
    written = {spelling.written(path): None, spelling.words(path): None}
    spelled = " or ".join(text for text in written if text != path)
    return f"{at.line}:{at.column}-{at.end_column} {path}{spelled and f' ({spelled})'} {entry}"


def _shown(data: Any) -> Iterator[tuple[str, object]]:
    for path, value in _leaves(data, ""):
        if path:
            yield path, "unknown" if value is UNKNOWN else value


def _leaves(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    """The innermost values, and empty mappings and lists."""
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _leaves(inner, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list) and value:
        for number, inner in enumerate(value):
            yield from _leaves(inner, f"{path}[{number}]")
    else:
        yield path, value
