"""Checks Kubernetes manifests, alone and against a plan."""

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.core.objects import KubernetesObject, ManifestFile, OtherDocument, placed, read_manifests
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
) -> tuple[Finding, ...]:
    """Every finding about manifests, sorted, and the errors of the plan.

    ``mode`` is that of the cluster; without it, that of the clusters in the plan if all have the same.
    """
    files = tuple(files)
    manifests = read_manifests((file.name, file.content) for file in files if not file.findings)
    documents, others = manifests.documents, manifests.others
    rules, data = rules_of(Scope.MANIFESTS), [document.data for document in documents]
    found = [*(finding for file in files for finding in file.findings), *manifests.findings]
    for members in environments(manifests.objects):
        part = dataclasses.replace(manifests, objects=members, others=others)
        context = ManifestContext(part, catalog, checked, mode or _mode_of(checked))
        found += _findings(rules, context, documents, data)
        others = ()  # each is checked once
    found = [*{(each.rule, each.path, each.position, each.message): each for each in found}.values()]
    if checked is not None:
        found += (finding for finding in checked.findings if finding.severity is Severity.ERROR)
    return sort_findings(found)


def _findings(
    rules: Iterable[Rule[Any]],
    context: ManifestContext,
    documents: Sequence[KubernetesObject | OtherDocument],
    data: list[Any],
) -> Iterator[Finding]:
    """What the rules find, each with its place: in a manifest, or in the plan if the hit names it."""
    for rule in rules:
        for hit in rule.check(context) if rule.check is not None else ():
            if hit.document is not None:
                finding = finding_of(rule, hit, context.catalog, hit.document.content)
                yield from hit.document.locate([finding])
            else:
                finding = finding_of(rule, hit, context.catalog, data)
                yield placed(documents[int(finding.path[0])], finding)


def _mode_of(checked: CheckedPlan | None) -> ClusterMode | None:
    """The mode of the clusters of a plan; None if they differ or there are none."""
    if checked is None or checked.fleet is None:
        return None
    modes = {cluster.mode for cluster in checked.fleet.clusters}
    return modes.pop() if len(modes) == 1 else None
