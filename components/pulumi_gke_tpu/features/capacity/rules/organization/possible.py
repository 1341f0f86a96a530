"""TPU945 and TPU946: standards that no plan can meet."""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.plan.organization import Kind
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule, warning
from pulumi_gke_tpu.core.text.findings import Replace, Severity, quoted
from pulumi_gke_tpu.core.text.formats.names import (
    CLUSTER_NAME,
    GOOGLES_PREFIX,
    GROUP_NAME,
    is_resource_label_key,
    matches,
)
from pulumi_gke_tpu.features.capacity.rules.organization.context import OrganizationContext
from pulumi_gke_tpu.features.capacity.rules.organization.uses import known_zones

_SOURCE = "the organization file"
_PLAN = "mode: standard\nlocation: us-east5\nresource_labels: {team: research}\n--- organization\n"


@rule(
    "TPU945",
    otherwise={Severity.WARNING: "if Google reserves the prefix of a label"},
    title="No plan can meet a standard",
    why="Google Cloud accepts no label or name of this form, so every plan breaks the standard",
    fix="Write a label or a pattern in lower-case letters, digits and hyphens.",
    source=_SOURCE,
    failing=f"{_PLAN}standards: {{names: {{names: {{groups: 'tpu group *'}}}}}}",
    passing=f"{_PLAN}standards: {{names: {{names: {{groups: 'tpu-group-*'}}}}}}",
)
def impossible_standard(context: OrganizationContext) -> Iterable[Hit]:
    for name, standard in context.organization.standards.items():
        path = ("standards", name)
        for index, label in enumerate(standard.labels):
            if not is_resource_label_key(label):
                lower = label.lower()
                fix = Replace.value(lower) if is_resource_label_key(lower) and lower.isascii() else None
                googles = label.startswith(GOOGLES_PREFIX)
                reason = f"Google reserves the prefix {GOOGLES_PREFIX}" if googles else ""
                severity = Severity.WARNING if googles else None
                place = (*path, "labels", index)
                hit = Hit.invalid(
                    place, "Google Cloud label key", label or "(empty)", reason, fix=fix, severity=severity
                )
                yield context.here(hit)
        names = standard.names
        if names is not None and names.clusters is not None and not CLUSTER_NAME.can_match(names.clusters):
            yield context.here(_impossible((*path, "names", "clusters"), "name of a cluster", names.clusters))
        if names is not None and names.groups is not None and not GROUP_NAME.can_match(names.groups):
            yield context.here(_impossible((*path, "names", "groups"), "name of a slice group", names.groups))


def _impossible(path: tuple[str, ...], what: str, pattern: str) -> Hit:
    return Hit(path, f"no {what} that GKE accepts matches {quoted(pattern)}")


@warning(
    "TPU946",
    title="Standards contradict each other",
    why="each plan breaks one of the standards, unless it has an exemption",
    fix="Write the values that both standards allow into both, or remove one of the standards.",
    source=_SOURCE,
    failing=f"{_PLAN}standards: {{east: {{zones: ['us-east5-*']}}, west: {{zones: ['us-west1-*']}}}}",
    passing=f"{_PLAN}standards: {{us: {{zones: ['us-*']}}, east: {{zones: ['us-east5-*']}}}}",
)
def conflicting_standards(context: OrganizationContext) -> Iterable[Hit]:
    left = {kind: _Left(kind, every) for kind, every in _every(context).items()}
    for name, standard in context.organization.standards.items():
        if standard.kind not in left:
            continue
        allowed = set(getattr(standard, standard.kind))
        if standard.kind == "zones":
            allowed = {zone for zone in left["zones"].every if matches(zone, standard.zones)}
        yield from map(context.here, left[standard.kind].narrowed(name, allowed))
    yield from map(context.here, _no_offer(context, left))


class _Left:
    """The values that all standards of one kind so far allow."""

    def __init__(self, kind: Kind, every: Iterable[str]) -> None:
        self.kind = kind
        self.every = frozenset(every)
        self.values = self.every
        self.last = ""
        """The last standard that narrowed the values."""

    def narrowed(self, name: str, allowed: set[str]) -> Iterator[Hit]:
        """Keep the values that one more standard allows; a hit if it is the one that leaves none."""
        rest = self.values & allowed
        if self.last and self.values and not rest and allowed & self.every:
            message = f"no allowed value of `{self.kind}` is left together with the standard {quoted(self.last)}"
            yield Hit(("standards", name, self.kind), message)
        if rest != self.values:
            self.values, self.last = rest, name


def _every(context: OrganizationContext) -> dict[Kind, Iterable[str]]:
    """The values that standards of each kind select from."""
    return {
        "generations": context.catalog.generation_names,
        "zones": known_zones(context.catalog),
        "modes": ("standard", "autopilot"),
        "capacities": ("on_demand", "spot", "reservation", "flex_start", "queued"),
    }


def _no_offer(context: OrganizationContext, left: dict[Kind, _Left]) -> Iterator[Hit]:
    """A hit if no allowed generation is known in an allowed zone."""
    generations, zones = left["generations"], left["zones"]
    if not (generations.last and zones.last and generations.values and zones.values):
        return
    for name in generations.values:
        families = context.catalog.generation(name).families
        if any(zones.values.intersection(context.catalog.zones.of_family(family)) for family in families):
            return
    message = f"no generation that is allowed is known in a zone that the standard {quoted(zones.last)} allows"
    yield Hit(("standards", generations.last, "generations"), message)
