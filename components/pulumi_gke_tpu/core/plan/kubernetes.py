"""Models of the Kubernetes objects of a cluster: operators, queues, service accounts and workloads."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from pulumi_gke_tpu.core.modules import names_in
from pulumi_gke_tpu.core.plan.base import Duration, ImportedLater, MaybeOutput, PlanModel, key, optional
from pulumi_gke_tpu.core.plan.pods import (
    AdditionalContainer,
    Autoscale,
    DisruptionBudget,
    ExitCodes,
    Gateway,
    Port,
    Probes,
    Quantity,
    SecretKey,
)
from pulumi_gke_tpu.core.plan.volumes import Checkpoints, Volume


class MultiKueueWorker(PlanModel):
    """A cluster of the plan that runs workloads of the manager."""

    kubeconfig_secret: str | None = optional(
        "Secret with the kubeconfig of the worker, in the namespace of Kueue on the manager; KEY-kubeconfig if not "
        "set. It must exist. For credentials: secrets."
    )


class MultiKueue(PlanModel):
    """A manager cluster of MultiKueue: its queues send each workload to one of its workers."""

    workers: dict[str, MultiKueueWorker] = key("Clusters of the plan by their keys.", default=dict)
    credentials: Literal["secrets", "fleet"] = key(
        "How Kueue finds and reaches the workers: kubeconfigs in Secrets, or the ClusterProfiles of GKE's fleet and "
        "Connect Gateway without any token; then the clusters are in one `fleet`.",
        default="secrets",
    )


class PathwaysServer(PlanModel):
    """A server of Pathways: what it runs instead of, and in addition to what gke-tpu writes."""

    image: MaybeOutput[str] | None = optional(
        "Container image, such as a copy of Google's in your own registry; Google's if not set. Without one, workers "
        "use that of the resource manager."
    )
    args: list[str] = key("Flags beside those of gke-tpu, such as --enable_metrics_collection=true.", default=list)
    env: dict[str, MaybeOutput[str]] = key("Environment variables.", default=dict)


class PythonSidecar(PlanModel):
    """The container for colocated Python beside each worker: it runs functions of the program on the TPU hosts."""

    image: MaybeOutput[str] = key("Container image, with the versions of Python and JAX of the program.")
    args: list[str] = key("Arguments of the image.", default=list)
    env: dict[str, MaybeOutput[str]] = key("Environment variables.", default=dict)


class PathwaysElastic(PlanModel):
    """Slices that may be missing while the program runs, for programs that handle it."""

    slices: int = key("Number of slices that may be missing at the same time.", ge=1)
    max_restarts: int = key("Number of restarts of the workers of each slice, before the whole workload fails.", ge=1)


class Pathways(PlanModel):
    """Servers of Pathways: their images, flags and sidecar, and whether the head runs a program."""

    tag: str | None = optional("Tag of Google's images, such as jax-0.9.2 for JAX 0.9.2; latest if not set.")
    headless: bool = key(
        "Run no program in the head. Programs outside of the workload connect to its proxy.", default=False
    )
    elastic: PathwaysElastic | None = optional(
        "Go on without some slices while their workers restart; the program must handle it."
    )
    proxy: PathwaysServer | None = optional("Proxy in the head, which programs connect to.")
    resource_manager: PathwaysServer | None = optional("Resource manager in the head.")
    worker: PathwaysServer | None = optional("Worker on each TPU host.")
    python_sidecar: PythonSidecar | None = optional("Container for colocated Python beside each worker.")


if TYPE_CHECKING:
    Kind = str
else:
    OperatorsSpec = Annotated[Any, ImportedLater("pulumi_gke_tpu.core.plan.kubernetes", "OperatorsSpec")]
    # The modules of kinds build objects from plans, so that only the names of their files are read here.
    Kind = Literal[names_in("pulumi_gke_tpu.core.kinds.written")]


Chips = Annotated[int, Field(ge=0)]


class PriorityClassSpec(PlanModel):
    """A PriorityClass, and a WorkloadPriorityClass of Kueue with the same name and value."""

    value: int = key("Priority, at most 1,000,000,000. Pods with a higher priority are scheduled first.")
    preemption: Literal["lower_priority", "never"] = key(
        "Whether the scheduler preempts Pods with a lower priority for a Pod of the class that does not fit. In a "
        "queue, `preemption` and `reclaim` of the queue decide.",
        default="lower_priority",
    )
    description: str = key("Description, for users of the class.", default="")


class QueueSpec(PlanModel):
    """A ClusterQueue of Kueue, with a LocalQueue of the same name in each of its namespaces."""

    chips: dict[str, Chips] = key(
        "Slice group -> nominal quota in chips; the maximum of every slice group if not set.", default=dict
    )
    borrow: dict[str, Chips] = key(
        "Slice group -> maximum number of chips to borrow from the cohort; unlimited if not set.", default=dict
    )
    lend: dict[str, Chips] = key(
        "Slice group -> maximum number of unused chips to lend to the cohort; all if not set.", default=dict
    )
    weight: int | None = optional(
        "Share of the queue in what its cohort lends, relative to the others; 1 if not set. Kueue reads it only with "
        "fair sharing.",
        ge=0,
    )
    cohort: str | None = optional("Cohort: queues that lend each other their unused quota.", form="dns_label")
    preemption: Literal["never", "lower_priority", "lower_or_newer_equal_priority"] = key(
        "Workloads of the same queue that a pending workload can preempt.", default="never"
    )
    reclaim: Literal["never", "lower_priority", "any"] = key(
        "Workloads of the cohort that a pending workload can preempt to use the quota of its queue.", default="any"
    )
    namespace: str | None = optional(
        "Namespace of the LocalQueue; that of the other objects if not set.", form="dns_label"
    )
    namespaces: list[str] = key(
        "The only namespaces that the queue admits, each with a LocalQueue; every namespace if not set. Workloads are "
        "in the first one, unless they state another.",
        default=list,
    )


class CohortSpec(PlanModel):
    """A Cohort of Kueue: queues and other cohorts that lend each other their unused quota."""

    parent: str | None = optional("Cohort that this one is a part of.")
    chips: dict[str, Chips] = key("Slice group -> quota in chips, in addition to those of its queues.", default=dict)
    borrow: dict[str, Chips] = key(
        "Slice group -> maximum number of chips to borrow from the parent; unlimited if not set.", default=dict
    )
    lend: dict[str, Chips] = key(
        "Slice group -> maximum number of unused chips to lend to the parent; all if not set.", default=dict
    )
    weight: int | None = optional(
        "Share of the cohort in what its parent lends, relative to the others; 1 if not set. Kueue reads it only with "
        "fair sharing.",
        ge=0,
    )


class ComputeClassSpec(PlanModel):
    """A ComputeClass for Pods without chips. GKE creates nodes of the first machine family that has capacity."""

    machine_families: list[str] = key(
        "Machine families without TPUs, such as n4, in the order in which GKE tries them.", min_length=1
    )
    min_cpu: int | None = optional("Minimum number of vCPUs of a node; GKE decides if not set.", ge=1)
    min_memory_gib: int | None = optional("Minimum memory of a node; GKE decides if not set.", ge=1)
    spot: bool = key("Spot VMs.", default=False)
    zones: list[str] | None = optional("Zones of the nodes; GKE selects them if not set.", min_length=1, form="zone")
    boot_disk_type: str | None = optional(
        "Boot disk type; the default of GKE for each machine family if not set.", form="disk_type"
    )
    boot_disk_size_gib: int | None = optional("Boot disk size in GiB; the default of GKE if not set.", ge=10)
    sysctls: dict[str, str] | None = optional(
        "Kernel settings of the nodes, such as `vm.max_map_count`, by their names."
    )


class Head(PlanModel):
    """The Pod without chips: the leader of a LeaderWorkerSet, the head of a Ray cluster or of Pathways."""

    image: MaybeOutput[str] | None = optional("Container image; that of the workload if not set.")
    command: list[str] = key("Command; that of the image if not set.", default=list)
    cpu: Quantity = optional("CPU request, such as 500m or 8.", form="quantity")
    memory: Quantity = optional("Memory request, such as 16Gi.", form="quantity")
    compute_class: str | None = optional(
        "One of `compute_classes`, which creates the node of the Pod; a CPU pool or any node without chips if not set."
    )
    pod_template: dict[str, Any] = key(
        "Fields of the Pod template that have no key, such as {spec: {dnsPolicy: Default}}.", default=dict
    )


class ServiceAccountSpec(PlanModel):
    """A Kubernetes service account, in each namespace whose workloads use it."""

    google: MaybeOutput[str] | None = optional(
        "Google service account that its Pods act as: create, or the email of one that exists. If not set, they act as "
        "the Kubernetes service account itself.",
        form="account",
    )


class WorkloadSpec(PlanModel):
    """A workload on the slices of one slice group, or of one of several."""

    slices: str = key("Slice group that the workload runs on.")
    fallback: list[str] = key(
        "Slice groups to try after `slices`, in order, if its quota is used up; requires `queue`.", default=list
    )
    image: MaybeOutput[str] | None = optional("Container image. Only Pathways with `headless: true` has none.")
    kind: Kind = key(
        "Kind of Kubernetes object. A job is a JobSet if more than one node pool can serve it.", default="job"
    )
    topology: str | None = optional(
        "Topology of a slice, for a slice group with dynamic slicing: a part of a cube, such as 2x2x4, or multiples of "
        "4.",
        form="topology",
    )
    count: int = key("Number of slices that the workload uses.", default=1, ge=1)
    partitions: list[list[str]] = key(
        "Partition IDs of each slice, for a slice group with dynamic slicing and without `queue`: nodes have them in "
        "labels.",
        default=list,
    )
    command: list[str] = key("Command; that of the image if not set.", default=list)
    args: list[str] = key("Arguments of the command.", default=list)
    env: dict[str, MaybeOutput[str]] = key("Environment variables. GKE sets those of the TPU.", default=dict)
    env_from_secrets: dict[str, SecretKey] = key("Environment variables with values from Secrets.", default=dict)
    pull_secrets: list[str] = key(
        "Secrets with which the nodes pull images, in the namespace of the workload.", default=list
    )
    cpu: Quantity = optional("CPU request of each Pod on a TPU host, such as 500m or 8.", form="quantity")
    memory: Quantity = optional("Memory request of each Pod on a TPU host, such as 16Gi.", form="quantity")
    containers: Literal[1, 2] = key("Number of containers that share the chips of a host.", default=1)
    init_containers: list[AdditionalContainer] = key(
        "Containers that end before the others of a Pod on a TPU host start, one after the other.", default=list
    )
    sidecars: list[AdditionalContainer] = key(
        "Containers that run beside the program in a Pod on a TPU host, and end with it.", default=list
    )
    head: Head | None = optional("Pod without chips, for kinds that have one.")
    scratch: str | None = optional("Cloud Storage path for temporary data of Pathways, such as gs://bucket/tmp.")
    pathways: Pathways | None = optional("Servers of Pathways, for kind pathways.")
    port: int | None = optional("Port that the container listens on, for serving.", ge=1, le=65535)
    ports: dict[str, Port] = key("Further ports of the container, by name, such as metrics: 9090.", default=dict)
    probes: Probes | None = optional("Probes of the container that answers requests.")
    serve_config: str | None = optional(
        "Applications of Ray Serve, as the text of its configuration file, for kind rayservice."
    )
    upgrade_strategy: Literal["new_cluster", "none"] = key(
        "What a change of a Ray cluster that serves does: a second cluster replaces the first one when it is ready, or "
        "nothing until the workload is created again.",
        default="new_cluster",
    )
    autoscale: Autoscale | None = optional("Number of slices by the load, instead of `count`.")
    disruption_budget: DisruptionBudget | None = optional(
        "Limit on slices that upgrades and other evictions interrupt at the same time."
    )
    gateway: Gateway | None = optional("Gateway in front of the servers, on clusters with the Gateway API.")
    queue: str | None = optional("Queue that admits the workload.")
    namespace: str | None = optional(
        "Namespace of the workload; that of its queue or of the other objects if not set.", form="dns_label"
    )
    priority: str | None = optional("Priority class of the Pods.")
    grace_period: Duration | None = optional("Time for the container to end after SIGTERM, at most 1h; 30s if not set.")
    extended_run: bool = key("Protect the Pods from eviction for up to 7 days, on Autopilot.", default=False)
    max_restarts: int = key("Number of restarts after errors of the application.", default=0, ge=0)
    exit_codes: ExitCodes | None = optional("Exit codes that end the workload without a restart.")
    deadline: Duration | None = optional(
        "Longest time that the workload runs, at least 1s; a JobSet measures it anew after a restart."
    )
    ttl: Duration | None = optional(
        "Time after its end until the workload is deleted with its Pods and their logs; never if not set."
    )
    service_account: MaybeOutput[str] | None = optional(
        "Kubernetes service account of the Pods: one of `service_accounts`, or an existing one; default of the "
        "namespace if not set."
    )
    volumes: dict[str, Volume] = key("Volumes by name.", default=dict)
    pod_template: dict[str, Any] = key(
        "Fields of the Pod template that have no key, such as {spec: {hostNetwork: true}}.", default=dict
    )


class NamespaceSpec(PlanModel):
    """A namespace, with a quota and with the users of its objects: user:EMAIL, group:EMAIL or serviceAccount:EMAIL."""

    chips: Chips | None = optional("Quota of the namespace in chips, for all of its Pods together.")
    admins: list[str] = key("Who can do everything in the namespace but change its quota.", default=list)
    editors: list[str] = key("Who can create, change and delete workloads in the namespace.", default=list)
    viewers: list[str] = key("Who can see the objects of the namespace, except Secrets.", default=list)


class Kubernetes(PlanModel):
    """The Kubernetes objects of a cluster."""

    namespace: str = key(
        "Namespace of the objects, which is created with them unless it is default.",
        default="default",
        form="dns_label",
    )
    namespaces: dict[str, NamespaceSpec] = key(
        "Namespaces by name, with quotas and users. Those of queues and workloads need no entry.", default=dict
    )
    operators: OperatorsSpec | None = optional("Operators to install with the objects.")
    queues: dict[str, QueueSpec] = key("Queues of Kueue by name.", default=dict)
    cohorts: dict[str, CohortSpec] = key(
        "Cohorts of queues by name, with quotas, limits and parents. Without this key, a cohort has only its queues.",
        default=dict,
    )
    multikueue: MultiKueue | None = optional(
        "Other clusters of the plan that run the workloads of all queues. Workloads then name slice groups of them."
    )
    priority_classes: dict[str, PriorityClassSpec] = key("Priority classes by name.", default=dict)
    compute_classes: dict[str, ComputeClassSpec] = key(
        "ComputeClasses for Pods without chips by name: nodes that fall back over machine families.", default=dict
    )
    service_accounts: dict[str, ServiceAccountSpec] = key(
        "Kubernetes service accounts of workloads by name.", default=dict
    )
    checkpoints: Checkpoints | None = optional(
        "Multi-tier checkpointing of training jobs.", autopilot="refused", instead="use a `bucket` volume"
    )
    workloads: dict[str, WorkloadSpec] = key("Workloads by name.", default=dict)


_VERSION = "Release; the one that gke-tpu was tested with if not set."


class OperatorSpec(PlanModel):
    """An operator."""

    version: str | None = optional(_VERSION, form="release")


class KubeRaySpec(OperatorSpec):
    """KubeRay, and the webhook that numbers the hosts of its TPU workers."""

    tpu_webhook: str | None = optional(
        "Release of the Helm chart of the TPU webhook; the one in the catalog if not set.", form="release"
    )


class WaitForPodsReady(PlanModel):
    """When Kueue evicts a workload whose Pods are not ready, and when it tries again."""

    timeout: Duration | None = optional(
        "Time from admission until all Pods are ready: creation of nodes, images and startup; 30m if not set."
    )
    recovery_timeout: Duration | None = optional(
        "Time until a running workload is whole again after a Pod failed; that of `timeout` if not set."
    )
    retries: int | None = optional(
        "Number of evictions after which Kueue deactivates a workload; unlimited if not set.", ge=0
    )


class Retention(PlanModel):
    """When Kueue deletes its Workload objects; never if not set."""

    finished: Duration | None = optional("Time after the end of the workload.")
    deactivated: Duration | None = optional(
        "Time after Kueue deactivated the workload. Kueue also deletes its Job, JobSet or other object."
    )


class KueueSpec(OperatorSpec):
    """Kueue and its configuration."""

    wait_for_pods_ready: WaitForPodsReady = key(
        "Eviction of workloads whose Pods are not ready.", default=WaitForPodsReady
    )
    retention: Retention = key("Deletion of Workload objects.", default=Retention)
    frameworks: list[str] = key(
        "Kinds of workloads to queue that a plan cannot name, such as kubeflow.org/pytorchjob.", default=list
    )


class OperatorsSpec(PlanModel):
    """The operators that gke-tpu installs, in the order of installation."""

    cert_manager: OperatorSpec | None = optional("cert-manager, which the TPU webhook for KubeRay requires.")
    jobset: OperatorSpec | None = optional("JobSet.")
    leaderworkerset: OperatorSpec | None = optional("LeaderWorkerSet.")
    kuberay: KubeRaySpec | None = optional("KubeRay and its TPU webhook, on clusters without the add-on ray_operator.")
    kueue: KueueSpec | None = optional("Kueue, which queues require.")
