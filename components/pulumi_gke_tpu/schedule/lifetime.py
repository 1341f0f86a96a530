"""How long the nodes of a slice group can live."""

import datetime

from pulumi_gke_tpu.catalog import Catalog
from pulumi_gke_tpu.fleet import SliceGroup


def node_lifetime(group: SliceGroup, catalog: Catalog) -> datetime.timedelta | None:
    """The time after which flex-start nodes of a group end; None if the capacity mode sets no limit."""
    flex_start = group.plan.capacity.flex_start
    if flex_start is None:
        return None
    return flex_start.max_run_duration or datetime.timedelta(seconds=catalog.capacity.flex_start.default_run_seconds)
