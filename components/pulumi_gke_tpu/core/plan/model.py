"""The plan: one file for one Google Cloud project, usually one Pulumi stack."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, PrivateAttr
from pydantic_core import PydanticCustomError

from pulumi_gke_tpu.core.plan.base import Day, Labels, PlanModel, key
from pulumi_gke_tpu.core.plan.cluster import ClusterSpec

REASON_TO_WRITE = "WHY"
"""The reason in an entry that gke-tpu proposes. The plan is invalid until it is replaced."""
_PLACEHOLDERS = frozenset({"...", "…", "fixme", "tbd", "todo", REASON_TO_WRITE.lower()})


def _stated(value: object) -> Any:
    """Reject a reason of spaces only, and one that is still a placeholder."""
    if isinstance(value, str):
        if not value.strip():
            raise PydanticCustomError("blank", "must not be blank")
        if value.strip().lower() in _PLACEHOLDERS:
            raise PydanticCustomError("placeholder", "must be the reason, not a placeholder")
    return value


Reason = Annotated[str, BeforeValidator(_stated)]


class Move(PlanModel):
    """A rename that keeps the resources, their URNs and their names in GKE."""

    source: str = key("Former key: CLUSTER or CLUSTER/GROUP.", alias="from", form="item")
    to: str = key("New key.", form="item")


class Acknowledgement(PlanModel):
    """Allows one disruptive change of a cluster or group until a date, and lifts its protection."""

    change: Literal["replace", "delete"] = key("Change to allow.")
    of: str = key("CLUSTER or CLUSTER/GROUP.", form="item")
    reason: Reason = key("Reason.", min_length=1)
    until: Day = key("Last day of validity.")


class Acceptance(PlanModel):
    """Accepts one warning until a date. Errors cannot be accepted."""

    rule: str = key("Rule ID, such as TPU203.", pattern=r"^TPU\d{3}$")
    of: str | None = key("CLUSTER or CLUSTER/GROUP; the whole plan if not set.", default=None, form="item")
    reason: Reason = key("Reason.", min_length=1)
    until: Day = key("Last day of validity.")


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
    clusters: dict[str, ClusterSpec] = key("Clusters by name.", min_length=1, resource="cluster")
    moved: list[Move] = key("Renames.", default=list, option="aliases")
    acknowledge: list[Acknowledgement] = key("Disruptive changes to allow.", default=list, option="protect")
    accept: list[Acceptance] = key("Warnings to accept.", default=list, nothing="it applies to findings")

    _unread: frozenset[str] = PrivateAttr(default=frozenset())
    """Clusters and groups of the file that could not be read, as CLUSTER or CLUSTER/GROUP.

    Entries that name them are not checked.
    """

    @property
    def unread(self) -> frozenset[str]:
        """Clusters and groups of the file that could not be read."""
        return self._unread

    def note_unread(self, items: frozenset[str]) -> None:
        """Record the items that could not be read, as CLUSTER or CLUSTER/GROUP."""
        self._unread = items
