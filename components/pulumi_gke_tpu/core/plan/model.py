"""The plan: one file for one Google Cloud project, usually one Pulumi stack."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import PrivateAttr

from pulumi_gke_tpu.core.plan.base import ImportedLater, Labels, PlanModel, key
from pulumi_gke_tpu.core.plan.cluster import ClusterSpec

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.plan.budgets import ChipBudgetSpec
    from pulumi_gke_tpu.core.plan.entries import Acceptance, Acknowledgement, Move
else:
    ChipBudgetSpec = Annotated[Any, ImportedLater("pulumi_gke_tpu.core.plan.budgets", "ChipBudgetSpec")]
    Acceptance = Annotated[Any, ImportedLater("pulumi_gke_tpu.core.plan.entries", "Acceptance")]
    Acknowledgement = Annotated[Any, ImportedLater("pulumi_gke_tpu.core.plan.entries", "Acknowledgement")]
    Move = Annotated[Any, ImportedLater("pulumi_gke_tpu.core.plan.entries", "Move")]


class Plan(PlanModel):
    """The clusters and TPU slices of a project."""

    version: Literal[1] = key("Version of this format: 1.", nothing="it selects the version of the format")
    project: str = key(
        "Google Cloud project ID.",
        form="project",
        sends={
            "cluster": "project",
            "network": "project",
            "subnetwork": "project",
            "TPU node pool": "project",
            "system pool": "project",
            "CPU pool": "project",
            "workload policy": "project",
            "service account": "project",
            "IAM grant": "project",
            "router": "project",
            "Cloud NAT": "project",
            "firewall rule": "project",
        },
    )
    resource_labels: Labels = key(
        "Google Cloud labels of every resource that supports labels.",
        default=dict,
        sends={
            "cluster": "resourceLabels",
            "TPU node pool": "nodeConfig.resourceLabels",
            "system pool": "nodeConfig.resourceLabels",
            "CPU pool": "nodeConfig.resourceLabels",
        },
    )
    budgets: dict[str, ChipBudgetSpec] = key(
        "Chips that slice groups of several shapes share, by name. Queues then count chips of the budget.",
        default=dict,
        nothing="it is for sums, and for the Kubernetes objects of queues",
    )
    clusters: dict[str, ClusterSpec] = key("Clusters by name.", min_length=1, resource="cluster")
    moved: list[Move] = key("Renames.", default=list, option="aliases")
    acknowledge: list[Acknowledgement] = key("Disruptive changes to allow.", default=list, option="protect")
    accept: list[Acceptance] = key("Warnings to accept.", default=list, nothing="it applies to findings")

    _unread: frozenset[str] = PrivateAttr(default=frozenset())
    """Clusters and groups of the file that could not be read, as CLUSTER or CLUSTER/GROUP.

    Entries that name them are not checked.
    """

    _unread_budgets: frozenset[str] = PrivateAttr(default=frozenset())

    @property
    def unread_budgets(self) -> frozenset[str]:
        """Budgets of the file that could not be read: what names them is not checked. ``EVERY_BUDGET`` is any name."""
        return self._unread_budgets

    @property
    def unread(self) -> frozenset[str]:
        """Clusters and groups of the file that could not be read."""
        return self._unread

    def note_unread(self, items: frozenset[str], budgets: frozenset[str]) -> None:
        """Record the items that could not be read, as CLUSTER or CLUSTER/GROUP, and the names of the budgets."""
        self._unread, self._unread_budgets = items, budgets
