"""Clusters with Kubernetes objects, and what the rules about them report."""

import datetime

import yaml

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Finding, format_path

SLICES = """
  pretrain: {tpu: v6e, topology: 4x4, count: 2, zone: us-east5-b}
  serve: {tpu: v6e, topology: 2x2, count: 4, zone: us-east5-b}
  big: {tpu: tpu7x, topology: 2x2x1, zone: us-east5-b}
  old: {tpu: v3, topology: 4x4, zone: us-east5-b}
"""

TODAY = datetime.date(2026, 11, 20)

OWN = tuple(f"TPU{number}" for number in (*range(332, 339), *range(341, 348), *range(560, 580), *range(700, 720)))


def findings(cluster: str, catalog: Catalog, mode: str = "standard", rules: tuple[str, ...] = OWN) -> list[Finding]:
    body = {"mode": mode, "location": "us-east5", **yaml.safe_load(cluster)}
    document = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"train": body}})
    assert document.findings == ()
    found = check_plan(document, catalog, TODAY).findings
    return [item for item in found if item.rule.startswith(rules)]


def told(cluster: str, catalog: Catalog, mode: str = "standard") -> list[str]:
    """What is reported: the rule, and the path below the cluster."""
    return [f"{item.rule} {format_path(item.path[2:])}" for item in findings(cluster, catalog, mode)]


def kubernetes(text: str) -> str:
    return f"slices: {{{', '.join(line.strip() for line in SLICES.strip().splitlines()[:2])}}}\nkubernetes: {text}"


def workload(keys: str, slices: str = "pretrain") -> str:
    return kubernetes(f"{{workloads: {{run: {{slices: {slices}, image: train, {keys}}}}}}}")
