"""Explains the zone, capacity, version and service account of a slice group, and orders the steps about its place."""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.catalog import Topology, VersionRange
from pulumi_gke_tpu.core.catalog.places import FLEX_MEANING, flex_pool, presence
from pulumi_gke_tpu.core.catalog.records.capacity import CapacityMode
from pulumi_gke_tpu.core.fleet.settings import autoscaler_settings
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan.capacity import FlexStart, Reservation
from pulumi_gke_tpu.core.text.findings import listed, number
from pulumi_gke_tpu.core.text.formats.names import is_ai_zone, region_of
from pulumi_gke_tpu.core.text.formats.versions import is_too_low
from pulumi_gke_tpu.features.explain.offers import offer_text
from pulumi_gke_tpu.features.explain.steps import Evidence, Step, evidence
from pulumi_gke_tpu.features.explain.values.cluster import VersionNeed, version_needs
from pulumi_gke_tpu.features.explain.values.group_shape import GroupView, location_policy
from pulumi_gke_tpu.features.explain.values.maintenance import group_maintenance
from pulumi_gke_tpu.features.explain.values.price import group_price
from pulumi_gke_tpu.features.explain.values.quota import group_quota, headroom_step
from pulumi_gke_tpu.features.explain.values.surroundings import Surroundings, group_account_step


def place_steps(view: GroupView, around: Surroundings, *, with_prices: bool) -> Iterable[Step]:
    """The steps from the zone to the service account of the nodes."""
    yield _zone(view)
    yield _capacity(view)
    yield _minimum_version(view)
    yield group_quota(view)
    yield headroom_step(around, view.cluster, view.group)
    yield group_price(view, around, with_prices=with_prices)
    yield group_maintenance(view, around)
    yield group_account_step(view.catalog, view.cluster, view.group)


def _zone(view: GroupView) -> Step:
    group, shape = view.group, view.group.shape
    topics = ("zones", "ai_zones") if any(map(is_ai_zone, group.zones)) else ("zones",)
    zones = view.catalog.zones.families.get(shape.family)
    documented = evidence(view.catalog, zones.documented) if zones else ()
    if len(group.zones) > 1:
        return _several_zones(view)
    if group.zone is None:
        reason = f"not in the plan; Autopilot chooses a zone of {view.cluster.region} with {shape.generation}"
        inside = [zone for zone in (zones.documented.zones if zones else ()) if region_of(zone) == view.cluster.region]
        reason += f" (documented: {listed(inside)})" if inside else " (no zone is documented)"
        return Step("zone", "chosen by GKE", reason, documented, topics=topics)
    origin = "from the plan" if group.plan.zone is not None else "the zone of the cluster"
    found = presence(view.catalog, shape.family, group.zone, multi_host=shape.multi_host)
    if found is None:
        reason = f"{origin}; no source lists {shape.family} in this zone"
        return Step("zone", group.zone, reason, documented, topics=topics)
    reason = f"{origin}; {found.meaning}"
    if found.certainty == "single_host" and zones is not None and zones.single_host is not None:
        least = zones.single_host.minimum_topology.get(shape.machine_type)
        if least and not shape.multi_host and Topology.parse(least).chips > shape.chips:
            reason += f", from {least} on {shape.machine_type}"
    return Step("zone", group.zone, reason, evidence(view.catalog, found.fact, group.zone), topics=topics)


def _several_zones(view: GroupView) -> Step:
    """Single-host slices in several zones: one node pool, whose nodes GKE divides or scales in any of them."""
    group = view.group
    if group.autoscaled:
        autoscaler = autoscaler_settings(group)
        where = "any of them" if autoscaler.location_policy.sent == "any" else "them"
        limits = "totals" if autoscaler.limits.value == "total" else "for each zone"
        spread = f"GKE adds nodes in {where} ({location_policy(autoscaler)}), and the limits are {limits}"
    else:
        spread = f"{number(group.slices.maximum // len(group.zones), 'node')} per zone"
    known = [(zone, presence(view.catalog, group.shape.family, zone, multi_host=False)) for zone in group.zones]
    found = [f"{zone}: {item.meaning if item else 'no source lists it'}" for zone, item in known]
    facts = tuple(
        dict.fromkeys(proof for zone, item in known if item for proof in evidence(view.catalog, item.fact, zone))
    )
    reason = f"from the plan; {spread}; {'; '.join(found)}"
    return Step("zones", listed(group.zones), reason, facts, topics=("zones",))


@frozen
class _Part:
    """A part of the step about capacity; the step joins the parts."""

    values: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    facts: tuple[Evidence, ...] = ()


def _capacity(view: GroupView) -> Step:
    parts = (_mode(view), *_limits_of_mode(view), *_fallback(view), *_queue(view))
    return Step(
        "capacity",
        ", ".join(value for part in parts for value in part.values),
        "; ".join(reason for part in parts for reason in part.reasons),
        tuple(fact for part in parts for fact in part.facts),
        ("reservation", "spot", "flex_start", "queued", "fallback"),
        topics=("capacity", view.group.plan.capacity.mode),
    )


def _mode(view: GroupView) -> _Part:
    plan = view.group.plan
    origin = "from the plan" if plan.written("capacity") else "the default, because the plan has no capacity"
    offered, facts = _offered(view, plan.capacity.mode)
    has_limits = plan.capacity.reservation is not None or plan.capacity.flex_start is not None
    return _Part(() if has_limits else (plan.capacity.mode,), (origin, offered), facts)


def _offered(view: GroupView, mode: CapacityMode) -> tuple[str, tuple[Evidence, ...]]:
    """What GKE offers of a capacity mode for the machine family of the group."""
    family = view.group.shape.family
    offering = view.catalog.capacity.families.get(family, {}).get(mode)
    state = offer_text(offering) if offering else "unknown"
    return f"{mode} for {family}: {state}", evidence(view.catalog, offering)


def _limits_of_mode(view: GroupView) -> Iterator[_Part]:
    """The reservation, or the run duration of flex-start."""
    capacity = view.group.plan.capacity
    if capacity.reservation is not None:
        yield _reservation(view, capacity.reservation)
    elif capacity.flex_start is not None:
        yield _flex_start(view, capacity.flex_start)


def _reservation(view: GroupView, reservation: Reservation) -> _Part:
    values = [f"reservation {reservation.name} of project {reservation.project or view.cluster.project}"]
    values += [f"block {reservation.block}"] if reservation.block else []
    values += [f"sub-block {reservation.sub_block}"] if reservation.sub_block else []
    reason = "the node pools select the reservation by its name (specific affinity)"
    return _Part(tuple(values), (reason,), view.proof("reservation-affinity"))


def _flex_start(view: GroupView, flex_start: FlexStart) -> _Part:
    group, limits = view.group, view.catalog.capacity.flex_start
    duration = flex_start.max_run_duration
    seconds = int(duration.total_seconds()) if duration is not None else limits.default_run_seconds
    values = (f"flex_start for at most {_span(seconds)}", *(("queued",) if flex_start.queued else ()))
    reasons = [] if duration is not None else ["GKE's default, because the plan has no max_run_duration"]
    reasons.append(f"the limits are {_span(limits.min_run_seconds)} and {_span(limits.max_run_seconds)}")
    facts: tuple[Evidence, ...] = ()
    for zone in group.zones:
        pool = flex_pool(view.catalog, group.shape.family, zone)
        reasons.append(f"flex-start for {group.shape.family} in {zone}: {FLEX_MEANING.get(pool.state, 'unknown')}")
        facts += evidence(view.catalog, pool.fact)
    return _Part(values, tuple(reasons), facts + evidence(view.catalog, limits))


def _fallback(view: GroupView) -> Iterator[_Part]:
    """The capacity modes that GKE tries after the first, and the orders that Google suggests."""
    modes = view.group.plan.fallback
    for mode in modes:
        offered, facts = _offered(view, mode)
        yield _Part((f"then {mode}",), (offered,), facts)
    if modes:
        orders = view.catalog.kubernetes.compute_classes.orders
        texts = [f"{' > '.join(order)} for {use}" for use, order in orders.orders.items()]
        reasons = ("GKE tries the modes in this order", f"Google suggests {listed(texts)}")
        yield _Part((), reasons, evidence(view.catalog, orders))


def _queue(view: GroupView) -> Iterator[_Part]:
    if view.group.plan.capacity.is_queued:
        queued = view.catalog.kubernetes.kueue.queued
        reason = f"workloads request it with the provisioning class {queued.provisioning_class}"
        yield _Part((), (reason,), evidence(view.catalog, queued))


def _span(seconds: int) -> str:
    """Seconds in the largest unit that divides them."""
    for unit, length in (("d", 86_400), ("h", 3_600), ("m", 60)):
        if seconds % length == 0:
            return f"{seconds // length}{unit}"
    return f"{seconds}s"


def _minimum_version(view: GroupView) -> Step:
    needs = version_needs(view.catalog, view.cluster, view.group)
    topics = ("versions",)
    keys = (view.cluster.version_key,)
    if not needs:
        reason = f"no source lists a minimum for {view.group.shape.generation} on {view.mode_word}"
        family = view.generation.families[view.group.shape.family]
        looked = evidence(view.catalog, family, "minimum_version")
        return Step("minimum_version", "unknown", reason, looked, keys, topics)
    highest = needs[0]
    reasons = [f"{need.what} requires {need.text}" + _older(need.alternatives) for need in needs]
    reason = "; ".join([*reasons, _against_plan(view, needs)])
    facts = tuple(fact for need in needs for fact in need.evidence(view.catalog))
    return Step("minimum_version", highest.text, reason, facts, keys, topics, follows_from=("generation", "capacity"))


def _older(alternatives: tuple[str, ...]) -> str:
    return f" (or {listed(alternatives, 'or')} on this older minor version)" if alternatives else ""


def _against_plan(view: GroupView, needs: tuple[VersionNeed, ...]) -> str:
    """The comparison of the cluster's version with the minimums."""
    written, key = view.cluster.version, view.cluster.version_key
    if written is None:
        return f"the version of the cluster is unknown, because the plan has no {key}"
    try:
        span = VersionRange.parse(written)
    except ValueError:
        return f"{key} {written} is not a GKE version"
    if any(is_too_low(span, need.text, need.alternatives) for need in needs):
        return f"{key} {written} is too low"
    sure = all(span.lowest >= need.version for need in needs)
    return f"{key} {written} is high enough" if sure else f"{key} {written} may be high enough"
