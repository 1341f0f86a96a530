"""Checks of capacity modes: TPU301 to TPU303."""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.naming import hardware
from pulumi_gke_tpu.core.catalog.records.capacity import CapacityMode, Offering
from pulumi_gke_tpu.core.catalog.records.facts import note_by_id
from pulumi_gke_tpu.core.fleet import SliceGroup
from pulumi_gke_tpu.core.rules.engine.context import PlanContext
from pulumi_gke_tpu.core.rules.engine.rule import Hit, in_group, of_groups, rule, warning
from pulumi_gke_tpu.core.text.findings import Path, Replace, SetKeys

_CAPACITY: Path = ("capacity",)
MODE_PHRASES: dict[str, str] = {
    "on_demand": "on demand",
    "spot": "as Spot VMs",
    "reservation": "from a reservation",
    "flex_start": "with flex-start",
    "queued": "with queued provisioning",
}


def _modes(group: SliceGroup, key: Path) -> tuple[CapacityMode, ...]:
    """The capacity modes at a key of a group. Queued flex-start is two modes."""
    capacity = group.plan.capacity
    if key != _CAPACITY:
        return (group.plan.fallback[int(key[-1])],)
    return (capacity.mode, "queued") if capacity.is_queued and capacity.mode != "queued" else (capacity.mode,)


def _offerings(catalog: Catalog, family: str, modes: Iterable[CapacityMode]) -> Iterator[tuple[CapacityMode, Offering]]:
    """The facts about a machine family in capacity modes: in each of them, and in the combination of two."""
    known, wanted = catalog.capacity.families.get(family, {}), tuple(modes)
    yield from ((mode, known[mode]) for mode in wanted if mode in known)
    combined = catalog.capacity.flex_start.queued.get(family) if len(wanted) > 1 else None
    if combined:
        yield "queued", combined


def _mode_keys(group: SliceGroup) -> Iterator[Path]:
    """The keys of a group that name its capacity modes: `capacity`, and each entry of `fallback`."""
    yield _CAPACITY
    for index in range(len(group.plan.fallback)):
        yield "fallback", index


def strictest_offering(
    catalog: Catalog, family: str, modes: Iterable[CapacityMode]
) -> tuple[str, CapacityMode, Offering] | None:
    """The fact that restricts a machine family in capacity modes most.

    The verdicts are `no`, `allowlist` and `unconfirmed`. None if no fact restricts it.
    """
    found = {}
    for mode, offering in _offerings(catalog, family, modes):
        unconfirmed = offering.offer == "unverified" or (offering.offer == "yes" and offering.confidence == "low")
        found["unconfirmed" if unconfirmed else offering.offer] = (mode, offering)
    verdicts = (verdict for verdict in ("no", "allowlist", "unconfirmed") if verdict in found)
    return next(((verdict, *found[verdict]) for verdict in verdicts), None)


def _restricted(context: PlanContext, verdict: str) -> Iterator[tuple[SliceGroup, Path, CapacityMode, Offering]]:
    """Every key that names a restricted capacity mode: its group, its path, the mode and the fact."""
    for _, group in context.fleet.groups():
        for key in _mode_keys(group):
            strictest = strictest_offering(context.catalog, group.shape.family, _modes(group, key))
            if strictest is not None and strictest[0] == verdict:
                yield group, (*group.path, *key), strictest[1], strictest[2]


def _offered(catalog: Catalog, family: str) -> tuple[str, ...]:
    offerings = catalog.capacity.families.get(family, {})
    return tuple(mode for mode, offering in offerings.items() if offering.offer == "yes")


@rule(
    "TPU301",
    about=of_groups("capacity", "fallback"),
    title="Capacity mode is not supported",
    why="Google does not offer this machine family in this capacity mode, so GKE rejects the nodes",
    fix="Use a capacity mode that the machine family supports, or another generation.",
    references=["autoscaler-machine-types", "gce-tpu-machines"],
    by_family=True,
    failing="""
mode: standard
location: us-central2
slices:
  batch: {tpu: v4, topology: 2x2x2, zone: us-central2-b, capacity: flex_start}
""",
    edit=("capacity: flex_start", "capacity: spot"),
)
def unsupported_capacity_mode(context: PlanContext) -> Iterable[Hit]:
    for group, path, mode, offering in _restricted(context, "no"):
        offered = _offered(context.catalog, group.shape.family)
        is_fallback = path[-1] != "capacity"
        if is_fallback:
            offered = tuple(item for item in offered if item != "reservation" and item not in group.capacity_modes)
        nearest = next(iter(offered), None)
        yield Hit(
            path,
            f"{hardware(group.shape.generation, group.shape.family)} is not available {MODE_PHRASES[mode]}",
            fact=offering,
            allowed=offered,
            why=offering.note.rstrip("."),
            fix=Replace.value(nearest) if is_fallback else SetKeys.of(capacity=nearest),
        )


@warning(
    "TPU302",
    about=of_groups("capacity", "fallback"),
    title="Capacity mode requires an allowlist",
    why="Google offers this capacity mode only to projects on an allowlist, and GKE rejects the nodes of other "
    "projects",
    fix="Ask your Google account team to add the project to the allowlist, and then accept this warning in the plan.",
    references=["autoscaler-machine-types", "gce-tpu-machines"],
    by_family=True,
    failing="""
mode: standard
location: us-central1
network: {create: {mtu: 8896}}
slices:
  batch: {tpu: tpu7x, topology: 2x2x1, zone: us-central1-c, capacity: spot}
""",
    edit=("capacity: spot", "capacity: {reservation: ironwood}"),
)
def capacity_mode_needs_allowlist(context: PlanContext) -> Iterable[Hit]:
    for group, path, mode, offering in _restricted(context, "allowlist"):
        yield Hit(
            path,
            f"{group.shape.generation} {MODE_PHRASES[mode]} is available only to projects on a Google allowlist",
            fact=offering,
        )


@warning(
    "TPU303",
    about=of_groups("capacity"),
    title="Capacity mode is unconfirmed",
    why="no documentation or example shows this machine family in this capacity mode, so GKE may reject the nodes",
    fix="Try the mode with one small slice, and then accept this warning in the plan. Or use another capacity mode.",
    references=["autoscaler-machine-types", "gce-tpu-machines", "gke-autopilot-tpus"],
    by_family=True,
    failing=in_group("capacity: queued", tpu="v5p", topology="2x2x2", zone="us-east5-a"),
    edit=("capacity: queued", "capacity: spot"),
)
def unconfirmed_capacity_mode(context: PlanContext) -> Iterable[Hit]:
    for group, path, mode, offering in _restricted(context, "unconfirmed"):
        yield Hit(
            path,
            f"no documentation or example shows that {hardware(group.shape.generation, group.shape.family)} is "
            "available "
            f"{MODE_PHRASES[mode]}",
            fact=offering,
            why=offering.note.rstrip("."),
        )
    for cluster, group in context.fleet.groups():
        if (
            cluster.mode == "autopilot"
            and group.plan.capacity.is_queued
            and not strictest_offering(context.catalog, group.shape.family, _modes(group, _CAPACITY))
        ):
            yield Hit(
                (*group.path, "capacity"),
                "no documentation confirms that Autopilot supports TPUs with queued provisioning",
                fact=note_by_id(context.catalog.capacity.notes, "autopilot-modes"),
                why="the GKE page about TPUs on Autopilot does not list queued provisioning",
            )
