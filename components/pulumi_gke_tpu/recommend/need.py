"""What is needed, and what may be used for it."""

import datetime
import math
from decimal import Decimal
from typing import Literal

from pulumi_gke_tpu.catalog.records.capacity import CapacityMode
from pulumi_gke_tpu.catalog.records.facts import Mode
from pulumi_gke_tpu.catalog.records.generation import Chip
from pulumi_gke_tpu.frozen import frozen

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

    def chips_of(self, chip: Chip) -> int | None:
        """The number of chips of a generation that meets the need; None if a figure of the chip is unknown."""
        rate = chip.bf16_tflops if self.precision == "bf16" else chip.int8_tops
        asked = ((self.chips, 1.0), (self.hbm_gib, chip.hbm_gib), (self.tflops, rate))
        numbers = [None if each is None else math.ceil(amount / each) for amount, each in asked if amount is not None]
        known = [number for number in numbers if number is not None]
        return max(known) if known and len(known) == len(numbers) else None
