"""One fault in a working manifest, by kind of fault, at every field that it is possible in.

A fault is data: the base file, the path of the field (the first step is the number of the document), and what happens
to it. ``broken`` gives the documents with the fault, ``line_of`` the line of a path in their text.
"""

import copy
import functools
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import yaml

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.catalog.naming import resolve
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.objects import ManifestFile
from pulumi_gke_tpu.core.text.findings import Finding
from pulumi_gke_tpu.features.check.manifest_check import ClusterMode, check_manifests

VALID = Path(__file__).parents[1] / "manifests" / "valid"
CATALOG = read_catalog()
MISSING = object()
Steps = tuple[str | int, ...]

CHIPS = "google.com/tpu"
ACCELERATOR, TOPOLOGY = "cloud.google.com/gke-tpu-accelerator", "cloud.google.com/gke-tpu-topology"
_COUNTS = frozenset({"parallelism", "completions", "size", "numOfHosts"})
_NAMES_OF_USERS = frozenset(
    {
        *("labels", "annotations", "matchLabels", "data", "stringData", "nodeLabels", "parameters", "nodeSelector"),
        *("volumeAttributes", "rayStartParams", "limits", "requests", "args", "env", "selector", "cel"),
    }
)
"""Fields whose keys users choose."""
_CHOICES = frozenset({"kind", "apiVersion", "restartPolicy", "completionMode", "effect", "provisioningClassName"})


@frozen
class Fault:
    """A fault of a kind at a path: a field with another value, without a value, or with another name."""

    kind: str
    base: str
    at: Steps
    value: Any = MISSING
    renamed: str = ""

    @property
    def id(self) -> str:
        """The fault in a list of exceptions."""
        return f"{self.base} {self.kind} {'.'.join(map(str, self.at))}"

    @property
    def place(self) -> Steps:
        """The path of the field in the broken file."""
        return (*self.at[:-1], self.renamed) if self.renamed else self.at

    @property
    def mode(self) -> ClusterMode | None:
        """The mode of the clusters that the base file is for."""
        return mode_of(self.base)


def mode_of(base: str) -> ClusterMode | None:
    """The mode of the clusters that a file is for; None for both."""
    folder = base.partition("/")[0]
    return None if folder == "any" else cast(ClusterMode, folder)


@functools.cache
def _documents(base: str) -> tuple[Any, ...]:
    return tuple(yaml.safe_load_all((VALID / base).read_text(encoding="utf-8")))


def documents_of(base: str) -> list[Any]:
    """The documents of a working manifest."""
    return copy.deepcopy([*_documents(base)])


def broken(fault: Any) -> list[Any]:
    """The documents of the base file with the fault."""
    documents = documents_of(fault.base)
    data: Any = documents
    for step in fault.at[:-1]:
        data = data[step]
    last = fault.at[-1]
    if getattr(fault, "renamed", ""):
        entries = [(fault.renamed if key == last else key, value) for key, value in data.items()]
        data.clear()
        data.update(entries)
    elif fault.value is MISSING:
        del data[last]
    elif isinstance(data, list) and last == len(data):
        data.append(fault.value)
    else:
        assert not (isinstance(data, dict) and data.get(last, MISSING) == fault.value), "the field does not change"
        data[last] = fault.value
    return documents


def findings_in(documents: list[Any], mode: ClusterMode | None) -> tuple[str, tuple[Finding, ...]]:
    """The text of documents, and what `check` finds in it."""
    text = yaml.dump_all(documents, Dumper=_Dumper, sort_keys=False, width=1000)
    return text, check_manifests([ManifestFile("broken.yaml", text.encode())], CATALOG, None, mode)


_Dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


@functools.cache
def known_findings(base: str) -> frozenset[tuple[str, Steps]]:
    """The findings of a base file without a fault."""
    _, found = findings_in(documents_of(base), mode_of(base))
    return frozenset((finding.rule, finding.path) for finding in found)


def line_of(text: str, path: Steps) -> int:
    """The line of the value at a path, or of the last part of the path that exists: that of the key in a mapping."""
    node: Any = list(yaml.compose_all(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)))[int(path[0])]
    line = node.start_mark.line
    for step in path[1:]:
        if isinstance(node, yaml.MappingNode):
            pair = next(((key, value) for key, value in node.value if key.value == step), None)
            if pair is None:
                break
            line, node = pair[0].start_mark.line, pair[1]
        else:
            node = node.value[int(step)]
            line = node.start_mark.line
    return int(line) + 1


def faults() -> Iterator[Fault]:
    """Every single fault, in the order of the files."""
    for path in sorted(VALID.rglob("*.yaml")):
        if path.parent != VALID:
            base = path.relative_to(VALID).as_posix()
            for number, document in enumerate(_documents(base)):
                yield from _in(base, (number,), document)


def _in(base: str, at: Steps, value: Any) -> Iterator[Fault]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _of_entry(base, (*at, key), value, inner)
            yield from _in(base, (*at, key), inner)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _in(base, (*at, index), inner)


def _of_entry(base: str, at: Steps, siblings: dict[str, Any], value: Any) -> Iterator[Fault]:
    """The faults of an entry of a mapping."""
    key = str(at[-1])
    if "/" in key or str(at[-2]) not in _NAMES_OF_USERS:
        yield Fault("misspelled key", base, at, renamed=_misspelled(key))
    if key in (ACCELERATOR, TOPOLOGY) or key in _CHOICES:
        yield from (Fault("misspelled value", base, at, _misspelled(text)) for text in [value] if isinstance(text, str))
    if key in (ACCELERATOR, TOPOLOGY) or at[-2:] == ("limits", CHIPS):
        yield Fault("without", base, at)
    if value in ("true", "false") and "/" in key:
        yield Fault("type", base, at, value == "true")
    yield from _of_number(base, at, value)
    if key == TOPOLOGY and isinstance(value, str):
        yield from (Fault("other topology", base, at, other) for other in _other_topologies(siblings, value))


def _of_number(base: str, at: Steps, value: Any) -> Iterator[Fault]:
    """Another number of chips or Pods."""
    if at[-1] == CHIPS and str(value).isdigit():
        yield Fault("twice the chips", base, at, int(value) * 2)
        yield Fault("half of the chips", base, at, int(value) // 2)
        yield Fault("unit", base, at, f"{value}Gi")
    if at[-1] in _COUNTS and type(value) is int:
        yield Fault("one more", base, at, value + 1)
        yield Fault("text", base, at, str(value))


def _misspelled(word: str) -> str:
    """Two letters in the middle change places."""
    prefix, slash, name = word.rpartition("/")
    for middle in itertools.chain(range(len(name) // 2, len(name)), range(len(name) // 2)):
        if name[middle - 1 : middle] != name[middle : middle + 1] and middle > 0:
            return f"{prefix}{slash}{name[: middle - 1]}{name[middle]}{name[middle - 1]}{name[middle + 1 :]}"
    return f"{word}{word[-1:]}"


def _other_topologies(siblings: dict[str, Any], topology: str) -> Iterator[str]:
    """A larger topology of the generation, and one that it does not have."""
    name = resolve(CATALOG, str(siblings[ACCELERATOR])) if ACCELERATOR in siblings else None
    if name is not None:
        rows = CATALOG.generation(name.generation).topologies.rows
        yield from itertools.islice((row.topology for row in reversed(rows) if row.topology != topology), 1)
    sides = topology.split("x")
    yield "x".join([*sides[:-1], "3"])
