"""What nodes without TPUs leave to Pods, by their machine type: heads have to fit on one of them."""

import re
from collections.abc import Sequence
from fractions import Fraction

from pulumi_gke_tpu.core.catalog.records.workloads import CpuNodes
from pulumi_gke_tpu.core.frozen import frozen

GIB = 1 << 30
_MIB = 1 << 20
_NAME = re.compile(r"([a-z0-9]+)-([a-z]+)-([0-9]{1,4})\Z", re.ASCII)


@frozen
class Room:
    """CPUs, and bytes of memory: what a node has, or what a Pod requests."""

    cpus: Fraction
    memory: Fraction

    def holds(self, other: "Room") -> bool:
        """Whether both are enough."""
        return self.cpus >= other.cpus and self.memory >= other.memory


def size(machine_type: str, facts: CpuNodes) -> Room | None:
    """The size of a predefined machine type; None if its name does not tell it."""
    match = _NAME.match(machine_type)
    if match is None:
        return None
    family, kind, vcpus = match[1], match[2], int(match[3])
    ratio = facts.gib_per_vcpu.get(f"{family}-{kind}", facts.gib_per_vcpu.get(kind))
    return Room(Fraction(vcpus), vcpus * Fraction(str(ratio)) * GIB) if ratio is not None else None


def room(machine_type: str, facts: CpuNodes) -> Room | None:
    """What a node leaves to Pods at most; None if the name of its machine type does not tell its size."""
    whole = size(machine_type, facts)
    if whole is None:
        return None
    memory = _left(whole.memory / GIB, facts.memory_steps_gib, facts.memory_percents) * GIB
    return Room(_left(whole.cpus, facts.cpu_steps, facts.cpu_percents), memory - facts.eviction_mib * _MIB)


def _left(amount: Fraction, steps: Sequence[int], percents: Sequence[float]) -> Fraction:
    """An amount without the parts that GKE reserves."""
    rest, reserved = amount, Fraction(0)
    for step, percent in zip((*map(Fraction, steps), amount), percents, strict=True):
        part = min(rest, step)
        reserved += part * Fraction(str(percent)) / 100
        rest -= part
    return amount - reserved
