"""TPU215: the cluster that ``TpuSlices`` is given, against its other arguments."""

from collections.abc import Iterator

from pulumi_gke_tpu.findings import printable
from pulumi_gke_tpu.formats.cluster_reference import parse_cluster
from pulumi_gke_tpu.rules.engine.rule import Hit, Rule

OTHER_CLUSTER = Rule(
    "TPU215",
    title="Cluster in another location or project",
    why="a node pool is created in the location and project of its cluster",
    fix="Give `location` and `project` of the cluster.",
    source="GKE API: a node pool is a resource of its cluster",
    basis="format",
    breakable="component",
    failing="""
project: acme-ml
cluster: projects/acme-ml/locations/us-central1/clusters/train
location: us-east5
tpu: v6e
topology: 4x4
zone: us-east5-b
""",
    passing="""
project: acme-ml
cluster: projects/acme-ml/locations/us-east5/clusters/train
location: us-east5
tpu: v6e
topology: 4x4
zone: us-east5-b
""",
)


def cluster_hits(text: object, location: str, project: str) -> Iterator[Hit]:
    """What contradicts a reference to a cluster. Project numbers are not compared with project ids."""
    found = parse_cluster(text) if isinstance(text, str) else None
    if found is None:
        yield Hit(
            ("cluster",),
            f"{printable(text)} is not the id of a cluster",
            given=f"cluster: {printable(text)}",
            allowed=("projects/PROJECT/locations/LOCATION/clusters/NAME",),
        )
        return
    if found.location and found.location != location:
        yield Hit(
            ("location",),
            f"cluster {printable(found.name)} is in {printable(found.location)}, not in {printable(location)}",
            given=f"location: {printable(location)}",
            fix=f"location: {printable(found.location)}",
        )
    if found.project and found.project != project and not found.project.isdecimal() and not project.isdecimal():
        yield Hit(
            ("project",),
            f"cluster {printable(found.name)} is in project {printable(found.project)}, not in {printable(project)}",
            given=f"project: {printable(project)}",
            fix=f"project: {printable(found.project)}",
        )


RULES: tuple[Rule, ...] = (OTHER_CLUSTER,)
