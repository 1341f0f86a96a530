"""What the calendar calls its events."""

from typing import TYPE_CHECKING

from pulumi_gke_tpu.findings import number, printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pulumi_gke_tpu.schedule.events import Calendar, ClusterSupport, Event


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
    """Clusters with runs that upgrades can interrupt, and the exclusion that prevents them, as YAML."""
    for event in calendar.events:
        if event.coverage is not None and event.coverage.proposal is not None:
            yield printable(event.place.partition("/")[0]), event.coverage.proposal.text


def support_text(item: "ClusterSupport") -> str:
    """The end of support of the version of a cluster."""
    cluster, support = printable(item.cluster), item.support
    if not support.version:
        return f"{cluster}: unknown, because the plan sets no version"
    version = f"GKE {support.version}{' in the Extended channel' if support.extended else ''}"
    if support.fact is None or support.end is None:
        return f"{cluster}: unknown, because the catalog has no date for {version}"
    newer = ", unless the cluster runs a newer version" if support.minimum else ""
    source = f"{', '.join(support.fact.source)}, {support.fact.as_of}, confidence {support.fact.confidence}"
    return f"{cluster}: {version} until {support.end.date()}{newer} ({source})"


def title(calendar: "Calendar") -> str:
    """Plans, days, and the dates of the data."""
    plans = calendar.plans[0] if len(calendar.plans) == 1 else number(len(calendar.plans), "plan")
    inventory = f"inventory {calendar.as_of}" if calendar.as_of else "no inventory"
    days = f"{calendar.first} to {calendar.last}"
    return f"{plans} · {days} · {inventory} · catalog {printable(calendar.catalog_version, 60)}"
