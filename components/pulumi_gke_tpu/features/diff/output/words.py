"""The words for the tool that carries a change out, and for the things that it knows."""

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.features.diff.model import ChangeReport


@frozen
class Words:
    """How a report speaks of one tool."""

    tool: str
    apply: str
    """The command that carries the change out, in backticks."""
    destroy: str
    """The command that deletes everything, in backticks."""
    groups: tuple[str, str]
    """What a slice group is called, in the singular and in the plural."""
    removed: str
    """What happened to an item that the change deletes."""
    nothing: str
    """That nothing changes."""
    renamed: str
    """What a rename is."""
    metadata: str
    """What changes that affect no node are."""


PULUMI = Words(
    tool="Pulumi",
    apply="`pulumi up`",
    destroy="`pulumi destroy`",
    groups=("slice group", "slice groups"),
    removed="removed from the plan",
    nothing="no changes",
    renamed="Only the key in the plan changes; Pulumi keeps the resources.",
    metadata="Labels, timeouts, Pulumi options, or on Autopilot what Pods can request: no node changes now.",
)
_TERRAFORM = Words(
    tool="Terraform",
    apply="`terraform apply`",
    destroy="`terraform destroy`",
    groups=("TPU node pool", "TPU node pools"),
    removed="removed from the configuration",
    nothing="no changes of TPU node pools or clusters",
    renamed="Only the address changes; Terraform keeps the resource.",
    metadata="Labels, timeouts and other properties that affect no node.",
)


def words_of(report: ChangeReport) -> Words:
    """The words for the tool of a report."""
    return _TERRAFORM if report.tool else PULUMI
