"""Explains capacity modes: the machine families that support them, and their requirements."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.naming import hardware
from pulumi_gke_tpu.core.catalog.records.capacity import CapacityMode
from pulumi_gke_tpu.core.plan.reading.spellings import SEVERAL_MODES
from pulumi_gke_tpu.core.text.findings import listed
from pulumi_gke_tpu.features.explain.offers import offer_text
from pulumi_gke_tpu.features.explain.steps import Evidence, Explanation, Step, evidence, fitting_notes

CAPACITY_WORDS: dict[str, CapacityMode] = {
    "on_demand": "on_demand",
    "on-demand": "on_demand",
    "ondemand": "on_demand",
    "spot": "spot",
    "preemptible": "spot",
    "reservation": "reservation",
    "reserved": "reservation",
    "flex_start": "flex_start",
    "flex-start": "flex_start",
    "flex": "flex_start",
    "queued": "queued",
    "queued-provisioning": "queued",
    "provisioningrequest": "queued",
}
"""Name -> capacity mode of a plan."""

_AS_PLAN: dict[CapacityMode, str] = {
    "on_demand": "capacity: on_demand",
    "spot": "capacity: spot",
    "reservation": "capacity: {reservation: my-reservation}",
    "flex_start": "capacity: {flex_start: {max_run_duration: 1d}}",
    "queued": "capacity: queued",
}
_FEATURES: dict[CapacityMode, str] = {"flex_start": "flex_start", "queued": "queued_provisioning"}


def is_capacity(word: str) -> bool:
    """Whether one or several capacity modes have this name."""
    return word in CAPACITY_WORDS or word in SEVERAL_MODES


def explain_capacity(catalog: Catalog, word: str) -> Explanation | None:
    """A capacity mode for all generations, or calendar mode, which a plan uses as a reservation."""
    if word == "calendar":
        return _explain_calendar(catalog)
    if word in SEVERAL_MODES:
        return _explain_several(catalog, word, catalog.generation_names)
    mode = CAPACITY_WORDS.get(word)
    if mode is None:
        return None
    steps = [step for name in catalog.generation_names for step in _offer_steps(catalog, name, mode)]
    return Explanation(
        item=word,
        kind="capacity",
        summary="a capacity mode" + ("" if word == mode else f"; in a plan: {mode}"),
        catalog=catalog.about.version,
        steps=(*steps, *_mode_steps(catalog, mode)),
        remarks=fitting_notes(catalog, {mode}, {"capacity"}, only_on_subjects=False),
        paste=_AS_PLAN[mode],
    )


def explain_capacity_of(catalog: Catalog, generation: str, word: str) -> Explanation | None:
    """A capacity mode for one generation."""
    if word in SEVERAL_MODES:
        return _explain_several(catalog, word, [generation])
    mode = CAPACITY_WORDS.get(word)
    if mode is None:
        return None
    return Explanation(
        item=f"{generation} {word}",
        kind="capacity",
        summary=f"the capacity mode {mode} for {catalog.generation(generation).title}",
        catalog=catalog.about.version,
        steps=(*_offer_steps(catalog, generation, mode), *_mode_steps(catalog, mode)),
        remarks=fitting_notes(catalog, {generation, mode}, {mode}, only_on_subjects=True),
        paste=f"tpu: {generation}\n{_AS_PLAN[mode]}",
    )


def _explain_several(catalog: Catalog, word: str, generations: Sequence[str]) -> Explanation:
    """Each capacity mode with this name; none of them is chosen, so there is nothing to paste."""
    readings = [mode for mode in _AS_PLAN if mode in SEVERAL_MODES[word]]
    steps: list[Step] = []
    for mode in readings:
        steps.append(Step(mode, _AS_PLAN[mode], SEVERAL_MODES[word][mode]))
        offers = (step for name in generations for step in _offer_steps(catalog, name, mode))
        steps += [replace(step, name=f"{mode}, {step.name}") for step in (*offers, *_mode_steps(catalog, mode))]
    calendar = catalog.capacity.calendar
    families = [family for name in generations for family in catalog.generation(name).families]
    zones = {family: calendar.zones[family] for family in families if family in calendar.zones}
    if zones:
        reason = f"calendar mode: a reservation for a fixed period of at most {calendar.max_days} days"
        steps.append(Step("reservation", _AS_PLAN["reservation"], reason, evidence(catalog, calendar)))
    modes = [*readings, *(["reservation"] if zones else [])]
    remarks = fitting_notes(catalog, {*readings}, {"capacity"}, only_on_subjects=False)
    return Explanation(
        item=word if len(generations) > 1 else f"{generations[0]} {word}",
        kind="capacity",
        summary=f"a name of several capacity modes; in a plan: {listed(modes, 'or')}",
        catalog=catalog.about.version,
        steps=tuple(steps),
        remarks=remarks if len(generations) > 1 else (),
    )


def _offer_steps(catalog: Catalog, generation: str, mode: CapacityMode) -> Iterator[Step]:
    families = catalog.generation(generation).families
    for family, facts in families.items():
        offering = catalog.capacity.families.get(family, {}).get(mode)
        if offering is None or not facts.documented:
            continue
        reasons = [offering.note] if offering.note else []
        proof: tuple[Evidence, ...] = evidence(catalog, offering)
        if mode == "flex_start" and family in catalog.capacity.flex_start.zones:
            zones = catalog.capacity.flex_start.zones[family]
            reasons.append(f"documented flex-start zones: {listed(zones.zones)}")
            proof += evidence(catalog, zones)
        metric = next((item for item in catalog.quota.metrics if family in item.families and mode in item.modes), None)
        if metric is not None:
            reasons.append(f"quota metric: {metric.metric}" + (f" ({metric.dimension})" if metric.dimension else ""))
        reason = "; ".join(part.rstrip(".") for part in reasons) or f"capacity mode {mode} for {family}"
        yield Step(hardware(generation, family), offer_text(offering), reason, proof)


def _mode_steps(catalog: Catalog, mode: CapacityMode) -> Iterator[Step]:
    feature = catalog.versions.features.get(_FEATURES.get(mode, ""))
    if feature is not None:
        value = feature.standard or feature.autopilot or "unknown"
        yield Step("minimum version", value, f"minimum GKE version for {feature.title}", evidence(catalog, feature))
    if mode == "flex_start":
        flex = catalog.capacity.flex_start
        value = f"{flex.min_run_seconds:,} to {flex.max_run_seconds:,} seconds"
        reason = f"limits of max_run_duration; GKE's default is {flex.default_run_seconds:,} seconds"
        yield Step("run duration", value, reason, evidence(catalog, flex))


def _explain_calendar(catalog: Catalog) -> Explanation:
    calendar = catalog.capacity.calendar
    zones = tuple(
        Step(family, listed(found.zones), "zones with calendar mode", evidence(catalog, found))
        for family, found in calendar.zones.items()
    )
    limits = Step(
        "limits",
        f"at most {calendar.max_days} days; {listed([str(size) for size in calendar.chips], 'or')} chips",
        "create the reservation in Compute Engine and use its name in the plan",
        evidence(catalog, calendar),
    )
    return Explanation(
        item="calendar",
        kind="capacity",
        summary="calendar mode: a reservation for a fixed period, used like other reservations",
        catalog=catalog.about.version,
        steps=(limits, *zones),
        paste=_AS_PLAN["reservation"],
    )
