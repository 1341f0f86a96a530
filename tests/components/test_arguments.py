"""The arguments of the components: the keys of the plan, and Inputs exactly where the plan lets values flow."""

import collections.abc
import types
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

import pulumi
import pytest
from pydantic import WrapValidator
from typing_extensions import NotRequired, get_type_hints, is_typeddict

import pulumi_gke_tpu
from pulumi_gke_tpu.components import args as arguments
from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan import ClusterSpec, Plan, SliceGroupSpec
from pulumi_gke_tpu.core.plan import capacity as plan_capacity
from pulumi_gke_tpu.core.plan.base import PlanModel
from pulumi_gke_tpu.core.plan.keys import form_of, names_of, unmarked, written_type
from pulumi_gke_tpu.features.plugin.arguments import all_arguments, key_text

# Where arguments and plan differ on purpose.
BESIDE = {"project", "moved", "acknowledge", "accept", "today"}
"""What a cluster or group needs besides its own part of a plan."""
SURROUNDINGS = {
    "cluster",
    "location",
    "mode",
    "min_version",
    "node_service_account",
    "private_nodes",
    "workload_identity",
    "secure_boot",
}
"""The arguments of separate slices about their cluster, which is not in the plan."""
NAMES: Any = names_of(read_catalog())
STANDARD_ONLY = {
    "system_pool",
    "cpu_pools",
    "additional_networks",
    "multi_networking",
    "autoprovisioning",
    "security",
}
OF_EXISTING_CLUSTERS = {"existing", "version"}
"""Keys of a cluster that exists already, for which a program of its own uses TpuSlices."""
NEEDED_IN_FILES_ONLY = {("TpuFleetArgs", "version"), ("ClusterArgs", "location")}
"""A plan file takes the location of an existing cluster from its reference; the model always has it."""


def keys(arguments_type: Any) -> set[str]:
    return set(arguments_type.__required_keys__ | arguments_type.__optional_keys__)


def fields(part: type[PlanModel]) -> dict[str, Any]:
    return {field.alias or name: field for name, field in part.model_fields.items()}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("SliceGroupArgs", set(fields(SliceGroupSpec))),
        ("ClusterArgs", set(fields(ClusterSpec))),
        ("TpuFleetArgs", set(fields(Plan)) | {"today"}),
        ("StandardClusterArgs", set(fields(ClusterSpec)) - {"mode"} - OF_EXISTING_CLUSTERS | BESIDE),
        ("AutopilotClusterArgs", set(fields(ClusterSpec)) - {"mode"} - OF_EXISTING_CLUSTERS - STANDARD_ONLY | BESIDE),
        ("TpuSlicesArgs", set(fields(SliceGroupSpec)) | SURROUNDINGS | BESIDE),
    ],
)
def test_keys_of_the_arguments(name: str, expected: set[str]) -> None:
    assert keys(getattr(arguments, name)) == expected


PAIRS: list[tuple[str, Any]] = [
    ("SliceGroupArgs", SliceGroupSpec),
    ("ClusterArgs", ClusterSpec),
    ("TpuFleetArgs", Plan),
    ("StandardClusterArgs", ClusterSpec),
    ("AutopilotClusterArgs", ClusterSpec),
    ("TpuSlicesArgs", SliceGroupSpec),
]


def bare(annotation: Any) -> Any:
    """An annotation without NotRequired, Annotated and None."""
    while True:
        origin = get_origin(annotation)
        if origin in (Annotated, NotRequired):
            annotation = get_args(annotation)[0]
        elif origin in (Union, types.UnionType) and type(None) in get_args(annotation):
            (annotation,) = (item for item in get_args(annotation) if item is not type(None))
        else:
            return annotation


def flows(annotation: Any) -> bool:
    """Whether the plan takes a value that is known later at this very place."""
    if get_origin(annotation) is Annotated:
        inner, *marks = get_args(annotation)
        return any(isinstance(mark, WrapValidator) for mark in marks) or flows(inner)
    if get_origin(annotation) in (Union, types.UnionType):
        return any(flows(item) for item in get_args(annotation))
    return False


def is_input(annotation: Any) -> bool:
    """Whether this is a pulumi.Input: a value, or something that can be awaited, or an Output."""
    return collections.abc.Awaitable in [get_origin(item) for item in get_args(annotation)]


def hints_of(kind: Any) -> dict[str, Any]:
    """The types of a TypedDict's keys. An Input names Output without importing it."""
    hints: dict[str, Any] = get_type_hints(
        kind, localns={"Output": pulumi.Output, "T": TypeVar("T")}, include_extras=True
    )
    return hints


def annotation_of(field: Any) -> Any:
    """The whole annotation of a model's field, with the marks that pydantic keeps apart."""
    annotation = field.annotation
    for mark in field.metadata:
        annotation = Annotated[annotation, mark]
    return annotation


def compare(kind: Any, part: Any, path: str) -> list[str]:
    """How a TypedDict and a model of the plan differ, in all that is inside them."""
    hints, found = hints_of(kind), []
    for name, field in fields(part).items():
        here = f"{path}.{name}"
        if name not in hints:
            continue
        needed = name in kind.__required_keys__
        if needed != field.is_required() and (kind.__name__, name) not in NEEDED_IN_FILES_ONLY:
            found.append(f"{here}: needed in {'the arguments' if needed else 'the plan'} only")
        found += compare_types(hints[name], annotation_in_files(field), here)
    return found


def annotation_in_files(field: Any) -> Any:
    """The annotation of a key as a plan file contains it, with short forms and the names of the catalog."""
    whole = annotation_of(field)
    if flows(whole):
        return whole
    form = form_of(field)
    names = NAMES.get(form) if form else None
    if names:
        return list[Literal[names]] if get_origin(field.annotation) is list else Literal[names]
    return written_type(field)


def alternatives(annotation: Any) -> list[Any]:
    """The types that a value can have; all words together are one type."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is NotRequired:
        return alternatives(inner[0])
    if origin is Annotated:
        return alternatives(unmarked(annotation))
    kinds = [annotation]
    if origin in (Union, types.UnionType):
        kinds = [kind for item in inner if item is not type(None) for kind in alternatives(item)]
    words = [word for kind in kinds if get_origin(kind) is Literal for word in get_args(kind)]
    others = [kind for kind in kinds if get_origin(kind) is not Literal]
    return sorted([*others, *([Literal[tuple(words)]] if words else [])], key=_order)


def _order(kind: Any) -> str:
    return str(getattr(kind, "__name__", kind)).removesuffix("Args")


def compare_types(hint: Any, annotation: Any, path: str) -> list[str]:
    if flows(annotation) or is_input(bare(hint)):
        return [] if flows(annotation) and is_input(bare(hint)) else [f"{path}: an Input on one side only"]
    left, right = alternatives(hint), alternatives(annotation)
    if len(left) != len(right):
        return [f"{path}: {hint} and {annotation}"]
    if len(left) > 1:
        pairs = zip(left, right, strict=True)
        return [line for number, pair in enumerate(pairs) for line in compare_types(*pair, f"{path}|{number}")]
    return compare_single_types(left[0], right[0], path)


def compare_single_types(hint: Any, annotation: Any, path: str) -> list[str]:
    if is_typeddict(hint) or (isinstance(annotation, type) and issubclass(annotation, PlanModel)):
        if not is_typeddict(hint) or not issubclass(annotation, PlanModel):
            return [f"{path}: a mapping on one side only"]
        differing = sorted(keys(hint) ^ set(fields(annotation)))
        return [f"{path}.{key}: on one side only" for key in differing] + compare(hint, annotation, path)
    if get_args(hint) and get_origin(annotation) in (dict, list):
        return compare_types(get_args(hint)[-1], get_args(annotation)[-1], f"{path}[]")
    if plain_type(hint) != plain_type(annotation):
        return [f"{path}: {hint} and {annotation}"]
    return []


def plain_type(annotation: Any) -> Any:
    """The type in a program, where times and durations are text."""
    name = getattr(annotation, "__name__", "")
    if get_origin(annotation) is Literal:
        return set(get_args(annotation))
    return str if name in ("datetime", "date", "timedelta") else annotation


@pytest.mark.parametrize(("name", "part"), PAIRS)
def test_types_of_the_arguments(name: str, part: Any) -> None:
    kind = getattr(arguments, name)
    skipped = BESIDE | SURROUNDINGS if name == "TpuSlicesArgs" else set()
    assert [line for line in compare(kind, part, name) if line.split(".")[1].split(":")[0] not in skipped] == []


def test_every_type_of_arguments_is_public() -> None:
    made = {f"{kind.name}Args" for kind in all_arguments() if not kind.name.startswith("_")}
    assert made == {name for name in pulumi_gke_tpu.__all__ if name.endswith("Args")}


def test_every_argument_is_described() -> None:
    """The text below a key becomes its documentation in every language."""
    kinds = all_arguments()
    assert [kind.name for kind in kinds if not kind.description] == []
    assert [f"{kind.name}.{key}" for kind in kinds for key, item in kind.own.items() if not key_text(item)] == []


def test_the_comparison_sees_differences() -> None:
    """So that it cannot pass by looking at nothing."""
    assert compare_types(arguments.BootDiskArgs, plan_capacity.Reservation, "x") != []
    assert compare_types(str, plan_capacity.Reservation, "x") == ["x: a mapping on one side only"]
    assert compare_types(pulumi.Input[str], str, "x") == ["x: an Input on one side only"]
    assert compare_types(int, str, "x") == [f"x: {int} and {str}"]
    assert compare_types(Literal["a"], Literal["a", "b"], "x") != []
    assert compare(arguments.SliceGroupArgs, ClusterSpec, "x") != []
