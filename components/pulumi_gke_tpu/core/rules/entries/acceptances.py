"""TPU90x: what a plan acknowledges and accepts, and the items that its entries can name."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from pulumi_gke_tpu.core.plan import Plan
from pulumi_gke_tpu.core.rules.engine.context import PlanContext, PlanFindings
from pulumi_gke_tpu.core.rules.engine.discovery import all_rules, rules_of
from pulumi_gke_tpu.core.rules.engine.rule import ON_PLANS, Hit, Rule, Scope, rule, warning
from pulumi_gke_tpu.core.rules.engine.run import items_around
from pulumi_gke_tpu.core.text.findings import Finding, Path, SetKeys, Severity, as_only, printable
from pulumi_gke_tpu.core.text.findings.suggestions import Suggestions
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.plan.entries import Acceptance, Acknowledgement

_PARTS = lazy_pattern(r"[-_/.:]")
_LEVEL = "/.:"
"""Marks between a cluster and its group, the valid one first."""
_SHORTEST_PART = 4
"""Characters of a part of a name in which one other letter is a slip; ``eu`` and ``us`` are different names."""
_MOST_LOOKUPS = 20
_LONGEST = 200


def items_of(plan: Plan) -> set[str]:
    """Everything that a plan can name: its clusters as CLUSTER, its groups as CLUSTER/GROUP."""
    groups = {f"{key}/{group}" for key, cluster in plan.clusters.items() for group in cluster.slices}
    return groups | plan.clusters.keys() | plan.unread


class MisspelledItems:
    """Finds the item that a misspelled entry means.

    An entry for another item would lift the protection of that item, or make it the successor of another one, so it is
    not enough that two names are similar: one part of the name has one letter too many, too few, replaced, or exchanged
    with the next one. Names that differ in a digit or in a short part, such as ``train-1`` and ``train-2``, are names
    of different items.
    """

    def __init__(self, items: Iterable[str]) -> None:
        self._items = sorted(items)
        self._lookups = 0

    def meant(self, name: str) -> str | None:
        """The only item that a name without its cluster, or a misspelled one, means; None if there is not just one.

        Only the first lookups find an item, because comparing names takes time.
        """
        self._lookups += 1
        if self._lookups > _MOST_LOOKUPS or len(name) > _LONGEST:
            return None
        found = [item for item in self._items if item.endswith(f"/{name}")]
        found = found or [item for item in self._items if _is_slip(name.lower(), item.lower())]
        return found[0] if len(found) == 1 else None


def _is_slip(name: str, item: str) -> bool:
    if [mark in _LEVEL for mark in _PARTS.findall(name)] != [mark in _LEVEL for mark in _PARTS.findall(item)]:
        return False
    differing = [pair for pair in zip(_PARTS.split(name), _PARTS.split(item), strict=True) if pair[0] != pair[1]]
    return len(differing) <= 1 and all(
        min(len(part), len(other)) >= _SHORTEST_PART and _is_one_letter_off(part, other) for part, other in differing
    )


def _is_one_letter_off(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    start = next((at for at, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    short, long = short[start:], long[start:]
    if short[:1].isdigit() or long[:1].isdigit():
        return False
    if len(short) == len(long):
        return short[1:] == long[1:] or (short[:2] == long[1::-1] and short[2:] == long[2:])
    return short == long[1:]


_LOGIC = "gke-tpu: documentation of `acknowledge` and `accept`"
_TWO_STEPS = (
    "the plan no longer contains the item, so the entry cannot lift its protection. Make two updates: first, keep the "
    "item and this entry and run `pulumi up`; then remove both"
)
_PLAN = """\
version: 1
project: acme-ml
clusters:
  train: {mode: standard, location: us-east5, slices: {main: {tpu: v6e, topology: 2x2, zone: us-east5-b}}}
"""


def _entries(context: PlanContext) -> "Iterator[tuple[Path, Acknowledgement | Acceptance]]":
    for index, item in enumerate(context.plan.acknowledge):
        yield ("acknowledge", index), item
    for index, other in enumerate(context.plan.accept):
        yield ("accept", index), other


@warning(
    "TPU901",
    plans_only="it is about entries that only a plan has",
    about=("accept[].of", "acknowledge[].of"),
    title="`acknowledge` or `accept` refers to an unknown item",
    why="an entry takes effect only if it names an item of the plan, as CLUSTER or CLUSTER/GROUP",
    fix="Use the name of an item in the plan, or remove the entry.",
    source=_LOGIC,
    failing=f"{_PLAN}acknowledge: [{{change: replace, of: train/mian, reason: new topology, until: 2026-12-01}}]",
    passing=f"{_PLAN}acknowledge: [{{change: replace, of: train/main, reason: new topology, until: 2026-12-01}}]",
    today="2026-11-20",
)
def unknown_item(context: PlanContext) -> Iterable[Hit]:
    items = items_of(context.plan)
    choices, misspelled = Suggestions(items), MisspelledItems(items)
    renamed = {move.source: move.to for move in context.plan.moved if move.to in items}
    for path, entry in _entries(context):
        if entry.of is None or entry.of in items:
            continue
        near = renamed.get(entry.of) or misspelled.meant(entry.of)
        if near is not None and near.lower() == entry.of and _has_capitals(context.plan, near):
            near = None  # the name of the item is wrong, not the one here
        removed = near is None and path[0] == "acknowledge"
        yield Hit.unknown(
            (*path, "of"),
            "item",
            entry.of,
            "the plan does not contain this item",
            allowed=choices.shown,
            why=_TWO_STEPS if removed else "",
            fix=as_only(SetKeys.of(of=near), near is not None and near.endswith(f"/{entry.of}")),
        )


def _has_capitals(plan: Plan, item: str) -> bool:
    """Whether GKE refuses the name of an item, because it has capitals and no other name beside it."""
    name, _, group = item.partition("/")
    cluster = plan.clusters[name]
    names = (cluster.name or name, cluster.slices[group].name or group if group in cluster.slices else group)
    return any(each != each.lower() for each in names)


@warning(
    "TPU902",
    plans_only="it is about entries that only a plan has",
    about=("accept[].until", "acknowledge[].until"),
    title="Expired entry",
    why="after its last day, an `acknowledge` entry no longer permits the change, and an `accept` entry no longer "
    "accepts the warning",
    fix="Remove the entry. Or set a later day, if the reason still applies.",
    source=_LOGIC,
    failing=f"{_PLAN}acknowledge: [{{change: replace, of: train/main, reason: new topology, until: 2026-11-19}}]",
    passing=f"{_PLAN}acknowledge: [{{change: replace, of: train/main, reason: new topology, until: 2026-11-20}}]",
    today="2026-11-20",
)
def expired_entry(context: PlanContext) -> Iterable[Hit]:
    if context.today is None:
        return
    items = items_of(context.plan)
    for path, entry in _entries(context):
        if context.today > entry.until and (entry.of is None or entry.of in items):
            yield Hit(
                (*path, "until"),
                f"the last day of this entry was {entry.until.isoformat()}",
                given=f"until: {entry.until.isoformat()}",
            )


def _acceptances(context: PlanContext) -> "Iterator[tuple[Path, Acceptance]]":
    """The acceptances that are valid and name an item of the plan."""
    items = items_of(context.plan)
    for index, item in enumerate(context.plan.accept):
        expired = context.today is not None and context.today > item.until
        if not expired and (item.of is None or item.of in items):
            yield ("accept", index), item


def _rule(id: str) -> Rule[Any] | None:
    """The rule of that id. Rules that do not check plans are imported only if an entry names one."""
    on_plans = {rule.id: rule for rule in rules_of(Scope.PLAN, Scope.FINDINGS)}
    return on_plans.get(id) or {rule.id: rule for rule in all_rules()}.get(id)


class _Found:
    """The findings of a plan, by rule."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        self._errors_only: dict[tuple[str, str | None], bool] = {}
        for finding in findings:
            is_error = finding.severity is Severity.ERROR
            for item in items_around(finding.path):
                key = (finding.rule, item)
                self._errors_only[key] = self._errors_only.get(key, True) and is_error

    def errors_only(self, acceptance: "Acceptance") -> bool | None:
        """Whether an acceptance covers errors only; None if it covers nothing."""
        return self._errors_only.get((acceptance.rule, acceptance.of))


@warning(
    "TPU903",
    scope=Scope.FINDINGS,
    about=("accept",),
    title="`accept` entry cannot take effect",
    why="a plan can accept only existing warnings and notes. A plan with an error cannot work, so an error must be "
    "fixed",
    fix="Correct the rule ID, or fix the error and remove the entry.",
    source=_LOGIC,
    failing=f"{_PLAN}accept: [{{rule: TPU000, reason: we know, until: 2026-12-01}}]",
    passing=_PLAN,
    today="2026-11-20",
)
def unacceptable_finding(subject: PlanFindings) -> Iterable[Hit]:
    found = _Found(subject.findings)
    for path, acceptance in _acceptances(subject.context):
        named = _rule(acceptance.rule)
        if named is None:
            why = "gke-tpu has no rule with this ID, so the entry accepts nothing"
            yield Hit.unknown((*path, "rule"), "rule", acceptance.rule, why=why)
            continue
        if found.errors_only(acceptance):
            yield Hit((*path, "rule"), f"{named.id} reports an error here, and errors cannot be accepted")
        elif _found_in_reading(named):
            yield Hit((*path, "rule"), f"{named.id} always reports an error, and errors cannot be accepted")


def _found_in_reading(rule: Rule[Any]) -> bool:
    return rule.check is None and rule.scope is Scope.PLAN and rule.severity is Severity.ERROR


@rule(
    "TPU904",
    scope=Scope.FINDINGS,
    about=("accept",),
    severity=Severity.NOTE,
    title="Unused `accept` entry",
    why="an unused entry would hide the warning if it appears again for another reason",
    fix="Remove the entry.",
    source=_LOGIC,
    failing=f"{_PLAN}accept: [{{rule: TPU901, reason: we know, until: 2026-12-01}}]",
    passing=_PLAN,
    today="2026-11-20",
)
def unused_accept(subject: PlanFindings) -> Iterable[Hit]:
    """Check only rules about one plan: the findings of the reader, and about several plans, are not known here.

    Nor are the findings about items that could not be read.
    """
    unread = subject.context.plan.unread
    found = _Found(subject.findings)
    for path, acceptance in _acceptances(subject.context):
        named = _rule(acceptance.rule)
        if (
            named is None
            or _is_unread(acceptance.of, unread)
            or named.scope not in ON_PLANS
            or named.check is None
            or found.errors_only(acceptance) is not None
        ):
            continue
        where = f" in {printable(acceptance.of)}" if acceptance.of else ""
        yield Hit((*path, "rule"), f"unused `accept` entry: rule {acceptance.rule} reports nothing{where}")


def _is_unread(item: str | None, unread: Iterable[str]) -> bool:
    """Whether an item, its cluster, or one of its groups could not be read; without an item, any."""
    return any(item is None or other == item or f"{other}/".startswith(f"{item}/") for other in unread)
