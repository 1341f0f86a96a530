"""The Python files of the package, parsed, for tests that look at source text."""

import ast
import functools
import pathlib
from collections.abc import Iterator
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).parents[2]
PACKAGE = ROOT / "components" / "pulumi_gke_tpu"


@dataclass(frozen=True)
class Module:
    """One file: its name below the package, its text, its syntax tree."""

    name: str
    text: str
    tree: ast.Module

    @functools.cached_property
    def every_node(self) -> tuple[ast.AST, ...]:
        """The nodes of the tree."""
        return tuple(ast.walk(self.tree))

    def nodes(self, *kinds: type[ast.AST]) -> Iterator[ast.AST]:
        """Every node of these kinds."""
        return (node for node in self.every_node if isinstance(node, kinds))

    def calls(self) -> Iterator[str]:
        """The name of every function that the module calls, as written."""
        return (dotted(node.func) for node in self.every_node if isinstance(node, ast.Call))


@functools.cache
def modules() -> tuple[Module, ...]:
    """Every module of the package, by name."""
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        found.append(Module(path.relative_to(PACKAGE).as_posix(), text, ast.parse(text)))
    return tuple(found)


@functools.cache
def computing() -> tuple[Module, ...]:
    """Every module but the command line: ``cli``, the commands of features and what they import click for."""
    return tuple(module for module in modules() if not _is_command_line(module))


def _is_command_line(module: Module) -> bool:
    imports = {alias.name for node in module.nodes(ast.Import) for alias in node.names}  # type: ignore[attr-defined]
    froms = {node.module or "" for node in module.nodes(ast.ImportFrom)}  # type: ignore[attr-defined]
    return (
        module.name.startswith("cli/")
        or "/commands/" in module.name
        or "click" in imports | froms
        or any(name.startswith("pulumi_gke_tpu.cli") for name in imports | froms)
    )


def dotted(node: ast.AST) -> str:
    """``datetime.datetime.now`` for the expression of that name; ``?`` stands for any other expression."""
    if isinstance(node, ast.Name):
        return node.id
    return f"{dotted(node.value)}.{node.attr}" if isinstance(node, ast.Attribute) else "?"


def docstrings(tree: ast.AST) -> set[int]:
    """The ids of the nodes that are documentation: strings that are statements."""
    return {
        id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
