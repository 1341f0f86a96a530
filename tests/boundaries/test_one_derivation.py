"""A plan becomes a fleet in one place; everything else takes the checked plan."""

import ast

from support.source_files import modules

ALLOWED = {
    "core/fleet/__init__.py": "offers it",
    "core/rules/engine/run.py": "makes the checked plan",
    "core/rules/engine/shape_variants.py": "derives other plans: with possible shapes for groups that have none",
}


def test_only_the_check_of_a_plan_derives_its_fleet() -> None:
    users = {
        module.name
        for module in modules()
        for node in module.nodes(ast.ImportFrom)
        if isinstance(node, ast.ImportFrom) and any(alias.name == "derive" for alias in node.names)
    }
    assert users == ALLOWED.keys()
