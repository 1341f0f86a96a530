"""TPU846: facts that a plan states about the cluster of another plan."""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.fleet import Cluster
from pulumi_gke_tpu.core.fleet.checked import PlanInFleet
from pulumi_gke_tpu.core.fleet.settings import ClusterSettings
from pulumi_gke_tpu.core.rules.engine.rule import Hit, in_cluster, of_clusters, rule
from pulumi_gke_tpu.core.text.findings import SetKeys, printable, quoted

_Fact = tuple[str, str | None, str | None]


@rule(
    "TPU846",
    about=of_clusters("existing", "name", "release_channel"),
    title="Stated fact differs from the plan that creates the cluster",
    why="gke-tpu checks the slices against the stated facts, so it checks them against a cluster that does not exist",
    fix="Set the key to the value in the plan that creates the cluster, or remove an optional key.",
    source="The plan that creates the cluster",
    failing=in_cluster("""
name: shared
release_channel: stable
--- plan
mode: standard
existing: projects/acme-ml/locations/us-east5/clusters/shared
release_channel: rapid
"""),
    edit=("release_channel: rapid", "release_channel: stable"),
)
def contradictory_cluster_fact(plans: tuple[PlanInFleet, ...]) -> Iterable[Hit]:
    clusters = [(member, cluster) for member in plans for cluster in member.fleet.clusters]
    created = {_identity(cluster): (member, cluster) for member, cluster in clusters if not cluster.existing}
    for member, cluster in clusters:
        if not cluster.existing or _identity(cluster) not in created:
            continue
        creator, made = created[_identity(cluster)]
        for key, stated, actual in _facts(cluster, made):
            if stated is not None and stated != actual:
                yield Hit(
                    (*cluster.path, key),
                    f"`{key}` of the existing cluster {quoted(cluster.name)} is {printable(stated)} here, but "
                    f"{printable(actual)} in {creator.name}",
                    fix=SetKeys.of({key: actual}),
                ).within(member.document)


def _identity(cluster: Cluster) -> tuple[str, ...]:
    return cluster.project, cluster.location, cluster.name


def _facts(stated: Cluster, made: Cluster) -> Iterator[_Fact]:
    """Facts that a plan decides. A version can be newer than the requested minimum, so it is not compared."""
    yield "mode", stated.mode, made.mode
    channel, real = (ClusterSettings(cluster).release_channel.value for cluster in (stated, made))
    yield "release_channel", channel, real
