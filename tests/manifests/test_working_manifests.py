"""`check` is silent on manifests that work: every kind, generation and mode, after public guides and examples."""

from pathlib import Path
from typing import Literal, cast

import pytest
import yaml

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.objects import ManifestFile, Manifests, read_manifests
from pulumi_gke_tpu.core.text.findings import Finding, Severity
from pulumi_gke_tpu.features.check.manifest_check import ClusterMode, check_manifests

FOLDER = Path(__file__).parent / "valid"
FILES = sorted(path for path in FOLDER.rglob("*.*") if path.name != "notes.yaml")
NOTES = yaml.safe_load((FOLDER / "notes.yaml").read_text(encoding="utf-8"))
"""The notes that `check` gives, by file and rule, each with the reason why the note helps."""
CATALOG = read_catalog()


def name_of(path: Path) -> str:
    return path.relative_to(FOLDER).as_posix()


def mode_of(path: Path) -> ClusterMode | None:
    folder = path.parent.name
    return cast(Literal["standard", "autopilot"], folder) if folder in ("standard", "autopilot") else None


def findings_in_file(path: Path, mode: ClusterMode | None) -> tuple[Finding, ...]:
    return check_manifests([ManifestFile(path.name, path.read_bytes())], CATALOG, None, mode)


@pytest.fixture(scope="module")
def corpus() -> Manifests:
    return read_manifests((name_of(path), path.read_bytes()) for path in FILES)


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_a_working_manifest_has_no_error_and_no_warning(path: Path) -> None:
    found = findings_in_file(path, mode_of(path))
    assert [f"{item.rule}: {item.message}" for item in found if item.severity is not Severity.NOTE] == []


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_a_working_manifest_has_only_the_notes_that_are_listed_with_a_reason(path: Path) -> None:
    notes = {item.rule for item in findings_in_file(path, mode_of(path)) if item.severity is Severity.NOTE}
    assert notes == set(NOTES.get(name_of(path), {}))


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_a_working_manifest_has_no_error_if_the_mode_is_unknown(path: Path) -> None:
    found = findings_in_file(path, None)
    assert [f"{item.rule}: {item.message}" for item in found if item.severity is not Severity.NOTE] == []


def test_the_corpus_together_has_no_error(corpus: Manifests) -> None:
    assert corpus.findings == ()
    assert len(FILES) >= 40


def test_the_listed_notes_are_about_files_of_the_corpus() -> None:
    assert set(NOTES) <= {name_of(path) for path in FILES}


def test_the_corpus_has_every_kind_that_check_reads(corpus: Manifests) -> None:
    kinds = {found.kind for found in corpus.objects}
    assert kinds >= {
        "Pod", "Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob", "JobSet", "LeaderWorkerSet", "RayCluster",
        "RayJob", "RayService", "PathwaysJob", "ComputeClass", "ResourceFlavor", "ClusterQueue", "LocalQueue",
        "AdmissionCheck", "ProvisioningRequestConfig", "WorkloadPriorityClass", "PriorityClass", "StorageClass",
        "PersistentVolumeClaim", "PersistentVolume", "Topology",
    }  # fmt: skip


def test_the_corpus_has_every_generation_and_both_modes() -> None:
    texts = "\n".join(path.read_text(encoding="utf-8") for path in FILES)
    labels = {
        name: [family.accelerator_label for family in CATALOG.generation(name).families.values()]
        for name in CATALOG.generation_names
    }
    assert [name for name, known in labels.items() if not any(label in texts for label in known)] == []
    assert {mode_of(path) for path in FILES} == {"standard", "autopilot", None}


def test_the_corpus_has_what_earlier_checkers_report_by_mistake(corpus: Manifests) -> None:
    """One chip of v5e, 2x4 as two Pods, a leader without chips, shared chips, large topologies, and no topology."""
    names = {found.name for found in corpus.objects}
    assert names >= {"embedder", "distill", "serve-405b", "numa-split", "large", "one-chip", "spot-v5e"}
