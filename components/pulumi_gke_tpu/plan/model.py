"""The plan: one file for one Google Cloud project, usually one Pulumi stack."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, PrivateAttr
from pydantic_core import PydanticCustomError

from pulumi_gke_tpu.plan.base import Day, Labels, PlanModel, key
from pulumi_gke_tpu.plan.cluster import Cluster


def _not_blank(value: object) -> Any:
    """Spaces of any width are no reason."""
    if isinstance(value, str) and not value.strip():
        raise PydanticCustomError("blank", "must not be blank")
    return value


Reason = Annotated[str, BeforeValidator(_not_blank)]


class Move(PlanModel):
    """A rename that keeps what exists: URN and GKE name stay."""

    source: str = key("Where the item was: CLUSTER or CLUSTER/GROUP.", alias="from")
    to: str = key("Where it is now.")


class Acknowledgement(PlanModel):
    """Allows one dangerous change of one item until a date, and lifts its protection."""

    change: Literal["replace", "delete"] = key("The change that is allowed.")
    of: str = key("The item: CLUSTER or CLUSTER/GROUP.")
    reason: Reason = key("Why.", min_length=1)
    until: Day = key("Last day on which it holds.")


class Acceptance(PlanModel):
    """Accepts one warning until a date. Errors cannot be accepted."""

    rule: str = key("The rule, such as TPU203.", pattern=r"^TPU\d{3}$")
    of: str | None = key("The item: CLUSTER or CLUSTER/GROUP; the whole plan unless written.", default=None)
    reason: Reason = key("Why.", min_length=1)
    until: Day = key("Last day on which it holds.")


class Plan(PlanModel):
    """What a project's clusters and TPU slices shall be."""

    version: Literal[1] = key("Version of this format: 1.")
    project: str = key("Google Cloud project id.")
    resource_labels: Labels = key("Google Cloud labels on every resource that takes them.", default=dict)
    clusters: dict[str, Cluster] = key("Clusters by name.", min_length=1)
    moved: list[Move] = key("Renames.", default=list)
    acknowledge: list[Acknowledgement] = key("Dangerous changes that are allowed.", default=list)
    accept: list[Acceptance] = key("Warnings that are accepted.", default=list)

    _unread: frozenset[str] = PrivateAttr(default=frozenset())
    """Items that the file has and that could not be read, as CLUSTER or CLUSTER/GROUP: no finding is about entries that
    name them."""

    @property
    def unread(self) -> frozenset[str]:
        """Items that the file has and that could not be read."""
        return self._unread

    def note_unread(self, items: frozenset[str]) -> None:
        """Record the items that could not be read, as CLUSTER or CLUSTER/GROUP."""
        self._unread = items
