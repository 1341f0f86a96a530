"""CPU pools in the JSON of a preview."""

from pulumi_gke_tpu.core.fleet import CpuPool, Range
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings import format_path


@frozen
class CpuPoolRecord:
    """A node pool in ``cpu_pools``. Its cost is in no amount."""

    name: str
    path: str
    machine_type: str
    nodes: Range
    """In all zones together."""
    zones: tuple[str, ...]
    """Empty if GKE selects them."""
    spot: bool
    autoscaled: bool


def cpu_pool_record(pool: CpuPool) -> CpuPoolRecord:
    """The record of a CPU pool."""
    return CpuPoolRecord(
        name=pool.name,
        path=format_path(pool.path),
        machine_type=pool.plan.machine_type,
        nodes=pool.nodes,
        zones=pool.zones,
        spot=pool.plan.spot,
        autoscaled=pool.plan.autoscaled,
    )
