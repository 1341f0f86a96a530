"""Helm charts of other projects: how Kustomize renders them, and how Pulumi installs them."""

from collections.abc import Mapping
from typing import Any

from pulumi_gke_tpu.core.catalog.records.kubernetes import ObjectKind
from pulumi_gke_tpu.core.catalog.records.operators import Chart
from pulumi_gke_tpu.core.kinds.pods import without_empty

KUSTOMIZATION = "kustomization.yaml"
KUSTOMIZATION_KIND = ObjectKind(api_version="kustomize.config.k8s.io/v1beta1", kind="Kustomization")


def inflated(chart: Chart, version: str, name: str, namespace: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """A chart as an entry of `helmCharts` in a Kustomization; ``name`` is that of its release."""
    return {
        "name": chart.name,
        "repo": chart.repository,
        "version": chart.version_prefix + version,
        "releaseName": name,
        "namespace": namespace,
        "includeCRDs": True,
        **without_empty(valuesInline=dict(values)),
    }


def released(
    chart: Chart, version: str, name: str, namespace: str, values: Mapping[str, Any], *, create_namespace: bool
) -> dict[str, Any]:
    """A chart as the properties of a Helm release of the Kubernetes provider."""
    in_registry = chart.repository.startswith("oci://")
    return {
        "chart": f"{chart.repository}/{chart.name}" if in_registry else chart.name,
        "version": chart.version_prefix + version,
        "name": name,
        "namespace": namespace,
        "createNamespace": create_namespace,
        **({} if in_registry else {"repositoryOpts": {"repo": chart.repository}}),
        **without_empty(values=dict(values)),
    }


def nested(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a chart as nested mappings, from their paths such as ``crds.enabled``."""
    found: dict[str, Any] = {}
    for path, value in values.items():
        *parents, last = path.split(".")
        place = found
        for parent in parents:
            place = place.setdefault(parent, {})
        place[last] = value
    return found
