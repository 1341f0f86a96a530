"""Checks of reservations, and of settings that only reserved hosts support: TPU321 to TPU331 and TPU469."""

import datetime
import re
from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.catalog.records.facts import note_by_id
from pulumi_gke_tpu.core.fleet import Range
from pulumi_gke_tpu.core.plan.base import format_duration
from pulumi_gke_tpu.core.plan.capacity import Reservation
from pulumi_gke_tpu.core.rules.engine.context import PlanContext, plan_groups, standard_groups
from pulumi_gke_tpu.core.rules.engine.rule import Hit, in_group, of_groups, rule, warning
from pulumi_gke_tpu.core.text.findings import Fix, Path, SetKeys, Severity, as_only, number, printable, quoted
from pulumi_gke_tpu.core.text.formats.names import parse_reservation
from pulumi_gke_tpu.core.text.patterns import lazy_pattern


def _reservations(context: PlanContext) -> Iterator[tuple[Path, Reservation]]:
    for _, path, group in plan_groups(context):
        if group.capacity.reservation is not None:
            yield (*path, "capacity", "reservation"), group.capacity.reservation


@rule(
    "TPU321",
    about=of_groups("capacity.reservation.block", "capacity.reservation.sub_block"),
    title="Sub-block without a block",
    why="the path of a sub-block contains the name of its block, so GKE cannot find the sub-block without the block",
    fix="Also set `block`.",
    fix_of_resources="Name the block too: RESERVATION/reservationBlocks/BLOCK/reservationSubBlocks/SUB_BLOCK.",
    references=["autoscaler-injection", "plan-tpus"],
    failing=in_group("capacity: {reservation: {name: v6e-pretrain, sub_block: sub-0001}}"),
    edit=("sub_block: sub-0001", "block: block-0001, sub_block: sub-0001"),
)
def sub_block_without_block(context: PlanContext) -> Iterable[Hit]:
    for path, reservation in _reservations(context):
        if reservation.sub_block is not None and reservation.block is None:
            yield Hit.missing(
                (*path, "sub_block"),
                "block of the reservation",
                f"sub-block {quoted(reservation.sub_block)} requires its block",
                fact=note_by_id(context.catalog.capacity.notes, "reservation-affinity"),
                allowed=("block and sub_block", "block alone", "neither"),
            )


_NAME = lazy_pattern(r"[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?\Z", re.ASCII)
_PROJECT = lazy_pattern(r"(?:(?:[a-z0-9.-]{1,100}:)?[a-z][-a-z0-9]{4,28}[a-z0-9]|[0-9]{1,20})\Z", re.ASCII)


@rule(
    "TPU322",
    about=of_groups(
        "capacity.reservation.block",
        "capacity.reservation.name",
        "capacity.reservation.project",
        "capacity.reservation.sub_block",
    ),
    title="Malformed reservation",
    why="gke-tpu builds the path of the reservation from the names of the project, the reservation, the block and "
    "the sub-block. Each name must be valid in Google Cloud and must not be a path",
    fix="Set `name`, `project`, `block` and `sub_block` separately. Each value is a short name, not a path.",
    fix_of_resources="Write the name of a reservation, or projects/PROJECT/reservations/RESERVATION. For a part of it, "
    "add /reservationBlocks/BLOCK, or /reservationBlocks/BLOCK/reservationSubBlocks/SUB_BLOCK.",
    references=["container-api-discovery"],
    note="compute-name-form",
    failing=in_group("capacity: {reservation: projects/acme-shared/reservations/v6e-pretrain}"),
    edit=(
        "reservation: projects/acme-shared/reservations/v6e-pretrain",
        "reservation: {name: v6e-pretrain, project: acme-shared}",
    ),
)
def malformed_reservation(context: PlanContext) -> Iterable[Hit]:
    for path, reservation in _reservations(context):
        alone = reservation.model_fields_set <= {"name"}
        for key, form in (("name", _NAME), ("project", _PROJECT), ("block", _NAME), ("sub_block", _NAME)):
            value = getattr(reservation, key)
            if value is None or form.match(value):
                continue
            parts = _as_mapping(value, context.plan.project) if key == "name" else None
            respelled = value.strip().lower().replace("_", "-") if key != "project" else ""
            yield Hit(
                path if parts else (*path, key),
                f"invalid reservation {key.replace('_', '-')} {quoted(value)}"
                if value
                else f"`{key}` must not be empty",
                given=f"{key}: {printable(value)}",
                allowed=("a project ID or number",)
                if key == "project"
                else ("1 to 63 lower-case letters, digits and hyphens, starting with a letter",),
                fix=as_only(parts, alone and _is_in(value, _zone_of(context, path)))
                or (SetKeys.of({key: respelled}) if form.match(respelled) else None),
            )


def _zone_of(context: PlanContext, path: Path) -> str | None:
    _, cluster, _, group, *_ = path
    return context.plan.clusters[str(cluster)].slices[str(group)].zone


def _is_in(text: str, zone: str | None) -> bool:
    """Whether a path names no zone, or that of the group: either zone can be meant if they differ."""
    found = parse_reservation(text)
    return found is not None and found.zone in ("", zone)


def _as_mapping(text: str, own_project: str) -> Fix | None:
    """The reservation that a path names, in the form of a plan; None for other text."""
    found = parse_reservation(text)
    if found is None or "/" not in text:
        return None
    parts = found.keys
    if parts.get("project") == own_project:
        del parts["project"]
    if not all((_PROJECT if key == "project" else _NAME).match(value) for key, value in parts.items()):
        return None
    return SetKeys.of(reservation=parts["name"] if parts.keys() == {"name"} else parts)


@rule(
    "TPU323",
    about=of_groups("capacity.reservation.sub_block"),
    title="Slices exceed the sub-block",
    why="a sub-block has a fixed number of hosts, and a slice that names a sub-block uses only its hosts",
    fix="Remove `sub_block`. A slice can then use several sub-blocks of the block. Or use a smaller topology.",
    fix_of_resources="Name only the block. A slice can then use several of its sub-blocks. Or use a smaller topology.",
    references=["gke-all-capacity-mode", "gke-dynamic-slicing", "sub-block-command"],
    otherwise={Severity.WARNING: "if only the largest autoscaled size exceeds the sub-block"},
    failing="""
mode: standard
location: us-central1
network: {create: {mtu: 8896}}
slices:
  pretrain:
    tpu: tpu7x
    topology: 4x4x8
    zone: us-central1-c
    capacity: {reservation: {name: cubes, block: block-0001, sub_block: sub-0001}}
""",
    edit=("block: block-0001, sub_block: sub-0001", "block: block-0001"),
)
def slices_exceed_sub_block(context: PlanContext) -> Iterable[Hit]:
    """Slices that are larger than their sub-block, and groups with which the slices of a sub-block exceed it."""
    used: dict[tuple[str, ...], Range] = {}
    for _, group in context.fleet.groups():
        reservation = group.plan.capacity.reservation
        size = context.catalog.capacity.sub_blocks.get(group.shape.family)
        if reservation is None or reservation.sub_block is None or size is None:
            continue
        path = (*group.path, "capacity", "reservation")
        name, most = quoted(reservation.sub_block), number(size.vms, "host")
        if group.shape.hosts > size.vms:
            yield Hit(
                path,
                f"sub-block {name} has {most}, but a slice of {group.shape.topology} needs {group.shape.hosts:,}",
                fact=size,
                given=f"sub_block: {printable(reservation.sub_block)}",
                fix=_without_sub_block(reservation),
            )
            continue
        project = reservation.project or context.plan.project
        key = (project, group.zone or "", reservation.name, reservation.block or "", reservation.sub_block)
        before = used.get(key, Range.ZERO)
        total = used[key] = before.plus(group.hosts)
        always = total.minimum > size.vms >= before.minimum
        if always or total.maximum > size.vms >= before.maximum:
            yield Hit(
                path,
                f"sub-block {name} has {most}, but the slices that name the sub-block need {total}",
                fact=size,
                severity=None if always else Severity.WARNING,
                given=f"sub_block: {printable(reservation.sub_block)}",
            )


def _without_sub_block(reservation: Reservation) -> Fix | None:
    """The reservation in the form of a plan, up to its block."""
    parts = {"name": reservation.name, "project": reservation.project, "block": reservation.block}
    if not all(value is None or _NAME.match(value) for value in parts.values()):
        return None
    return SetKeys.of(reservation={key: value for key, value in parts.items() if value})


@warning(
    "TPU331",
    about=of_groups("host_maintenance"),
    needs=("clusters.*.slices.*.capacity",),
    title="Periodic host maintenance without a reservation",
    why="a reservation determines the maintenance of its hosts. Periodic maintenance requires a reservation that was "
    "created with periodic maintenance",
    fix="Use a reservation with periodic maintenance, or remove `host_maintenance`.",
    references=["xpk-node-pool", "provider-cluster"],
    failing=in_group("host_maintenance: periodic"),
    passing=in_group("host_maintenance: periodic\ncapacity: {reservation: v6e-pretrain}"),
)
def periodic_maintenance_without_reservation(context: PlanContext) -> Iterable[Hit]:
    for cluster, path, group in plan_groups(context):
        if cluster.mode == "autopilot" or group.host_maintenance is None or group.capacity.mode == "reservation":
            continue
        if group.host_maintenance.interval == "periodic":
            yield Hit(
                (*path, "host_maintenance"),
                f"periodic host maintenance requires a reservation, but the capacity mode is `{group.capacity.mode}`",
                fact=note_by_id(context.catalog.maintenance.notes, "periodic-maintenance"),
                given="host_maintenance: periodic",
                fix=SetKeys.of(host_maintenance="as_needed"),
            )


_IDLE = "opportunistic: {idle: 10m, window: 14d, min_nodes: 0}"


@warning(
    "TPU469",
    silent_in={"gcloud": "an answer has the number of nodes at creation only"},
    about=of_groups(
        "host_maintenance.interval",
        "host_maintenance.opportunistic",
        "host_maintenance.opportunistic.window",
        "count",
        "indices",
        "max",
    ),
    title="Setting of opportunistic host maintenance has no effect",
    why="only periodic maintenance has an announced date before which GKE can maintain idle hosts, and "
    "nothing happens before it is announced. And GKE maintains none if the node pool would have fewer nodes than "
    "`min_nodes`",
    fix="Set `interval: periodic`, `window` to at most the time between announcement and maintenance, and `min_nodes` "
    "to less than the number of nodes of each node pool.",
    references=["container-api-discovery", "provider-cluster"],
    failing="tpu: v6e\ntopology: 4x4\ncapacity: {reservation: ours}\n"
    f"host_maintenance: {{interval: as_needed, {_IDLE}}}",
    edit=("as_needed", "periodic"),
)
def opportunistic_maintenance_without_effect(context: PlanContext) -> Iterable[Hit]:
    fact = note_by_id(context.catalog.maintenance.notes, "opportunistic-maintenance")
    for _, group in standard_groups(context):
        plan, path = group.plan.host_maintenance, (*group.path, "host_maintenance", "opportunistic")
        if plan is None or plan.opportunistic is None:
            continue
        if plan.interval != "periodic":
            fix = SetKeys.of(interval="periodic")
            yield Hit.missing(path, "`interval: periodic`", fact=fact, fix=fix)
        notice = context.catalog.maintenance.periodic
        longest = datetime.timedelta(days=notice.notice_days)
        if plan.opportunistic.window > longest:
            known = f"the date is announced {number(notice.notice_days, 'day')} before"
            window = format_duration(plan.opportunistic.window)
            fix = SetKeys.of(window=format_duration(longest))
            yield Hit.invalid((*path, "window"), "window", window, known, fact=notice, fix=fix)
        most = max((pool.hosts.maximum for pool in group.pools), default=0)
        if plan.opportunistic.min_nodes >= most > 0:
            kept = f"`min_nodes` keeps {plan.opportunistic.min_nodes:,}"
            yield Hit((*path, "min_nodes"), f"a node pool has at most {number(most, 'node')}, and {kept}", fact=fact)
