"""A plan previewed before and after a change."""

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.result import PlanPreview


@frozen
class PlanPair:
    """A plan before and after. None is not there: the plan file is new, or gone."""

    base: PlanPreview | None
    head: PlanPreview | None

    @property
    def name(self) -> str:
        """The plan file, as given for the side after the change where it is there."""
        found = self.head or self.base
        assert found is not None
        return found.name
