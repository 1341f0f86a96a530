"""Checks Kubernetes manifests, alone and against a plan."""

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.core.objects import (
    KubernetesObject,
    ManifestFile,
    Manifests,
    OtherDocument,
    placed,
    read_manifests,
)
from pulumi_gke_tpu.core.objects.clusters import ClusterObjects, by_cluster, common_folders
from pulumi_gke_tpu.core.rules.engine.discovery import rules_of
from pulumi_gke_tpu.core.rules.engine.rule import Rule, Scope
from pulumi_gke_tpu.core.rules.engine.run import finding_of
from pulumi_gke_tpu.core.text.findings import Finding, Severity, sort_findings
from pulumi_gke_tpu.features.check.context import ManifestContext
from pulumi_gke_tpu.features.check.environments import environments

ClusterMode = Literal["standard", "autopilot"]


def check_manifests(
    files: Iterable[ManifestFile],
    catalog: Catalog,
    checked: CheckedPlan | None,
    mode: ClusterMode | None = None,
    cluster: str | None = None,
) -> tuple[Finding, ...]:
    """Every finding about manifests, sorted, and the errors of the plan.

    ``mode`` is that of the cluster; without it, that of the clusters in the plan if all have the same. ``cluster`` is
    the key of the cluster that all files are for; without it, folders with the keys of clusters tell them apart.
    """
    return check_objects(read_files(files), catalog, checked, mode, cluster)


def read_files(files: Iterable[ManifestFile]) -> Manifests:
    """The documents of files; what kept a file from being read comes first among the findings."""
    files = tuple(files)
    read = read_manifests((file.name, file.content) for file in files if not file.findings)
    unread = tuple(finding for file in files for finding in file.findings)
    asked = {file.name for file in files if file.asked} - {owner.file.name for owner in read.objects}
    others = tuple(dataclasses.replace(each, asked=each.file.name in asked) for each in read.others)
    return dataclasses.replace(read, others=others, findings=unread + read.findings)


def check_objects(
    manifests: Manifests,
    catalog: Catalog,
    checked: CheckedPlan | None,
    mode: ClusterMode | None = None,
    cluster: str | None = None,
) -> tuple[Finding, ...]:
    """Every finding about the documents of manifests, as :func:`check_manifests` has them."""
    documents, others = manifests.documents, manifests.strange
    rules, data = rules_of(Scope.MANIFESTS), [document.data for document in documents]
    found = [*manifests.findings]
    for part in _parts(manifests, _keys(checked), cluster):
        those = dataclasses.replace(manifests, objects=part.objects, others=others)
        of_part = mode or _mode_of(checked, part.clusters)
        context = ManifestContext(those, catalog, checked, of_part, part.clusters)
        found += _findings(rules, context, documents, data, part.reported | {each.index for each in others})
        others = ()  # each is checked once
    found = [*{(each.rule, each.path, each.position, each.message): each for each in found}.values()]
    if checked is not None:
        found += (finding for finding in checked.findings if finding.severity is Severity.ERROR)
    return sort_findings(found)


def _parts(manifests: Manifests, keys: Sequence[str], cluster: str | None) -> Iterator[ClusterObjects]:
    """The objects that are checked together: of an environment, of a cluster of the plan, or of a snapshot."""
    lists = manifests.lists
    objects = tuple(owner for owner in manifests.objects if owner.file.name not in lists)
    around = common_folders({owner.file.name for owner in objects})
    for members in environments(objects):
        yield from by_cluster(members, keys, around) if cluster is None else (_all_for(members, cluster),)
    read: dict[tuple[str, str], list[KubernetesObject]] = {}
    for owner in manifests.objects if lists else ():
        if (place := lists.get(owner.file.name)) is not None:
            read.setdefault((place.folder, place.cluster), []).append(owner)
    for (_, key), owners in read.items():
        of = cluster or (key if key in keys else None)
        part = _all_for(tuple(owners), of or "")
        yield part if of is not None else dataclasses.replace(part, clusters=None)


def _findings(
    rules: Iterable[Rule[Any]],
    context: ManifestContext,
    documents: Sequence[KubernetesObject | OtherDocument],
    data: list[Any],
    reported: frozenset[int],
) -> Iterator[Finding]:
    """What the rules find, each with its place: in a manifest, or in the plan if the hit names it.

    ``reported`` are the documents that findings are about. Findings in the plan are about all of them.
    """
    every = len(context.manifests.objects) + len(context.others)
    whole = len(reported) == every or context.cluster_keys is not None
    for rule in rules:
        for hit in rule.check(context) if rule.check is not None else ():
            if hit.document is not None:
                finding = finding_of(rule, hit, context.catalog, hit.document.content)
                yield from hit.document.locate([finding]) if whole else ()
            elif hit.path[0] in reported:
                finding = finding_of(rule, hit, context.catalog, data)
                yield placed(documents[int(finding.path[0])], finding)


def _keys(checked: CheckedPlan | None) -> tuple[str, ...]:
    """The keys of the clusters of a plan."""
    return tuple(cluster.key for cluster in checked.fleet.clusters) if checked is not None and checked.fleet else ()


def _all_for(objects: tuple[KubernetesObject, ...], cluster: str) -> ClusterObjects:
    return ClusterObjects(objects, frozenset({cluster}), frozenset(owner.index for owner in objects))


def _mode_of(checked: CheckedPlan | None, keys: frozenset[str] | None) -> ClusterMode | None:
    """The mode of some clusters of a plan, or of all; None if they differ or there are none."""
    if checked is None or checked.fleet is None:
        return None
    modes = {cluster.mode for cluster in checked.fleet.clusters if keys is None or cluster.key in keys}
    return modes.pop() if len(modes) == 1 else None
