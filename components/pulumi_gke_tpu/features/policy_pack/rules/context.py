"""The subject of rules about node pools of any Pulumi program.

The examples of these rules are properties of ``gcp.container.NodePool``. If a rule checks more than them, ``pool``
are these properties, ``options`` the options of the resource, and the other keys the properties of other resources;
``stored`` is what GKE reports of the pool after an update.

No plan can express these states, ``extra`` apart: tests check it for every kind of pool that a plan can describe. A
check that reads a value which is not known yet ends with ``NotKnownError`` and reports nothing more.
"""

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings import Path
from pulumi_gke_tpu.features.policy_pack.rules.tpu_pools import CheckedResource, TpuPool
from pulumi_gke_tpu.features.policy_pack.rules.values import Values

AFFINITY = "nodeConfig.reservationAffinity"
AFFINITY_TYPE = f"{AFFINITY}.consumeReservationType"


@frozen
class InStack:
    """What the other resources of a program show about a node pool."""

    stored: Values
    """The properties of the pool as the provider reports them."""
    policy: CheckedResource | None
    """The workload policy of the pool, if it is in the program."""


@frozen
class PoolContext:
    """A node pool alone, or together with the other resources of its program."""

    pool: TpuPool
    catalog: Catalog
    stack: InStack | None = None
    """None for a pool that is checked alone."""


def at(properties: str) -> Path:
    """The path of a property: ``nodeConfig.labels``."""
    return tuple(properties.split("."))


def labels_of(pool: TpuPool) -> dict[object, object]:
    """The labels of the nodes."""
    labels = pool.values.get("nodeConfig.labels")
    return labels if isinstance(labels, dict) else {}


def on_request(pool: TpuPool) -> bool:
    """Whether the capacity mode is flex-start or queued provisioning."""
    return pool.values.flag("nodeConfig.flexStart") or pool.values.flag("queuedProvisioning.enabled")


def takes_reservation(pool: TpuPool) -> bool:
    """Whether the pool consumes a reservation."""
    return pool.values.text(AFFINITY_TYPE) in ("SPECIFIC_RESERVATION", "ANY_RESERVATION")


def ignored_paths(pool: TpuPool) -> tuple[str, ...]:
    """The properties whose changes the program ignores."""
    return pool.resource.options.texts("ignoreChanges")
