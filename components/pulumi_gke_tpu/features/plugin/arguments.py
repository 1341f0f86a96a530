"""The arguments of the components as data, from the models of a plan, with their names in other languages."""

import functools
import inspect
import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import BeforeValidator
from pydantic.fields import FieldInfo

from pulumi_gke_tpu.core.catalog.spelling import camel_case
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan import ClusterSpec, Plan
from pulumi_gke_tpu.core.plan.base import MaybeOutput, PlanModel, key
from pulumi_gke_tpu.core.plan.keys import (
    documented_keys,
    inner_type,
    is_plan_model,
    meaning_on_autopilot,
    meaning_on_existing,
    unmarked,
    written_type,
)
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

# After a colon, or after "the value", there is a value.
_WORD = lazy_pattern(r"(?<!: )(?<!the value )\b([a-z]+(?:_[a-z0-9]+)+)\b(:?)")


def in_camel_case(text: str) -> str:
    """The text with the plan's keys in camelCase. Words that are values too change only where a colon follows."""

    def spell(found: re.Match[str]) -> str:
        word, colon = found.groups()
        is_key = word in _documented_keys() and (colon or word not in _values())
        return f"{camel_case(word)}{colon}" if is_key else found[0]

    return _WORD.sub(spell, text)


@functools.cache
def _documented_keys() -> frozenset[str]:
    return frozenset(path.rsplit(".", 1)[-1] for path, _, _ in documented_keys(Plan))


@functools.cache
def _values() -> frozenset[str]:
    return frozenset(
        str(word)
        for _, field, _ in documented_keys(Plan)
        for form in (field.annotation, *field.metadata)
        for word in choices(form)
    )


def choices(form: object) -> Iterator[Any]:
    """The choices that a type, or a type inside it, allows."""
    if get_origin(form) is Literal:
        yield from get_args(form)
    elif isinstance(form, BeforeValidator):
        yield from choices(form.json_schema_input_type)
    else:
        for inner in get_args(form):
            yield from choices(inner)


Keys = Mapping[str, FieldInfo]


class _Today(PlanModel):
    today: str | None = key(
        "Current date for the end dates of `acknowledge` and `accept` entries; without it, the entries have no effect.",
        default=None,
    )


class _ClusterOfWorkloads(PlanModel):
    cluster: str | None = key("Key of the cluster in the plan; not needed if the plan has one cluster.", default=None)


class _ClusterOfSlices(PlanModel):
    cluster: MaybeOutput[str] = key("ID of the cluster, projects/P/locations/L/clusters/C, or its name.")
    location: str = key("Location of the cluster.")
    mode: Literal["standard", "autopilot"] = key("Mode of the cluster.", default="standard")
    min_version: str | None = key("Minimum version of the cluster, for the rules about versions.", default=None)
    node_service_account: MaybeOutput[str] | None = key(
        "create, or the email of the node service account; default: the Compute Engine default service account.",
        default=None,
    )
    private_nodes: bool | None = key(
        "Nodes without public IP addresses; default: the setting of the cluster.", default=None
    )
    workload_identity: bool = key("Whether the cluster has Workload Identity Federation.", default=True)
    secure_boot: bool = key("Secure boot of the hosts.", default=False)


@frozen
class Arguments:
    """A mapping of arguments: a part of a plan, or all arguments of a component."""

    name: str
    """The name without ``Args``; it begins with an underscore if it only serves as a base of others."""
    description: str
    own: Keys
    bases: tuple["Arguments", ...] = ()
    optional: frozenset[str] = field(default=frozenset())
    """Keys of the models that programs may leave out."""

    @property
    def keys(self) -> Keys:
        """The keys of the bases, then the own ones."""
        return {name: item for base in self.bases for name, item in base.keys.items()} | dict(self.own)

    def is_required(self, name: str) -> bool:
        """Whether a program must give a key."""
        return self.keys[name].is_required() and name not in self.optional


@functools.cache
def all_arguments() -> tuple[Arguments, ...]:
    """Every mapping of arguments, each after those that it is made of."""
    found: dict[str, Arguments] = {}
    for model in _models(Plan, {}):
        if model not in (ClusterSpec, Plan):
            found[model.public_name()] = Arguments(model.public_name(), first_paragraph(model), _keys(model))
    cluster, plan = _keys(ClusterSpec), _keys(Plan)
    standard_only = [name for name, item in cluster.items() if meaning_on_autopilot(item) == "refused"]
    of_existing = [name for name, item in cluster.items() if meaning_on_existing(item) == "only"]
    location = {"location": cluster["location"]}
    in_all = Arguments(
        "_ClusterKeys",
        "Keys of a cluster in both modes.",
        _without(cluster, "mode", "location", *of_existing, *standard_only),
    )
    in_standard = Arguments(
        "_StandardKeys", "Keys of a Standard cluster.", {name: cluster[name] for name in standard_only}, (in_all,)
    )
    entries = ("project", "moved", "acknowledge", "accept")
    around = Arguments(
        "_PlanKeys",
        "Arguments of a component in addition to its plan keys.",
        {**{name: plan[name] for name in entries}, **_keys(_Today)},
    )
    fleet = Arguments(
        "TpuFleet",
        "Arguments of :class:`TpuFleet`: a whole plan in canonical form.",
        _without(plan, *entries),
        (around,),
        frozenset({"version"}),
    )
    return (
        *found.values(),
        in_all,
        in_standard,
        Arguments(
            "Cluster",
            first_paragraph(ClusterSpec),
            {"mode": cluster["mode"], **location, **{name: cluster[name] for name in of_existing}},
            (in_standard,),
            frozenset(location),
        ),
        around,
        Arguments("StandardCluster", "Arguments of :class:`StandardCluster`.", location, (in_standard, around)),
        Arguments("AutopilotCluster", "Arguments of :class:`AutopilotCluster`.", location, (in_all, around)),
        Arguments(
            "TpuSlices", "Arguments of :class:`TpuSlices`.", _keys(_ClusterOfSlices), (found["SliceGroup"], around)
        ),
        fleet,
        Arguments(
            "TpuWorkloads",
            "Arguments of :class:`TpuWorkloads`: a whole plan in canonical form, and one of its clusters.",
            _keys(_ClusterOfWorkloads),
            (fleet,),
            frozenset({"version"}),
        ),
    )


COMPONENTS = ("TpuFleet", "StandardCluster", "AutopilotCluster", "TpuSlices", "TpuWorkloads")
"""The components, by the names of their arguments."""


def _models(model: type[PlanModel], seen: dict[type[PlanModel], None]) -> Iterator[type[PlanModel]]:
    """A model and those below it, each after those that it is made of."""
    for item in model.model_fields.values():
        for kind in _parts(written_type(item)):
            if is_plan_model(kind) and kind not in seen:
                yield from _models(kind, seen)
    seen[model] = None
    yield model


def _parts(annotation: Any) -> Iterator[Any]:
    """The types in an annotation."""
    annotation = unmarked(annotation)
    inner = get_args(annotation)
    if not inner or get_origin(annotation) is Literal:
        yield annotation
    for item in inner:
        yield from () if get_origin(annotation) is Literal else _parts(item)


def _keys(model: type[PlanModel]) -> dict[str, FieldInfo]:
    return {item.alias or name: item for name, item in model.model_fields.items()}


def _without(keys: Keys, *names: str) -> Keys:
    return {name: item for name, item in keys.items() if name not in names}


def annotation_of(item: FieldInfo) -> Any:
    """The annotation of a field as its class has it: pydantic takes it apart."""
    annotation: Any = item.annotation
    for mark in item.metadata:
        annotation = Annotated[annotation, mark]
    return annotation


def key_text(item: FieldInfo, *, short_forms: bool = False) -> str:
    """The description of a key. Without short forms, every value has one type, as in the package schema."""
    kind = inner_type(item.annotation)
    if not short_forms and is_plan_model(kind) and any(isinstance(rule, BeforeValidator) for rule in item.metadata):
        return first_paragraph(kind)
    text = item.description or ""
    allowed = tuple(map(str, choices(kind)))
    if text and not all(choice in text for choice in allowed):
        text += f" One of {', '.join(allowed)}."
    if text and isinstance(item.default, str | int) and item.default:
        text += f" Default: {str(item.default).lower()}."
    return text


def first_paragraph(documented: object) -> str:
    """The first paragraph of a docstring in one line."""
    text = inspect.getdoc(documented) or ""
    return " ".join(text.split("\n\n")[0].split())
