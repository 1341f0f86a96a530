"""Objects in the templates of Compositions, as far as they are data: what a template fills in is unknown."""

import re
from collections.abc import Iterator, Sequence

from pulumi_gke_tpu.core.objects import KubernetesObject, read_manifests
from pulumi_gke_tpu.core.objects.document import items, mapping
from pulumi_gke_tpu.core.text.findings import Path
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_ACTION = lazy_pattern(r"\{\{[^{}]{0,2000}\}\}")
_ONLY_ACTIONS = lazy_pattern(r"[ \t]*(?:\{\{-?[ \t]*(?!toYaml|include|indent|nindent)[^}\n]{0,2000}\}\}[ \t]*)+\Z")
_KEYWORD = lazy_pattern(r"\{\{-?[ \t]*(if|with|range|define|block|end)\b")
_VALUE = lazy_pattern(r"(?<=: )[^ \n].*\Z|(?<=- )[^ \n:]+\Z")
"""The value of an entry or an item in one line."""
_DOCUMENT = lazy_pattern(r"[ \t]*---[ \t]*\Z")
_FILLED_IN = lazy_pattern(r"\$\(_*\)")
_RESOURCE_NAME = "gotemplating.fn.crossplane.io/composition-resource-name"
_LARGEST = 1_000_000


def entry_of(found: KubernetesObject) -> str:
    """The name that a template gives an object in its Composition; ``*`` is in place of what the template fills in."""
    return _FILLED_IN.sub("*", str(found.annotations.get(_RESOURCE_NAME) or found.name))


def objects_in_templates(owner: KubernetesObject) -> Iterator[tuple[int, KubernetesObject]]:
    """The objects in the inline templates of a pipeline, each with the index of its step, at its place in the file."""
    for index, step in enumerate(items(owner.spec.get("pipeline"))):
        template = mapping(mapping(mapping(step).get("input")).get("inline")).get("template")
        if isinstance(template, str) and len(template) <= _LARGEST:
            path = (*owner.base, "spec", "pipeline", index, "input", "inline", "template")
            for each in read_manifests([(owner.file.name, _as_data(owner, path).encode())]).objects:
                yield index, each


def _as_data(owner: KubernetesObject, path: Path) -> str:
    """The lines of a template, at their place, without control structures and with unknown values."""
    written = owner.file.written(path) or ""
    first, *lines = written.split("\n")
    if not first.startswith("|"):
        return ""
    start = owner.file.position(path).line
    return "\n" * start + "\n".join(_without_actions(lines))


def _without_actions(lines: Sequence[str]) -> Iterator[str]:
    """Lines in which what an action fills in is unknown, and also each value that a condition in an object decides."""
    opened: list[str] = []
    around = 0
    indentation = next((len(line) - len(line.lstrip()) for line in lines if line.strip()), 0)
    for line in lines:
        for kind in _KEYWORD.findall(line):
            if kind == "end":
                opened = opened[:-1]
            else:
                opened.append(kind)
        if _ONLY_ACTIONS.match(line):
            yield ""
            continue
        if _DOCUMENT.match(line) or line.startswith(("apiVersion:", "kind:"), indentation):
            around = len(opened)
        if _DOCUMENT.match(line):
            yield "---"
            continue
        known = _ACTION.sub(_unknown, line)
        yield known if opened[around:] in ([], ["range"]) else _VALUE.sub(_unknown, known)


def _unknown(match: re.Match[str]) -> str:
    return f"$({'_' * (len(match[0]) - 3)})"
