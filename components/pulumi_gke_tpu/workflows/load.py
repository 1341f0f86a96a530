"""What a stack program needs besides the components: its plan from a file, judged before anything is registered."""

import datetime
import pathlib
from typing import TYPE_CHECKING, Any

from pulumi_gke_tpu.catalog import Catalog, read_catalog
from pulumi_gke_tpu.findings import Severity
from pulumi_gke_tpu.plan import read_plan
from pulumi_gke_tpu.rules import validate

if TYPE_CHECKING:
    from pulumi_gke_tpu.components.args import TpuFleetArgs


def load_plan(
    path: str | pathlib.Path, *, today: datetime.date | None = None, catalog: Catalog | None = None
) -> "TpuFleetArgs":
    """Read a plan file as arguments for ``TpuFleet``.

    ``today`` decides which acknowledgements and acceptances hold; without it none does.

    Raises:
        FindingsError: the file cannot be read or the plan has errors; findings carry file, line and column.
    """
    document = read_plan(pathlib.Path(path))
    findings = list(document.findings)
    if document.content is not None:
        findings += document.locate(validate(document.content, catalog or read_catalog(), today=today))
    if document.yaml is None or any(finding.severity is Severity.ERROR for finding in findings):
        from pulumi_gke_tpu.components.refusal import RefusedError

        raise RefusedError(findings)
    args: Any = document.yaml.data if today is None else {**document.yaml.data, "today": today.isoformat()}
    return args  # type: ignore[no-any-return]
