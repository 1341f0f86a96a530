"""How the source is laid out: small modules that say what they are for, names that mean something."""

import ast
import re

import pytest
from source_files import ROOT, Module, dotted, modules

LONGEST = 400
LONGER = {
    "components/args.py": "one declaration for each argument of each component, and nothing else",
}
EMPTY_WORDS = {"utils", "util", "helpers", "helper", "manager", "managers", "common", "misc", "tools", "base_classes"}
NOT_IMPORTABLE = ("catalog", "stacks", "tests", "benchmarks", "tools")

every_module = pytest.mark.parametrize("module", modules(), ids=lambda module: module.name)


@every_module
def test_the_first_line_says_what_the_module_is_for(module: Module) -> None:
    documentation = ast.get_docstring(module.tree)
    assert documentation
    assert module.text.startswith('"""')
    assert len(documentation.splitlines()[0].split()) > 2


@every_module
def test_modules_are_short(module: Module) -> None:
    lines = len(module.text.splitlines())
    if module.name in LONGER:
        assert LONGEST < lines <= 500, "no longer needs to be an exception, or needs to be split"
    else:
        assert lines <= LONGEST


@every_module
def test_names_of_modules_mean_something(module: Module) -> None:
    assert not EMPTY_WORDS & set(re.split(r"[/_.]", module.name))


@every_module
def test_only_the_command_line_prints(module: Module) -> None:
    calls = {dotted(node.func) for node in module.nodes(ast.Call) if isinstance(node, ast.Call)}
    if not module.name.startswith("cli/"):
        assert not calls & {"print", "input", "sys.stdout.write", "sys.stderr.write", "sys.exit", "click.echo"}


@pytest.mark.parametrize("folder", NOT_IMPORTABLE)
def test_folders_that_are_no_packages(folder: str) -> None:
    assert not list((ROOT / folder).rglob("__init__.py"))


def test_every_package_has_its_file() -> None:
    folders = {(ROOT / "components" / "pulumi_gke_tpu" / module.name).parent for module in modules()}
    assert [folder for folder in folders if not (folder / "__init__.py").is_file()] == []
