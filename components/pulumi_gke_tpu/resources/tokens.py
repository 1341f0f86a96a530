"""Type tokens of the components, derived from the package name."""

PACKAGE = "gke-tpu"


def token(component: str) -> str:
    """gke-tpu:index:Component."""
    return f"{PACKAGE}:index:{component}"
