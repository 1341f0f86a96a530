"""docs/operators.md states the facts of the catalog, and what the command writes."""

import pathlib
import re
from typing import Any

from support.documents import ROOT, blocks
from support.workload_plans import checked

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.text.yamlfile import parse_yaml
from pulumi_gke_tpu.features.workloads.manifests import ClusterManifests, manifests_of
from pulumi_gke_tpu.features.workloads.text import install_commands, operator_files

PAGE = pathlib.Path(ROOT / "docs" / "operators.md")
TEXT = PAGE.read_text(encoding="utf-8")
FACTS = read_catalog().kubernetes
PROJECTS = "JobSet|LeaderWorkerSet|KubeRay|Kueue"
ROWS = {match[1]: match[2] for match in re.finditer(rf"^\| ({PROJECTS})[^|]*\|.*\| ([^|]+) \|$", TEXT, re.M)}


def rendered() -> ClusterManifests:
    (plan,) = (block for block in blocks(PAGE) if block.file)
    content: Any = parse_yaml(plan.text.encode(), plan.file).data
    (cluster,) = manifests_of(checked(content))
    return cluster


def test_the_releases_are_those_of_the_catalog() -> None:
    releases = {item.title: item.releases for item in FACTS.controllers.values()}
    assert {title: " to ".join(dict.fromkeys((releases[title][0], releases[title][-1]))) for title in ROWS} == ROWS
    assert set(ROWS) == {
        FACTS.controllers[item.controller].title for item in FACTS.operators.installations.values() if item.controller
    }


def test_the_shown_kustomization_is_the_beginning_of_the_file() -> None:
    (shown,) = (block.text for block in blocks(PAGE) if "kind: Kustomization" in block.text)
    assert operator_files(rendered().operators)["operators/60-kueue/kustomization.yaml"].startswith(shown)


def test_the_shown_commands_are_those_of_the_files() -> None:
    (shown,) = (block.text.splitlines() for block in blocks(PAGE) if block.text.startswith("cd queued/manifests"))
    files = operator_files(rendered().operators)
    wanted = [line for item in rendered().operators for line in install_commands(item, f"operators/{item.folder}")]
    assert shown == ["cd queued/manifests", *wanted, "kubectl apply --server-side -f ."]
    assert all(any(f"#   {line}\n" in text for text in files.values()) for line in wanted)


def test_the_shown_defaults_are_those_of_the_catalog() -> None:
    ready = FACTS.operators.pods_ready
    assert f"`waitForPodsReady.timeout` | {ready.timeout_minutes}m |" in TEXT
    assert f"| {ready.backoff_seconds} s, doubled up to {ready.longest_backoff_seconds // 3600} h |" in TEXT
