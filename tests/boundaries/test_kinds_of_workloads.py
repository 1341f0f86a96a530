"""Only the module of a kind names it: rules, builders and commands ask its traits."""

import ast
import importlib
from collections.abc import Iterator
from typing import get_args

from support.source_files import ROOT

from pulumi_gke_tpu.core import kinds
from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.kinds.registry import READ, WRITTEN
from pulumi_gke_tpu.core.modules import names_in
from pulumi_gke_tpu.core.plan.kubernetes import WorkloadSpec

PACKAGE = ROOT / "components" / "pulumi_gke_tpu"
KINDS = PACKAGE / "core" / "kinds"
OPERATORS = "features/check/rules"
OF_ONE_OPERATOR = {
    f"{OPERATORS}/operators/jobset.py",
    f"{OPERATORS}/operators/leaderworkerset.py",
    f"{OPERATORS}/operators/pathways.py",
    f"{OPERATORS}/operators/ray.py",
    f"{OPERATORS}/alignment/pathways.py",
}
"""Rules about the fields of one operator, which no other kind has."""
WORDS = {
    "components/args.py": set(kinds.written_kinds()),
    "core/kubernetes/endpoint_pickers.py": {"deployment"},
    "core/kubernetes/operators.py": {"deployment"},
    "core/plan/kubernetes.py": {"job"},
    "core/resources/read.py": {"deployment"},
    "core/plan/reading/spellings.py": {"leaderworkerset", "lws", "raycluster"},
    "features/adopt/command_lines/gcluster.py": {"job"},
    "features/adopt/command_lines/gcluster_blueprints.py": {"jobset"},
    "features/adopt/command_lines/gcluster_jobs.py": {"pathways", "jobset"},
    "features/adopt/command_lines/xpk_clusters.py": {"pathways", "jobset"},
    "features/adopt/command_lines/xpk_workloads.py": {"pathways", "jobset"},
    "features/adopt/objects/workloads.py": {
        *("Job", "JobSet", "Deployment", "LeaderWorkerSet", "jobset", "deployment", "leaderworkerset"),
        "leaderWorkerTemplate",
    },
    "features/workloads/rules/kinds.py": {"pathways"},
    "features/workloads/rules/pathways.py": {"pathways"},
}
"""Generated types, the object of an operator, the default of a key, a key of a Pulumi state, other
words that people write for a kind, the words and kinds of other tools, the kinds of objects that exist and their keys,
and a key with the name of its kind."""
PLACES = {"replicatedJobs", "leaderWorkerTemplate", "workerGroupSpecs", "jobTemplate", "submitterPodTemplate"}
"""Keys that lead to the templates of one kind; those of several kinds, such as `template`, show nothing."""
OTHER_WORD = {"pathways": "PathwaysJob"}
"""A word of the plan that differs from the name of the kind."""
NOUNS = {"Pod"}
"""Names that messages count: four Pods."""


def _modules() -> Iterator[tuple[str, ast.Module]]:
    for file in sorted(PACKAGE.rglob("*.py")):
        if KINDS not in file.parents:
            yield file.relative_to(PACKAGE).as_posix(), ast.parse(file.read_text())


def _texts(module: ast.Module) -> set[str]:
    nodes = ast.walk(module)
    return {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def _imports(module: ast.Module) -> set[str]:
    return {str(node.module) for node in ast.walk(module) if isinstance(node, ast.ImportFrom)}


def test_every_module_states_one_kind_and_has_its_name() -> None:
    stated = [
        (name, importlib.import_module(f"{package}.{name}").KIND)
        for package in (WRITTEN, READ)
        for name in names_in(package)
    ]
    assert len(stated) >= 15
    assert sorted((kind.group, kind.name) for _, kind in stated) == sorted(kinds.all_kinds())
    assert {name: kind.name for name, kind in stated if name != kind.name.lower()} == OTHER_WORD


def test_the_words_of_the_plan_are_the_modules_of_written_kinds() -> None:
    words = get_args(WorkloadSpec.model_fields["kind"].annotation)
    assert words == tuple(kinds.written_kinds()) == names_in(WRITTEN)
    assert WorkloadSpec.model_fields["kind"].default in words


def test_keys_of_some_kinds_are_keys_of_workloads() -> None:
    keys = {key for kind in kinds.written_kinds().values() for key in kind.keys}
    assert {"head", "port"} < keys
    assert keys - WorkloadSpec.model_fields.keys() == set()


def test_no_other_module_names_a_kind() -> None:
    names = {kind.name for kind in kinds.all_kinds().values()} | {*kinds.written_kinds()} | PLACES | {"lws"}
    found = {
        name: named - WORDS.get(name, set())
        for name, module in _modules()
        if name not in OF_ONE_OPERATOR and (named := _texts(module) & (names - NOUNS)) - WORDS.get(name, set())
    }
    assert found == {}


def test_only_rules_of_one_operator_import_a_kind() -> None:
    imported = {
        name
        for name, module in _modules()
        if any(source.startswith((f"{READ}.", f"{WRITTEN}.")) for source in _imports(module))
    }
    assert imported == OF_ONE_OPERATOR


def test_no_exception_is_left_over() -> None:
    modules = dict(_modules())
    assert {name: words - _texts(modules[name]) for name, words in WORDS.items()} == {name: set() for name in WORDS}


def test_groups_are_those_of_the_catalog() -> None:
    """`of_kind` and the catalog look objects up by their group."""
    controllers = read_catalog().kubernetes.controllers.values()
    groups = {kind: controller.group for controller in controllers for kind in controller.kinds}
    assert {
        kind.name: kind.group for kind in kinds.all_kinds().values() if kind.name in groups
    }.items() <= groups.items()
