"""Renders the objects of one cluster with a key `kubernetes`, and compares them with those that exist."""

from collections.abc import Mapping, Sequence
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet.model import Cluster
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.builders.standard import fleet_graph
from pulumi_gke_tpu.core.graph.model import Graph
from pulumi_gke_tpu.core.kinds.manifest import Manifest
from pulumi_gke_tpu.core.kubernetes.fleet import manifests
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Finding, Severity
from pulumi_gke_tpu.features.adopt.objects.given import identity_of

EXAMPLES = "examples"
NAME = "preview"


@frozen(eq=False)
class Rendering:
    """What follows from a key `kubernetes`."""

    manifests: tuple[Manifest, ...]
    """The objects that the key adds to those of the slice groups."""
    errors: tuple[Finding, ...]
    """The errors of the plan that it has only with the key."""
    changes_resources: bool
    """Whether the key changes anything but objects in the cluster."""


class Renderer:
    """Renders the objects of one cluster of a plan."""

    def __init__(self, plan: Mapping[str, Any], key: str, catalog: Catalog) -> None:
        self._plan, self._key, self._catalog = plan, key, catalog
        self.cluster, self.of_slices, errors, self._graph = self._derived(None, rules=True)
        self._errors = frozenset(map(_mark, errors))

    def render(self, keys: Mapping[str, Any], *, rules: bool = True) -> Rendering:
        """The objects of a key `kubernetes`; without rules for a first look."""
        _, objects, errors, graph = self._derived(keys, rules=rules)
        own = {identity_of(item) for item in self.of_slices}
        return Rendering(
            tuple(item for item in objects if identity_of(item) not in own),
            tuple(item for item in errors if _mark(item) not in self._errors),
            rules and _content(graph) != _content(self._graph),
        )

    def with_keys(self, keys: Mapping[str, Any] | None) -> dict[str, Any]:
        """The plan with this cluster only, and with the key."""
        cluster = {name: value for name, value in self._plan["clusters"][self._key].items() if name != "kubernetes"}
        if keys:
            cluster["kubernetes"] = keys
        return {**self._plan, "clusters": {self._key: cluster}}

    def _derived(
        self, keys: Mapping[str, Any] | None, *, rules: bool
    ) -> tuple[Cluster | None, tuple[Manifest, ...], tuple[Finding, ...], Graph | None]:
        plan = self.with_keys(keys)
        document = parse_plan(plan)
        if document.content is None:
            return None, (), document.findings, None
        checked = check_plan(document, self._catalog, rules=None if rules else ())
        errors = tuple(item for item in checked.findings if item.severity is Severity.ERROR)
        if checked.fleet is None or not checked.fleet.clusters:
            return None, (), errors, None
        cluster = checked.fleet.clusters[0]
        objects = tuple(item for item in manifests(cluster, self._catalog) if item.concern != EXAMPLES)
        graph = fleet_graph(plan, checked.fleet, self._catalog, name=NAME) if rules else None
        return cluster, objects, errors, graph


def _mark(finding: Finding) -> tuple[str, str]:
    return finding.rule, repr(finding.path)


def _content(graph: Graph | None) -> Sequence[object]:
    return () if graph is None else [(item.urn, item.inputs, item.options) for item in graph.resources if item.custom]
