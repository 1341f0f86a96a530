"""The Kubernetes side: the controllers that users install, and the fields of their objects."""

from dataclasses import field
from typing import Any

from pulumi_gke_tpu.core.catalog.records.facts import Count, Fact, FullVersion, Note, Record
from pulumi_gke_tpu.core.catalog.records.operators import Chart, Operators, SliceReleases
from pulumi_gke_tpu.core.catalog.records.workloads import Pods, Storage, Workloads
from pulumi_gke_tpu.core.text.formats.versions import parse_release


class GatewayClasses(Fact):
    """The classes of GKE for one cluster, and the modes of clusters that have the Gateway API without a setting."""

    classes: tuple[str, ...]
    enabled_on: tuple[str, ...]


class BackendPolicies(Fact):
    """What the load balancer does with its backends if no policy says otherwise."""

    health_path: str
    """The path of health checks."""


class InferencePools(Fact):
    """The chart of the endpoint picker, which also creates the InferencePool of the same name."""

    title: str
    version: str
    chart: Chart
    group: str
    """The API group of the InferencePool."""
    suffix: str
    """What the chart appends to the name of the pool for the names of the picker."""
    longest_name: Count
    """How many characters of the name of the pool are in the names of the picker, some of which are cluster-wide."""
    health_path: str
    """The path of the health checks that the chart configures."""


class InferencePoolSupport(Fact):
    """The Gateway classes of GKE that can send requests to an InferencePool."""

    classes: tuple[str, ...]


class Gateways(Record):
    """How requests from outside reach the servers of a cluster."""

    classes: GatewayClasses
    backends: BackendPolicies
    pools: InferencePools
    pool_support: InferencePoolSupport


class ObjectKind(Record):
    """The type of a Kubernetes object."""

    api_version: str
    kind: str


class ObjectKinds(Fact):
    """The types of the objects that gke-tpu writes."""

    objects: dict[str, ObjectKind]


class RemovedApi(Record):
    """A version of an API that Kubernetes does not serve any more, and the one that replaces it."""

    kinds: tuple[str, ...]
    current: str
    release: str
    """The first release of Kubernetes without it."""


class BuiltInApis(Fact):
    """The kinds of Kubernetes itself.

    ``kinds`` are all kinds of the core group and of the groups of workloads, by the only API version that is served;
    ``removed`` are former versions, also of other groups.
    """

    kinds: dict[str, tuple[str, ...]]
    removed: dict[str, RemovedApi]
    longest_names: dict[str, Count]
    """Kind -> the most characters of its name, or of the name with the largest index of its Pods."""


class Replacements(Fact):
    """How objects change that cannot be updated. The keys are those of :class:`ObjectKinds`."""

    fixed: dict[str, tuple[str, ...]]
    """Kind -> the paths of the properties whose change deletes and creates the object."""
    queued: dict[str, tuple[str, ...]]
    """The further paths of objects in a queue."""
    deleted_at_once: tuple[str, ...]
    """The kinds that have to be deleted without waiting for their Pods, because Pulumi does not wait for them."""


class Controller(Fact):
    """A controller and its API.

    ``version`` is the version that manifests should name, ``deprecated`` are others that the API still serves;
    ``releases`` are the releases, as major.minor, whose objects gke-tpu knows.
    """

    title: str
    group: str
    version: str
    deprecated: tuple[str, ...] = ()
    releases: tuple[str, ...] = ()
    kinds: tuple[str, ...]


class OperatorImages(Fact):
    """Registries from which images of operators disappear. A ``*`` stands for any text."""

    staging: tuple[str, ...]
    """Images between releases, which are deleted after some time."""
    released: str
    """The registry of the releases."""
    removed: dict[str, str]
    """Images that are gone, and those that replace them."""


class OperatorFault(Fact):
    """A known fault of releases of an operator.

    ``image`` is the last part of the name of its image. ``fixed`` has the first release without the fault for each
    minor version that has it; other minor versions do not have it, or it is not known. All releases before ``before``
    have the fault.
    """

    id: str
    operator: str
    image: str
    feature: str
    """The part of the operator that has the fault."""
    text: str
    fixed: tuple[str, ...] = ()
    before: str = ""

    def fixed_in(self, release: tuple[int, ...]) -> tuple[int, ...]:
        """The first release without the fault, of the minor version if it has one; empty if the release lacks it."""
        if self.before:
            first = parse_release(self.before)
            return first if release and release < first else ()
        releases = map(parse_release, self.fixed)
        return next((first for first in releases if first[:2] == release[:2] and release < first), ())


class JobSetFacts(Fact):
    """What a JobSet that runs on TPU slices needs."""

    exclusive_topology: str
    """The annotation that gives each Job of a JobSet a topology domain of its own."""
    actions: tuple[str, ...]
    """What a rule of the failure policy can do."""
    longest_label: Count
    """The longest name of a Job or a Pod, which are DNS labels, and the longest value of a label."""
    pod_suffix: Count
    """The characters that Kubernetes appends to the name of a Pod, with the hyphen."""
    uncounted_action: str
    """The action that restarts the JobSet without counting the restart."""
    final_action: str
    """The action that ends the JobSet."""
    policy_reason: str
    """Why a Job failed whose Pod failure policy ended it."""
    deadline_reason: str
    """Why a Job failed that ran longer than its deadline."""
    failure_reasons: tuple[str, ...]
    """Why a Job failed, as a rule of the failure policy names it."""
    rule_name: str
    """The pattern of the name of a rule of the failure policy."""
    longest_rule_name: Count
    """The characters of the longest name of a rule."""
    host_label: str
    """The topology of one host."""
    slice_topologies: tuple[str, ...]
    """Topologies whose domains contain all hosts of a slice, and of no other slice."""
    placing_annotations: tuple[str, ...]
    """Annotations by which something else than the annotation of a JobSet or LeaderWorkerSet places a slice."""
    shared_labels: tuple[str, ...]
    """Labels that nodes of several slices have, so that selecting them does not choose one slice."""
    disruption_condition: str
    """The condition of a Pod that maintenance, preemption or eviction ends."""


class LeaderWorkerSetFacts(Fact):
    """What a LeaderWorkerSet that serves on TPU slices needs."""

    exclusive_topology: str
    restart_policies: tuple[str, ...]
    deprecated_restart_policies: tuple[str, ...]
    restart_as_one: str
    """The policy that re-creates a group as a whole, as a slice requires."""
    subgroup_topology: str
    """The annotation that gives each subgroup a topology domain of its own."""
    leader_excluded: str
    """The type of subgroups that do not contain the leader."""


class RayFacts(Fact):
    """What Ray clusters on TPU slices need."""

    resource_parameters: tuple[str, ...]
    """Start parameters that state resources."""
    tpu_resource: str
    """The name of chips in Ray."""
    longest_names: dict[str, Count]
    """The longest name of an object, by its kind."""
    head_group: str
    """The name that Kueue reserves for the group of the head."""


class PathwaysFacts(Fact):
    """What PathwaysJob and the head of Pathways need."""

    machine_types: tuple[str, ...]
    head_job: str
    """The name of the Job of the head in the JobSet that the controller of PathwaysJob creates."""
    head_cpu: Count
    """vCPU of the smallest machine that XPK accepts for the head."""
    head_memory_gib: Count


class QueueLabels(Fact):
    """Labels and annotations that Kueue reads on a workload."""

    queue: str
    priority_class: str
    run_duration: str
    elastic: str


class QueueLimits(Fact):
    """Limits of Kueue.

    ``ray_worker_groups``: how many worker groups a Ray cluster can have, by release.
    """

    flavor_labels: Count
    ray_worker_groups: dict[str, Count]


class FormerNames(Fact):
    """Fields and values of ``v1beta1`` of Kueue that ``v1beta2`` does not know, and what it calls them."""

    fields: dict[str, str]
    values: dict[str, str]


class QueuedProvisioning(Fact):
    """How Kueue asks GKE for queued capacity."""

    controller: str
    provisioning_class: str
    other_classes: tuple[str, ...]
    """Classes of the open-source autoscaler: GKE creates no TPU slices for them."""
    max_run_days: Count
    doubtful_parameters: tuple[str, ...]
    """Parameters that some tools pass to GKE."""
    unsupported_volume: str
    """The field of a volume whose claim does not exist before the nodes."""
    consuming: tuple[str, ...]
    """The annotations by which Pods name the ProvisioningRequest of their nodes."""


class MultiKueueFacts(Fact):
    """How a manager cluster sends queued workloads to other clusters.

    ``kinds`` are the kinds of objects, of those that a plan can write, that Kueue copies to a worker.
    """

    controller: str
    kinds: tuple[str, ...]
    most_workers: Count
    changed_by_autopilot: str
    """The label of nodes that Autopilot writes into the affinity of Pods, also of those that a manager only copies."""


class SliceAdmission(Fact):
    """The controller that makes slices of cubes for workloads of Kueue."""

    controller: str
    kinds: tuple[str, ...]
    """The kinds of objects whose Pods it asks Kueue to place."""
    other_kinds: tuple[str, ...]
    """Kinds that Kueue queues, whose Pods no object of ``kinds`` makes."""
    manifest: str
    """The file that installs it."""
    image: str
    """Its image in this file, with a tag that does not name a version."""
    cpu: str
    memory: str
    """What its Pod requests there."""
    required_topology: str
    slice_topology: str
    slice_size: str
    """The annotations in which its webhooks ask Kueue for a block, for cubes or parts of one, with so many Pods."""
    healthy: str
    """The state of cubes that work."""


class ClusterProfiles(Fact):
    """How a manager of MultiKueue reaches its workers without kubeconfigs: ClusterProfiles of GKE's fleet."""

    labels: dict[str, str]
    """The labels of the manager cluster for which the fleet writes ClusterProfiles, and their namespace."""
    feature_gate: str
    provider: str
    """The name of the access provider in the ClusterProfiles."""
    command: str
    """The program that yields a token, in the Pods of Kueue."""
    image: str
    binary: str
    """Where the program is in the image."""
    roles: tuple[str, ...]
    """The IAM roles of Kueue's service account."""


class FlavorChoice(Fact):
    """What keeps Kueue from admitting a workload to the flavor of another slice group.

    ``taint_key`` and ``taint_effect`` are those of the taint that a flavor has and no node; its value is the name of
    the slice group. ``budget_taint_key`` is that of the flavor of a budget, with the name of the budget.
    """

    taint_key: str
    budget_taint_key: str
    taint_effect: str
    default_queue: str
    """The name of the queue that workloads without a queue join in its namespace."""


class FlavorOrder(Fact):
    """How Kueue goes on to the next flavor of a queue."""

    defaults: dict[str, str]
    """What a queue has in ``flavorFungibility`` unless it says otherwise, by field."""
    admitted_by_pod: tuple[str, ...]
    """The kinds whose Pods exist before Kueue chooses a flavor for them."""


class QueueQuotas(Fact):
    """Quota that never limits."""

    unlimited: Count
    """CPUs, or GiB of memory or storage: more than any cluster has."""


class Access(Fact):
    """Who can do what in a namespace, and what its quota counts."""

    roles: dict[str, str]
    """The key of the plan -> the ClusterRole of Kubernetes."""
    job_role: str
    """The ClusterRole of Kueue for users who create workloads."""
    quota_prefix: str
    """The prefix of an extended resource in a ResourceQuota."""


class QueueSharing(Fact):
    """How queues share: the namespaces that they admit, and how Kueue compares weights."""

    namespace_label: str
    """The label of a namespace with its name, which the API server sets."""
    strategies: tuple[str, ...]
    """The strategies of preemption that the documentation of Kueue suggests for fair sharing."""


class ClaimQuotas(Fact):
    """How Kueue counts resource claims: from which release, by which entry of its Configuration, in which modes."""

    first: str
    mapping: str
    modes: tuple[str, ...]


class TakenLists(Fact):
    """Lists that belong as a whole to Kueue from admission on, because it writes into the Pod templates in them."""

    lists: dict[str, str]
    """Kind, as in :class:`ObjectKinds` -> the path of the list."""
    by_operator: tuple[str, ...]
    """The kinds whose list belongs to KubeRay from the start, because it writes the whole object."""

    def is_taken(self, kind: str, *, queued: bool) -> bool:
        """Whether a list of an object of this kind belongs to another manager of fields."""
        return kind in self.by_operator or (queued and kind in self.lists)


class WrittenRequests(Fact):
    """Resources that Autopilot requests for Pods that do not request them."""

    resources: tuple[str, ...]


class Kueue(Record):
    """Queues."""

    labels: QueueLabels
    limits: QueueLimits
    former_names: FormerNames
    queued: QueuedProvisioning
    multikueue: MultiKueueFacts
    slices: SliceAdmission
    slice_releases: SliceReleases
    cluster_profiles: ClusterProfiles
    flavors: FlavorChoice
    order: FlavorOrder
    quotas: QueueQuotas
    sharing: QueueSharing
    claims: ClaimQuotas
    taken_lists: TakenLists
    written_by_autopilot: WrittenRequests


class ComputeClassForm(Fact):
    """The fields of a ComputeClass and their values."""

    selector: str
    refused_prefixes: tuple[str, ...]
    when_unsatisfiable: tuple[str, ...]
    no_other_nodes: str
    """The value of ``whenUnsatisfiable`` that creates no nodes that no priority describes."""
    reservation_affinity: str
    """The only affinity for TPU reservations."""
    workload_types: tuple[str, ...]
    workload_type_without_group: str
    min_run_seconds: Count
    max_run_seconds: Count
    """The limits of the run duration of nodes that are not flex-start."""


class ComputeClassVersions(Fact):
    """The first GKE version of ComputeClasses and of parts of them; ``features`` by the path of the field."""

    first: FullVersion
    auto_creation: FullVersion
    """From this version, a class creates node pools without cluster-wide node auto-provisioning."""
    features: dict[str, FullVersion]


class ComputeClassOrders(Fact):
    """The order of capacity modes that Google recommends, by the kind of workload."""

    orders: dict[str, tuple[str, ...]]


class ComputeClassLabels(Fact):
    """Node labels that fields of a ComputeClass stand for: GKE rejects Pods that select both."""

    labels: tuple[str, ...]


class BuiltInComputeClasses(Fact):
    """The classes that GKE itself has, whose Pods may select other labels too."""

    names: tuple[str, ...]


class ComputeClassValues(Fact):
    """Values of nodes that the definition of the ComputeClass kind accepts; a node pool accepts more."""

    taint_value: str
    """A regular expression for values that are not empty."""
    performance_disk: str
    """The only boot disk type with a performance of its own; it needs both numbers."""
    iops: tuple[Count, Count]
    """The least and the most."""
    throughput_mbps: tuple[Count, Count]


class ComputeClasses(Record):
    """ComputeClasses."""

    form: ComputeClassForm
    versions: ComputeClassVersions
    labels: ComputeClassLabels
    built_in: BuiltInComputeClasses
    values: ComputeClassValues
    orders: ComputeClassOrders


class PriorityRange(Fact):
    """The largest value of a PriorityClass that is not a class of the system."""

    highest: Count


class KubernetesFacts(Record):
    """Facts of the Kubernetes side."""

    kinds: ObjectKinds
    built_in: BuiltInApis
    replacements: Replacements
    workloads: Workloads
    controllers: dict[str, Controller] = field(default_factory=dict)
    images: OperatorImages
    faults: tuple[OperatorFault, ...] = ()
    jobset: JobSetFacts
    leaderworkerset: LeaderWorkerSetFacts
    ray: RayFacts
    pathways: PathwaysFacts
    kueue: Kueue
    operators: Operators
    gateways: Gateways
    compute_classes: ComputeClasses
    access: Access
    priority: PriorityRange
    storage: Storage
    pods: Pods
    notes: tuple[Note, ...] = ()


FieldType = str | tuple[str, ...]
"""The type of a field in the words of the catalog, or the only values of a string."""


class KindFields(Fact):
    """The fields of one kind with their types, by the path of the mapping that has them.

    ``[]`` in a path stands for every item of a list. Mappings without an entry, such as maps of labels, have fields
    that the catalog does not list. ``embedded`` names mappings that have the fields of the ``spec`` of another kind.
    ``group`` is empty for the core group. ``version`` is that of the API; empty if the controller of the kind states
    it. ``required`` are the fields that the API server requires and does not set. Of the fields in ``one_of``, it
    accepts exactly one that is not empty; of those in ``at_most_one``, one or none.
    """

    group: str = ""
    version: str = ""
    fields: dict[str, dict[str, FieldType]]
    required: dict[str, tuple[str, ...]] = field(default_factory=dict)
    one_of: dict[str, tuple[str, ...]] = field(default_factory=dict)
    at_most_one: dict[str, tuple[str, ...]] = field(default_factory=dict)
    embedded: dict[str, str] = field(default_factory=dict)


class AddedFields(Fact):
    """What others than the author add to an object of one kind, by the place of the mapping that gets it.

    The place of the object itself is an empty text. ``chosen`` are fields with any value.
    """

    defaults: dict[str, dict[str, Any]]
    chosen: dict[str, tuple[str, ...]]


class ObjectFields(Record):
    """The fields of workloads, Pods and custom resources, and what is added to objects when they are stored."""

    kinds: dict[str, KindFields]
    added: dict[str, AddedFields]
