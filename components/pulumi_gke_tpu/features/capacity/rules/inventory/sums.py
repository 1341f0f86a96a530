"""Finds the groups at which the use of a limit by several plans exceeds it."""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from pulumi_gke_tpu.core.catalog import Fact
from pulumi_gke_tpu.core.estimate.holdings import Holding, HoldingPart, names_of, total_of
from pulumi_gke_tpu.core.fleet import Range
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.rules.engine.rule import Hit
from pulumi_gke_tpu.core.text.findings import Fix, Path, SetKeys, Severity, listed, number, printable

_MOST_NAMED = 4
IF_POSSIBLE = {Severity.WARNING: "if only the largest autoscaled size exceeds the limit, and each group fits alone"}
"""When the sum of several plans is a warning."""


@frozen
class Overrun:
    """A limit that is too low: for the smallest sizes, for the largest autoscaled ones, or for one slice."""

    part: HoldingPart
    """The group at which the sum exceeds the limit, in the order of the plans, or whose slice does."""
    limit: int
    parts: tuple[HoldingPart, ...]
    """The groups of the sum."""
    size: Literal["minimum", "maximum", "slice"]
    beside: tuple[HoldingPart, ...] = ()
    """Other users of the limit, which the sum does not contain."""

    @property
    def text(self) -> str:
        """The use and the groups."""
        if self.size == "slice":
            return f"one slice of {printable(self.part.key)} needs {self.part.each:,}"
        at_most = "" if self.size == "minimum" else "up to "
        everything = (*self.parts, *self.beside)
        named = list(zip(names_of(everything), everything, strict=True))
        users, others = named[: len(self.parts)], named[len(self.parts) :]
        text = f"the plans need {at_most}{self._asked(self.parts):,} ({_users(users)})"
        return f"{text}, and {at_most}{self._asked(everything):,} with {_users(others)}" if others else text

    @property
    def path(self) -> Path:
        """The path of the key that sets the number of slices; that of the group if no key does."""
        group = self.part.group
        bound = "min" if self.size == "minimum" else "max"
        for key in ("topology",) if self.size == "slice" else (bound, "count", "indices"):
            if group is not None and group.plan.written(key):
                return (*group.path, key)
        return self.part.path

    @property
    def fix(self) -> Fix | None:
        """The number of slices that fits with the others; None if none does."""
        group = self.part.group
        if group is None or group.plan.indices is not None:
            return None
        fitting = (self.limit - (self._asked(self.parts) - self._asked([self.part]))) // self.part.each
        if not group.autoscaled:
            return SetKeys.of(count=fitting) if fitting >= 1 else None
        if self.size == "minimum":
            return SetKeys.of(min=fitting) if fitting >= 0 else None
        return SetKeys.of(max=fitting) if fitting >= max(group.slices.minimum, 1) else None

    def _asked(self, parts: Sequence[HoldingPart]) -> int:
        return _bound(total_of(parts), self.size)


def exceeded(over: Overrun, limit: str, fact: Fact | None = None) -> Hit:
    """The finding at the group that exceeds a limit: a warning if only several groups at their largest sizes do."""
    return Hit(
        over.path,
        f"{limit}, but {over.text}",
        fact=fact,
        severity=Severity.WARNING if over.size == "maximum" else Severity.ERROR,
        fix=over.fix,
    ).within(over.part.member.document)


def overruns(holding: Holding) -> Iterator[Overrun]:
    """Where the use exceeds a limit: nowhere if everything fits, or if the limit is unknown.

    A group of which no slice can exist has a finding of its own; the sum at the maximum is about the others. It
    contains auto-provisioned chips only if the groups fit without them. The text also contains the use of everything.
    """
    if holding.available is None or not holding.total.maximum:
        return
    limit = max(holding.available, 0)
    alone: list[HoldingPart] = []
    together: list[HoldingPart] = []
    auto: list[HoldingPart] = []
    for part in holding.parts:
        never = part.never_fits(limit) and not part.amount.minimum
        (auto if part.group is None else alone if never else together).append(part)
    yield from (Overrun(part, limit, (part,), "slice") for part in alone)
    if holding.total.minimum > limit:
        yield _sum(holding.parts, limit, "minimum")
    elif total_of(together).maximum > limit:
        yield _sum(together, limit, "maximum", beside=[*alone, *auto])
    elif total_of([*together, *auto]).maximum > limit:
        yield _sum([*together, *auto], limit, "maximum", beside=alone)


def _sum(
    parts: Sequence[HoldingPart], limit: int, size: Literal["minimum", "maximum"], *, beside: Sequence[HoldingPart] = ()
) -> Overrun:
    """The sum of the groups, at the first group with which it exceeds the limit."""
    totals = itertools.accumulate(_bound(part.amount, size) for part in parts)
    over = next(part for part, total in zip(parts, totals, strict=True) if total > limit)
    return Overrun(over, limit, tuple(parts), size, tuple(beside))


def _bound(amount: Range, size: str) -> int:
    return amount.minimum if size == "minimum" else amount.maximum


def limit_of(holding: Holding) -> str:
    """The size of a reservation or the limit of a quota, and its use by others."""
    return f"{number(holding.limit or 0, holding.unit)}{_others(holding)}"


def _others(holding: Holding) -> str:
    return f", of which {holding.in_use:,} are in use outside the plans" if holding.in_use else ""


def _users(named: Iterable[tuple[str, HoldingPart]]) -> str:
    """The first few groups and their use."""
    return listed([f"{name}: {part.amount}" for name, part in named if part.amount.maximum], "", most=_MOST_NAMED)
