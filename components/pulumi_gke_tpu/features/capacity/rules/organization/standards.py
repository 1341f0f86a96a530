"""TPU92x and TPU930: plans against the standards of an organization."""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.plan.organization import Kind
from pulumi_gke_tpu.core.rules.engine.rule import Hit, Rule, Scope, rule
from pulumi_gke_tpu.core.text.findings import Severity, printable, quoted
from pulumi_gke_tpu.features.capacity.rules.organization.context import OrganizationContext

_SOURCE = "the organization file"
_WHY = "the organization requires it of all plans"
_FIX = "Change the plan, or ask the owner of the standard for an exemption in the organization file."
_GROUP = "tpu: v6e\ntopology: 4x4\n"
_CLUSTER = "mode: standard\nlocation: us-east5\n"
_RESERVED = "slices:\n  pretrain: {tpu: v6e, topology: 4x4, zone: us-east5-b, capacity: {reservation: v6e-main}}\n"
_EXCLUDED = (
    "maintenance:\n  window: {start: 2026-01-03T02:00:00Z, duration: 6h, days: [SAT, SUN]}\n"
    "  exclusions: {launch: {start: 2026-12-01T00:00:00Z, end: 2026-12-20T00:00:00Z}}\n"
)


def _standard(  # noqa: PLR0917 - one row of a table
    id: str, name: str, kind: Kind, title: str, value: str, failing: str, passing: str
) -> Rule[OrganizationContext]:
    section = f"--- organization\nstandards:\n  {name}: {{{kind}: {value}, owner: platform}}"

    def check(context: OrganizationContext) -> Iterable[Hit]:
        return _hits(context, kind)

    return rule(
        id,
        name,
        scope=Scope.ORGANIZATION,
        otherwise={
            Severity.WARNING: "if the standard has `severity: warning`, or if it depends on what the plan does not fix"
        },
        title=title,
        why=_WHY,
        fix=_FIX,
        source=_SOURCE,
        today="2026-11-20",
        failing=failing + section,
        passing=passing + section,
    )(check)


def _hits(context: OrganizationContext, kind: Kind) -> Iterator[Hit]:
    for name, standard, breach in context.reported(kind):
        certain = breach.certain and standard.severity == "error"
        owner = standard.owner or context.organization.owner
        more = f" (owner: {printable(owner)})" if owner else ""
        advice = f": {printable(standard.message)}" if standard.message else ""
        yield Hit(
            breach.place.path,
            f"{breach.message}; standard {quoted(name)}{more}{advice}",
            severity=Severity.ERROR if certain else Severity.WARNING,
            why=breach.why,
            allowed=breach.allowed,
            related=context.origin(name),
        ).within(breach.place.member.document)


generation_standard = _standard(
    *("TPU921", "generation-standard", "generations", "TPU generation is not allowed", "[v6e]"),
    *("tpu: v5p\ntopology: 2x2x1\nzone: us-east5-a\n", _GROUP),
)
zone_standard = _standard(
    *("TPU922", "zone-standard", "zones", "Zone is not allowed", '["*-b"]'),
    *("tpu: v5p\ntopology: 2x2x1\nzone: us-east5-a\n", _GROUP),
)
mode_standard = _standard(
    *("TPU923", "mode-standard", "modes", "Cluster mode is not allowed", "[standard]"),
    *("mode: autopilot\nlocation: us-east5\n", _CLUSTER),
)
capacity_standard = _standard(
    *("TPU924", "capacity-standard", "capacities", "Capacity mode is not allowed", "[spot]"),
    *(_GROUP, f"{_GROUP}capacity: spot\n"),
)
size_standard = _standard(
    *("TPU925", "size-standard", "max", "Plans exceed the limit of the organization", "{chips: 16, per: all}"),
    *("tpu: v6e\ntopology: 8x8\n", _GROUP),
)
label_standard = _standard(
    *("TPU926", "label-standard", "labels", "Required label is missing", "[team]"),
    *(_CLUSTER, f"{_CLUSTER}resource_labels: {{team: research}}\n"),
)
exclusion_standard = _standard(
    *("TPU927", "exclusion-standard", "exclusion", "Reserved slices have no maintenance exclusion", "true"),
    *(f"{_CLUSTER}{_RESERVED}", f"{_CLUSTER}{_EXCLUDED}{_RESERVED}"),
)
private_standard = _standard(
    *("TPU928", "private-nodes-standard", "private_nodes", "Nodes are not private", "true"),
    *(_CLUSTER, f"{_CLUSTER}network: create\n"),
)
protection_standard = _standard(
    *("TPU929", "protection-standard", "deletion_protection", "Cluster has no deletion protection", "true"),
    *(f"{_CLUSTER}deletion_protection: false\n", _CLUSTER),
)
name_standard = _standard(
    *("TPU930", "name-standard", "names", "Name does not match the pattern", '{clusters: "train-*"}'),
    *(f"{_CLUSTER}name: dev\n", f"{_CLUSTER}name: train-east\n"),
)
