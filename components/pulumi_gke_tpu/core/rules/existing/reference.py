"""Checks that the arguments of ``TpuSlices`` match its cluster: TPU215."""

from collections.abc import Iterator

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.rules.engine.hit import Hit
from pulumi_gke_tpu.core.rules.engine.rule import Scope, rule
from pulumi_gke_tpu.core.text.findings import SetKeys, printable, quoted
from pulumi_gke_tpu.core.text.formats.cluster_reference import parse_cluster


@frozen
class SlicesArguments:
    """The arguments of ``TpuSlices`` that identify the cluster of the node pools."""

    cluster: object
    location: str
    project: str


@rule(
    "TPU215",
    "cluster-location-mismatch",
    scope=Scope.COMPONENT,
    title="Cluster is in another location or project",
    why="a node pool is always in the location and project of its cluster",
    fix="Set `location` and `project` to those of the cluster.",
    references=["container-api-discovery"],
    basis="format",
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
def cluster_location_mismatch(arguments: SlicesArguments) -> Iterator[Hit]:
    """Arguments that conflict with the reference to a cluster. Project numbers are not compared with project IDs."""
    text, location, project = arguments.cluster, arguments.location, arguments.project
    found = parse_cluster(text) if isinstance(text, str) else None
    if found is None:
        yield Hit.invalid(
            ("cluster",),
            "cluster ID",
            text,
            "the form is projects/PROJECT/locations/LOCATION/clusters/NAME",
            given=f"cluster: {printable(text)}",
            allowed=("projects/PROJECT/locations/LOCATION/clusters/NAME",),
        )
        return
    if found.location and found.location != location:
        yield Hit(
            ("location",),
            f"cluster {quoted(found.name)} is in {quoted(found.location)}, not in {quoted(location)}",
            given=f"location: {printable(location)}",
            fix=SetKeys.of(location=found.location),
        )
    if found.project and found.project != project and not found.project.isdecimal() and not project.isdecimal():
        yield Hit(
            ("project",),
            f"cluster {quoted(found.name)} is in project {quoted(found.project)}, not in {quoted(project)}",
            given=f"project: {printable(project)}",
            fix=SetKeys.of(project=found.project),
        )
