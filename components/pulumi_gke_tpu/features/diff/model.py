"""The effect of a change: by resource, by item, in total, as plain frozen values; and the sentences about an item."""

import dataclasses
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Literal

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.facts import Note
from pulumi_gke_tpu.core.estimate import Usd
from pulumi_gke_tpu.core.estimate.sums import SliceCounts
from pulumi_gke_tpu.core.fleet import Range
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.property_values import PropertyValue
from pulumi_gke_tpu.core.rules.engine.rule import source_titles
from pulumi_gke_tpu.core.text.jsonfile.fields import Count

Operation = Literal["create", "delete", "replace", "update", "same"]
"""What the engine plans for one resource."""

ChangeClass = Literal["delete", "replace", "refused", "no-op", "restart", "in-place", "create", "metadata"]
"""The effect of a change.

delete, replace, create: of something in the cloud. refused: the provider or GKE rejects the update. no-op: an update
is planned, and nothing happens. restart: Pulumi plans an update, and GKE drains or re-creates nodes. in-place: nothing
restarts. metadata: labels, timeouts and other things that do not affect nodes.
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
"""Changes that need a review: they delete or stop something, or have no effect."""


@frozen
class SourcedReason:
    """A reason: one sentence and its source."""

    text: str
    source: str = ""
    """Sources with dates; empty where the reason is a rule of Pulumi or of this project."""
    confidence: Literal["high", "medium", "low"] = "high"

    def spelled(self, words: Callable[[str], str]) -> "SourcedReason":
        """The reason with properties as another tool spells them."""
        return dataclasses.replace(self, text=words(self.text))


@frozen
class Difference:
    """One property that differs. ``was`` and ``will`` are plain data, ``Unknown`` or ``ABSENT``."""

    path: str
    """As the engine writes it: ``nodeConfig.labels["team"]``, ``autoscaling.maxNodeCount``."""
    was: PropertyValue
    will: PropertyValue
    effect: ChangeClass
    """The effect of this difference alone."""
    fact: SourcedReason
    planned: bool = True
    """Whether the engine plans anything for it: removing a value that GKE reports changes only the plan."""
    follows: tuple[SourcedReason, ...] = ()
    """Further effects of an update: on running Pods, on new nodes, later. Whole sentences."""


@frozen
class ResourceChange:
    """What the engine plans for one resource."""

    urn: str
    """The URN after the change; for a deleted resource, the one before it."""
    former_urn: str
    """The URN before the change, which differs after a move; empty for a new resource."""
    type: str
    name: str
    plan_path: str
    operation: Operation
    effect: ChangeClass
    """The effect of the operation in the cloud."""
    delete_first: bool = False
    """For a replacement: whether the old resource is deleted before the new one is created."""
    differences: tuple[Difference, ...] = ()
    because_of: tuple[str, ...] = ()
    """URNs of the resources whose replacement replaces this one too."""
    refused: str = ""
    """Why the run fails here, such as protection; empty if it does not."""
    refused_by: Literal["", "engine", "provider", "GKE"] = ""
    """Who rejects it: the engine before it changes anything, also in a preview; the others during ``pulumi up``."""
    racing: bool = False
    """Whether it is rejected only if another operation of the same run, without a fixed order, is not over yet."""

    @property
    def refusal_is_certain(self) -> bool:
        """Whether it is certain that the run fails here, and not only expected."""
        return not self.racing and all(
            item.fact.confidence == "high" for item in self.differences if item.effect == "refused"
        )

    @property
    def has_cause(self) -> bool:
        """Whether differences tell the reason. Terraform also replaces what it is asked to, without any."""
        return self.operation != "replace" or any(item.effect == "replace" for item in self.differences)

    @property
    def fails(self) -> str:
        """The run at a refused change, as a verb."""
        return "will fail" if self.refusal_is_certain else "is expected to fail"


@frozen
class WrittenChange:
    """A key of the plan with another value: ``topology``, ``8x16``, ``16x16``. Empty if it is not written.

    Keys inside others are dotted (``boot_disk.size_gib``, ``count.max``), values are spelled as a plan spells them.
    Values with the same meaning (``chips: 256`` and ``topology: 16x16``) are not a change. All three are safe to print.
    """

    key: str
    was: str
    will: str


@frozen
class AcknowledgementUse:
    """An acknowledgement in the plan after the change, and whether the change uses it.

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
    ``not on base``: only acknowledgements of the base count, and this one is new.
    """
    new: bool
    """Whether this change adds it."""


@frozen
class Fix:
    """What to add to a plan so that ``pulumi up`` can apply the change."""

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
    """Whether it is for one of several candidates of a rename: only one of these fixes applies."""


@frozen
class PlanList:
    """The entries that a plan has already below a key to which a fix adds others."""

    plan: str
    side: Literal["head", "base"]
    key: Literal["acknowledge", "moved"]
    entries: tuple[str, ...]
    """Each as YAML on one line."""


@frozen
class Overlap:
    """The temporary need of a reservation: new node pools are created while old ones still use it."""

    reservation: str
    place: str
    """The zone."""
    needed: Range
    """VMs or chips, with those that stay and those of other plans."""
    limit: Count | None
    """The size of the reservation, if the inventory declares it."""
    in_chips: bool = False
    """Whether the reservation counts chips, so that the amounts are chips."""
    kept_slices: Count = 0
    """The replaced slices of the group, which can be the only ones of a first change; 0 if others must change first."""
    after: tuple[str, ...] = ()
    """The groups whose replacement frees a part of the reservation."""

    @property
    def exceeds(self) -> bool:
        """Whether the reservation may be too small for it."""
        return self.limit is not None and self.needed.maximum > self.limit

    @property
    def is_certain(self) -> bool:
        """Whether old and new node pools exist together in any case, and exceed the reservation."""
        return self.limit is not None and self.needed.minimum > self.limit

    @property
    def unit(self) -> str:
        """What the amounts count."""
        return "chip" if self.in_chips else "VM"

    def in_any_order(self) -> "Overlap":
        """The same if the old node pools may be deleted before the new ones are created."""
        return dataclasses.replace(self, needed=Range(0, self.needed.maximum), kept_slices=0)


@frozen
class CostChange:
    """USD per hour before and after. None is unknown."""

    was: Usd | None
    will: Usd | None
    incomplete: bool
    """Whether some price is unknown, so that both are only a part."""


@frozen
class GroupSize:
    """The chips and the cost of one slice group before and after; nothing where the plan does not have the group."""

    was: Range
    """Chips."""
    will: Range
    """Chips."""
    cost: CostChange


@frozen
class ItemChange:
    """The change of one item of the plan: a cluster, with its network and accounts, or a slice group."""

    plan: str
    """The plan file, as given."""
    item: str
    """``cluster`` or ``cluster/group``, with the names after the change."""
    former_item: str
    """Its name before; empty for a new item, equal to ``item`` if the name is the same."""
    kind: Literal["cluster", "slices", "nodes"]
    """``nodes``: a node pool without TPUs, which is an item only in plans of Terraform."""
    path: str
    """The path of the item in the plan."""
    change: ChangeClass
    """The most dangerous of what happens to its resources. Where the cluster itself, or a node pool of the group, is
    deleted or replaced, that alone counts; what belongs to a cluster and is deleted and created is replaced.
    """
    written: tuple[WrittenChange, ...]
    """The most dangerous first. Empty if the item is new or deleted, or is changed by another one, by the catalog or
    by another version of this library.
    """
    consequence: str
    """The effects with numbers, in a few short sentences. Names are in backticks and contain none themselves, so that
    every second piece between backticks is a name.
    """
    facts: tuple[SourcedReason, ...]
    """The reasons."""
    refused: str
    """Why ``pulumi up`` will fail, or why the change is not acknowledged if only acknowledgements of the base count;
    empty if neither is the case. Sentences like those of ``consequence``.
    """
    fixes: tuple[Fix, ...]
    """What to add to make the change possible; empty if nothing is needed, or nothing helps."""
    acknowledged: AcknowledgementUse | None
    """The acknowledgement that allows it, or would (see its state); None if there is none for it."""
    hosts_gone: Range
    """TPU hosts that are deleted, also those that are replaced. Those of a cluster are counted in its groups."""
    hosts_new: Range
    """TPU hosts that are created, also the replacements."""
    resources: tuple[ResourceChange, ...]
    gone: bool = False
    """Whether the plan no longer has the item."""
    hosts_restarted: Range = Range.ZERO
    """TPU hosts of kept node pools that are drained or re-created."""
    updates: Count = 1
    """The number of updates that the change requires: 2 if a protection must be lifted first."""
    renames: tuple[str, ...] = ()
    """For a deleted or new item: the items on the other side that may be the same under another name."""
    overlap: Overlap | None = None
    """Set if a group needs VMs of a reservation while the plan still uses others that will be deleted."""
    size: GroupSize | None = None
    """None for a cluster."""
    in_state: Literal["", "import", "forget"] = ""
    """What happens in the state of Pulumi or Terraform only: it takes over what exists, or forgets it and leaves it
    as it is."""

    @property
    def is_dangerous(self) -> bool:
        """Whether the change needs a review."""
        return self.change in DANGEROUS or bool(self.refused)

    @property
    def is_acknowledged(self) -> bool:
        """Whether an acknowledgement allows the change."""
        return self.acknowledged is not None and self.acknowledged.state == "used"


@frozen
class CapacityChange:
    """Capacity before and after, in total or of one generation in one place."""

    generation: str
    """Empty for the total."""
    place: str
    """A zone, or a region where Autopilot chooses; empty for the total."""
    was: SliceCounts
    will: SliceCounts


@frozen
class AutoChange:
    """Chips that node auto-provisioning may create, before and after; no sum contains them."""

    generation: str
    place: str
    """The region."""
    was: Range
    will: Range
    cost: CostChange


@frozen
class UseChange:
    """The use of a reservation or a block of it (VMs or chips), or of a quota (chips), before and after.

    ``limit`` is the limit in the inventory without the use by what is in none of the plans.
    """

    kind: Literal["reservation", "quota"]
    name: str
    place: str
    was: Range
    will: Range
    limit: Count | None
    project: str = ""
    """The project that owns the reservation, or whose quota it is."""
    in_chips: bool = False
    """Whether it is a reservation that counts chips."""

    @property
    def unit(self) -> str:
        """What the amounts count."""
        return "chip" if self.in_chips or self.kind == "quota" else "VM"


@frozen
class PlanUse:
    """What a plan takes or frees of a reservation or quota."""

    plan: str
    amount: Count


@frozen
class ApplyOrder:
    """Plans that share a reservation or quota, in the order in which it suffices for all of them."""

    kind: Literal["reservation", "quota"]
    name: str
    place: str
    limit: Count
    """The limit in the inventory without the use by what is in none of the plans."""
    frees: tuple[PlanUse, ...]
    """The plans to apply first, with what they free at most."""
    takes: tuple[PlanUse, ...]
    """The plans to apply next, with what they take at most."""
    in_chips: bool = False
    """Whether it is a reservation that counts chips."""

    @property
    def unit(self) -> str:
        """What the amounts count."""
        return "chip" if self.in_chips or self.kind == "quota" else "VM"


@frozen
class ChangeTotals:
    """Sums over all plans."""

    capacity: CapacityChange
    places: tuple[CapacityChange, ...]
    """By generation and place, those that change and those that do not."""
    cost: CostChange
    uses: tuple[UseChange, ...]
    auto: tuple[AutoChange, ...] = ()
    """By generation and region, those that change and those that do not."""


@frozen
class ObjectChange:
    """The change of a Kubernetes object that ``gke-tpu manifests`` writes and ``TpuWorkloads`` registers."""

    plan: str
    cluster: str
    """The key of the cluster."""
    object: str
    """Kind, namespace and name, such as JobSet/research/pretraining."""
    operation: Literal["create", "update", "replace", "delete"]
    """``replace``: it is deleted and created again, because its API rejects the change."""
    disruptive: bool
    """Whether running Pods can stop, or data can be lost."""
    means: str
    """The consequence, in a sentence; empty for a new object."""


@frozen
class Unclear:
    """A plan, or one item of it, that is not compared, so that its change is unknown. It is in no total."""

    plan: str
    """The plan file, as given."""
    item: str
    """``cluster`` or ``cluster/group``; empty for the whole plan."""
    kind: Literal["base", "head", "moved"]
    """``base``: it had errors before the change; ``head``: it has errors after it; ``moved``: the plan file is in
    another folder now, which may mean another stack.
    """
    reason: str
    """The reason, in a sentence. Names are in backticks."""


@frozen
class ChangeReport:
    """The effects of a change of one or several plans."""

    base: str
    """What was compared, as given: a file, a folder, a revision."""
    head: str
    plans: tuple[str, ...]
    """All plans that were compared."""
    catalog_version: str
    items: tuple[ItemChange, ...]
    """Most dangerous first; items without any change are not here."""
    unchanged_items: Count
    unchanged_resources: Count
    totals: ChangeTotals
    acknowledgements: tuple[AcknowledgementUse, ...]
    notes: tuple[str, ...]
    """What cannot be known, and the facts of low confidence that were used."""
    lists: tuple[PlanList, ...] = ()
    """The lists of the plans that fixes add entries to."""
    unclear: tuple[Unclear, ...] = ()
    """What is not compared although it may change, and plans that may now belong to other stacks."""
    objects: tuple[ObjectChange, ...] = ()
    """The Kubernetes objects that change, of clusters that exist before and after."""
    order: tuple[ApplyOrder, ...] = ()
    """The order of applies for each limit that several plans share, where it matters."""
    tool: Literal["", "Terraform", "GKE"] = ""
    """What carries the change out, if not Pulumi. Terraform: its plan files are the plans, its addresses the items.
    GKE: both sides are what exists, before and after."""
    removed: tuple[str, ...] = ()
    """Deleted plan files that have stacks of their own, which keep all resources until ``pulumi destroy``."""


@dataclass
class Sentences:
    """Sentences about an item, and the facts of the catalog that support them, as they are collected."""

    catalog: Catalog
    texts: list[str] = field(default_factory=list)
    facts: list[SourcedReason] = field(default_factory=list)

    def add(self, text: str, note: str = "", notes: Iterable[Note] = ()) -> None:
        """Add a sentence, without its period; ``note`` is the ID of the catalog's note with the reason."""
        if text:
            self.texts.append(f"{text[0].upper()}{text[1:]}.")
        self.facts += [note_fact(found, self.catalog) for found in notes if found.id == note]

    def add_minimum(self, was: Range, will: Range, unit: str) -> None:
        """Add what a higher minimum of the autoscaler does, if it is higher: nothing at first."""
        if was.minimum < will.minimum < will.maximum and not any("higher minimum" in text for text in self.texts):
            self.add(
                f"GKE adds no {unit} to reach the higher minimum until a Pod waits for one; "
                "`gcloud container clusters resize` with `--node-pool` and `--num-nodes` adds them now",
                "autoscaler-minimum",
                self.catalog.platform.notes,
            )

    def add_later_effects(self, changes: Iterable[ResourceChange]) -> None:
        """Add the later effects of updates, each once."""
        updated = (item for change in changes if change.operation == "update" for item in change.differences)
        for fact in dict.fromkeys(fact for item in updated for fact in item.follows):
            self.texts.append(fact.text)
            self.facts.append(fact)

    @property
    def text(self) -> str:
        """All sentences."""
        return " ".join(self.texts)


def note_fact(note: Note, catalog: Catalog) -> SourcedReason:
    """A note of the catalog as a reason."""
    return SourcedReason(note.text, source_titles(note, catalog), note.confidence)


def has_own_stack(plan: str) -> bool:
    """Whether a plan has a name of the layout in which each folder is a stack: plan.yaml or gke-tpu.yaml.

    One program can load several plans with other names into one stack.
    """
    return plan.replace("\\", "/").rpartition("/")[2] in ("plan.yaml", "gke-tpu.yaml")
