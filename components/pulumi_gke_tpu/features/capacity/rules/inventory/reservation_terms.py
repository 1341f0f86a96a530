"""TPU805 to TPU807: the workload, maintenance and sharing of reservations in the inventory."""

from collections.abc import Iterable

from pulumi_gke_tpu.core.catalog.records.facts import note_by_id
from pulumi_gke_tpu.core.rules.engine.rule import Hit, of_groups, rule, warning
from pulumi_gke_tpu.core.text.findings import SetKeys, number, printable, quoted
from pulumi_gke_tpu.features.capacity.rules.inventory.context import InventoryContext, at_reservation, on_reservation


@rule(
    "TPU805",
    about=of_groups("capacity.reservation"),
    title="Reservation is for another workload type",
    why="a reservation for batch workloads accepts only multi-host slices, and a reservation for serving workloads "
    "accepts only single-host slices",
    fix="Use a reservation for the other workload type, or a reservation without a workload type.",
    references=["autoscaler-reservations"],
    failing=on_reservation("workload: serving"),
    passing=on_reservation("workload: batch"),
)
def reservation_workload_mismatch(context: InventoryContext) -> Iterable[Hit]:
    workloads = context.catalog.capacity.reservation_workloads
    for use in context.uses:
        fact = workloads.get(use.entry.workload.upper()) if use.entry else None
        if use.entry is None or fact is None:
            continue
        if ("multi" if use.group.shape.multi_host else "single") not in fact.serves:
            yield at_reservation(
                use,
                f"reservation {quoted(use.name)} is for {use.entry.workload} workloads, but each of "
                f"these slices has {number(use.group.shape.hosts, 'host')}",
                fact=fact,
            )


@warning(
    "TPU806",
    about=of_groups("capacity", "host_maintenance"),
    title="Reservation has no periodic maintenance",
    why="GKE rejects periodic host maintenance if the reservation was not created with periodic maintenance",
    fix="Remove `host_maintenance`. Or use a reservation that was created with periodic maintenance.",
    references=["xpk-node-pool", "provider-cluster"],
    failing=on_reservation("periodic_maintenance: false", group="host_maintenance: periodic"),
    passing=on_reservation("periodic_maintenance: true", group="host_maintenance: periodic"),
)
def reservation_without_periodic_maintenance(context: InventoryContext) -> Iterable[Hit]:
    fact = note_by_id(context.catalog.maintenance.notes, "periodic-maintenance")
    for use in context.uses:
        wanted = use.group.plan.host_maintenance
        if use.entry is None or use.entry.periodic_maintenance is not False:
            continue
        if wanted is not None and wanted.interval == "periodic":
            hit = Hit(
                (*use.group.path, "host_maintenance"),
                f"reservation {quoted(use.name)} has no periodic maintenance",
                fact=fact,
                given="host_maintenance: periodic",
                allowed=("as_needed",),
                fix=SetKeys.of(host_maintenance="as_needed"),
            )
            yield hit.within(use.member.document)


@rule(
    "TPU807",
    about=of_groups("capacity.reservation.project"),
    title="Reservation is not shared with the project",
    why="a project can use a reservation of another project only if the owner shares the reservation with it",
    fix="Share the reservation with the project, and then add the project to `shared_with` in the inventory.",
    references=["container-api-discovery"],
    note="reservation-sharing",
    failing=on_reservation("shared_with: [acme-web]", owner="acme-infra"),
    passing=on_reservation("shared_with: [acme-web, acme-ml]", owner="acme-infra"),
)
def unshared_reservation(context: InventoryContext) -> Iterable[Hit]:
    for use in context.uses:
        mine = use.member.plan.project
        if use.entry is None or use.entry.shared_with is None or use.project == mine:
            continue
        numbers = any(
            item.isdigit() for item in use.entry.shared_with
        )  # a project number cannot be compared with a project ID
        if mine not in use.entry.shared_with and not numbers:
            yield at_reservation(
                use,
                f"reservation {quoted(use.name)} of project {printable(use.project)} is not shared "
                f"with project {printable(mine)}",
                allowed=tuple(printable(item) for item in use.entry.shared_with),
            )
