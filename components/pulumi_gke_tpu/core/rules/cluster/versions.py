"""Checks of GKE versions and release channels: TPU230 to TPU235 and TPU238."""

import datetime
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from pulumi_gke_tpu.core.catalog import Catalog, VersionRange
from pulumi_gke_tpu.core.catalog.naming import hardware
from pulumi_gke_tpu.core.catalog.records.generation import Family
from pulumi_gke_tpu.core.catalog.records.platform import FeatureVersion, NewestMinor
from pulumi_gke_tpu.core.fleet import Cluster, SliceGroup
from pulumi_gke_tpu.core.fleet.features import features_of
from pulumi_gke_tpu.core.fleet.settings import SLICE_CONTROLLER, ClusterSettings
from pulumi_gke_tpu.core.rules.cluster.autoprovisioning import limited_generations
from pulumi_gke_tpu.core.rules.engine.context import PlanContext
from pulumi_gke_tpu.core.rules.engine.rule import Hit, in_cluster, of_clusters, of_groups, rule, warning
from pulumi_gke_tpu.core.schedule.support import oldest_supported, support_of
from pulumi_gke_tpu.core.text.findings import Fix, Path, SetKeys, Severity, as_only, quoted
from pulumi_gke_tpu.core.text.formats.versions import decisive_item, is_too_low
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_ADDON_FEATURES = {
    "high_scale_checkpointing": "multi_tier_checkpointing",
    "lustre": "managed_lustre",
    SLICE_CONTROLLER: "slice_controller",
}


@rule(
    "TPU230",
    about=of_clusters("min_version", "version"),
    title="GKE version is not available yet",
    why="GKE rejects a cluster with a version that GKE does not offer",
    fix="Set a minor version that GKE offers. Or remove `min_version`: GKE then uses the default of the release "
    "channel.",
    references=["gke-dynamic-slicing", "subslicing-news", "kubernetes-releases"],
    otherwise={Severity.WARNING: "if GKE may offer the version by now"},
    today="2026-11-20",
    failing=in_cluster('min_version: "1.99"'),
    edit=('min_version: "1.99"', 'min_version: "1.36"'),
)
def unavailable_version(context: PlanContext) -> Iterable[Hit]:
    """An error for a version that GKE cannot have at twice its usual pace; a warning for a version after the newest."""
    facts = context.catalog.versions.newest_minor
    newest = VersionRange.parse(facts.minor)
    for cluster in context.fleet.clusters:
        written = _version(cluster)
        if written is None or written.lowest <= newest.highest:
            continue
        far = _is_far(written, newest, facts, context.today)
        yield Hit(
            (*cluster.path, cluster.version_key),
            f"version {written.text} is newer than {newest.text}, the newest known minor version of GKE",
            fact=facts,
            severity=None if far else Severity.WARNING,
            why="" if far else "the catalog may be older than the version, so GKE may already offer it",
            fix=_fix(context, cluster, newest.text),
        )


def _is_far(written: VersionRange, newest: VersionRange, facts: NewestMinor, today: datetime.date | None) -> bool:
    """Whether a minor version is more than twice as far off as the releases since the fact and of one more year."""
    if today is None or written.lowest.major != newest.lowest.major:
        return False
    since = datetime.date.fromisoformat((facts.as_of + "-01-01")[:10])
    years = 1 + max((today - since).days, 0) / 365
    return written.lowest.minor > newest.lowest.minor + 2 * facts.minors_per_year * years


@rule(
    "TPU231",
    about=of_clusters("min_version", "version"),
    title="Malformed GKE version",
    why="GKE and gke-tpu compare versions number by number, so each version must consist of numbers",
    fix="Write a minor version such as 1.34 or a full version such as 1.34.1-gke.3084001, in quotes.",
    source="GKE: version numbers are MAJOR.MINOR.PATCH-gke.N",
    failing=in_cluster("min_version: latest"),
    edit=("min_version: latest", 'min_version: "1.34"'),
)
def malformed_version(context: PlanContext) -> Iterable[Hit]:
    for cluster in context.fleet.clusters:
        written = cluster.version
        if written is not None and _version(cluster) is None:
            bare = _NO_NUMBER.sub("", written.strip())
            yield Hit.invalid(
                (*cluster.path, cluster.version_key),
                "GKE version",
                written,
                allowed=("a version such as 1.34 or 1.34.1-gke.3084001",),
                fix=as_only(SetKeys.of({cluster.version_key: bare})) if _parsed(bare) else None,
            )


_NO_NUMBER = lazy_pattern(r"\A(?:gke-|>=\s*)?[vV]?|(?:\.[xX*]|\+|-gke)\Z")
"""What people write before and behind the numbers of a version: ``v1.34``, ``1.34.x``, ``1.34+`` and ``1.34-gke``."""


def _parsed(text: str) -> VersionRange | None:
    try:
        return VersionRange.parse(text)
    except ValueError:
        return None


def _version(cluster: Cluster) -> VersionRange | None:
    """The versions that the cluster can have; None if the plan does not set a version, or if it is malformed."""
    return _parsed(cluster.version) if cluster.version is not None else None


def _fix(context: PlanContext, cluster: Cluster, minimum: str) -> Fix | None:
    """The key that requests a version; none for an existing cluster, whose version the plan only states."""
    if cluster.version_key == "version":
        return None
    oldest = _oldest(context, cluster)
    if oldest is not None and VersionRange.parse(minimum).highest < VersionRange.parse(oldest).lowest:
        minimum = oldest  # GKE rejects a version that it no longer supports
    return SetKeys.of(min_version=minimum)


def _oldest(context: PlanContext, cluster: Cluster) -> str | None:
    """The oldest minor version that GKE supports in the release channel of a cluster; None if it is unknown."""
    channel = ClusterSettings(cluster).release_channel.value
    return oldest_supported(context.catalog, extended=channel == "extended", today=context.today)


@rule(
    "TPU232",
    about=of_clusters("min_version", "version"),
    title="GKE version is too low for the generation",
    why="a generation requires a minimum version of the cluster, and GKE rejects its node pools in a cluster with an "
    "older version",
    fix="Raise `min_version`. Or remove `min_version`: GKE then uses the default of the release channel. If the plan "
    "uses an existing cluster, first upgrade the cluster and then change `version`.",
    references=["plan-tpus", "gke-release-digest"],
    by_family=True,
    today="2025-09-01",
    failing="""
mode: standard
location: us-central1
min_version: "1.33"
slices:
  pretrain: {tpu: tpu7x, topology: 4x4x4, zone: us-central1-c}
""",
    edit=('min_version: "1.33"', 'min_version: "1.34"'),
)
def version_below_generation_minimum(context: PlanContext) -> Iterable[Hit]:
    for cluster in context.fleet.clusters:
        written = _version(cluster)
        place = (*cluster.path, cluster.version_key)
        for hit, minimum in _below_generations(cluster, cluster.groups, written, place, context.catalog):
            yield replace(hit, fix=_fix(context, cluster, minimum))


def _below_generations(
    cluster: Cluster, groups: Sequence[SliceGroup], written: VersionRange | None, place: Path, catalog: Catalog
) -> Iterator[tuple[Hit, str]]:
    """The first group of each family that requires a higher version, with this version."""
    users = {group.shape.family: group for group in reversed(groups)} if written else {}
    for name, group in sorted(users.items()):
        family = _family(catalog, group)
        minimum = family.minimum_version.get(cluster.mode)
        if minimum is not None and written is not None and is_too_low(written, minimum):
            item = decisive_item(written, "minimum_version", family.lowest_version.get(cluster.mode))
            message = (
                f"{hardware(group.shape.generation, name)} in {quoted(group.key)} requires GKE {minimum} "
                f"on {cluster.mode.title()}, but `{place[-1]}` is {written.text}"
            )
            yield Hit(place, message, fact=family.for_item(item)), minimum


def _family(catalog: Catalog, group: SliceGroup) -> Family:
    return catalog.generation(group.shape.generation).families[group.shape.family]


@rule(
    "TPU233",
    about=of_clusters("min_version", "slices.*.capacity", "version"),
    otherwise={Severity.WARNING: "if the feature is TPUs on Autopilot"},
    title="GKE version is too low for a feature",
    why="a cluster with an older version rejects or ignores the feature",
    fix="Raise `min_version`. Or remove `min_version`: GKE then uses the default of the release channel. If the plan "
    "uses an existing cluster, first upgrade the cluster and then change `version`.",
    references=["about-tpus", "gke-flex-start", "gke-compute-class-concept", "gke-dynamic-slicing"],
    by_family=True,
    today="2025-09-01",
    failing=in_cluster("""
min_version: "1.32"
slices:
  sweep: {tpu: v6e, topology: 4x4, zone: us-east5-b, capacity: flex_start}
"""),
    edit=('min_version: "1.32"', 'min_version: "1.33"'),
)
def version_below_feature_minimum(context: PlanContext) -> Iterable[Hit]:
    for cluster in context.fleet.clusters:
        written = _version(cluster)
        used = _used(cluster, context.catalog) if written else []
        for hit, least in _below_features(cluster, used, written, (*cluster.path, cluster.version_key)):
            yield replace(hit, fix=_fix(context, cluster, least))


def _below_features(
    cluster: Cluster, used: Sequence[tuple[str, FeatureVersion, str]], written: VersionRange | None, place: Path
) -> Iterator[tuple[Hit, str]]:
    """The features that require a higher version, with this version."""
    for name, feature, user in used:
        minimum = feature.standard if cluster.mode == "standard" else feature.autopilot
        if written is None or minimum is None or not is_too_low(written, minimum, feature.alternatives):
            continue
        least = _range_from(minimum)
        on_older = f" (or {' or '.join(feature.alternatives)})" if feature.alternatives else ""
        hit = Hit(
            place,
            f"{feature.title} ({user}) requires GKE {least}{on_older}, but `{place[-1]}` is {written.text}",
            fact=feature.for_item(decisive_item(written, cluster.mode, feature.lowest)),
            severity=Severity.WARNING if name == _AUTOPILOT_TPUS else None,
        )
        yield hit, least


@rule(
    "TPU238",
    about=of_groups("extra"),
    title="GKE version of the nodes is too low",
    why="the nodes have a version of their own, and a generation and some features require a minimum version of the "
    "nodes, too",
    fix="Raise `version`, or remove it: the nodes then have the version of the control plane.",
    references=["plan-tpus", "gke-release-digest", "gke-dynamic-slicing"],
    plans_only="resources with a version of their own are described as a cluster with that version",
    today="2026-11-20",
    failing="""
mode: standard
location: us-central1
slices:
  serve: {tpu: tpu7x, topology: 2x2x1, zone: us-central1-c, extra: {version: 1.33.1-gke.100}}
""",
    edit=("1.33.1-gke.100", "1.35.2-gke.1842000"),
)
def node_version_below_minimum(context: PlanContext) -> Iterable[Hit]:
    for cluster, group in context.fleet.groups():
        text = group.plan.extra.get(_VERSION) if cluster.mode == "standard" else None
        written = _parsed(text) if isinstance(text, str) else None
        if written is None:
            continue
        place, features = (*group.path, "extra", _VERSION), context.catalog.versions.features
        names = [*dict.fromkeys(features_of(group, context.catalog.platform.names.node_labels))]
        used = [(name, features[name], quoted(group.key)) for name in names if name in features]
        yield from (hit for hit, _ in _below_generations(cluster, (group,), written, place, context.catalog))
        yield from (hit for hit, _ in _below_features(cluster, used, written, place))


def _range_from(minimum: str) -> str:
    """A minimum in the form of a plan: 1.35 for the first version of that minor version, which GKE never offers."""
    return re.sub(r"\.0(?:-gke\.0)?\Z", "", minimum)


_AUTOPILOT_TPUS, _VERSION = "autopilot_tpu_default", "version"


def _used(cluster: Cluster, catalog: Catalog) -> list[tuple[str, FeatureVersion, str]]:
    """The features with facts about versions that a cluster uses, sorted, each with its first user in words."""
    users = dict(reversed([*_used_by_groups(cluster, catalog), *_used_by_cluster(cluster, catalog)]))
    if not users:
        return []
    features = catalog.versions.features
    return [(name, features[name], users[name]) for name in sorted(users) if name in features]


def _used_by_groups(cluster: Cluster, catalog: Catalog) -> Iterator[tuple[str, str]]:
    if cluster.mode == "autopilot" and cluster.groups:
        yield _AUTOPILOT_TPUS, quoted(cluster.groups[0].key)
    for group in cluster.groups:
        for name in features_of(group, catalog.platform.names.node_labels):
            yield name, quoted(group.key)


def _used_by_cluster(cluster: Cluster, catalog: Catalog) -> Iterator[tuple[str, str]]:
    if cluster.plan.autoprovisioning is not None:
        for generation in limited_generations(catalog, cluster.plan.autoprovisioning):
            yield f"auto_creation_{generation}", "`autoprovisioning`"
            yield f"autoscaling_{generation}", "`autoprovisioning`"
    yield from _used_by_workloads(cluster, catalog)
    if cluster.plan.ml_diagnostics:
        yield "ml_diagnostics", "`ml_diagnostics`"
    for word in cluster.plan.addons:
        if word == SLICE_CONTROLLER and cluster.forms_slices:
            continue  # the groups need the same versions
        if word in _ADDON_FEATURES and cluster.mode in catalog.platform.addons[word].modes:
            yield _ADDON_FEATURES[word], f"add-on {word}"


def _used_by_workloads(cluster: Cluster, catalog: Catalog) -> Iterator[tuple[str, str]]:
    for name, workload in cluster.plan.kubernetes.workloads.items() if cluster.plan.kubernetes else ():
        if workload.grace_period is not None:
            yield "graceful_termination", f"`grace_period` of workload {quoted(name)}"
        if workload.topology in catalog.kubernetes.pods.dynamic_slices.parts and cluster.forms_slices:
            yield "dynamic_sub_slicing", f"`topology` of workload {quoted(name)}"
        if workload.gateway is not None and workload.gateway.inference_pool is not None:
            yield "inference_pool", f"`inference_pool` of workload {quoted(name)}"


@warning(
    "TPU234",
    about=of_clusters("addons", "release_channel", "slices.*.slicing"),
    title="Feature is not available on the release channel",
    why="GKE offers the feature only on some release channels",
    fix="Use a release channel that has the feature, or remove the feature.",
    references=["gke-dynamic-slicing", "gke-dynamic-slicing-scheduler", "subslicing-news"],
    by_family=True,
    failing="""
mode: standard
location: us-central1
addons: [slice_controller]
slices:
  cube: {tpu: tpu7x, topology: 4x4x4, zone: us-central1-c, capacity: {reservation: cubes}}
""",
    edit=("addons: [", "release_channel: rapid\naddons: ["),
)
def feature_not_on_channel(context: PlanContext) -> Iterable[Hit]:
    for cluster in context.fleet.clusters:
        channel = ClusterSettings(cluster).release_channel.value
        for _, feature, user in _used(cluster, context.catalog):
            if channel is not None and feature.channels and channel not in feature.channels:
                yield Hit(
                    (*cluster.path, "release_channel"),
                    f"{feature.title} ({user}) is not available on release channel {channel}",
                    fact=feature.for_item("channels"),
                    given=f"release_channel: {channel}",
                    allowed=feature.channels,
                    fix=None if cluster.predates_plan else SetKeys.of(release_channel=feature.channels[0]),
                )


@warning(
    "TPU235",
    about=of_clusters("min_version"),
    title="GKE version is no longer supported",
    why="GKE does not create clusters with a version after the end of its support, and upgrades existing clusters",
    fix="Set a minor version that GKE supports. Or remove `min_version`: GKE then uses the default of the release "
    "channel.",
    references=["endoflife-gke", "gke-release-schedule-copy", "google-skills-upgrades"],
    today="2026-11-20",
    failing=in_cluster('min_version: "1.30"', location="us-west4"),
    edit=('min_version: "1.30"', 'min_version: "1.35"'),
)
def unsupported_version(context: PlanContext) -> Iterable[Hit]:
    for cluster in context.fleet.clusters:
        written, oldest = _version(cluster), _oldest(context, cluster)
        if (
            written is None
            or oldest is None
            or (cluster.version_key == "version" and not context.of_resources)
            or written.highest >= VersionRange.parse(oldest).lowest
        ):
            continue
        support = support_of(cluster, context.catalog)
        where = " in the Extended channel" if support.extended else ""
        when = f" since {support.end:%Y-%m-%d}" if support.end else ""
        yield Hit(
            (*cluster.path, cluster.version_key),
            f"GKE {support.version} is not supported{where}{when}",
            fact=support.fact,
            fix=_fix(context, cluster, oldest),
        )
