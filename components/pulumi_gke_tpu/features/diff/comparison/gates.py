"""Gates: the effects that a change must not have, and the exit code for the effects of a change."""

import re
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings import did_you_mean, printable
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.features.diff.effects.classes import subject
from pulumi_gke_tpu.features.diff.engine.model import VERDICTS, EngineView, Report, Verdict
from pulumi_gke_tpu.features.diff.model import CLASSES, ChangeClass, ChangeReport, ItemChange

EXIT_NOTHING = 0
EXIT_FINDINGS = 1
EXIT_CHANGES = 4
EXIT_DANGEROUS = 5
EXIT_GATE = 6
"""Exit codes of ``diff``: nothing to do, errors in a plan or in the change, changes, dangerous changes, a closed gate.
A plan whose base cannot be read at all counts as an error, because nothing is known about the change.
Those of changes are given on request only. 2 and 3 are the command's own, as everywhere: wrong use, a mistake of ours.
"""

ALLOWED = (*CLASSES, "dangerous", "engine", "cost:+N%")
"""The gates of ``--fail-on``, separated by commas.

A gate is a class of changes (``refused`` includes every change at which ``pulumi up`` fails); ``dangerous``: all
dangerous changes; ``engine``: the engine's preview is missing or does not confirm everything; ``cost:+20%``: the cost
per hour grows by more. An acknowledged change passes, except for ``engine``; refused changes and changes without effect
cannot be acknowledged. If something cannot be compared, every gate fails.
"""

_UNCLEAR: dict[str, str] = {
    "base": "the base cannot be compared",
    "head": "a plan with errors cannot be compared",
    "moved": "a moved plan may belong to another stack",
}
"""What closes every gate, in words."""

_COST = lazy_pattern(r"cost:\+?(\d{1,9}(?:\.\d{1,6})?)%\Z", re.ASCII)


class GateError(ValueError):
    """Raised for a gate that cannot be read. The message contains the value, the allowed values and a suggestion."""


@frozen
class Gates:
    """What a change must not do."""

    classes: frozenset[ChangeClass] = frozenset()
    dangerous: bool = False
    engine: bool = False
    cost_percent: Decimal | None = None
    """By how much the cost per hour may grow."""

    @classmethod
    def parse(cls, text: str) -> "Gates":
        """Read gates such as ``replace,delete,cost:+20%``.

        Raises:
            GateError: a gate is unknown, or the cost has another form.
        """
        classes: set[ChangeClass] = set()
        dangerous = engine = False
        percent: Decimal | None = None
        for gate in filter(None, (part.strip().lower() for part in text.split(","))):
            cost = _COST.match(gate)
            if cost:
                limit = Decimal(cost[1])
                percent = limit if percent is None else min(percent, limit)
            elif gate == "dangerous":
                dangerous = True
            elif gate == "engine":
                engine = True
            else:
                classes.add(_class_called(gate))
        return cls(frozenset(classes), dangerous, engine, percent)

    def closed(self, report: Report) -> tuple[str, ...]:
        """Why a change does not pass, one short sentence each without a full stop; nothing where it passes."""
        change = report.change
        open_items = [item for item in change.items if item.refused or not _is_acknowledged(item)]
        found = []
        for gate in (*CLASSES, "dangerous"):
            items = [item for item in open_items if self._stops(item, gate)]
            if items:
                found.append(f"{_counted(items)} {gate}")
        others = (_engine(report.engine) if self.engine else "", self._cost(change), *self._unclear(change))
        return (*found, *filter(None, others))

    def _unclear(self, change: ChangeReport) -> Iterator[str]:
        """Every gate fails if something cannot be compared."""
        for kind, said in _UNCLEAR.items():
            entries = [entry for entry in change.unclear if entry.kind == kind]
            if entries and self != Gates():
                first = entries[0]
                name = printable(f"{first.plan} {first.item}".rstrip(), 160)
                yield f"{said}: {name}{f' and {len(entries) - 1:,} more' if len(entries) > 1 else ''}"

    def _stops(self, item: ItemChange, gate: str) -> bool:
        if gate == "dangerous":
            return self.dangerous and item.is_dangerous
        return gate in self.classes and (item.change == gate or (gate == "refused" and bool(item.refused)))

    def _cost(self, change: ChangeReport) -> str:
        """The upper bounds are compared, as far as prices are known: what is unknown on both sides tells nothing."""
        was, will = change.totals.cost.was, change.totals.cost.will
        if self.cost_percent is None or was is None or will is None or will.maximum <= was.maximum:
            return ""
        limit = f"more than {self.cost_percent.normalize():f}%"
        if not was.maximum:
            return f"the cost grows from nothing to {will} USD per hour"
        if will.maximum * 100 <= was.maximum * (100 + self.cost_percent):
            return ""
        return f"the cost grows by {limit}: {was} to {will} USD per hour"


def exit_code(report: Report, *, by_class: bool) -> int:
    """The exit code of a change without errors that no gate stops.

    ``by_class``: ``EXIT_NOTHING``, ``EXIT_CHANGES`` or ``EXIT_DANGEROUS``. Otherwise ``EXIT_NOTHING``, but
    ``EXIT_FINDINGS`` if a whole plan cannot be compared: no rule about changes checks what happens to it.
    """
    if not by_class:
        whole = any(entry.kind == "base" and not entry.item for entry in report.change.unclear)
        return EXIT_FINDINGS if whole else EXIT_NOTHING
    if report.dangerous:
        return EXIT_DANGEROUS
    return EXIT_CHANGES if report.change.items or report.change.objects else EXIT_NOTHING


def _engine(view: EngineView | None) -> str:
    """Why the engine does not confirm a change; empty where it does."""
    if view is None:
        return "engine: no events of a preview were given"
    counts: Counter[Verdict] = Counter(verdict.verdict for verdict in view.verdicts if verdict.verdict != "confirmed")
    if counts:
        kinds = ", ".join(f"{counts[verdict]:,} {verdict}" for verdict in VERDICTS if counts[verdict])
        return f"the engine's preview does not confirm the change: {kinds}"
    return "the engine's preview is incomplete" if view.notes else ""


def _class_called(gate: str) -> ChangeClass:
    for change in CLASSES:
        if gate == change:
            return change
    near = did_you_mean(gate, ALLOWED)
    hint = f" Did you mean {near}?" if near else ""
    raise GateError(f"unknown gate {printable(gate, 60)}.{hint} Allowed gates: {', '.join(ALLOWED)}.")


def _is_acknowledged(item: ItemChange) -> bool:
    """Whether the change is acknowledged. A refused change or a change without effect cannot be acknowledged."""
    return item.change in ("replace", "delete", "restart") and item.is_acknowledged


def _counted(items: list[ItemChange]) -> str:
    """How many items, and which the first is."""
    what = f" ({subject(items[0])})" if subject(items[0]) else ""
    names = f"{printable(items[0].item, 80)}{what}" + (f" and {len(items) - 1:,} more" if len(items) > 1 else "")
    return f"{names} {'is' if len(items) == 1 else 'are'}"
