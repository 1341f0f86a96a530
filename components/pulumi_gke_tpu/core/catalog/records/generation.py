"""Generations: chips, machine types, and topologies such as 4x4 or 2x2x2."""

import functools
import math
import re
from dataclasses import field
from typing import Literal

from pulumi_gke_tpu.core.catalog.records.facts import Amount, Count, Fact, FullVersion, Hosts, Mode, Record, Shape
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.patterns import lazy_pattern


class Chip(Fact):
    """One chip. Memory in GiB, bandwidth in GB/s, compute in TFLOPS or TOPS; None where a figure does not exist."""

    tensorcores: Count | None = None
    sparsecores: Count | None = None
    hbm_gib: Amount | None = None
    hbm_gbps: Amount | None = None
    bf16_tflops: Amount | None = None
    fp8_tflops: Amount | None = None
    int8_tops: Amount | None = None
    ici_gbps_bidirectional: Amount | None = None


class PerMode(Record):
    """A number for each cluster mode."""

    standard: Count
    autopilot: Count


class SliceLimits(Fact):
    """Chips of a whole pod, and of the largest slice that GKE documents in each mode."""

    pod_chips: Count
    max_slice_chips: PerMode


class Family(Fact):
    """A machine family as GKE groups it: one accelerator label, one list of zones, one quota."""

    accelerator_label: str
    summary: str = ""
    documented: bool = True
    legacy: bool = False
    """True where a plan gets the family only by naming its machine type."""
    limited_by_generation: bool = False
    """True where a limit of node auto-provisioning that names the generation is sent for this family.

    Clusters have been made with these limits, so a family that is added to a generation later never is: a plan limits
    it by its accelerator label.
    """
    minimum_version: dict[Mode, FullVersion] = field(default_factory=dict)
    lowest_version: dict[Mode, FullVersion] = field(default_factory=dict)
    """Where sources disagree on ``minimum_version``: the lowest that any of them gives."""


class MachineType(Fact):
    """A TPU machine type: what one host (one node) is. Memory and HBM in GiB.

    ``nics`` are the interfaces beside eth0 that workloads can be given; ``network_gbps`` is what the machine's network
    carries at most, in Gbit/s.
    """

    family: str
    chips: Count
    vcpu: Count
    memory_gib: Count
    numa_nodes: Count | None = None
    hbm_gib: Count | None = None
    nics: Count | None = None
    network_gbps: Count | None = None
    preemption: Literal["lower", "medium", "higher"] | None = None
    threads_per_core: Count | None = None
    documented: bool = True
    """False for types that appear in Google's code only: a plan that names one is warned."""
    in_use: bool = False
    """Whether nodes of an undocumented type run in production, so that no rule warns."""


class TopologyRow(Record):
    """One row of GKE's topology tables. Chips and hosts follow from topology and machine type."""

    topology: Shape
    machine_type: str
    hosts: Hosts
    modes: tuple[Mode, ...]
    documented: bool = True


class TopologyTable(Fact):
    """The rows that GKE documents for a generation."""

    rows: tuple[TopologyRow, ...]


class CustomTopologies(Fact):
    """The rule for shapes outside the table.

    A<=B<=C, each a multiple, more than ``above_chips`` chips, at most ``max_chips``. Sources disagree about shapes that
    exceed ``largest_documented`` in any dimension.

    ``disputed_chips``: more chips than ``max_chips``, which other sources give as the most. ``any_order``: other
    sources list shapes whose dimensions decrease.
    """

    machine_type: str
    modes: tuple[Mode, ...]
    multiple_of: Count
    above_chips: Count
    max_chips: Count
    disputed_chips: Count | None = None
    any_order: bool = False
    max_dimension: Count
    largest_documented: Shape


class NumberedNames(Fact):
    """Names such as v5p-128, of a prefix and a number that counts ``unit``, ``per_chip`` of them to a chip.

    The first prefix is the usual one. ``cloud_tpu_api`` is False where only other tools use such names.
    """

    prefixes: tuple[str, ...]
    unit: Literal["chips", "tensorcores"]
    per_chip: Count
    cloud_tpu_api: bool


class Generation(Record):
    """A TPU generation and everything that is fixed by it."""

    title: str
    also_called: tuple[str, ...] = ()
    status: Fact
    dimensions: Literal[2, 3]
    interconnect: str
    chip: Chip
    limits: SliceLimits
    multi_host_placement: Literal["compact", "workload_policy"]
    multislice: bool
    named_policy: bool = False
    """True where slices in compact placement can be bound to an existing workload policy as well."""
    collections: bool = False
    jumbo_frames: bool = False
    """True where Google asks for a network MTU of 8896."""
    frameworks: tuple[str, ...] = ()
    families: dict[str, Family]
    machine_types: dict[str, MachineType]
    topologies: TopologyTable
    custom_topologies: CustomTopologies | None = None
    numbered_names: NumberedNames | None = None

    @property
    def limit_labels(self) -> tuple[str, ...]:
        """The accelerator labels for which a limit of node auto-provisioning that names the generation is sent."""
        return tuple(family.accelerator_label for family in self.families.values() if family.limited_by_generation)


class Announced(Fact):
    """A generation that Google has announced or that only its code knows; GKE offers nothing yet."""

    title: str
    also_called: tuple[str, ...] = ()
    answer: str
    """The message for a plan with this generation."""


class Advice(Fact):
    """The advice for one size of workload."""

    text: str
    generations: tuple[str, ...]
    """Any generation if empty."""
    hosts: Hosts
    """Hosts of each slice."""
    several: bool = False
    """Whether the advice is to use several slices."""
    not_compared: tuple[str, ...] = ()
    """Newer generations, which the advice does not compare."""


class Choices(Record):
    """The advice of the planning page, by size: small, large, and largest (several slices)."""

    choices: dict[str, Advice]


_SHAPE = lazy_pattern(r"[1-9]\d{0,4}(?:x[1-9]\d{0,4}){1,2}\Z", re.ASCII)


@frozen
class Topology:
    """Dimensions of a slice, in chips. ``str()`` gives the spelling that GKE uses: ``4x4x8``."""

    dimensions: tuple[Count, ...]

    @classmethod
    @functools.lru_cache(maxsize=1_000)
    def parse(cls, text: str) -> "Topology":
        """Read ``AxB`` or ``AxBxC``. Many node pools have the same one.

        Raises:
            ValueError: the text has another form, a zero or a leading zero.
        """
        if not _SHAPE.match(text):
            raise ValueError(f"{text!r} is not of the form AxB or AxBxC")
        return cls(tuple(int(part) for part in text.split("x")))

    @property
    def chips(self) -> int:
        """The number of chips: the product of the dimensions."""
        return math.prod(self.dimensions)

    def __str__(self) -> str:
        return "x".join(map(str, self.dimensions))
