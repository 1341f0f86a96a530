"""The minimum GKE version of a slice group, and the properties that require it."""

from collections.abc import Iterator

from pulumi_gke_tpu.core.catalog import Catalog, Fact, GkeVersion
from pulumi_gke_tpu.core.fleet import Cluster, SliceGroup
from pulumi_gke_tpu.core.fleet.features import features_of
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.features.explain.steps import Evidence, evidence


@frozen
class VersionNeed:
    """A minimum version and the feature that requires it. ``alternatives`` are minimums on older minor versions."""

    what: str
    version: GkeVersion
    text: str
    """The version in the notation of the catalog."""
    fact: Fact
    alternatives: tuple[str, ...] = ()
    field: str = ""
    """The field of the fact with the version."""

    def evidence(self, catalog: Catalog) -> tuple[Evidence, ...]:
        """The evidence of the version."""
        return evidence(catalog, self.fact, self.field)


def version_needs(catalog: Catalog, cluster: Cluster, group: SliceGroup) -> tuple[VersionNeed, ...]:
    """All known minimums of a group, highest first."""
    return tuple(sorted(_needs(catalog, cluster, group), key=lambda need: (need.version, need.what), reverse=True))


def _needs(catalog: Catalog, cluster: Cluster, group: SliceGroup) -> Iterator[VersionNeed]:
    shape = group.shape
    family = catalog.generation(shape.generation).families[shape.family]
    least = family.minimum_version.get(cluster.mode)
    if least is not None:
        yield VersionNeed(shape.generation, GkeVersion.parse(least), least, family, field="minimum_version")
    for name in features_of(group, catalog.platform.names.node_labels):
        feature = catalog.versions.features.get(name)
        version = getattr(feature, cluster.mode) if feature else None
        if feature is not None and version is not None:
            yield VersionNeed(
                feature.title, GkeVersion.parse(version), version, feature, feature.alternatives, cluster.mode
            )
