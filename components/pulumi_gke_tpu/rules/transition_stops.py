"""TPU963 and TPU964: protection that is switched off, and changes that `pulumi up` stops at."""

from collections.abc import Iterable

from pulumi_gke_tpu.findings import Path, Severity, printable
from pulumi_gke_tpu.fleet import Cluster
from pulumi_gke_tpu.fleet.pairs import ClusterPair, GroupPair, protected_as_written
from pulumi_gke_tpu.rules.examples import RESERVED, RESERVED_MAIN, plan_of
from pulumi_gke_tpu.rules.rule import Hit
from pulumi_gke_tpu.rules.transition import Transition, TransitionRule, lost_pools, transition_rule

_PLAN = plan_of(RESERVED_MAIN)
_ACKNOWLEDGED = "acknowledge: [{change: replace, of: train/main, reason: a larger run, until: 2026-12-01}]"


@transition_rule(
    "TPU963",
    title="Protection is switched off",
    why="nothing happens now; the next change may delete or replace it, and nothing stops that any more",
    fix="Keep the protection, and where something shall go, acknowledge that (`acknowledge`), which ends by itself.",
    source="Pulumi and gcp provider: protect and deletionProtection",
    severity=Severity.WARNING,
    today="2026-11-20",
    failing=f"{RESERVED}\n--- plan\n{RESERVED}\nprotect: false",
    passing=f"{_PLAN}--- plan\n{_PLAN}{_ACKNOWLEDGED}",
)
def switched_off(transition: Transition) -> Iterable[Hit]:
    for cluster in transition.pairs:
        base, head = cluster.base, cluster.head
        if base is not None and head is not None:
            if base.plan.deletion_protection and not head.plan.deletion_protection and not _becomes_another(cluster):
                yield Hit(
                    (*head.path, "deletion_protection"),
                    f"deletion protection of {printable(head.key)} is switched off",
                    fix="deletion_protection: true",
                )
            for pair in cluster.groups:
                yield from _group_switched_off(transition, pair)


def _group_switched_off(transition: Transition, pair: GroupPair) -> Iterable[Hit]:
    """Where hosts go along with the protection, another rule says so."""
    base, head = pair.base, pair.head
    if base is None or head is None or not (base.pools and head.pools) or transition.hosts_gone(head.key):
        return
    if protected_as_written(base) and not protected_as_written(head):
        path: Path = (*head.path, "protect") if head.plan.written("protect") else head.path
        yield Hit(path, f"protection of {printable(head.key)} is switched off", fix="protect: true")


@transition_rule(
    "TPU964",
    otherwise={Severity.ERROR: "where two updates are needed"},
    title="Update stops",
    why="`pulumi up` does not get to the end of this: a protected item is neither replaced nor deleted, and what the "
    "provider or GKE turns down fails",
    fix="Acknowledge what is meant (`acknowledge`), or keep what cannot be changed. Where two updates are needed, "
    "apply the acknowledgement first, with everything as it was.",
    source="Pulumi: a protected resource is neither replaced nor deleted; observed on 2026-11-20",
    basis="observed",
    severity=Severity.WARNING,
    today="2026-11-20",
    failing=f"{_PLAN}--- plan\n{_PLAN.replace('8x8', '8x16')}",
    passing=f"{_PLAN}--- plan\n{_PLAN.replace('8x8', '8x16')}{_ACKNOWLEDGED}",
)
def stops(transition: Transition) -> Iterable[Hit]:
    """What stops halfway, or whatever is written now, is an error; what one entry lets go on is a warning.

    Deletions, another zone and another identity of a cluster have rules of their own. Groups of a cluster that is
    stopped follow it.
    """
    for cluster in transition.pairs:
        base, head = cluster.base, cluster.head
        if base is None or head is None:
            continue
        found = transition.planned.get(head.key)
        if found is not None and found.refused:
            if not _becomes_another(cluster):
                yield _stop(transition, head.key, head.path)
            if found.refused == "protection":
                continue
        for pair in cluster.groups:
            if pair.base is not None and pair.head is not None and not _told_elsewhere(pair):
                planned = transition.planned.get(pair.head.key)
                if planned is not None and planned.refused:
                    yield _stop(transition, pair.head.key, pair.head.path)


def _stop(transition: Transition, item: str, path: Path) -> Hit:
    found = transition.planned[item]
    if found.refused == "update":
        return Hit(path, f"the update of {printable(item)} is not expected to work: the provider or GKE turns it down")
    twice = found.updates > 1
    first = ", and needs two updates" if twice else " until that is acknowledged"
    return Hit(
        path,
        f"{printable(item)} is protected, so its replacement stops{first}",
        severity=Severity.ERROR if twice else None,
        fix=found.fix,
    )


def _becomes_another(pair: ClusterPair) -> bool:
    """Whether a cluster is another one afterwards, by what identifies it."""

    def identity(cluster: Cluster) -> tuple[str, ...]:
        return cluster.project, cluster.location, cluster.name, cluster.mode

    return pair.base is not None and pair.head is not None and identity(pair.base) != identity(pair.head)


def _told_elsewhere(pair: GroupPair) -> bool:
    base, head = pair.base, pair.head
    return base is None or head is None or bool(lost_pools(pair)) or base.zone != head.zone


CHECKS: tuple[TransitionRule, ...] = (switched_off, stops)
