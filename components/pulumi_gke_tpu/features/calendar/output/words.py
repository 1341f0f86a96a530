"""What the calendar calls its events."""

from collections import Counter
from typing import TYPE_CHECKING

from pulumi_gke_tpu.core.text.findings import format_path, listed, number, printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pulumi_gke_tpu.core.schedule.additions import Addition
    from pulumi_gke_tpu.core.schedule.events import Calendar, Event
    from pulumi_gke_tpu.core.schedule.support import Support


def subject(event: "Event") -> str:
    """What happens, in a few words."""
    name = printable(event.name)
    return {
        "run": f"run {name}",
        "window": "maintenance window",
        "exclusion": f"exclusion {name}",
        "node_end": f"flex-start nodes of run {name} end",
        "reservation_start": f"reservation {name} begins",
        "reservation_end": f"reservation {name} ends",
        "support_end": f"support of GKE {name} ends",
    }[event.kind]


def remark(event: "Event") -> str:
    """What matters about an event: the scope of an exclusion, or what can interrupt a run."""
    if event.scope:
        return f"{event.scope}{', until the end of support' if event.open_end else ''}"
    if event.possible:
        return "if the run is on flex-start nodes"
    if event.kind == "support_end":
        return "GKE upgrades clusters of this version, despite windows and exclusions"
    if event.coverage is None:
        return ""
    preempted = ["Spot VMs can be preempted at any time"] if event.spot else []
    return "; ".join([event.coverage.text, *preempted])


def exclusions_to_add(calendar: "Calendar") -> "Iterator[tuple[str, str]]":
    """For each cluster with runs that upgrades can interrupt: the place in the plan, and the YAML to paste."""
    for item in calendar.additions:
        plan = f"{item.plan}: " if len(calendar.plans) > 1 else ""
        yield f"{plan}{addition_text(item.addition)}", item.addition.text


def addition_text(addition: "Addition") -> str:
    """What to do with the YAML of an addition, and the runs that it does not cover."""
    path = format_path(addition.path)
    left = f"; no exclusion is left for {listed([f'run {printable(name)}' for name in addition.left], most=3)}"
    return f"{f'replace {path} with' if addition.replaces else f'add to {path}'}{left if addition.left else ''}"


def support_texts(calendar: "Calendar") -> tuple[str, ...]:
    """The end of support of each cluster, with its plan if another plan has a cluster of the same name."""
    keys = Counter(item.cluster for item in calendar.support)
    return tuple(
        f"{f'{item.plan} ' if keys[item.cluster] > 1 else ''}{printable(item.cluster)}: {_until(item.support)}"
        for item in calendar.support
    )


def _until(support: "Support") -> str:
    if not support.version:
        return "unknown, because the plan sets no version"
    version = f"GKE {support.version}{' in the Extended channel' if support.extended else ''}"
    if support.fact is None or support.end is None:
        return f"unknown, because the catalog has no date for {version}"
    newer = ", unless the cluster runs a newer version" if support.minimum else ""
    source = f"{', '.join(support.fact.source)}, {support.fact.as_of}, confidence {support.fact.confidence}"
    return f"{version} until {support.end.date()}{newer} ({source})"


def title(calendar: "Calendar") -> str:
    """Plans, days, and the dates of the data."""
    plans = calendar.plans[0] if len(calendar.plans) == 1 else number(len(calendar.plans), "plan")
    inventory = f"inventory {calendar.as_of}" if calendar.as_of else "no inventory"
    days = f"{calendar.first} to {calendar.last}"
    return f"{plans} · {days} · {inventory} · catalog {printable(calendar.catalog_version, 60)}"
