"""What Kueue and the scheduler can make of the objects of a cluster."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from support.control_plane.client import Object
from support.control_plane.expansion import RayWebhook
from support.kubernetes_model.matching import NodePool
from support.kubernetes_model.places import Placement, candidates, placements
from support.kubernetes_model.queues import Flavors, Kueue
from support.kubernetes_model.units import QueuedWorkload, Unit, queued_workloads, units_of


@dataclass(frozen=True)
class Outcome:
    """One way in which Kueue can admit the workloads, with all that the scheduler can make of it."""

    flavors: tuple[tuple[QueuedWorkload, Flavors | None], ...]
    """None for a workload that waits."""
    slices: tuple[tuple[Unit, Placement | None], ...]
    """Without a placement if its workload waits."""
    other_pods: tuple[tuple[Unit, frozenset[str]], ...]
    """Pods without chips that were started, with the node pools that have room for one of them."""


def outcomes(
    objects: Iterable[Object], pools: Sequence[NodePool], *, ray_webhook: RayWebhook = "absent"
) -> Iterator[Outcome]:
    """The outcomes for every order in which workloads enter their queues."""
    objects = list(objects)
    kueue = Kueue(objects)
    queued = [one for item in objects for one in queued_workloads(item)]
    units = [unit for item in objects for unit in units_of(item, ray_webhook=ray_webhook)]
    for admission in kueue.admissions(queued):
        yield _outcome(kueue, queued, units, admission, pools)


def _outcome(
    kueue: Kueue,
    queued: Iterable[QueuedWorkload],
    units: Iterable[Unit],
    admission: Mapping[str, Flavors | None],
    pools: Sequence[NodePool],
) -> Outcome:
    started: list[Unit] = []
    waiting: list[Unit] = []
    for unit in units:
        waits = admission.get(f"{unit.namespace}/{unit.admitted_as}", ()) is None
        (waiting if waits else started).append(kueue.admitted(unit, admission))
    slices = [unit for unit in started if unit.size]
    return Outcome(
        tuple((one, admission[f"{one.namespace}/{one.name}"]) for one in queued),
        (
            *zip(slices, placements(slices, pools), strict=True),
            *((unit, None) for unit in waiting if unit.size),
        ),
        tuple(
            (unit, frozenset(pool.name for pool in candidates(pods, pools)))
            for unit in started
            for pods in unit.pods
            if not pods.chips
        ),
    )
