"""The report of a change: its effect, and the comparison with previews by the real engine."""

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.features.diff.engine.model import EngineView
from pulumi_gke_tpu.features.diff.model import DANGEROUS, ChangeReport


@frozen
class Report:
    """Everything that is known of a change. It is built once, complete."""

    change: ChangeReport
    engine: EngineView | None = None
    """None where no preview by the engine was given."""

    @property
    def dangerous(self) -> bool:
        """Whether an item needs a review or cannot be compared, or the engine contradicts the change."""
        if self.change.unclear or (self.engine is not None and self.engine.contradicts):
            return True
        return any(item.change in DANGEROUS or item.refused for item in self.change.items)
