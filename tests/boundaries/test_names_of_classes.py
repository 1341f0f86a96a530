"""A class name has one meaning in the package, so that a reader of a name knows the class without its import."""

import ast
from collections import defaultdict
from collections.abc import Iterable

from support.source_files import Module, modules


def test_no_two_classes_have_the_same_name() -> None:
    assert _shared_names(modules()) == {}


def test_a_shared_name_is_reported_with_its_modules() -> None:
    found = _shared_names([_module("a.py", "class Range: ..."), _module("b.py", "if True:\n    class Range: ...")])
    assert found == {"Range": ["a.py", "b.py"]}


def test_no_class_is_imported_under_another_name_of_the_package() -> None:
    """An alias such as ``Cluster as PlanCluster`` gives a class a second name."""
    classes = {name for module in modules() for name in _classes(module)}
    assert _aliases(modules(), classes) == []
    assert _aliases([_module("a.py", "from pulumi_gke_tpu.b import Cluster as PlanCluster")], {"Cluster"}) == [
        "a.py: Cluster as PlanCluster"
    ]


def test_records_are_those_of_the_catalog() -> None:
    """A class that copies a value for an output is a second class for it: ``Keys`` writes the value itself."""
    found = {(module.name, name) for module in modules() for name in _classes(module) if name.endswith("Record")}
    assert found == {("core/catalog/records/facts.py", "Record")}


def _shared_names(source: Iterable[Module]) -> dict[str, list[str]]:
    homes = defaultdict(list)
    for module in source:
        for name in _classes(module):
            homes[name].append(module.name)
    return {name: places for name, places in sorted(homes.items()) if len(places) > 1}


def _classes(module: Module) -> list[str]:
    return [node.name for node in ast.walk(module.tree) if isinstance(node, ast.ClassDef)]


def _aliases(source: Iterable[Module], classes: set[str]) -> list[str]:
    return [
        f"{module.name}: {alias.name} as {alias.asname}"
        for module in source
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("pulumi_gke_tpu.")
        for alias in node.names
        if alias.name in classes and alias.asname not in (None, alias.name)
    ]


def _module(name: str, text: str) -> Module:
    return Module(name, text, ast.parse(text))
