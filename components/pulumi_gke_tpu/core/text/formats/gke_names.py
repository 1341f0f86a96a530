"""Names of clusters and node pools, as GKE accepts them."""

import re

LONGEST_CLUSTER_NAME = 40
"""Maximum number of characters in the name of a cluster."""
_GKE_NAME = re.compile(r"[a-z](?:[a-z0-9-]*[a-z0-9])?\Z", re.ASCII)


def is_gke_name(text: str) -> bool:
    """Whether GKE accepts this, apart from its length, as the name of a cluster or node pool."""
    return bool(_GKE_NAME.match(text))


def gke_name_form(text: str, first: str = "a letter") -> str:
    """What to change in a text that GKE does not accept as a name; ``first`` is what a name starts with."""
    if re.fullmatch(r"[a-z0-9-]+", text, re.ASCII):
        return f"start with {first}, and end with a letter or a digit"
    return "use lower-case letters, digits and hyphens"


def gke_name_like(text: str) -> str:
    """The nearest text that GKE accepts as a name; empty if nothing usable is left."""
    words = re.sub(r"[^a-z0-9]+", "-", text.lower()[:200]).strip("-")
    return f"tpu-{words}" if words[:1].isdigit() else words
