"""Patches of Kustomize: files that a kustomization names as changes of other objects."""

import posixpath
from collections.abc import Iterable, Iterator
from typing import Any

from pulumi_gke_tpu.core.objects.document import items, mapping

_NAMES = frozenset({"kustomization.yaml", "kustomization.yml"})
_LISTS = ("patches", "patchesStrategicMerge", "patchesJson6902")


def patch_files(documents: Iterable[tuple[str, Any]]) -> frozenset[str]:
    """The normalized names of the files that kustomizations name as patches, from the names and data of all files."""
    return frozenset(
        normalized(posixpath.join(posixpath.dirname(normalized(name)), path))
        for name, data in documents
        if posixpath.basename(normalized(name)) in _NAMES
        for path in _paths(mapping(data))
    )


def normalized(name: str) -> str:
    """The name of a file in the form that names are compared in."""
    return posixpath.normpath(name.replace("\\", "/"))


def _paths(data: dict[str, Any]) -> Iterator[str]:
    """The files of patches; an entry of `patchesStrategicMerge` can also be the patch itself."""
    for key in _LISTS:
        for entry in items(data.get(key)):
            path = mapping(entry).get("path") if isinstance(entry, dict) else entry
            if isinstance(path, str) and path and "\n" not in path:
                yield path
