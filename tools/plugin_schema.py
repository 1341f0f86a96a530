"""Writes the schema of the Pulumi package, and the docstrings of the arguments in Python, from the plan's models."""

import ast
import pathlib
import textwrap

from pulumi_gke_tpu.components import args
from pulumi_gke_tpu.integrations.plugin.package import SCHEMA_FILE
from pulumi_gke_tpu.integrations.plugin.schema import key_text, package_schema
from pulumi_gke_tpu.plan import Plan
from pulumi_gke_tpu.plan.keys import documented_keys, field_of

ARGUMENTS = pathlib.Path(args.__file__)
OTHER_NAMES = {"_ClusterKeys": "Cluster", "_StandardKeys": "Cluster", "_PlanKeys": "Plan", "TpuFleetArgs": "Plan"}
"""Classes of arguments that are called differently from the part of a plan that they stand for."""


def described_arguments(source: str) -> str:
    """The source of the arguments with the docstring of each key as the plan's models describe it."""
    lines = source.splitlines(keepends=True)
    parts = {part.__name__: part for _, _, part in documented_keys(Plan)}
    for kind in reversed(ast.parse(source).body):
        if not isinstance(kind, ast.ClassDef):
            continue
        part = parts.get(OTHER_NAMES.get(kind.name, kind.name.removesuffix("Args")))
        for key, docstring in reversed(list(zip(kind.body, kind.body[1:], strict=False))):
            if part and isinstance(key, ast.AnnAssign) and isinstance(key.target, ast.Name):
                field = field_of(part, key.target.id)
                if field:
                    lines[docstring.lineno - 1 : docstring.end_lineno] = [_docstring(key_text(field))]
    return "".join(lines)


def _docstring(text: str) -> str:
    marked = textwrap.wrap(f'"""{text}"""', width=116, break_long_words=False, break_on_hyphens=False)
    return textwrap.indent("\n".join(marked), "    ") + "\n"


def main() -> None:
    """Bring both up to date."""
    SCHEMA_FILE.write_text(package_schema(), encoding="utf-8")
    ARGUMENTS.write_text(described_arguments(ARGUMENTS.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
