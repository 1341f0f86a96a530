"""What the commands and objects of other tools mean, where their names and defaults differ from those of a plan."""

from pulumi_gke_tpu.core.catalog.records.described_objects import ClusterApi, ConfigConnector, Crossplane
from pulumi_gke_tpu.core.catalog.records.facts import Count, Fact, Record


class PathwaysPool(Record):
    """The CPU node pool in which heads of Pathways run."""

    name: str
    machine_type: str
    min_nodes: Count
    max_nodes: Count


class AutoprovisioningLimits(Record):
    """The limits of the whole cluster beside TPUs."""

    cpu: Count
    memory_gib: Count


class Xpk(Fact):
    """The names and defaults of xpk."""

    chips_per_host: Count
    """The chips of a host of every slice that has more than one chip."""
    topologies: dict[str, str]
    """Name of a slice -> its topology, where it is not the usual one of that many chips."""
    parallel_containers: dict[str, Count]
    """Generation -> containers on each host, unless a command says otherwise."""
    pools: str
    """The name of node pools, before a hyphen and an index."""
    queue: str
    priority: str
    release_channel: str
    pathways_pool: PathwaysPool
    autoprovisioning: AutoprovisioningLimits
    image: str
    ttl: str
    restarting_exit_codes: tuple[tuple[Count, Count], ...]
    """First and last of the exit codes after which a workload starts again, beside those that it names."""
    debug_variables: dict[str, str]
    pathways_scratch: str


class PriorityClasses(Fact):
    """The priority classes that xpk and gcluster create."""

    values: dict[str, Count]


class Gcluster(Fact):
    """The defaults of Cluster Toolkit."""

    parallel_containers: dict[str, Count]
    queue: str
    max_restarts: Count
    ttl: str
    release_channel: str
    maintenance_start: str
    """The time of day, in UTC, at which the daily maintenance window begins."""
    maintenance_duration: str
    kubernetes_account: str
    """The Kubernetes service account that a cluster gets."""


class Maker(Record):
    """A tool, and what its node pools have."""

    name: str
    pool: str = ""
    """The start of the names of node pools; ``{cluster}`` stands for the name of the cluster."""
    numbered: bool = False
    """Whether only a number follows it."""
    resource_labels: tuple[str, ...] = ()
    """Keys of ``nodeConfig.resourceLabels``, any of which is there."""
    node_labels: tuple[str, ...] = ()
    """Keys of ``nodeConfig.labels``, all of which must be there."""
    autoprovisioned: bool = False
    """Whether GKE deletes the node pools when no Pod needs them."""


class Makers(Fact):
    """Marks of the tools that make node pools. The first tool with a mark counts."""

    marks: tuple[Maker, ...]


class GkeModule(Fact):
    """A module of Terraform for clusters with their node pools, which are maps in its variable ``node_pools``."""

    registry: str
    submodules: tuple[str, ...]
    keys: dict[str, str]
    """Key of a node pool -> attribute of the resource."""
    defaults: dict[str, str | bool]
    """Key -> the value of a node pool without it."""
    scaled: dict[str, Count]
    """The same, unless ``autoscaling`` is false."""


class OtherTools(Record):
    """Facts about the command lines and the Kubernetes objects of other tools."""

    xpk: Xpk
    gcluster: Gcluster
    priority_classes: PriorityClasses
    makers: Makers
    config_connector: ConfigConnector
    crossplane: Crossplane
    cluster_api: ClusterApi
    gke_module: GkeModule
