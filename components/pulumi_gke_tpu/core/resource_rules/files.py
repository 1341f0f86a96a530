"""Findings about the resources in files of other tools, in the spelling of each tool."""

import datetime
import posixpath
from collections.abc import Iterable, Iterator
from dataclasses import replace

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.described.model import DescribedPlan
from pulumi_gke_tpu.core.described.stack import StackResource
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NODE_POOL
from pulumi_gke_tpu.core.objects.open_values import is_placeholder
from pulumi_gke_tpu.core.resource_rules.checker import RESOURCE_RULES, STACK_RULES, Checker
from pulumi_gke_tpu.core.resource_rules.violation import Violation
from pulumi_gke_tpu.core.resources.model import RawResource, SourceFormat
from pulumi_gke_tpu.core.resources.pools import CHECKED_TYPES, CheckedResource, cluster_id
from pulumi_gke_tpu.core.resources.values import NotKnownError, Values
from pulumi_gke_tpu.core.rules.engine.rule import Rule
from pulumi_gke_tpu.core.text.findings import Finding, SetKeys, Severity, Verbatim, printable, quoted
from pulumi_gke_tpu.core.text.formats.property_path import parse_path, value_at
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_LONGEST_ADDRESS = 300
_OF_INSTANCES = lazy_pattern(r"\b(?:each|count)\.")
"""An expression that each instance of a block has another value for: a constant in its place changes all of them."""
_POOLS = "nodePools"
_EXISTING = (SourceFormat.TERRAFORM_STATE, SourceFormat.PULUMI_STATE, SourceFormat.API)
"""Sources that show what exists, not what a program writes."""
_WHOLE = (
    SourceFormat.TERRAFORM_PLAN,
    SourceFormat.TERRAFORM_STATE,
    SourceFormat.PULUMI_PREVIEW,
    SourceFormat.PULUMI_STATE,
    SourceFormat.API,
)
"""Sources that have every resource of a program, or of what exists."""


def check_resources(
    resources: Iterable[RawResource],
    catalog: Catalog,
    today: datetime.date | None = None,
    described: DescribedPlan | None = None,
) -> Iterator[Finding]:
    """What the rules find in resources, each alone and all together. Those that a plan deletes are left out.

    ``described`` is the plan that describes ``members_of(resources)``, if it was made already.
    """
    checker, rules = Checker(catalog, today), {rule.id: rule for rule in (*RESOURCE_RULES, *STACK_RULES)}
    members = members_of(resources)
    by_key = {member.urn: resource for member, resource in members}
    for key, violation in dict.fromkeys(checker.fleet((member for member, _ in members), described)):
        resource, rule = by_key[key], rules[violation.rule]
        source = resource.origin.source
        checked = rule.of_scripts if source is SourceFormat.GCLOUD_SCRIPT else source not in _EXISTING
        if rule.of_programs and not checked:
            continue
        if not (rule.at_creation and _stays(resource)):
            yield _finding(resource, violation, rule)


def members_of(resources: Iterable[RawResource]) -> tuple[tuple[StackResource, RawResource], ...]:
    """The resources that rules check, each once, as members of one stack. Their URNs are numbers."""
    kept: dict[tuple[str, ...], RawResource] = {}
    for each in reversed([*resources]):
        if each.type in CHECKED_TYPES and not _ends(each):
            identity, own = _identity(each), (each.origin.file, each.origin.address)
            other = kept.get(identity)
            twice = other is not None and other.origin.file == own[0] and other.origin.address != own[1]
            kept[own if twice else identity] = each
    ordered = [*reversed(kept.values())]
    keys = {(each.origin.scope, each.origin.address): str(number) for number, each in enumerate(ordered)}

    def references(each: RawResource) -> dict[str, tuple[str, ...]]:
        return {
            name: tuple(keys[each.origin.scope, other] for other in others if (each.origin.scope, other) in keys)
            for name, others in each.refers_to.items()
        }

    def stored(each: RawResource) -> Values:
        return each.before if each.before is not None and _stays(each) else each.values

    return tuple(
        (
            StackResource(
                str(number),
                _asked(each),
                stored(each),
                references(each),
                _is_reported(each),
                _stays(each),
                posixpath.dirname(each.origin.file) if each.origin.source.is_written else "",
                _has_every_pool(each),
                each.origin.source in _WHOLE and each.origin.source is not SourceFormat.API,
            ),
            each,
        )
        for number, each in enumerate(ordered)
    )


def _is_reported(resource: RawResource) -> bool:
    """Whether the properties are those that GKE has, not those that a program sets."""
    return resource.origin.source in (SourceFormat.API, SourceFormat.TERRAFORM_STATE)


def _has_every_pool(resource: RawResource) -> bool:
    """Whether the source of a cluster has all its node pools: those of a program do not have the default node pool."""
    if resource.type != CLUSTER or resource.origin.source not in _WHOLE:
        return False
    try:
        return resource.with_pools or resource.values.flag("removeDefaultNodePool") or resource.values.sets(_POOLS)
    except NotKnownError:
        return False


def _asked(resource: RawResource) -> CheckedResource:
    """The resource as a program writes it, without node pools that the provider only reads into a cluster."""
    asked, data = resource.asked, resource.values.data
    if resource.type != CLUSTER or resource.action is None or resource.before is None:
        return asked
    if data.get(_POOLS) != resource.before.data.get(_POOLS):
        return asked
    return replace(asked, values=Values({key: value for key, value in data.items() if key != _POOLS}))


def _stays(resource: RawResource) -> bool:
    """Whether the resource exists, and a plan does not make it anew."""
    return resource.existing is not None and (resource.action is None or "delete" not in resource.action.kinds)


def _ends(resource: RawResource) -> bool:
    """Whether a plan deletes the resource, or Terraform forgets it."""
    return resource.action is not None and resource.action.kinds in (("delete",), ("forget",))


def _identity(resource: RawResource) -> tuple[str, ...]:
    """What makes two entries the same resource: several files may contain it."""
    location, cluster = cluster_id(resource.values) if resource.type == NODE_POOL else ("", "")
    try:
        location = location or resource.values.text("location") or resource.values.text("region")
        named = resource.values.has("name")
    except NotKnownError:
        named = False
    if resource.origin.source.is_written or not named or (resource.type == NODE_POOL and not (location and cluster)):
        return (resource.origin.file, resource.origin.address)
    return (resource.type, resource.project, location, cluster, resource.name)


def _finding(resource: RawResource, violation: Violation, rule: Rule[object]) -> Finding:
    spelling, address = resource.spelling, printable(resource.origin.address, _LONGEST_ADDRESS)
    written = spelling.written(violation.where)
    placeholder = _placeholder(resource, violation)
    accepted = violation.severity is Severity.ERROR and (rule.advisory_in_policy_pack or placeholder)
    pasted, advice = ("", _FILL_IN) if placeholder else _fix(resource, violation, rule)
    message = f"placeholder {quoted(placeholder)} not filled in" if placeholder else spelling.words(violation.message)
    return Finding(
        rule=violation.rule,
        severity=Severity.WARNING if accepted else violation.severity,
        path=(resource.origin.address, *spelling.place(violation.where)),
        message=f"{address}: {written}: {message}",
        allowed=() if placeholder else violation.allowed,
        why=spelling.words(violation.why),
        change=Verbatim(pasted) if pasted else None,
        source=violation.source,
        position=resource.position_of(violation.where, violation.inside),
        links=violation.links,
        advice=advice,
    )


def _placeholder(resource: RawResource, violation: Violation) -> str:
    """The placeholder that a guide has in place of the value a finding is about; empty if it is a value."""
    steps = (*parse_path(violation.where), *violation.inside)
    value = value_at(resource.values.data, steps)
    if not isinstance(value, str):
        return ""
    takes_name = next((step for step in reversed(steps) if isinstance(step, str)), "") in _OF_NAMES
    found = is_placeholder(value) or _PLACEHOLDER.search(value) or (takes_name and _CAPITALS.match(value))
    return value if found else ""


_FILL_IN = "Replace the placeholder by a value. If a program does that, check its output."
_PLACEHOLDER = lazy_pattern(r"\A(?:\[[A-Z][A-Z0-9_-]{0,62}\]|\{[a-z][a-z0-9_]{0,62}\})\Z")
_CAPITALS = lazy_pattern(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\Z")
_OF_NAMES = frozenset(
    ("name", "cluster", "location", "nodeLocations", "machineType", "network", "subnetwork", "serviceAccount")
)
"""The last steps of properties that no text in capitals can be the value of."""


def _fix(resource: RawResource, violation: Violation, rule: Rule[object]) -> tuple[str, str]:
    """The fix in the spelling of the source, as code to paste or else in words."""
    if isinstance(violation.change, SetKeys):
        entries = "\n".join(resource.spelling.entry(each.key, each.value) for each in violation.change.entries)
        place = resource.position_of(violation.where, violation.inside)
        shared = place.text[place.column - 1 : place.end_column - 1]
        if resource.origin.source is SourceFormat.TERRAFORM_CONFIGURATION and _OF_INSTANCES.search(shared):
            return "", f"Change what `{printable(shared)}` is for this instance: {entries}"
        return entries, ""
    if resource.origin.source.is_terraform and rule.fix_in_terraform:
        return "", rule.fix_in_terraform
    pasted = violation.change.text if violation.change is not None else ""
    return resource.spelling.words(pasted), resource.spelling.words(violation.advice)
