"""Single mutations of Python source: small changes of meaning that a test suite should notice."""

import ast
import copy
import hashlib
import pathlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
}
_CALLS = {"min": "max", "max": "min", "any": "all", "all": "any", "startswith": "endswith", "endswith": "startswith"}
_WITHOUT_MEANING = (ast.AnnAssign, ast.Import, ast.ImportFrom, ast.Assert)
"""Statements that are left alone: types, imports, and assertions that only narrow a type."""


@dataclass(frozen=True, slots=True)
class Mutation:
    """One change of one module. ``number`` is its position among all changes of the module."""

    path: str
    number: int
    line: int
    last_line: int
    function: str
    before: str
    after: str
    repeated: int
    """The number of equal changes before this one in the same function."""

    @property
    def key(self) -> str:
        """Identity that survives changes elsewhere in the module; decides what a sample holds."""
        text = "\0".join((self.path, self.function, self.before, self.after, str(self.repeated)))
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def __str__(self) -> str:
        return f"{self.key} {self.path}:{self.line} {self.function}: {self.before} -> {self.after}"


def mutations(root: pathlib.Path, path: str) -> list[Mutation]:
    """All mutations of a module, by its path below ``root``."""
    found: list[Mutation] = []
    seen: dict[tuple[str, str, str], int] = {}
    for number, (site, function, replacement) in enumerate(_sites(_parsed(root, path))):
        before, after = _shown(site), _shown(replacement)
        repeated = seen.get((function, before, after), 0)
        seen[function, before, after] = repeated + 1
        last = site.end_lineno or site.lineno
        found.append(Mutation(path, number, site.lineno, last, function, before, after, repeated))
    return found


def mutated(root: pathlib.Path, mutation: Mutation) -> ast.Module:
    """The module with one mutation in it, ready to be compiled."""
    tree = _parsed(root, mutation.path)
    for number, (site, _, replacement) in enumerate(_sites(tree)):
        if number == mutation.number:
            _Replacing(site, replacement).visit(tree)
            return ast.fix_missing_locations(tree)
    raise LookupError(f"{mutation.path} has no mutation {mutation.number}")


class _Replacing(ast.NodeTransformer):
    def __init__(self, site: ast.AST, replacement: ast.AST) -> None:
        self.site, self.replacement = site, replacement

    def visit(self, node: ast.AST) -> ast.AST:
        return self.replacement if node is self.site else self.generic_visit(node)


def _parsed(root: pathlib.Path, path: str) -> ast.Module:
    return ast.parse((root / path).read_text(encoding="utf-8"))


_WIDTH = 120


def _shown(node: ast.AST) -> str:
    if isinstance(node, (ast.If, ast.While)):
        return f"{type(node).__name__.lower()} {_shown(node.test)}"
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 3]}..."


def _sites(tree: ast.Module) -> Iterator[tuple[ast.expr | ast.stmt, str, ast.expr | ast.stmt]]:
    """Every node that can be changed, the function around it, and what it becomes, in the order of the source."""
    for node, function in _reached(tree, ""):
        for replacement in _replacements(node):
            yield node, function, ast.copy_location(replacement, node)


def _reached(node: ast.AST, function: str) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    """Nodes that have a meaning at run time: no annotations, decorators, defaults, docstrings or type parameters."""
    if isinstance(node, _WITHOUT_MEANING) or (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"):
        return
    children: list[ast.AST] = list(ast.iter_child_nodes(node))
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        function = f"{function}.{node.name}".lstrip(".")
        children = list(node.body)
    elif isinstance(node, (ast.expr, ast.stmt)):
        yield node, function
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "zip":
        children = list(node.args)  # its `strict` only asserts what holds
    for child in children:
        yield from _reached(child, function)


def _replacements(node: ast.expr | ast.stmt) -> Iterator[ast.expr | ast.stmt]:
    for kind, change in _CHANGES.items():
        if isinstance(node, kind):
            yield from change(node)


def _compare(node: ast.Compare) -> Iterator[ast.expr]:
    for at, operator in enumerate(node.ops):
        changed = copy.copy(node)
        changed.ops = [*node.ops[:at], _COMPARISONS[type(operator)](), *node.ops[at + 1 :]]
        yield changed


def _bool_op(node: ast.BoolOp) -> Iterator[ast.expr]:
    yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
    for at in range(len(node.values)):
        rest = node.values[:at] + node.values[at + 1 :]
        yield rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)


def _unary_op(node: ast.UnaryOp) -> Iterator[ast.expr]:
    if isinstance(node.op, ast.Not):
        yield node.operand


def _constant(node: ast.Constant) -> Iterator[ast.expr]:
    if isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node.value, int):
        yield ast.Constant(node.value + 1)


def _bin_op(node: ast.BinOp) -> Iterator[ast.expr]:
    texts = any(
        isinstance(side, ast.JoinedStr) or (isinstance(side, ast.Constant) and isinstance(side.value, str))
        for side in (node.left, node.right)
    )
    if type(node.op) in _ARITHMETIC and not texts:
        yield ast.BinOp(node.left, _ARITHMETIC[type(node.op)](), node.right)


def _call(node: ast.Call) -> Iterator[ast.expr]:
    called = node.func
    if isinstance(called, ast.Name) and called.id in _CALLS:
        yield ast.Call(ast.Name(_CALLS[called.id], ast.Load()), node.args, node.keywords)
    elif isinstance(called, ast.Attribute) and called.attr in _CALLS:
        yield ast.Call(ast.Attribute(called.value, _CALLS[called.attr], ast.Load()), node.args, node.keywords)


def _if(node: ast.If | ast.While | ast.IfExp) -> Iterator[ast.expr | ast.stmt]:
    """A bare condition is negated; comparisons have mutations of their own."""
    if isinstance(node.test, (ast.Name, ast.Attribute, ast.Call, ast.Subscript)):
        changed = copy.copy(node)
        changed.test = ast.UnaryOp(ast.Not(), node.test)
        yield changed


def _comprehension(node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Iterator[ast.expr]:
    for at, loop in enumerate(node.generators):
        for without in range(len(loop.ifs)):
            changed = copy.copy(node)
            rest = loop.ifs[:without] + loop.ifs[without + 1 :]
            other = ast.comprehension(loop.target, loop.iter, rest, loop.is_async)
            changed.generators = [*node.generators[:at], other, *node.generators[at + 1 :]]
            yield changed


def _statement(node: ast.Expr) -> Iterator[ast.stmt]:
    """A call or a yield that is left out; a generator stays one."""
    if isinstance(node.value, ast.Call):
        yield ast.Pass()
    elif isinstance(node.value, (ast.Yield, ast.YieldFrom)):
        yield ast.Expr(ast.YieldFrom(ast.Tuple([], ast.Load())))


def _continue(node: ast.Continue) -> Iterator[ast.stmt]:
    yield ast.Break()


def _break(node: ast.Break) -> Iterator[ast.stmt]:
    yield ast.Continue()


_CHANGES: dict[type | tuple[type, ...], Callable[..., Iterator[ast.expr | ast.stmt]]] = {
    ast.Compare: _compare,
    ast.BoolOp: _bool_op,
    ast.UnaryOp: _unary_op,
    ast.Constant: _constant,
    ast.BinOp: _bin_op,
    ast.Call: _call,
    (ast.If, ast.While, ast.IfExp): _if,
    (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp): _comprehension,
    ast.Expr: _statement,
    ast.Continue: _continue,
    ast.Break: _break,
}
