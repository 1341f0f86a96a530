"""The preview by the real engine, and whether it agrees with the expected change: frozen values without secrets."""

from typing import Literal

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.jsonfile.fields import Count
from pulumi_gke_tpu.features.diff.model import ChangeReport

EngineResult = Literal["succeeded", "failed", "canceled", "cut off"]
"""How a preview ended. cut off: its events stop before the end, as when the run was killed."""

Verdict = Literal["confirmed", "different", "unexpected", "missing", "open"]
"""How the engine's plan for a resource agrees with ours.

different: it does something else than we expect. unexpected: it does something where we expect nothing. missing: it
does not know the resource. open: the preview ended before it came to the resource.
"""

VERDICTS: tuple[Verdict, ...] = ("unexpected", "different", "missing", "open", "confirmed")
"""Verdicts that need a review, the most important first."""


@frozen
class EngineRunSummary:
    """One preview whose events were read."""

    stack: str
    """Empty where the preview ended before it named any resource."""
    result: EngineResult
    only_refuses: bool
    """Whether it failed only because resources are protected."""
    packs: tuple[str, ...]
    """The policy packs that looked at it, with their versions."""


@frozen
class EngineVerdict:
    """How the engine's plan for one resource agrees with ours."""

    plan: str
    """Empty for a resource that is in no plan."""
    item: str
    """The item of the plan that changes; empty for a resource of an item without changes."""
    type: str
    name: str
    verdict: Verdict
    expected: str
    """The operation that we expect."""
    seen: str
    """The operation that the engine plans; empty where it has none."""
    engine_only: tuple[str, ...]
    """Properties that the engine sees differ, and that the plans do not explain."""
    ours_only: tuple[str, ...]
    """Properties that we expect to differ, and that the engine does not see differ."""
    said: str
    """The difference, in one or two sentences, with properties in backticks. Empty if the result is confirmed."""


@frozen
class EngineDiagnostic:
    """A warning or an error of the engine, a provider or the program."""

    severity: Literal["warning", "error"]
    resource: str
    """The name of the resource that it is about; empty where it is about none."""
    message: str
    """In one line, cut, without secrets."""


@frozen
class EnginePolicy:
    """The message of a policy about a resource."""

    pack: str
    """With its version."""
    policy: str
    level: str
    """``advisory``, ``mandatory`` or ``remediate``."""
    resource: str
    """The name of the resource; empty for a policy about the whole stack."""
    message: str
    """In one line, cut, without secrets."""


@frozen
class EngineView:
    """The engine's own view of a change."""

    runs: tuple[EngineRunSummary, ...]
    verdicts: tuple[EngineVerdict, ...]
    """Of all resources that we expect to change, and of all others where the engine does not agree."""
    unchanged: Count
    """Resources of the plans that stay as they are, as expected."""
    others: Count
    """Resources of the stacks that are in no plan."""
    diagnostics: tuple[EngineDiagnostic, ...]
    policies: tuple[EnginePolicy, ...]
    left_out: Count
    """Diagnostics and policy results beyond those here."""
    notes: tuple[str, ...]
    """What the events do not tell: plans without events, previews that ended early."""

    @property
    def agrees(self) -> bool:
        """Whether everything is confirmed, also that the engine refuses what we expect it to refuse."""
        return not self.notes and all(verdict.verdict == "confirmed" for verdict in self.verdicts)

    @property
    def contradicts(self) -> bool:
        """Whether the engine plans anything that gke-tpu does not expect."""
        return any(verdict.verdict not in ("confirmed", "open") for verdict in self.verdicts)

    def of_item(self, plan: str, item: str) -> tuple[EngineVerdict, ...]:
        """The verdicts about the resources of an item, those that need a review first."""
        found = [verdict for verdict in self.verdicts if verdict.item == item and verdict.plan == plan]
        return tuple(sorted(found, key=lambda verdict: VERDICTS.index(verdict.verdict)))

    def of_no_item(self) -> tuple[EngineVerdict, ...]:
        """The verdicts about resources of no item that changes."""
        found = [verdict for verdict in self.verdicts if not verdict.item]
        return tuple(sorted(found, key=lambda verdict: VERDICTS.index(verdict.verdict)))


@frozen
class Report:
    """Everything that is known of a change. It is built once, complete."""

    change: ChangeReport
    engine: EngineView | None = None
    """None where no preview by the engine was given."""

    @property
    def dangerous(self) -> bool:
        """Whether an item needs a review or cannot be compared, or the engine contradicts the change."""
        if self.change.unclear or (self.engine is not None and self.engine.contradicts):
            return True
        return any(item.is_dangerous for item in self.change.items)
