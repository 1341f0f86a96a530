"""TPU361 to TPU367: the capacity of a node pool of any Pulumi program."""

import re
from collections.abc import Iterable

from pulumi_gke_tpu.core.catalog.records.facts import note_by_id
from pulumi_gke_tpu.core.resources.pools import (
    AFFINITY,
    AFFINITY_TYPE,
    PoolContext,
    at,
    labels_of,
    on_request,
    takes_reservation,
)
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule, warning
from pulumi_gke_tpu.core.text.findings import Severity, quoted
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_SELECTOR = "compute.googleapis.com/reservation-name"
_SECONDS = lazy_pattern(r"\d+(?:\.\d{1,9})?s\Z", re.ASCII)


@rule(
    "TPU361",
    title="Reservation affinity `ANY_RESERVATION`",
    why="a TPU node pool uses a reservation only by name, so GKE rejects an affinity to any reservation",
    fix="Set the affinity to a specific reservation, with its name, or to no reservation.",
    references=["autoscaler-injection", "plan-tpus"],
    failing="""
nodeConfig:
  machineType: ct6e-standard-4t
  reservationAffinity: {consumeReservationType: ANY_RESERVATION}
""",
    edit=("consumeReservationType: ANY_RESERVATION", "consumeReservationType: NO_RESERVATION"),
)
def any_reservation_affinity(context: PoolContext) -> Iterable[Hit]:
    pool = context.pool
    if pool.values.text(AFFINITY_TYPE) == "ANY_RESERVATION":
        fact = note_by_id(context.catalog.capacity.notes, "reservation-affinity")
        yield Hit.unsupported(at(AFFINITY_TYPE), "affinity to any reservation", "TPUs", fact=fact)


@rule(
    "TPU362",
    title="Flex-start or queued node pool with a reservation",
    why="flex-start and queued provisioning never use reservations, so GKE rejects every affinity except "
    "NO_RESERVATION. A queued node pool must set it",
    fix="Set the affinity to NO_RESERVATION.",
    references=["autoscaler-injection", "cluster-toolkit-node-pool"],
    failing="""
nodeConfig:
  machineType: ct6e-standard-4t
  flexStart: true
  reservationAffinity:
    consumeReservationType: SPECIFIC_RESERVATION
    key: compute.googleapis.com/reservation-name
    values: [v6e-pretrain]
""",
    passing="""
nodeConfig:
  machineType: ct6e-standard-4t
  flexStart: true
  reservationAffinity: {consumeReservationType: NO_RESERVATION}
""",
)
def flex_start_with_reservation(context: PoolContext) -> Iterable[Hit]:
    pool = context.pool
    fact = note_by_id(context.catalog.capacity.notes, "flex-start-without-reservation")
    if takes_reservation(pool) and on_request(pool):
        yield Hit.unsupported(at(AFFINITY_TYPE), "a reservation", "flex-start or queued node pools", fact=fact)
    elif pool.values.flag("queuedProvisioning.enabled") and not pool.values.text(AFFINITY_TYPE):
        yield Hit.missing(at(AFFINITY_TYPE), "reservation affinity NO_RESERVATION of a queued node pool", fact=fact)


@rule(
    "TPU363",
    title="Spot conflicts with flex-start or a reservation",
    why="a node pool has exactly one capacity mode. GKE rejects flex-start with Spot VMs, and Spot VMs do not use "
    "reservations",
    fix="Keep one capacity mode, and remove the others.",
    references=["compute-class-api", "autoscaler-injection"],
    failing="""
nodeConfig:
  machineType: ct6e-standard-4t
  spot: true
  flexStart: true
  reservationAffinity: {consumeReservationType: NO_RESERVATION}
""",
    edit=("  flexStart: true\n", ""),
)
def conflicting_capacity_modes(context: PoolContext) -> Iterable[Hit]:
    pool = context.pool
    if pool.values.flag("nodeConfig.spot"):
        others = {"flex-start": pool.values.flag("nodeConfig.flexStart"), "a reservation": takes_reservation(pool)}
        given = " and ".join(name for name, is_given in others.items() if is_given)
        if given:
            fact = note_by_id(context.catalog.capacity.notes, "one-mode-per-pool")
            yield Hit(at("nodeConfig.spot"), f"Spot VMs conflict with {given}", fact=fact)


@rule(
    "TPU364",
    title="Specific affinity without one reservation name",
    otherwise={Severity.WARNING: "if the key is another one, or if several reservations are named"},
    why="without the name, no host uses the reservation, and neither the provider nor a preview reports the mistake",
    fix="Set `key` to compute.googleapis.com/reservation-name and `values` to the name of one reservation.",
    references=["autoscaler-injection", "plan-tpus", "OBSERVED_2026_11_20"],
    note="reservation-affinity",
    failing="""
nodeConfig:
  machineType: ct6e-standard-4t
  reservationAffinity: {consumeReservationType: SPECIFIC_RESERVATION}
""",
    passing="""
nodeConfig:
  machineType: ct6e-standard-4t
  reservationAffinity:
    consumeReservationType: SPECIFIC_RESERVATION
    key: compute.googleapis.com/reservation-name
    values: [v6e-pretrain]
""",
)
def unnamed_reservation(context: PoolContext) -> Iterable[Hit]:
    pool = context.pool
    if pool.values.text(AFFINITY_TYPE) == "SPECIFIC_RESERVATION":
        missing = [name for name in ("key", "values") if not pool.values.get(f"{AFFINITY}.{name}")]
        if missing:
            yield Hit.missing(at(f"{AFFINITY}.{missing[0]}"), f"{' and '.join(missing)} of the reservation")
        yield from _wrong_selector(pool.values.text(f"{AFFINITY}.key"), set(pool.values.texts(f"{AFFINITY}.values")))


def _wrong_selector(key: str, names: set[str]) -> Iterable[Hit]:
    """A selector that no reservation matches, or more than one: a node pool uses a single reservation."""
    if key and key != _SELECTOR:
        message = f"reservations have no key {quoted(key)}"
        why, severity = "GKE rejects every key except that of the name", Severity.WARNING
        yield Hit(at(f"{AFFINITY}.key"), message, severity=severity, allowed=(_SELECTOR,), why=why)
    if len(names) > 1:
        message = f"{len(names)} reservations are named, but a node pool uses one"
        why = "a node pool is in one zone, as its reservation is, and GKE takes one name"
        yield Hit(at(f"{AFFINITY}.values"), message, severity=Severity.WARNING, why=why)


@rule(
    "TPU365",
    title="Reservation affinity is not set",
    why="if you add or remove the affinity later, the provider replaces the node pool. Spot, flex-start and queued "
    "node pools never use a reservation, so they need no affinity",
    fix="Set NO_RESERVATION when you create the node pool.",
    references=["OBSERVED_2026_11_20"],
    basis="observed",
    advisory_in_policy_pack=True,
    of_programs=True,
    at_creation=True,
    failing="nodeConfig: {machineType: ct6e-standard-4t}",
    edit=(
        " {machineType: ct6e-standard-4t}",
        "\n  machineType: ct6e-standard-4t\n  reservationAffinity: {consumeReservationType: NO_RESERVATION}",
    ),
)
def unset_reservation_affinity(context: PoolContext) -> Iterable[Hit]:
    pool = context.pool
    short_lived = ("nodeConfig.spot", "nodeConfig.flexStart", "queuedProvisioning.enabled")
    if not pool.values.has(AFFINITY) and not any(map(pool.values.flag, short_lived)):
        yield Hit(at(AFFINITY), "the node pool does not set a reservation affinity")


@warning(
    "TPU366",
    title="Missing label on a queued node pool",
    why="GKE adds the taint of queued node pools but not their label, so workloads cannot select these nodes",
    fix='Add the label cloud.google.com/gke-queued: "true".',
    references=["cluster-toolkit-node-pool", "cluster-toolkit-queued-v6e"],
    note="queued-label",
    advisory_in_policy_pack=True,
    failing="""
nodeConfig: {machineType: ct6e-standard-4t}
queuedProvisioning: {enabled: true}
""",
    edit=(
        "machineType: ct6e-standard-4t",
        'machineType: ct6e-standard-4t, labels: {cloud.google.com/gke-queued: "true"}',
    ),
)
def missing_queued_label(context: PoolContext) -> Iterable[Hit]:
    pool = context.pool
    label = context.catalog.platform.names.node_labels.queued
    if pool.values.flag("queuedProvisioning.enabled") and label not in labels_of(pool):
        yield Hit.missing(at("nodeConfig.labels"), f"node label `{label}`")


@rule(
    "TPU367",
    title="Run duration is not in seconds",
    why="the API requires seconds, such as 604800s. The provider and a preview accept a value such as 7d, but the "
    "API rejects it",
    fix="Write the duration in seconds.",
    references=["container-api-discovery", "OBSERVED_2026_11_20"],
    note="durations-in-seconds",
    failing="nodeConfig: {machineType: ct6e-standard-4t, flexStart: true, maxRunDuration: 7d}",
    edit=("maxRunDuration: 7d", "maxRunDuration: 604800s"),
)
def run_duration_not_in_seconds(context: PoolContext) -> Iterable[Hit]:
    pool = context.pool
    written = pool.values.text("nodeConfig.maxRunDuration")
    if written and not _SECONDS.match(written):
        yield Hit.invalid(
            at("nodeConfig.maxRunDuration"),
            "run duration",
            written,
            "use a number of seconds such as 604800s",
        )
