"""Facts that belong to no generation: places, versions, disks, network, limits, add-ons, maintenance."""

import datetime
import re
from dataclasses import field
from typing import Annotated

from pydantic import AfterValidator, StringConstraints

from pulumi_gke_tpu.core.catalog.records.facts import (
    Count,
    CountOrZero,
    Fact,
    FullVersion,
    MinorVersion,
    Mode,
    Note,
    Record,
    Shape,
)
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_SYSCTL_NUMBER = lazy_pattern(r"-?\d{1,19}\Z", re.ASCII)


class FamilyDisks(Fact):
    """Disk types a family boots from and attaches; ``confidential_only`` ones need confidential nodes."""

    boot: tuple[str, ...]
    attach: tuple[str, ...]
    confidential_only: tuple[str, ...] = ()
    doubtful: tuple[str, ...] = ()
    """Types on which sources disagree."""
    default_boot: str


class CpuFamilyDisks(Fact):
    """Disk types from which the machines of a family without TPUs boot."""

    boot: tuple[str, ...]
    doubtful: tuple[str, ...] = ()
    """Types on which sources disagree."""
    default_boot: str


class BootDiskDefaults(Fact):
    """GKE's own boot disk sizes, in GiB, where a plan leaves them out."""

    standard_gib: Count
    autopilot_gib: Count


class DiskLimits(Fact):
    """The least and the most that can be provisioned for one disk of a type."""

    iops: tuple[Count, Count]
    throughput_mbps: tuple[Count, Count]
    """In MiB/s."""


class Disks(Record):
    """Disks of TPU machines and of the system pool."""

    families: dict[str, FamilyDisks]
    cpu_families: dict[str, CpuFamilyDisks] = field(default_factory=dict)
    defaults: BootDiskDefaults
    limits: dict[str, DiskLimits] = field(default_factory=dict)
    """By disk type."""
    notes: tuple[Note, ...] = ()


class Addon(Fact):
    """A cluster add-on by the plan's word. ``modes``: where a plan may choose it."""

    title: str
    modes: tuple[Mode, ...]
    always_on: tuple[Mode, ...] = ()
    requires: tuple[str, ...] = ()
    """Other add-ons that it does not work without."""


class NetworkFacts(Fact):
    """Network facts for TPU nodes."""

    jumbo_mtu: Count
    default_mtu: Count
    min_mtu: Count
    profile_families: tuple[str, ...]
    """Families for which the accelerator network profile ``auto`` is documented."""


class AddressRanges(Fact):
    """IP addresses of a cluster.

    A node takes a block of the pod range: ``per_pod`` times its most pods, rounded up to a power of two;
    ``reserved_in_subnet`` addresses of a subnetwork are Google's.
    """

    reserved_in_subnet: Count
    per_pod: Count
    longest_services_prefix: Count


class SpecialRanges(Fact):
    """Ranges with addresses that no host of a network can have, by the kind of address."""

    ranges: dict[str, str]


class NodeLimits(Fact):
    """Limits of a TPU node pool."""

    max_pods_per_node: Count
    default_pods_per_node: Count
    min_pods_per_node: Count
    max_hosts_per_pool: Count
    image: str
    unavailable: tuple[str, ...] = ()
    """Properties of a node pool that ask for what no TPU machine has."""


class Sysctls(Fact):
    """The kernel settings of nodes that GKE can set."""

    numbers: dict[str, tuple[int, int]]
    """Setting -> the smallest and the largest value."""
    booleans: tuple[str, ...]
    """Settings that are on or off."""
    others: tuple[str, ...]
    """Settings whose values are texts."""
    switches: dict[str, bool]
    """The texts of a setting that is on or off."""

    @property
    def names(self) -> tuple[str, ...]:
        """All settings, sorted."""
        return tuple(sorted((*self.numbers, *self.booleans, *self.others)))

    def number(self, text: str) -> int | None:
        """The number that a text is, no longer than a kernel setting can be; None for any other text."""
        return int(text) if _SYSCTL_NUMBER.match(text) else None

    def typed(self, name: str, text: str) -> str | int | bool:
        """The value in a ComputeClass of what a node pool has as text; a rule reports a text without such a value."""
        if name in self.booleans and text in self.switches:
            return self.switches[text]
        number = self.number(text) if name in self.numbers else None
        return text if number is None else number


class Hardening(Fact):
    """What the node service account gets, and the scope that leaves authorisation to IAM."""

    node_roles: tuple[str, ...]
    oauth_scope: str


class Imports(Fact):
    """The properties that an import of Pulumi or Terraform leaves empty, or reads differently, whatever GKE has."""

    cluster: tuple[str, ...]
    node_pool: tuple[str, ...]
    assigned: tuple[str, ...]
    """The properties of a node pool that GKE assigns, so that a new node pool has them too."""


class ReservedLabels(Fact):
    """Label keys that GKE reserves, the exceptions that a plan can set, and taints that only GKE sets."""

    prefixes: tuple[str, ...]
    """Prefixes of GKE's own labels; some labels with such a prefix are settings that a user makes."""
    documented: tuple[str, ...]
    managed: tuple[str, ...]
    """Labels that GKE sets by itself on every node, or on every node with a certain property."""
    domains: tuple[str, ...]
    """GKE rejects labels of these domains and of domains below them, except those of ``allowed_domains``."""
    allowed_domains: tuple[str, ...]
    tpu_taint: str
    system_taint: str
    """Pods that GKE manages tolerate it."""
    taint_domains: tuple[str, ...]


class NodeLabels(Fact):
    """The keys of node labels that GKE sets or acts on."""

    accelerator: str
    """On every TPU node: the accelerator label of its machine family."""
    topology: str
    """On every TPU node: the topology of its slice."""
    accelerator_count: str
    """On every TPU node: the number of its chips, which is the number of chips per host."""
    collection: str
    workload: str
    """How the collection serves its workload."""
    queued: str
    """On nodes with queued provisioning; GKE adds only the taint with this key."""
    tpu_dra_driver: str
    network_dra_driver: str


class CapacityLabels(Fact):
    """The keys of node labels with which the Pods of an Autopilot cluster request a capacity mode."""

    spot: str
    flex_start: str
    reservation: str
    """Its value is the name of the reservation."""
    reservation_project: str
    """Only for a reservation that another project shares."""
    reservation_affinity: str
    reservation_block: str
    reservation_sub_block: str


class AutopilotConflicts(Fact):
    """Properties of the cluster resource, as camelCase paths, that cannot be set together with Autopilot."""

    conflicts: tuple[str, ...]


class Spellings(Fact):
    """What other tools put before and behind the names of generations, machine types and slices."""

    prefix: str
    suffixes: tuple[str, ...]


class ReservedNames(Record):
    """Labels and reserved words of GKE."""

    labels: ReservedLabels
    node_labels: NodeLabels
    capacity_labels: CapacityLabels
    wrong_labels: dict[str, str]
    """Accelerator labels that people write, and the right one."""
    spellings: Spellings


class Platform(Record):
    """Facts that belong to no generation."""

    network: NetworkFacts
    addresses: AddressRanges
    special_ranges: SpecialRanges
    sysctls: Sysctls
    nodes: NodeLimits
    hardening: Hardening
    imports: Imports
    autopilot: AutopilotConflicts
    names: ReservedNames
    addons: dict[str, Addon]
    notes: tuple[Note, ...] = ()


class ZoneList(Fact):
    """Zones, sorted."""

    zones: tuple[str, ...]


class SingleHostZones(ZoneList):
    """Zones that serve single-host pools of a family though the generation's list lacks them."""

    minimum_topology: dict[str, Shape] = field(default_factory=dict)
    """Per machine type, the smallest topology there; a single-host pool below it is not offered."""


class FamilyZones(Record):
    """Where a family exists. ``documented`` is GKE's own list; the others are weaker evidence."""

    documented: ZoneList
    hardware: ZoneList | None = None
    single_tenant: ZoneList | None = None
    single_host: SingleHostZones | None = None


class AiZone(Fact):
    """A zone for AI accelerators only: hidden until a project turns it on."""

    region: str
    parent_zone: str = ""
    place: str = ""


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


class ZoneFamilies(Fact):
    """CPU machine families of a zone: seen there, or looked for and not found."""

    families: tuple[str, ...]
    absent: tuple[str, ...]


class MachineClasses(Fact):
    """The classes in names of machine types, such as ``standard`` in ``n2-standard-4``, of the series that have them.

    Names of ``sized`` classes end with a number of vCPUs.
    """

    series: tuple[str, ...]
    names: tuple[str, ...]
    sized: tuple[str, ...]


class SystemPools(Record):
    """Where a system pool's machine family exists, as far as known, and what names of its machine types consist of."""

    zones: dict[str, ZoneFamilies]
    classes: MachineClasses
    notes: tuple[Note, ...] = ()


class FeatureVersion(Fact):
    """The first GKE version that has a feature; ``alternatives`` are lower versions on older minor lines."""

    title: str
    standard: FullVersion | None = None
    autopilot: FullVersion | None = None
    alternatives: tuple[FullVersion, ...] = ()
    lowest: FullVersion | None = None
    """Where sources disagree on the version: the lowest that any of them gives."""
    channels: tuple[str, ...] = ()


class NewestMinor(Fact):
    """The newest minor version that a source shows on GKE, and how many follow it in a year."""

    minor: MinorVersion
    minors_per_year: Count


class Versions(Record):
    """Minimum GKE versions of features; those of generations are with their families."""

    newest_minor: NewestMinor
    features: dict[str, FeatureVersion]


class MaintenanceAvailability(Fact):
    """How much time for maintenance must remain: ``min_hours`` in every ``rolling_days``.

    Only pieces of at least ``piece_hours`` count. ``older_rolling_days`` is the stretch that older sources give.
    """

    min_hours: Count
    rolling_days: Count
    older_rolling_days: Count
    piece_hours: Count


class MaintenanceExclusions(Fact):
    """Limits of maintenance exclusions; ``scopes`` maps the plan's word to GKE's."""

    max_total: Count
    max_no_upgrades: Count
    max_no_upgrades_days: Count
    scopes: dict[str, str]


class UpgradeDefaults(Fact):
    """The surge settings that need no spare capacity."""

    strategy: str
    max_surge: CountOrZero
    max_unavailable: CountOrZero


class UpgradeLimits(Fact):
    """How many nodes a surge upgrade takes at once, and how long a blue-green one may soak in all."""

    max_nodes_at_once: Count
    max_soak_days: Count


def _date(text: str) -> str:
    """A day of the calendar, such as 2027-04-11."""
    datetime.date.fromisoformat(text)
    return text


Day = Annotated[str, StringConstraints(pattern=r"^\d{4}-\d{2}-\d{2}$"), AfterValidator(_date)]


class SupportEnd(Fact):
    """When the support of a minor version ends.

    ``day`` is the end of standard support, ``extended_day`` that of extended support in the Extended channel.
    """

    day: Day
    extended_day: Day | None = None


class PeriodicMaintenance(Fact):
    """How long before its date GKE announces periodic host maintenance."""

    notice_days: Count


class NewerProperties(Fact):
    """The keys of a slice group whose properties pulumi-gcp has from a version on."""

    version: str
    keys: tuple[str, ...]


class MaintenanceFacts(Record):
    """Windows, exclusions, upgrades."""

    availability: MaintenanceAvailability
    exclusions: MaintenanceExclusions
    upgrade_defaults: UpgradeDefaults
    upgrade_limits: UpgradeLimits
    periodic: PeriodicMaintenance
    newer_properties: NewerProperties
    support_ends: dict[MinorVersion, SupportEnd] = field(default_factory=dict)
    """Minor version -> end of its support, where a source has the date."""
    notes: tuple[Note, ...] = ()
