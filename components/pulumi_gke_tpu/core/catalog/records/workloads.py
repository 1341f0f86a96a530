"""Facts of Pods on TPU nodes: labels, requests, tolerations, containers of frameworks, disks."""

from typing_extensions import Self

from pulumi_gke_tpu.core.catalog.records.facts import Amount, Count, CountOrZero, Fact, Record


class PodNodes(Fact):
    """Node labels that Pods select, other than accelerator, topology and capacity, and the taint of queued capacity."""

    pool: str
    """The name of the node pool; Autopilot rejects Pods that select it."""
    workload_policy: str
    """The name of the workload policy of the slice."""
    queued_taint_value: str
    queued_taint_effect: str
    """The key of the taint is that of the label."""


class SliceAffinity(Fact):
    """The labels of Pods by which affinity holds slices together and apart, by controller."""

    keys: dict[str, str]
    """The label with a value of its own for each slice."""
    marks: dict[str, str]
    """A label of all Pods that have the key."""
    leader: str
    """The label of LeaderWorkerSet whose value 0 is that of the leader."""


class TpuContainers(Fact):
    """Machine types on which two containers can share the chips of a host, half of them each."""

    split_machine_types: tuple[str, ...]


class ExtendedRun(Fact):
    """The annotation of Pods that Autopilot protects from eviction."""

    annotation: str
    value: str
    label: str
    """The label that the autoscaler sets for it."""
    excludes: tuple[str, ...]
    """What GKE does not support together with it."""
    days: Count


class PodRequests(Fact):
    """The CPU and memory that a Pod on a TPU host requests if the plan sets none, in percent of its host."""

    host_percent: Count


class CpuNodes(Fact):
    """What nodes without TPUs leave to Pods: GKE reserves a percentage of each step, and of the rest."""

    gib_per_vcpu: dict[str, Amount]
    """By the type of machine, with its family where that has less than others."""
    cpu_steps: tuple[Count, ...]
    cpu_percents: tuple[Amount, ...]
    """One more than there are steps: the last one is that of the rest."""
    memory_steps_gib: tuple[Count, ...]
    memory_percents: tuple[Amount, ...]
    eviction_mib: Count


class RayPods(Fact):
    """Heads and workers of Ray clusters."""

    families: tuple[str, ...]
    """Families whose multi-host workers need the variables and ports."""
    host_ip: str
    """The variable with the address of the node."""
    variables: dict[str, str]
    worker_ports: dict[str, Count]
    head_ports: dict[str, Count]
    serve_ports: dict[str, Count]
    """The port of the head of a RayService, to which KubeRay sends the requests of clients."""
    serve_service: str
    """The Service of KubeRay for these clients; ``{name}`` is the name of the RayService."""
    upgrade_strategies: dict[str, str]
    """Words of the plan -> those of a RayService."""
    head_cpu: str
    head_memory: str
    submitter: str
    """The container that submits the run of a RayJob, with what KubeRay requests for it."""
    submitter_requests: dict[str, str]
    submitter_limits: dict[str, str]
    addon: str
    """The add-on of GKE with the operator and the webhook."""
    longest_names: dict[str, Count]
    """Kind of workload -> the longest name that KubeRay accepts."""


class PathwaysPods(Fact):
    """The containers of Pathways: proxy and resource manager in the head, and the workers."""

    server_image: str
    proxy_image: str
    """Images without a tag."""
    tag: str
    """That of both images if a plan names none."""
    proxy_port: Count
    manager_ports: tuple[Count, ...]
    """The first one serves workers and proxy."""
    worker_ports: tuple[Count, ...]
    """The first one is that of the server."""
    proxy_cpu: str
    proxy_memory: str
    manager_cpu: str
    manager_memory: str
    restarts_per_host: Count
    instance_types: dict[str, str]
    """Generation -> what the resource manager calls it. Pathways supports no other generation."""
    elastic_flag: str
    """The flag of the proxy with the number of slices that may be missing."""
    own_flags: tuple[str, ...]
    """Flags whose values follow from the workload."""


class PathwaysSidecar(Fact):
    """The container for colocated Python beside each worker."""

    port: Count
    address: str
    """The variable with the address that it listens on."""
    shared_folder: str
    shared_folder_variable: str
    worker_flag: str
    """The flag of the worker with the folder that both share."""
    proxy_flag: str


class OtherPods(Fact):
    """Example image and requests of other Pods on TPU hosts."""

    image: str
    cpu: str
    memory: str
    memory_limit: str


class Workloads(Record):
    """Pods of workloads."""

    nodes: PodNodes
    slice_affinity: SliceAffinity
    containers: TpuContainers
    extended_run: ExtendedRun
    requests: PodRequests
    cpu_nodes: CpuNodes
    ray: RayPods
    pathways: PathwaysPods
    pathways_sidecar: PathwaysSidecar
    other_pods: OtherPods


class StorageClassForm(Fact):
    """What the storage classes of disks consist of."""

    provisioner: str
    zone_label: str
    """The key by which a storage class limits the zones of its disks."""


class BuiltInStorageClasses(Fact):
    """The storage classes that GKE creates, and values of storage classes."""

    classes: dict[str, str]
    """The disk type of each class."""
    default_class: str
    other_types: tuple[str, ...]
    """Values of the parameter ``type`` that stand for several disk types."""
    hyperdisk: str
    """How the names of Hyperdisk types begin."""
    wait_for_consumer: str


class SharedDisks(Fact):
    """Disks that many nodes read at the same time."""

    types: tuple[str, ...]
    source_group: str
    """The API group of the object that such a disk is a copy of."""
    source_kind: str


class Buckets(Fact):
    """Volumes that are Cloud Storage buckets."""

    driver: str
    annotation: str
    """The annotation of Pods to which GKE adds the container that mounts their buckets."""
    addon: str
    folder_option: str
    """The mount option that mounts only one folder of the bucket."""
    default_options: tuple[str, ...]
    """The mount options of a volume whose plan sets none."""


class BucketOptions(Fact):
    """Mount options of buckets."""

    refused: tuple[str, ...]


class BucketSidecar(Fact):
    """The container that mounts buckets: the annotations of its limits, and what it requests."""

    limits: tuple[str, ...]
    unlimited: str
    """The value of an annotation that removes the limit, on Standard."""
    cpu: str
    memory: str


class FileSystem(Fact):
    """File systems that many nodes read and write. ``handle`` is the form of the ID by which the driver finds one."""

    title: str
    driver: str
    addon: str
    handle: str
    annotation: str = ""
    """The annotation of Pods to which GKE adds the container that mounts the file system; empty if it adds none."""


class WorkloadIdentity(Fact):
    """How Pods act as a Google service account, and the roles that their buckets need."""

    annotation: str
    """That of the Kubernetes service account."""
    role: str
    """The role of the Kubernetes service account on the Google service account."""
    read_role: str
    write_role: str


class CheckpointDriver(Fact):
    """Multi-tier checkpointing: the driver of the folder in memory, and the account that copies it to a bucket."""

    driver: str
    addon: str
    operator: str
    """The API group of the only objects whose Pods GKE numbers for the folder."""
    account: str
    """The Kubernetes service account of the driver as a principal of IAM, by the number and the ID of the project."""
    mount_options: tuple[str, ...]
    """Those with which the driver mounts the bucket."""


class Storage(Record):
    """Disks, buckets and file systems of workloads."""

    buckets: Buckets
    bucket_options: BucketOptions
    bucket_sidecar: BucketSidecar
    file_systems: dict[str, FileSystem]
    checkpoints: CheckpointDriver
    identity: WorkloadIdentity
    classes: StorageClassForm
    built_in: BuiltInStorageClasses
    shared: SharedDisks


class TpuResource(Fact):
    """The extended resource of TPU chips, and others that pods request by mistake. A ``*`` stands for any text."""

    name: str
    gpus: tuple[str, ...]
    former: tuple[str, ...]
    misspelt: tuple[str, ...]
    of_nodes: tuple[str, ...]
    """The other resources of TPU nodes."""


class TpuTaint(Fact):
    """The taint of TPU nodes; its key is the name of the resource."""

    value: str
    effect: str


class IndexedPods(Fact):
    """What pods of a slice with several hosts need, so that GKE can number them."""

    completion_mode: str


class SliceVariables(Fact):
    """Environment variables that GKE sets: on every TPU pod with an index, and on those of several slices."""

    always: tuple[str, ...]
    multislice: tuple[str, ...]


class GracePeriod(Fact):
    """The grace period that GKE grants to pods on TPU nodes, in seconds."""

    max_seconds: Count
    """At maintenance and upgrades."""
    spot_seconds: Count
    """At the preemption of Spot nodes."""
    default_seconds: Count
    """That of a pod that states none."""
    repair_seconds: CountOrZero
    """At a repair and after a host error."""


class AutopilotRefusals(Fact):
    """What Autopilot rejects in pods."""

    host_namespaces: tuple[str, ...]
    readable_host_paths: tuple[str, ...]
    selectors: tuple[str, ...]
    """Keys of labels that pods cannot select; there are others."""
    tolerations: tuple[str, ...]
    """Keys of taints that only pods can tolerate that request the resource."""


class DynamicSlices(Fact):
    """Labels and an annotation of pods on parts of a slice, or on slices that a controller forms."""

    generations: tuple[str, ...]
    """The generations whose hosts it combines."""
    slice_label: str
    """The label with the name of the slice, which its nodes get when it is formed."""
    mode_label: str
    mode: str
    """The label, and its value, of nodes whose chips are not connected until a slice is formed of them."""
    block_label: str
    """The label with the block of the reservation: all hosts of a slice have the same one."""
    partition_prefix: str
    """What labels with the ID (``-id``) and the health (``-state``) of a cube or a part of one begin with."""
    annotation: str
    """The annotation of Pods with the topology of their slice."""
    type_variable: str
    """The variable with the size of the slice, in cores, which the containers of a plain Job set."""
    parts: tuple[str, ...]
    """Topologies inside one cube, each a part of the next one."""
    cube: Count
    """Chips along one edge of the cubes that larger slices consist of; their dimensions do not decrease."""
    most_chips: Count

    @property
    def labels(self) -> tuple[str, str]:
        """The labels by which Pods select a slice, or hosts of which slices are formed."""
        return self.slice_label, self.mode_label

    @property
    def cube_topology(self) -> str:
        """The topology of a cube."""
        return "x".join([str(self.cube)] * 3)

    @property
    def cube_chips(self) -> int:
        """The chips of a cube."""
        return self.cube**3

    def cubes(self, chips: int) -> int:
        """The cubes that chips are on; a part of a cube needs one."""
        return -(-chips // self.cube_chips)

    def partition_label(self, topology: str) -> str:
        """The label with the ID of the cube, or the part of one, of a slice with a topology."""
        return f"{self._partition(topology)}-id"

    def state_label(self, topology: str) -> str:
        """The label with the health of this cube or part."""
        return f"{self._partition(topology)}-state"

    def _partition(self, topology: str) -> str:
        return f"{self.partition_prefix}{topology if topology in self.parts else self.cube_topology}"


class SliceNames(Fact):
    """The names of slices that a controller forms."""

    longest: Count
    disputed: Count
    """The length that other sources have."""

    def about_length(self, length: int) -> Self:
        """The fact by which a length is too long: only a part of the sources, or all of them."""
        return self.for_item("longest" if length <= self.disputed else "disputed")


class TpuClaims(Fact):
    """How Pods claim the chips of a host from the DRA driver."""

    device_class: str
    allocation_mode: str
    """The mode that claims all chips of a host."""


class SelectableLabels(Fact):
    """Node labels of GKE that pods select."""

    known: tuple[str, ...]
    of_gpus: str
    """The label with the accelerator of a GPU node, which no TPU node has."""


class NodeAffinity(Fact):
    """What GKE accepts in the affinity of Pods with chips to nodes."""

    topologies: Count
    """How many topologies it can name."""


class Merging(Fact):
    """How additions to a Pod template become a part of it."""

    keys: dict[str, str]
    """The place of a list -> the key with the name of an entry."""
    appended: tuple[str, ...]
    """The places of lists whose entries have no name."""
    owned_labels: tuple[str, ...]
    """The domains of labels that operators set on Pods."""


class HostName(Fact):
    """The labels with the name of a node, its machine type, its zone and its region."""

    label: str
    machine_type_label: str
    zone_label: str
    region_label: str


class Pods(Record):
    """Pods on TPU nodes."""

    resource: TpuResource
    taint: TpuTaint
    indexed: IndexedPods
    variables: SliceVariables
    grace: GracePeriod
    refused_on_autopilot: AutopilotRefusals
    host_name: HostName
    dynamic_slices: DynamicSlices
    slice_names: SliceNames
    resource_claims: TpuClaims
    affinity: NodeAffinity
    beside_class: Fact
    """The labels of accelerator and topology beside the selector of a ComputeClass."""
    labels: SelectableLabels
    merging: Merging
