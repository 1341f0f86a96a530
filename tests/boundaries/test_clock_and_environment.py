"""Nothing but the command line and the stack program knows what day it is or where it runs."""

import ast

import pytest
from source_files import Module, dotted, modules

CLOCKS = {"now", "today", "utcnow", "fromtimestamp", "time", "time_ns", "monotonic", "perf_counter"}
SURROUNDINGS = {
    *("os.environ", "os.getenv", "os.getcwd", "os.getlogin", "os.getuid", "os.uname", "os.path.expanduser"),
    *("sys.argv", "sys.platform", "pathlib.Path.home", "pathlib.Path.cwd", "Path.home", "Path.cwd"),
}
CHANCE_AND_PLACE = {"getpass", "locale", "platform", "random", "secrets", "socket", "tempfile", "time", "uuid"}

below_the_command_line = pytest.mark.parametrize(
    "module",
    [module for module in modules() if not module.name.startswith("cli/")],
    ids=lambda module: module.name,
)


@below_the_command_line
def test_no_clock_is_read(module: Module) -> None:
    called = [dotted(node.func) for node in module.nodes(ast.Call) if isinstance(node, ast.Call)]
    assert [name for name in called if "." in name and name.rsplit(".", 1)[1] in CLOCKS] == []


@below_the_command_line
def test_no_environment_is_read(module: Module) -> None:
    named = {dotted(node) for node in module.nodes(ast.Attribute)}
    assert sorted(named & SURROUNDINGS) == []


@below_the_command_line
def test_nothing_by_chance_or_from_the_machine(module: Module) -> None:
    imported = set()
    for node in module.nodes(ast.Import, ast.ImportFrom):
        if isinstance(node, ast.Import):
            imported.update(alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            imported.add((node.module or "").split(".")[0])
            if node.module == "os":
                imported.update(f"os.{alias.name}" for alias in node.names)
    assert sorted(imported & (CHANCE_AND_PLACE | SURROUNDINGS)) == []


def test_the_search_finds_what_it_looks_for() -> None:
    """The command line does read both; a search that found nothing there would be broken."""
    module = next(module for module in modules() if module.name == "cli/options.py")
    assert any(dotted(node.func).endswith(".now") for node in module.nodes(ast.Call) if isinstance(node, ast.Call))
    assert "os.environ" in {dotted(node) for node in module.nodes(ast.Attribute)}
