"""What a change does: resource by resource, item by item, in total. Plain frozen values."""

from dataclasses import dataclass
from typing import Literal

from pulumi_gke_tpu.estimate import Usd
from pulumi_gke_tpu.fleet import Range
from pulumi_gke_tpu.fleet.model import NOTHING
from pulumi_gke_tpu.graph.property_values import PropertyValue
from pulumi_gke_tpu.jsonfile.fields import Count

Operation = Literal["create", "delete", "replace", "update", "same"]
"""What the engine plans for one resource."""

ChangeClass = Literal["delete", "replace", "refused", "no-op", "restart", "in-place", "create", "metadata"]
"""What a change comes to.

delete, replace, create: of something in the cloud. refused: the provider or GKE turns the update down. no-op: an update
is planned, and nothing happens. restart: Pulumi says update, and GKE drains or re-creates nodes. in-place: nothing
restarts. metadata: labels, timeouts and other things that no node notices.
"""

CLASSES: tuple[ChangeClass, ...] = (
    "delete",
    "replace",
    "refused",
    "no-op",
    "restart",
    "in-place",
    "create",
    "metadata",
)
"""Most dangerous first."""

DANGEROUS: frozenset[ChangeClass] = frozenset(CLASSES[:5])
"""What needs a second look: something goes away, stops, or does not happen."""


@dataclass(frozen=True, slots=True)
class Fact:
    """Why something is so: one sentence, and where it is known from."""

    text: str
    source: str = ""
    """Sources with dates; empty where the reason is a rule of Pulumi or of this project."""
    confidence: Literal["high", "medium", "low"] = "high"


@dataclass(frozen=True, slots=True)
class Difference:
    """One property that differs. ``was`` and ``will`` are plain data, ``Unknown`` or ``ABSENT``."""

    path: str
    """As the engine writes it: ``nodeConfig.labels["team"]``, ``autoscaling.maxNodeCount``."""
    was: PropertyValue
    will: PropertyValue
    effect: ChangeClass
    """What this difference comes to by itself."""
    fact: Fact
    planned: bool = True
    """Whether the engine plans anything for it: leaving out a value that GKE reports changes the plan only."""
    follows: tuple[Fact, ...] = ()
    """What comes of an update beyond its class: for Pods that run, for nodes that come, later on. Whole sentences."""


@dataclass(frozen=True, slots=True)
class ResourceChange:
    """What the engine plans for one resource."""

    urn: str
    """The URN after the change; the one before it where the resource goes."""
    former_urn: str
    """The URN before the change, which differs after a move; empty for a new resource."""
    type: str
    name: str
    plan_path: str
    operation: Operation
    effect: ChangeClass
    """What the operation comes to in the cloud."""
    delete_first: bool = False
    """Of a replacement: whether the old resource goes before the new one is asked for."""
    differences: tuple[Difference, ...] = ()
    because_of: tuple[str, ...] = ()
    """URNs of the resources whose replacement replaces this one too."""
    refused: str = ""
    """Why the run stops here: what protects the resource; empty where nothing does."""
    refused_by: Literal["", "engine", "provider", "GKE"] = ""
    """Who stops it: the engine before anything is done, in a preview too; the others in the middle of ``pulumi up``."""

    @property
    def refusal_is_certain(self) -> bool:
        """Whether it is known that the run stops here, and not only expected."""
        return all(item.fact.confidence == "high" for item in self.differences if item.effect == "refused")


@dataclass(frozen=True, slots=True)
class WrittenChange:
    """A key of the plan that says something else: ``topology``, ``8x16``, ``16x16``. Empty is not written.

    Keys inside others are dotted (``boot_disk.size_gib``, ``count.max``), values are spelled as a plan spells them.
    What comes to the same (``chips: 256`` and ``topology: 16x16``) is no change. All three are safe to print.
    """

    key: str
    was: str
    will: str


@dataclass(frozen=True, slots=True)
class AcknowledgementUse:
    """An acknowledgement in the plan after the change, and what becomes of it.

    One that the change takes out of the plan is here only where it is used: by what is removed together with it.
    """

    plan: str
    change: Literal["replace", "delete"]
    of: str
    reason: str
    until: str
    """ISO date, the last day on which it holds."""
    state: Literal["used", "lifting", "unused", "expired", "not on base"]
    """``used``: it allows a change here. ``lifting``: it allows none yet, and newly lifts the protection of an item.
    ``not on base``: only acknowledgements of the base were asked for, and this one is new.
    """
    new: bool
    """Whether this change adds it."""


@dataclass(frozen=True, slots=True)
class Fix:
    """What to write into a plan so that a change goes ahead."""

    side: Literal["head", "base"]
    """The plan that it belongs in: ``head``, the plan after the change; ``base``, the plan before it, in a change of
    its own that is applied first.
    """
    key: Literal["acknowledge", "moved"]
    """The top-level key of the plan, a list."""
    entries: tuple[str, ...]
    """The new entries of the list, each as YAML on one line."""
    text: str
    """The same as YAML to paste: the whole key, or where that plan has the key already, entries that begin with
    ``- ``.
    """
    alone: bool = False
    """Whether it is for one of several candidates of a rename: only one of such fixes is meant."""


@dataclass(frozen=True, slots=True)
class PlanList:
    """The entries that a plan has already below a key to which a fix adds others."""

    plan: str
    side: Literal["head", "base"]
    key: Literal["acknowledge", "moved"]
    entries: tuple[str, ...]
    """Each as YAML on one line."""


@dataclass(frozen=True, slots=True)
class Overlap:
    """What a plan needs of a reservation for a while, because new node pools are asked for before old ones go."""

    reservation: str
    place: str
    """The zone."""
    needed: Range
    """VMs, with those that stay and those of other plans."""
    limit: Count | None
    """VMs that there are, where that is declared."""


@dataclass(frozen=True, slots=True)
class ItemChange:
    """What happens to one item of the plan: a cluster, with its network and accounts, or a slice group."""

    plan: str
    """The plan file, as given."""
    item: str
    """``cluster`` or ``cluster/group``, as it is called after the change."""
    former_item: str
    """As it was called before; empty for a new item, equal to ``item`` where it keeps its name."""
    kind: Literal["cluster", "slices"]
    path: str
    """Where the item stands in the plan."""
    change: ChangeClass
    """The most dangerous of what happens to its resources. Where the cluster itself, or a node pool of the group, is
    deleted or replaced, that alone counts; what belongs to a cluster and is deleted and created is replaced.
    """
    written: tuple[WrittenChange, ...]
    """The most dangerous first. Empty where the item is new or goes, or is changed by another one, by the catalog or
    by another version of this library.
    """
    consequence: str
    """What it means, with numbers, in a few short sentences. Names stand in backticks and hold none themselves, so
    that every second piece between backticks is a name and all else are words of ours.
    """
    facts: tuple[Fact, ...]
    """Why it is so."""
    refused: str
    """Why ``pulumi up`` stops, or why the change is not acknowledged where only acknowledgements of the base count;
    empty where it goes on. Sentences like those of ``consequence``.
    """
    fixes: tuple[Fix, ...]
    """What to write to go ahead; empty where nothing is needed, or nothing helps."""
    acknowledged: AcknowledgementUse | None
    """The acknowledgement that allows it, or would (see its state); None where none is about it."""
    hosts_gone: Range
    """TPU hosts that go away, also those that are replaced. A cluster's are those of its groups, counted there."""
    hosts_new: Range
    """TPU hosts that are asked for, also the replacements."""
    resources: tuple[ResourceChange, ...]
    gone: bool = False
    """Whether the plan no longer has the item."""
    hosts_restarted: Range = NOTHING
    """TPU hosts that stay and are drained or re-created."""
    updates: Count = 1
    """How many runs of ``pulumi up`` the change takes: 2 where a protection has to be lifted before."""
    renames: tuple[str, ...] = ()
    """Of an item that is gone or new: those on the other side that it may be under another name."""
    overlap: Overlap | None = None
    """Where a group asks for VMs of a reservation while the plan still holds others that go."""


@dataclass(frozen=True, slots=True)
class Capacity:
    """Slices, hosts and chips."""

    slices: Range
    hosts: Range
    chips: Range


@dataclass(frozen=True, slots=True)
class CapacityChange:
    """Capacity before and after, in total or of one generation in one place."""

    generation: str
    """Empty for the total."""
    place: str
    """A zone, or a region where Autopilot chooses; empty for the total."""
    was: Capacity
    will: Capacity


@dataclass(frozen=True, slots=True)
class CostChange:
    """USD per hour before and after. None is unknown."""

    was: Usd | None
    will: Usd | None
    incomplete: bool
    """Whether some price is unknown, so that both are only a part."""


@dataclass(frozen=True, slots=True)
class UseChange:
    """What is taken of a reservation (VMs) or a quota (chips) before and after; ``limit`` where it is declared."""

    kind: Literal["reservation", "quota"]
    name: str
    place: str
    was: Range
    will: Range
    limit: Count | None
    project: str = ""
    """The project that owns the reservation, or whose quota it is."""


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over all plans."""

    capacity: CapacityChange
    places: tuple[CapacityChange, ...]
    """By generation and place, those that change and those that do not."""
    cost: CostChange
    uses: tuple[UseChange, ...]


@dataclass(frozen=True, slots=True)
class Unclear:
    """A plan, or one item of it, of which a report cannot tell what happens. What is not compared is in no total."""

    plan: str
    """The plan file, as given."""
    item: str
    """``cluster`` or ``cluster/group``; empty for the whole plan."""
    kind: Literal["base", "head", "moved"]
    """``base``: it had errors before the change; ``head``: it has errors after it; ``moved``: the plan file is in
    another folder now, which may mean another stack.
    """
    reason: str
    """Why, in a sentence. Names stand in backticks."""


@dataclass(frozen=True, slots=True)
class ChangeReport:
    """Everything that there is to say about a change of one or several plans."""

    base: str
    """What was compared, as given: a file, a folder, a revision."""
    head: str
    plans: tuple[str, ...]
    """All plans that were looked at."""
    catalog_version: str
    items: tuple[ItemChange, ...]
    """Most dangerous first; items without any change are not here."""
    unchanged_items: Count
    unchanged_resources: Count
    totals: Totals
    acknowledgements: tuple[AcknowledgementUse, ...]
    notes: tuple[str, ...]
    """What cannot be known, and facts of low confidence that this rests on."""
    lists: tuple[PlanList, ...] = ()
    """The lists of the plans that fixes add entries to."""
    unclear: tuple[Unclear, ...] = ()
    """What is not compared although it may change, and plans that may have become those of other stacks."""
