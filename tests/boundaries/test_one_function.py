"""One function for one thing: copies of it agree only by luck."""

import ast
from collections.abc import Iterator

from support.source_files import Module, modules

HOME = "core/text/formats/property_path.py"


def test_values_at_paths_have_one_function() -> None:
    found = [f"{module.name}:{loop.lineno}" for module in modules() for loop in _walks(module) if module.name != HOME]
    assert found == [], "use value_at of pulumi_gke_tpu.core.text.formats.property_path"


def _walks(module: Module) -> Iterator[ast.For]:
    """Loops that do nothing but replace a value by what it has at the next step of a path."""
    for node in module.nodes(ast.For):
        assert isinstance(node, ast.For)
        leaves = [*_leaves(node.body[0])] if len(node.body) == 1 else []
        if any(isinstance(leaf, ast.Assign) for leaf in leaves) and all(_is_step(leaf, node) for leaf in leaves):
            yield node


def _leaves(statement: ast.stmt) -> Iterator[ast.stmt]:
    """The statements that a statement runs in the end: those of each branch of a condition."""
    if isinstance(statement, ast.If):
        for inner in (*statement.body, *statement.orelse):
            yield from _leaves(inner)
    else:
        yield statement


def _is_step(statement: ast.stmt, loop: ast.For) -> bool:
    """``value = value[step]``, the same by ``get`` or with a condition, or the answer that there is nothing."""
    if isinstance(statement, ast.Return):
        return statement.value is None or ast.unparse(statement.value) == "None"
    if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
        return False
    name, step = statement.targets[0].id, ast.unparse(loop.target)
    value = statement.value.body if isinstance(statement.value, ast.IfExp) else statement.value
    return ast.unparse(value) in {f"{name}.get({step})", f"{name}[{step}]"}


def test_a_second_function_is_found() -> None:
    text = """
for step in path.split("."):
    value = value.get(step) if isinstance(value, dict) else None
for index in (0, 1):
    data = data[index]
for name in names:
    found = values.get(name)
for key in keys:
    part = part[key]
    seen.append(part)
"""
    loops = _walks(Module("features/example.py", text, ast.parse(text)))
    assert [ast.unparse(loop.target) for loop in loops] == ["step", "index"]
