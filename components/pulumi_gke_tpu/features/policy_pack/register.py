"""The policies of the pack: one per rule, and two for findings that are not certain."""

from typing import Any

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.rules.engine.rule import Rule
from pulumi_gke_tpu.core.text.findings import Severity
from pulumi_gke_tpu.features.policy_pack.checker import RESOURCE_RULES, STACK_RULES
from pulumi_gke_tpu.features.policy_pack.violation import Violation

PACK = "gke-tpu"
ON_STACKS = "-stack"
DOUBTS = "TPU-doubts"


@frozen
class RulePolicy:
    """One policy. ``rules`` are those that it reports."""

    name: str
    title: str
    fix: str
    stack: bool
    mandatory: bool
    rules: frozenset[str]

    def reports(self, violation: Violation) -> bool:
        """Whether this policy reports a violation: never notes, and uncertain errors only as doubts."""
        if violation.rule not in self.rules or violation.severity is Severity.NOTE:
            return False
        if self.name.startswith(DOUBTS):
            return violation.severity is Severity.WARNING
        return not self.mandatory or violation.severity is Severity.ERROR


def _entries(rules: tuple[Rule[Any], ...], stack: bool) -> tuple[RulePolicy, ...]:
    suffix = ON_STACKS if stack else ""
    entries = [
        RulePolicy(f"{rule.id}{suffix}", rule.title, rule.fix, stack, _is_mandatory(rule), frozenset({rule.id}))
        for rule in rules
    ]
    doubtful = frozenset(rule.id for rule in rules if _is_mandatory(rule))
    title, fix = "Possible problem for TPUs", "See the rule in the message, and why its fact is not certain."
    return (*entries, RulePolicy(f"{DOUBTS}{suffix}", title, fix, stack, False, doubtful))


def _is_mandatory(rule: Rule[Any]) -> bool:
    return rule.severity is Severity.ERROR and not rule.advisory_in_policy_pack


ENTRIES: tuple[RulePolicy, ...] = (*_entries(RESOURCE_RULES, False), *_entries(STACK_RULES, True))
"""Every policy, in the order of its name: first those about one resource, then those about a stack."""
