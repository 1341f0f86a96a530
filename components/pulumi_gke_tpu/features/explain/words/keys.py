"""Explains features, add-ons and disk types."""

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.naming import hardware
from pulumi_gke_tpu.core.catalog.places import generation_of
from pulumi_gke_tpu.core.text.findings import listed
from pulumi_gke_tpu.features.explain.steps import Explanation, Step, evidence


def explain_feature(catalog: Catalog, word: str) -> Explanation | None:
    """A feature of GKE with a minimum version."""
    feature = catalog.versions.features.get(word)
    if feature is None:
        return None
    facts = evidence(catalog, feature)
    reason = f"minimum GKE version for {feature.title}"
    steps = [
        Step(mode.title(), version, reason, facts)
        for mode, version in (("standard", feature.standard), ("autopilot", feature.autopilot))
        if version is not None
    ]
    if feature.alternatives:
        steps.append(Step("or", listed(feature.alternatives, "or"), "the minimum if the minor version is older", facts))
    if feature.channels:
        steps.append(Step("channels", listed(feature.channels), "release channels with the feature", facts))
    if word == "collections":
        labels = catalog.platform.names
        reason = "node label with the name of the collection"
        steps.append(
            Step("label", labels.node_labels.collection, reason, evidence(catalog, labels.labels, "documented"))
        )
    return Explanation(
        item=word,
        kind="feature",
        summary=f"a feature with a minimum GKE version: {feature.title}",
        catalog=catalog.about.version,
        steps=tuple(steps) or (Step("version", "unknown", reason, facts),),
    )


def explain_addon(catalog: Catalog, word: str) -> Explanation | None:
    """A cluster add-on."""
    addon = catalog.platform.addons.get(word)
    if addon is None:
        return None
    uses = [f"{mode.title()} (optional)" for mode in addon.modes]
    uses += [f"{mode.title()} (always enabled)" for mode in addon.always_on]
    step = Step("modes", listed(uses), "cluster modes that support the add-on", evidence(catalog, addon))
    return Explanation(
        item=word,
        kind="addon",
        summary=f"a cluster add-on: {addon.title}",
        catalog=catalog.about.version,
        steps=(step,),
        paste=f"addons: [{word}]",
    )


def explain_disk(catalog: Catalog, word: str) -> Explanation | None:
    """A disk type and the machine families that boot from it or attach it."""
    steps = []
    for family, disks in catalog.disks.families.items():
        uses = [use for use, types in (("boot disk", disks.boot), ("attached disk", disks.attach)) if word in types]
        if uses:
            doubts = [
                text
                for text, types in (
                    ("only on confidential nodes", disks.confidential_only),
                    ("sources disagree on whether the disk type is supported", disks.doubtful),
                )
                if word in types
            ]
            name = hardware(generation_of(catalog, family), family)
            steps.append(Step(name, listed(uses), "; ".join(doubts) or "supported", evidence(catalog, disks)))
    if not steps:
        return None
    return Explanation(
        item=word,
        kind="disk",
        summary="a disk type; machine families that are not in this list do not support it",
        catalog=catalog.about.version,
        steps=tuple(steps),
    )
