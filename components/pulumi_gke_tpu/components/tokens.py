"""Type tokens: of the components, derived from the package name, and of node pools."""

PACKAGE = "gke-tpu"
NODE_POOL = "gcp:container/nodePool:NodePool"


def token(component: str) -> str:
    """gke-tpu:index:Component."""
    return f"{PACKAGE}:index:{component}"
