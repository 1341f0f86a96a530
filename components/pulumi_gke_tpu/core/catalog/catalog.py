"""The catalog: its files, one section at a time, and overlays on top."""

import functools
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pulumi_gke_tpu.core.catalog.build import build
from pulumi_gke_tpu.core.catalog.records.facts import About, Source
from pulumi_gke_tpu.core.text.yamlfile import YamlProblem
from pulumi_gke_tpu.core.text.yamlfile.prepared import read_prepared

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.catalog.records.capacity import CapacityFacts, QuotaFacts
    from pulumi_gke_tpu.core.catalog.records.generation import Announced, Choices, Generation
    from pulumi_gke_tpu.core.catalog.records.kubernetes import KubernetesFacts, ObjectFields
    from pulumi_gke_tpu.core.catalog.records.maintenance import MaintenanceFacts
    from pulumi_gke_tpu.core.catalog.records.place import SystemPools, Versions, Zones
    from pulumi_gke_tpu.core.catalog.records.platform import Disks, Platform
    from pulumi_gke_tpu.core.catalog.records.prices import Prices
    from pulumi_gke_tpu.core.catalog.records.provider import Provider


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
        if name == "generations":
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
        from pulumi_gke_tpu.core.catalog.records.place import Zones

        return build(Zones, self.section("zones"))

    @functools.cached_property
    def versions(self) -> "Versions":
        """Minimum GKE versions of features."""
        from pulumi_gke_tpu.core.catalog.records.place import Versions

        return build(Versions, self.section("versions"))

    @functools.cached_property
    def system_pools(self) -> "SystemPools":
        """CPU machine families per zone."""
        from pulumi_gke_tpu.core.catalog.records.place import SystemPools

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
        from pulumi_gke_tpu.core.catalog.records.maintenance import MaintenanceFacts

        return build(MaintenanceFacts, self.section("maintenance"))

    @functools.cached_property
    def prices(self) -> "Prices":
        """Prices."""
        from pulumi_gke_tpu.core.catalog.records.prices import Prices

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
