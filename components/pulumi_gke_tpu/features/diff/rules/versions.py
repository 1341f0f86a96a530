"""TPU955 to TPU957: changes of versions, release channels and exclusions."""

import datetime
from collections.abc import Iterable, Iterator
from typing import get_args

from pulumi_gke_tpu.core.catalog import VersionRange
from pulumi_gke_tpu.core.catalog.records.facts import note_by_id
from pulumi_gke_tpu.core.fleet import Cluster
from pulumi_gke_tpu.core.fleet.settings import ClusterSettings
from pulumi_gke_tpu.core.plan.cluster import ClusterSpec
from pulumi_gke_tpu.core.plan.upgrades import Exclusion
from pulumi_gke_tpu.core.rules.engine.rule import Hit, in_cluster, of_clusters, warning
from pulumi_gke_tpu.core.text.findings import Path, SetKeys, printable, quoted
from pulumi_gke_tpu.features.diff.rules.transition import Transition

_STRENGTH = {"no_minor_upgrades": 1, "no_minor_or_node_upgrades": 2, "no_upgrades": 3}
"""The upgrades that an exclusion with a scope prevents, as a rank."""
_WITHOUT_CHANNEL = "none"


def _kept(transition: Transition) -> Iterator[tuple[Cluster, Cluster]]:
    """The clusters that the change does not replace: a new cluster begins with the version of the plan."""
    for pair in transition.pairs:
        if pair.base is not None and pair.head is not None and not transition.replaced_for(pair.item.key):
            yield pair.base, pair.head


@warning(
    "TPU955",
    about=of_clusters("min_version"),
    title="Change lowers the GKE version",
    why="GKE cannot downgrade a control plane, so the provider sends no request. The plan would then contain a lower "
    "version than the cluster has",
    fix="Keep the version, or raise it.",
    references=["OBSERVED_2026_11_20", "provider-cluster"],
    source="observed in tests: the provider sends no request for a lower version",
    today="2025-09-01",
    failing=in_cluster("""
min_version: "1.34"
--- plan
mode: standard
location: us-east5
min_version: "1.33"
"""),
    passing=in_cluster("""
min_version: "1.34.1-gke.3084001"
--- plan
mode: standard
location: us-east5
min_version: "1.34"
"""),
)
def version_downgrade(transition: Transition) -> Iterable[Hit]:
    """A partial version is a range: it is lower only if none of its versions reaches the previous one."""
    for base, head in _kept(transition):
        was, will = _range(base), _range(head)
        if was is not None and will is not None and will.highest < was.lowest:
            yield Hit(
                (*head.path, "min_version"),
                f"this change lowers `min_version` of {quoted(head.key)} from {printable(was.text)} to "
                f"{printable(will.text)}",
                fix=SetKeys.of(min_version=was.text),
            )


def _range(cluster: Cluster) -> VersionRange | None:
    try:
        return VersionRange.parse(cluster.plan.min_version) if cluster.plan.min_version is not None else None
    except ValueError:
        return None


@warning(
    "TPU956",
    about=of_clusters("min_version", "release_channel"),
    title="Change to a slower release channel",
    why="the slower channel may not offer the current version yet. GKE then keeps the version of the cluster, but "
    "new node pools and clusters get an older version",
    fix="Keep the release channel. Or wait until the slower channel offers the current version, and set "
    "`min_version` to that version.",
    references=["google-skills-upgrades"],
    failing=in_cluster("""
release_channel: rapid
--- plan
mode: standard
location: us-east5
release_channel: stable
"""),
    passing=in_cluster("""
release_channel: stable
--- plan
mode: standard
location: us-east5
release_channel: rapid
"""),
)
def slower_release_channel(transition: Transition) -> Iterable[Hit]:
    """The plan format lists the channels from the fastest on."""
    channels = get_args(ClusterSpec.model_fields["release_channel"].annotation)
    order = {channel: place for place, channel in enumerate(channels) if channel != _WITHOUT_CHANNEL}
    for base, head in _kept(transition):
        was, will = (ClusterSettings(cluster).release_channel.value for cluster in (base, head))
        if was in order and will in order and order[will] > order[was]:
            path: Path = (*head.path, "release_channel")
            yield Hit(
                path if head.plan.written("release_channel") else head.path,
                f"this change moves {quoted(head.key)} from release channel {was} to {will}, which is slower",
                given=f"release_channel: {will}",
                fix=SetKeys.of(release_channel=was),
            )


_MAINTAINED = in_cluster("""
maintenance:
  window: {start: 2026-01-03T02:00:00Z, duration: 6h, days: [SAT, SUN]}
  exclusions:
    launch: {start: 2026-11-10T00:00:00Z, end: 2026-12-10T00:00:00Z}
""")


@warning(
    "TPU957",
    about=of_clusters("maintenance.exclusions"),
    title="Change removes an active exclusion",
    why="without the exclusion, GKE may upgrade the cluster, and the upgrade of a slice interrupts all its workloads",
    fix="Keep the exclusion until its end.",
    references=["google-skills-upgrades", "about-tpus"],
    today="2026-11-20",
    failing=f"{_MAINTAINED}--- plan\n{_MAINTAINED.rpartition('  exclusions')[0]}",
    passing=f"{_MAINTAINED}--- plan\n{_MAINTAINED.replace('launch', 'run').replace('12-10', '11-28')}",
)
def active_exclusion_removed(transition: Transition) -> Iterable[Hit]:
    """Compare the upgrades that exclusions block today, regardless of their names."""
    today = transition.today
    if today is None:
        return
    for base, head in _kept(transition):
        held = max((_STRENGTH[item.scope] for item in _in_force(head, today).values()), default=0)
        lost = {name: item for name, item in _in_force(base, today).items() if _STRENGTH[item.scope] > held}
        for name, exclusion in sorted(lost.items()):
            end = exclusion.end.date().isoformat() if exclusion.end else "the end of support"
            yield Hit(
                _place(head, name),
                f"this change removes exclusion {quoted(name)} of {quoted(head.key)}, which is active until {end}",
                fact=note_by_id(transition.catalog.maintenance.notes, "slice-upgrade") if head.groups else None,
            )


def _in_force(cluster: Cluster, today: datetime.date) -> dict[str, Exclusion]:
    maintenance = cluster.plan.maintenance
    return {
        name: item
        for name, item in (maintenance.exclusions if maintenance else {}).items()
        if item.start.date() <= today and (item.end is None or today <= item.end.date())
    }


def _place(cluster: Cluster, name: str) -> Path:
    """The path of the exclusion, or of the block that contained it."""
    maintenance = cluster.plan.maintenance
    if maintenance is None:
        return cluster.path
    path: Path = (*cluster.path, "maintenance")
    if name in maintenance.exclusions:
        return (*path, "exclusions", name)
    return (*path, "exclusions") if maintenance.exclusions else path
