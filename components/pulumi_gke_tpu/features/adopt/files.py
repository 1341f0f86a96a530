"""The files of an adoption: plan, program, and import file."""

from collections.abc import Iterator, Mapping
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.plan.schema import plan_schema
from pulumi_gke_tpu.core.text.findings import printable
from pulumi_gke_tpu.core.text.findings.emit import emit_lines, flow
from pulumi_gke_tpu.core.text.jsonfile.parsing import json_text
from pulumi_gke_tpu.features.adopt.adoption import STACK, Adoption
from pulumi_gke_tpu.features.adopt.command_lines.plan_text import plan_lines, written_plan
from pulumi_gke_tpu.features.adopt.import_file import import_file
from pulumi_gke_tpu.features.plan.requirement import direct_url, requirements_text
from pulumi_gke_tpu.features.plan.starter import SCHEMA_FILE, program_text, project_text

PLAN = "plan.yaml"
IMPORT = "import.json"
_LONGEST = 300
_OBJECTS = "kubernetes"
_POOLS = {"cpu_pools": "cpu_pools/", "slices": ""}
"""Key with node pools -> what is in their Pulumi names between the names of cluster and node pool."""


def files_of(adoption: Adoption, catalog: Catalog, stack: str) -> Mapping[str, str]:
    """Name -> content of every file of one plan."""
    assert adoption.graph is not None
    imported = import_file(adoption.graph, adoption.ids, stack, STACK)
    return {**program_files(plan_text(adoption), adoption.project, catalog), IMPORT: json_text(imported) + "\n"}


def translated_files(plan: Mapping[str, Any], catalog: Catalog) -> Mapping[str, str]:
    """Name -> content of every file of a plan that comes from the commands of another tool."""
    return program_files(written_plan(plan, SCHEMA_FILE), str(plan["project"]), catalog)


def program_files(plan: str, project: str, catalog: Catalog) -> Mapping[str, str]:
    """Name -> content of the plan, its schema, and the program."""
    return {
        PLAN: plan,
        "__main__.py": program_text(None),
        "Pulumi.yaml": project_text(project),
        "requirements.txt": requirements_text(direct_url()),
        SCHEMA_FILE: json_text(plan_schema(catalog)) + "\n",
    }


def plan_text(adoption: Adoption) -> str:
    """The plan, with what it leaves alone and what a person should know as comments."""
    plan = adoption.plan
    lines = [f"# yaml-language-server: $schema={SCHEMA_FILE}"]
    lines += [f"# left alone: cluster {_name(item.name)}: {_name(item.reason)}" for item in adoption.clusters_alone]
    lines += [f"# left alone: {_name(item.pool.name)}: {_name(item.reason)}" for item in adoption.alone]
    lines += [f"{key}: {flow(plan[key])}" for key in ("version", "project")]
    lines.append("clusters:")
    notes: dict[str, list[str]] = {}
    for pool in adoption.pools:
        notes.setdefault(pool.group, []).extend(note for note in pool.notes if note not in notes.get(pool.group, ()))
    for adopted in adoption.clusters:
        notes[adopted.key] = list(adopted.notes)
    for key, cluster in plan["clusters"].items():
        lines.append(f"  {flow(key)}:")
        lines += [f"    # {_name(note)}" for note in notes.get(key, ())]
        lines += _entries("    ", {name: value for name, value in cluster.items() if name not in (*_POOLS, _OBJECTS)})
        for section, between in _POOLS.items():
            if section in cluster:
                lines.append(f"    {section}:")
            for name, group in cluster.get(section, {}).items():
                lines.append(f"      {flow(name)}:")
                lines += [f"        # {_name(note)}" for note in notes.get(f"{key}/{between}{name}", ())]
                lines += _entries("        ", group)
        if _OBJECTS in cluster:
            lines += plan_lines({_OBJECTS: cluster[_OBJECTS]}, 2)
    return "\n".join(lines) + "\n"


def _entries(indent: str, keys: Mapping[str, Any]) -> Iterator[str]:
    for key, value in keys.items():
        text = emit_lines(key, value) or f"{key}: {flow(value)}"
        yield from (f"{indent}{line}" for line in text.splitlines())


def _name(text: str) -> str:
    return printable(text, _LONGEST)
