"""Checks manifests that are at hand as text."""

from pulumi_gke_tpu.core.catalog import Catalog, read_catalog
from pulumi_gke_tpu.core.kinds import pod_templates
from pulumi_gke_tpu.core.objects import KubernetesObject, ManifestFile, PodTemplate, read_manifests
from pulumi_gke_tpu.core.plan import read_plan_content
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.rules.engine.examples import manifest_files_of
from pulumi_gke_tpu.core.text.findings import Finding
from pulumi_gke_tpu.features.check.manifest_check import ClusterMode, check_manifests

NAME = "manifests.yaml"


def findings_in(
    text: str | bytes, *, mode: ClusterMode | None = None, plan: str | None = None, catalog: Catalog | None = None
) -> tuple[Finding, ...]:
    """Every finding in one file of manifests."""
    catalog = catalog or read_catalog()
    content = text.encode() if isinstance(text, str) else text
    checked = None if plan is None else check_plan(read_plan_content(plan.encode(), "plan.yaml"), catalog)
    return check_manifests([ManifestFile(NAME, content)], catalog, checked, mode)


def findings_of_example(example: str) -> tuple[Finding, ...]:
    """Every finding in the example of a rule."""
    files = manifest_files_of(example)
    return findings_in(files.manifests, mode=files.mode, plan=files.plan)


def broken(text: str, *, mode: ClusterMode | None = None, plan: str | None = None) -> list[str]:
    """The ids of the rules that manifests break, sorted, each once."""
    return sorted({finding.rule for finding in findings_in(text, mode=mode, plan=plan)})


def objects_in(text: str) -> tuple[KubernetesObject, ...]:
    """The objects in a file."""
    return read_manifests([(NAME, text.encode())]).objects


def pods_in(text: str) -> tuple[PodTemplate, ...]:
    """The pod templates in a file."""
    return tuple(pod for found in objects_in(text) for pod in pod_templates(found))
