"""What all tools have in common that keep cloud resources as Kubernetes objects."""

import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.objects import KubernetesObject, is_open
from pulumi_gke_tpu.core.objects.document import mapping, text
from pulumi_gke_tpu.core.objects.open_values import with_defaults
from pulumi_gke_tpu.core.resources.model import Origin, RawResource, SourceFormat, Spelling
from pulumi_gke_tpu.core.resources.object_sources.names import ObjectNames
from pulumi_gke_tpu.core.resources.values import UNKNOWN, Values
from pulumi_gke_tpu.core.text.findings import Path
from pulumi_gke_tpu.core.text.formats.property_path import format_steps
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_NUMBER = lazy_pattern(r"-?\d{1,18}\Z")
_FLAGS = {"true": True, "false": False}
_DEEPEST = 30
_MOST_ITEMS = 1_000


@frozen(eq=False)
class Described:
    """An object that describes a resource, alone or as the template in another object."""

    object: KubernetesObject
    """The object itself. That of a template has its path in the file of the other object."""
    within: KubernetesObject | None = None
    """The object that has the template."""
    entry: str = ""
    """The name of the template in it."""

    @property
    def address(self) -> str:
        """How a person names the object: ``ContainerNodePool/ml/tpu``."""
        own = _address(self.object, self.entry)
        return own if self.within is None else f"{_address(self.within)}: {own}"

    @property
    def key(self) -> tuple[str, str]:
        """What other resources refer to."""
        return self.object.file.name, self.address


def _address(owner: KubernetesObject, name: str = "") -> str:
    own = name if name and is_open(owner.name) else owner.name or name
    return "/".join(filter(None, (owner.kind, owner.namespace, own)))


def known(value: Any, depth: int = 0) -> Any:
    """Data in which each value that a template fills in is unknown."""
    if isinstance(value, str):
        usual = with_defaults(value)
        if is_open(usual):
            return UNKNOWN
        return value if usual == value else int(usual) if _NUMBER.match(usual) else _FLAGS.get(usual, usual)
    if depth > _DEEPEST:
        return UNKNOWN
    if isinstance(value, dict):
        return {key: known(item, depth + 1) for key, item in value.items() if not is_open(key)}
    return [known(item, depth + 1) for item in value] if isinstance(value, list) else value


def fitted(value: Any, types: Mapping[str, str], path: str = "") -> Any:
    """Properties in which text is the number or the boolean that the provider has there: templates quote them."""
    if isinstance(value, dict) and types.get(path) != "map":
        return {key: fitted(item, types, f"{path}.{key}" if path else key) for key, item in value.items()}
    if isinstance(value, list):
        return [fitted(item, types, path) for item in value]
    kind = types.get(path)
    if isinstance(value, str) and kind == "integer" and _NUMBER.match(value):
        return int(value)
    return _FLAGS.get(value, value) if isinstance(value, str) and kind == "boolean" else value


def name_of(described: Described, *, external: object = None) -> Any:
    """The name that the resource has in Google Cloud; unknown if it is generated or filled in.

    ``external`` is the name that the object gives it, if that is another one than its own.
    """
    for name in (external, described.object.metadata.get("name")):
        if isinstance(name, str) and name:
            return UNKNOWN if is_open(name) else name
    return UNKNOWN


def raw_resource(
    described: Described,
    source: SourceFormat,
    resource_type: str,
    values: dict[str, Any],
    *,
    spelling: Spelling,
    refers_to: Mapping[str, tuple[str, ...]],
) -> RawResource:
    """The resource that an object describes."""
    owner, project = described.object, values.get("project")
    name = values.get("name")
    return RawResource(
        type=resource_type,
        name=name if isinstance(name, str) else described.entry or owner.name,
        values=Values(values),
        origin=Origin(
            source, owner.file.name, described.address, lambda path: owner.file.position((*owner.base, *path))
        ),
        project=text(project),
        written=frozenset(values),  # what keeps an object in sync sets every field again and again
        refers_to=refers_to,
        spelling=spelling,
    )


def spelling_of(names: ObjectNames, data: Any, above: Path, *, lists: bool = False) -> Spelling:
    """The spelling of an object whose properties are below a path."""

    def place(path: str) -> Path:
        return (*above, *names.steps(path, data, lists=lists)) if path else above

    return Spelling(written=lambda path: format_steps(place(path)), place=place, words=names.words)


def nearest(candidates: Sequence[Described], described: Described) -> Described | None:
    """The object that a reference means: in the same file, else in the same folder, else the only one of all."""
    file = described.object.file.name
    for near in (file, posixpath.dirname(file), None):
        found = [each for each in candidates if near in (None, each.object.file.name, _folder(each))]
        if found:
            return found[0] if len(found) == 1 else None
    return None


def _folder(described: Described) -> str:
    return posixpath.dirname(described.object.file.name)


def references(targets: Iterable[tuple[str, Described | None]], file: str) -> dict[str, tuple[str, ...]]:
    """Property -> address of the object in the same file that it refers to."""
    return {
        name: (target.address,) for name, target in targets if target is not None and target.object.file.name == file
    }


def templates(owner: KubernetesObject, groups: frozenset[str]) -> Iterator[tuple[KubernetesObject, str]]:
    """The objects of some API groups that are templates in an object, with the names of their entries.

    Each is an object of the same file, at the path of the template.
    """
    waiting: list[tuple[Path, Any, str, int]] = [((), owner.spec, "", 0)]
    while waiting:
        path, value, entry, depth = waiting.pop()
        if depth > _DEEPEST:
            continue
        if isinstance(value, dict):
            kind, version = value.get("kind"), value.get("apiVersion")
            group = version.rpartition("/")[0] if isinstance(version, str) else ""
            if isinstance(kind, str) and group in groups and isinstance(value.get("spec"), dict):
                base = (*owner.base, "spec", *path)
                yield KubernetesObject(owner.index, owner.file, base, value, str(version), kind), entry
                continue
            name = value.get("name", value.get("id"))
            inner = name if isinstance(name, str) else entry
            waiting += [((*path, key), item, inner, depth + 1) for key, item in reversed(value.items())]
        elif isinstance(value, list):
            numbered = [*enumerate(value)]
            waiting += [((*path, index), item, entry, depth + 1) for index, item in reversed(numbered)]


def with_unknown(value: Any, steps: Sequence[str | int]) -> Any:
    """Data in which the value at a path, with all that is around it and not written, is unknown."""
    if not steps or steps[0] == "*":
        return UNKNOWN
    first, rest = steps[0], steps[1:]
    if isinstance(first, int):
        listed = [*value] if isinstance(value, list) else []
        listed += [None] * (first + 1 - len(listed)) if first < _MOST_ITEMS else []
        if first < len(listed):
            listed[first] = with_unknown(listed[first], rest)
        return listed
    holder = mapping(value)
    return {**holder, first: with_unknown(holder.get(first), rest)}
