"""The catalog: its records, built from YAML, and what they answer."""

import dataclasses
import functools
import types
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, Union, get_args, get_origin

from pulumi_gke_tpu.core.catalog.records.facts import About, Source
from pulumi_gke_tpu.core.text.yamlfile import YamlProblem
from pulumi_gke_tpu.core.text.yamlfile.file import read_prepared

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.catalog.records.capacity import CapacityFacts, Prices, QuotaFacts
    from pulumi_gke_tpu.core.catalog.records.command_lines import OtherTools
    from pulumi_gke_tpu.core.catalog.records.evidence import EvidenceRun
    from pulumi_gke_tpu.core.catalog.records.gcloud import Gcloud
    from pulumi_gke_tpu.core.catalog.records.generation import Announced, Choices, Generation
    from pulumi_gke_tpu.core.catalog.records.gke_adds import GkeAddition
    from pulumi_gke_tpu.core.catalog.records.kubernetes import KubernetesFacts, ObjectFields
    from pulumi_gke_tpu.core.catalog.records.messages import AlertFact, KindStatus, Message, Symptom
    from pulumi_gke_tpu.core.catalog.records.platform import (
        Disks,
        MaintenanceFacts,
        Platform,
        SystemPools,
        Versions,
        Zones,
    )
    from pulumi_gke_tpu.core.catalog.records.provider import Provider, Terraform
    from pulumi_gke_tpu.core.catalog.records.reads import Reads

T = TypeVar("T")
FOLDERS = ("generations", "messages", "evidence")
"""The sections that have a folder with one file for each entry."""


def build(kind: type[T], data: object) -> T:
    """The record of class ``kind`` that a mapping describes."""
    wanted: Any = kind
    made: T = _builder(wanted)(data)
    return made


def _same(data: object) -> Any:
    return data


@functools.cache
def _builder(kind: object) -> Callable[[Any], Any]:
    """How a value of an annotated type is made; each type is looked at once."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _builder(arguments[0])
    if dataclasses.is_dataclass(kind):
        return _record_builder(kind)
    if origin is tuple:
        item = _builder(arguments[0])
        return tuple if item is _same else lambda data: tuple(map(item, data))
    if origin is dict:
        value = _builder(arguments[1])
        return _same if value is _same else lambda data: {key: value(entry) for key, entry in data.items()}
    if origin in (Union, types.UnionType):
        inner = _builder(next(argument for argument in arguments if argument is not type(None)))
        return _same if inner is _same else lambda data: None if data is None else inner(data)
    return _same


def _hashable(kind: object) -> Any:
    return kind


def _record_builder(kind: Any) -> Callable[[Any], Any]:
    found = {field.name: _builder(_hashable(field.type)) for field in dataclasses.fields(kind)}
    builders = {name: builder for name, builder in found.items() if builder is not _same}

    def make(data: dict[str, Any]) -> Any:
        return kind(**{key: builders[key](value) if key in builders else value for key, value in data.items()})

    return make


class CatalogError(Exception):
    """A catalog file or overlay is invalid. The message contains the file, the path in it and the problem."""


class Catalog:
    """The facts. Sections are read when they are first asked for; a catalog never changes afterwards.

    ``overlays`` are mappings in the form of :class:`pulumi_gke_tpu.core.catalog.document.CatalogFile`, already checked:
    their mappings are merged into the shipped ones, their lists are appended.
    """

    def __init__(self, folder: Path, overlays: Iterable[Mapping[str, Any]] = ()) -> None:
        self._folder = folder
        self._overlays = tuple(overlays)
        self._generations: dict[str, Generation] = {}

    def section(self, name: str) -> Any:
        """The merged content of a section, as plain data.

        Raises:
            CatalogError: the file cannot be read.
        """
        if name in FOLDERS:
            content: Any = {path.stem: _load(path) for path in sorted((self._folder / name).glob("*.yaml"))}
        else:
            content = _load(self._folder / f"{name}.yaml")
        for overlay in self._overlays:
            if name in overlay:
                content = merge(content, overlay[name])
        return content

    @functools.cached_property
    def about(self) -> About:
        """Version and age of the catalog."""
        return build(About, self.section("about"))

    @functools.cached_property
    def sources(self) -> dict[str, Source]:
        """Every source by its id."""
        return build(dict[str, Source], self.section("sources"))

    @functools.cached_property
    def generation_names(self) -> tuple[str, ...]:
        """The generations that GKE offers, oldest first."""
        names = {path.stem for path in (self._folder / "generations").glob("*.yaml")}
        for overlay in self._overlays:
            names.update(overlay.get("generations", {}))
        return tuple(sorted(names, key=_generation_order))

    def generation(self, name: str) -> "Generation":
        """A generation by name.

        Raises:
            KeyError: GKE offers no such generation.
        """
        if name not in self._generations:
            from pulumi_gke_tpu.core.catalog.records.generation import Generation

            if name not in self.generation_names:
                raise KeyError(name)
            path = self._folder / "generations" / f"{name}.yaml"
            content: Any = _load(path) if path.is_file() else {}
            for overlay in self._overlays:
                content = merge(content, overlay.get("generations", {}).get(name, {}))
            self._generations[name] = build(Generation, content)
        return self._generations[name]

    @functools.cached_property
    def announced(self) -> "dict[str, Announced]":
        """Generations that exist by name only."""
        from pulumi_gke_tpu.core.catalog.records.generation import Announced

        return build(dict[str, Announced], self.section("announced"))

    @functools.cached_property
    def zones(self) -> "Zones":
        """Where each machine family is."""
        from pulumi_gke_tpu.core.catalog.records.platform import Zones

        return build(Zones, self.section("zones"))

    @functools.cached_property
    def versions(self) -> "Versions":
        """Minimum GKE versions of features."""
        from pulumi_gke_tpu.core.catalog.records.platform import Versions

        return build(Versions, self.section("versions"))

    @functools.cached_property
    def system_pools(self) -> "SystemPools":
        """CPU machine families per zone."""
        from pulumi_gke_tpu.core.catalog.records.platform import SystemPools

        return build(SystemPools, self.section("system_pools"))

    @functools.cached_property
    def capacity(self) -> "CapacityFacts":
        """Capacity modes and their limits."""
        from pulumi_gke_tpu.core.catalog.records.capacity import CapacityFacts

        return build(CapacityFacts, self.section("capacity"))

    @functools.cached_property
    def quota(self) -> "QuotaFacts":
        """Quota metrics."""
        from pulumi_gke_tpu.core.catalog.records.capacity import QuotaFacts

        return build(QuotaFacts, self.section("quota"))

    @functools.cached_property
    def disks(self) -> "Disks":
        """Disk types per machine family."""
        from pulumi_gke_tpu.core.catalog.records.platform import Disks

        return build(Disks, self.section("disks"))

    @functools.cached_property
    def platform(self) -> "Platform":
        """Network, node, naming and hardening facts."""
        from pulumi_gke_tpu.core.catalog.records.platform import Platform

        return build(Platform, self.section("platform"))

    @functools.cached_property
    def kubernetes(self) -> "KubernetesFacts":
        """Controllers, queues, ComputeClasses and other facts of the Kubernetes side."""
        from pulumi_gke_tpu.core.catalog.records.kubernetes import KubernetesFacts

        return build(KubernetesFacts, self.section("kubernetes"))

    @functools.cached_property
    def object_fields(self) -> "ObjectFields":
        """The fields of workloads, Pods and custom resources."""
        from pulumi_gke_tpu.core.catalog.records.kubernetes import ObjectFields

        return build(ObjectFields, self.section("object_fields"))

    @functools.cached_property
    def maintenance(self) -> "MaintenanceFacts":
        """Maintenance limits."""
        from pulumi_gke_tpu.core.catalog.records.platform import MaintenanceFacts

        return build(MaintenanceFacts, self.section("maintenance"))

    @functools.cached_property
    def prices(self) -> "Prices":
        """Prices."""
        from pulumi_gke_tpu.core.catalog.records.capacity import Prices

        return build(Prices, self.section("prices"))

    @functools.cached_property
    def advice(self) -> "Choices":
        """What Google advises for workloads of different sizes."""
        from pulumi_gke_tpu.core.catalog.records.generation import Choices

        return build(Choices, self.section("advice"))

    @functools.cached_property
    def provider(self) -> "Provider":
        """Change semantics of the gcp provider."""
        from pulumi_gke_tpu.core.catalog.records.provider import Provider

        return build(Provider, self.section("provider"))

    @functools.cached_property
    def gke_adds(self) -> "dict[str, tuple[GkeAddition, ...]]":
        """What GKE reports of resources although no request set it, by the type token of Pulumi."""
        from pulumi_gke_tpu.core.catalog.records.gke_adds import GkeAddition

        return build(dict[str, tuple[GkeAddition, ...]], self.section("gke_adds"))

    @functools.cached_property
    def evidence(self) -> "dict[str, EvidenceRun]":
        """What runs on GKE showed, by the name of the file."""
        from pulumi_gke_tpu.core.catalog.records.evidence import EvidenceRun

        return build(dict[str, EvidenceRun], self.section("evidence"))

    @functools.cached_property
    def messages(self) -> "dict[str, dict[str, Message]]":
        """Texts of failures by the program that prints them and by id."""
        from pulumi_gke_tpu.core.catalog.records.messages import Message

        return build(dict[str, dict[str, Message]], self.section("messages"))

    @functools.cached_property
    def symptoms(self) -> "dict[str, Symptom]":
        """Pages about failures, by name."""
        from pulumi_gke_tpu.core.catalog.records.messages import Symptom

        return build(dict[str, Symptom], self.section("symptoms"))

    @functools.cached_property
    def statuses(self) -> "dict[str, KindStatus]":
        """How the status of an object says that something is wrong with it, by kind."""
        from pulumi_gke_tpu.core.catalog.records.messages import KindStatus

        return build(dict[str, KindStatus], self.section("statuses"))

    @functools.cached_property
    def alerts(self) -> "dict[str, AlertFact]":
        """Alerts about slices and queues, by name."""
        from pulumi_gke_tpu.core.catalog.records.messages import AlertFact

        return build(dict[str, AlertFact], self.section("alerts"))

    @functools.cached_property
    def reads(self) -> "Reads":
        """What a snapshot of a fleet reads."""
        from pulumi_gke_tpu.core.catalog.records.reads import Reads

        return build(Reads, self.section("reads"))

    @functools.cached_property
    def terraform(self) -> "Terraform":
        """The spelling of Terraform."""
        from pulumi_gke_tpu.core.catalog.records.provider import Terraform

        return build(Terraform, self.section("terraform"))

    @functools.cached_property
    def other_tools(self) -> "OtherTools":
        """What the commands of other tools mean."""
        from pulumi_gke_tpu.core.catalog.records.command_lines import OtherTools

        return build(OtherTools, self.section("other_tools"))

    @functools.cached_property
    def gcloud(self) -> "Gcloud":
        """What the commands of gcloud make."""
        from pulumi_gke_tpu.core.catalog.records.gcloud import Gcloud

        return build(Gcloud, self.section("gcloud"))


def merge(base: object, extra: object) -> Any:
    """Lay ``extra`` over ``base``: mappings key by key, lists appended without repeats, anything else replaced."""
    if isinstance(base, dict) and isinstance(extra, dict):
        return base | {key: merge(base[key], value) if key in base else value for key, value in extra.items()}
    if isinstance(base, list) and isinstance(extra, list):
        return base + [item for item in extra if item not in base]
    return extra


def _load(path: Path) -> Any:
    try:
        return read_prepared(path)
    except YamlProblem as problem:
        raise CatalogError(f"the catalog cannot be read: {problem}") from problem


def _generation_order(name: str) -> tuple[int, str]:
    digits = "".join(char for char in name if char.isdigit())
    return (int(digits or 0), name)
