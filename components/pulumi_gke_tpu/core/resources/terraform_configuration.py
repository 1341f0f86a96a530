"""What the configuration in a Terraform plan writes: the attributes that a resource sets, and what they refer to.

The plan has the same value for an attribute that is known after apply and for one that nothing sets, so that the
provider chooses it. Only the configuration tells them apart. It does not contain ``dynamic`` blocks.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import field
from typing import Any

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.objects.document import mapping
from pulumi_gke_tpu.core.text.jsonfile.scan import JsonPart
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_DEEPEST = 50
_INDEX = lazy_pattern(r'\[(?:\d+|"(?:[^"\\]|\\.)*")\]')
_MODULES = lazy_pattern(rf"(?:module\.[^.\[]+(?:{_INDEX.pattern})?\.)*")


@frozen(eq=False)
class Module:
    """A module: the root, or one that another module calls."""

    resources: Mapping[tuple[str, str], Mapping[str, Any]] = field(default_factory=dict)
    """Type and name -> expressions of the attributes and blocks."""
    calls: Mapping[str, tuple[Mapping[str, Any], "Module"]] = field(default_factory=dict)
    """Name -> expressions of the variables, and the module."""
    outputs: Mapping[str, Any] = field(default_factory=dict)
    """Name -> expression."""


@frozen(eq=False)
class Configuration:
    """The configuration of a plan, empty for a plan without one."""

    root: Module = Module()

    def written(self, module: str, resource_type: str, name: str) -> Mapping[str, Any] | None:
        """The expressions of a resource, None if the configuration does not contain it."""
        found = self._module(_calls_in(module))
        return found.resources.get((resource_type, name)) if found is not None else None

    def references(self, module: str, resource_type: str, name: str) -> Mapping[str, tuple[str, ...]]:
        """Attribute or block of a resource -> the addresses without indexes of the resources that it refers to."""
        written = self.written(module, resource_type, name) or {}
        return {key: self._referred(_calls_in(module), expression) for key, expression in written.items()}

    def _referred(self, calls: tuple[str, ...], expression: Any) -> tuple[str, ...]:
        """The resources that an expression refers to, also through variables and outputs of modules."""
        found: dict[str, None] = {}
        seen: set[tuple[tuple[str, ...], str]] = set()  # modules can refer to each other
        pending = [(calls, expression)]
        while pending:
            calls, expression = pending.pop()
            module = self._module(calls)
            if module is None:
                continue
            for reference in _references(expression):
                if (calls, reference) in seen:
                    continue
                seen.add((calls, reference))
                kind, *rest = without_indexes(reference).split(".")
                if kind == "var" and rest and calls:
                    caller = self._module(calls[:-1])
                    variables, _ = caller.calls[calls[-1]] if caller is not None else ({}, None)
                    pending.append((calls[:-1], variables.get(rest[0])))
                elif kind == "module" and len(rest) > 1 and rest[0] in module.calls:
                    pending.append(((*calls, rest[0]), module.calls[rest[0]][1].outputs.get(rest[1])))
                elif rest and (kind, rest[0]) in module.resources:
                    found[".".join([*(f"module.{name}" for name in calls), kind, rest[0]])] = None
        return tuple(found)

    def _module(self, calls: tuple[str, ...]) -> Module | None:
        module = self.root
        for name in calls:
            if name not in module.calls:
                return None
            module = module.calls[name][1]
        return module


def read_configuration(part: JsonPart, types: Collection[str]) -> Configuration:
    """The configuration of a plan, with the resources of some types."""
    for key, value in part.members():
        if key == "root_module":
            return Configuration(_module(value, types, 0))
    return Configuration()


def without_indexes(address: str) -> str:
    """The address of a block, from that of an instance: ``module.a["x"].google_container_cluster.b[0]``."""
    return _INDEX.sub("", address)


def module_of(address: str) -> str:
    """The address of the module that has a resource, with a dot at the end; empty for the root."""
    match = _MODULES.match(address)
    return match[0] if match else ""


def without_unwritten(unknown: Any, written: Any, is_block: Callable[[str], bool], path: str = "") -> Any:
    """``after_unknown`` without the attributes that the configuration does not write.

    Blocks stay unknown: a ``dynamic`` block may write them.
    """
    if isinstance(unknown, list) and isinstance(written, list) and len(unknown) == len(written):
        return [without_unwritten(inner, item, is_block, path) for inner, item in zip(unknown, written, strict=True)]
    if not isinstance(unknown, dict) or not isinstance(written, dict):
        return unknown
    return {
        name: without_unwritten(inner, written.get(name), is_block, f"{path}{name}.")
        for name, inner in unknown.items()
        if inner is not True or name in written or is_block(f"{path}{name}")
    }


def _module(part: JsonPart, types: Collection[str], depth: int) -> Module:
    resources: dict[tuple[str, str], Mapping[str, Any]] = {}
    calls: dict[str, tuple[Mapping[str, Any], Module]] = {}
    outputs: dict[str, Any] = {}
    for key, value in part.members():
        if key == "resources":
            for item in value.elements():
                data = item.value()
                if is_managed(data) and data["type"] in types:
                    resources[data["type"], str(data.get("name"))] = mapping(data.get("expressions"))
        elif key == "module_calls" and depth < _DEEPEST:
            calls = {name: _call(call, types, depth + 1) for name, call in value.members()}
        elif key == "outputs":
            outputs = {name: mapping(output.value()).get("expression") for name, output in value.members()}
    return Module(resources, calls, outputs)


def _call(part: JsonPart, types: Collection[str], depth: int) -> tuple[Mapping[str, Any], Module]:
    variables: Mapping[str, Any] = {}
    module = Module()
    for key, value in part.members():
        if key == "expressions":
            variables = mapping(value.value())
        elif key == "module":
            module = _module(value, types, depth)
    return variables, module


def is_managed(data: Any) -> bool:
    """Whether data of a configuration, a plan or a state are those of a resource, not of a data source."""
    return isinstance(data, dict) and data.get("mode") == "managed" and isinstance(data.get("type"), str)


def _calls_in(address: str) -> tuple[str, ...]:
    """The names of the modules in the address of a module: ``module.a["x"].module.b``."""
    return tuple(without_indexes(address).split(".")[1::2])


def _references(expression: Any, depth: int = 0) -> Iterator[str]:
    if isinstance(expression, list) and depth < _DEEPEST:
        for item in expression:
            yield from _references(item, depth + 1)
    elif isinstance(expression, dict) and depth < _DEEPEST:
        for key, value in expression.items():
            if key == "references" and isinstance(value, list):
                yield from (item for item in value if isinstance(item, str))
            else:
                yield from _references(value, depth + 1)
