"""TPU82x: GKE versions of the plans against the offered versions in the inventory."""

from collections.abc import Iterable, Iterator, Sequence

from pulumi_gke_tpu.core.catalog import GkeVersion, VersionRange
from pulumi_gke_tpu.core.catalog.records.generation import Family
from pulumi_gke_tpu.core.fleet import Cluster
from pulumi_gke_tpu.core.fleet.checked import PlanInFleet
from pulumi_gke_tpu.core.fleet.settings import ClusterSettings
from pulumi_gke_tpu.core.rules.engine.rule import Hit, in_cluster, of_clusters, rule, warning
from pulumi_gke_tpu.core.text.findings import SetKeys, printable
from pulumi_gke_tpu.core.text.formats.versions import decisive_item
from pulumi_gke_tpu.features.capacity.rules.inventory.context import InventoryContext

_MOST_SHOWN = 8


def version_range(text: str) -> VersionRange | None:
    """The versions that a text can mean; None if it is not a GKE version."""
    try:
        return VersionRange.parse(text)
    except ValueError:
        return None


def _offers(context: InventoryContext, cluster: Cluster) -> dict[str, list[VersionRange]]:
    """The offered versions at the location of the cluster, by release channel."""
    channels = context.inventory.gke_versions.get(cluster.location, {})
    return {
        channel: [known for known in map(version_range, versions) if known is not None]
        for channel, versions in channels.items()
        if versions and all(version_range(text) is not None for text in versions)
    }


def _clusters(
    context: InventoryContext,
) -> Iterator[tuple[PlanInFleet, Cluster, dict[str, list[VersionRange]], list[VersionRange]]]:
    """New clusters with offered versions for their release channel: those of all channels, and of their own.

    An existing cluster keeps its version, which its location may not offer to new ones any more.
    """
    for member in context.plans:
        for cluster in member.fleet.clusters:
            channels = _offers(context, cluster)
            channel = ClusterSettings(cluster).release_channel.value
            if channel in channels and not cluster.existing:
                yield member, cluster, channels, channels[channel]


@warning(
    "TPU821",
    about=of_clusters("min_version"),
    title="Version is not offered in the location",
    why="GKE creates a cluster only with a version that the location and the release channel offer. An existing "
    "cluster keeps its version",
    fix="Use a version from the inventory, or update the inventory.",
    source="the inventory",
    failing=in_cluster("""
min_version: "1.35"
--- inventory
gke_versions:
  us-east5: {regular: ["1.34.4-gke.1047000"]}
"""),
    edit=('min_version: "1.35"', 'min_version: "1.34"'),
)
def version_not_in_inventory(context: InventoryContext) -> Iterable[Hit]:
    for member, cluster, _, offered in _clusters(context):
        written = version_range(cluster.plan.min_version) if cluster.plan.min_version is not None else None
        if written is None or any(_overlap(written, item) for item in offered) or _unserved(context, cluster, offered):
            continue
        channel = ClusterSettings(cluster).release_channel.value
        hit = Hit(
            (*cluster.path, "min_version"),
            f"the inventory has no version {written.text} for release channel {channel} in {cluster.location}",
            allowed=_newest(offered),
        )
        yield hit.within(member.document)


def _newest(offered: Sequence[VersionRange]) -> tuple[str, ...]:
    """The newest versions, and how many older ones there are."""
    versions = [item.text for item in sorted(offered, key=lambda item: item.highest)]
    older = len(versions) - _MOST_SHOWN
    return (*([f"{older:,} older"] if older > 0 else []), *versions[-_MOST_SHOWN:])


def _overlap(one: VersionRange, other: VersionRange) -> bool:
    return one.lowest <= other.highest and other.lowest <= one.highest


@rule(
    "TPU822",
    about=of_clusters("release_channel"),
    title="No offered version supports the generation",
    why="the generation requires a minimum version of the cluster, and GKE rejects its node pools in a cluster with "
    "an older version",
    fix="Use another location or a release channel with a newer version. Or update the inventory.",
    references=["plan-tpus", "gke-release-digest"],
    failing="""
mode: standard
location: us-central1
slices:
  pretrain: {tpu: tpu7x, topology: 4x4x4, zone: us-central1-c}
--- inventory
gke_versions:
  us-central1: {regular: ["1.33.5-gke.1162000"], rapid: ["1.35.2-gke.1842000"]}
""",
    passing="""
mode: standard
location: us-central1
release_channel: rapid
slices:
  pretrain: {tpu: tpu7x, topology: 4x4x4, zone: us-central1-c}
--- inventory
gke_versions:
  us-central1: {regular: ["1.33.5-gke.1162000"], rapid: ["1.35.2-gke.1842000"]}
""",
)
def no_version_for_generation(context: InventoryContext) -> Iterable[Hit]:
    for member, cluster, channels, offered in _clusters(context):
        newest, channel = max(offered, key=lambda item: item.highest), ClusterSettings(cluster).release_channel.value
        for generation, family, minimum in _unserved(context, cluster, offered):
            enough = [channel for channel in channels if _has(channels[channel], minimum)]
            hit = Hit(
                (*cluster.path, "release_channel"),
                f"{generation} requires GKE {minimum}, but release channel {channel} in "
                f"{cluster.location} offers at most {newest.text}",
                fact=family.for_item(decisive_item(newest, "minimum_version", family.lowest_version.get(cluster.mode))),
                given=f"release_channel: {channel}",
                allowed=tuple(printable(channel) for channel in enough),
                fix=SetKeys.of(release_channel=enough[0]) if enough else None,
            )
            yield hit.within(member.document)


def _has(offered: list[VersionRange], minimum: GkeVersion) -> bool:
    return any(item.highest >= minimum for item in offered)


def _unserved(
    context: InventoryContext, cluster: Cluster, offered: list[VersionRange]
) -> list[tuple[str, Family, GkeVersion]]:
    """The machine families of the cluster's groups that require a newer version than any offered one."""
    found: dict[str, tuple[str, Family, GkeVersion]] = {}
    for shape in {group.shape.family: group.shape for group in cluster.groups}.values():
        family = context.catalog.generation(shape.generation).families[shape.family]
        minimum = family.minimum_version.get(cluster.mode)
        if minimum is not None and not _has(offered, GkeVersion.parse(minimum)):
            found[shape.family] = (shape.generation, family, GkeVersion.parse(minimum))
    return [found[family] for family in sorted(found)]
