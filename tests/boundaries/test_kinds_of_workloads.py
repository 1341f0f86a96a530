"""Only the module of a kind says where its Pods are in manifests."""

import ast
import importlib
from pathlib import Path

from support.source_files import ROOT

from pulumi_gke_tpu.core import kinds
from pulumi_gke_tpu.core.kinds.registry import READ, WRITTEN
from pulumi_gke_tpu.core.modules import names_in
from pulumi_gke_tpu.core.objects import PodTemplate

CORE = ROOT / "components" / "pulumi_gke_tpu" / "core"
CHECK = CORE.parent / "features" / "check"
WITH_OTHER_WORD = {"pathways": "pathwaysjob"}
"""A word of the plan that is not the name of the kind."""
PLACES = {"replicatedJobs", "leaderWorkerTemplate", "workerGroupSpecs", "jobTemplate", "submitterPodTemplate"}
"""Keys that lead to the templates of one kind; those of several kinds, such as `template`, show nothing."""


def _texts(file: Path) -> set[str]:
    nodes = ast.walk(ast.parse(file.read_text()))
    return {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def test_every_module_states_one_kind() -> None:
    modules = [f"{package}.{name}" for package in (WRITTEN, READ) for name in names_in(package)]
    stated = [importlib.import_module(name).KIND for name in modules]
    assert len(stated) >= 15
    assert sorted((kind.group, kind.name) for kind in stated) == sorted(kinds.all_kinds())
    names = {name.rpartition(".")[2] for name in modules}
    assert names - WITH_OTHER_WORD.keys() == {kind.name.lower() for kind in stated} - {*WITH_OTHER_WORD.values()}


def test_only_the_modules_of_kinds_name_kinds_when_manifests_are_read() -> None:
    """Rules of one operator name its kinds; what reads the Pods of all kinds must not."""
    names = ({name for _, name in kinds.all_kinds()} | PLACES) - {PodTemplate.__name__}
    readers = [*(CORE / "objects").glob("*.py"), *CHECK.glob("*.py"), CORE / "kinds" / "registry.py"]
    assert len(readers) > 10
    assert {file.name: found for file in readers if (found := _texts(file) & names)} == {}
