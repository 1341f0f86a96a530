"""How long the nodes of a slice group can live."""

import datetime

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet import SliceGroup


def node_lifetime(group: SliceGroup, catalog: Catalog) -> datetime.timedelta | None:
    """The time after which flex-start nodes of a group end; None if no capacity mode of the group sets a limit."""
    if "flex_start" not in group.capacity_modes:
        return None
    written = group.plan.capacity.flex_start.max_run_duration if group.plan.capacity.flex_start else None
    return written or datetime.timedelta(seconds=catalog.capacity.flex_start.default_run_seconds)


def surely_ends(group: SliceGroup) -> bool:
    """Whether all nodes of a group are flex-start nodes, so that none lives longer than ``node_lifetime``."""
    return set(group.capacity_modes) == {"flex_start"}
