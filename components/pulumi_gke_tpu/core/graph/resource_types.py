"""The type tokens of what a program registers: components, and resources of the providers gcp and kubernetes."""

PACKAGE = "gke-tpu"


def token(name: str) -> str:
    """The type token of a component, or of its arguments."""
    return f"{PACKAGE}:index:{name}"


CLUSTER = "gcp:container/cluster:Cluster"
NODE_POOL = "gcp:container/nodePool:NodePool"
NETWORK = "gcp:compute/network:Network"
SUBNETWORK = "gcp:compute/subnetwork:Subnetwork"
FIREWALL = "gcp:compute/firewall:Firewall"
ROUTER = "gcp:compute/router:Router"
ROUTER_NAT = "gcp:compute/routerNat:RouterNat"
RESOURCE_POLICY = "gcp:compute/resourcePolicy:ResourcePolicy"
ACCOUNT = "gcp:serviceaccount/account:Account"
IAM_MEMBER = "gcp:projects/iAMMember:IAMMember"
ACCOUNT_MEMBER = "gcp:serviceaccount/iAMMember:IAMMember"
BUCKET_MEMBER = "gcp:storage/bucketIAMMember:BucketIAMMember"

TPU_FLEET = token("TpuFleet")
STANDARD_CLUSTER = token("StandardCluster")
AUTOPILOT_CLUSTER = token("AutopilotCluster")
EXISTING_CLUSTER = token("ExistingCluster")
TPU_SLICES = token("TpuSlices")
TPU_WORKLOADS = token("TpuWorkloads")
HELM_RELEASE = "kubernetes:helm.sh/v3:Release"


def kubernetes_type(api_version: str, kind: str) -> str:
    """The type token of a Kubernetes object, as pulumi-kubernetes spells it: its core group is called core."""
    return f"kubernetes:{api_version if '/' in api_version else f'core/{api_version}'}:{kind}"


def provider_of(resource_type: str) -> str:
    """The provider of a resource, by the type token: gcp or kubernetes."""
    return resource_type.partition(":")[0]


SECRET_OUTPUTS = {CLUSTER: ("effectiveLabels", "pulumiLabels")}
"""Type -> outputs that the typed class has encrypted in the state."""
FORMER_TYPES = {
    ACCOUNT: ("gcp:serviceAccount/account:Account",),
    ACCOUNT_MEMBER: ("gcp:serviceAccount/iAMMember:IAMMember",),
}
"""Type -> tokens that the typed class names as aliases."""
