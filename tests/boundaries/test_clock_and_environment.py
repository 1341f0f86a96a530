"""Nothing but the command line and the stack program knows what day it is or where it runs."""

import ast

from support.source_files import Module, computing, dotted, modules

CLOCKS = {"now", "today", "utcnow", "fromtimestamp", "time", "time_ns", "monotonic", "perf_counter"}
SURROUNDINGS = {
    *("os.environ", "os.getenv", "os.getcwd", "os.getlogin", "os.getuid", "os.uname", "os.path.expanduser"),
    *("sys.argv", "sys.platform", "pathlib.Path.home", "pathlib.Path.cwd", "Path.home", "Path.cwd"),
}
CHANCE_AND_PLACE = {"getpass", "locale", "platform", "random", "secrets", "socket", "tempfile", "time", "uuid"}


def test_no_clock_is_read() -> None:
    calls = [
        f"{module.name}: {name}"
        for module in computing()
        for name in module.calls()
        if "." in name and name.rsplit(".", 1)[1] in CLOCKS
    ]
    assert calls == []


def test_no_environment_is_read() -> None:
    names = [
        f"{module.name}: {name}"
        for module in computing()
        for name in {dotted(node) for node in module.nodes(ast.Attribute)} & SURROUNDINGS
    ]
    assert names == []


def test_nothing_by_chance_or_from_the_machine() -> None:
    imports = [
        f"{module.name}: {name}"
        for module in computing()
        for name in imported(module) & (CHANCE_AND_PLACE | SURROUNDINGS)
    ]
    assert imports == []


def imported(module: Module) -> set[str]:
    """The top-level packages that a module imports, and ``os.NAME`` for the names that it imports from there."""
    names = set()
    for node in module.nodes(ast.Import, ast.ImportFrom):
        if isinstance(node, ast.Import):
            names.update(alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            names.add((node.module or "").split(".")[0])
            if node.module == "os":
                names.update(f"os.{alias.name}" for alias in node.names)
    return names


def test_the_search_finds_what_it_looks_for() -> None:
    """The command line does read both; a search that found nothing there would be broken."""
    module = next(module for module in modules() if module.name == "cli/options.py")
    assert any(name.endswith(".now") for name in module.calls())
    assert "os.environ" in {dotted(node) for node in module.nodes(ast.Attribute)}
