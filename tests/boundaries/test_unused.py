"""Nothing is written that nothing reads: private names of modules, and fields of the catalog."""

import ast
import collections
from collections.abc import Iterator

from support.source_files import Module, modules

UNREAD = {
    ("About", "schema_version"): "the form of the files, for other programs that read them",
}
"""Fields of the catalog that no code reads, with the reason why they exist."""


def test_every_private_name_of_a_module_is_used_in_it() -> None:
    unused = [f"{module.name}: {name}" for module in modules() for name in _unused(module)]
    assert unused == []


def _unused(module: Module) -> Iterator[str]:
    defined = {name for statement in module.tree.body for name in _defined(statement)}
    used = {node.id for node in ast.walk(module.tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    # An annotation between quotation marks is a text to Python.
    quoted = " ".join(
        node.value for node in ast.walk(module.tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )
    return (name for name in sorted(defined - used) if name not in quoted)


def _defined(statement: ast.stmt) -> Iterator[str]:
    targets: list[ast.expr] = []
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        targets = [ast.Name(statement.name)]
    elif isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign):
        targets = [statement.target]
    for target in targets:
        for node in ast.walk(target):
            if isinstance(node, ast.Name) and node.id.startswith("_") and not node.id.startswith("__"):
                yield node.id


def test_every_field_of_the_catalog_is_read() -> None:
    read = collections.Counter[str]()
    for module in modules():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Attribute):
                read[node.attr] += 1
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                read[node.value] += 1  # for_item("repair_seconds")
    unread = {field for field in _fields() if not read[field[1]]}
    assert unread - UNREAD.keys() == set(), "delete the field, or read it"
    assert UNREAD.keys() - unread == set(), "no longer an exception"


def _fields() -> Iterator[tuple[str, str]]:
    """The class and the name of every field of the catalog."""
    for module in modules():
        if module.name.startswith("core/catalog/records/"):
            for found in module.nodes(ast.ClassDef):
                assert isinstance(found, ast.ClassDef)
                for statement in found.body:
                    target = statement.target if isinstance(statement, ast.AnnAssign) else None
                    if isinstance(target, ast.Name) and not target.id.startswith("__"):
                        yield found.name, target.id
