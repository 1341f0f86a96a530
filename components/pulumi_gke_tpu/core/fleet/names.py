"""Names of resources: complete ones for Pulumi, truncated ones for GKE and Compute Engine."""

import hashlib
from collections.abc import Sequence

POOL_NAME_LIMIT = 40
POLICY_NAME_LIMIT = 63
NETWORK_NAME_LIMIT = 63
LABEL_VALUE_LIMIT = 63
"""The longest value of a Kubernetes label."""
_ACCOUNT_NAME_LIMIT = 15


def shortened(name: str, limit: int) -> str:
    """The name if it has at most ``limit`` characters; otherwise its beginning and a hash of the full name."""
    return name if len(name) <= limit else f"{name[: limit - 9].rstrip('-')}-{_hash(name)}"


def compute_class_name(group: str) -> str:
    """The name of the ComputeClass of a slice group, which Pods select as the value of a label.

    With the prefix, it is neither ``default``, which is the class of Pods without a class, nor does it begin with a
    word that GKE reserves.
    """
    return shortened(f"tpu-{group}", LABEL_VALUE_LIMIT)


def account_id(project: str, cluster: str, location: str, key: str = "", inside: Sequence[str] = ()) -> str:
    """The ID of a node service account: 6 to 30 characters, unique within the project.

    ``key`` distinguishes accounts for the same cluster; ``inside`` is the path of a part of the cluster.
    """
    readable = (cluster, *inside)[-1][:_ACCOUNT_NAME_LIMIT].rstrip("-")
    whole = (project, location, cluster, *((key,) if key else ()), *inside)
    return f"gke-{readable}-{_hash('/'.join(whole))}"


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
