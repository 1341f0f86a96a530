"""What is needed, and what may be used for it."""

import datetime
import math
from collections.abc import Iterator
from decimal import Decimal
from typing import Literal

from pulumi_gke_tpu.core.catalog.records.capacity import CapacityMode
from pulumi_gke_tpu.core.catalog.records.facts import Mode
from pulumi_gke_tpu.core.catalog.records.generation import Chip
from pulumi_gke_tpu.core.frozen import frozen

Use = Literal["training", "serving"]
Precision = Literal["bf16", "int8"]


@frozen
class Budget:
    """The most that the slices may cost, in USD."""

    usd: Decimal
    per: Literal["hour", "run"]


@frozen
class Need:
    """A need in chips, memory or compute, of which the largest decides. None sets no condition."""

    chips: int | None = None
    hbm_gib: int | None = None
    tflops: int | None = None
    precision: Precision = "bf16"
    use: Use = "training"
    near: str | None = None
    """A region."""
    zones: tuple[str, ...] = ()
    """Any zone if empty."""
    mode: Mode = "standard"
    generations: tuple[str, ...] = ()
    """Any generation if empty."""
    capacities: tuple[CapacityMode, ...] = ()
    """Any capacity mode except queued if empty."""
    interruptible: bool = True
    run: datetime.timedelta | None = None
    """The length of a run."""
    by: datetime.date | None = None
    """The day from which the capacity is needed."""
    budget: Budget | None = None
    version: str | None = None
    """The GKE version of the cluster."""
    project: str | None = None
    """The project whose quotas of the inventory apply; None if the inventory does not decide it."""

    def chips_of(self, chip: Chip) -> int | None:
        """The number of chips of a generation that meets the need; None if a figure of the chip is unknown."""
        asked = [(amount, each) for amount, each, _ in self._asked(chip)]
        known = [math.ceil(amount / each) for amount, each in asked if each]
        return max(known) if known and len(known) == len(asked) else None

    def unknown_figures(self, chip: Chip) -> list[str]:
        """The figures of a chip that the need depends on, and that the catalog does not have."""
        return [name for _, each, name in self._asked(chip) if not each]

    def _asked(self, chip: Chip) -> Iterator[tuple[int, float | None, str]]:
        """Each part of the need, what a chip has of it, and its name."""
        rate = chip.bf16_tflops if self.precision == "bf16" else chip.int8_tops
        if self.chips is not None:
            yield self.chips, 1, "chips"
        if self.hbm_gib is not None:
            yield self.hbm_gib, chip.hbm_gib, "memory per chip"
        if self.tflops is not None:
            yield self.tflops, rate, f"{self.precision} rate"
