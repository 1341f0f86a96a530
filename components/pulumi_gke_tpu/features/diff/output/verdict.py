"""What a reviewer must know first: whether the change can be approved, what it deletes, and the next step."""

import re
from collections.abc import Iterable, Sequence

from pulumi_gke_tpu.core.graph.phrases import amount, bare_amount, be
from pulumi_gke_tpu.core.graph.resource_types import NODE_POOL
from pulumi_gke_tpu.core.output.json import ShownFinding
from pulumi_gke_tpu.core.text.document.model import Alert, Bullets, Group, Line, Paragraph, Prose, Toned
from pulumi_gke_tpu.core.text.findings import first_few, listed, number, quoted
from pulumi_gke_tpu.features.diff.model import ChangeReport, ItemChange
from pulumi_gke_tpu.features.diff.output import engine, texts
from pulumi_gke_tpu.features.diff.output.labels import (
    PULUMI,
    effects,
    is_renamed,
    plan_label,
    shown_class,
    title,
    without_groups_of,
    words_of,
)
from pulumi_gke_tpu.features.diff.output.page import ChangePage

LONGEST_HEADLINE = 120
"""Characters of the longest first line of a comment."""

_PREFIX = "TPU plan: "
_MOST_LOST = 4
_MOST_NAMES = 3
_STEPS_IN_A_LIST = 3
"""From this number of steps on, each has a line of its own."""
_LOSSES = frozenset({"delete", "replace"})
_NOUNS = {"delete": "deletion", "replace": "replacement"}
ABOUT_ITEMS = frozenset({"TPU951", "TPU952", "TPU953", "TPU954", "TPU959", "TPU962", "TPU964"})
"""The rules about items at which ``pulumi up`` fails: a loss that is not acknowledged, a rename that is not declared,
a rejected change."""


def headline(page: ChangePage) -> Prose:
    """The verdict, what blocks it, and the effects, as many as fit into one line."""
    change = page.report.change
    if not (page.findings or page.failed or change.items or change.unclear or change.objects):
        return Prose(f"{_PREFIX}{words_of(change).nothing if change.plans else 'no plans compared'}")
    parts = [forms for forms in _parts(page) if forms]
    for short in range(max(map(len, parts))):
        found = _joined(parts, short)
        if len(found) <= LONGEST_HEADLINE:
            return Prose(found)
    while len(_joined(parts, -1)) > LONGEST_HEADLINE:
        parts.pop(-2)  # the cost stays
    return Prose(_joined(parts, -1))


def _joined(parts: Sequence[Sequence[str]], short: int) -> str:
    """The parts in the form number ``short``, or in the last one if they have fewer."""
    return _PREFIX + "; ".join(forms[min(short, len(forms) - 1)] for forms in parts)


def answers(page: ChangePage) -> Alert | Paragraph | Group:
    """The answers for a reviewer: approve or not, what is lost, what is next. In a box if the change is dangerous."""
    report = page.report.change
    if not report.items and not page.errors and not page.failed and not page.report.dangerous:
        return Group([])
    blockers = _blockers(page)
    losing = [item for item in report.items if _loses(item)]
    restarting = [item for item in report.items if not _loses(item) and item.hosts_restarted.maximum]
    if not (blockers or losing or page.report.dangerous):
        stops = any(item.disruptive for item in report.objects)
        subject = "the chips, the cost and the stop of Pods" if stops else "the chips and the cost"
        if report.items and not report.objects and all(map(is_renamed, report.items)):
            subject = "the new names"
        following = " ".join(_sentences(_steps(page, []))) or f"Nothing else is needed before {words_of(report).apply}."
        return Paragraph((Toned(f"Approve if {subject} are intended.", "strong"), Prose(f" {following}")))
    box: list[Paragraph | Bullets] = [Paragraph(_approval(report, blockers, losing, restarting))]
    box += _lost(report, losing, restarting)
    if report.removed:
        box.append(_removed(report.removed))
    steps = _sentences(_steps(page, [*losing, *restarting]) or ["see below what happens to each item"])
    lead = Toned("Next:", "strong")
    if len(steps) < _STEPS_IN_A_LIST:
        box.append(Paragraph((lead, Prose(f" {' '.join(steps)}"))))
    else:
        box.append(Bullets([Prose(f"{at}. {step}") for at, step in enumerate(steps, 1)], title=lead))
    return Alert("caution" if blockers or losing else "warning", box)


def _lost(
    report: ChangeReport, losing: Sequence[ItemChange], restarting: Sequence[ItemChange]
) -> list[Paragraph | Bullets]:
    """What is lost, and when."""
    some = not _only_removed([*losing, *restarting], report)
    later = dict.fromkeys(report.removed, " when its stack is destroyed") if some else {}
    lost = [
        *(f"{_loss(item, report)}{later.get(item.plan, '')}" for item in losing),
        *(_restart(item, report) for item in restarting),
    ]
    jobs = any(item.hosts_gone.maximum or item.hosts_restarted.maximum for item in report.items)
    when = _when_lost([*losing, *restarting], report)
    lead = Toned(f"Lost {when}{' (jobs on these hosts stop)' if jobs else ''}:", "strong")
    if len(lost) == 1:
        return [Paragraph((lead, Prose(f" {lost[0]}.")))]
    if lost:
        return [Bullets([Prose(text) for text in _first(lost)], title=lead)]
    return [Paragraph((lead, " nothing."))] if report.items else []


def _sentences(steps: Iterable[str]) -> list[str]:
    return [f"{step[0].upper()}{step[1:]}." for step in steps]


def stated(page: ChangePage) -> Sequence[ShownFinding]:
    """The errors that the box states, with the way to resolve them: those about items at which ``pulumi up`` fails."""
    if not _failing(page.report.change.items):
        return ()
    return [found for found in page.findings if found.severity == "error" and found.rule in ABOUT_ITEMS]


def _open_errors(page: ChangePage) -> list[str]:
    """The rules of the other errors."""
    box = stated(page)
    errors = (found for found in page.findings if found.severity == "error" and found not in box)
    return list(dict.fromkeys(found.rule for found in errors))


def _parts(page: ChangePage) -> Iterable[Sequence[str]]:
    """The parts of the first line in order, each in the forms that are allowed, the longest first."""
    report = page.report.change
    happening = effects(report.items, words_of(report).groups)
    safe = report.items and not page.report.dangerous and not any(map(_loses, report.items))
    safe = safe and all(item.operation in ("create", "update") and not item.disruptive for item in report.objects)
    counts, failure = _counted_findings(page), _failure(report)
    yield (counts or "no errors or warnings",) if counts or not failure else ()
    yield (failure,) if failure else ()
    yield tuple(filter(None, (texts.unclear_text(report),)))
    yield (number(len(page.failed), "failed gate"),) if page.failed else ()
    yield tuple(filter(None, (engine.headline_text(page.report.engine),)))
    yield ("nothing is deleted, replaced or restarted", "nothing is lost") if safe else ()
    yield tuple(filter(None, (texts.objects_text(report),)))
    yield [*(_listed_effects(happening, most) for most in range(len(happening), 0, -1)), *happening[:1]]
    month = texts.month_change(report.totals.cost)
    yield tuple(dict.fromkeys((month, month.partition(" (")[0]))) if report.items and month else ()


def _listed_effects(happening: Sequence[str], most: int) -> str:
    """The effects, each noun once: ``1 slice group deleted, 2 replaced``."""
    found, noun = [], ""
    for part in happening:
        count, _, rest = part.partition(" ")
        words = re.match("slice groups?|TPU node pools?|clusters?", rest)
        same = words is not None and words[0].rstrip("s") == noun
        found.append(f"{count}{rest[words.end() :]}" if words is not None and same else part)
        noun = words[0].rstrip("s") if words is not None else ""
    shown = first_few(found, most)
    others = [part.partition(" ")[0].replace(",", "") for part in happening[len(shown) :]]
    if not others or not all(count.isdigit() for count in others):
        return listed(found, most=most)
    return f"{', '.join(shown)} and {sum(map(int, others)):,} more"


def _counted_findings(page: ChangePage) -> str:
    counts = [(page.errors, "error")]
    counts.append((sum(found.severity == "warning" and not found.accepted for found in page.findings), "warning"))
    return ", ".join(number(count, word) for count, word in counts if count)


def _failure(report: ChangeReport) -> str:
    """Whether a command fails as the change is; empty if none does."""
    broken = any(entry.kind == "head" for entry in report.unclear)
    failing = _failing(report.items)
    if not (broken or failing):
        return ""
    words = words_of(report)
    command = words.destroy if not broken and _only_removed(failing, report) else words.apply
    return f"{command} will fail" if broken or _is_certain(failing) else f"{command} is expected to fail"


def _protected(items: Iterable[ItemChange]) -> list[ItemChange]:
    """The items that an entry in a plan would let pass."""
    return [item for item in items if item.fixes]


def _rejecting(items: Iterable[ItemChange]) -> str:
    by = {resource.refused_by for item in items for resource in item.resources if resource.refused}
    return "the provider" if by == {"provider"} else "GKE" if by <= {"GKE", ""} else "the provider or GKE"


def _failing(items: Iterable[ItemChange]) -> list[ItemChange]:
    """The items at which ``pulumi up`` fails."""
    return [item for item in items if _fails(item)]


def fails(report: ChangeReport) -> bool:
    """Whether ``pulumi up`` fails at an item."""
    return any(map(_fails, report.items))


def _fails(item: ItemChange) -> bool:
    return bool(item.refused) and not _waits(item)


def _waits(item: ItemChange) -> bool:
    """Whether an item is refused only because its acknowledgement is not on the base yet."""
    use = item.acknowledged
    return use is not None and use.state == "not on base" and not any(found.refused for found in item.resources)


def _is_certain(items: Iterable[ItemChange]) -> bool:
    return all(found.refusal_is_certain for item in items for found in item.resources if found.refused)


def _only_removed(items: Iterable[ItemChange], report: ChangeReport) -> bool:
    """Whether all items are in plans whose files the change deletes."""
    return all(item.plan in report.removed for item in items)


def _when_lost(items: Sequence[ItemChange], report: ChangeReport) -> str:
    """When the loss happens: `pulumi up` fails first at items that need an entry."""
    if items and _only_removed(items, report):
        return f"when {'the stack is' if len(report.removed) == 1 else 'the stacks are'} destroyed"
    if not items or not all(_fails(item) and item.fixes for item in items):
        return "when applied"
    when = "when applied after the acknowledgement"
    return f"{when}, unless it is a rename" if any(item.renames for item in items) else when


def _loses(item: ItemChange) -> bool:
    return item.change in _LOSSES or bool(item.hosts_gone.maximum)


def _blockers(page: ChangePage) -> list[str]:
    """The reasons not to approve the change as it is."""
    report, view = page.report.change, page.report.engine
    failing, other = _failing(report.items), _open_errors(page)
    renamed = [item for item in _protected(failing) if item.renames]
    kinds = (
        (renamed, "the probable rename of {} is not declared"),
        *(
            (
                [item for item in _protected(failing) if not item.renames and _noun(item) == noun],
                f"the {noun} of the protected {{}} is not acknowledged",
            )
            for noun in sorted({_noun(item) for item in _protected(failing)})
        ),
        ([item for item in failing if not item.fixes], f"{_rejecting(failing)} rejects the change of {{}}"),
    )
    found = [text.format(_names(without_groups_of(items), report)) for items, text in kinds if items]
    rules = sorted({error.rule for error in stated(page)})
    if found and rules:
        found[-1] += f" ({listed(rules)})"
    reasons = (
        (other, f"{listed(other, most=_MOST_NAMES)} {be(len(other))} not fixed"),
        (page.failed, "a gate has failed"),
        (view is not None and view.contradicts, "the preview by the Pulumi engine differs from this report"),
        (texts.left_out(report), f"the effect on {_left_out(report)} is unknown"),
    )
    return [*found, *(reason for applies, reason in reasons if applies)]


def _left_out(report: ChangeReport) -> str:
    """The items that are not compared, and the plans of which no item is."""
    names = [entry.item or plan_label(entry.plan) for entry in texts.left_out(report)]
    return listed([*dict.fromkeys(map(quoted, names))], most=_MOST_NAMES)


def _noun(item: ItemChange) -> str:
    return _NOUNS.get(shown_class(item), "change")


def _approval(
    report: ChangeReport, blockers: Sequence[str], losing: Sequence[ItemChange], restarting: Sequence[ItemChange]
) -> Line:
    if blockers:
        return (Toned("Do not approve yet:", "strong"), Prose(f" {listed(blockers)}.{_until_then(report)}"))
    if losing:
        return Toned("Approve only if this loss is intended.", "strong")
    if restarting:
        return Toned("Approve only if these restarts are acceptable.", "strong")
    return Toned("Read the details before you approve.", "strong")


def _until_then(report: ChangeReport) -> str:
    """How far ``pulumi up`` gets as the change is: a stack at which the engine refuses anything stays as it is."""
    failing, words = _failing(report.items), words_of(report)
    by_engine = {
        item.plan for item in failing if any(found.refused_by == "engine" for found in item.resources if found.refused)
    }
    if not failing:
        return ""
    if any(item.plan not in by_engine for item in failing):
        return f" Until then, {words.apply} can apply a part of the change before it fails."
    command = words.destroy if _only_removed(failing, report) else words.apply
    if len(report.plans) == 1:
        return f" Until then, {command} changes nothing."
    names = listed([quoted(plan_label(plan)) for plan in sorted(by_engine)], most=_MOST_NAMES)
    return f" Until then, {command} of {names} changes nothing; this does not stop other stacks."


def _removed(plans: Sequence[str]) -> Paragraph:
    one = len(plans) == 1
    names = listed([quoted(plan) for plan in plans], most=_MOST_NAMES)
    stays = "Its stack keeps all resources" if one else "Their stacks keep all resources"
    return Paragraph(
        (Toned(f"Removed {'plan' if one else 'plans'}:", "strong"), Prose(f" {names}. {stays} until {PULUMI.destroy}."))
    )


def _loss(item: ItemChange, report: ChangeReport) -> str:
    """What one item loses."""
    name = quoted(title(item, report))
    gone, new = item.hosts_gone, item.hosts_new
    if not gone.maximum:
        parts = [
            part for part in effects([item], words_of(report).groups) if part.endswith(("deleted", "replaced", "down"))
        ]
        return f"{name}: {listed(parts)}"
    pools = [found for found in item.resources if found.type == NODE_POOL and found.operation == "replace"]
    if shown_class(item) != "replace" or not new.maximum:
        return f"{name}: {amount(gone, 'host')} deleted"
    if not pools or any(not pool.delete_first for pool in pools):
        return f"{name}: {amount(gone, 'host')} deleted after {bare_amount(new)} new ones are ready"
    return (
        f"{name}: {amount(gone, 'host')} deleted before {bare_amount(new)} new ones are created, no capacity in between"
    )


def _restart(item: ItemChange, report: ChangeReport) -> str:
    return f"{quoted(title(item, report))}: {amount(item.hosts_restarted, 'host')} restarted"


def _steps(page: ChangePage, disturbed: Sequence[ItemChange]) -> list[str]:
    """What to do now, step by step: first what is an error in any case, then the decisions about losses."""
    report = page.report.change
    rejected = [item for item in _failing(report.items) if not item.fixes]
    free = [item for item in disturbed if not item.fixes and not _fails(item)]
    acknowledged = [item for item in free if item.is_acknowledged]
    free = [item for item in free if not item.is_acknowledged]
    steps = _corrections(page, rejected)
    steps += _steps_of_fixes([item for item in report.items if item.fixes], report, last=not (steps or free))
    for order in report.order:
        first, then = (
            listed([quoted(plan_label(use.plan)) for use in uses], most=_MOST_NAMES)
            for uses in (order.frees, order.takes)
        )
        steps.append(f"apply {first} before {then}, see the order below")
    if acknowledged:
        steps.append(f"check the reason of the `acknowledge` entry for {_names(acknowledged, report)} below")
    if free:
        steps.append(
            f"nothing else stops the loss of {_names(free, report)}: ask the owners of the jobs before you approve"
        )
    return steps


def _corrections(page: ChangePage, rejected: Sequence[ItemChange]) -> list[str]:
    """What the author has to correct in any case."""
    report, errors, steps = page.report.change, _open_errors(page), []
    without = [item for item in report.items if item.change == "no-op"]
    if texts.left_out(report):
        steps.append("fix the errors of what is not compared: then this comment shows the effect")
    elif errors:
        steps.append(f"fix {listed(errors, most=_MOST_NAMES)}, see the error{'s' if len(errors) > 1 else ''} below")
    fixed = [item for item in rejected if _changes_what_is_fixed(item)]
    others = [item for item in rejected if item not in fixed]
    if fixed:
        names, by = _names(fixed, report), _rejecting(fixed)
        steps.append(f"replace {names} as described below, or revert the change, which {by} rejects")
    if without:
        names = _names(without, report)
        steps.append(f"apply the change of {names} as described below, or revert it: it has no effect")
    if others:
        steps.append(f"revert the change of {_names(others, report)}, which {_rejecting(rejected)} rejects")
    if page.failed:
        steps.append("clear the failed gates below")
    if page.report.engine is not None and page.report.engine.contradicts:
        steps.append("compare the resources with the preview by the Pulumi engine below")
    return steps


def _changes_what_is_fixed(item: ItemChange) -> bool:
    """Whether a rejected update contains a property that only a new resource can have."""
    return any(found.effect == "no-op" for change in item.resources for found in change.differences)


def _steps_of_fixes(items: Sequence[ItemChange], report: ChangeReport, *, last: bool) -> list[str]:
    """A step for each kind of entry: renames first. ``last``: whether nothing else has to be done before."""
    kinds: dict[tuple[str, str], list[ItemChange]] = {}
    for item in items:
        for kind in {(fix.key, fix.side) for fix in item.fixes}:
            kinds.setdefault(kind, []).append(item)
    steps = []
    approve = ", and you can approve" if last and len(kinds) == 1 else ""
    for (key, side), about in sorted(kinds.items(), key=lambda kind: kind[0], reverse=True):
        names = _names(about, report)
        if key == "moved":
            renamed = without_groups_of([item for item in about if item.gone] or about)
            names = _names(renamed, report)
            be, its = ("is", "its") if len(renamed) == 1 else ("are", "their")
            delete = f"this change is enough: nothing protects {'it' if be == 'is' else 'them'}"
            if any(item.refused for item in renamed):
                delete = "the author first acknowledges this in a change of its own on the base branch"
            steps.append(
                f"if {names} {be} only renamed, the author adds the `moved` entry below, which keeps {its} nodes. "
                f"To delete {names} instead, {delete}"
            )
        elif side == "head":
            steps.append(
                f"if the loss of {names} is intended, the author adds the `acknowledge` entry below"
                f"{approve}. Otherwise the author reverts the change"
            )
        else:
            steps.append(
                f"if the loss of {names} is intended, the author first adds the `acknowledge` entry below "
                "in a change of its own on the base branch, runs `pulumi up`, and then continues with this change. "
                "Otherwise the author reverts the change"
            )
    return steps


def _names(items: Sequence[ItemChange], report: ChangeReport) -> str:
    return listed([quoted(title(item, report)) for item in items], most=_MOST_NAMES)


def _first(parts: Sequence[str]) -> list[str]:
    """The first losses, and the number of the others."""
    if len(parts) <= _MOST_LOST:
        return list(parts)
    return [*parts[: _MOST_LOST - 1], f"and {len(parts) - _MOST_LOST + 1:,} more in the table"]
