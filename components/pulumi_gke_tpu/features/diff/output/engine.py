"""What the engine's own preview shows of a change, as texts. Names and properties are in backticks."""

from collections.abc import Iterable, Sequence

from pulumi_gke_tpu.core.text.findings import listed, number, without_backquotes
from pulumi_gke_tpu.features.diff.engine.model import (
    EngineDiagnostic,
    EnginePolicy,
    EngineRunSummary,
    EngineVerdict,
    EngineView,
    Verdict,
)
from pulumi_gke_tpu.features.diff.model import ItemChange

_LABELS: dict[Verdict, str] = {
    "confirmed": "confirmed",
    "different": "differs",
    "unexpected": "unexpected",
    "missing": "missing",
    "open": "unknown",
}
_MOST_GROUPS = 5
_MOST_NAMES = 2
_MOST_NOTES = 20


def headline_text(view: EngineView | None) -> str:
    """Whether the engine's preview agrees; empty without a preview."""
    if view is None:
        return ""
    against = [verdict for verdict in view.verdicts if verdict.verdict not in ("confirmed", "open")]
    if against:
        return f"the engine disagrees on {number(len(against), 'resource')}"
    return "the engine agrees" if view.agrees else "the engine's preview is incomplete"


def item_text(item: ItemChange, view: EngineView | None) -> list[str]:
    """What the engine plans for one item, line by line; nothing if its preview does not contain the item."""
    if view is None:
        return []
    verdicts = view.of_item(item.plan, item.item)
    others = [verdict for verdict in verdicts if verdict.verdict != "confirmed"]
    if not others:
        return ["confirmed"] if verdicts else []
    agreeing = len(verdicts) - len(others)
    confirmed = [f"{number(agreeing, 'other resource')} confirmed"] if agreeing else []
    return [*_grouped(others), *confirmed]


def view_text(view: EngineView) -> list[str]:
    """The results of the previews, their other resources, and the missing ones."""
    lines = [_run(run) for run in view.runs[:_MOST_NOTES]]
    lines += [
        f"checked by policy pack `{policy}`" for run in view.runs for policy in map(_name, run.packs[:_MOST_NOTES])
    ]
    lines += _grouped(view.of_no_item())
    if view.unchanged:
        lines.append(f"{number(view.unchanged, 'resource')} unchanged, as expected")
    if view.others:
        lines.append(f"{number(view.others, 'other resource')} in the stack, outside of the compared plans")
    return [*lines, *view.notes[:_MOST_NOTES]]


def policy_text(policy: EnginePolicy) -> str:
    """A policy, its resource and its message."""
    about = f" at {policy.resource}" if policy.resource else ""
    return f"{policy.level} {policy.policy} of {policy.pack}{about}: {policy.message}"


def diagnostic_text(diagnostic: EngineDiagnostic) -> str:
    """A warning or an error of the engine."""
    about = f" at {diagnostic.resource}" if diagnostic.resource else ""
    return f"{diagnostic.severity}{about}: {diagnostic.message}"


def left_out_text(view: EngineView) -> str:
    """The number of diagnostics and policy results that are not shown; empty for none."""
    return f"and {view.left_out:,} more messages of the engine" if view.left_out else ""


def _run(run: EngineRunSummary) -> str:
    result = "fails because of protected resources, as expected" if run.only_refuses else run.result
    return f"preview of stack `{_name(run.stack)}`: {result}" if run.stack else f"preview: {result}"


def _grouped(verdicts: Iterable[EngineVerdict]) -> list[str]:
    """Resources with the same result, together."""
    groups: dict[tuple[Verdict, str], list[EngineVerdict]] = {}
    for verdict in verdicts:
        groups.setdefault((verdict.verdict, verdict.said), []).append(verdict)
    lines = [f"{_LABELS[kind]}: {_names(some)}: {said}" for (kind, said), some in groups.items()]
    left_out = lines[_MOST_GROUPS:]
    return [*lines[:_MOST_GROUPS], f"and {len(left_out):,} more like these"] if left_out else lines


def _names(verdicts: Sequence[EngineVerdict]) -> str:
    names = [f"{verdict.type.rpartition(':')[2]} `{_name(verdict.name)}`" for verdict in verdicts]
    return listed(names, most=_MOST_NAMES)


def _name(text: str) -> str:
    return without_backquotes(text).strip() or "?"
