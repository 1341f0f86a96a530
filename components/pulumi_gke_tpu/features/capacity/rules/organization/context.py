"""The subject of rules about an organization: the plans, the standards, their exemptions, and what breaks them."""

import datetime
import functools
from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan import Document
from pulumi_gke_tpu.core.plan.organization import Exemption, Kind, Organization, Per, Standard, Unit
from pulumi_gke_tpu.core.rules.engine.rule import Hit
from pulumi_gke_tpu.core.text.findings import Related, Severity, quoted
from pulumi_gke_tpu.features.capacity.rules.organization.breaches import Breach, breaches_of, excesses_of
from pulumi_gke_tpu.features.capacity.rules.organization.sizes import Sum, sums_of
from pulumi_gke_tpu.features.capacity.rules.organization.uses import EstimatedPlan, PlanPlace, Uses, uses_of


class Exemptions:
    """Exemptions by standard, project and item. ``entries`` are their indices in the file and the exemptions."""

    def __init__(self, entries: Iterable[tuple[int, Exemption]]) -> None:
        self._indices: dict[tuple[str, str | None, str | None], list[int]] = {}
        self._standards: set[str] = set()
        for index, entry in entries:
            self._indices.setdefault((entry.standard, entry.project, entry.of), []).append(index)
            self._standards.add(entry.standard)

    def any_from(self, standard: str) -> bool:
        """Whether any exemption is from a standard."""
        return standard in self._standards

    def covering(self, standard: str, place: PlanPlace) -> Iterator[int]:
        """The indices of the exemptions from a standard that cover a place."""
        for project in (None, place.member.plan.project):
            for item in (None, *dict.fromkeys((place.item.partition("/")[0], place.item))):
                yield from self._indices.get((standard, project, item), ())

    def covers(self, standard: str, place: PlanPlace) -> bool:
        """Whether any exemption from a standard covers a place."""
        return next(self.covering(standard, place), None) is not None


@frozen(slots=False)
class OrganizationContext:
    """Several plans, and the standards for all of them."""

    members: tuple[EstimatedPlan, ...]
    document: Document[Organization]
    organization: Organization
    catalog: Catalog
    today: datetime.date | None
    complete: bool
    """Whether every plan could be read whole: only then can an exemption be unused."""

    def here(self, hit: Hit) -> Hit:
        """A hit in the organization file."""
        return hit.within(self.document)

    def origin(self, standard: str) -> Related | None:
        """Where a standard is set; None if the standards are not from a file."""
        position = self.document.position_of(("standards", standard))
        return Related(f"standard {quoted(standard)}", position) if position is not None else None

    @property
    def readable(self) -> bool:
        """Whether the whole file could be read: only then can a standard be missing."""
        return not any(item.severity is Severity.ERROR for item in self.document.findings)

    @functools.cached_property
    def uses(self) -> Uses:
        """What the plans use, by kind of standard and by value."""
        return uses_of(self.members, self.catalog, self.today)

    @functools.cached_property
    def valid(self) -> Exemptions:
        """The exemptions that have not expired."""
        entries = enumerate(self.organization.exemptions)
        return Exemptions((index, entry) for index, entry in entries if not self.is_expired(entry))

    def is_expired(self, exemption: Exemption) -> bool:
        """Whether an exemption has ended."""
        return self.today is not None and exemption.until < self.today

    def standards(self, kind: Kind) -> Iterator[tuple[str, Standard]]:
        """The standards of one kind, with their names."""
        return (item for item in self.organization.standards.items() if item[1].kind == kind)

    def reported(self, kind: Kind) -> Iterator[tuple[str, Standard, Breach]]:
        """The breaches of the standards of one kind that nothing exempts."""
        for name, standard in self.standards(kind):
            if standard.max is not None:
                sums = self._sums(standard.max.unit, standard.max.per)
                if self.valid.any_from(name):
                    sums = tuple(total.without(functools.partial(self.valid.covers, name)) for total in sums)
                found = excesses_of(standard, sums)
            else:
                found = (each for each in self._breaches(standard) if not self.valid.covers(name, each.place))
            yield from ((name, standard, breach) for breach in found)

    @functools.cached_property
    def used(self) -> frozenset[int]:
        """The indices of the valid exemptions without which there would be another finding."""
        found: set[int] = set()
        for name, standard in self.organization.standards.items():
            for breach in self._breaches(standard) if self.valid.any_from(name) else ():
                for place in breach.among or (breach.place,):
                    found.update(self.valid.covering(name, place))
        return frozenset(found)

    def _breaches(self, standard: Standard) -> Iterator[Breach]:
        """Every breach of a standard, also the exempt ones."""
        if standard.max is not None:
            return excesses_of(standard, self._sums(standard.max.unit, standard.max.per))
        return breaches_of(standard, self.uses)

    @functools.cached_property
    def _known_sums(self) -> dict[tuple[Unit, Per], tuple[Sum, ...]]:
        return {}

    def _sums(self, unit: Unit, per: Per) -> tuple[Sum, ...]:
        known = self._known_sums
        if (unit, per) not in known:
            known[unit, per] = sums_of(self.members, unit, per)
        return known[unit, per]
