"""A program and the stand-in without the engine between them: what is checked, stored, read and compared.

It does what the engine does with one resource after the other: it resolves references, keeps ignored properties, and
asks the provider. It is for tests of many values: each of them costs milliseconds.
"""

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from support.gcp_standin.checks import completed, problems
from support.gcp_standin.cloud import Cloud
from support.gcp_standin.difference import Difference, differences
from support.gcp_standin.identity import id_of, named, placed
from support.gcp_standin.imports import as_imported, inputs_of
from support.gcp_standin.knowledge import Kind, kind_of
from support.gcp_standin.outputs import forecast
from support.gcp_standin.planned import plain
from support.gcp_standin.provider import keep_from_the_state, stored_outputs
from support.gcp_standin.state import after_creation, read_inputs

from pulumi_gke_tpu.core.graph.declared import Declarations, Declared, Key, Ref

_SEED = b"test"
Json = dict[str, Any]


@dataclass
class Stored:
    """A resource in the state of a stack."""

    kind: Kind
    id: str
    inputs: Json
    outputs: Json


@dataclass
class Stack:
    """A stack. Every resource is known by its key."""

    cloud: Cloud = field(default_factory=Cloud)
    resources: dict[Key, Stored] = field(default_factory=dict)

    def up(self, program: Declarations) -> None:
        """Create every resource of a program."""
        for declared in _custom(program):
            kind, inputs = kind_of(declared.type), self._inputs(declared)
            found = problems(kind, inputs)
            assert found == [], (declared.key, found)
            inputs = named(kind, completed(kind, inputs), {}, declared.name, _SEED)
            state = after_creation(kind, placed(kind, plain(inputs)))
            identity = id_of(kind, state)
            outputs = stored_outputs(self.cloud.create(kind, declared.name, identity, state), read=False)
            self.resources[declared.key] = Stored(kind, identity, inputs, outputs)
        self.cloud.requests.clear()

    def take(self, program: Declarations, ids: Mapping[Key, str]) -> None:
        """Import every resource of a program."""
        for declared in _custom(program):
            kind, identity = kind_of(declared.type), ids[declared.key]
            record = self.cloud.read(identity)
            assert record is not None, identity
            as_imported(kind, record.state)
            outputs = stored_outputs(record, read=True)
            self.resources[declared.key] = Stored(kind, identity, inputs_of(kind, outputs), outputs)

    def refresh(self) -> None:
        """Read every resource again."""
        for stored in self.resources.values():
            record = self.cloud.read(stored.id)
            assert record is not None, stored.id
            keep_from_the_state(record, stored.outputs)
            stored.outputs = stored_outputs(record, read=True)
            stored.inputs = read_inputs(stored.inputs, stored.outputs)

    def preview(self, program: Declarations) -> dict[Key, list[str]]:
        """What a preview reports about each resource that it does not leave as it is."""
        found = {declared.key: self.changes(declared) for declared in _custom(program)}
        return {key: changes for key, changes in found.items() if changes}

    def planned(self, program: Declarations) -> dict[Key, list[Difference]]:
        """The differences of each resource that was there before; outputs of those to come are unknown.

        What the engine replaces along with another resource is not among them.
        """
        after, found = Stack(self.cloud, dict(self.resources)), {}
        for declared in _custom(program):
            if declared.key in self.resources:
                inputs, refused = after.checked(declared)
                assert refused == [], (declared.key, refused)
                kind, outputs = self.resources[declared.key].kind, self.resources[declared.key].outputs
                found[declared.key] = differences(kind, outputs, inputs, declared.options.ignore_changes)
            else:
                kind = kind_of(declared.type)
                inputs = named(kind, completed(kind, after._inputs(declared)), {}, declared.name, _SEED)
                outputs = forecast(kind, placed(kind, plain(inputs)))
                after.resources[declared.key] = Stored(kind, "", inputs, outputs)
        return {key: changes for key, changes in found.items() if changes}

    def changes(self, declared: Declared) -> list[str]:
        """What a preview reports about one resource."""
        inputs, refused = self.checked(declared)
        return refused or self.compared(declared, inputs, self.resources[declared.key].outputs)

    def checked(self, declared: Declared) -> tuple[Json, list[str]]:
        """The inputs of a resource with ignored properties kept and defaults filled in, and what is refused."""
        stored, inputs = self.resources[declared.key], self._inputs(declared)
        for path in declared.options.ignore_changes:
            _keep(path.split("."), stored.inputs, inputs)
        refused = [f"{item.path}: {item.reason}" for item in problems(stored.kind, inputs)]
        inputs = named(stored.kind, completed(stored.kind, inputs), stored.inputs, declared.name, _SEED)
        return stored.kind.filled(plain(inputs)), refused

    def compared(self, declared: Declared, inputs: Json, outputs: Json) -> list[str]:
        """What a preview reports about one resource with these inputs and outputs."""
        kind = self.resources[declared.key].kind
        return [_text(item, declared) for item in differences(kind, outputs, inputs, declared.options.ignore_changes)]

    def _inputs(self, declared: Declared) -> Json:
        inputs = {name: self._value(value) for name, value in declared.properties.items()}
        return {name: value for name, value in inputs.items() if value is not None}

    def _value(self, value: Any) -> Any:
        if isinstance(value, Ref):
            target = self.resources[value.resource]
            found = {**target.outputs, "id": target.id}[value.property]
            return value.read(found) if value.read else found
        if isinstance(value, Mapping):
            items = {name: self._value(item) for name, item in value.items()}
            return {name: item for name, item in items.items() if item is not None}
        if isinstance(value, list | tuple):
            return [self._value(item) for item in value]
        return value


def _custom(program: Declarations) -> Iterator[Declared]:
    return (declared for declared in program if declared.custom)


def _keep(steps: list[str], old: Any, new: Any) -> None:
    """Give an ignored property of the inputs the value that it had, or none if it had none."""
    *above, name = steps
    for step in above:
        old = old.get(step) if isinstance(old, dict) else None
        if step not in new and old is not None:
            new[step] = {}
        new = new.get(step)
        if not isinstance(new, dict):
            return
    if isinstance(old, dict) and name in old:
        new[name] = copy.deepcopy(old[name])
    else:
        new.pop(name, None)


def _text(item: Difference, declared: Declared) -> str:
    asked = any(
        item.plain_path == path or item.plain_path.startswith(f"{path}.")
        for path in declared.options.replace_on_changes
    )
    return f"{'replace' if item.replaces or asked else item.how} {item.path}"
