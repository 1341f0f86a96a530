"""The check of the scopes of maintenance exclusions: TPU619."""

from collections.abc import Iterable

from pulumi_gke_tpu.core.catalog.records.facts import note_by_id
from pulumi_gke_tpu.core.fleet.settings import cluster_settings
from pulumi_gke_tpu.core.rules.engine.context import PlanContext
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule
from pulumi_gke_tpu.core.schedule.spans import NO_UPGRADES
from pulumi_gke_tpu.core.text.findings import SetKeys, Severity, quoted

_WITHOUT_CHANNEL = """
mode: standard
location: us-east5
release_channel: none
maintenance:
  window: {start: 2026-01-03T02:00:00Z, duration: 6h, days: [SAT, SUN]}
  exclusions:
"""
"""The cluster of an example, up to the entries of its exclusions."""


@rule(
    "TPU619",
    "exclusion-scope-without-channel",
    about=(
        "clusters.*.maintenance.exclusions.*.scope",
        "clusters.*.release_channel",
        "clusters.*.slices.*.upgrade.auto_upgrade",
    ),
    title="Exclusion scope requires a release channel",
    why="in a cluster without a release channel, automatic upgrades of nodes are controlled by each node pool, and an "
    "exclusion prevents all upgrades or none",
    fix="Set a release channel. Or use the scope no_upgrades, and `auto_upgrade: false` in the slice groups.",
    references=["gke-release-channels-copy", "google-skills-upgrades"],
    severity=Severity.WARNING,
    failing=_WITHOUT_CHANNEL
    + """    hold: {start: 2026-12-01T00:00:00Z, end: 2026-12-20T00:00:00Z, scope: no_minor_upgrades}
""",
    passing=_WITHOUT_CHANNEL
    + """    hold: {start: 2026-12-01T00:00:00Z, end: 2026-12-20T00:00:00Z, scope: no_upgrades}
""",
)
def exclusion_scope_without_channel(context: PlanContext) -> Iterable[Hit]:
    fact = note_by_id(context.catalog.maintenance.notes, "exclusion-scope-channel")
    for cluster in context.fleet.clusters:
        maintenance = cluster.plan.maintenance
        if cluster_settings(cluster).release_channel.value != "none" or cluster.existing or maintenance is None:
            continue
        for name, exclusion in maintenance.exclusions.items():
            if exclusion.scope != NO_UPGRADES:
                yield Hit(
                    (*cluster.path, "maintenance", "exclusions", name, "scope"),
                    f"scope {exclusion.scope} of exclusion {quoted(name)} requires a release channel",
                    fact=fact,
                    given=f"scope: {exclusion.scope}",
                    fix=SetKeys.of(scope=NO_UPGRADES) if exclusion.end else None,
                )
