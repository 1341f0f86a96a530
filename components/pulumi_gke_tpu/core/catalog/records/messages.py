"""Texts of failures that GKE, Kubernetes, operators and tools print, with their cause and the fix."""

from dataclasses import field
from typing import Literal

from pulumi_gke_tpu.core.catalog.records.facts import Count, Fact, Record

MessageStage = Literal["cause", "refusal", "symptom"]
"""How near a text is to the root of a failure.

cause: it names the reason itself, such as a quota or a missing role. refusal: something was refused, and a cause that
the text does not name can be behind it, such as a stockout. symptom: something waits or failed because of the others.
"""


class Message(Fact):
    """A text of a failure.

    In ``patterns``, ``look`` and ``fix``, ``{zone}`` is a variable part of the text. Commands show the part that the
    text has, and the name of the part in capital letters if it has none.
    """

    title: str
    patterns: tuple[str, ...]
    """The text in its versions, without quotation marks, in any case. Each is found inside of longer texts."""
    stage: MessageStage
    cause: str
    look: tuple[str, ...]
    """Commands that show whether this is the cause."""
    fix: str
    page: str
    """The page of the catalog about failures of this kind."""
    rules: tuple[str, ...] = ()
    """The rules that find the cause in a plan or in manifests."""
    hides: tuple[str, ...] = ()
    """Other messages, by their ids, whose cause can be behind this text although the text does not name it."""
    unless: tuple[str, ...] = ()
    """Messages, by their ids, that say the same more precisely: this one is not shown beside them."""
    waits: bool = False
    """Whether nothing is wrong: the object waits for others, as a queue or a controller intends it."""


class SymptomSign(Record):
    """What an output shows, what that means and what to do."""

    shown: str
    means: str
    fix: str


class Symptom(Fact):
    """A page about failures of one kind: what to print, what it means, what to do."""

    title: str
    also_called: tuple[str, ...]
    """Words that lead to the page, in any case, with spaces, hyphens or underscores."""
    look: tuple[str, ...]
    """Commands that show the state."""
    signs: tuple[SymptomSign, ...]
    section: str = "the-other-pages"
    """Its section in the documentation page about failures."""
    at_update: bool = False
    """Whether an update that creates or replaces node pools ends so, which a rule can predict."""


class KindStatus(Fact):
    """How the status of an object of a kind says that something is wrong with it."""

    group: str = ""
    problems: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Type of a condition -> its statuses that report a problem; of events: type -> reasons, all if there are none."""
    ends: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Type of a condition -> its statuses after which no other condition reports a problem; as for events above."""
    over: bool = False
    """Whether an object with one of ``ends`` starts no Pod any more."""
    usual: tuple[str, ...] = ()
    """Reasons with which no condition, and no container of a Pod, reports a problem."""
    replaced: tuple[str, ...] = ()
    """Reasons of Pods that failed with their nodes, which report no problem once another Pod runs in their place."""
    number: str = ""
    """The label with the number of a Pod of a Job."""
    scales: tuple[str, ...] = ()
    """Reasons of events after which a Pod waits for nodes that the autoscaler creates."""
    scales_not: tuple[str, ...] = ()
    """Reasons of events of a Pod for which the autoscaler fails to create nodes."""
    scaling_minutes: Count | None = None
    """How long the autoscaler waits for the nodes."""
    starts: tuple[str, ...] = ()
    """Beginnings of the messages of events that are usual until a container of the Pod ends."""
    reasons: tuple[str, ...] = ()
    """Reasons that report a problem with any status of the condition."""
    held: tuple[str, ...] = ()
    """Reasons of an object that is being deleted, with which a finalizer can hold it forever."""
    fields: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Field of the status -> its values that report a problem; without values, it only explains the others."""
    labels: dict[str, str] = field(default_factory=dict)
    """Label -> its value with which the object is about to stop."""
    taints: tuple[str, ...] = ()
    """Taints with which the object is about to stop."""
    checks: str = ""
    """The list of the status with the admission checks of the object."""


class AlertFact(Fact):
    """An alert about slices or queues. ``{place}``, ``{pools}`` and ``{queue}`` in ``expr`` are those of a plan."""

    title: str
    of: Literal["pools", "fixed_multi_host", "queue"]
    """What there is an alert for: each group with node pools, those with a fixed number of slices of several hosts, or
    each queue."""
    expr: str
    """The query in PromQL."""
    wait: str
    """How long the query must hold, in minutes or hours: ``10m``."""
    severity: Literal["critical", "warning"]
    page: str
    """The page of the catalog about failures of this kind."""
