"""Frozen classes: what they share with ``dataclass(frozen=True)``, which they are compared with."""

import ast
import copy
import dataclasses
import inspect
import pickle
from dataclasses import dataclass, field
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError
from support.source_files import modules

from pulumi_gke_tpu.core.frozen import frozen

GENERATED = {
    "core/fleet/model.py": "Range",
    "core/fleet/settings.py": "Derived",
    "core/resources/values.py": "Values",
}
"""Classes with generated methods: those of which a command makes tens of thousands."""


@frozen
class Point:
    """Every kind of field."""

    x: int
    y: int = 0
    labels: dict[str, str] = field(default_factory=dict, hash=False)
    source: str = field(default="", repr=False, compare=False)


@dataclass(frozen=True)
class Model:
    """What a point is compared with."""

    x: int
    y: int = 0
    labels: dict[str, str] = field(default_factory=dict, hash=False)
    source: str = field(default="", repr=False, compare=False)


@frozen
class Point3D(Point):
    """A class with fields of its own and of its base."""

    z: int = 0


@frozen(eq=False, kw_only=True, slots=False)
class Entry:
    """The other options."""

    name: str
    text: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", self.text.strip())


ARGUMENTS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((1,), {}),
    ((1, 2), {}),
    ((1, 2, {"a": "b"}, "c"), {}),
    ((), {"x": 1}),
    ((1,), {"source": "c", "y": 3}),
    ((1,), {"labels": {"a": "b"}}),
]
WRONG: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((), {}),
    ((), {"y": 1}),
    ((1,), {"x": 1}),
    ((1,), {"z": 1}),
    ((1, 2, {}, "", 5), {}),
    ((1, 2, {}, ""), {"y": 2}),
]


@pytest.mark.parametrize(("given", "named"), ARGUMENTS)
def test_instances_are_those_of_a_frozen_dataclass(given: tuple[Any, ...], named: dict[str, Any]) -> None:
    ours, model = Point(*given, **named), Model(*given, **named)
    assert dataclasses.asdict(ours) == dataclasses.asdict(model)
    assert repr(ours) == repr(model).replace("Model", "Point")
    assert hash(ours) == hash(model)


@pytest.mark.parametrize(("given", "named"), WRONG)
def test_wrong_arguments_are_rejected_as_by_a_dataclass(given: tuple[Any, ...], named: dict[str, Any]) -> None:
    for kind in (Point, Model):
        with pytest.raises(TypeError):
            kind(*given, **named)


def test_the_error_names_the_class_and_the_wrong_arguments() -> None:
    with pytest.raises(TypeError, match=r"^Point: missing, unknown or repeated: x, z$"):
        Point(z=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"^Point: .*: 5 positional arguments$"):
        Point(1, 2, {}, "", 5)  # type: ignore[call-arg]


def test_equality_is_that_of_the_compared_fields_in_one_class() -> None:
    assert Point(1, source="a") == Point(1, source="b")
    assert Point(1) != Point(1, 2)
    assert Point(1) != Point3D(1)
    assert Point3D(1, z=2) == Point3D(1, z=2) != Point3D(1, z=3)
    assert hash(Point(1, source="a")) == hash(Point(1, labels={"a": "b"}))


def test_defaults_that_are_made_are_not_shared() -> None:
    assert Point(1).labels is not Point(1).labels


def test_instances_cannot_change() -> None:
    for item, name in ((Point(1), "x"), (Point(1), "other"), (Entry(name="a"), "name")):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(item, name, 2)
        with pytest.raises(dataclasses.FrozenInstanceError):
            delattr(item, name)
    assert not hasattr(Point(1), "__dict__")


def test_the_options_hold() -> None:
    entry = Entry(name="a", text=" b ")
    assert entry.text == "b"
    assert entry != Entry(name="a", text="b")
    assert vars(entry) == {"name": "a", "text": "b"}
    with pytest.raises(TypeError, match="repeated: name"):
        Entry("a")  # type: ignore[misc]
    with pytest.raises(TypeError, match="repeated: name"):
        Entry("a", "b")  # type: ignore[misc]


def test_copies_are_equal() -> None:
    point = Point(1, labels={"a": "b"}, source="c")
    for other in (copy.copy(point), copy.deepcopy(point), pickle.loads(pickle.dumps(point))):
        assert dataclasses.asdict(other) == dataclasses.asdict(point)
    assert copy.deepcopy(point).labels is not point.labels
    assert dataclasses.replace(point, x=2) == Point(2, labels={"a": "b"})


def test_methods_of_the_class_itself_are_kept() -> None:
    @frozen
    class Shown:
        """Has a text of its own."""

        x: int

        def __repr__(self) -> str:
            return "shown"

    assert repr(Shown(1)) == "shown"


def test_the_signature_names_the_fields() -> None:
    assert str(inspect.signature(Point)) == str(inspect.signature(Model)).replace(" -> None", "").replace(
        "<factory>", "{}"
    )
    assert str(inspect.signature(Entry)) == "(*, name: str, text: str = '')"


def test_pydantic_reads_and_writes_them() -> None:
    adapter = TypeAdapter(Point)
    assert adapter.validate_python({"x": 1, "labels": {"a": "b"}}) == Point(1, labels={"a": "b"})
    assert adapter.dump_python(Point(1)) == {"x": 1, "y": 0, "labels": {}, "source": ""}
    with pytest.raises(ValidationError):
        adapter.validate_python({"y": 1})


def cached_without_place(tree: ast.Module) -> list[str]:
    """The classes with slots that have a cached property, which would fail when it is first read."""
    return [
        kind.name
        for kind in ast.walk(tree)
        if isinstance(kind, ast.ClassDef)
        and any(ast.unparse(decorator).startswith("frozen") for decorator in kind.decorator_list)
        and not any("slots=False" in ast.unparse(decorator) for decorator in kind.decorator_list)
        and any("cached_property" in ast.unparse(item) for item in kind.body)
    ]


def test_classes_with_cached_properties_have_no_slots() -> None:
    assert [(module.name, name) for module in modules() for name in cached_without_place(module.tree)] == []


@pytest.mark.parametrize(("options", "found"), [("", ["A"]), ("(eq=False)", ["A"]), ("(slots=False)", [])])
def test_cached_properties_are_found(options: str, found: list[str]) -> None:
    source = f"@frozen{options}\nclass A:\n    @functools.cached_property\n    def a(self): ..."
    assert cached_without_place(ast.parse(source)) == found


def test_frozen_classes_are_made_by_one_decorator() -> None:
    found = {module.name for module in modules() if "dataclass(frozen=True" in module.text}
    assert found - {"core/frozen.py"} == set(GENERATED)
