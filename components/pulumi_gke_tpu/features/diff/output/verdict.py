"""What a reviewer must know first: whether the change can be approved, what it deletes, and the next step."""

from collections.abc import Iterable, Sequence

from pulumi_gke_tpu.core.graph.phrases import amount, bare_amount
from pulumi_gke_tpu.core.graph.types import NODE_POOL
from pulumi_gke_tpu.core.text.document.model import Alert, Bullets, Group, Line, Paragraph, Prose, Toned
from pulumi_gke_tpu.core.text.findings import listed, number, quoted
from pulumi_gke_tpu.features.diff.model import DANGEROUS, ChangeReport, ItemChange
from pulumi_gke_tpu.features.diff.output import engine, objects, unclear
from pulumi_gke_tpu.features.diff.output.labels import effects, plan_label, title, without_groups_of
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
_UP, _DESTROY = "`pulumi up`", "`pulumi destroy`"


def headline(page: ChangePage) -> Prose:
    """The verdict, what blocks it, and the effects, as many as fit into one line."""
    change = page.report.change
    if not (page.findings or page.failed or change.items or change.unclear or change.objects):
        return Prose(f"{_PREFIX}{'no changes' if change.plans else 'no plans compared'}")
    parts = [forms for forms in _parts(page) if forms]
    for short in range(max(map(len, parts))):
        found = _joined(parts, short)
        if len(found) <= LONGEST_HEADLINE:
            return Prose(found)
    while len(_joined(parts, -1)) > LONGEST_HEADLINE:
        parts.pop()
    return Prose(_joined(parts, -1))


def _joined(parts: Sequence[Sequence[str]], short: int) -> str:
    """The parts in the form number ``short``, or in the last one if they have fewer."""
    return _PREFIX + "; ".join(forms[min(short, len(forms) - 1)] for forms in parts)


def answers(page: ChangePage) -> Alert | Paragraph | Group:
    """The answers for a reviewer: approve or not, what is lost, what is next. In a box if the change is dangerous."""
    report = page.report.change
    if not report.items and not page.errors and not page.failed and not page.report.dangerous:
        return Group([])
    blocker = _blocker(page)
    losing = [item for item in report.items if _loses(item)]
    restarting = [item for item in report.items if not _loses(item) and item.hosts_restarted.maximum]
    if not (blocker or losing or page.report.dangerous):
        stops = any(item.disruptive for item in report.objects)
        subject = "the chips, the cost and the stop of Pods" if stops else "the chips and the cost"
        return Paragraph(
            (
                Toned(
                    f"Approve if {subject} are intended.",
                    "strong",
                ),
                Prose(" Nothing else is needed before `pulumi up`."),
            )
        )
    found: list[Paragraph | Bullets] = [Paragraph(_approval(report, blocker, losing, restarting))]
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
        found.append(Paragraph((lead, Prose(f" {lost[0]}."))))
    elif lost:
        found.append(Bullets([Prose(text) for text in _first(lost)], title=lead))
    elif report.items:
        found.append(Paragraph((lead, " nothing.")))
    if report.removed:
        found.append(_removed(report.removed))
    steps, following = _steps(page, [*losing, *restarting]), Toned("Next:", "strong")
    if len(steps) < _STEPS_IN_A_LIST:
        found.append(Paragraph((following, Prose(f" {' '.join(steps)}"))))
    else:
        found.append(Bullets([Prose(step) for step in steps], title=following))
    return Alert("caution" if blocker or losing else "warning", found)


def _parts(page: ChangePage) -> Iterable[Sequence[str]]:
    """The parts of the first line in order, each in the forms that are allowed, the longest first."""
    report = page.report.change
    happening = effects(report.items)
    safe = report.items and not page.report.dangerous and not any(map(_loses, report.items))
    safe = safe and all(item.operation in ("create", "update") and not item.disruptive for item in report.objects)
    yield (_counted_findings(page),)
    yield _blockers(report)
    yield tuple(filter(None, (unclear.headline_text(report),)))
    yield (number(len(page.failed), "failed gate"),) if page.failed else ()
    yield tuple(filter(None, (engine.headline_text(page.report.engine),)))
    losing = sum(bool(item.hosts_gone.maximum) for item in report.items)
    more = losing > sum(bool(item.hosts_gone.maximum) for item in _failing(report.items))
    yield (number(losing, "item loses", "items lose") + " hosts",) if _failing(report.items) and more else ()
    yield ("nothing is deleted, replaced or restarted",) if safe else ()
    yield tuple(filter(None, (objects.headline_text(report),)))
    yield () if _failing(report.items) else [listed(happening, most=most) for most in range(len(happening), 0, -1)]


def _counted_findings(page: ChangePage) -> str:
    counts = [(page.errors, "error")]
    counts.append((sum(found.severity == "warning" and not found.accepted for found in page.findings), "warning"))
    return ", ".join(number(count, word) for count, word in counts if count) or "no errors or warnings"


def _blockers(report: ChangeReport) -> Sequence[str]:
    """Why ``pulumi up`` fails, with the names of items and in short."""
    broken = {entry.plan for entry in report.unclear if entry.kind == "head"}
    failing = _failing(report.items)
    protected, others = _protected(failing), [item for item in failing if not item.fixes]
    renamed = [item for item in protected if item.renames]
    protected = [item for item in protected if not item.renames]
    kinds = (
        (renamed, "the probable rename of {} is not declared", "undeclared rename"),
        (protected, f"it would {_operations(protected)} the protected {{}}", "protected item"),
        (others, f"{_rejecting(others)} rejects the change of {{}}", "rejected change"),
    )
    forms: tuple[list[str], ...] = ([], [], [])
    for form in forms if broken else ():
        form.append(f"{number(len(broken), 'plan has', 'plans have')} errors")
    for items, one, many in kinds:
        if not items:
            continue
        count = number(len(items), many)
        short = f"it would {_operations(protected)} {count}" if items is protected else count
        names = (title(items[0], report), items[0].item) if len(items) == 1 else ("", "")
        for form, name in zip(forms, (*names, ""), strict=True):
            form.append(one.format(quoted(name)) if name else short)
    if not forms[0]:
        return ()
    command = _DESTROY if not broken and _only_removed(failing, report) else _UP
    fails = f"{command} will fail" if broken or _is_certain(failing) else f"{command} is expected to fail"
    return (*dict.fromkeys(f"{fails}: {', '.join(form)}" for form in forms), fails)


def _protected(items: Iterable[ItemChange]) -> list[ItemChange]:
    """The items that an entry in a plan would let pass."""
    return [item for item in items if item.fixes]


def _operations(items: Iterable[ItemChange]) -> str:
    done = {item.change for item in items} & _LOSSES
    return listed(sorted(done), "or") or "change"


def _rejecting(items: Iterable[ItemChange]) -> str:
    by = {resource.refused_by for item in items for resource in item.resources if resource.refused}
    return "the provider" if by == {"provider"} else "GKE" if by <= {"GKE", ""} else "the provider or GKE"


def _failing(items: Iterable[ItemChange]) -> list[ItemChange]:
    """The items at which ``pulumi up`` fails."""
    return [item for item in items if item.refused and not _waits(item)]


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
    waiting = _protected(_failing(report.items))
    if items and _only_removed(items, report):
        return f"when {'the stack is' if len(report.removed) == 1 else 'the stacks are'} destroyed"
    if not items or any(item not in waiting for item in items):
        return "when applied"
    return "once acknowledged, unless it is a rename" if any(item.renames for item in items) else "once acknowledged"


def _loses(item: ItemChange) -> bool:
    return item.change in _LOSSES or bool(item.hosts_gone.maximum)


def _blocker(page: ChangePage) -> str:
    """The reason not to approve the change as it is; empty if there is none."""
    report, view = page.report.change, page.report.engine
    failing = _failing(report.items)
    protected = _protected(failing)
    nouns = sorted({_NOUNS[item.change] for item in protected if item.change in _NOUNS})
    reasons = (
        (any(item.renames for item in protected), "this is probably a rename, and the plan does not declare it"),
        (protected, f"the {listed(nouns, 'or') or 'change'} of a protected item is not acknowledged"),
        (failing, f"{_rejecting(failing)} rejects a part of it"),
        (page.errors, "it has errors"),
        (page.failed, "a gate has failed"),
        (view is not None and view.contradicts, "the preview by the Pulumi engine differs from this report"),
        (unclear.left_out(report), "a part of its effect is unknown"),
    )
    return next((reason for applies, reason in reasons if applies), "")


def _approval(
    report: ChangeReport, blocker: str, losing: Sequence[ItemChange], restarting: Sequence[ItemChange]
) -> Line:
    if blocker:
        return (Toned("Do not approve yet:", "strong"), Prose(f" {blocker}.{_until_then(report)}"))
    if losing:
        return Toned("Approve only if this loss is intended.", "strong")
    if restarting:
        return Toned("Approve only if these restarts are acceptable.", "strong")
    return Toned("Read the details before you approve.", "strong")


def _until_then(report: ChangeReport) -> str:
    """How far ``pulumi up`` gets as the change is: a stack at which the engine refuses anything stays as it is."""
    failing = _failing(report.items)
    by_engine = {
        item.plan for item in failing if any(found.refused_by == "engine" for found in item.resources if found.refused)
    }
    if not failing:
        return ""
    if any(item.plan not in by_engine for item in failing):
        return " `pulumi up` can apply a part of the change before it fails."
    command = _DESTROY if _only_removed(failing, report) else _UP
    if len(report.plans) == 1:
        return f" As it is, {command} fails before it changes anything."
    names = listed([quoted(plan_label(plan)) for plan in sorted(by_engine)], most=_MOST_NAMES)
    return f" As it is, {command} of {names} fails before it changes anything; this does not stop other stacks."


def _removed(plans: Sequence[str]) -> Paragraph:
    one = len(plans) == 1
    names = listed([quoted(plan) for plan in plans], most=_MOST_NAMES)
    stays = "Its stack keeps all resources" if one else "Their stacks keep all resources"
    return Paragraph(
        (Toned(f"Removed {'plan' if one else 'plans'}:", "strong"), Prose(f" {names}. {stays} until {_DESTROY}."))
    )


def _loss(item: ItemChange, report: ChangeReport) -> str:
    """What one item loses."""
    name = quoted(title(item, report))
    gone, new = item.hosts_gone, item.hosts_new
    if not gone.maximum:
        parts = [part for part in effects([item]) if part.endswith(("deleted", "replaced", "down"))]
        return f"{name}: {listed(parts)}"
    pools = [found for found in item.resources if found.type == NODE_POOL and found.operation == "replace"]
    if item.change != "replace" or not new.maximum:
        return f"{name}: {amount(gone, 'host')} deleted"
    if any(not pool.delete_first for pool in pools):
        return f"{name}: {amount(gone, 'host')} deleted after {bare_amount(new)} new ones are ready"
    return (
        f"{name}: {amount(gone, 'host')} deleted before {bare_amount(new)} new ones are created, no capacity in between"
    )


def _restart(item: ItemChange, report: ChangeReport) -> str:
    return f"{quoted(title(item, report))}: {amount(item.hosts_restarted, 'host')} restarted"


def _steps(page: ChangePage, disturbed: Sequence[ItemChange]) -> list[str]:
    """What to do now, step by step."""
    report = page.report.change
    with_fix = [item for item in report.items if item.fixes]
    rejected = [item for item in _failing(report.items) if not item.fixes]
    steps = _steps_of_fixes(with_fix, report)
    if rejected:
        steps.append(f"revert the change of {_names(rejected, report)}, which {_rejecting(rejected)} rejects")
    without = [item for item in report.items if item.change == "no-op"]
    if without:
        steps.append(
            f"revert the change of {_names(without, report)}, which has no effect, or see below how to apply it"
        )
    if unclear.left_out(report):
        steps.append("fix the errors of what is not compared: then this comment shows the effect")
    elif page.errors and not (with_fix or rejected):
        steps.append("fix the errors below")
    if page.failed:
        steps.append("clear the failed gates below")
    if page.report.engine is not None and page.report.engine.contradicts:
        steps.append("compare the resources with the preview by the Pulumi engine below")
    free = [item for item in disturbed if not item.fixes and item not in rejected]
    if free:
        steps.append(
            f"no protection stops the loss of {_names(free, report)}: ask the owners of the jobs before you approve"
        )
    for order in report.order:
        first, then = (
            listed([quoted(plan_label(use.plan)) for use in uses], most=_MOST_NAMES)
            for uses in (order.frees, order.takes)
        )
        steps.append(f"apply {first} before {then}, see the order below")
    if not steps:
        steps.append("see below what happens to each item")
    return [f"{step[0].upper()}{step[1:]}." for step in steps]


def _steps_of_fixes(items: Sequence[ItemChange], report: ChangeReport) -> list[str]:
    """A step for each kind of entry: renames first."""
    kinds: dict[tuple[str, str], list[ItemChange]] = {}
    for item in items:
        for fix in item.fixes:
            found = kinds.setdefault((fix.key, fix.side), [])
            found += [] if item in found else [item]
    steps = []
    for (key, side), about in sorted(kinds.items(), key=lambda kind: kind[0], reverse=True):
        names = _names(about, report)
        if key == "moved":
            renamed = without_groups_of([item for item in about if item.gone] or about)
            names = _names(renamed, report)
            be, its = ("is", "its") if len(renamed) == 1 else ("are", "their")
            steps.append(
                f"if {names} {be} only renamed, the author adds the `moved` entry below, which keeps {its} nodes. "
                f"To delete {names} instead, the author first acknowledges this in a change of its own on the base "
                "branch"
            )
        elif side == "head":
            steps.append(
                f"if the loss of {names} is intended, the author adds the `acknowledge` entry below, "
                "and you can approve. Otherwise the author reverts the change"
            )
        else:
            steps.append(
                f"if the loss of {names} is intended, the author first adds the `acknowledge` entry below "
                "in a change of its own on the base branch and runs `pulumi up`. "
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


def is_dangerous(item: ItemChange) -> bool:
    """Whether an item needs a review."""
    return item.change in DANGEROUS or bool(item.refused)
