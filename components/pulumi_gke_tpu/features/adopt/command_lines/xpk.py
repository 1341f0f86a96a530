"""Reads scripts with commands of xpk as a plan."""

from collections.abc import Iterable
from typing import Final

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.text.findings import printable
from pulumi_gke_tpu.core.text.shell import Command, ScriptWord, read_script
from pulumi_gke_tpu.core.text.shell.arguments import read_arguments
from pulumi_gke_tpu.features.adopt.command_lines import xpk_clusters, xpk_storages, xpk_workloads
from pulumi_gke_tpu.features.adopt.command_lines.draft import Draft
from pulumi_gke_tpu.features.adopt.command_lines.table import OptionRow, Problem, Translation

_CLUSTERS: Final = ("create", "create-pathways", "create-ray")
_WORKLOADS: Final = ("create", "create-pathways")
_STORAGES: Final = ("attach", "create")
_INSTEAD: Final = {
    ("cluster", "delete"): "`pulumi destroy` deletes a cluster",
    ("cluster", "cacheimage"): "`secondary_boot_disk` of a slice group preloads images",
    ("cluster", "adapt"): "name the cluster in the plan with `existing`",
    ("cluster", "list"): "gcloud lists clusters",
    ("cluster", "describe"): "`gke-tpu preview` describes the clusters of a plan",
    ("workload", "delete"): "kubectl deletes workloads",
    ("workload", "list"): "kubectl lists workloads",
}


def plan_of(scripts: Iterable[tuple[str, str]], catalog: Catalog, project: str = "", zone: str = "") -> Translation:
    """The plan of all commands in these scripts (name and text), in their order.

    ``project`` and ``zone`` stand for what xpk takes from the configuration of gcloud.
    """
    draft = Draft(catalog, project, zone)
    found = False
    for file, text in scripts:
        script = read_script(text)
        for command in script.commands:
            words = _words_of_xpk(command)
            if words:
                found = True
                _read(draft, words, file)
        if script.problem:
            at = script.problem
            draft.problems.append(Problem(at.message, file, at.line, at.column))
    if not found and not draft.problems:
        draft.problems.append(Problem("no xpk command found", ", ".join(file for file, _ in scripts), 0, 0))
    elif not draft.clusters and not draft.problems:
        draft.problems.append(Problem("no xpk command creates a cluster or a workload", "", 0, 0))
    return draft.finished()


def _words_of_xpk(command: Command) -> tuple[ScriptWord, ...]:
    """The words of a command of xpk, from its name on; empty for any other command."""
    words = command.words
    for index, word in enumerate(words[:4]):
        name = word.text.rpartition("/")[2]
        if name in ("xpk", "xpk.py", "xpk.main"):
            before = [item.text.rpartition("/")[2] for item in words[:index]]
            launched = all(item.startswith("python") or item in ("-m", "uv", "run", "uvx", "env") for item in before)
            return words[index:] if launched else ()
    return ()


def _read(draft: Draft, words: tuple[ScriptWord, ...], file: str) -> None:
    start = words[0]
    kind, verb = ([word.text for word in words[1:3]] + ["", ""])[:2]
    name = printable(" ".join(("xpk", kind, verb)).strip(), 60)
    rest = words[3:]
    if kind == "cluster" and verb in _CLUSTERS:
        arguments = read_arguments(rest, xpk_clusters.OPTIONS)
        reading = xpk_clusters.XpkCluster(draft, arguments, name, file, start)
        reading.read()
        if verb == "create-pathways" and reading.place:
            reading.pathways()
            pool = draft.catalog.other_tools.xpk.pathways_pool.name
            key = f"clusters.{reading.cluster}.cpu_pools.{pool}"
            reading.implied("(Pathways node pool)", "", "key", key=key)
    elif kind == "workload" and verb in _WORKLOADS:
        arguments = read_arguments(rest, xpk_workloads.OPTIONS)
        xpk_workloads.XpkWorkload(draft, arguments, name, file, start).read()
    elif kind == "storage" and verb in _STORAGES:
        arguments = read_arguments(rest, xpk_storages.OPTIONS, positional=True)
        xpk_storages.XpkStorage(draft, arguments, name, file, start).read()
    else:
        reason = _INSTEAD.get((kind, verb), "it creates neither a cluster nor a workload")
        draft.rows.append(OptionRow(name, "(command)", "", "left out", reason=reason, file=file, line=start.line))
