"""Where TPUs and system pools exist, and from which GKE version."""

from dataclasses import field

from pulumi_gke_tpu.core.catalog.records.facts import Fact, FullVersion, MinorVersion, Note, Record, Shape, record


@record
class ZoneList(Fact):
    """Zones, sorted."""

    zones: tuple[str, ...]


@record
class SingleHostZones(ZoneList):
    """Zones that serve single-host pools of a family though the generation's list lacks them."""

    minimum_topology: dict[str, Shape] = field(default_factory=dict)
    """Per machine type, the smallest topology there; a single-host pool below it is not offered."""


@record
class FamilyZones(Record):
    """Where a family exists. ``documented`` is GKE's own list; the others are weaker evidence."""

    documented: ZoneList
    hardware: ZoneList | None = None
    single_tenant: ZoneList | None = None
    single_host: SingleHostZones | None = None


@record
class AiZone(Fact):
    """A zone for AI accelerators only: hidden until a project turns it on."""

    region: str
    parent_zone: str = ""
    place: str = ""


@record
class Zones(Record):
    """Where TPUs are."""

    families: dict[str, FamilyZones]
    ai_zones: dict[str, AiZone]
    notes: tuple[Note, ...] = ()

    def of_family(self, family: str) -> tuple[str, ...]:
        """Every zone in which any source lists a machine family, sorted."""
        lists = self.families.get(family)
        found = (lists.documented, lists.hardware, lists.single_tenant, lists.single_host) if lists else ()
        return tuple(sorted({zone for item in found if item is not None for zone in item.zones}))


@record
class ZoneFamilies(Fact):
    """CPU machine families of a zone: seen there, or looked for and not found."""

    families: tuple[str, ...]
    absent: tuple[str, ...]


@record
class MachineClasses(Fact):
    """The classes in names of machine types, such as ``standard`` in ``n2-standard-4``, of the series that have them.

    Names of ``sized`` classes end with a number of vCPUs.
    """

    series: tuple[str, ...]
    names: tuple[str, ...]
    sized: tuple[str, ...]


@record
class SystemPools(Record):
    """Where a system pool's machine family exists, as far as known, and what names of its machine types consist of."""

    zones: dict[str, ZoneFamilies]
    classes: MachineClasses
    notes: tuple[Note, ...] = ()


@record
class FeatureVersion(Fact):
    """The first GKE version that has a feature; ``alternatives`` are lower versions on older minor lines."""

    title: str
    standard: FullVersion | None = None
    autopilot: FullVersion | None = None
    alternatives: tuple[FullVersion, ...] = ()
    lowest: FullVersion | None = None
    """Where sources disagree on the version: the lowest that any of them gives."""
    channels: tuple[str, ...] = ()


@record
class NewestMinor(Fact):
    """The newest minor version that a source shows on GKE, and how many follow it in a year."""

    minor: MinorVersion
    minors_per_year: int


@record
class Versions(Record):
    """Minimum GKE versions of features; those of generations are with their families."""

    newest_minor: NewestMinor
    features: dict[str, FeatureVersion]
