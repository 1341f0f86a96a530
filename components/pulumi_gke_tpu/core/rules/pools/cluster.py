"""TPU237, TPU239 and TPU240: a node pool of any program that does not fit its cluster."""

from collections.abc import Iterable

from pulumi_gke_tpu.core.resources.pools import PoolContext, at
from pulumi_gke_tpu.core.rules.engine.rule import Hit, Scope, rule, warning
from pulumi_gke_tpu.core.text.findings import Severity, printable, quoted
from pulumi_gke_tpu.core.text.formats.versions import VersionRange


@rule(
    "TPU237",
    scope=Scope.STACK,
    title="Node pool and cluster have different locations",
    why="GKE looks for the cluster in the location of the node pool, and answers 404: cluster not found",
    fix="Use the location of the cluster for the node pool. In a program, you can also remove `location` and use the "
    "ID of the cluster as `cluster`.",
    references=["provider-node-pool", "container-api-discovery"],
    otherwise={Severity.WARNING: "if only the name shows which cluster it is"},
    note="name-identity",
    of_programs=True,
    of_scripts=True,
    failing="""
pool:
  cluster: train
  location: us-east5
  project: acme-ml
  nodeLocations: [us-east5-b]
  nodeConfig: {machineType: ct6e-standard-4t}
cluster: {name: train, location: us-central1, project: acme-ml}
""",
    edit=("location: us-central1", "location: us-east5"),
)
def node_pool_outside_location_of_cluster(context: PoolContext) -> Iterable[Hit]:
    """A node pool with the full name of its cluster takes the location from it."""
    pool, cluster, stack = context.pool, context.pool.cluster, context.stack
    name = pool.values.known_text("cluster")
    if cluster is None or stack is None or "/" in name:
        return
    own, other = pool.values.text("location"), cluster.text("location")
    certain = stack.by_reference and name != ""
    same_project = pool.values.known_text("project") == cluster.known_text("project")
    if own and other and own != other and (stack.by_reference or same_project):
        yield Hit(
            at("location"),
            f"the node pool is in {printable(own)}, and its cluster {quoted(cluster.text('name'))} in "
            f"{printable(other)}",
            severity=None if certain else Severity.WARNING,
            allowed=(other,),
        )


@warning(
    "TPU239",
    scope=Scope.STACK,
    title="Nodes have a newer version than the control plane",
    why="GKE creates no nodes with a newer version than the control plane, and upgrades the control plane first",
    fix="Raise the version of the control plane, or lower `version` of the node pool.",
    references=["google-skills-upgrades"],
    source="Kubernetes: a kubelet must not be newer than the API server",
    failing="""
pool:
  cluster: train
  version: 1.35.0-gke.100
  nodeConfig: {machineType: ct6e-standard-4t}
cluster: {name: train, minMasterVersion: "1.34"}
""",
    edit=('minMasterVersion: "1.34"', 'minMasterVersion: "1.35"'),
)
def node_version_above_control_plane(context: PoolContext) -> Iterable[Hit]:
    """The version that the cluster has is decisive; a program that sets only a minimum may have been written before."""
    pool, cluster = context.pool, context.pool.cluster
    if cluster is None:
        return
    text = cluster.known_text("masterVersion") or cluster.text("minMasterVersion")
    try:
        control, nodes = VersionRange.parse(text), VersionRange.parse(pool.values.text("version"))
    except ValueError:
        return
    if nodes.lowest > control.highest:
        yield Hit(at("version"), f"the nodes have version {nodes.text}, and the control plane has {control.text}")


@warning(
    "TPU240",
    scope=Scope.STACK,
    title="Node pool of an Autopilot cluster",
    why="on Autopilot, GKE creates the node pools that Pods ask for by their node selectors, and rejects others",
    fix="Remove the node pool. Select accelerator, topology and capacity in the Pods, or create a Standard cluster.",
    references=["gke-autopilot-tpus"],
    of_programs=True,
    failing="""
pool:
  cluster: train
  nodeConfig: {machineType: ct6e-standard-4t}
cluster: {name: train, enableAutopilot: true}
""",
    edit=("enableAutopilot: true", "enableAutopilot: false"),
)
def node_pool_of_autopilot_cluster(context: PoolContext) -> Iterable[Hit]:
    cluster = context.pool.cluster
    if cluster is not None and cluster.flag("enableAutopilot"):
        yield Hit(at("cluster"), f"the cluster {quoted(cluster.known_text('name'))} is in Autopilot mode")
