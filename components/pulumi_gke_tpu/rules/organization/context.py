"""The subject of rules about an organization: the plans, the standards, and what breaks them."""

import datetime
import functools
from collections.abc import Iterator

from pulumi_gke_tpu.catalog import Catalog
from pulumi_gke_tpu.estimate.reservations import OwnedReservations
from pulumi_gke_tpu.findings import Severity
from pulumi_gke_tpu.fleet.plans import PlanInFleet
from pulumi_gke_tpu.frozen import frozen
from pulumi_gke_tpu.plan import Document
from pulumi_gke_tpu.plan.organization.model import Exemption, Organization
from pulumi_gke_tpu.rules.engine.hit import Hit
from pulumi_gke_tpu.rules.organization.breaches import Breach, breaches


@frozen(slots=False)
class OrganizationContext:
    """Several plans, and the standards for all of them."""

    plans: tuple[PlanInFleet, ...]
    document: Document[Organization]
    organization: Organization
    catalog: Catalog
    today: datetime.date | None
    owned: OwnedReservations
    """The reservations of the inventory, with the prices of their contracts; empty without an inventory."""

    def here(self, hit: Hit) -> Hit:
        """A hit in the organization file."""
        return hit.within(self.document)

    @property
    def readable(self) -> bool:
        """Whether the whole file could be read: only then can a standard be missing."""
        return not any(item.severity is Severity.ERROR for item in self.document.findings)

    @functools.cached_property
    def breaches(self) -> tuple[Breach, ...]:
        """Every breach, also the exempt ones."""
        return tuple(breaches(self.plans, self.organization, self.catalog, self.today, self.owned))

    def is_expired(self, exemption: Exemption) -> bool:
        """Whether an exemption has ended."""
        return self.today is not None and exemption.until < self.today

    def reported(self, kind: str) -> Iterator[Breach]:
        """The breaches of standards of one kind that nothing exempts."""
        valid = [exemption for exemption in self.organization.exemptions if not self.is_expired(exemption)]
        for breach in self.breaches:
            if breach.kind == kind and not any(exempts(exemption, breach) for exemption in valid):
                yield breach


def exempts(exemption: Exemption, breach: Breach) -> bool:
    """Whether an exemption covers a breach, whatever its date."""
    return (
        exemption.standard == breach.standard
        and exemption.project in (None, breach.member.plan.project)
        and (exemption.of is None or f"{breach.item}/".startswith(f"{exemption.of}/"))
    )
