"""Loads the plan of a stack program: checked before anything is registered."""

import datetime
import pathlib
from typing import TYPE_CHECKING, Any

from pulumi_gke_tpu.core.catalog import Catalog, read_catalog
from pulumi_gke_tpu.core.fleet.checked import LoadedPlan
from pulumi_gke_tpu.core.plan import read_plan
from pulumi_gke_tpu.core.rules import check_plan

if TYPE_CHECKING:
    from pulumi_gke_tpu.components.args import TpuFleetArgs


def load_plan(
    path: str | pathlib.Path, *, today: datetime.date | None = None, catalog: Catalog | None = None
) -> "TpuFleetArgs":
    """Read a plan file as arguments for ``TpuFleet``.

    ``today`` decides which acknowledgements and acceptances hold; without it none does. The result is a dictionary
    that may be changed; ``TpuFleet`` checks the plan again only if it was.

    Raises:
        FindingsError: the file cannot be read or the plan has errors; findings carry file, line and column.
    """
    checked = check_plan(read_plan(pathlib.Path(path)), catalog or read_catalog(), today)
    yaml = checked.document.yaml
    if yaml is None or checked.has_errors:
        from pulumi_gke_tpu.components.refusal import RefusedError

        raise RefusedError(checked.findings)
    data = yaml.data if today is None else {**yaml.data, "today": today.isoformat()}
    args: Any = LoadedPlan(data, checked)
    return args  # type: ignore[no-any-return]
