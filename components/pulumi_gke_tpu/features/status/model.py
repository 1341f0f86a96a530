"""The problems of a fleet: the state of its slices, what its jobs wait for, drift, and what was not read."""

import datetime
from typing import Literal

from pulumi_gke_tpu.core.fleet.model import Range
from pulumi_gke_tpu.core.frozen import frozen

State = Literal["ready", "idle", "changing", "not whole", "failed", "missing", "not read"]
"""The state of the slices of a group.

ready: as many hosts as the plan wants. idle: scaled down, and nothing asks for more. changing: GKE creates, changes or
deletes them, without an error. not whole: hosts are missing. failed: GKE reports an error. missing: GKE has no such
node pool. not read: the snapshot does not show it.
"""


@frozen
class Fault:
    """Something that is wrong, with its cause first."""

    subject: str
    """What has the problem: node pools, objects."""
    title: str
    """The cause in words; without a known one, what was found."""
    text: str
    """The words of GKE, Kubernetes or an operator; empty if nothing states a reason."""
    cause: str
    fix: str
    """What to do."""
    page: str
    """The word that ``gke-tpu explain`` has a page for; empty if there is none."""
    since: str = ""
    """The time that the object itself states; empty if it states none."""
    next_up: str = ""
    """What the next ``pulumi up`` does about it."""
    place: str = ""
    """The path in the plan; empty if it is in none."""


@frozen
class GroupStatus:
    """The slices of a group of the plan."""

    group: str
    """cluster/group."""
    state: State
    wanted: Range
    """Slices."""
    found: int | None
    """Whole slices; None if that was not read."""
    hosts_ready: int | None
    hosts_wanted: Range
    problems: tuple[Fault, ...]


@frozen
class Waiting:
    """A workload that waits for a good reason."""

    workload: str
    cluster: str
    queue: str
    place: str
    """Its place in the queue: ``2 of 5``; empty if the order is unknown."""
    why: str
    text: str
    since: str


@frozen
class DriftedItem:
    """A cluster or node pool that is not what the plan describes."""

    name: str
    what: str
    next_up: str


@frozen
class Missing:
    """What was not read, so that its state is unknown."""

    what: str
    reason: str


@frozen
class FleetStatus:
    """The status of a fleet at the time of a snapshot."""

    plan: str
    taken: datetime.datetime
    catalog: str
    """Version of the catalog: a date."""
    groups: tuple[GroupStatus, ...]
    jobs: tuple[Fault, ...]
    """The problems of objects in clusters."""
    waiting: tuple[Waiting, ...]
    drift: tuple[DriftedItem, ...]
    not_read: tuple[Missing, ...]

    @property
    def problems(self) -> tuple[Fault, ...]:
        """Everything that is wrong, slices first."""
        return (*(problem for group in self.groups for problem in group.problems), *self.jobs)

    @property
    def is_wrong(self) -> bool:
        """Whether anything is wrong."""
        return bool(self.problems or self.drift)


@frozen
class Check:
    """Something that a plan needs, with what the snapshot says of it."""

    what: str
    ok: bool
    found: str
    fix: str = ""


@frozen
class Diagnosed:
    """What a plan needs, and what could not be judged."""

    catalog: str
    """Version of the catalog: a date."""
    checks: tuple[Check, ...]
    """Those that failed first."""
    not_read: tuple[Missing, ...]

    @property
    def is_wrong(self) -> bool:
        """Whether the plan needs something that is not there."""
        return any(not each.ok for each in self.checks)
