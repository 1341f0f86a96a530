"""How long the nodes of a slice group can live, and how many of its slices a planned run uses."""

import datetime
from typing import TYPE_CHECKING

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet.model import SliceGroup
from pulumi_gke_tpu.core.fleet.settings.derived import Derived, written_or

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.plan.runs import Run

_DEFAULT_OF_GKE = "the default of GKE, because the plan does not set max_run_duration"


def node_lifetime(group: SliceGroup, catalog: Catalog) -> Derived[datetime.timedelta | None]:
    """The time after which flex-start nodes of a group end; None if no capacity mode of the group sets a limit."""
    if "flex_start" not in group.capacity_modes:
        return Derived(None, "capacity_mode", "only flex-start nodes end after a time")
    flex_start = group.plan.capacity.flex_start
    usual = datetime.timedelta(seconds=catalog.capacity.flex_start.default_run_seconds)
    return written_or(flex_start.max_run_duration if flex_start else None, Derived(usual, "fact", _DEFAULT_OF_GKE))


def run_slices(run: "Run", group: SliceGroup) -> Derived[int]:
    """The slices that a planned run uses: those that it asks for, else all of the group."""
    return written_or(run.count, Derived(group.slices.maximum, "default", "all slices of the group"))


def surely_ends(group: SliceGroup) -> bool:
    """Whether all nodes of a group are flex-start nodes, so that none lives longer than ``node_lifetime``."""
    return set(group.capacity_modes) == {"flex_start"}
