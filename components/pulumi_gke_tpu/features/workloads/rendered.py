"""Compares files with the Kubernetes objects of a plan: what the files lack, what the plan lacks, and what differs.

Objects are compared as data, so comments, order of keys and layout of the files do not matter. Objects of others, in
the same files, are left alone: those of gke-tpu have its label.
"""

import dataclasses
import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.kinds.manifest import Manifest, is_managed
from pulumi_gke_tpu.core.objects import KubernetesObject, ManifestFile, placed, read_manifests
from pulumi_gke_tpu.core.objects.document import mapping
from pulumi_gke_tpu.core.plan import Document, Plan
from pulumi_gke_tpu.core.rules.engine.discovery import rules_of
from pulumi_gke_tpu.core.rules.engine.rule import Scope
from pulumi_gke_tpu.core.rules.engine.run import finding_of
from pulumi_gke_tpu.core.text.findings import Finding, Path, sort_findings
from pulumi_gke_tpu.core.text.formats.quantity import parse_quantity

Identity = tuple[str, str, str, str]
"""API group, kind, namespace and name."""


@frozen
class FieldDifference:
    """A field whose value in the files is not that of the plan. ``ABSENT`` is the value of a field that is missing."""

    path: Path
    """In the object; of a field that the files do not have, where it would be."""
    in_files: object = dataclasses.field(hash=False)
    in_plan: object = dataclasses.field(hash=False)


ABSENT = object()
"""The value of a field that does not exist; ``None`` is a value."""


class RenderedFiles:
    """The objects of a cluster, and the objects in the files that should contain them."""

    def __init__(self, plan: Document[Plan], rendered: Iterable[Manifest], objects: Iterable[KubernetesObject]) -> None:
        self.plan = plan
        self._wanted = {_identity(item): item for item in rendered}
        self._found: dict[Identity, list[KubernetesObject]] = {}
        for item in objects:
            self._found.setdefault((item.group, item.kind, item.namespace, item.name), []).append(item)

    @property
    def missing(self) -> tuple[Manifest, ...]:
        """The objects of the plan that no file has."""
        return tuple(item for identity, item in self._wanted.items() if identity not in self._found)

    @property
    def duplicates(self) -> tuple[tuple[KubernetesObject, KubernetesObject], ...]:
        """The objects that an earlier document has too, each with the earlier one."""
        return tuple(
            (other, first)
            for identity, (first, *others) in self._found.items()
            for other in others
            if identity in self._wanted or is_managed(first)
        )

    @property
    def obsolete(self) -> tuple[KubernetesObject, ...]:
        """The objects of gke-tpu in the files that the plan does not have."""
        return tuple(
            first for identity, (first, *_) in self._found.items() if identity not in self._wanted and is_managed(first)
        )

    @property
    def changed(self) -> tuple[tuple[KubernetesObject, FieldDifference], ...]:
        """The fields that differ, of the objects that both have."""
        return tuple(
            (self._found[identity][0], difference)
            for identity, item in self._wanted.items()
            if identity in self._found
            for difference in differences(self._found[identity][0].data, item.object)
        )


def no_longer_rendered(files: Iterable[ManifestFile], rendered: Iterable[Manifest]) -> tuple[KubernetesObject, ...]:
    """The objects of gke-tpu in files of before that no cluster of the plan has any more, those created last first."""
    wanted = {_identity(item) for item in rendered}
    objects = read_manifests((file.name, file.content) for file in files if not file.findings).objects
    found = {(item.group, item.kind, item.namespace, item.name): item for item in objects if is_managed(item)}
    return tuple(reversed([item for identity, item in found.items() if identity not in wanted]))


def compare_files(
    plan: Document[Plan], rendered: Sequence[Manifest], files: Sequence[ManifestFile], catalog: Catalog
) -> tuple[Finding, ...]:
    """Every difference between files and the objects of a cluster, and what makes a file unreadable, sorted."""
    manifests = read_manifests((file.name, file.content) for file in files if not file.findings)
    context = RenderedFiles(plan, rendered, manifests.objects)
    found = [*(finding for file in files for finding in file.findings), *manifests.findings]
    documents, data = manifests.documents, [document.data for document in manifests.documents]
    for rule in rules_of(Scope.RENDERED):
        for hit in rule.check(context) if rule.check is not None else ():
            if hit.document is not None:
                found += hit.document.locate([finding_of(rule, hit, catalog, hit.document.content)])
            else:
                finding = finding_of(rule, hit, catalog, data)
                found.append(placed(documents[int(finding.path[0])], finding))
    return sort_findings(found)


_AMOUNTS = frozenset({"borrowingLimit", "lendingLimit", "nominalQuota", "sizeLimit", "weight"})
_BY_RESOURCE = frozenset({"capacity", "hard", "limits", "requests"})
"""Mappings of resources to amounts."""


def differences(in_files: object, in_plan: object, path: Path = ()) -> Iterator[FieldDifference]:
    """The fields with different values. Entries of lists are compared by name if all have one, otherwise in order."""
    if isinstance(in_files, dict) and isinstance(in_plan, dict):
        for key in dict.fromkeys((*in_plan, *in_files)):
            yield from differences(in_files.get(key, ABSENT), in_plan.get(key, ABSENT), (*path, key))
    elif isinstance(in_files, list) and isinstance(in_plan, list):
        for index, (one, other) in enumerate(_paired(in_files, in_plan)):
            yield from differences(one, other, (*path, index))
    elif (type(in_files) is not type(in_plan) or in_files != in_plan) and not _same_amount(in_files, in_plan, path):
        yield FieldDifference(path, in_files, in_plan)


def _same_amount(one: object, other: object, path: Path) -> bool:
    """Whether two values of a quantity are the same amount in different forms, such as ``4`` and ``"4"``."""
    is_quantity = bool(_AMOUNTS.intersection(path[-1:]) or _BY_RESOURCE.intersection(path[-2:-1]))
    amount = parse_quantity(one) if is_quantity else None
    return amount is not None and amount == parse_quantity(other)


def _paired(in_files: list[Any], in_plan: list[Any]) -> Iterator[tuple[object, object]]:
    """The entries of two lists: those of the files in their order, then those that the files do not have."""
    if len(in_files) != len(in_plan) and (names := _names(in_files)) and (wanted := _names(in_plan)):
        by_name = dict(zip(wanted, in_plan, strict=True))
        for name, entry in zip(names, in_files, strict=True):
            yield entry, by_name.get(name, ABSENT)
        yield from ((ABSENT, by_name[name]) for name in wanted if name not in names)
    else:
        yield from itertools.zip_longest(in_files, in_plan, fillvalue=ABSENT)


def _names(entries: list[Any]) -> list[str]:
    """The names of the entries; none unless every entry has a name of its own."""
    names = [mapping(entry).get("name") for entry in entries]
    texts = [name for name in names if isinstance(name, str)]
    return texts if len(set(texts)) == len(entries) else []


def _identity(item: Manifest) -> Identity:
    metadata = item.object["metadata"]
    group = str(item.object["apiVersion"]).rpartition("/")[0]
    return group, item.kind, str(metadata.get("namespace", "")), item.name
