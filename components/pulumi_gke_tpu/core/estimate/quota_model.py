"""The Compute Engine quota that a fleet needs. Plain frozen values."""

from pulumi_gke_tpu.core.catalog import Confidence
from pulumi_gke_tpu.core.catalog.records.capacity import CapacityMode, QuotaMetric
from pulumi_gke_tpu.core.fleet import Range, SliceGroup
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan.capacity import SHORT_LIVED
from pulumi_gke_tpu.core.text.findings import Path


@frozen
class QuotaShare:
    """The need of one group."""

    group: SliceGroup
    mode: CapacityMode

    @property
    def path(self) -> Path:
        """The path of the group in the plan."""
        return self.group.path

    @property
    def chips(self) -> Range:
        """Chips of all slices of the group."""
        return self.group.chips

    @property
    def first_preemptible(self) -> bool:
        """Whether the group uses standard quota only if the project has no preemptible one."""
        return self.mode in SHORT_LIVED


@frozen
class QuotaNeed:
    """The need of a fleet for one quota in one region, in chips."""

    project: str
    region: str
    families: tuple[str, ...]
    metric: QuotaMetric | None
    """None if no source names a quota for these groups."""
    fallback: QuotaMetric | None
    """The standard quota that flex-start and queued capacity use if a project has no preemptible one."""
    shares: tuple[QuotaShare, ...]

    @property
    def chips(self) -> Range:
        """Chips of all groups together."""
        total = Range.ZERO
        for share in self.shares:
            total = total.plus(share.chips)
        return total

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups, as cluster/group, in the order of the plan."""
        return tuple(share.group.key for share in self.shares)

    @property
    def modes(self) -> tuple[CapacityMode, ...]:
        """The capacity modes of the groups, without duplicates."""
        return tuple(dict.fromkeys(share.mode for share in self.shares))

    @property
    def confidence(self) -> Confidence:
        """The confidence that the groups use this quota and that it counts chips; low if the quota is unknown."""
        return self.metric.confidence_of_use if self.metric else "low"

    @property
    def certain(self) -> bool:
        """Whether metric and unit have high confidence."""
        return self.confidence == "high"
