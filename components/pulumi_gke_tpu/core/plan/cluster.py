"""Models of clusters."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, PrivateAttr, model_validator

from pulumi_gke_tpu.core.plan.base import ImportedLater, Labels, MaybeOutput, PlanModel, key, optional
from pulumi_gke_tpu.core.plan.cpu_pools import AutoprovisioningSpec, CpuPoolSpec, SystemPool
from pulumi_gke_tpu.core.plan.networks import ExistingNetwork, Network, short_network
from pulumi_gke_tpu.core.plan.slices import SliceGroupSpec, Timeouts
from pulumi_gke_tpu.core.plan.upgrades import Maintenance
from pulumi_gke_tpu.core.text.formats.names import parse_cluster

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.plan.interfaces import InterfaceNetworkSpec
    from pulumi_gke_tpu.core.plan.kubernetes import Kubernetes
    from pulumi_gke_tpu.core.plan.policies import WorkloadPolicySpec
    from pulumi_gke_tpu.core.plan.runs import Run
else:
    InterfaceNetworkSpec = Annotated[Any, ImportedLater("pulumi_gke_tpu.core.plan.interfaces", "InterfaceNetworkSpec")]
    Kubernetes = Annotated[Any, ImportedLater("pulumi_gke_tpu.core.plan.kubernetes", "Kubernetes")]
    Run = Annotated[Any, ImportedLater("pulumi_gke_tpu.core.plan.runs", "Run")]
    WorkloadPolicySpec = Annotated[Any, ImportedLater("pulumi_gke_tpu.core.plan.policies", "WorkloadPolicySpec")]


_ELSEWHERE = "change it where the cluster is managed"


class ControlPlane(PlanModel):
    """Access to the control plane."""

    dns_endpoint: bool = key(
        "DNS-based endpoint, protected by IAM.",
        default=True,
        sends="controlPlaneEndpointsConfig.dnsEndpointConfig.allowExternalTraffic",
    )
    authorized_networks: dict[str, MaybeOutput[str]] = key(
        "Name -> CIDR range with access to the IP endpoint, which is disabled without any range.",
        default=dict,
        form="cidr",
        sends=("masterAuthorizedNetworksConfig.cidrBlocks", "controlPlaneEndpointsConfig.ipEndpointsConfig.enabled"),
    )
    private: bool = key(
        "Give the IP endpoint only a private address.",
        default=False,
        sends="privateClusterConfig.enablePrivateEndpoint",
    )


class Security(PlanModel):
    """Hardening. On Autopilot it is fixed."""

    shielded_nodes: bool = key(
        "Shielded GKE nodes.",
        default=True,
        autopilot="refused",
        existing="refused",
        instead_existing=_ELSEWHERE,
        sends="enableShieldedNodes",
    )
    secure_boot: bool = key(
        "Secure boot of node pools without TPUs.",
        default=True,
        autopilot="refused",
        sends={
            "system pool": "nodeConfig.shieldedInstanceConfig.enableSecureBoot",
            "CPU pool": "nodeConfig.shieldedInstanceConfig.enableSecureBoot",
        },
    )
    tpu_secure_boot: bool = key(
        "Secure boot of TPU node pools.",
        default=False,
        autopilot="refused",
        sends={"TPU node pool": "nodeConfig.shieldedInstanceConfig.enableSecureBoot"},
    )
    workload_identity: bool = key(
        "Workload Identity Federation.",
        default=True,
        autopilot="refused",
        existing="fact",
        sends={
            "cluster": "workloadIdentityConfig",
            "TPU node pool": "nodeConfig.workloadMetadataConfig",
            "system pool": "nodeConfig.workloadMetadataConfig",
            "CPU pool": "nodeConfig.workloadMetadataConfig",
        },
    )
    dataplane_v2: bool = key(
        "GKE Dataplane V2.", default=True, autopilot="refused", existing="fact", sends="datapathProvider"
    )


class ClusterSpec(PlanModel):
    """A GKE cluster and its TPU slices: a new one, or one that exists already."""

    mode: Literal["standard", "autopilot"] = key(
        "Mode of the cluster: standard or autopilot.",
        existing="fact",
        sends="enableAutopilot",
        creates=("TPU node pool", "system pool", "CPU pool"),
    )
    existing: str | None = optional(
        "Cluster that exists already, projects/P/locations/L/clusters/C: gke-tpu creates only node pools in it.",
        existing="only",
        form="cluster",
        sends={"TPU node pool": "cluster", "CPU pool": "cluster"},
        creates=(
            "cluster",
            "network",
            "subnetwork",
            "router",
            "Cloud NAT",
            "service account",
            "IAM grant",
            "system pool",
        ),
    )
    location: str = key(
        "Region, or on Standard also a zone; that of the existing cluster if `existing` is set.",
        autopilot="region",
        existing="fact",
        form="location",
        sends={
            "cluster": "location",
            "subnetwork": "region",
            "TPU node pool": "location",
            "system pool": "location",
            "CPU pool": "location",
            "router": "region",
            "Cloud NAT": "region",
        },
    )
    name: str | None = optional(
        "Name in GKE, if it differs from the key.",
        existing="fact",
        form="gke_name",
        sends={
            "cluster": "name",
            "network": "name",
            "subnetwork": "name",
            "service account": "accountId",
            "workload policy": "name",
            "router": "name",
            "Cloud NAT": "name",
            "firewall rule": "name",
        },
    )
    release_channel: Literal["rapid", "regular", "stable", "extended", "none"] = key(
        "Release channel.",
        default="regular",
        autopilot="region",
        existing="fact",
        sends="releaseChannel.channel",
        excludes="releaseChannel",
    )
    min_version: str | None = optional(
        'Minimum version of the control plane, in quotes, such as "1.34".',
        existing="refused",
        instead_existing="set version to the version that the cluster runs",
        form="version",
        copies="minMasterVersion",
    )
    version: str | None = optional(
        'Version that the existing cluster runs, in quotes, such as "1.34"; unknown if not set.',
        existing="only",
        form="version",
        nothing="it states what the existing cluster runs",
    )
    adopted: bool = key(
        "true for a cluster that another tool created, and that the plan has taken over. Settings without a key stay "
        "as they are, and gke-tpu creates no node pool for system workloads.",
        default=False,
        existing="refused",
        instead_existing="the cluster stays with the tool that manages it",
        option="ignoreChanges",
    )
    deletion_protection: bool = key(
        "Prevent the deletion of the cluster.",
        default=True,
        existing="refused",
        instead_existing=_ELSEWHERE,
        sends="deletionProtection",
    )
    network: Annotated[
        Network | None,
        BeforeValidator(short_network, json_schema_input_type=Literal["create"] | Network | ExistingNetwork | None),
    ] = optional(
        "create, or an existing network; the default network of the project if not set.",
        existing="fact",
        excludes=("network", "subnetwork"),
    )
    additional_networks: dict[str, InterfaceNetworkSpec] = key(
        "Name -> new network for an additional network interface; slice groups refer to it by name.",
        default=dict,
        autopilot="refused",
        instead="GKE creates the network interfaces",
        existing="refused",
        instead_existing="create the network where the cluster is managed; slice groups name it with network and "
        "subnetwork",
        sends="enableMultiNetworking",
        creates=("network", "subnetwork", "firewall rule"),
    )
    multi_networking: bool = key(
        "Multi-networking, also if no slice group has additional networks.",
        default=False,
        autopilot="refused",
        instead="GKE creates the network interfaces",
        existing="refused",
        instead_existing=_ELSEWHERE,
        sends="enableMultiNetworking",
    )
    workload_policies: dict[str, WorkloadPolicySpec] = key(
        "Name in Compute Engine -> new workload policy. Slice groups name it in placement, and Pods or a ComputeClass "
        "name it for nodes that GKE provisions.",
        default=dict,
        resource="workload policy",
        creates=("workload policy",),
    )
    private_nodes: bool | None = optional(
        "Nodes without external IP addresses; true with network and false without it if not set. On an existing "
        "cluster: the setting of the cluster if not set.",
        sends={
            "cluster": "privateClusterConfig.enablePrivateNodes",
            "TPU node pool": "networkConfig.enablePrivateNodes",
            "system pool": "networkConfig.enablePrivateNodes",
            "CPU pool": "networkConfig.enablePrivateNodes",
        },
    )
    control_plane: ControlPlane = key(
        "Access to the control plane.", default=ControlPlane, existing="refused", instead_existing=_ELSEWHERE
    )
    node_service_account: MaybeOutput[str] = key(
        "create, or the email of a service account. On an existing cluster: the Compute Engine default service account "
        "if not set.",
        default="create",
        form="account",
        sends={
            "cluster": "clusterAutoscaling.autoProvisioningDefaults.serviceAccount",
            "TPU node pool": "nodeConfig.serviceAccount",
            "system pool": "nodeConfig.serviceAccount",
            "CPU pool": "nodeConfig.serviceAccount",
        },
        creates=("service account", "IAM grant"),
    )
    system_pool: SystemPool | None = optional(
        "Node pool for system workloads.",
        autopilot="refused",
        instead="GKE creates the nodes for system workloads",
        existing="refused",
        instead_existing="the cluster has nodes for system workloads already",
        resource="system pool",
        excludes=("initialNodeCount", "nodeConfig", "nodePools"),
    )
    cpu_pools: dict[str, CpuPoolSpec] = key(
        "Name in GKE -> node pool without TPUs, in addition to the system pool.",
        default=dict,
        autopilot="refused",
        instead="GKE creates the nodes that Pods request; a ComputeClass selects their machine family",
        resource="CPU pool",
    )
    autoprovisioning: AutoprovisioningSpec | None = optional(
        "Node auto-provisioning.",
        autopilot="refused",
        instead="GKE always provisions nodes itself, and quotas limit them",
        existing="refused",
        instead_existing=_ELSEWHERE,
        sends="clusterAutoscaling.enabled",
        excludes="clusterAutoscaling.resourceLimits",
    )
    addons: list[str] = key(
        "Add-ons to enable.",
        default=list,
        autopilot="region",
        existing="refused",
        instead_existing=_ELSEWHERE,
        form="addon",
        sends=(
            "addonsConfig.agentSandboxConfig.enabled",
            "addonsConfig.dnsCacheConfig.enabled",
            "addonsConfig.gcpFilestoreCsiDriverConfig.enabled",
            "addonsConfig.gcsFuseCsiDriverConfig.enabled",
            "addonsConfig.gkeBackupAgentConfig.enabled",
            "addonsConfig.highScaleCheckpointingConfig.enabled",
            "addonsConfig.lustreCsiDriverConfig.enabled",
            "addonsConfig.nodeReadinessConfig.enabled",
            "addonsConfig.parallelstoreCsiDriverConfig.enabled",
            "addonsConfig.podSnapshotConfig.enabled",
            "addonsConfig.rayOperatorConfigs.enabled",
            "addonsConfig.sliceControllerConfig.enabled",
            "addonsConfig.statefulHaConfig.enabled",
        ),
    )
    gateway_api: Literal["standard", "disabled"] | None = optional(
        "Gateway API: standard installs its resources and GKE's controller. GKE decides if not set.",
        existing="refused",
        instead_existing=_ELSEWHERE,
        copies="gatewayApiConfig.channel",
        values={"standard": "CHANNEL_STANDARD", "disabled": "CHANNEL_DISABLED"},
        excludes="gatewayApiConfig",
    )
    ml_diagnostics: bool | None = optional(
        "Managed ML diagnostics: GKE runs what profiling of workloads on demand requires. GKE decides if not set.",
        existing="refused",
        instead_existing=_ELSEWHERE,
        copies="managedMachineLearningDiagnosticsConfig.enabled",
        excludes="managedMachineLearningDiagnosticsConfig",
    )
    maintenance: Maintenance | None = optional(
        "Maintenance window and exclusions.",
        existing="refused",
        instead_existing=f"{_ELSEWHERE}; a slice group has a maintenance key of its own",
    )
    security: Security = key("Hardening.", default=Security, autopilot="refused", instead="hardening is built in")
    resource_labels: Labels = key(
        "Google Cloud labels of the cluster and its node pools.",
        default=dict,
        existing="refused",
        instead_existing="label the slice groups, or all resources of the plan",
        sends={
            "cluster": "resourceLabels",
            "TPU node pool": "nodeConfig.resourceLabels",
            "system pool": "nodeConfig.resourceLabels",
            "CPU pool": "nodeConfig.resourceLabels",
        },
    )
    fleet: MaybeOutput[str] | None = optional(
        "Host project of the fleet that the cluster joins.",
        existing="refused",
        instead_existing=_ELSEWHERE,
        copies="fleet.project",
    )
    kms_key: MaybeOutput[str] | None = optional(
        "Cloud KMS key for Kubernetes secrets.",
        form="kms_key",
        existing="refused",
        instead_existing=_ELSEWHERE,
        sends=("databaseEncryption.state", "databaseEncryption.keyName"),
        excludes="databaseEncryption",
    )
    notifications: MaybeOutput[str] | None = optional(
        "Pub/Sub topic for cluster notifications.",
        existing="refused",
        instead_existing=_ELSEWHERE,
        sends=("notificationConfig.pubsub.enabled", "notificationConfig.pubsub.topic"),
    )
    slices: dict[str, SliceGroupSpec] = key("Slice groups by name.", default=dict, resource="TPU node pool")
    kubernetes: Kubernetes | None = optional(
        "Kubernetes objects: queues, priority classes, service accounts and workloads.",
        nothing="Kubernetes objects are not resources of Google Cloud; only service accounts with `google: create` "
        "have such resources",
    )
    runs: dict[str, Run] = key(
        "Planned runs by name. They change no resource.", default=dict, nothing="planned runs configure no resource"
    )
    timeouts: Timeouts | None = optional(
        "Timeouts of Pulumi.",
        existing="refused",
        instead_existing="gke-tpu creates no cluster; a slice group has timeouts of its own",
        option="customTimeouts",
    )
    extra: dict[str, Any] = key(
        "Provider properties of the cluster without a key of their own.",
        default=dict,
        existing="refused",
        instead_existing=f"{_ELSEWHERE}; a slice group has an extra key of its own",
        nothing="the keys in it are properties of the provider",
    )

    _has_every_pool: bool = PrivateAttr(default=False)
    """Whether the cluster was made of what exists, or of a program, with every node pool that it has."""

    def note_every_pool(self) -> None:
        """Record that the cluster has no other node pools than those of the plan."""
        self._has_every_pool = True

    @property
    def has_every_pool(self) -> bool:
        """Whether the node pools of the plan are certainly all of the cluster: it is new, or described as a whole."""
        return self._has_every_pool or self.system_pool is not None

    @model_validator(mode="before")
    @classmethod
    def _location_of_existing(cls, value: object) -> Any:
        """The location of an existing cluster is that of its reference. Rules report a malformed reference."""
        if isinstance(value, dict) and value.get("existing") is not None and "location" not in value:
            found = parse_cluster(value["existing"]) if isinstance(value["existing"], str) else None
            return value | {"location": found.location if found else ""}
        return value
