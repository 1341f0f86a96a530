"""What GKE reports about the upgrades of clusters, from a snapshot."""

import pathlib
from collections.abc import Iterator, Sequence

import click

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan, plans_in_fleet
from pulumi_gke_tpu.core.objects.document import items, mapping, text
from pulumi_gke_tpu.core.schedule.events import ReportedUpgrades
from pulumi_gke_tpu.features.status.commands import snapshot_of

_DAY = len("2026-11-28")


def reported_upgrades(
    plans: Sequence[CheckedPlan], folder: pathlib.Path, catalog: Catalog
) -> Iterator[ReportedUpgrades]:
    """What the folder has about each cluster of a plan. The files of a snapshot have the keys of one plan.

    Raises:
        click.UsageError: there are several plans, or the folder has no snapshot.
    """
    members = [*plans_in_fleet(plans)]
    if len(members) != 1:
        raise click.UsageError("--snapshot requires exactly one plan: the one that the snapshot was made for")
    (member,) = members
    snapshot = snapshot_of(member.fleet, folder, catalog)
    missing = {each.of: each.reason for each in snapshot.not_read if each.name == "upgrades"}
    for cluster in member.fleet.clusters:
        if cluster.key in missing:
            yield ReportedUpgrades(member.name, cluster.key, snapshot.taken.date(), missing=missing[cluster.key])
        else:
            answer = mapping(snapshot.answers.get(("upgrades", cluster.key)))
            yield ReportedUpgrades(
                member.name,
                cluster.key,
                snapshot.taken.date(),
                text(answer.get("endOfStandardSupportTimestamp"))[:_DAY],
                text(answer.get("endOfExtendedSupportTimestamp"))[:_DAY],
                tuple(each for each in items(answer.get("autoUpgradeStatus")) if isinstance(each, str)),
                tuple(each for each in items(answer.get("pausedReason")) if isinstance(each, str)),
                text(answer.get("minorTargetVersion")),
                text(answer.get("patchTargetVersion")),
            )
