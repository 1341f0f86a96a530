"""Tells the files of other tools from manifests: answers of gcloud, Terraform plans and states, Pulumi states."""

import dataclasses
import functools
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from typing import TYPE_CHECKING

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.objects import ManifestFile, Manifests, OtherDocument
from pulumi_gke_tpu.core.objects.manifests import ObjectList
from pulumi_gke_tpu.core.objects.outlines import LIMITS, listed_kind, why_missing
from pulumi_gke_tpu.core.resources.recognition import TABLE_ENDINGS, may_describe_resources, may_have_resources
from pulumi_gke_tpu.core.rules.files.reading import incomplete_plan, nothing_read
from pulumi_gke_tpu.core.rules.files.scripts import script_findings
from pulumi_gke_tpu.core.text.findings import Finding, listed, number
from pulumi_gke_tpu.core.text.jsonfile.parsing import JsonError, parse_json
from pulumi_gke_tpu.core.text.yamlfile.file import unreadable
from pulumi_gke_tpu.features.check.manifest_check import read_files

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.output.read_sources import NotRead, ReadSources
    from pulumi_gke_tpu.core.resources.model import RawResource, Resources


@frozen(eq=False, slots=False)
class CheckedFiles:
    """The files of a command: manifests, and resources by file."""

    manifests: Manifests
    resources: "dict[str, Resources]"
    asked: frozenset[str] = frozenset()
    """The files that somebody named, not a folder around them."""
    missing: Mapping[str, str] = field(default_factory=dict)
    """The answers that snapshots do not have, with the reason."""

    @functools.cached_property
    def found(self) -> "list[RawResource]":
        """The resources of all files."""
        return [resource for file in self.resources.values() for resource in file.found]

    @property
    def alternatives(self) -> "list[RawResource]":
        """What some of the resources are in each of several cases."""
        return [resource for file in self.resources.values() for resource in file.alternatives]

    @property
    def has_manifests(self) -> bool:
        """Whether there are documents of manifests, or files that could not be read."""
        return bool(self.manifests.documents or self.manifests.findings)

    @property
    def read_sources(self) -> "ReadSources":
        """What was read, and what was not."""
        from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NODE_POOL
        from pulumi_gke_tpu.core.output.read_sources import ReadSources

        types = Counter(each.type for each in self.found)
        clusters, pools = types[CLUSTER], types[NODE_POOL]
        places = [(owner.file.name, owner.file.position(owner.base)) for owner in self.manifests.objects]
        files = {name for name, _ in places}
        described = {(each.origin.file, each.origin.locate(())) for each in self.found if each.origin.file in files}
        objects = sum(place not in described for place in places)
        not_read = sorted(self._not_read(), key=lambda each: (each.file, each.line))
        return ReadSources(clusters, pools, len(self.found) - clusters - pools, objects, tuple(not_read))

    def _not_read(self) -> "Iterator[NotRead]":
        from pulumi_gke_tpu.core.output.read_sources import not_read

        for name, found in self.resources.items():
            yield from (not_read(each.file, each.reason, each.part, each.line) for each in found.unread)
            if found.skipped:
                part = f"{number(sum(found.skipped.values()), 'resource')} of other types"
                yield not_read(name, listed([*found.skipped], "and", most=_MOST_TYPES), part)
            if found.plan is not None and found.plan.deferred:
                yield not_read(name, "Terraform defers them", number(len(found.plan.deferred), "resource"))
        yield from (not_read(name, reason) for name, reason in self.missing.items())
        files = {owner.file.name for owner in self.manifests.objects}
        for other in self.manifests.strange:
            if other.file.name not in files:
                yield not_read(other.file.name, _reason(other), line=other.file.position(other.base).line)

    @property
    def unusable(self) -> tuple[Finding, ...]:
        """The findings about incomplete plans, commands that gcloud refuses, and named files without anything read."""
        plans = ((name, found.plan) for name, found in self.resources.items())
        incomplete = [incomplete_plan(name) for name, plan in plans if plan is not None and plan.errored]
        refused = [finding for file in self.resources.values() for finding in script_findings(file)]
        return (*incomplete, *refused, *(nothing_read(name, reason) for name, reason in self._empty()))

    def _empty(self) -> Iterator[tuple[str, str]]:
        """Files that could have resources and have none that is known, with the reason."""
        objects = {owner.file.name for owner in self.manifests.objects}
        nothing = not self.found and not objects
        for name, found in self.resources.items():
            if found.found or found.plan is not None or name in objects:
                continue
            if found.unread and (nothing or name in self.asked):
                yield name, found.unread[0].reason
            elif nothing and not name.endswith(".json"):  # plans and states of nothing are JSON
                yield name, "it has no clusters and no node pools"


def _reason(other: OtherDocument) -> str:
    """Why nothing in a document was read."""
    if other.template:
        return "a template: render it first"
    if other.patch:
        return "a patch of a kustomization: give the output of `kubectl kustomize`"
    if other.data is None and not other.invalid:
        return "empty"
    if isinstance(other.data, dict) and "deployment_groups" in other.data:
        return "a blueprint of Cluster Toolkit: `gke-tpu adopt --from gcluster` makes a plan of it"
    return "no Kubernetes object, and no file of a tool that is read"


_MOST_TYPES = 5


def sorted_files(files: Iterable[ManifestFile], catalog: Catalog) -> CheckedFiles:
    """Read the resources of other tools, and the documents of all other files, which can describe resources too."""
    every = tuple(files)
    files = tuple(file for file in every if file.asked or not file.name.endswith(TABLE_ENDINGS))
    files = tuple(file for file in files if not (file.in_snapshot and _is_beside(file.name)))
    manifests = files
    resources: dict[str, Resources] = {}
    if any(may_have_resources(file.name, file.content) for file in files):
        manifests, resources = _of_other_tools(files, every, catalog)
    read = read_files(manifests)
    lists = dict(_lists(files, catalog))
    read = dataclasses.replace(read, lists=lists) if lists else read
    if not read.objects and not resources:  # also in a folder, there is nothing that was checked
        read = dataclasses.replace(read, others=tuple(dataclasses.replace(each, asked=True) for each in read.others))
    if any(may_describe_resources(owner.group) for owner in read.objects):
        from pulumi_gke_tpu.core.resources.object_sources.read import resources_of

        resources |= resources_of(read.objects, catalog)
    return CheckedFiles(read, resources, frozenset(file.name for file in files if file.asked), _missing(every))


def _is_beside(name: str) -> bool:
    """Whether a file in the folder of a snapshot is none of its answers: the script, its role, and errors."""
    file = os.path.basename(name)
    return file in ("snapshot.json", "read.sh", "role.yaml") or file.endswith((".err", ".txt"))


def _missing(files: Iterable[ManifestFile]) -> dict[str, str]:
    """The answers of snapshots that are missing, with the errors of their commands."""
    errors = (file for file in files if file.in_snapshot and file.name.endswith(".err"))
    told = {file.name.removesuffix(".err"): why_missing(file.content.decode("utf-8", "replace")) for file in errors}
    return {name: reason for name, reason in told.items() if reason}


def _lists(files: Iterable[ManifestFile], catalog: Catalog) -> Iterator[tuple[str, ObjectList]]:
    for file in files:
        folder, name = os.path.split(file.name)
        found = catalog.reads.of_file(name) if file.in_snapshot and name.endswith(".jsonl") else None
        if found is not None:
            yield file.name, ObjectList(folder, found[1], listed_kind(found[0], catalog.statuses))


def _of_gcloud(file: ManifestFile, catalog: Catalog) -> bool:
    """Whether a file is an answer of gcloud in a snapshot, which may have nothing to check.

    Raises:
        JsonError: it is not JSON.
    """
    name = os.path.basename(file.name)
    if not file.in_snapshot or name.endswith(".jsonl") or catalog.reads.of_file(name) is None:
        return False
    parse_json(file.content, LIMITS)
    return True


def _of_other_tools(
    files: Iterable[ManifestFile], every: Iterable[ManifestFile], catalog: Catalog
) -> "tuple[tuple[ManifestFile, ...], dict[str, Resources]]":
    """The files that are of no other tool, and the resources of the others. ``every`` has the tables beside them."""
    from pulumi_gke_tpu.core.resources.model import Resources
    from pulumi_gke_tpu.core.resources.read import ResourceReader  # most files are manifests

    reader, manifests, resources = ResourceReader(catalog), [], {}
    reader.declare((file.name, file.content) for file in every)
    for file in files:
        found = None
        try:
            found = reader.read(file.name, file.content) if not file.findings else None
            if not file.findings and (found is None or found.skipped) and _of_gcloud(file, catalog):
                found = dataclasses.replace(found or Resources(), skipped=Counter())
        except JsonError as error:
            manifests.append(ManifestFile(file.name, b"", unreadable(file.name, str(error)).findings))
            continue
        if found is None:
            manifests.append(file)
        else:
            resources[file.name] = found
            if found.objects:
                manifests.append(ManifestFile(file.name, found.objects))
    return tuple(manifests), resources
