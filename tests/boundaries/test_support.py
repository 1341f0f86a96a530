"""``tests/support`` has layers, no circles, and nothing that no test uses."""

import ast
import collections
import functools
import graphlib
import pathlib
import re

TESTS = pathlib.Path(__file__).parents[1]
SUPPORT = TESTS / "support"
LAYERS = (
    ("fixtures",),
    ("terraform",),
    ("engine", "google_apis", "kueue_decisions"),
    ("gcp_standin", "kubernetes_standin", "kubernetes_model", "promtool", "rego", "browser"),
    ("control_plane", "gke", "provider_protocol"),
)
"""The folders, from the top; a folder imports only from lower layers. ``README.md`` describes them."""
UNUSED = re.compile(r"__\w+__|pytest_\w+|do_[A-Z]+|protocol_version|[A-Z]\w*")
"""Names that a library calls: those of pytest, of HTTP handlers, and of gRPC methods."""


@functools.cache
def modules() -> dict[str, ast.Module]:
    return {
        ".".join(path.relative_to(TESTS).with_suffix("").parts): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(SUPPORT.rglob("*.py"))
    }


def imports(tree: ast.Module) -> set[str]:
    """The modules of ``tests/support`` that a module imports, wherever in it."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{name.name}" for name in node.names)}
        elif isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
    return found & modules().keys()


def folder_of(module: str) -> str:
    """The folder of a module; empty for a module that is in none."""
    parts = module.split(".")
    return parts[1] if len(parts) > 2 else ""


def test_every_folder_has_a_layer_and_a_line_in_the_readme() -> None:
    folders = {folder_of(name) for name in modules()} - {""}
    assert folders == {name for layer in LAYERS for name in layer}
    page = (SUPPORT / "README.md").read_text(encoding="utf-8")
    assert [name for name in sorted(folders) if f"`{name}`" not in page] == []


def test_a_folder_imports_only_from_lower_layers() -> None:
    level = {name: number for number, layer in enumerate(LAYERS) for name in layer}
    upwards = [
        f"{module} imports {other}"
        for module, tree in modules().items()
        for other in imports(tree)
        if folder_of(module) and folder_of(other) and folder_of(module) != folder_of(other)
        if level[folder_of(other)] <= level[folder_of(module)]
    ]
    assert upwards == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    graphlib.TopologicalSorter({name: imports(tree) for name, tree in modules().items()}).prepare()


def test_everything_is_used() -> None:
    """A name that occurs once, where it is defined, is used nowhere."""
    words: collections.Counter[str] = collections.Counter()
    for folder in ("tests", "tools", "benchmarks"):
        for path in (TESTS.parent / folder).rglob("*.py"):
            words.update(re.findall(r"\w+", path.read_text(encoding="utf-8")))
    unused = [
        f"{module}: {node.name}"
        for module, tree in modules().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        and words[node.name] == 1
        and not UNUSED.fullmatch(node.name)
    ]
    assert unused == []
