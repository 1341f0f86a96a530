"""TPU941 to TPU944 and TPU947: problems of the organization file itself."""

from collections.abc import Callable, Iterable

from pulumi_gke_tpu.core.catalog.naming import generation_called
from pulumi_gke_tpu.core.plan.organization import Exemption
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule, warning
from pulumi_gke_tpu.core.text.findings import Replace, SetKeys, Severity, as_only, quoted
from pulumi_gke_tpu.core.text.findings.suggestions import Suggestions
from pulumi_gke_tpu.core.text.formats.names import matches
from pulumi_gke_tpu.features.capacity.rules.organization.context import OrganizationContext
from pulumi_gke_tpu.features.capacity.rules.organization.uses import known_zones

_SOURCE = "the organization file"
_PLAN = "tpu: v6e\ntopology: 4x4\n--- organization\n"
_SIZE = "standards:\n  size: {max: {chips: 8}}\nexemptions:\n"
_LARGE = "standards:\n  size: {max: {chips: 64}}\nexemptions:\n"


@rule(
    "TPU941",
    title="Exemption is not used",
    why="an exemption that no plan needs can hide a later breach",
    fix="Remove the exemption.",
    source=_SOURCE,
    severity=Severity.NOTE,
    today="2026-11-20",
    failing=f'{_PLAN}{_LARGE}  - {{standard: size, reason: "launch", until: 2026-12-31}}',
    passing=f'{_PLAN}{_SIZE}  - {{standard: size, reason: "launch", until: 2026-12-31}}',
)
def unused_exemption(context: OrganizationContext) -> Iterable[Hit]:
    if not (context.readable and context.complete):
        return
    concerns = _concerns(context)
    for index, exemption in enumerate(context.organization.exemptions):
        known = exemption.standard in context.organization.standards and not context.is_expired(exemption)
        if known and index not in context.used and concerns(exemption):
            message = f"no given plan needs this exemption from the standard {quoted(exemption.standard)}"
            yield context.here(Hit(("exemptions", index), message))


def _concerns(context: OrganizationContext) -> Callable[[Exemption], bool]:
    """Whether the plans given contain what an exemption is for: it may be for a plan that is not given."""
    given: set[tuple[str | None, str | None]] = set()
    for member in context.members:
        for project in (None, member.plan.plan.project):
            given.update((project, cluster.key) for cluster in member.plan.fleet.clusters)
            given.add((project, None))
    return lambda exemption: (exemption.project, exemption.of and exemption.of.partition("/")[0]) in given


@warning(
    "TPU942",
    title="Exemption has expired",
    why="an exemption has no effect after its last day",
    fix="Remove the exemption, or set a later `until`.",
    source=_SOURCE,
    today="2026-11-20",
    failing=f'{_PLAN}{_LARGE}  - {{standard: size, reason: "launch", until: 2026-11-19}}',
    passing=f'{_PLAN}{_SIZE}  - {{standard: size, reason: "launch", until: 2026-11-20}}',
)
def expired_exemption(context: OrganizationContext) -> Iterable[Hit]:
    for index, exemption in enumerate(context.organization.exemptions):
        if context.is_expired(exemption):
            message = f"the exemption from the standard {quoted(exemption.standard)} ended on {exemption.until}"
            yield context.here(Hit(("exemptions", index, "until"), message, given=f"until: {exemption.until}"))


@rule(
    "TPU943",
    title="Exemption from an unknown standard",
    why="the exemption has no effect",
    fix="Write the name of a standard in this file.",
    source=_SOURCE,
    today="2026-11-20",
    failing=f'{_PLAN}{_LARGE}  - {{standard: sizes, reason: "launch", until: 2026-12-31}}',
    passing=f'{_PLAN}{_SIZE}  - {{standard: size, reason: "launch", until: 2026-12-31}}',
)
def unknown_standard(context: OrganizationContext) -> Iterable[Hit]:
    if not context.readable:
        return
    names = Suggestions(context.organization.standards)
    for index, exemption in enumerate(context.organization.exemptions):
        if exemption.standard not in context.organization.standards:
            near = names.nearest(exemption.standard)
            path = ("exemptions", index, "standard")
            fix = SetKeys.of(standard=near)
            yield context.here(Hit.unknown(path, "standard", exemption.standard, allowed=names.shown, fix=fix))


@warning(
    "TPU944",
    title="Unknown generation or zone in a standard",
    why="the catalog contains no such generation or zone, so the entry allows nothing",
    fix="Write a generation or zone that `gke-tpu catalog` lists.",
    source=_SOURCE,
    failing=f"{_PLAN}standards: {{tpus: {{generations: [v6e, v6]}}}}",
    passing=f"{_PLAN}standards: {{tpus: {{generations: [v6e, v5p]}}}}",
)
def unknown_standard_value(context: OrganizationContext) -> Iterable[Hit]:
    zones = known_zones(context.catalog)
    generations = Suggestions(context.catalog.generation_names)
    for name, standard in context.organization.standards.items():
        path = ("standards", name)
        for index, generation in enumerate(standard.generations):
            if generation not in context.catalog.generation_names:
                place = (*path, "generations", index)
                called = generation_called(context.catalog, generation)
                fix = as_only(Replace.value(called))
                yield context.here(Hit.unknown(place, "generation", generation, allowed=generations.shown, fix=fix))
        for index, pattern in enumerate(standard.zones):
            if not any(matches(zone, [pattern]) for zone in zones):
                message = f"no known TPU zone matches {quoted(pattern)}"
                wider = f"{pattern}-*"
                fix = Replace.value(wider) if any(matches(zone, [wider]) for zone in zones) else None
                yield context.here(Hit((*path, "zones", index), message, fix=fix))


@warning(
    "TPU947",
    title="Organization file without standards",
    why="every plan meets a file without standards",
    fix="Add a standard, or remove the option `--organization`.",
    source=_SOURCE,
    failing=f"{_PLAN}owner: platform",
    passing=f"{_PLAN}owner: platform\nstandards: {{tpus: {{generations: [v6e]}}}}",
)
def no_standards(context: OrganizationContext) -> Iterable[Hit]:
    yaml = context.document.yaml
    attempted = yaml is not None and isinstance(yaml.data, dict) and bool(yaml.data.get("standards"))
    if context.readable and not context.organization.standards and not attempted:
        path = ("standards",) if context.organization.written("standards") else ()
        yield context.here(Hit(path, "the organization file contains no standards"))
