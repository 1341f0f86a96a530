"""Adds up the use of one limit by the groups of several plans, and finds the group at which the sum exceeds it."""

from collections.abc import Sequence

from pulumi_gke_tpu.catalog import Fact
from pulumi_gke_tpu.estimate.holdings import Holding, Part
from pulumi_gke_tpu.findings import Path, Severity, listed, number, printable
from pulumi_gke_tpu.fleet import Range
from pulumi_gke_tpu.fleet.model import NOTHING
from pulumi_gke_tpu.frozen import frozen
from pulumi_gke_tpu.rules.engine.hit import Hit

_MOST_NAMED = 4


@frozen
class Overrun:
    """A limit that is too low. ``always``: the minimum use exceeds it, not only the largest autoscaled size."""

    part: Part
    """The group at which the sum goes over the limit, in the order of the plans."""
    limit: int
    total: Range
    always: bool
    users: str

    @property
    def asked(self) -> int:
        """The use that exceeds the limit: the minimum, or the largest autoscaled size."""
        return self.total.minimum if self.always else self.total.maximum

    @property
    def text(self) -> str:
        """The use and the groups."""
        return f"the plans need {'' if self.always else 'up to '}{self.asked:,} ({self.users})"

    @property
    def path(self) -> Path:
        """The path of the key that sets the number of slices; that of the group if no key does."""
        group = self.part.group
        bound = "min" if self.always else "max"
        for key in (bound, "count", "indices"):
            if group.plan.written(key):
                return (*group.path, key)
        return group.path

    @property
    def fix(self) -> str:
        """The number of slices that fits with the others; empty if none does."""
        group, slices = self.part.group, self.part.group.slices
        own = self.part.amount.minimum if self.always else self.part.amount.maximum
        fitting = (self.limit - (self.asked - own)) // self.part.each
        if group.plan.indices is not None:
            return ""
        if not group.autoscaled:
            return f"count: {fitting}" if fitting >= 1 else ""
        if self.always:
            return f"min: {fitting}" if fitting >= 0 else ""
        return f"max: {fitting}" if fitting >= max(slices.minimum, 1) else ""


def exceeded(over: Overrun, limit: str, fact: Fact | None = None) -> Hit:
    """The finding at the group at which the sum exceeds a limit: an error only if the minimum use does."""
    return Hit(
        over.path,
        f"{limit}, but {over.text}",
        fact=fact,
        severity=Severity.ERROR if over.always else Severity.WARNING,
        fix=over.fix,
    ).within(over.part.member.document)


def overrun(holding: Holding) -> Overrun | None:
    """The part at which the sum exceeds a limit; None if everything fits, or if the limit is unknown."""
    limit, total = holding.available, holding.total
    if limit is None or total.maximum <= limit:
        return None
    always = total.minimum > limit
    sum_so_far = NOTHING
    for part in holding.parts:
        sum_so_far = sum_so_far.plus(part.amount)
        if (sum_so_far.minimum if always else sum_so_far.maximum) > limit:
            return Overrun(part, limit, total, always, _users(holding.parts))
    return None


def vms_of(holding: Holding) -> str:
    """The size of a reservation, and its use by others."""
    return f"{number(holding.limit or 0, 'VM')}{_others(holding)}"


def chips_of(holding: Holding) -> str:
    """The limit of a quota, and its use by others."""
    return f"{number(holding.limit or 0, 'chip')}{_others(holding)}"


def _others(holding: Holding) -> str:
    return f", of which {holding.in_use:,} are in use outside the plans" if holding.in_use else ""


def _users(parts: Sequence[Part]) -> str:
    """The first few groups and their use, with their files if there are several."""
    files = len({id(part.member) for part in parts}) > 1
    shown = [
        f"{part.member.name + ' ' if files else ''}{printable(part.group.key)}: {part.amount}"
        for part in parts
        if part.amount.maximum
    ]
    return listed(shown, "", most=_MOST_NAMED)
