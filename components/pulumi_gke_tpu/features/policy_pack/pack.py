"""The rules as CrossGuard policies: what the Pulumi engine loads with ``--policy-pack``. Needs ``pulumi-policy``."""

import io
import json
import sys
from collections.abc import Mapping
from typing import Any

import pulumi_policy
from pulumi_policy import (
    EnforcementLevel,
    Policy,
    PolicyConfigSchema,
    PolicyPack,
    PolicyResource,
    PolicyResourceOptions,
    ReportViolation,
    ResourceValidationArgs,
    ResourceValidationPolicy,
    StackValidationArgs,
    StackValidationPolicy,
)
from pulumi_policy.proxy import UnknownValueError

from pulumi_gke_tpu.core.catalog import Catalog, read_catalog
from pulumi_gke_tpu.core.described.stack import StackResource
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.resource_rules.checker import RESOURCE_RULES, STACK_RULES, Checker
from pulumi_gke_tpu.core.resource_rules.violation import Violation
from pulumi_gke_tpu.core.resources.pools import CHECKED_TYPES, CheckedResource
from pulumi_gke_tpu.core.resources.values import Values, plain
from pulumi_gke_tpu.core.rules.engine.rule import Rule
from pulumi_gke_tpu.core.text.findings import Severity

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


_MOST_KEPT = 512


def tpu_policies(catalog: Catalog | None = None) -> list[Policy]:
    """Every policy, for a pack of your own. The policies of one list share state: use the whole list."""
    memory = _Memory(Checker(read_catalog() if catalog is None else catalog))
    return [_stack_policy(entry, memory) if entry.stack else _resource_policy(entry, memory) for entry in ENTRIES]


def serve() -> None:
    """Serve the pack to the engine that started this process, until it ends the process."""
    # The engine reads the port from standard output, which PolicyPack does not flush.
    sys.stdout = io.TextIOWrapper(open(1, "wb", buffering=0, closefd=False), write_through=True)  # noqa: SIM115
    PolicyPack(PACK, policies=tpu_policies(), enforcement_level=EnforcementLevel.ADVISORY)


class _Memory:
    """Checks each resource once, and keeps the inputs of the program until the stack is checked.

    The engine calls each policy for each resource, and passes only the outputs of the resources to stack policies.
    """

    def __init__(self, checker: Checker) -> None:
        self._checker = checker
        self._violations: dict[str, tuple[Violation, ...]] = {}
        self._stacks: dict[str, tuple[tuple[str, Violation], ...]] = {}
        self._asked: dict[str, CheckedResource] = {}

    def resource(self, args: ResourceValidationArgs) -> tuple[Violation, ...]:
        if args.resource_type not in CHECKED_TYPES:
            return ()
        resource = _resource(args)
        self._asked[str(args.urn)] = resource
        key = _key(resource)
        violations = self._violations.get(key)
        if violations is None:
            violations = self._checker.resource(resource)
            if len(self._violations) >= _MOST_KEPT:
                self._violations = {}
            self._violations[key] = violations
        return violations

    def stack(self, args: StackValidationArgs) -> tuple[tuple[str, Violation], ...]:
        members = [self._member(resource) for resource in args.resources if resource.resource_type in CHECKED_TYPES]
        key = json.dumps([[member.urn, _key(member.asked), _key_of(member.stored)] for member in members])
        violations = self._stacks.get(key)
        if violations is None:
            violations = self._checker.stack(members)
            self._stacks = {key: violations}
        return violations

    def _member(self, resource: PolicyResource) -> StackResource:
        now = _resource(resource)
        refers_to = {
            str(name): tuple(str(other.urn) for other in others)
            for name, others in resource.property_dependencies.items()
        }
        return StackResource(str(resource.urn), self._asked.get(str(resource.urn), now), now.values, refers_to)


def _resource_policy(entry: RulePolicy, memory: _Memory) -> Policy:
    def validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
        for violation in memory.resource(args) if _is_asked(args, args.name) else ():
            if entry.reports(violation):
                report(violation.text, None)

    return ResourceValidationPolicy(validate=validate, **_description(entry))


def _stack_policy(entry: RulePolicy, memory: _Memory) -> Policy:
    def validate(args: StackValidationArgs, report: ReportViolation) -> None:
        for urn, violation in memory.stack(args):
            if entry.reports(violation) and _is_asked(args, urn.rsplit("::", 1)[-1]):
                report(violation.text, urn)

    return StackValidationPolicy(validate=validate, **_description(entry))


def _is_asked(args: ResourceValidationArgs | StackValidationArgs, name: str) -> bool:
    """Whether the configuration of the policy includes a resource."""
    config = args.get_config()
    left_out = config.get("except") if isinstance(config, Mapping) else None
    return not (isinstance(left_out, list | tuple) and name in left_out)


def _description(entry: RulePolicy) -> dict[str, Any]:
    return {
        "name": entry.name,
        "description": entry.title,
        "display_name": entry.title,
        "enforcement_level": EnforcementLevel.MANDATORY if entry.mandatory else EnforcementLevel.ADVISORY,
        "severity": pulumi_policy.Severity.HIGH if entry.mandatory else pulumi_policy.Severity.MEDIUM,
        "remediation_steps": entry.fix,
        "config_schema": PolicyConfigSchema(
            properties={
                "except": {
                    "type": "array",
                    "items": {"type": "string"},
                    "default": [],
                    "description": "Names in Pulumi of resources that this policy ignores.",
                }
            }
        ),
    }


# From the objects of the policy library to plain data


def _resource(source: ResourceValidationArgs | PolicyResource) -> CheckedResource:
    return CheckedResource(
        str(source.resource_type),
        str(source.name),
        Values(plain(source.props, UnknownValueError)),
        _options(source.opts),
    )


def _options(options: PolicyResourceOptions | None) -> Values:
    if options is None:
        return Values({})
    return Values(
        {
            "protect": options.protect is True,
            "deleteBeforeReplace": options.delete_before_replace is True,
            "ignoreChanges": [str(path) for path in options.ignore_changes or ()],
        }
    )


def _key(resource: CheckedResource) -> str:
    return json.dumps([resource.type, resource.name, _key_of(resource.values), _key_of(resource.options)])


def _key_of(values: Values) -> str:
    return json.dumps(values.data, default=repr)
