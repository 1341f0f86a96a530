"""Checks of the cluster itself: TPU251 to TPU253."""

from collections.abc import Iterable

from pulumi_gke_tpu.core.fleet import Cluster
from pulumi_gke_tpu.core.fleet.settings import ClusterSettings
from pulumi_gke_tpu.core.rules.engine.context import PlanContext, is_moved
from pulumi_gke_tpu.core.rules.engine.rule import Hit, in_cluster, of_clusters, rule
from pulumi_gke_tpu.core.text.findings import SetKeys, printable, quoted
from pulumi_gke_tpu.core.text.formats.names import LONGEST_CLUSTER_NAME, gke_name_form, gke_name_like, is_gke_name


@rule(
    "TPU251",
    about=of_clusters("name"),
    title="Invalid cluster name",
    why="GKE requires a name of at most 40 lower-case letters, digits and hyphens that starts with a letter and does "
    "not end with a hyphen",
    fix="Change the key of the cluster. Or keep the key, and set `name`.",
    references=["container-api-discovery", "OBSERVED_2026_11_20"],
    source="observed in tests: the provider checks cluster names",
    note="cluster-name-form",
    failing=in_cluster("name: Train_East"),
    edit=("name: Train_East", "name: train-east"),
)
def invalid_cluster_name(context: PlanContext) -> Iterable[Hit]:
    for cluster in context.fleet.clusters:
        if cluster.existing:
            continue
        name = cluster.name if cluster.plan.name is None else cluster.plan.name
        if is_gke_name(name) and len(name) <= LONGEST_CLUSTER_NAME:
            if len(name) == 1 and _creates_nat(cluster):
                yield Hit.invalid(
                    (*cluster.path, "name") if cluster.plan.name is not None else cluster.path,
                    "cluster name",
                    name,
                    "Cloud NAT of the network has the same name, which needs at least 2 characters",
                    why="the provider rejects a Cloud NAT whose name has only one character",
                )
            continue
        length = f"{len(name):,} characters exceed the limit of {LONGEST_CLUSTER_NAME}"
        near = gke_name_like(name)[:LONGEST_CLUSTER_NAME].rstrip("-")
        yield Hit.invalid(
            (*cluster.path, "name") if cluster.plan.name is not None else cluster.path,
            "cluster name",
            name or "(empty)",
            length if len(name) > LONGEST_CLUSTER_NAME else gke_name_form(name),
            fix=SetKeys.of(name=near),
        )


def _creates_nat(cluster: Cluster) -> bool:
    network = cluster.plan.network
    return network is not None and network.create is not None and network.create.nat


@rule(
    "TPU252",
    plans_only="clusters with the same name can be in several projects",
    about=of_clusters("name"),
    title="Duplicate cluster name",
    why="a cluster name is unique in a project and location, so GKE cannot create the second cluster",
    fix="Rename one of the clusters.",
    references=["container-api-discovery", "OBSERVED_2026_11_20"],
    note="name-identity",
    failing="""
version: 1
project: acme-ml
clusters:
  train: {mode: standard, location: us-east5}
  train-two: {mode: standard, location: us-east5, name: train}
""",
    edit=(
        "train-two: {mode: standard, location: us-east5, name: train}",
        "train-two: {mode: standard, location: us-central1, name: train}",
    ),
)
def duplicate_cluster_name(context: PlanContext) -> Iterable[Hit]:
    owners: dict[tuple[str, str], Cluster] = {}
    for cluster in context.fleet.clusters:
        owner = owners.setdefault((cluster.name, cluster.location), cluster)
        if owner is not cluster and not is_moved(cluster, owner) and not (owner.existing or cluster.existing):
            yield Hit.duplicate(
                (*cluster.path, "name") if cluster.plan.name is not None else cluster.path,
                "cluster name",
                cluster.name,
                f"clusters {quoted(owner.key)} and {quoted(cluster.key)} in {printable(cluster.location)} both "
                "have this name",
            )


@rule(
    "TPU253",
    about=of_clusters("release_channel"),
    title="Autopilot requires a release channel",
    why="GKE enrolls every Autopilot cluster in a release channel",
    fix="Set a release channel. To delay upgrades, use a maintenance exclusion.",
    source="GKE: Autopilot clusters are enrolled in a release channel",
    failing=in_cluster("release_channel: none", mode="autopilot"),
    edit=("release_channel: none", "release_channel: stable"),
)
def autopilot_without_channel(context: PlanContext) -> Iterable[Hit]:
    for cluster in context.fleet.clusters:
        if cluster.mode == "autopilot" and ClusterSettings(cluster).release_channel.value == "none":
            yield Hit(
                (*cluster.path, "release_channel"),
                "an Autopilot cluster requires a release channel",
                allowed=("rapid", "regular", "stable", "extended"),
                fix=SetKeys.of(release_channel="regular"),
            )
