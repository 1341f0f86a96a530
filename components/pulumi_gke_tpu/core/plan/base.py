"""The base of all plan models: strict types, values that are known later, timestamps and durations."""

import datetime
import functools
import importlib
import re
from collections.abc import Mapping
from dataclasses import field
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    ValidatorFunctionWrapHandler,
    WithJsonSchema,
    WrapValidator,
)
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

OnAutopilot = Literal["same", "refused", "legacy", "noted", "region"]
"""The meaning of a key on an Autopilot cluster: the same, an error, no effect (a note), or not for every value."""
OnExisting = Literal["same", "fact", "refused", "only"]
"""The meaning of a key on a cluster that exists already: the same, a fact about the cluster (it configures nothing), an
error, or a key that only such a cluster has."""

Resource = Literal[
    "cluster",
    "TPU node pool",
    "system pool",
    "CPU pool",
    "workload policy",
    "network",
    "subnetwork",
    "service account",
    "IAM grant",
    "Workload Identity grant",
    "bucket grant",
    "router",
    "Cloud NAT",
    "firewall rule",
]
"""What pages call a resource; a node pool has one of three names."""
POOLS: tuple[Resource, ...] = ("TPU node pool", "system pool", "CPU pool")

Properties = str | tuple[str, ...] | Mapping[Resource, str | tuple[str, ...]]
"""Properties of the provider as the engine spells them, the main one first: of the resource to which the key belongs,
or by resource."""

Form = Literal[
    "account",
    "addon",
    "cidr",
    "cluster",
    "disk_type",
    "dns_label",
    "duration",
    "generation",
    "gke_name",
    "item",
    "kms_key",
    "location",
    "machine_type",
    "mount_path",
    "project",
    "quantity",
    "release",
    "timestamp",
    "topology",
    "version",
    "zone",
]
"""The form of a text; ``schema_forms.py`` has the patterns."""

_TIMESTAMP = lazy_pattern(
    r"(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?\s*([Zz]|[+-]\d\d:?\d\d)?\Z", re.ASCII
)
_DURATION = lazy_pattern(r"(?:(\d{1,7})d)?(?:(\d{1,9})h)?(?:(\d{1,9})m)?(?:(\d{1,12})s)?\Z", re.ASCII)
_T = TypeVar("_T")
SPEC = "Spec"
"""The end of the name of a plan model from which a value of the same name follows."""

EVERY_BUDGET = "*"
"""Stands for all names of budgets, where none could be read."""


class PlanModel(BaseModel):
    """Base of all plan models: frozen, strict types, no unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)

    @classmethod
    def public_name(cls) -> str:
        """The name in schemas, in types of arguments and in tables of keys."""
        return cls.__name__.removesuffix(SPEC)

    def written(self, key: str) -> bool:
        """Whether the plan sets the key, as opposed to its default."""
        return key in self.model_fields_set


@frozen
class Unknown:
    """A value that is known only when resources exist. Rules skip it, and comparisons use its sources."""

    urns: tuple[str, ...] = ()
    """The resources that yield the value, sorted, if they are known."""
    output: Any = field(default=None, repr=False)
    """The Pulumi output of the program. Only the components read it."""

    def __str__(self) -> str:
        return "(known later)"


def _pass_unknown(value: object, handler: ValidatorFunctionWrapHandler) -> Any:
    return value if isinstance(value, Unknown) else handler(value)


MaybeOutput = Annotated[_T, WrapValidator(_pass_unknown)]
"""A value that only flows into a property, so a program may give an output for it (:class:`Unknown`)."""


@frozen
class ImportedLater:
    """Marks a key whose model is imported when a plan sets the key: every model costs start-up time."""

    module: str
    name: str

    @property
    def model(self) -> type[PlanModel]:
        """The model."""
        found: type[PlanModel] = getattr(importlib.import_module(self.module), self.name)
        return found

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        # The errors of the inner validation become errors of the outer one, with their paths.
        return core_schema.no_info_plain_validator_function(self._validate)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        self.model.model_rebuild()
        core: Any = self.model.__pydantic_core_schema__
        if core["type"] != "definitions":  # a schema that is used once has lost its name, under which $defs has it
            core = core_schema.definitions_schema({**core, "ref": f"{self.module}.{self.name}:0"}, [])
        return handler(core)

    def _validate(self, value: object) -> PlanModel:
        return self.model.model_validate(value)


def key(  # noqa: PLR0913 - the declaration of a key in one place
    description: str,
    *,
    autopilot: OnAutopilot = "same",
    instead: str = "",
    form: Form | None = None,
    existing: OnExisting = "same",
    instead_existing: str = "",
    instead_class: str = "",
    copies: str = "",
    class_field: str = "",
    values: Mapping[str, str] | None = None,
    sends: Properties = (),
    excludes: Properties = (),
    creates: tuple[Resource, ...] = (),
    option: Literal["", "aliases", "customTimeouts", "ignoreChanges", "protect"] = "",
    nothing: str = "",
    resource: Resource | None = None,
    default: object = ...,
    **options: Any,
) -> Any:
    """A documented key of the plan.

    ``autopilot`` is what it means on an Autopilot cluster, and ``instead`` what to do there, in one clause;
    ``existing`` and ``instead_existing`` are the same for a cluster that exists already. ``instead_class`` is what to
    do for a group that a ComputeClass serves; without it, the key means there what it means for node pools. ``form`` is
    the form of a text, for the schema of editors; rules check it with better messages.

    ``copies`` names the property to which the value is copied as it is, or as its word in ``values``; such a key needs
    no code. ``class_field`` is the field below ``spec`` of a ComputeClass to which it is copied. ``sends`` names the
    properties of a key that a builder in ``graph/builders`` reads. ``excludes`` names other properties and whole blocks
    that ``extra`` must not set because of the key, ``creates`` resources whose existence or number depends on the
    value, ``option`` the option of the Pulumi resource that the key sets, and ``nothing`` the reason why it sets
    nothing. Each also applies to the keys below that state nothing themselves. ``resource`` is the resource to which
    the keys below belong, if it is another one. ``plan/copied.py`` and ``graph/keys.py`` read these.
    """
    extra: dict[str, Any] = {"autopilot": autopilot, "instead": instead} if autopilot != "same" else {}
    if existing != "same":
        extra |= {"existing": existing, "instead_existing": instead_existing}
    if instead_class:
        extra["instead_class"] = instead_class
    if form:
        extra["form"] = form
    effect: dict[str, object] = {
        "copies": copies,
        "class_field": class_field,
        "values": values,
        "sends": sends or copies,
        "excludes": excludes,
        "creates": creates,
        "option": option,
        "nothing": nothing,
        "resource": resource,
    }
    stated = {name: value for name, value in effect.items() if value}
    if stated:
        extra["effect"] = stated
    if callable(default):
        # Pydantic reads the signature of a factory, and Python has to parse that of list, dict and of a class.
        make = lambda: default()  # noqa: E731, PLW0108 - a factory of our own
        return Field(default_factory=make, description=description, json_schema_extra=extra or None, **options)
    return Field(default, description=description, json_schema_extra=extra or None, **options)


optional = functools.partial(key, default=None)
"""The same for a key that is None if it is absent."""


def parse_timestamp(text: object) -> Any:
    """Parse a timestamp with a time zone; an aware datetime in UTC, to the second."""
    if isinstance(text, datetime.datetime):
        if text.tzinfo is None:
            raise PydanticCustomError("timestamp_zone", "a timestamp without a time zone")
        return text.astimezone(datetime.timezone.utc)
    if not isinstance(text, str):
        raise PydanticCustomError("timestamp", "not a timestamp")
    match = _TIMESTAMP.match(text)
    if not match:
        raise PydanticCustomError("timestamp", "not a timestamp")
    year, month, day, hour, minute, second, zone = match.groups()
    if zone is None:
        raise PydanticCustomError("timestamp_zone", "a timestamp without a time zone")
    offset = datetime.timedelta()
    if zone not in "Zz":
        digits = zone[1:].replace(":", "")
        offset = datetime.timedelta(hours=int(digits[:2]), minutes=int(digits[2:])) * (-1 if zone[0] == "-" else 1)
    try:
        naive = datetime.datetime(int(year), int(month), int(day), int(hour), int(minute), int(second or 0))
        return (naive - offset).replace(tzinfo=datetime.timezone.utc)
    except (ValueError, OverflowError):
        raise PydanticCustomError("timestamp", "not a timestamp") from None


def parse_duration(text: object) -> Any:
    """Parse a duration such as 7d, 6h, 1h30m or 600s."""
    if isinstance(text, datetime.timedelta):
        return text
    match = _DURATION.match(text) if isinstance(text, str) else None
    if not match or not any(match.groups()):
        raise PydanticCustomError("duration", "not a duration")
    days, hours, minutes, seconds = (int(part or 0) for part in match.groups())
    try:
        return datetime.timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)
    except OverflowError:
        raise PydanticCustomError("duration", "not a duration") from None


_DURATION_UNITS = (("d", 86400), ("h", 3600), ("m", 60))


def format_duration(duration: datetime.timedelta) -> str:
    """A duration as a plan contains it, in the largest unit without a fraction: ``7d``, ``90m``, ``45s``."""
    seconds = duration.days * 86400 + duration.seconds
    for unit, size in _DURATION_UNITS:
        if seconds and seconds % size == 0:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"


_DAY_LENGTH = len("YYYY-MM-DD")


def parse_date(text: object) -> Any:
    """Parse a date such as 2026-12-01."""
    if isinstance(text, datetime.date):
        return text
    try:
        # Other forms of ISO 8601 are longer or shorter.
        return datetime.date.fromisoformat(text) if isinstance(text, str) and len(text) == _DAY_LENGTH else _no_date()
    except ValueError:
        return _no_date()


def _no_date() -> Any:
    raise PydanticCustomError("date", "not a date")


Timestamp = Annotated[
    datetime.datetime,
    BeforeValidator(parse_timestamp),
    # No `format: date-time`: it excludes a space before the time, and an offset without a colon.
    WithJsonSchema({"type": "string", "form": "timestamp"}),
]
Duration = Annotated[
    datetime.timedelta,
    BeforeValidator(parse_duration),
    WithJsonSchema({"type": "string", "form": "duration"}),
]
Day = Annotated[
    datetime.date,
    BeforeValidator(parse_date),
    WithJsonSchema({"type": "string", "format": "date", "examples": ["2026-12-01"]}),
]


def short_adopted(value: object) -> Any:
    """``true`` is a mapping without keys."""
    return {} if value is True else value


def unchanged(value: object) -> Any:
    """Leave a value as it is: marks a key that a validator of the whole mapping reads in further forms."""
    return value


Labels = dict[str, MaybeOutput[str]]
