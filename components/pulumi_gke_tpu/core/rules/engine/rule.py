"""A rule: its scope, its texts, its sources, its examples, and the check that yields a hit for each violation."""

import dataclasses
import enum
import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, field
from typing import TYPE_CHECKING, Any, Generic, Literal, TypedDict, TypeVar

from typing_extensions import Unpack

from pulumi_gke_tpu.core.catalog import Catalog, Fact
from pulumi_gke_tpu.core.catalog.records.facts import Source
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings import Finding, Fix, Path, Position, Related, Severity, Verbatim, listed, quoted
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from pulumi_gke_tpu.core.plan import Document


class Details(TypedDict, total=False):
    """What a hit can add to its message: fields of :class:`Hit`."""

    fact: Fact | None
    severity: Severity | None
    given: str
    allowed: tuple[str, ...]
    why: str
    fix: Fix | None
    advice: str


@frozen
class Hit:
    """One place where a rule is broken. What is left empty is taken from the rule; ``fact`` gives source and weight.

    The constructors word the common kinds of problem in one way. They escape the values that they quote, so that
    nothing that a plan contains can change the text around it.
    """

    path: Path
    message: str
    fact: Fact | None = None
    severity: Severity | None = None
    given: str = ""
    allowed: tuple[str, ...] = ()
    why: str = ""
    fix: Fix | None = None
    """A fix that only spells a value correctly need not be marked as the only one."""
    advice: str = ""
    """What to do, in words, instead of the rule's own ``fix``."""
    related: Related | None = None
    """Where the requirement is set, if that is another file of the user."""
    document: "Document[Any] | None" = None
    """The document of the place, for rules that check several."""

    def within(self, document: "Document[Any]") -> "Hit":
        """The hit in one of several documents."""
        return dataclasses.replace(self, document=document)

    @classmethod
    def invalid(cls, path: Path, what: str, value: object, reason: str = "", **details: Unpack[Details]) -> "Hit":
        """A value of the wrong form: ``invalid zone `us-east5`: it is a region``."""
        return cls(path, _because(f"invalid {what} {quoted(value)}", reason), **details)

    @classmethod
    def unknown(cls, path: Path, what: str, value: object, reason: str = "", **details: Unpack[Details]) -> "Hit":
        """A name that does not exist: ``unknown add-on `gcs``."""
        return cls(path, _because(f"unknown {what} {quoted(value)}", reason), **details)

    @classmethod
    def duplicate(cls, path: Path, what: str, value: object, first: str = "", **details: Unpack[Details]) -> "Hit":
        """A second definition: ``duplicate label `team`: already defined in entry 1``."""
        return cls(path, _because(f"duplicate {what} {quoted(value)}", first), **details)

    @classmethod
    def unsupported(cls, path: Path, what: str, by: str, **details: Unpack[Details]) -> "Hit":
        """Something that does not work together: ``placement is not supported with single-host slices``."""
        return cls(path, f"{what} is not supported with {by}", **details)

    @classmethod
    def missing(cls, path: Path, what: str, reason: str = "", **details: Unpack[Details]) -> "Hit":
        """Something that is required: ``missing key `zone`: us-east5 is a region``."""
        return cls(path, _because(f"missing {what}", reason), **details)

    @classmethod
    def conflict(cls, path: Path, one: str, other: str, reason: str = "", **details: Unpack[Details]) -> "Hit":
        """Two things that exclude each other: ```count` conflicts with `min```."""
        return cls(path, _because(f"{one} conflicts with {other}", reason), **details)

    @classmethod
    def exceeds(cls, path: Path, what: str, limit: str, **details: Unpack[Details]) -> "Hit":
        """Something above its limit: ``12,000 hosts exceed the limit of 8,000``."""
        return cls(path, f"{what} exceeds {limit}", **details)


def _because(problem: str, reason: str) -> str:
    return f"{problem}: {reason}" if reason else problem


Subject = TypeVar("Subject")
_Checked = TypeVar("_Checked")


class Scope(enum.Enum):
    """The argument of the check of a rule."""

    FILE = "file"
    """The file itself, regardless of its content. The reader of files reports it; the rule has no check."""
    PLAN = "plan"
    """One plan: ``PlanContext``. A rule without a check is reported while the plan is read."""
    WORKLOADS = "workloads"
    """The same, of a plan with workloads or with slice groups that a ComputeClass serves."""
    RUNS = "runs"
    """The same, of a plan with planned runs."""
    FINDINGS = "findings"
    """One plan and everything that other rules found in it: ``PlanFindings``."""
    INVENTORY = "inventory"
    """Several plans and an inventory: ``InventoryContext``."""
    ORGANIZATION = "organization"
    """Several plans and the standards of an organization: ``OrganizationContext``."""
    FLEET = "fleet"
    """Several plans: a tuple of ``PlanInFleet``."""
    CHANGE = "change"
    """A plan before and after a change: ``Transition``. The examples are these two plans."""
    COMPONENT = "component"
    """The arguments of the component ``TpuSlices``: ``SlicesArguments``."""
    POOL = "pool"
    """A node pool of any Pulumi program: ``PoolContext``. No plan can express the wrong state."""
    STACK = "stack"
    """The same, with the other resources of its program."""
    MANIFESTS = "manifests"
    """Kubernetes manifests, and a plan if one is given: ``ManifestContext``. The examples are manifests."""

    RENDERED = "rendered manifests"
    """The objects of a plan, and the files that should contain them: ``RenderedFiles``. The examples are such files,
    and the plan."""

    @property
    def breakable(self) -> str:
        """What can break the rule, in the words of the JSON format of rules."""
        return _BREAKABLE.get(self, self.value)


ON_PLANS = (Scope.PLAN, Scope.WORKLOADS, Scope.RUNS)
"""The scopes of rules about one plan."""
_BREAKABLE = dict.fromkeys((*ON_PLANS, Scope.FINDINGS), "plan") | dict.fromkeys((Scope.POOL, Scope.STACK), "derived")

Basis = Literal["format", "observed", "catalog"]
"""What the errors of a rule rest on.

``format``: the plan's own format, or what follows from it by logic. ``observed``: behavior of Pulumi or the provider
that was executed. ``catalog``: a fact of the catalog, of high confidence and without conflict; the hit brings it, or
the rule names a note of the catalog. A hit of such a rule without a certain fact is a warning.
"""

_UNCERTAIN = "if the fact has less than high confidence or its sources disagree"


def of_clusters(*keys: str) -> tuple[str, ...]:
    """The paths of keys of a cluster, for ``about`` of a rule."""
    return tuple(f"clusters.*.{key}" for key in keys)


def of_groups(*keys: str) -> tuple[str, ...]:
    """The paths of keys of a slice group."""
    return of_clusters(*(f"slices.*.{key}" for key in keys))


def of_workloads(*keys: str) -> tuple[str, ...]:
    """The paths of keys of a workload."""
    return of_clusters(*(f"kubernetes.workloads.*.{key}" for key in keys))


def in_cluster(keys: str, *, mode: str = "standard", location: str = "us-east5") -> str:
    """The body of a cluster with these keys, for the examples of a rule."""
    return f"mode: {mode}\nlocation: {location}\n{keys.lstrip()}"


def in_group(keys: str = "", *, tpu: str = "v6e", topology: str = "4x4", zone: str = "") -> str:
    """The body of a slice group with these keys, for the examples of a rule."""
    place = f"zone: {zone}\n" if zone else ""
    return f"tpu: {tpu}\ntopology: {topology}\n{place}{keys.strip()}".strip()


@frozen(eq=False)
class Rule(Generic[Subject]):
    """A rule, and the decorator that gives it its check.

    ``failing`` and ``passing`` are plans, or parts of one (see ``examples.py``). A rule without a check is reported
    elsewhere: by the reader, or where files are found.
    """

    id: str
    """Stable, such as ``TPU537``; the first digit is the group of rules."""
    name: str = ""
    """Stable, in kebab case, such as ``duplicate-taint``; that of its check, if it has one: ``duplicate_taint``."""
    _: KW_ONLY
    scope: Scope = Scope.PLAN
    """Only where it is not the first scope of the package (``SCOPES`` in its ``__init__.py``), which sets it."""
    about: "Sequence[str | Callable[[FieldInfo], bool]]" = ()
    """The keys of a plan that break the rule or mend it, as ``gke-tpu explain`` names them: their paths, or whether a
    key is one of them. Its mappings need not be listed. ``explain KEY`` lists the rule."""
    title: str
    why: str
    fix: str
    failing: str
    passing: str = ""
    edit: tuple[str, str] | None = None
    """Instead of ``passing``: a text of the failing example, and the text that makes it pass."""
    references: Sequence[str] = ()
    """Ids in ``catalog/sources.yaml``: where to read about it."""
    source: str = ""
    """The basis of the rule if no source of the catalog states it: the format of the plan, logic, or an observation."""
    severity: Severity = Severity.ERROR
    otherwise: Mapping[Severity, str] = field(default_factory=dict)
    """Other severities that a hit can have, and where: a clause such as "if the plan sets no MTU"."""
    basis: Basis | None = None
    """What its errors rest on; if not set, the format for a rule with a ``source``, and the catalog for others."""
    note: str = ""
    """The note of the catalog behind the rule, if its hits have no facts."""
    today: str = ""
    """The day at which the examples are checked, if they depend on it."""
    by_family: bool = False
    """Whether the rule depends only on the machine family of a slice group, not on its shape."""
    plans_only: str = ""
    """Why the rule does not check resources of other tools, as a clause; empty for a rule that checks every source."""
    silent_in: Mapping[str, str] = field(default_factory=dict)
    """Other tools whose resources the rule does not check -> why, as a clause: terraform, pulumi, gcloud, objects."""
    needs: Sequence[str] = ()
    """Further keys that decide the rule: where a source does not know one of them, the rule does not check it."""
    in_stacks: bool = False
    """Whether a rule about one node pool also checks it together with the other resources of its program."""
    advisory_in_policy_pack: bool = False
    """Whether GKE accepts a violation, which causes problems only later: a policy pack then only advises."""
    of_programs: bool = False
    """Whether the rule is about what a program writes, which neither a state nor an answer of the API shows."""
    of_scripts: bool = False
    """Whether such a rule checks scripts too, whose commands carry out once what they say."""
    at_creation: bool = False
    """Whether only a resource that does not exist yet can be mended: the fix would replace one that exists."""
    fix_of_resources: str = ""
    """The fix for resources of other tools, if ``fix`` is about what only a plan has."""
    fix_in_terraform: str = ""
    """The fix for a Terraform configuration, if the options of Pulumi resources are part of ``fix``."""
    check: Callable[[Subject], Iterable[Hit]] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        failing, passing = self.failing.strip("\n"), self.passing.strip("\n")
        object.__setattr__(self, "failing", failing)
        object.__setattr__(self, "passing", failing.replace(*self.edit, 1) if self.edit else passing)
        object.__setattr__(self, "basis", self.basis or ("format" if self.source and not self.note else "catalog"))

    def __call__(self, check: Callable[[_Checked], Iterable[Hit]]) -> "Rule[_Checked]":
        """Give the rule its check: a function that yields a :class:`Hit` for every place that breaks the rule."""
        object.__setattr__(self, "check", check)  # a copy of each rule would take 3 ms at every start
        object.__setattr__(self, "name", self.name or check.__name__.replace("_", "-"))
        return self  # type: ignore[return-value]

    def finding(
        self,
        message: str,
        *,
        position: Position | None,
        path: Path = (),
        allowed: tuple[str, ...] = (),
        fix: str = "",
        advice: str = "",
    ) -> Finding:
        """A finding of a rule without a check: with text to paste, or else with advice, by default that of the rule."""
        return Finding(
            rule=self.id,
            severity=self.severity,
            path=path,
            message=message,
            allowed=allowed,
            why=self.why,
            change=Verbatim(fix) if fix else None,
            source=self.source,
            position=position,
            advice="" if fix else advice or self.fix,
        )

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


rule: type[Rule[Any]] = Rule
"""Declares a rule: as a decorator of its check, or as a statement if another part reports the rule."""
warning = functools.partial(rule, severity=Severity.WARNING)
"""Declares a rule that only warns."""


_MOST_SHOWN = 2
_DATE = lazy_pattern(r"\b20\d\d-\d\d-\d\d\b")


def source_of(rule: Rule[Any], fact: Fact | None, catalog: Catalog) -> str:
    """The origin of a finding: its fact, with the positions of other sources, or else the rule."""
    if fact is None:
        return rule_source(rule, catalog.sources if rule.references else {})
    return source_text(fact, catalog) + (f". Sources disagree: {fact.conflict.rstrip('.')}" if fact.conflict else "")


def source_text(fact: Fact, catalog: Catalog) -> str:
    """Where a fact comes from, and how certain it is, in one line."""
    doubt = "" if fact.confidence == "high" else f" (confidence {fact.confidence})"
    return f"{source_titles(fact, catalog)}{doubt}"


def source_titles(fact: Fact, catalog: Catalog) -> str:
    """Where a fact comes from."""
    titles = [catalog.sources[source].title if source in catalog.sources else source for source in fact.source]
    shown = _first(titles)
    contradicts = any(date > fact.as_of for date in _DATE.findall(shown))  # a source is newer than the fact
    return f"{shown}{'' if contradicts else f', as of {fact.as_of}'}"


def links_of(rule: Rule[Any], fact: Fact | None, catalog: Catalog) -> tuple[str, ...]:
    """Where to read about a finding: the addresses of the sources that it shows first, or else the first address."""
    names = rule.references if fact is None else fact.source
    links = [catalog.sources[name].link if name in catalog.sources else "" for name in names]
    return tuple(filter(None, links[:_MOST_SHOWN])) or tuple(filter(None, links))[:1]


def rule_source(rule: Rule[Any], sources: Mapping[str, Source]) -> str:
    """What a rule rests on, in one line: its references, and what no source of the catalog states."""
    titles = [sources[name].title if name in sources else name for name in rule.references]
    return "; ".join(text for text in (_first(titles), rule.source) if text)


def _first(titles: list[str]) -> str:
    return listed(titles, "", most=_MOST_SHOWN, separator="; ")
