"""The end of support of the minor versions of clusters."""

import datetime

from pulumi_gke_tpu.core.catalog import Catalog, VersionRange
from pulumi_gke_tpu.core.catalog.records.platform import SupportEnd
from pulumi_gke_tpu.core.fleet import Cluster
from pulumi_gke_tpu.core.fleet.settings import ClusterSettings
from pulumi_gke_tpu.core.frozen import frozen


@frozen
class Support:
    """The support of the minor version that a plan sets for a cluster."""

    version: str = ""
    """The minor version in the plan; empty if the plan sets none."""
    minimum: bool = False
    """Whether the cluster can run a newer version than that."""
    extended: bool = False
    """Whether the cluster is in the Extended channel, which has a later end."""
    fact: SupportEnd | None = None
    """The dates of the version; None if the catalog has none."""

    @property
    def end(self) -> datetime.datetime | None:
        """The first moment without support, in UTC; None if it is unknown."""
        if self.fact is None:
            return None
        day = self.fact.extended_day if self.extended else self.fact.day
        return datetime.datetime.fromisoformat(day).replace(tzinfo=datetime.timezone.utc) if day else None

    @property
    def last_day(self) -> datetime.date | None:
        """The first day without support, in UTC; None if it is unknown."""
        return None if self.end is None else self.end.date()

    @property
    def evidence(self) -> SupportEnd | None:
        """The fact that has the end; None if it is unknown."""
        return None if self.end is None else self.fact

    @property
    def sources(self) -> tuple[str, ...]:
        """The sources of the end."""
        return self.evidence.source if self.evidence else ()

    @property
    def text(self) -> str:
        """The version, and the condition under which it is the one that the cluster runs: GKE 1.34 (minimum)."""
        return f"GKE {self.version}{' (minimum)' if self.minimum else ''}"


def support_of(cluster: Cluster, catalog: Catalog) -> Support:
    """The support of the minor version of a cluster."""
    extended = ClusterSettings(cluster).release_channel.value == "extended"
    try:
        lowest = VersionRange.parse(cluster.version or "").lowest
    except ValueError:  # a rule reports it
        return Support(extended=extended)
    minor = f"{lowest.major}.{lowest.minor}"
    fact = catalog.maintenance.support_ends.get(minor)
    return Support(minor, minimum=cluster.version_key == "min_version", extended=extended, fact=fact)


def oldest_supported(catalog: Catalog, *, extended: bool, today: datetime.date | None) -> str | None:
    """The oldest minor version that GKE supports on a day, in the Extended channel or in the others.

    None if it is unknown: without a day, or before the first date of the catalog.
    """
    ends = catalog.maintenance.support_ends
    if today is None:
        return None
    has_ended = False
    for minor in sorted(ends, key=lambda text: VersionRange.parse(text).lowest):
        day = ends[minor].extended_day if extended else ends[minor].day
        if day is None or today.isoformat() < day:
            return minor if has_ended else None
        has_ended = True
    return None
