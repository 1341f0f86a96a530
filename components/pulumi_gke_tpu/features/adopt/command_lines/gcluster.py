"""Reads blueprints, deployment files and scripts of Cluster Toolkit as a plan."""

from collections.abc import Iterable, Mapping
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.text.findings import printable
from pulumi_gke_tpu.core.text.shell import Command, ScriptWord, read_script
from pulumi_gke_tpu.core.text.shell.arguments import read_arguments
from pulumi_gke_tpu.core.text.yamlfile.file import parse_yaml
from pulumi_gke_tpu.core.text.yamlfile.refuse import YamlProblem
from pulumi_gke_tpu.features.adopt.command_lines.draft import Draft
from pulumi_gke_tpu.features.adopt.command_lines.gcluster_blueprints import Blueprint
from pulumi_gke_tpu.features.adopt.command_lines.gcluster_jobs import OPTIONS, SHORT, GclusterJob
from pulumi_gke_tpu.features.adopt.command_lines.table import OptionRow, Problem, Translation

_LONGEST = 400


def plan_of(files: Iterable[tuple[str, str]], catalog: Catalog, project: str = "", zone: str = "") -> Translation:
    """The plan of all blueprints and of all `gcluster job submit` in these files (name and text)."""
    draft = Draft(catalog, project, zone)
    blueprints: list[tuple[str, Mapping[str, Any]]] = []
    variables: dict[str, Any] = {}
    scripts: list[tuple[str, str]] = []
    for file, text in files:
        data = _yaml(draft, file, text)
        if data is None:
            scripts.append((file, text))
        elif "deployment_groups" in data:
            blueprints.append((file, data))
        elif isinstance(data.get("vars"), dict):
            variables |= data["vars"]
        else:
            draft.problems.append(Problem("neither a blueprint nor a deployment file of gcluster", file, 0, 0))
    for file, data in blueprints:
        Blueprint(draft, file, data, variables).read()
    for file, text in scripts:
        _read_script(draft, file, text)
    if not draft.clusters and not draft.problems:
        draft.problems.append(Problem("no blueprint and no `gcluster job submit` command found", "", 0, 0))
    return draft.finished()


def _yaml(draft: Draft, file: str, text: str) -> Mapping[str, Any] | None:
    """The content of a blueprint or a deployment file; None for anything else, such as a script."""
    if "deployment_groups" not in text and "vars" not in text:
        return None
    try:
        data = parse_yaml(text.encode("utf-8", "surrogatepass"), file).data
    except YamlProblem as problem:
        if "deployment_groups" in text:
            first = problem.findings[0]
            line, column = (first.position.line, first.position.column) if first.position else (0, 0)
            draft.problems.append(Problem(printable(first.message, _LONGEST), file, line, column))
        return None
    return data if isinstance(data, dict) else None


def _read_script(draft: Draft, file: str, text: str) -> None:
    script = read_script(text)
    for command in script.commands:
        words = _words_of_gcluster(command)
        if [word.text for word in words[1:3]] == ["job", "submit"]:
            arguments = read_arguments(words[3:], OPTIONS, SHORT, abbreviated=False)
            GclusterJob(draft, arguments, "gcluster job submit", file, words[0]).read()
        elif words:
            name = printable(" ".join(word.text for word in words[:3]), 60)
            reason = "it submits no job"
            draft.rows.append(
                OptionRow(name, "(command)", "", "left out", reason=reason, file=file, line=words[0].line)
            )
    if script.problem:
        at = script.problem
        draft.problems.append(Problem(at.message, file, at.line, at.column))


def _words_of_gcluster(command: Command) -> tuple[ScriptWord, ...]:
    name = command.words[0].text.rpartition("/")[2]
    return command.words if name in ("gcluster", "ghpc") else ()
