"""A rule: what it looks at, what it says, and an example of each kind."""

import datetime
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypedDict

from typing_extensions import NotRequired, Unpack

from pulumi_gke_tpu.catalog import Catalog, Fact
from pulumi_gke_tpu.catalog.records.facts import Note
from pulumi_gke_tpu.findings import Finding, Path, Severity
from pulumi_gke_tpu.fleet import Fleet
from pulumi_gke_tpu.plan import Plan

Breakable = Literal["plan", "file", "inventory", "fleet", "change", "component", "derived"]
"""What can break a rule: one plan; a file as such, whatever it says; a plan against an inventory; several plans
together; a change of a plan (the examples are the plan before and after); the arguments of ``TpuSlices``
(``component``); or only raw resources, since a plan cannot express the wrong state (``derived``: proved by a property
test).
"""

Basis = Literal["format", "observed", "catalog"]
"""What the errors of a rule rest on.

``format``: the plan's own format, or what follows from it by logic. ``observed``: behavior of Pulumi or the provider
that was executed. ``catalog``: a fact of the catalog, of high confidence and without conflict; the hit brings it, or
the rule names a note of the catalog. A hit of such a rule without a certain fact is a warning.
"""


@dataclass(frozen=True, slots=True)
class Context:
    """What rules look at: one plan and what was derived from it.

    ``today`` is the day by which dates are judged; None where no clock is known, and rules that need one stay silent.
    """

    plan: Plan
    catalog: Catalog
    fleet: Fleet
    today: datetime.date | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """One place where a rule is broken. What is left empty is taken from the rule; ``fact`` gives source and weight."""

    path: Path
    message: str
    fact: Fact | None = None
    severity: Severity | None = None
    given: str = ""
    allowed: tuple[str, ...] = ()
    why: str = ""
    fix: str = ""


Check = Callable[[Context], Iterable[Hit]]
Review = Callable[[Context, tuple[Finding, ...]], Iterable[Hit]]
"""Looks at what the other rules found in the plan, besides the plan itself."""


def weighed(
    rule: "Rule", severity: Severity | None, fact: Fact | None, catalog: Catalog
) -> tuple[Severity, Fact | None]:
    """The severity of a broken rule, and the fact that it rests on.

    An error needs a certain fact, or, where no fact is involved, a rule about the format or about observed behavior;
    else the finding is a warning.
    """
    severity = rule.severity if severity is None else severity
    if fact is None and rule.note:
        fact = _note_of(catalog, rule.note)
    certain = fact.is_certain if fact is not None else rule.basis in ("format", "observed")
    return (Severity.WARNING if severity is Severity.ERROR and not certain else severity), fact


def _note_of(catalog: Catalog, id: str) -> Note | None:
    sections = (catalog.platform, catalog.capacity, catalog.maintenance, catalog.zones)
    return next((note for section in sections for note in section.notes if note.id == id), None)


def noted(notes: Iterable[Note], id: str) -> Note | None:
    """The note of the catalog on which a finding rests; None where an overlay has left it out."""
    return next((note for note in notes if note.id == id), None)


_UNCERTAIN = "where the fact has less than high confidence or its sources disagree"
"""When :func:`weighed` makes a warning of an error."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of the catalog of rules. ``failing`` and ``passing`` are plans, or parts of one (see ``examples.py``)."""

    id: str
    title: str
    why: str
    fix: str
    source: str
    failing: str
    passing: str
    severity: Severity = Severity.ERROR
    otherwise: Mapping[Severity, str] = field(default_factory=dict, hash=False)
    """Other severities that a hit can have, and where: a clause such as "where no MTU is written"."""
    basis: Basis | None = None
    """Required of rules that report errors."""
    note: str = ""
    """The note of the catalog that the rule rests on, where a hit brings no fact of its own."""
    check: Check | None = field(default=None, repr=False)
    """None where the rule is reported elsewhere: by the reader, by the inventory, or on raw resources only."""
    breakable: Breakable = "plan"
    today: str = ""
    """The day at which the examples hold, where that matters."""
    review: Review | None = field(default=None, repr=False)
    """Instead of ``check``, for the few rules that judge findings; it sees those of every ``check``."""

    def __post_init__(self) -> None:
        for name in ("failing", "passing"):
            object.__setattr__(self, name, getattr(self, name).strip("\n"))

    @property
    def severities(self) -> dict[Severity, str]:
        """Every severity that a finding of the rule can have, and where; the first one has no condition.

        It follows from how a finding gets its severity: from the rule, from the hit, and from the weight of its fact.
        """
        found = {self.severity: "", **self.otherwise}
        if self.basis == "catalog" and Severity.ERROR in found:
            weaker = found.get(Severity.WARNING, "")
            if self.severity is Severity.ERROR:
                found[Severity.WARNING] = f"{weaker}, or {_UNCERTAIN}" if weaker else _UNCERTAIN
        return found


class RuleTexts(TypedDict):
    """What every rule says, whatever it looks at: fields of :class:`Rule`."""

    title: str
    why: str
    fix: str
    source: str
    failing: str
    passing: str
    severity: NotRequired[Severity]
    otherwise: NotRequired[Mapping[Severity, str]]
    basis: NotRequired[Basis]
    note: NotRequired[str]
    today: NotRequired[str]


def rule(id: str, **texts: Unpack[RuleTexts]) -> Callable[[Check], Rule]:
    """Make a rule of a function that yields a :class:`Hit` for every place where a plan breaks it."""
    return lambda check: Rule(id, check=check, **texts)
