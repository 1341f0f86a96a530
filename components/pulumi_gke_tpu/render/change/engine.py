"""The words of the engine's own view of a change, the same in text and Markdown. Names and properties in backticks."""

from collections.abc import Iterable, Sequence

from pulumi_gke_tpu.change.model import ItemChange
from pulumi_gke_tpu.engine_check.model import (
    EngineDiagnostic,
    EnginePolicy,
    EngineRunSummary,
    EngineVerdict,
    EngineView,
    Verdict,
)
from pulumi_gke_tpu.findings import listed, number

_LABELS: dict[Verdict, str] = {
    "confirmed": "confirmed",
    "different": "differs",
    "unexpected": "unexpected",
    "missing": "missing",
    "open": "not told",
}
_MOST_GROUPS = 5
_MOST_NAMES = 2
_MOST_NOTES = 20


def headline_text(view: EngineView | None) -> str:
    """Whether the engine agrees, in a few words; empty without its view."""
    if view is None:
        return ""
    against = [verdict for verdict in view.verdicts if verdict.verdict not in ("confirmed", "open")]
    if against:
        return f"the engine disagrees on {number(len(against), 'resource')}"
    return "the engine agrees" if view.agrees else "the engine does not tell everything"


def item_text(item: ItemChange, view: EngineView | None) -> list[str]:
    """What the engine says to one item, line by line; nothing where it has not looked at it."""
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
    """How the previews ended, what else they show, and what they do not tell."""
    lines = [_run(run) for run in view.runs[:_MOST_NOTES]]
    lines += [f"`{policy}` has looked at it" for run in view.runs for policy in map(_name, run.packs[:_MOST_NOTES])]
    lines += _grouped(view.of_no_item())
    if view.unchanged:
        stays = "stays as it is" if view.unchanged == 1 else "stay as they are"
        lines.append(f"{number(view.unchanged, 'resource')} {stays}, as expected")
    if view.others:
        be = "is" if view.others == 1 else "are"
        lines.append(f"{number(view.others, 'resource')} of the stack {be} in no plan that was compared")
    return [*lines, *view.notes[:_MOST_NOTES]]


def policy_text(policy: EnginePolicy) -> str:
    """A policy, what it is about, and what it says."""
    about = f" at {policy.resource}" if policy.resource else ""
    return f"{policy.level} {policy.policy} of {policy.pack}{about}: {policy.message}"


def diagnostic_text(diagnostic: EngineDiagnostic) -> str:
    """A warning or an error of the engine."""
    about = f" at {diagnostic.resource}" if diagnostic.resource else ""
    return f"{diagnostic.severity}{about}: {diagnostic.message}"


def left_out_text(view: EngineView) -> str:
    """That there are more diagnostics and policy results; empty where there are not."""
    return f"and {view.left_out:,} more of the engine's messages" if view.left_out else ""


def _run(run: EngineRunSummary) -> str:
    result = "stops at what is protected" if run.only_refuses else run.result
    return f"preview of stack `{_name(run.stack)}`: {result}" if run.stack else f"preview: {result}"


def _grouped(verdicts: Iterable[EngineVerdict]) -> list[str]:
    """Resources of which the same is to be said, together."""
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
    return text.replace("`", "'").strip() or "?"
