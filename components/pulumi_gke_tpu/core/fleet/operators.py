"""The operators that a plan installs on a cluster, with their releases, in the order of installation."""

import datetime
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.operators import Operator
from pulumi_gke_tpu.core.fleet.model import Cluster
from pulumi_gke_tpu.core.fleet.scheduling import Toleration, claims_chips, taint_tolerations
from pulumi_gke_tpu.core.fleet.settings import system_pool
from pulumi_gke_tpu.core.fleet.workloads import kubernetes_objects, uses_fleet
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings import Path

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.plan.kubernetes import KueueSpec, OperatorSpec, OperatorsSpec


@frozen
class InstalledOperator:
    """An operator and its release."""

    key: str
    """Its key in the catalog."""
    path: Path
    """The key of the plan that installs it."""
    version: str
    version_key: str
    """The key of the plan, below ``path``, that sets the release."""
    fact: Operator
    plan: "OperatorSpec"
    shares: bool
    """Whether queues of the cluster have weights, which Kueue reads with fair sharing only."""
    number: int
    """Its place in the order of installation, which does not depend on the operators of the plan."""
    tolerations: tuple[Toleration, ...]
    """Those of the taints of the system pool, on which it runs."""
    claimed: bool
    """Whether Pods of the cluster claim chips from the DRA driver, which Kueue then has to count."""
    profiles: bool
    """Whether Kueue reaches its workers by ClusterProfiles of GKE's fleet."""


@frozen
class KueuePolicy:
    """What Kueue does with workloads whose Pods are not ready, and with what is left of them."""

    timeout: datetime.timedelta
    recovery_timeout: datetime.timedelta
    retries: int | None
    finished: datetime.timedelta | None
    deactivated: datetime.timedelta | None
    frameworks: tuple[str, ...]


def installed_operators(cluster: Cluster, catalog: Catalog) -> tuple[InstalledOperator, ...]:
    """The operators of the plan; none without the key ``operators``."""
    written = operators_of(cluster)
    return tuple(_installed(cluster, written, catalog)) if written is not None else ()


def operators_of(cluster: Cluster) -> "OperatorsSpec | None":
    """The key ``operators``."""
    return cluster.plan.kubernetes.operators if cluster.plan.kubernetes is not None else None


def kueue_policy(kueue: "KueueSpec", catalog: Catalog) -> KueuePolicy:
    """The configuration of Kueue that the plan or the catalog states."""
    ready, facts = kueue.wait_for_pods_ready, catalog.kubernetes.operators
    timeout = ready.timeout or datetime.timedelta(minutes=facts.pods_ready.timeout_minutes)
    own = facts.kueue_configuration.frameworks
    return KueuePolicy(
        timeout=timeout,
        recovery_timeout=ready.recovery_timeout or timeout,
        retries=ready.retries,
        finished=kueue.retention.finished,
        deactivated=kueue.retention.deactivated,
        frameworks=(*own, *(item for item in dict.fromkeys(kueue.frameworks) if item not in own)),
    )


def _installed(cluster: Cluster, written: "OperatorsSpec", catalog: Catalog) -> Iterator[InstalledOperator]:
    path, objects = (*cluster.path, "kubernetes", "operators"), kubernetes_objects(cluster)
    shares = objects is not None and any(owner.plan.weight is not None for owner in objects.quota_owners)
    pool = system_pool(cluster)
    tolerations = tuple(taint_tolerations(pool.taints.value)) if pool is not None else ()
    claimed = any(claims_chips(group, catalog) for group in cluster.groups)
    profiles = uses_fleet(cluster)
    for number, (key, fact) in enumerate(catalog.kubernetes.operators.installations.items(), 1):
        plan_key = fact.part_of or key
        plan = getattr(written, plan_key, None)
        if plan is not None:
            version_key = key.removeprefix(f"{plan_key}_") if fact.part_of else "version"
            version = getattr(plan, version_key) or fact.version
            yield InstalledOperator(
                key, (*path, plan_key), version, version_key, fact, plan, shares, number, tolerations, claimed, profiles
            )
