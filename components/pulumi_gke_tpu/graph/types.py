"""Type tokens, and what the typed classes of pulumi-gcp add to every resource of a type."""

PACKAGE = "gke-tpu"

CLUSTER = "gcp:container/cluster:Cluster"
NODE_POOL = "gcp:container/nodePool:NodePool"
NETWORK = "gcp:compute/network:Network"
SUBNETWORK = "gcp:compute/subnetwork:Subnetwork"
ROUTER = "gcp:compute/router:Router"
ROUTER_NAT = "gcp:compute/routerNat:RouterNat"
RESOURCE_POLICY = "gcp:compute/resourcePolicy:ResourcePolicy"
ACCOUNT = "gcp:serviceaccount/account:Account"
IAM_MEMBER = "gcp:projects/iAMMember:IAMMember"

TPU_FLEET = f"{PACKAGE}:index:TpuFleet"
STANDARD_CLUSTER = f"{PACKAGE}:index:StandardCluster"
AUTOPILOT_CLUSTER = f"{PACKAGE}:index:AutopilotCluster"
TPU_SLICES = f"{PACKAGE}:index:TpuSlices"

SECRET_OUTPUTS = {CLUSTER: ("effectiveLabels", "pulumiLabels")}
"""Type -> outputs that the typed class has encrypted in the state."""
FORMER_TYPES = {ACCOUNT: ("gcp:serviceAccount/account:Account",)}
"""Type -> tokens that the typed class names as aliases."""
